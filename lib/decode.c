/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The iterator over a received READ_PLUS4res.  One loop takes elements that
 * lie whole in the piece at hand and stand where they must; whatever is not so
 * plain (split over pieces, first, faulty) is judged field by field behind it,
 * with the words the loop has already fetched, so that no input byte is looked
 * at twice.  Never a read past the input, a copy of file bytes, or an
 * allocation.
 */
#include <readplus/decode.h>

#include "checked.h"
#include "rules.h"
#include "wire.h"

#define ALL_FLAGS                                                              \
    (READPLUS_DECODE_TOLERANT | READPLUS_DECODE_ANY_PAD |                      \
     READPLUS_DECODE_TRAILING)

/* The head of one element, as it was fetched. */
struct head {
    uint64_t at; /* item offset of rpc_content */
    uint64_t offset, length;
    uint32_t content;
};

/* --- the cursor ---------------------------------------------------------- */

static inline size_t cursor_here(const struct readplus_cursor *c)
{
    return (size_t)(c->end - c->pos);
}

static inline uint64_t cursor_at(const struct readplus_cursor *c)
{
    return c->end_at - cursor_here(c);
}

/* Makes the next byte be at c->pos; the caller knows that there is one. */
static void cursor_turn(struct readplus_cursor *c)
{
    while (c->pos == c->end) {
        const struct iovec *piece = c->iov++;

        c->pieces--;
        if (piece->iov_len == 0)
            continue;
        c->pos = piece->iov_base;
        c->end = c->pos + piece->iov_len;
        c->end_at += piece->iov_len;
    }
}

/* Passes n bytes; the caller knows that they are there. */
static void cursor_skip(struct readplus_cursor *c, uint64_t n)
{
    while (n > 0) {
        size_t step;

        cursor_turn(c);
        step = cursor_here(c) < n ? cursor_here(c) : (size_t)n;
        c->pos += step;
        n -= step;
    }
}

/* Takes n bytes to `to`; the caller knows that they are there. */
static void cursor_copy(struct readplus_cursor *c, uint8_t *to, size_t n)
{
    while (n > 0) {
        size_t step;

        cursor_turn(c);
        step = cursor_here(c) < n ? cursor_here(c) : n;
        memcpy(to, c->pos, step);
        c->pos += step;
        to += step;
        n -= step;
    }
}

/* --- words, wherever they are split -------------------------------------- */

static uint64_t left_over(const struct readplus_decoder *decoder,
                          const struct readplus_cursor *c)
{
    return decoder->size - cursor_at(c);
}

static bool take32(const struct readplus_decoder *decoder,
                   struct readplus_cursor *c, uint32_t *v)
{
    uint8_t word[4];

    if (left_over(decoder, c) < sizeof(word))
        return false;
    cursor_copy(c, word, sizeof(word));
    *v = wire_load32(word);
    return true;
}

static bool take64(const struct readplus_decoder *decoder,
                   struct readplus_cursor *c, uint64_t *v)
{
    uint8_t word[8];

    if (left_over(decoder, c) < sizeof(word))
        return false;
    cursor_copy(c, word, sizeof(word));
    *v = wire_load64(word);
    return true;
}

/* --- faults -------------------------------------------------------------- */

static enum readplus_error fail(struct readplus_decoder *decoder,
                                enum readplus_error error, uint64_t at,
                                uint32_t segment)
{
    decoder->fault = (struct readplus_fault){error, segment, at};
    return error;
}

/* A fault in the element that comes next. */
static enum readplus_error fail_here(struct readplus_decoder *decoder,
                                     enum readplus_error error, uint64_t at)
{
    return fail(decoder, error, at, decoder->count - decoder->left);
}

/* --- the head of the result ---------------------------------------------- */

