/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What carrying a whole file costs on the wire.  READ_PLUS is asked of the
 * library's planner, so that there is no second opinion of it here; what
 * repeats itself inside one extent is multiplied, not planned again.
 */
#include <stdlib.h>

#include <readplus/plan.h>

#include "cost.h"

static void charge(struct cost *cost, uint64_t times, uint64_t bytes)
{
    cost->requests += times;
    if (times > 0 && bytes > (UINT64_MAX - cost->bytes) / times)
        cost->bytes = UINT64_MAX;
    else
        cost->bytes += times * bytes;
}

/* nfs_resop4 of READ: opcode, status, eof, length, data (RFC 8881 18.22.2). */
static uint64_t read_size(uint64_t length)
{
    return 16 + (length + 3) / 4 * 4;
}

struct cost cost_read(uint64_t size, uint32_t count, uint32_t maxcount)
{
    /* Its eof and length take as much as READ_PLUS's head. */
    uint64_t each = (maxcount - READPLUS_BODY_HEAD_SIZE) / 4 * 4;
    struct cost cost = {0, 0};

    if (each > count)
        each = count;
    charge(&cost, size / each, read_size(each));
    if (size % each > 0 || size == 0)
        charge(&cost, 1, read_size(size % each));
    return cost;
}

/* More segments are never planned at once; then a reply is short. */
#define SEGMENTS_MAX 65536u

struct planner {
    const struct layout *layout, *exact;
    const struct readplus_limits *limits;
    struct readplus_source source;
    struct readplus_segment *segments;
    uint64_t end; /* of the request at hand */
    uint32_t count;
};

/* The first data extent that ends behind offset; NULL where there is none. */
static const struct readplus_extent *data_from(const struct layout *layout,
                                               uint64_t offset)
{
    size_t lo = 0, hi = layout->count, mid;

    while (lo < hi) {
        mid = lo + (hi - lo) / 2;
        if (layout->data[mid].offset + layout->data[mid].length > offset)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo < layout->count ? &layout->data[lo] : NULL;
}

/* Where a hole that holds offset ends. */
static uint64_t hole_end(const struct layout *layout, uint64_t offset)
{
    const struct readplus_extent *data = data_from(layout, offset);

    if (data == NULL)
        return layout->size;
    return data->offset > offset ? data->offset : offset;
}

/* The planner's source: holes begin where they are asked for. */
static enum readplus_error next_extent(void *context, uint64_t offset,
                                       struct readplus_extent *extent)
{
    const struct planner *planner = context;
    const struct readplus_extent *data = data_from(planner->layout, offset);
    uint64_t end, seen;

    if (offset >= planner->layout->size)
        return READPLUS_END;
    if (data != NULL && data->offset <= offset) {
        *extent = *data;
        return READPLUS_OK;
    }
    end = hole_end(planner->layout, offset);
    if (planner->limits->flags & READPLUS_LIMIT_WHOLE && end > planner->end) {
        seen = hole_end(planner->exact, planner->end);
        end = seen < end ? seen : end;
    }
    *extent =
        (struct readplus_extent){READPLUS_CONTENT_HOLE, offset, end - offset};
    return READPLUS_OK;
}

/*
 * How many requests in a row, from `offset` on, are alike: all within one
 * extent, and for the rounding of holes all at the same place in a block.
 */
static uint64_t alike(struct planner *planner, uint64_t offset)
{
    uint32_t block = planner->limits->minhole;
    struct readplus_extent extent;

    if (block > 0 && (offset % block > 0 || planner->count % block > 0))
        return 1;
    if (next_extent(planner, offset, &extent) != READPLUS_OK)
        return 1;
    return (extent.offset + extent.length - offset) / planner->count;
}

/* Plans the request at *offset, and those like it; *eof: the last of them
 * said so.  False where the planner refuses, which it has no reason to. */
static bool plan_next(struct planner *planner, uint64_t *offset, bool *eof,
                      struct cost *cost)
{
    struct readplus_args args = {.offset = *offset, .count = planner->count};
    struct readplus_plan plan;
    uint64_t times = 1, step;

    planner->end = readplus_args_end(&args);
    if (readplus_plan_init(&plan, &args, planner->layout->size, planner->limits,
                           planner->segments, SEGMENTS_MAX) != READPLUS_OK ||
        readplus_plan_fill(&plan, &planner->source) != READPLUS_OK ||
        readplus_plan_finish(&plan) != READPLUS_OK)
        return false;
    step = readplus_plan_next(&plan) - *offset;
    if (step == planner->count)
        times = alike(planner, *offset);
    if (times == 0)
        times = 1;
    charge(cost, times, READPLUS_OPCODE_SIZE + readplus_plan_size(&plan));
    *offset += times * step;
    *eof =
        times > 1 ? *offset >= planner->layout->size : readplus_plan_eof(&plan);
    return true;
}

bool cost_read_plus(const struct layout *layout, const struct layout *exact,
                    uint32_t count, const struct readplus_limits *limits,
                    struct cost *cost)
{
    struct planner planner = {
        .layout = layout, .exact = exact, .limits = limits, .count = count};
    uint64_t offset = 0;
    bool eof = false, good;

    *cost = (struct cost){0, 0};
    planner.source = (struct readplus_source){next_extent, &planner};
    planner.segments = calloc(SEGMENTS_MAX, sizeof(*planner.segments));
    good = planner.segments != NULL;
    while (good && !eof)
        good = plan_next(&planner, &offset, &eof, cost);
    free(planner.segments);
    return good;
}
