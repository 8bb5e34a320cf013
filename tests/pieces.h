/*
 * An input in pieces, each a heap block of exactly its length, so that a byte
 * read too far is seen.
 */
#ifndef READPLUS_TESTS_PIECES_H
#define READPLUS_TESTS_PIECES_H

#include "codec.h"

struct pieces {
    struct iovec *iov;
    size_t n;
};

static inline void pieces_free(struct pieces *p)
{
    while (p->n > 0)
        free(p->iov[--p->n].iov_base);
    free(p->iov);
}

static inline void pieces_add(struct pieces *p, const uint8_t *bytes,
                              size_t len)
{
    p->iov[p->n++] = (struct iovec){exact_copy(bytes, len), len};
}

/* Pieces of `step` bytes, with empty ones before, between and behind. */
static inline struct pieces pieces_each(const uint8_t *bytes, size_t len,
                                        size_t step, bool empty)
{
    size_t most = 2 * (len / step + 2), at;
    struct pieces p = {calloc(most, sizeof(struct iovec)), 0};

    ck_assert_ptr_nonnull(p.iov);
    for (at = 0; at < len; at += step) {
        if (empty)
            p.n++; /* NULL and 0 */
        pieces_add(&p, bytes + at, len - at < step ? len - at : step);
    }
    if (empty)
        p.n++;
    return p;
}

/* Two cuts, which may be the same. */
static inline struct pieces pieces_cut(const uint8_t *bytes, size_t len,
                                       size_t one, size_t two)
{
    struct pieces p = {calloc(3, sizeof(struct iovec)), 0};

    ck_assert_ptr_nonnull(p.iov);
    pieces_add(&p, bytes, one);
    pieces_add(&p, bytes + one, two - one);
    pieces_add(&p, bytes + two, len - two);
    return p;
}

#endif
