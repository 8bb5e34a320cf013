/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * READ_PLUS4args, both ways (RFC 7862 section 15.10.1).  Any values are valid;
 * only the number of bytes can be wrong.
 */
#include <readplus/decode.h>
#include <readplus/encode.h>

#include "items.h"
#include "wire.h"

enum readplus_error readplus_args_encode(const struct readplus_args *args,
                                         void *buffer, size_t len)
{
    uint8_t *p = buffer;

    if (len < READPLUS_ARGS_SIZE)
        return READPLUS_ERR_NOSPACE;
    wire_put_stateid(p, &args->stateid); /* rpa_stateid */
    wire_store64(p + 16, args->offset);  /* rpa_offset */
    wire_store32(p + 24, args->count);   /* rpa_count */
    return READPLUS_OK;
}

enum readplus_error readplus_args_decode(const void *buffer, size_t len,
                                         uint32_t flags,
                                         struct readplus_args *args,
                                         struct readplus_fault *fault)
{
    /* seqid, other, rpa_offset, rpa_count */
    static const uint8_t ends[] = {4, 16, 24, READPLUS_ARGS_SIZE};
    const uint8_t *p = buffer;
    enum readplus_error error = item_fields(ends, sizeof(ends), len, fault);

    if (error == READPLUS_OK)
        error = item_end(READPLUS_ARGS_SIZE, len,
                         (flags & READPLUS_DECODE_TRAILING) != 0, fault);
    if (error != READPLUS_OK)
        return error;
    wire_get_stateid(p, &args->stateid);
    args->offset = wire_load64(p + 16);
    args->count = wire_load32(p + 24);
    return READPLUS_OK;
}
