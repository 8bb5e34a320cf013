/*
 * What the tests of the codec share: replies written byte by byte from the
 * tables of RFC 7863, so that no test rests on the library's own writers, and
 * numbers that look random and never change.
 */
#ifndef READPLUS_TESTS_CODEC_H
#define READPLUS_TESTS_CODEC_H

#include <readplus.h>

#include "check_main.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* An iovec entry over memory that is only read. */
static inline struct iovec piece_of(const void *p, size_t len)
{
    return (struct iovec){(void *)(uintptr_t)p, len};
}

/* --- numbers ------------------------------------------------------------- */

/* splitmix64: any seed will do. */
static inline uint64_t rng_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint64_t rng_below(uint64_t *state, uint64_t n)
{
    return rng_next(state) % n;
}

/* The byte at this place of every test's file; never 0, so that it cannot be
 * taken for a hole or for fill. */
static inline uint8_t file_byte(uint64_t offset)
{
    return (uint8_t)(1 + offset % 251);
}

/* --- bytes --------------------------------------------------------------- */

struct bytes {
    uint8_t p[2048];
    size_t len;
};

static inline void put8(struct bytes *b, uint8_t v)
{
    ck_assert_uint_lt(b->len, sizeof(b->p));
    b->p[b->len++] = v;
}

static inline void put32(struct bytes *b, uint32_t v)
{
    int shift;

    for (shift = 24; shift >= 0; shift -= 8)
        put8(b, (uint8_t)(v >> shift));
}

static inline void put64(struct bytes *b, uint64_t v)
{
    put32(b, (uint32_t)(v >> 32));
    put32(b, (uint32_t)v);
}

/* rp_status NFS4_OK, rpr_eof, the element count. */
static inline void put_head(struct bytes *b, uint32_t eof, uint32_t count)
{
    b->len = 0;
    put32(b, 0);
    put32(b, eof);
    put32(b, count);
}

static inline void put_hole(struct bytes *b, uint64_t offset, uint64_t length)
{
    put32(b, 1);
    put64(b, offset);
    put64(b, length);
}

static inline void put_data(struct bytes *b, uint64_t offset, uint32_t length)
{
    uint32_t i;

    put32(b, 0);
    put64(b, offset);
    put32(b, length);
    for (i = 0; i < length; i++)
        put8(b, file_byte(offset + i));
    for (; i % 4 != 0; i++)
        put8(b, 0);
}

/* --- comparing ----------------------------------------------------------- */

static inline void expect_error(enum readplus_error got,
                                enum readplus_error want)
{
    ck_assert_str_eq(readplus_error_name(got), readplus_error_name(want));
}

static inline void expect_fault(struct readplus_fault got,
                                enum readplus_error error, uint32_t segment,
                                uint64_t at)
{
    expect_error(got.error, error);
    ck_assert_uint_eq(got.segment, segment);
    ck_assert_uint_eq(got.at, at);
}

#endif
