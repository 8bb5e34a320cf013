/*
 * Everything up to a bound, not a sample of it: what the parts of the program
 * in exhaustive.c share.
 */
#ifndef READPLUS_EXHAUSTIVE_H
#define READPLUS_EXHAUSTIVE_H

#include "../fuzz/rpcgen_guard.h"

#define EXHAUSTIVE_MOST 64 /* bytes of an item made of words */
#define EXHAUSTIVE_ELEMENTS 16

/* One share of the work, of which there are `parts`. */
struct share {
    unsigned part, parts;
    bool tell; /* progress, on standard error */
    uint64_t done;
};

/* Whether case n, of n counted from 0, is in this share; counts it. */
static inline bool share_has(struct share *share, uint64_t n)
{
    if (n % share->parts != share->part)
        return false;
    share->done++;
    if (share->tell && (share->done & 0x3fffff) == 0)
        fprintf(stderr, "\r%" PRIu64 " million ", share->done / 1000000);
    return true;
}

/* Every string of up to `bound` words against rpcgen's decoder. */
void exhaust_words(struct share *share, unsigned bound);
/* Such strings, some behind a head, every way a reply is delivered. */
void exhaust_paths(struct share *share, unsigned bound);
/* One item through all of them. */
void paths_agree(const uint8_t *item, size_t len);
/* Every list of up to `bound` segments, every budget: encoders. */
void exhaust_lists(struct share *share, unsigned bound);
/* Every file of up to `bound` extents, every budget and policy: planner. */
void exhaust_plans(struct share *share, unsigned bound);

#endif /* READPLUS_EXHAUSTIVE_H */
