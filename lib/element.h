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

#include "grammar.h"
#include "rules.h"
#include "wire.h"

/* --- the cursor ---------------------------------------------------------- */

/*@ requires good(c);
    assigns \nothing;
    ensures \result == here(c); */
static inline size_t cursor_here(const struct readplus_cursor *c)
{
    return (size_t)(c->end - c->pos);
}

/*@ requires good(c);
    assigns \nothing;
    ensures \result == at(c); */
static inline uint64_t cursor_at(const struct readplus_cursor *c)
{
    return c->end_at - cursor_here(c);
}

/*@ requires good(c);
    assigns \nothing;
    ensures \result == left(c); */
static inline uint64_t cursor_left(const struct readplus_cursor *c)
{
    return c->size - cursor_at(c);
}

/* Makes the next byte be at c->pos; the caller knows that there is one. */
/*@ requires good(c) && left(c) > 0;
    assigns *c;
    ensures good(c) && here(c) > 0 && c->size == \old(c->size);
    ensures at(c) == \old(at(c));
    ensures \old(here(c)) > 0 ==> *c == \old(*c); */
static inline void cursor_turn(struct readplus_cursor *c)
{
    while (c->pos == c->end) {
        const struct iovec *piece = c->iov++;
        uint64_t rest = c->size - c->end_at;
        size_t len;

#ifdef __clang_analyzer__ /* it cannot know: a piece is where a byte is left */
        if (piece == NULL)
            __builtin_unreachable();
#endif
        len = piece->iov_len < rest ? piece->iov_len : (size_t)rest;
        c->pieces--;
        if (len == 0)
            continue;
        c->pos = piece->iov_base;
        c->end = c->pos + len;
        c->end_at += len;
    }
}

/* Passes n bytes; the caller knows that they are there. */
/*@ requires good(c) && n <= left(c);
    assigns *c;
    ensures good(c) && c->size == \old(c->size);
    ensures at(c) == \old(at(c)) + n; */
