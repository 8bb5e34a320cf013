/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SEEK4args and SEEK4res, both ways (RFC 7862 section 15.11).  Flat items, so
 * a length check and straight loads and stores are all there is.
 */
#include <readplus/seek.h>

#include "items.h"
#include "wire.h"

enum readplus_error readplus_seek_args_encode(
    const struct readplus_seek_args *args, void *buffer, size_t len)
{
    uint8_t *p = buffer;

    if (args->what > READPLUS_CONTENT_HOLE)
        return READPLUS_ERR_BAD_CONTENT;
    if (len < READPLUS_SEEK_ARGS_SIZE)
        return READPLUS_ERR_NOSPACE;
    wire_put_stateid(p, &args->stateid); /* sa_stateid */
    wire_store64(p + 16, args->offset);  /* sa_offset */
    wire_store32(p + 24, args->what);    /* sa_what */
    return READPLUS_OK;
}

enum readplus_error readplus_seek_args_decode(const void *buffer, size_t len,
                                              bool more,
                                              struct readplus_seek_args *args,
                                              struct readplus_fault *fault)
{
    /* seqid, other, sa_offset, sa_what */
    static const uint8_t ends[] = {4, 16, 24, READPLUS_SEEK_ARGS_SIZE};
    const uint8_t *p = buffer;
    enum readplus_error error = item_fields(ends, sizeof(ends), len, fault);
    uint32_t what;

    if (error != READPLUS_OK)
        return error;
    what = wire_load32(p + 24);
    if (what > READPLUS_CONTENT_HOLE)
        return item_fault(fault, READPLUS_ERR_BAD_CONTENT, 24);
    error = item_end(READPLUS_SEEK_ARGS_SIZE, len, more, fault);
    if (error != READPLUS_OK)
        return error;
    wire_get_stateid(p, &args->stateid);
    args->offset = wire_load64(p + 16);
    args->what = what;
    return READPLUS_OK;
}

enum readplus_error readplus_seek_res_encode(
    const struct readplus_seek_res *res, void *buffer, size_t len, size_t *size)
{
    size_t need =
        res->status == 0 ? READPLUS_SEEK_RES_SIZE : READPLUS_STATUS_SIZE;
    uint8_t *p = buffer;

    if (len < need)
        return READPLUS_ERR_NOSPACE;
    wire_store32(p, res->status); /* sa_status */
    if (res->status == 0) {
        wire_store32(p + 4, res->eof ? 1 : 0); /* sr_eof */
        wire_store64(p + 8, res->offset);      /* sr_offset */
    }
    *size = need;
    return READPLUS_OK;
}

enum readplus_error readplus_seek_res_decode(const void *buffer, size_t len,
                                             bool more,
                                             struct readplus_seek_res *res,
                                             size_t *size,
                                             struct readplus_fault *fault)
{
    static const uint8_t ends[] = {4, 8, READPLUS_SEEK_RES_SIZE};
    struct readplus_seek_res got = {0};
    size_t need = READPLUS_STATUS_SIZE;
    const uint8_t *p = buffer;
    enum readplus_error error = item_fields(ends, 1, len, fault);
    uint32_t eof;

    if (error != READPLUS_OK)
        return error;
    got.status = wire_load32(p);
    if (got.status == 0) {
        /* In wire order: a bad sr_eof is named before a cut sr_offset. */
        error = item_fields(ends, 2, len, fault);
        if (error != READPLUS_OK)
            return error;
        eof = wire_load32(p + 4);
        if (eof > 1)
            return item_fault(fault, READPLUS_ERR_BAD_BOOL, 4);
        error = item_fields(ends, 3, len, fault);
        if (error != READPLUS_OK)
            return error;
        got.eof = eof == 1;
        got.offset = wire_load64(p + 8);
        need = READPLUS_SEEK_RES_SIZE;
    }
    error = item_end(need, len, more, fault);
    if (error != READPLUS_OK)
        return error;
    *res = got;
    *size = need;
    return READPLUS_OK;
}
