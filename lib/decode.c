/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The iterator over a received READ_PLUS4res.  One loop (plain.h) takes elements
 * that lie whole in the piece at hand and stand where they must; whatever is
 * not so plain (split over pieces, first, faulty) is judged field by field behind it,
 * with the words the loop has already fetched, so that no input byte is looked
 * at twice.  Never a read past the input, a copy of file bytes, or an
 * allocation.
 */
#include <readplus/decode.h>

#include "checked.h"
#include "element.h"
#include "plain.h"

/* --- beginning ----------------------------------------------------------- */

/* Apart from begin, so that a head in one piece does not pay for it. */
static __attribute__((noinline)) enum readplus_error head_in_pieces(
    struct readplus_decoder *decoder)
{
    return decoder_head_split(decoder);
}

/*
 * Everything but the cursor, whose piece at hand is set; `sound` where the
 * caller's input makes sense.  Field by field: to clear the whole object would
 * cost more than decoding a hole does.
 */
static enum readplus_error begin(struct readplus_decoder *decoder,
                                 const struct readplus_args *args,
                                 uint32_t flags, bool sound)
{
    decoder->expected = decoder->before = 0;
    decoder->at = 0;
    decoder->left = decoder->count = 0;
    decoder->status = 0;
    decoder->flags = flags;
    decoder->eof = false;
    decoder->ranged = args != NULL;
    decoder->fault =
        (struct readplus_fault){READPLUS_OK, READPLUS_NO_SEGMENT, 0};
    if (args != NULL) {
        decoder->args = *args;
        decoder->expected = args->offset;
    }
    if (!sound || (flags & ~DECODE_FLAGS) != 0)
        return decoder_fail(decoder, READPLUS_ERR_INVAL, 0,
                            READPLUS_NO_SEGMENT);
    if (!head_is_whole(decoder))
        return head_in_pieces(decoder);
    return decoder_head_whole(decoder);
}

/* The pieces' sum, or false where they make no sense. */
static bool sum_of_pieces(const struct iovec *iov, size_t pieces, uint64_t *sum)
{
    size_t i;

    *sum = 0;
    if (iov == NULL && pieces > 0)
        return false;
    for (i = 0; i < pieces; i++)
        if ((iov[i].iov_base == NULL && iov[i].iov_len > 0) ||
            !checked_add64(*sum, iov[i].iov_len, sum))
            return false;
    return true;
}

/* A cursor always points somewhere, if only at nothing. */
static const uint8_t nothing[1];

enum readplus_error readplus_decoder_init_part(struct readplus_decoder *decoder,
                                               const struct readplus_args *args,
                                               const struct iovec *iov,
                                               size_t pieces, uint64_t from,
                                               uint64_t size, uint32_t flags)
{
    struct readplus_cursor *c = &decoder->cursor;
    uint64_t sum, end;
    bool sound = sum_of_pieces(iov, pieces, &sum) && from <= sum;

    if (sound && size == UINT64_MAX)
        size = sum - from;
    sound = sound && checked_add64(from, size, &end) && end <= sum;
    *c = (struct readplus_cursor){
        .pos = nothing, .end = nothing, .iov = iov, .pieces = pieces};
    if (sound && size > 0) {
        c->size = end;
        cursor_skip(c, from);
        cursor_turn(c);
        c->size = size;
        c->end_at -= from;
    }
    return begin(decoder, args, flags, sound);
}

enum readplus_error readplus_decoder_init(struct readplus_decoder *decoder,
                                          const struct readplus_args *args,
                                          const struct iovec *iov,
                                          size_t pieces, uint32_t flags)
{
    return readplus_decoder_init_part(decoder, args, iov, pieces, 0, UINT64_MAX,
                                      flags);
}

enum readplus_error readplus_decoder_init_buffer(
    struct readplus_decoder *decoder, const struct readplus_args *args,
    const void *buffer, size_t len, uint32_t flags)
{
    bool sound = buffer != NULL || len == 0;
    const uint8_t *p = buffer != NULL ? buffer : nothing;

    if (!sound)
        len = 0;
    decoder->cursor = (struct readplus_cursor){p, p + len, NULL, 0, len, len};
    return begin(decoder, args, flags, sound);
}

/* --- elements ------------------------------------------------------------ */

