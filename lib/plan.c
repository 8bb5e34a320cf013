/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The planner.  Extents pass through three stations: a run of hole that may
 * still grow, rounded once its end is known; a hole that waits until the data
 * on both its sides tells whether an element of its own saves bytes; and the
 * segments, which are written in file order and never taken back.  What is
 * decided before the last station never depends on the budget, so a larger
 * one can only reach further along the same segments.  Never a file byte, a
 * system call, or a hole where no extent said so.
 */
#include <readplus/plan.h>

#include "budget.h"
#include "checked.h"
#include "rules.h"
#include "wire.h"

enum plan_state {
    PLAN_NEW,   /* no extent yet */
    PLAN_OPEN,  /* takes extents */
    PLAN_FULL,  /* the same, but no further byte fits */
    PLAN_CLOSED /* finished */
};

static bool has(const struct readplus_plan *plan, uint32_t flag)
{
    return (plan->limits.flags & flag) != 0;
}

/* ---- the segments -------------------------------------------------------- */

/* The data segment written last, or NULL where a hole or nothing was. */
static struct readplus_segment *tail(const struct readplus_plan *plan)
{
    struct readplus_segment *last;

    if (plan->count == 0)
        return NULL;
    last = &plan->segments[plan->count - 1];
    return last->content == READPLUS_CONTENT_DATA ? last : NULL;
}

static uint64_t tail_length(const struct readplus_plan *plan)
{
    const struct readplus_segment *last = tail(plan);

    return last == NULL ? 0 : last->length;
}

/* Takes the next entry of the array; NULL, and the plan is full, where there
 * is none. */
static struct readplus_segment *open_segment(struct readplus_plan *plan,
                                             enum readplus_content content,
                                             uint64_t offset)
{
    struct readplus_segment *next;

    if (plan->count == plan->capacity) {
        plan->state = PLAN_FULL;
        return NULL;
    }
    next = &plan->segments[plan->count++];
    *next = (struct readplus_segment){content, offset, 0, NULL};
    return next;
}

/* Writes data that follows what was written last, as much of it as fits. */
static void write_data(struct readplus_plan *plan, uint64_t offset,
                       uint64_t length)
{
    struct readplus_segment *last = tail(plan);
    uint64_t had = tail_length(plan), room = plan->room - plan->wire;
    uint64_t taken;

    if (plan->state == PLAN_FULL || length == 0)
        return;
    if (last != NULL)
        room += wire_data_size((uint32_t)had);
    taken = wire_data_fit(room, had + length);
    if (taken < had + length)
        plan->state = PLAN_FULL;
    if (taken <= had)
        return;
    if (last == NULL)
        last = open_segment(plan, READPLUS_CONTENT_DATA, offset);
    else
        plan->wire -= wire_data_size((uint32_t)had);
    if (last == NULL)
        return;
    last->length = taken;
    plan->wire += wire_data_size((uint32_t)taken);
    plan->covered = last->offset + taken;
}

/* How much of a hole lies inside the request. */
static uint64_t inside(const struct readplus_plan *plan,
                       const struct readplus_extent *hole)
{
    uint64_t lo = max64(hole->offset, plan->start);

    return min64(hole->offset + hole->length, plan->end) - lo;
}

/* The part of a hole outside the request that may be told. */
static struct readplus_extent surplus_cut(const struct readplus_plan *plan,
                                          struct readplus_extent hole)
{
    uint64_t lo = max64(hole.offset, min64(plan->limits.hole_lo, plan->start));
    uint64_t hi = min64(hole.offset + hole.length,
                        max64(plan->limits.hole_hi, plan->wanted));

    /* Linux takes a hole that overruns it on both sides for no bytes. */
    if (has(plan, READPLUS_LIMIT_LINUX) && hi > plan->wanted)
        lo = max64(lo, plan->start);
    hole.offset = lo;
    hole.length = hi - lo;
    return hole;
}

