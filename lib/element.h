/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the decoders of a READ_PLUS4res share: the place in the input, and the
 * judgement of the head, of an element's fields and of its fill bytes, field
 * by field in wire order.  Whoever has the whole input and whoever is still
 * receiving it refuse the same thing at the same byte because both ask here.
 * Never a read past the cursor's size, a copy of file bytes, an allocation.
 */
#ifndef READPLUS_LIB_ELEMENT_H
#define READPLUS_LIB_ELEMENT_H

#include <readplus/decode.h>

#include "rules.h"
#include "wire.h"

/* --- the cursor ---------------------------------------------------------- */

static inline size_t cursor_here(const struct readplus_cursor *c)
{
    return (size_t)(c->end - c->pos);
}

static inline uint64_t cursor_at(const struct readplus_cursor *c)
{
    return c->end_at - cursor_here(c);
}

static inline uint64_t cursor_left(const struct readplus_cursor *c)
{
    return c->size - cursor_at(c);
}

/* Makes the next byte be at c->pos; the caller knows that there is one. */
static inline void cursor_turn(struct readplus_cursor *c)
{
    while (c->pos == c->end) {
        const struct iovec *piece = c->iov++;
        uint64_t rest = c->size - c->end_at;
        /* There is a piece where a byte is left. */
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        size_t len = piece->iov_len < rest ? piece->iov_len : (size_t)rest;

        c->pieces--;
        if (len == 0)
            continue;
        c->pos = piece->iov_base;
        c->end = c->pos + len;
        c->end_at += len;
    }
}

/* Passes n bytes; the caller knows that they are there. */
static inline void cursor_skip(struct readplus_cursor *c, uint64_t n)
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
static inline void cursor_copy(struct readplus_cursor *c, uint8_t *to, size_t n)
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

static inline bool cursor_take32(struct readplus_cursor *c, uint32_t *v)
{
    uint8_t word[4];

    if (cursor_left(c) < sizeof(word))
        return false;
    cursor_copy(c, word, sizeof(word));
    *v = wire_load32(word);
    return true;
}

static inline bool cursor_take64(struct readplus_cursor *c, uint64_t *v)
{
    uint8_t word[8];

    if (cursor_left(c) < sizeof(word))
        return false;
    cursor_copy(c, word, sizeof(word));
    *v = wire_load64(word);
    return true;
}

/* --- faults -------------------------------------------------------------- */

static inline enum readplus_error decoder_fail(struct readplus_decoder *decoder,
                                               enum readplus_error error,
                                               uint64_t at, uint32_t segment)
{
    decoder->fault = (struct readplus_fault){error, segment, at};
    return error;
}

/* A fault in the element that comes next. */
static inline enum readplus_error element_fail(struct readplus_decoder *decoder,
                                               enum readplus_error error,
                                               uint64_t at)
{
    return decoder_fail(decoder, error, at, decoder->count - decoder->left);
}

/*
 * readplus_decoder_init for an item that is bytes [from, from + size) of the
 * pieces; size UINT64_MAX: up to their end.
 */
enum readplus_error readplus_decoder_init_part(struct readplus_decoder *decoder,
                                               const struct readplus_args *args,
                                               const struct iovec *iov,
                                               size_t pieces, uint64_t from,
                                               uint64_t size, uint32_t flags);

/* --- the head of the result ---------------------------------------------- */

/* Field by field, wherever the pieces are split. */
static inline enum readplus_error head_split(struct readplus_decoder *decoder,
                                             uint32_t *eof)
{
    struct readplus_cursor *c = &decoder->cursor;
    uint64_t at = cursor_at(c);

    if (!cursor_take32(c, &decoder->status)) /* rp_status */
        return decoder_fail(decoder, READPLUS_ERR_TRUNCATED, at,
                            READPLUS_NO_SEGMENT);
    if (decoder->status != 0)
        return READPLUS_OK; /* void */
    at = cursor_at(c);
    if (!cursor_take32(c, eof)) /* rpr_eof */
        return decoder_fail(decoder, READPLUS_ERR_TRUNCATED, at,
                            READPLUS_NO_SEGMENT);
    if (*eof > 1)
        return READPLUS_OK; /* judged before the count is */
    at = cursor_at(c);
    if (!cursor_take32(c, &decoder->count)) /* rpr_contents<> */
        return decoder_fail(decoder, READPLUS_ERR_TRUNCATED, at,
                            READPLUS_NO_SEGMENT);
    return READPLUS_OK;
}

/* Its values are known. */
static inline enum readplus_error head_judged(struct readplus_decoder *decoder,
                                              uint32_t eof)
{
    decoder->left = decoder->count; /* none was taken, whatever comes now */
    if (eof > 1)
        return decoder_fail(decoder, READPLUS_ERR_BAD_BOOL,
                            READPLUS_STATUS_SIZE, READPLUS_NO_SEGMENT);
    decoder->eof = eof == 1;
    return READPLUS_OK;
}

static inline enum readplus_error decoder_head_split(
    struct readplus_decoder *decoder)
{
    uint32_t eof = 0;
    enum readplus_error error = head_split(decoder, &eof);

    return error == READPLUS_OK ? head_judged(decoder, eof) : error;
}

