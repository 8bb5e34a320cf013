/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a source to a plan that can be sent, for the rooms that answer a
 * request.  It never decides what a reply holds: that is the planner's.
 */
#ifndef READPLUS_LIB_ANSWER_H
#define READPLUS_LIB_ANSWER_H

#include <readplus/plan.h>

#include "checked.h"

/* Replies never have more: smaller pieces than this allows are asked again. */
#define ANSWER_SEGMENTS_MAX 4096
#define ANSWER_SEGMENTS_MIN 2
/* No hole shorter than this is sent inside data. */
#define ANSWER_HOLE_MIN 37
/* How often a file may change under a request before that is its answer. */
#define ANSWER_TRIES 8

/* The segments that a reply to a request of count bytes can have. */
static inline uint32_t answer_segments(uint64_t count,
                                       const struct readplus_limits *limits)
{
    uint64_t bound = 2 * (count / max64(limits->minhole, ANSWER_HOLE_MIN)) + 3;

    if (limits->maxsegs != 0)
        bound = min64(bound, limits->maxsegs);
    return (uint32_t)max64(min64(bound, ANSWER_SEGMENTS_MAX),
                           ANSWER_SEGMENTS_MIN);
}

/* Plans what the source tells.  An error of the source counts only where
 * nothing was read before it. */
static inline enum readplus_error answer_plan(
    struct readplus_plan *plan, const struct readplus_args *args,
    uint64_t file_size, const struct readplus_limits *limits,
    struct readplus_segment *segments, uint32_t capacity,
    const struct readplus_source *source)
{
    enum readplus_error error, filled;

    error =
        readplus_plan_init(plan, args, file_size, limits, segments, capacity);
    if (error != READPLUS_OK)
        return error;
    filled = readplus_plan_fill(plan, source);
    error = readplus_plan_finish(plan);
    if (error == READPLUS_OK)
        return READPLUS_OK;
    if (filled != READPLUS_OK)
        return filled;
    /* The source ended at once: the size will tell why. */
    return error == READPLUS_ERR_SOURCE ? READPLUS_OK : error;
}

/* The size of the file after the last look-up and read.  Changed: the file
 * had no byte where it now has some. */
static inline enum readplus_error answer_settle(
    struct readplus_plan *plan, const struct readplus_args *args,
    uint64_t file_size)
{
    enum readplus_error error = readplus_plan_resize(plan, file_size);

    if (readplus_plan_count(plan) == 0 && args->count > 0 &&
        file_size > args->offset)
        return READPLUS_ERR_CHANGED;
    return error;
}

#endif /* READPLUS_LIB_ANSWER_H */