static void write_hole(struct readplus_plan *plan, struct readplus_extent hole)
{
    struct readplus_segment *next;

    if (plan->state == PLAN_FULL)
        return;
    if (plan->room - plan->wire < READPLUS_HOLE_SIZE &&
        plan->count < plan->capacity) {
        /* The few bytes that are left hold zeros, if data can take them. */
        write_data(plan, max64(hole.offset, plan->start), inside(plan, &hole));
        plan->state = PLAN_FULL;
        return;
    }
    next = open_segment(plan, READPLUS_CONTENT_HOLE, 0);
    if (next == NULL)
        return;
    hole = surplus_cut(plan, hole);
    next->offset = hole.offset;
    next->length = hole.length;
    plan->wire += READPLUS_HOLE_SIZE;
    plan->covered = hole.offset + hole.length;
}

/* ---- is a hole worth an element? ----------------------------------------- */

static uint64_t round4(uint64_t length)
{
    return length + wire_pad(length);
}

/* Compares what the two choices take on the wire, for a hole between two
 * pieces of data; a piece of length 0 is not there. */
static bool split_saves(const struct readplus_plan *plan, uint64_t before,
                        uint64_t hole, uint64_t behind)
{
    uint64_t merged = round4(before + hole + behind);
    uint64_t split = round4(before) + READPLUS_HOLE_SIZE + round4(behind);

    if (has(plan, READPLUS_LIMIT_ONE) && (before != 0 || behind != 0))
        return false;
    if (before == 0)
        merged += READPLUS_DATA_HEAD_SIZE;
    if (behind != 0)
        split += READPLUS_DATA_HEAD_SIZE;
    return split < merged;
}

/*
 * Whether the waiting hole becomes a segment: yes (1), no (0), or not known
 * (-1) before the data behind it is complete.  Of that only its length modulo
 * 4 matters, so most holes need not wait.
 */
static int split_decided(const struct readplus_plan *plan, bool complete)
{
    uint64_t before = tail_length(plan), hole = inside(plan, &plan->hole);
    uint64_t behind;
    bool saves;

    if (complete)
        return split_saves(plan, before, hole, plan->data.length);
    saves = split_saves(plan, before, hole, 4);
    for (behind = 5; behind < 8; behind++)
        if (split_saves(plan, before, hole, behind) != saves)
            return -1;
    return saves;
}

/*
 * Linux moves each element to its place from the last to the first in one
 * buffer.  That works while no element that another follows ends further
 * along the wire than in the file, give or take 16 bytes.  A split that saves
 * bytes leaves room for all but the fill of the data before it: where that is
 * lacking, the data takes that many bytes of the hole.
 */
static void linux_even_out(struct readplus_plan *plan)
{
    uint64_t move = wire_pad(tail_length(plan));

    if (plan->state == PLAN_FULL || plan->count == 0 ||
        rules_linux_may_follow(plan->wire, plan->covered - plan->start))
        return;
    write_data(plan, plan->hole.offset, move);
    plan->hole.offset += move;
    plan->hole.length -= move;
}

/* Decides about the waiting hole, if that can be done; it and the data behind
 * it are written then. */
static void settle(struct readplus_plan *plan, bool complete)
{
    int split;

    if (plan->hole.length == 0)
        return;
    split = split_decided(plan, complete);
    if (split < 0)
        return;
    if (split == 0) {
        write_data(plan, max64(plan->hole.offset, plan->start),
                   inside(plan, &plan->hole));
    } else {
        if (has(plan, READPLUS_LIMIT_LINUX))
            linux_even_out(plan);
        write_hole(plan, plan->hole);
    }
    write_data(plan, plan->data.offset, plan->data.length);
    plan->hole.length = 0;
    plan->data.length = 0;
}

/* ---- extents ------------------------------------------------------------- */

static void put_data(struct readplus_plan *plan, uint64_t offset,
                     uint64_t length)
{
    if (plan->hole.length == 0) {
        write_data(plan, offset, length);
        return;
    }
    if (plan->data.length == 0)
        plan->data.offset = offset;
    plan->data.length += length;
    settle(plan, false);
}

static uint64_t round_down(uint64_t x, uint32_t unit)
{
    return x - modulo64(x, unit);
}