/* In one piece, as it nearly always is. */
static inline enum readplus_error decoder_head_whole(
    struct readplus_decoder *decoder)
{
    const uint8_t *p = decoder->cursor.pos;

    decoder->status = wire_load32(p); /* rp_status */
    if (decoder->status != 0) {
        decoder->cursor.pos = p + READPLUS_STATUS_SIZE;
        return READPLUS_OK; /* void */
    }
    decoder->cursor.pos = p + READPLUS_RES_HEAD_SIZE;
    decoder->count = wire_load32(p + 8);             /* rpr_contents<> */
    return head_judged(decoder, wire_load32(p + 4)); /* rpr_eof */
}

static inline bool head_is_whole(const struct readplus_decoder *decoder)
{
    return cursor_here(&decoder->cursor) >= READPLUS_RES_HEAD_SIZE;
}

static inline enum readplus_error decoder_head(struct readplus_decoder *decoder)
{
    return head_is_whole(decoder) ? decoder_head_whole(decoder)
                                  : decoder_head_split(decoder);
}

/* --- elements ------------------------------------------------------------ */

/* The fields of an element up to its bytes, wherever they are split. */
static inline enum readplus_error element_fields(
    struct readplus_decoder *decoder, struct readplus_cursor *c,
    struct readplus_element *h)
{
    uint64_t at = cursor_at(c);
    uint32_t length;
    bool got;

    h->at = at;
    if (!cursor_take32(c, &h->content)) /* rpc_content */
        return element_fail(decoder, READPLUS_ERR_TRUNCATED, at);
    if (h->content > READPLUS_CONTENT_HOLE)
        return element_fail(decoder, READPLUS_ERR_BAD_CONTENT, at);
    at = cursor_at(c);
    if (!cursor_take64(c, &h->offset)) /* d_offset, di_offset */
        return element_fail(decoder, READPLUS_ERR_TRUNCATED, at);
    at = cursor_at(c);
    if (h->content == READPLUS_CONTENT_HOLE) {
        got = cursor_take64(c, &h->length); /* di_length */
    } else {
        got = cursor_take32(c, &length); /* d_data's length word */
        if (got)
            h->length = length;
    }
    if (!got)
        return element_fail(decoder, READPLUS_ERR_TRUNCATED, at);
    return READPLUS_OK;
}

/* The same for fields that were fetched already, in one piece. */
static inline enum readplus_error element_whole(
    struct readplus_decoder *decoder, struct readplus_cursor *c,
    struct readplus_element *h)
{
    h->at = cursor_at(c);
    if (h->content > READPLUS_CONTENT_HOLE)
        return element_fail(decoder, READPLUS_ERR_BAD_CONTENT, h->at);
    c->pos += h->content == READPLUS_CONTENT_HOLE ? READPLUS_HOLE_SIZE
                                                  : READPLUS_DATA_HEAD_SIZE;
    return READPLUS_OK;
}

/* READPLUS_OK where the element may lie where it says it lies. */
static inline enum readplus_error element_placed(
    struct readplus_decoder *decoder, const struct readplus_element *h)
{
    enum readplus_error error;

    if (decoder->left != decoder->count)
        error = rules_next(h->offset, h->length, decoder->expected,
                           decoder->before);
    else
        error = rules_first(h->offset, h->length,
                            decoder->ranged ? decoder->args.offset : h->offset);
    if (error != READPLUS_OK)
        return element_fail(decoder, error, h->at + WIRE_OFFSET_AT);
    return READPLUS_OK;
}

/* The bytes of d_data, or its fill, are not all there. */
static inline enum readplus_error element_cut(struct readplus_decoder *decoder,
                                              const struct readplus_element *h)
{
    return element_fail(decoder, READPLUS_ERR_TRUNCATED,
                        h->at + WIRE_LENGTH_AT);
}

/* Passes the fill bytes behind opaque data; they are there. */
static inline enum readplus_error element_pad(struct readplus_decoder *decoder,
                                              struct readplus_cursor *c,
                                              unsigned pad)
{
    for (; pad > 0; pad--) {
        uint64_t at = cursor_at(c);
        uint8_t byte;

        cursor_copy(c, &byte, 1);
        if (byte != 0 && !(decoder->flags & READPLUS_DECODE_ANY_PAD))
            return element_fail(decoder, READPLUS_ERR_BAD_PAD, at);
    }
    return READPLUS_OK;
}

/* The element is good, whole, and no longer the next one. */
static inline void element_done(struct readplus_decoder *decoder,
                                const struct readplus_element *h)
{
    decoder->expected = h->offset + h->length;
    decoder->before = h->offset;
    decoder->at = h->at;
    decoder->left--;
}

/* The end of the list, and of the item: does anything follow it? */
static inline enum readplus_error decoder_end(struct readplus_decoder *decoder)
{
    if ((decoder->flags &
         (READPLUS_DECODE_TRAILING | READPLUS_DECODE_TOLERANT)) == 0 &&
        cursor_left(&decoder->cursor) > 0)
        return decoder_fail(decoder, READPLUS_ERR_TRAILING,
                            cursor_at(&decoder->cursor), READPLUS_NO_SEGMENT);
    return READPLUS_END;
}

#endif /* READPLUS_LIB_ELEMENT_H */