static inline void cursor_skip(struct readplus_cursor *c, uint64_t n)
{
    /*@ loop invariant good(c) && at(c) + n == \at(at(c) + n, Pre);
        loop invariant c->size == \at(c->size, Pre);
        loop assigns *c, n;
        loop variant n; */
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

/* Takes a byte; the caller knows that it is there. */
/*@ requires good(c) && left(c) > 0;
    assigns *c;
    ensures good(c) && c->size == \old(c->size);
    ensures at(c) == \old(at(c)) + 1;
    ensures \result == item(\old(at(c))); */
static inline uint8_t cursor_byte(struct readplus_cursor *c)
{
    cursor_turn(c);
    return wire_load8(c->pos++);
}

/*@ requires good(c) && \valid(v) && \separated(c, v);
    assigns *c, *v;
    ensures good(c) && c->size == \old(c->size);
    ensures \result <==> \old(left(c)) >= 4;
    ensures at(c) == \old(at(c)) + (\result ? 4 : 0);
    ensures \result ==> *v == word(\old(at(c))); */
static inline bool cursor_take32(struct readplus_cursor *c, uint32_t *v)
{
    uint32_t word;

    if (cursor_left(c) < 4)
        return false;
    word = cursor_byte(c);
    word = word * 256 + cursor_byte(c);
    word = word * 256 + cursor_byte(c);
    *v = word * 256 + cursor_byte(c);
    return true;
}

/*@ requires good(c) && \valid(v) && \separated(c, v);
    assigns *c, *v;
    ensures good(c) && c->size == \old(c->size);
    ensures \result <==> \old(left(c)) >= 8;
    ensures at(c) == \old(at(c)) + (\result ? 8 : 0);
    ensures \result ==> *v == hyper(\old(at(c))); */
static inline bool cursor_take64(struct readplus_cursor *c, uint64_t *v)
{
    uint32_t high = 0, low = 0;

    if (cursor_left(c) < 8)
        return false;
    (void)cursor_take32(c, &high);
    /*@ assert high == word(\at(at(c), Pre)); */
    (void)cursor_take32(c, &low);
    /*@ assert low == word(\at(at(c), Pre) + 4); */
    *v = high * UINT64_C(4294967296) + low;
    return true;
}

/* --- faults -------------------------------------------------------------- */

/*@ requires \valid(decoder);
    assigns decoder->fault;
    ensures \result == error && decoder->fault.error == error;
    ensures decoder->fault.at == at && decoder->fault.segment == segment; */
static inline enum readplus_error decoder_fail(struct readplus_decoder *decoder,
                                               enum readplus_error error,
                                               uint64_t at, uint32_t segment)
{
    decoder->fault = (struct readplus_fault){error, segment, at};
    return error;
}

/* A fault in the element that comes next. */
/*@ requires \valid(decoder) && decoder->left <= decoder->count;
    assigns decoder->fault;
    ensures \result == error && decoder->fault.error == error;
    ensures decoder->fault.at == at;
    ensures decoder->fault.segment == decoder->count - decoder->left; */
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
/*@ requires ready(decoder) && good(c) && \valid(h);
    requires \separated(decoder, c, h);
    assigns *c, *h, decoder->fault;
    ensures \result == 0 ==> c->size == \old(c->size);
    ensures \let k = \old(at(c)); \let n = \old(left(c));
        \result == (n < 4 ? READPLUS_ERR_TRUNCATED :
            word(k) > 1 ? READPLUS_ERR_BAD_CONTENT :
            n < (word(k) == 1 ? 20 : 16) ? READPLUS_ERR_TRUNCATED : 0);
    ensures \result == 0 ==> fetched(h, \old(at(c)));
    ensures \result == 0 ==> at(c) == h->at + (h->content == 1 ? 20 : 16);
    ensures \result != 0 ==> decoder->fault.error == \result; */
static inline enum readplus_error element_fields(
    struct readplus_decoder *decoder, struct readplus_cursor *c,
    struct readplus_element *h)
{
    const uint64_t from = cursor_at(c);
    uint64_t at = from, offset, length;
    uint32_t content, size;
    bool got;

    if (!cursor_take32(c, &content)) /* rpc_content */
        return element_fail(decoder, READPLUS_ERR_TRUNCATED, at);
    if (content > READPLUS_CONTENT_HOLE)
        return element_fail(decoder, READPLUS_ERR_BAD_CONTENT, at);
    at = cursor_at(c);
    if (!cursor_take64(c, &offset)) /* d_offset, di_offset */
        return element_fail(decoder, READPLUS_ERR_TRUNCATED, at);
    at = cursor_at(c);
    if (content == READPLUS_CONTENT_HOLE) {
        got = cursor_take64(c, &length); /* di_length */
    } else {
        got = cursor_take32(c, &size); /* d_data's length word */
        length = got ? size : 0;
    }
    if (!got)
        return element_fail(decoder, READPLUS_ERR_TRUNCATED, at);
    *h = (struct readplus_element){from, offset, length, content};
    return READPLUS_OK;
}

/* The same for fields that were fetched already, in one piece. */
/*@ requires ready(decoder) && good(c) && \valid(h);
    requires \separated(decoder, c, h);
    requires here(c) >= (h->content == READPLUS_CONTENT_HOLE ? 20 : 16);
    assigns *c, h->at, decoder->fault;
    ensures good(c);
    ensures c->size == \old(c->size) && h->at == \old(at(c));
    ensures \result == (h->content > 1 ? READPLUS_ERR_BAD_CONTENT : 0);
    ensures \result == 0 ==> at(c) == h->at + (h->content == 1 ? 20 : 16);
    ensures \result != 0 ==> decoder->fault.error == \result; */
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
/*@ requires ready(decoder) && \valid_read(h) && \separated(decoder, h);
    assigns decoder->fault;
    ensures \result == lies(decoder, h->offset, h->length);
    ensures \result != 0 ==> decoder->fault.error == \result;
    ensures \result == 0 ==> decoder->fault == \old(decoder->fault); */
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
/*@ requires \valid(decoder) && decoder->left <= decoder->count;
    requires \valid_read(h) && \separated(decoder, h);
    assigns decoder->fault;
    ensures \result == decoder->fault.error == READPLUS_ERR_TRUNCATED; */
static inline enum readplus_error element_cut(struct readplus_decoder *decoder,
                                              const struct readplus_element *h)
{
    return element_fail(decoder, READPLUS_ERR_TRUNCATED,
                        h->at + WIRE_LENGTH_AT);
}

/* Passes the fill bytes behind opaque data; they are there. */
/*@ requires ready(decoder) && good(c) && \separated(decoder, c);
    requires pad <= left(c);
    assigns *c, decoder->fault;
    ensures good(c) && c->size == \old(c->size);
    ensures \result == 0 || \result == READPLUS_ERR_BAD_PAD;
    ensures \result == 0 <==> any_fill(decoder) || \forall integer k;
        \old(at(c)) <= k < \old(at(c)) + pad ==> item(k) == 0;
    ensures \result == 0 ==> at(c) == \old(at(c)) + pad;
    ensures \result == 0 ==> decoder->fault == \old(decoder->fault);
    ensures \result != 0 ==> decoder->fault.error == \result; */
static inline enum readplus_error element_pad(struct readplus_decoder *decoder,
                                              struct readplus_cursor *c,
                                              unsigned pad)
{
    /*@ loop invariant good(c) && at(c) + pad == \at(at(c) + pad, Pre);
        loop invariant c->size == \at(c->size, Pre);
        loop invariant pad <= \at(pad, Pre) && pad <= left(c);
        loop invariant any_fill(decoder) ||
            \forall integer k; \at(at(c), Pre) <= k < at(c) ==> item(k) == 0;
        loop assigns *c, pad;
        loop variant pad; */
    for (; pad > 0; pad--) {
        uint64_t at = cursor_at(c);

        if (cursor_byte(c) != 0 && !(decoder->flags & READPLUS_DECODE_ANY_PAD))
            return element_fail(decoder, READPLUS_ERR_BAD_PAD, at);
    }
    return READPLUS_OK;
}

/* The element is good, whole, and no longer the next one. */
/*@ requires \valid(decoder) && \valid_read(h) && \separated(decoder, h);
    requires decoder->left > 0 && h->offset + h->length <= UINT64_MAX;
    assigns decoder->expected, decoder->before, decoder->at, decoder->left;
    ensures decoder->expected == h->offset + h->length;
    ensures decoder->before == h->offset && decoder->at == h->at;
    ensures decoder->left == \old(decoder->left) - 1; */
static inline void element_done(struct readplus_decoder *decoder,
                                const struct readplus_element *h)
{
    decoder->expected = h->offset + h->length;
    decoder->before = h->offset;
    decoder->at = h->at;
    decoder->left--;
}

/* The end of the list, and of the item: does anything follow it? */
/*@ requires ready(decoder);
    assigns decoder->fault;
    ensures \result == (left(&decoder->cursor) == 0 || (decoder->flags &
        (READPLUS_DECODE_TRAILING | READPLUS_DECODE_TOLERANT)) != 0 ?
        READPLUS_END : READPLUS_ERR_TRAILING); */
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
