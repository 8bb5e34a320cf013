/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SipHash-2-4, after its authors' description.  Bytes are read one by one, so
 * that the value is the same on every machine.
 */
#include "siphash.h"

static uint64_t load(const uint8_t *p, size_t n)
{
    uint64_t v = 0;
    size_t i;

    for (i = 0; i < n; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static uint64_t turn(uint64_t v, unsigned by)
{
    return v << by | v >> (64 - by);
}

static void rounds(uint64_t v[4], int n)
{
    while (n-- > 0) {
        v[0] += v[1];
        v[1] = turn(v[1], 13) ^ v[0];
        v[0] = turn(v[0], 32);
        v[2] += v[3];
        v[3] = turn(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = turn(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = turn(v[1], 17) ^ v[2];
        v[2] = turn(v[2], 32);
    }
}

static void take(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
}

uint64_t siphash(const uint8_t key[SIPHASH_KEY_SIZE], const void *bytes,
                 size_t len)
{
    const uint64_t k0 = load(key, 8), k1 = load(key + 8, 8);
    uint64_t v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d,
                     k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573};
    const uint8_t *p = bytes;
    size_t left = len;

    for (; left >= 8; left -= 8, p += 8)
        take(v, load(p, 8));
    take(v, (uint64_t)(len & 0xff) << 56 | load(p, left));
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