/* Field by field, wherever the pieces are split. */
static enum readplus_error result_split(struct readplus_decoder *decoder,
                                        uint32_t *eof)
{
    struct readplus_cursor *c = &decoder->cursor;
    uint64_t at = cursor_at(c);

    if (!take32(decoder, c, &decoder->status)) /* rp_status */
        return fail(decoder, READPLUS_ERR_TRUNCATED, at, READPLUS_NO_SEGMENT);
    if (decoder->status != 0)
        return READPLUS_OK; /* void */
    at = cursor_at(c);
    if (!take32(decoder, c, eof)) /* rpr_eof */
        return fail(decoder, READPLUS_ERR_TRUNCATED, at, READPLUS_NO_SEGMENT);
    if (*eof > 1)
        return READPLUS_OK; /* judged before the count is */
    at = cursor_at(c);
    if (!take32(decoder, c, &decoder->count)) /* rpr_contents<> */
        return fail(decoder, READPLUS_ERR_TRUNCATED, at, READPLUS_NO_SEGMENT);
    return READPLUS_OK;
}

/* In one piece, as it nearly always is. */
static void result_whole(struct readplus_decoder *decoder, uint32_t *eof)
{
    const uint8_t *p = decoder->cursor.pos;

    decoder->status = wire_load32(p); /* rp_status */
    decoder->cursor.pos += READPLUS_STATUS_SIZE;
    if (decoder->status != 0)
        return;                          /* void */
    *eof = wire_load32(p + 4);           /* rpr_eof */
    decoder->count = wire_load32(p + 8); /* rpr_contents<> */
    decoder->cursor.pos = p + READPLUS_RES_HEAD_SIZE;
}

/*
 * Everything but the cursor, whose piece at hand is set; `sound` where the
 * caller's input makes sense.  Field by field: to clear the whole object would
 * cost more than decoding a hole does.
 */
