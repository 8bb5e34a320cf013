/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delivery by copying.  Segments come from the iterator one by one, already
 * known to be contiguous, so what is delivered is always a prefix of the
 * request's range; nothing behind that prefix is ever written.
 */
#include <readplus/scatter.h>

#include <string.h>

#include "delivery.h"

/* Writes `length` bytes of the segment, from its byte `skip` on. */
static enum readplus_error put(struct readplus_delivery *d,
                               const struct readplus_decoder *decoder,
                               const struct readplus_segment *segment,
                               uint64_t skip, uint64_t length, bool zeroed)
{
    while (length > 0) {
        uint8_t *to;
        size_t here = delivery_here(d, &to);
        size_t step = here < length ? here : (size_t)length;

        if (segment->content == READPLUS_CONTENT_DATA) {
            enum readplus_error error =
                readplus_decoder_data_copy(decoder, segment, skip, to, step);

            if (error != READPLUS_OK)
                return error;
        } else if (!zeroed) {
            memset(to, 0, step);
        }
        d->used += step;
        skip += step;
        length -= step;
    }
    return READPLUS_OK;
}

/* Delivers one segment. */
static enum readplus_error deliver(struct readplus_delivery *d,
                                   const struct readplus_decoder *decoder,
                                   const struct readplus_segment *segment,
                                   bool zeroed)
{
    struct readplus_part part =
        delivery_part(d, &decoder->args, segment->offset, segment->length);
    enum readplus_error error =
        put(d, decoder, segment, part.skip, part.length, zeroed);

    if (error == READPLUS_OK)
        delivery_add(d, segment->content, segment->length, &part);
    return error;
}

enum readplus_error readplus_scatter(struct readplus_decoder *decoder,
                                     const struct iovec *iov, size_t pieces,
                                     uint32_t flags,
                                     struct readplus_result *result)
{
    bool zeroed = (flags & READPLUS_SCATTER_ZEROED) != 0;
    enum readplus_error error = decoder->fault.error;
    struct readplus_segment segment;
    struct readplus_delivery d;

    if (!decoder->ranged || (flags & ~READPLUS_SCATTER_ZEROED) != 0 ||
        !delivery_init(&d, &decoder->args, iov, pieces))
        return READPLUS_ERR_INVAL;
    if (decoder->left != decoder->count)
        return READPLUS_ERR_STATE;
    while (error == READPLUS_OK) {
        error = readplus_decoder_next(decoder, &segment);
        if (error == READPLUS_OK)
            error = deliver(&d, decoder, &segment, zeroed);
    }
    error = delivery_end(&d, decoder, error);
    *result = d.result;
    return error;
}
