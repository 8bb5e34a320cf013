/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of ranges in an array.  It stays short: requests go out in order, so
 * what is done is one long range and a few behind it.
 */
#include <stdlib.h>
#include <string.h>

#include "client_ranges.h"

/* The first range that ends at `from` or behind it. */
static size_t find(const struct ranges *ranges, uint64_t from)
{
    size_t i = ranges->count;

    while (i > 0 && ranges->list[i - 1].to >= from)
        i--;
    return i;
}

static bool grow(struct ranges *ranges)
{
    size_t room = ranges->room > 0 ? 2 * ranges->room : 16;
    struct range *list;

    if (ranges->count < ranges->room)
        return true;
    list = realloc(ranges->list, room * sizeof(*list));
    if (list == NULL)
        return false;
    ranges->list = list;
    ranges->room = room;
    return true;
}

bool ranges_add(struct ranges *ranges, uint64_t from, uint64_t to)
{
    size_t first, behind;

    if (from >= to)
        return true;
    if (!grow(ranges))
        return false;
    first = find(ranges, from);
    /* [first, behind) meet the new range and become one with it. */
    for (behind = first;
         behind < ranges->count && ranges->list[behind].from <= to; behind++) {
        if (ranges->list[behind].from < from)
            from = ranges->list[behind].from;
        if (ranges->list[behind].to > to)
            to = ranges->list[behind].to;
    }
    memmove(ranges->list + first + 1, ranges->list + behind,
            (ranges->count - behind) * sizeof(*ranges->list));
    ranges->list[first] = (struct range){from, to};
    ranges->count = ranges->count - (behind - first) + 1;
    return true;
}

bool ranges_gap(const struct ranges *ranges, uint64_t from, uint64_t end,
                struct range *gap)
{
    size_t i;

    for (i = find(ranges, from); i < ranges->count; i++) {
        if (ranges->list[i].from > from)
            break;
        if (ranges->list[i].to > from)
            from = ranges->list[i].to;
    }
    if (from >= end)
        return false;
    gap->from = from;
    gap->to = i < ranges->count && ranges->list[i].from < end
                  ? ranges->list[i].from
                  : end;
    return true;
}

uint64_t ranges_bytes(const struct ranges *ranges)
{
    uint64_t sum = 0;
    size_t i;

    for (i = 0; i < ranges->count; i++)
        sum += ranges->list[i].to - ranges->list[i].from;
    return sum;
}

void ranges_clear(struct ranges *ranges)
{
    free(ranges->list);
    *ranges = (struct ranges){.list = NULL};
}
