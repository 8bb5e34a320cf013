/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which bytes of a file are done: a set of ranges in ascending order, merged
 * where they meet.
 */
#ifndef CLIENT_RANGES_H
#define CLIENT_RANGES_H

#include "client.h"

struct range {
    uint64_t from, to; /* [from, to) */
};

struct ranges {
    struct range *list;
    size_t count, room;
};

/* Adds [from, to); false: no memory, nothing changed. */
bool ranges_add(struct ranges *ranges, uint64_t from, uint64_t to);

/* The first gap in [from, end): *gap, or false where there is none. */
bool ranges_gap(const struct ranges *ranges, uint64_t from, uint64_t end,
                struct range *gap);

/* The number of bytes in the set. */
uint64_t ranges_bytes(const struct ranges *ranges);

void ranges_clear(struct ranges *ranges);

#endif /* CLIENT_RANGES_H */
