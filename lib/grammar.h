/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the proofs (tests/proof) only: the item that a decoder reads, byte by
 * byte, and the grammar of its elements (RFC 7862 section 15.10.2).  Nothing
 * here is code.
 */
#ifndef READPLUS_LIB_GRAMMAR_H
#define READPLUS_LIB_GRAMMAR_H

#include <readplus/decode.h>

#include "wire.h"

/* item(k) is byte k of any one item; place(p) is the k of the byte at p. */
/*@ axiomatic Item {
      logic integer item(integer k);
      logic integer place(uint8_t *p);
    }
    logic integer word(integer k) =
        ((item(k) * 256 + item(k + 1)) * 256 + item(k + 2)) * 256 + item(k + 3);
    logic integer hyper(integer k) = word(k) * 4294967296 + word(k + 4); */

/* Up to end lie the item's bytes [from, to). */
/*@ predicate shows(uint8_t *end, integer from, integer to) =
        \valid_read(end + (from - to .. -1)) &&
        \forall integer k; from <= k < to ==>
            place(end + (k - to)) == k && end[k - to] == item(k); */

/* A cursor is at byte at(c) of an item of which left(c) bytes are left, here(c)
 * of them in the piece at hand. */
/*@ logic integer here(struct readplus_cursor *c) = c->end - c->pos;
    logic integer at(struct readplus_cursor *c) = c->end_at - here(c);
    logic integer left(struct readplus_cursor *c) = c->size - at(c);
    predicate good(struct readplus_cursor *c) =
        \valid(c) && 0 <= here(c) <= c->end_at <= c->size &&
        here(c) <= SIZE_MAX && c->end == c->pos + here(c) &&
        shows(c->end, at(c), c->end_at); */

/* The head of the element at byte k, as it was fetched. */
/*@ logic integer extent(integer k) =
        word(k) == READPLUS_CONTENT_HOLE ? hyper(k + 12) : word(k + 12);
    predicate fetched(struct readplus_element *h, integer k) =
        h->at == k && h->content == word(k) && h->offset == hyper(k + 4) &&
        h->length == extent(k); */

/*
 * A decoder between elements; what is wrong with where a segment lies (0:
 * nothing).
 */
/*@ predicate any_fill(struct readplus_decoder *d) =
        (d->flags & READPLUS_DECODE_ANY_PAD) != 0;
    predicate ready(struct readplus_decoder *d) =
        \valid(d) && good(&d->cursor) && d->left <= d->count &&
        (d->ranged && d->left == d->count ==> d->expected == d->args.offset);
    logic integer lies(struct readplus_decoder *d, integer offset,
                       integer length) =
        offset + length > UINT64_MAX ? READPLUS_ERR_RANGE :
        d->left == d->count ? (d->ranged && offset > d->args.offset ?
            READPLUS_ERR_LATE_START : 0) :
        offset == d->expected ? 0 : offset > d->expected ? READPLUS_ERR_GAP :
        offset < d->before ? READPLUS_ERR_ORDER : READPLUS_ERR_OVERLAP; */

#endif /* READPLUS_LIB_GRAMMAR_H */