static enum readplus_error begin(struct readplus_decoder *decoder,
                                 const struct readplus_args *args,
                                 uint64_t size, uint32_t flags, bool sound)
{
    enum readplus_error error = READPLUS_OK;
    uint32_t eof = 0;

    decoder->size = size;
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
    if (!sound || (flags & ~ALL_FLAGS) != 0)
        return fail(decoder, READPLUS_ERR_INVAL, 0, READPLUS_NO_SEGMENT);
    if (cursor_here(&decoder->cursor) >= READPLUS_RES_HEAD_SIZE)
        result_whole(decoder, &eof);
    else
        error = result_split(decoder, &eof);
    if (error != READPLUS_OK)
        return error;
    if (eof > 1)
        return fail(decoder, READPLUS_ERR_BAD_BOOL, READPLUS_STATUS_SIZE,
                    READPLUS_NO_SEGMENT);
    decoder->eof = eof == 1;
    decoder->left = decoder->count;
    return READPLUS_OK;
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

enum readplus_error readplus_decoder_init(struct readplus_decoder *decoder,
                                          const struct readplus_args *args,
                                          const struct iovec *iov,
                                          size_t pieces, uint32_t flags)
{
    uint64_t size;
    bool sound = sum_of_pieces(iov, pieces, &size);

    decoder->cursor =
        (struct readplus_cursor){nothing, nothing, iov, pieces, 0};
    if (sound && size > 0)
        cursor_turn(&decoder->cursor);
    return begin(decoder, args, size, flags, sound);
}

enum readplus_error readplus_decoder_init_buffer(
    struct readplus_decoder *decoder, const struct readplus_args *args,
    const void *buffer, size_t len, uint32_t flags)
{
    bool sound = buffer != NULL || len == 0;
    const uint8_t *p = buffer != NULL ? buffer : nothing;

    if (!sound)
        len = 0;
    decoder->cursor = (struct readplus_cursor){p, p + len, NULL, 0, len};
    return begin(decoder, args, len, flags, sound);
}

/* --- elements ------------------------------------------------------------ */

/* READPLUS_OK where the element may lie where it says it lies. */
static enum readplus_error placed(const struct readplus_decoder *decoder,
                                  const struct head *h)
{
    if (decoder->left != decoder->count)
        return rules_next(h->offset, h->length, decoder->expected,
                          decoder->before);
    return rules_first(h->offset, h->length,
                       decoder->ranged ? decoder->args.offset : h->offset);
}

/* Passes the fill bytes behind opaque data. */
static enum readplus_error take_pad(struct readplus_decoder *decoder,
                                    struct readplus_cursor *c, unsigned pad)
{
    for (; pad > 0; pad--) {
        uint64_t at = cursor_at(c);
        uint8_t byte;

        cursor_copy(c, &byte, 1);
        if (byte != 0 && !(decoder->flags & READPLUS_DECODE_ANY_PAD))
            return fail_here(decoder, READPLUS_ERR_BAD_PAD, at);
    }
    return READPLUS_OK;
}

/* d_data behind its length word; *data is NULL where it is in pieces. */
static enum readplus_error take_data(struct readplus_decoder *decoder,
                                     struct readplus_cursor *c,
                                     const struct head *h, const uint8_t **data)
{
    uint64_t rest = left_over(decoder, c);
    unsigned pad = wire_pad(h->length);

    if (h->length > rest || pad > rest - h->length)
        return fail_here(decoder, READPLUS_ERR_TRUNCATED,
                         h->at + WIRE_LENGTH_AT);
    if (h->length == 0)
        return READPLUS_OK;
    cursor_turn(c);
    decoder->data = *c;
    if (cursor_here(c) >= h->length)
        *data = c->pos;
    cursor_skip(c, h->length);
    return take_pad(decoder, c, pad);
}

/*
 * Judges an element whose head was fetched up to *c, and takes it if it is
 * good.  On failure nothing but the fault changes.
 */
static enum readplus_error take_judged(struct readplus_decoder *decoder,
                                       struct readplus_cursor c,
                                       const struct head *h,
                                       struct readplus_segment *segment)
{
    enum readplus_error error = placed(decoder, h);
    const uint8_t *data = NULL;

    if (error != READPLUS_OK)
        return fail_here(decoder, error, h->at + WIRE_OFFSET_AT);
    if (h->content == READPLUS_CONTENT_DATA) {
        error = take_data(decoder, &c, h, &data);
        if (error != READPLUS_OK)
            return error;
    }
    *segment = (struct readplus_segment){(enum readplus_content)h->content,
                                         h->offset, h->length, data};
    decoder->cursor = c;
    decoder->expected = h->offset + h->length;
    decoder->before = h->offset;
    decoder->at = h->at;
    decoder->left--;
    return READPLUS_OK;
}

/* An element near the end of a piece: field by field. */
static enum readplus_error take_split(struct readplus_decoder *decoder,
                                      struct readplus_segment *segment)
{
    struct readplus_cursor c = decoder->cursor;
    struct head h = {.at = cursor_at(&c)};
    uint64_t at = h.at;
    uint32_t length;
    bool got;

    if (!take32(decoder, &c, &h.content)) /* rpc_content */
        return fail_here(decoder, READPLUS_ERR_TRUNCATED, at);
    if (h.content > READPLUS_CONTENT_HOLE)
        return fail_here(decoder, READPLUS_ERR_BAD_CONTENT, at);
    at = cursor_at(&c);
    if (!take64(decoder, &c, &h.offset)) /* d_offset, di_offset */
        return fail_here(decoder, READPLUS_ERR_TRUNCATED, at);
    at = cursor_at(&c);
    if (h.content == READPLUS_CONTENT_HOLE) {
        got = take64(decoder, &c, &h.length); /* di_length */
    } else {
        got = take32(decoder, &c, &length); /* d_data's length word */
        if (got)
            h.length = length;
    }
    if (!got)
        return fail_here(decoder, READPLUS_ERR_TRUNCATED, at);
    return take_judged(decoder, c, &h, segment);
}

/* A head in one piece that did not pass the loop as plain. */
static enum readplus_error take_whole(struct readplus_decoder *decoder,
                                      struct head *h,
                                      struct readplus_segment *segment)
{
    struct readplus_cursor c = decoder->cursor;

    h->at = cursor_at(&c);
    if (h->content > READPLUS_CONTENT_HOLE)
        return fail_here(decoder, READPLUS_ERR_BAD_CONTENT, h->at);
    c.pos += h->content == READPLUS_CONTENT_HOLE ? READPLUS_HOLE_SIZE
                                                 : READPLUS_DATA_HEAD_SIZE;
    return take_judged(decoder, c, h, segment);
}

/* The end of the list, and of the item. */
static enum readplus_error at_end(struct readplus_decoder *decoder)
{
    if ((decoder->flags &
         (READPLUS_DECODE_TRAILING | READPLUS_DECODE_TOLERANT)) == 0 &&
        left_over(decoder, &decoder->cursor) > 0)
        return fail(decoder, READPLUS_ERR_TRAILING, cursor_at(&decoder->cursor),
                    READPLUS_NO_SEGMENT);
    return READPLUS_END;
}

static bool in_pieces(const struct readplus_segment *segment)
{
    return segment->content == READPLUS_CONTENT_DATA && segment->data == NULL &&
           segment->length > 0;
}

/*
 * The loop: takes elements while they are plain, at most `want`, and returns
 * how many.  Plain is: head whole in this piece, known content, exactly where
 * it must be, data and all in this piece, no fill.  Where it stops early,
 * h->at is 0 if the next head was not fetched, else *h holds it.
 */
static inline size_t take_plain(struct readplus_decoder *decoder,
                                struct readplus_segment *segments, size_t want,
                                struct head *h)
{
    const uint8_t *p = decoder->cursor.pos, *end = decoder->cursor.end;
    const uint8_t *last = p;
    uint64_t expected = decoder->expected;
    size_t n = 0;

    h->at = 0;
    while (n < want && (size_t)(end - p) >= READPLUS_HOLE_SIZE) {
        uint32_t content = wire_load32(p);
        uint64_t offset = wire_load64(p + 4), length;
        const uint8_t *data = NULL, *next = p + READPLUS_HOLE_SIZE;

        if (content == READPLUS_CONTENT_HOLE) {
            length = wire_load64(p + 12);
        } else {
            length = wire_load32(p + 12);
            next = p + READPLUS_DATA_HEAD_SIZE;
            if (content != READPLUS_CONTENT_DATA || (length & 3) != 0 ||
                length > (size_t)(end - next)) {
                *h = (struct head){1, offset, length, content};
                break;
            }
            data = length > 0 ? next : NULL;
            next += length;
        }
        if (offset != expected || length > UINT64_MAX - offset) {
            *h = (struct head){1, offset, length, content};
            break;
        }
        segments[n++] = (struct readplus_segment){
            (enum readplus_content)content, offset, length, data};
        expected += length;
        last = p;
        p = next;
    }
    if (n > 0) {
        decoder->at = decoder->cursor.end_at - (uint64_t)(end - last);
        decoder->cursor.pos = p;
        decoder->expected = expected;
        decoder->before = segments[n - 1].offset;
        decoder->left -= (uint32_t)n;
    }
    return n;
}

/* What the loop left: one element, judged. */
static enum readplus_error take_rest(struct readplus_decoder *decoder,
                                     struct head *h,
                                     struct readplus_segment *segment)
{
    if (h->at == 0)
        return take_split(decoder, segment);
    return take_whole(decoder, h, segment);
}

enum readplus_error readplus_decoder_next(struct readplus_decoder *decoder,
                                          struct readplus_segment *segment)
{
    struct head h;

    if (decoder->fault.error != READPLUS_OK)
        return decoder->fault.error;
    if (decoder->left == 0)
        return at_end(decoder);
    if (take_plain(decoder, segment, 1, &h) == 1)
        return READPLUS_OK;
    return take_rest(decoder, &h, segment);
}

enum readplus_error readplus_decoder_take(struct readplus_decoder *decoder,
                                          struct readplus_segment *segments,
                                          size_t capacity, size_t *taken)
{
    size_t n = 0;

    *taken = 0;
    if (decoder->fault.error != READPLUS_OK)
        return decoder->fault.error;
    if (decoder->left == 0)
        return at_end(decoder);
    if (capacity > decoder->left)
        capacity = decoder->left;
    while (n < capacity) {
        enum readplus_error error;
        struct head h;

        n += take_plain(decoder, segments + n, capacity - n, &h);
        if (n == capacity)
            break;
        error = take_rest(decoder, &h, &segments[n]);
        if (error != READPLUS_OK && n == 0)
            return error;
        if (error != READPLUS_OK)
            break; /* it stays, and comes with the next call */
        if (in_pieces(&segments[n++]))
            break;
    }
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