static uint64_t round_up(uint64_t x, uint32_t unit)
{
    uint64_t over = modulo64(x, unit);

    return over == 0 ? x : saturating_add64(x, unit - over);
}

/*
 * The run of hole is complete: `followed` by data, or by nothing known.  Its
 * ends are rounded where data begins, not where the request or the file ends:
 * a hole is what every aligned block of minhole bytes, as far as it was asked
 * for and exists, is full of.
 */
static void close_run(struct readplus_plan *plan, bool followed)
{
    uint64_t lo, hi, first, end;
    uint32_t unit = plan->limits.minhole;

    if (plan->run.length == 0)
        return; /* and its offset is not set */
    lo = plan->run.offset;
    hi = lo + plan->run.length;
    first = max64(lo, plan->start);
    end = min64(hi, plan->end);
    plan->run.length = 0;
    if (end <= first)
        return;
    if (unit > 1 && lo > plan->start)
        lo = round_up(lo, unit);
    if (unit > 1 && followed)
        hi = round_down(hi, unit);
    if (max64(lo, first) >= min64(hi, end)) {
        put_data(plan, first, end - first);
        return;
    }
    if (lo > first)
        put_data(plan, first, lo - first);
    settle(plan, true);
    plan->hole = (struct readplus_extent){READPLUS_CONTENT_HOLE, lo, hi - lo};
    if (hi < end)
        put_data(plan, hi, end - hi);
}

static void take_data(struct readplus_plan *plan, uint64_t offset, uint64_t end)
{
    uint64_t lo = max64(offset, plan->start), hi = min64(end, plan->end);

    close_run(plan, true);
    if (lo < hi)
        put_data(plan, lo, hi - lo);
}

static void take_hole(struct readplus_plan *plan, uint64_t offset, uint64_t end)
{
    bool whole = has(plan, READPLUS_LIMIT_WHOLE);
    uint64_t lo = whole ? offset : max64(offset, plan->start);
    uint64_t hi = min64(end, whole ? plan->file_size : plan->end);

    if (lo >= hi)
        return;
    if (plan->run.length == 0)
        plan->run.offset = lo;
    plan->run.length = hi - plan->run.offset;
}

static enum readplus_error plan_status(const struct readplus_plan *plan)
{
    if (plan->state == PLAN_CLOSED)
        return READPLUS_ERR_STATE;
    if (plan->state == PLAN_FULL || plan->position >= plan->end)
        return READPLUS_END;
    return READPLUS_OK;
}

enum readplus_error readplus_plan_add(struct readplus_plan *plan,
                                      enum readplus_content content,
                                      uint64_t offset, uint64_t length)
{
    enum readplus_error error = plan_status(plan);

    if (error != READPLUS_OK)
        return error;
    if (content != READPLUS_CONTENT_DATA && content != READPLUS_CONTENT_HOLE)
        return READPLUS_ERR_INVAL;
    error = plan->state == PLAN_NEW
                ? rules_first(offset, length, plan->start)
                : rules_next(offset, length, plan->position, plan->before);
    if (error != READPLUS_OK || length == 0)
        return error;
    plan->state = PLAN_OPEN;
    plan->before = offset;
    plan->position = offset + length;
    if (content == READPLUS_CONTENT_HOLE && !has(plan, READPLUS_LIMIT_NO_HOLES))
        take_hole(plan, offset, plan->position);
    else
        take_data(plan, offset, plan->position);
    return plan_status(plan);
}

/* ---- the whole plan ------------------------------------------------------ */

enum readplus_error readplus_plan_init(struct readplus_plan *plan,
                                       const struct readplus_args *args,
                                       uint64_t file_size,
                                       const struct readplus_limits *limits,
                                       struct readplus_segment *segments,
                                       uint32_t capacity)
{
    struct readplus_budget budget;
    enum readplus_error error;

    if ((segments == NULL && capacity != 0) ||
        limits->hole_lo > limits->hole_hi)
        return READPLUS_ERR_INVAL;
    error = budget_init(&budget, args, limits);
    if (error != READPLUS_OK)
        return error;
    /* Field by field: to clear it all first takes longer than the rest. */
    plan->segments = segments;
    plan->limits = *limits;
    plan->start = args->offset;
    plan->wanted = readplus_args_end(args);
    plan->file_size = file_size;
    plan->position = args->offset;
    plan->before = 0;
    plan->room = budget.xdr_bytes;
    plan->wire = 0;
    plan->covered = args->offset;
    plan->run.length = 0;
    plan->hole.length = 0;
    plan->data.length = 0;
    plan->count = 0;
    plan->capacity = capacity < budget.segments ? capacity : budget.segments;
    plan->state = PLAN_NEW;
    plan->end = max64(plan->start, min64(plan->wanted, file_size));
    return READPLUS_OK;
}

