/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The only place where two 64-bit numbers that came from outside are added.
 * No compiler builtins, and no sum that wraps: provers and every compiler
 * read it alike.
 */
#ifndef READPLUS_LIB_CHECKED_H
#define READPLUS_LIB_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

/* *sum = a + b and true, or false with *sum unchanged where it does not fit. */
/*@ requires \valid(sum);
    assigns *sum;
    ensures \result <==> a + b <= UINT64_MAX;
    ensures *sum == (\result ? a + b : \old(*sum)); */
static inline bool checked_add64(uint64_t a, uint64_t b, uint64_t *sum)
{
    if (b > UINT64_MAX - a)
        return false;
    *sum = a + b;
    return true;
}

/* a + b, or the largest number where it does not fit. */
/*@ assigns \nothing;
    ensures \result == \min(a + b, UINT64_MAX); */
static inline uint64_t saturating_add64(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/*@ assigns \nothing;
    ensures \result == \min(a, b); */
static inline uint64_t min64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/*@ assigns \nothing;
    ensures \result == \max(a, b); */
static inline uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* x % unit, unit > 0; most units are powers of two, and need no division. */
static inline uint64_t modulo64(uint64_t x, uint32_t unit)
{
    return (unit & (unit - 1)) == 0 ? x & (unit - 1) : x % unit;
}

#endif /* READPLUS_LIB_CHECKED_H */
