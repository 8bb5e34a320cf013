/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delivery by copying.  Segments come from the iterator one by one, already
 * known to be contiguous, so what is delivered is always a prefix of the
 * request's range; nothing behind that prefix is ever written.
 */
#include <readplus/scatter.h>

#include <string.h>

#include "checked.h"

/* Where the next byte goes. */
struct target {
    const struct iovec *iov;
    size_t pieces;
    size_t used; /* of the first piece */
    uint64_t room;
};

/* What is left of the destination's current piece, never empty. */
static size_t target_here(struct target *target, uint8_t **to)
{
    while (target->used == target->iov->iov_len) {
        target->iov++;
        target->pieces--;
        target->used = 0;
    }
    *to = (uint8_t *)target->iov->iov_base + target->used;
    return target->iov->iov_len - target->used;
}

/* Writes `length` bytes of the segment, from its byte `skip` on. */
static enum readplus_error target_put(struct target *target,
                                      const struct readplus_decoder *decoder,
                                      const struct readplus_segment *segment,
                                      uint64_t skip, uint64_t length,
                                      bool zeroed)
{
    target->room -= length;
    while (length > 0) {
        uint8_t *to;
        size_t here = target_here(target, &to);
        size_t step = here < length ? here : (size_t)length;

        if (segment->content == READPLUS_CONTENT_DATA) {
            enum readplus_error error =
                readplus_decoder_data_copy(decoder, segment, skip, to, step);

            if (error != READPLUS_OK)
                return error;
        } else if (!zeroed) {
            memset(to, 0, step);
        }
        target->used += step;
        skip += step;
        length -= step;
    }
    return READPLUS_OK;
}

static bool target_init(struct target *target, const struct iovec *iov,
                        size_t pieces, uint64_t count)
{
    size_t i;

    *target = (struct target){.iov = iov, .pieces = pieces};
    if (iov == NULL && pieces > 0)
        return false;
    for (i = 0; i < pieces && target->room < count; i++)
        target->room = saturating_add64(target->room, iov[i].iov_len);
    target->room = min64(target->room, count);
    return true;
}

/* Delivers one segment; `covered` counts what of the request it brought. */
static enum readplus_error deliver(const struct readplus_decoder *decoder,
                                   const struct readplus_segment *segment,
                                   struct target *target, bool zeroed,
                                   struct readplus_result *result,
                                   uint64_t *covered)
{
    struct readplus_segment inside = *segment;
    enum readplus_error error;
    uint64_t length;

    (void)readplus_segment_clip(&inside, &decoder->args);
    length = min64(inside.length, target->room);
    *covered += inside.length;
    if (length < segment->length)
        result->eof = false;
    if (length == 0)
        return READPLUS_OK;
    error = target_put(target, decoder, segment,
                       inside.offset - segment->offset, length, zeroed);
    if (error != READPLUS_OK)
        return error;
    result->bytes += length;
    if (segment->content == READPLUS_CONTENT_HOLE)
        result->zero_bytes += length;
    return READPLUS_OK;
}

enum readplus_error readplus_scatter(struct readplus_decoder *decoder,
                                     const struct iovec *iov, size_t pieces,
                                     uint32_t flags,
                                     struct readplus_result *result)
{
    bool zeroed = (flags & READPLUS_SCATTER_ZEROED) != 0;
    enum readplus_error error = decoder->fault.error;
    struct readplus_segment segment;
    struct target target;
    uint64_t covered = 0;

    if (!decoder->ranged || (flags & ~READPLUS_SCATTER_ZEROED) != 0 ||
        !target_init(&target, iov, pieces, decoder->args.count))
        return READPLUS_ERR_INVAL;
    if (decoder->left != decoder->count)
        return READPLUS_ERR_STATE;
    *result = (struct readplus_result){.eof = decoder->eof};
    if (error == READPLUS_OK) {
        while ((error = readplus_decoder_next(decoder, &segment)) ==
                   READPLUS_OK &&
               (error = deliver(decoder, &segment, &target, zeroed, result,
                                &covered)) == READPLUS_OK)
            ;
        if ((decoder->flags & READPLUS_DECODE_TOLERANT) != 0 ||
            error == READPLUS_END)
            error = READPLUS_OK;
    }
    result->fault = decoder->fault;
    if (decoder->fault.error != READPLUS_OK)
        result->eof = false;
    result->progress = covered > 0 || result->eof || decoder->status != 0 ||
                       decoder->args.count == 0;
    return error;
}
