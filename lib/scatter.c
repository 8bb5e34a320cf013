/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delivery by copying.  Segments come from the iterator one by one, already
 * known to be contiguous, so what is delivered is always a prefix of the
 * request's range; nothing behind that prefix is ever written.
 */
#include <readplus/scatter.h>

#include <string.h>

#include "delivery.h"
#include "element.h"

/* Copies `length` bytes from the cursor on. */
static void deliver_data(struct readplus_delivery *d, struct readplus_cursor *c,
                         uint64_t length)
{
    while (length > 0) {
        uint8_t *to;
        size_t here = delivery_here(d, &to);
        size_t step = here < length ? here : (size_t)length;

        cursor_copy(c, to, step);
        d->used += step;
        length -= step;
    }
}

static void deliver_zeros(struct readplus_delivery *d, uint64_t length,
                          bool zeroed)
{
    while (length > 0) {
        uint8_t *to;
        size_t here = delivery_here(d, &to);
        size_t step = here < length ? here : (size_t)length;

        if (!zeroed)
            memset(to, 0, step);
        d->used += step;
        length -= step;
    }
}

/* Where the bytes of the segment handed out last are, from `skip` on. */
static struct readplus_cursor bytes_of(const struct readplus_decoder *decoder,
                                       const struct readplus_segment *segment,
                                       uint64_t skip)
{
    struct readplus_cursor c = decoder->data;

    if (segment->data != NULL)
        c = (struct readplus_cursor){.pos = segment->data,
                                     .end = segment->data + segment->length};
    cursor_skip(&c, skip);
    return c;
}

/* Delivers one segment.  Its bytes are walked once, however many pieces they
 * come from and go to. */
static void deliver(struct readplus_delivery *d,
                    const struct readplus_decoder *decoder,
                    const struct readplus_segment *segment, bool zeroed)
{
    struct readplus_part part =
        delivery_part(d, &decoder->args, segment->offset, segment->length);

    if (segment->content == READPLUS_CONTENT_HOLE) {
        deliver_zeros(d, part.length, zeroed);
    } else if (part.length > 0) {
        struct readplus_cursor c = bytes_of(decoder, segment, part.skip);

        deliver_data(d, &c, part.length);
    }
    delivery_add(d, segment->content, segment->length, &part);
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
            deliver(&d, decoder, &segment, zeroed);
    }
    error = delivery_end(&d, decoder, error);
    *result = d.result;
    return error;
}
