/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every way of delivering a reply shares: which bytes of a segment go
 * where, and what is reported of it in the end.  Copying, in-place and stream
 * delivery give the same result because it is added up here.  It writes no
 * byte itself.
 */
#ifndef READPLUS_LIB_DELIVERY_H
#define READPLUS_LIB_DELIVERY_H

#include <readplus/scatter.h>

#include "checked.h"

/* Begins with a destination; room is at most the request's count.  False
 * where iov makes no sense. */
static inline bool delivery_init(struct readplus_delivery *d,
                                 const struct readplus_args *args,
                                 const struct iovec *iov, size_t pieces)
{
    size_t i;

    *d = (struct readplus_delivery){.iov = iov, .pieces = pieces};
    if (iov == NULL && pieces > 0)
        return false;
    for (i = 0; i < pieces && d->room < args->count; i++)
        d->room = saturating_add64(d->room, iov[i].iov_len);
    d->room = min64(d->room, args->count);
    return true;
}

/* What is left of the destination's current piece, never empty. */
static inline size_t delivery_here(struct readplus_delivery *d, uint8_t **to)
{
    while (d->used == d->iov->iov_len) {
        d->iov++;
        d->pieces--;
        d->used = 0;
    }
    *to = (uint8_t *)d->iov->iov_base + d->used;
    return d->iov->iov_len - d->used;
}

/* The part of [offset, offset + length) that is to be delivered next. */
static inline struct readplus_part delivery_part(
    const struct readplus_delivery *d, const struct readplus_args *args,
    uint64_t offset, uint64_t length)
{
    struct readplus_segment inside = {READPLUS_CONTENT_HOLE, offset, length,
                                      NULL};

    /* Nearly every element lies inside. */
    if (offset >= args->offset && offset - args->offset <= args->count &&
        length <= args->count - (offset - args->offset))
        return (struct readplus_part){0, length, min64(length, d->room)};
    if (!readplus_segment_clip(&inside, args))
        return (struct readplus_part){0, 0, 0};
    return (struct readplus_part){inside.offset - offset, inside.length,
                                  min64(inside.length, d->room)};
}

/* That part of a segment of `length` bytes was delivered. */
static inline void delivery_add(struct readplus_delivery *d,
                                enum readplus_content content, uint64_t length,
                                const struct readplus_part *part)
{
    d->covered += part->inside;
    d->room -= part->length;
    d->result.bytes += part->length;
    if (content == READPLUS_CONTENT_HOLE)
        d->result.zero_bytes += part->length;
    if (part->length < length)
        d->clipped = true;
}

/*
 * `error` ended the segments; READPLUS_END: there are no more.  Completes
 * d->result and returns what the caller is told.
 */
static inline enum readplus_error delivery_end(
    struct readplus_delivery *d, const struct readplus_decoder *decoder,
    enum readplus_error error)
{
    struct readplus_result *result = &d->result;
    bool tolerant = (decoder->flags & READPLUS_DECODE_TOLERANT) != 0;

    result->fault = decoder->fault;
    result->eof =
        decoder->eof && !d->clipped && decoder->fault.error == READPLUS_OK;
    result->progress = d->covered > 0 || result->eof || decoder->status != 0 ||
                       decoder->args.count == 0;
    if (error == READPLUS_END)
        return READPLUS_OK;
    /* A fault in the head leaves nothing to be tolerant about. */
    if (tolerant && decoder->fault.segment != READPLUS_NO_SEGMENT)
        return READPLUS_OK;
    return error;
}

#endif /* READPLUS_LIB_DELIVERY_H */
