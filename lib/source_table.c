/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A planner's source over a table of extents.  Numbers only: it reads no file.
 */
#include <readplus/source.h>

#include "checked.h"
#include "rules.h"

/* Index of the first data extent that ends after `offset`; count if none. */
static size_t table_find(const struct readplus_table *table, uint64_t offset)
{
    const struct readplus_extent *e = table->extents;
    size_t lo = 0, hi = table->count, mid;

    /* Requests mostly go forward: look where the last one ended. */
    if (table->last < hi && e[table->last].offset <= offset)
        lo = table->last;
    if (lo < hi && hi - lo > 4 && e[lo + 4].offset > offset)
        hi = lo + 4;
    while (lo < hi) {
        mid = lo + (hi - lo) / 2;
        if (e[mid].offset + e[mid].length > offset)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static bool is_data(const struct readplus_extent *extent)
{
    return extent->content == READPLUS_CONTENT_DATA && extent->length > 0;
}

/* Where the hole between two data extents, around entry i, begins and ends. */
static void table_hole(const struct readplus_table *table, size_t i,
                       struct readplus_extent *extent)
{
    const struct readplus_extent *e = table->extents;
    uint64_t lo = 0, hi = table->file_size;
    size_t left = i, right = i;

    while (left > 0 && !is_data(&e[left - 1]))
        left--;
    if (left > 0)
        lo = e[left - 1].offset + e[left - 1].length;
    while (right < table->count && !is_data(&e[right]))
        right++;
    if (right < table->count)
        hi = min64(hi, e[right].offset);
    *extent =
        (struct readplus_extent){READPLUS_CONTENT_HOLE, lo, hi - min64(lo, hi)};
}

static enum readplus_error table_next(void *context, uint64_t offset,
                                      struct readplus_extent *extent)
{
    struct readplus_table *table = context;
    size_t i;

    if (offset >= table->file_size)
        return READPLUS_END;
    i = table_find(table, offset);
    table->last = i;
    if (i < table->count && is_data(&table->extents[i]) &&
        table->extents[i].offset <= offset)
        *extent = table->extents[i];
    else
        table_hole(table, i, extent);
    return READPLUS_OK;
}

enum readplus_error readplus_table_init(struct readplus_table *table,
                                        const struct readplus_extent *extents,
                                        size_t count, uint64_t file_size,
                                        struct readplus_source *source)
{
    uint64_t end = 0;
    size_t i;

    if (extents == NULL && count > 0)
        return READPLUS_ERR_INVAL;
    for (i = 0; i < count; i++) {
        const struct readplus_extent *e = &extents[i];

        if (e->content != READPLUS_CONTENT_DATA &&
            e->content != READPLUS_CONTENT_HOLE)
            return READPLUS_ERR_INVAL;
        if (e->offset < end)
            return rules_misplaced(e->offset, end, e[-1].offset);
        if (!checked_add64(e->offset, e->length, &end))
            return READPLUS_ERR_RANGE;
    }
    *table = (struct readplus_table){extents, count, file_size, 0};
    *source = (struct readplus_source){table_next, table};
    return READPLUS_OK;
}
