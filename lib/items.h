/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the decoders of items without elements (arguments, SEEK) share: is the
 * item whole, does anything follow it, and where the fault is if not.
 */
#ifndef READPLUS_LIB_ITEMS_H
#define READPLUS_LIB_ITEMS_H

#include <stddef.h>

#include <readplus/base.h>

/* Records a fault for the caller who wants to know. */
static inline enum readplus_error item_fault(struct readplus_fault *fault,
                                             enum readplus_error error,
                                             uint64_t at)
{
    if (fault != NULL)
        *fault = (struct readplus_fault){error, READPLUS_NO_SEGMENT, at};
    return error;
}

/*
 * READPLUS_OK where len bytes hold the fields that end at ends[0..count), in
 * order; a cut field is named by where it starts.
 */
static inline enum readplus_error item_fields(const uint8_t *ends, size_t count,
                                              size_t len,
                                              struct readplus_fault *fault)
{
    uint64_t start = 0;
    size_t i;

    for (i = 0; i < count; i++) {
        if (len < ends[i])
            return item_fault(fault, READPLUS_ERR_TRUNCATED, start);
        start = ends[i];
    }
    return READPLUS_OK;
}

/* READPLUS_OK where an item of `size` bytes fills len, or more is allowed. */
static inline enum readplus_error item_end(size_t size, size_t len, bool more,
                                           struct readplus_fault *fault)
{
    if (len > size && !more)
        return item_fault(fault, READPLUS_ERR_TRAILING, size);
    return READPLUS_OK;
}

#endif /* READPLUS_LIB_ITEMS_H */
