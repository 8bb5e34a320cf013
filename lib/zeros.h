/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of zeros in bytes that were read.  Blocks of data cost one word each:
 * a block is left at its first byte that is not zero.  Never looks past the
 * end it is given.
 */
#ifndef READPLUS_LIB_ZEROS_H
#define READPLUS_LIB_ZEROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "checked.h"

/* Below this many bytes a block is too small to be tested on its own: runs
 * are then found to the byte, and left to the planner to round. */
#define ZEROS_BLOCK_MIN 64
/* A run shorter than this inside data never pays for a hole (37 bytes do). */
#define ZEROS_RUN_MIN 16

/* Whether p[0, n) is all zero.  memcmp is what every libc has written for the
 * machine at hand; it is fastest on whole cache lines. */
static inline bool zeros_all(const uint8_t *p, size_t n)
{
    uint64_t word;
    size_t step = n > 64 ? 64 : 8;

    if (n < sizeof(word))
        return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
    memcpy(&word, p, sizeof(word));
    return word == 0 && memcmp(p, p + 8, step - 8) == 0 &&
           memcmp(p, p + step, n - step) == 0;
}

/* How many zeros p[0, n) begins with. */
static inline size_t zeros_count(const uint8_t *p, size_t n)
{
    size_t i = 0;

    while (n - i >= 256 && zeros_all(p + i, 256))
        i += 256;
    while (n - i >= 8 && zeros_all(p + i, 8))
        i += 8;
    while (i < n && p[i] == 0)
        i++;
    return i;
}

/*
 * How many bytes p[0, n) begins with before the next ZEROS_RUN_MIN zeros.  One
 * byte in so many is looked at while none of them is zero.
 */
static inline size_t zeros_until(const uint8_t *p, size_t n)
{
    size_t from = 0, at = ZEROS_RUN_MIN - 1, lo, hi;

    while (at < n) {
        if (p[at] != 0) {
            from = at + 1;
            at += ZEROS_RUN_MIN;
            continue;
        }
        for (lo = at; lo > from && p[lo - 1] == 0; lo--)
            ;
        hi = lo + zeros_count(p + lo, n - lo);
        if (hi - lo >= ZEROS_RUN_MIN)
            return lo;
        from = hi;
        at = hi + ZEROS_RUN_MIN - 1;
    }
    return n;
}

/* The length of the run that p[0, n) begins with, to the byte. */
static inline size_t zeros_run_bytes(const uint8_t *p, size_t n, bool *zero)
{
    size_t zeros = zeros_count(p, n);

    *zero = zeros >= ZEROS_RUN_MIN || zeros == n;
    return *zero ? zeros : zeros + zeros_until(p + zeros, n - zeros);
}

/* Past the blocks of data that their first word gives away: most of them. */
static inline size_t zeros_skip(const uint8_t *p, size_t n, size_t at,
                                uint32_t unit)
{
    uint64_t word;

    for (; n - at >= unit; at += unit) {
        memcpy(&word, p + at, sizeof(word));
        if (word == 0)
            break;
    }
    return at;
}

/*
 * The length of the run that p[0, n) begins with, n > 0, and whether it is of
 * zeros: p[0] stands at `offset` of the file, and blocks end at multiples of
 * `unit`.  `known`, 0 or 1, tells what is known of the first block, -1 that
 * nothing is.
 */
static inline size_t zeros_run(const uint8_t *p, size_t n, uint64_t offset,
                               uint32_t unit, int known, bool *zero)
{
    size_t at, end;

    if (unit < ZEROS_BLOCK_MIN)
        return zeros_run_bytes(p, n, zero);
    at = unit - (size_t)modulo64(offset, unit);
    at = at < n ? at : n;
    *zero = known < 0 ? zeros_all(p, at) : known != 0;
    for (; at < n; at = end) {
        if (!*zero && (at = zeros_skip(p, n, at, unit)) == n)
            break;
        end = unit < n - at ? at + unit : n;
        if (zeros_all(p + at, end - at) != *zero)
            break;
    }
    return at;
}

#endif /* READPLUS_LIB_ZEROS_H */