/* d_data behind its length word; *data is NULL where it is in pieces. */
static enum readplus_error take_data(struct readplus_decoder *decoder,
                                     struct readplus_cursor *c,
                                     const struct readplus_element *h,
                                     const uint8_t **data)
{
    uint64_t rest = cursor_left(c);
    unsigned pad = wire_pad(h->length);
    struct readplus_cursor start;
    enum readplus_error error;

    if (h->length > rest || pad > rest - h->length)
        return element_cut(decoder, h);
    if (h->length == 0)
        return READPLUS_OK;
    cursor_turn(c);
    start = *c;
    if (cursor_here(c) >= h->length)
        *data = c->pos;
    cursor_skip(c, h->length);
    error = element_pad(decoder, c, pad);
    if (error == READPLUS_OK)
        decoder->data = start;
    return error;
}

/*
 * Judges an element whose head was fetched up to *c, and takes it if it is
 * good.  On failure nothing but the fault changes.
 */
static enum readplus_error take_judged(struct readplus_decoder *decoder,
                                       struct readplus_cursor c,
                                       const struct readplus_element *h,
                                       struct readplus_segment *segment)
{
    enum readplus_error error = element_placed(decoder, h);
    const uint8_t *data = NULL;

    if (error == READPLUS_OK && h->content == READPLUS_CONTENT_DATA)
        error = take_data(decoder, &c, h, &data);
    if (error != READPLUS_OK)
        return error;
    *segment = (struct readplus_segment){(enum readplus_content)h->content,
                                         h->offset, h->length, data};
    decoder->cursor = c;
    element_done(decoder, h);
    return READPLUS_OK;
}

/* An element near the end of a piece: field by field. */
static enum readplus_error take_split(struct readplus_decoder *decoder,
                                      struct readplus_segment *segment)
{
    struct readplus_cursor c = decoder->cursor;
    struct readplus_element h;
    enum readplus_error error = element_fields(decoder, &c, &h);

    if (error != READPLUS_OK)
        return error;
    return take_judged(decoder, c, &h, segment);
}

/* A head in one piece that did not pass the loop as plain. */
static enum readplus_error take_whole(struct readplus_decoder *decoder,
                                      struct readplus_element *h,
                                      struct readplus_segment *segment)
{
    struct readplus_cursor c = decoder->cursor;
    enum readplus_error error = element_whole(decoder, &c, h);

    if (error != READPLUS_OK)
        return error;
    return take_judged(decoder, c, h, segment);
}

static bool in_pieces(const struct readplus_segment *segment)
{
    return segment->content == READPLUS_CONTENT_DATA && segment->data == NULL &&
           segment->length > 0;
}

/* The plain elements that come next, at most `want`; how many.  *h: see
 * plain_run. */
static inline size_t take_plain(struct readplus_decoder *decoder,
                                struct readplus_segment *segments, size_t want,
                                struct readplus_element *h)
{
    const uint8_t *p = decoder->cursor.pos, *end = decoder->cursor.end;
    struct plain run = {p, p, decoder->expected};
    size_t n = plain_run(&run, end, segments, want, h);

    if (n > 0) {
        decoder->at = decoder->cursor.end_at - (uint64_t)(end - run.last);
        decoder->cursor.pos = run.pos;
        decoder->expected = run.expected;
        decoder->before = segments[n - 1].offset;
        decoder->left -= (uint32_t)n;
    }
    return n;
}

/* What the loop left: one element, judged. */
static enum readplus_error take_rest(struct readplus_decoder *decoder,
                                     struct readplus_element *h,
                                     struct readplus_segment *segment)
{
    if (h->at == 0)
        return take_split(decoder, segment);
    return take_whole(decoder, h, segment);
}

/* No element comes: the end, or what was refused.  Apart from the calls that
 * hand out elements, which do not pay for it. */
static __attribute__((noinline)) enum readplus_error no_more(
    struct readplus_decoder *decoder)
{
    if (decoder->fault.error != READPLUS_OK)
        return decoder->fault.error;
    return decoder_end(decoder);
}

/* What readplus_decoder_next does with a head that is not plain: taken apart
 * into registers, so that plain ones need no stack. */
static __attribute__((noinline)) enum readplus_error next_judged(
    struct readplus_decoder *decoder, struct readplus_segment *segment,
    uint64_t at, uint64_t offset, uint64_t length, uint32_t content)
{
    struct readplus_element h = {at, offset, length, content};

    return take_rest(decoder, &h, segment);
}

enum readplus_error readplus_decoder_next(struct readplus_decoder *decoder,
                                          struct readplus_segment *segment)
{
    struct readplus_element h = {0, 0, 0, 0};

    if (decoder->fault.error != READPLUS_OK || decoder->left == 0)
        return no_more(decoder);
    if (take_plain(decoder, segment, 1, &h) == 1)
        return READPLUS_OK;
    return next_judged(decoder, segment, h.at, h.offset, h.length, h.content);
}