enum readplus_error readplus_plan_fill(struct readplus_plan *plan,
                                       const struct readplus_source *source)
{
    enum readplus_error error = plan_status(plan);

    /* What was pushed and lies before the request is of no more use. */
    if (error == READPLUS_OK && plan->position < plan->start) {
        plan->run.length = 0;
        plan->state = PLAN_NEW;
    }
    while (error == READPLUS_OK) {
        uint64_t at = plan->state == PLAN_NEW ? plan->start : plan->position;
        struct readplus_extent e = {READPLUS_CONTENT_DATA, at, 0};
        uint64_t end;

        error = source->next(source->context, at, &e);
        if (error != READPLUS_OK)
            break;
        if (e.offset > at || !checked_add64(e.offset, e.length, &end) ||
            end <= at)
            return READPLUS_ERR_SOURCE;
        /* Only the first extent has use for what lies before. */
        if (plan->state != PLAN_NEW)
            e.offset = plan->position;
        error = readplus_plan_add(plan, e.content, e.offset, end - e.offset);
        if (error == READPLUS_ERR_INVAL)
            return READPLUS_ERR_SOURCE;
    }
    return error == READPLUS_END ? READPLUS_OK : error;
}

enum readplus_error readplus_plan_finish(struct readplus_plan *plan)
{
    if (plan->state == PLAN_CLOSED)
        return READPLUS_ERR_STATE;
    close_run(plan, false);
    settle(plan, true);
    plan->state = PLAN_CLOSED;
    if (plan->count > 0 || plan->end == plan->start)
        return READPLUS_OK;
    return plan->position > plan->start ? READPLUS_ERR_NO_PROGRESS
                                        : READPLUS_ERR_SOURCE;
}

/* The segments serve as extents: a plan never has more of them than it was
 * given, so they can be overwritten as they are used. */
enum readplus_error readplus_plan_resize(struct readplus_plan *plan,
                                         uint64_t file_size)
{
    uint32_t i, count = plan->count;
    enum readplus_error error = READPLUS_OK;

    if (plan->state != PLAN_CLOSED)
        return READPLUS_ERR_STATE;
    plan->file_size = file_size;
    if (plan->covered <= file_size)
        return READPLUS_OK;
    plan->end = max64(plan->start, min64(plan->wanted, file_size));
    plan->limits.minhole = 0; /* they are rounded already */
    plan->position = plan->start;
    plan->covered = plan->start;
    plan->wire = 0;
    plan->count = 0;
    plan->state = PLAN_NEW;
    for (i = 0; i < count && error == READPLUS_OK; i++) {
        struct readplus_segment s = plan->segments[i];

        error = readplus_plan_add(plan, s.content, s.offset, s.length);
    }
    return readplus_plan_finish(plan);
}

static bool closed(const struct readplus_plan *plan)
{
    return plan->state == PLAN_CLOSED;
}

uint32_t readplus_plan_count(const struct readplus_plan *plan)
{
    return closed(plan) ? plan->count : 0;
}

uint64_t readplus_plan_size(const struct readplus_plan *plan)
{
    return closed(plan) ? READPLUS_RES_HEAD_SIZE + plan->wire : 0;
}

bool readplus_plan_eof(const struct readplus_plan *plan)
{
    return closed(plan) &&
           min64(plan->covered, plan->wanted) >= plan->file_size;
}

uint64_t readplus_plan_next(const struct readplus_plan *plan)
{
    return closed(plan) ? plan->covered : 0;
}