/*
 * What is left of a batch after its plain elements; n were taken, the next
 * head is in *h.  Apart from readplus_decoder_take, so that a batch of nothing
 * but plain elements does not pay for it.
 */
__attribute__((noinline)) enum readplus_error readplus_decoder_take_on(
    struct readplus_decoder *decoder, struct readplus_segment *segments,
    size_t capacity, size_t n, struct readplus_element *h, size_t *taken)
{
    while (n < capacity) {
        enum readplus_error error = take_rest(decoder, h, &segments[n]);

        if (error != READPLUS_OK && n == 0)
            return error;
        if (error != READPLUS_OK)
            break; /* it stays, and comes with the next call */
        if (in_pieces(&segments[n++]))
            break;
        n += take_plain(decoder, segments + n, capacity - n, h);
    }
    *taken = n;
    return READPLUS_OK;
}

enum readplus_error readplus_decoder_take(struct readplus_decoder *decoder,
                                          struct readplus_segment *segments,
                                          size_t capacity, size_t *taken)
{
    struct readplus_element h;
    size_t n;

    *taken = 0;
    if (decoder->fault.error != READPLUS_OK || decoder->left == 0)
        return no_more(decoder);
    if (capacity > decoder->left)
        capacity = decoder->left;
    n = take_plain(decoder, segments, capacity, &h);
    if (n < capacity)
        return readplus_decoder_take_on(decoder, segments, capacity, n, &h,
                                        taken);
    *taken = n;
    return READPLUS_OK;
}

/* --- data that lies in pieces -------------------------------------------- */

/* Whether this is the segment whose place decoder->data remembers. */
static enum readplus_error is_last(const struct readplus_decoder *decoder,
                                   const struct readplus_segment *segment)
{
    if (decoder->left == decoder->count)
        return READPLUS_ERR_STATE;
    if (segment->offset != decoder->before ||
        segment->length != decoder->expected - decoder->before)
        return READPLUS_ERR_INVAL;
    return READPLUS_OK;
}

enum readplus_error readplus_decoder_data_iov(
    const struct readplus_decoder *decoder,
    const struct readplus_segment *segment, struct iovec *iov, size_t capacity,
    size_t *entries)
{
    enum readplus_error error = is_last(decoder, segment);
    struct readplus_cursor c = decoder->data;
    uint64_t left = segment->length;
    size_t n = 0;

    if (error != READPLUS_OK)
        return error;
    if (segment->data != NULL)
        c = (struct readplus_cursor){.pos = segment->data,
                                     .end = segment->data + left};
    if (segment->content != READPLUS_CONTENT_DATA)
        left = 0;
    while (left > 0) {
        size_t step;

        cursor_turn(&c);
        step = cursor_here(&c) < left ? cursor_here(&c) : (size_t)left;
        if (n < capacity)
            iov[n] = (struct iovec){(void *)(uintptr_t)c.pos, step};
        n++;
        c.pos += step;
        left -= step;
    }
    *entries = n;
    return n > capacity ? READPLUS_ERR_LIMIT : READPLUS_OK;
}

enum readplus_error readplus_decoder_data_copy(
    const struct readplus_decoder *decoder,
    const struct readplus_segment *segment, uint64_t skip, void *destination,
    size_t length)
{
    enum readplus_error error = is_last(decoder, segment);
    struct readplus_cursor c = decoder->data;

    if (error != READPLUS_OK)
        return error;
    if (segment->content != READPLUS_CONTENT_DATA || skip > segment->length ||
        length > segment->length - skip)
        return READPLUS_ERR_INVAL;
    if (length == 0)
        return READPLUS_OK;
    if (segment->data != NULL) {
        memcpy(destination, segment->data + skip, length);
        return READPLUS_OK;
    }
    cursor_skip(&c, skip);
    cursor_copy(&c, destination, length);
    return READPLUS_OK;
}

/* --- questions ----------------------------------------------------------- */

uint32_t readplus_decoder_status(const struct readplus_decoder *decoder)
{
    return decoder->status;
}

bool readplus_decoder_eof(const struct readplus_decoder *decoder)
{
    return decoder->eof;
}

uint64_t readplus_decoder_at(const struct readplus_decoder *decoder)
{
    return decoder->at;
}

uint64_t readplus_decoder_consumed(const struct readplus_decoder *decoder)
{
    return cursor_at(&decoder->cursor);
}

struct readplus_fault readplus_decoder_fault(
    const struct readplus_decoder *decoder)
{
    return decoder->fault;
}
