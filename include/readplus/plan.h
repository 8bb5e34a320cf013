/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The planner: extents of a file in, segments of a reply out.  It touches no
 * file byte and makes no system call; it only decides, within the limits, what
 * is sent as data, what as a hole, and where the reply stops.
 *
 * Extents are pushed with readplus_plan_add or pulled from a source with
 * readplus_plan_fill; readplus_plan_finish closes the plan, and only then do
 * the questions below it have answers.  The planned segments have data NULL:
 * whoever reads the file sets it.
 *
 * A hole becomes a segment where that is shorter on the wire than zeros would
 * be, its neighbours' headers and fill counted; else it is part of the data
 * around it, so data segments may cover holes, never the reverse.
 *
 * Each hole is decided by its neighbours alone, which is not always the best
 * choice for the whole.  How far off it can be was found by trying: to cover
 * as much as the best possible reply, a plan needs at most 20 bytes more of
 * room, and up to 4 more for each hole of fewer than 44 bytes; with the default
 * minhole the segments are the best there are.  A larger budget never covers
 * less.
 */
#ifndef READPLUS_PLAN_H
#define READPLUS_PLAN_H

#include <readplus/size.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Where extents come from.  next() says what lies at `offset`:
 *   READPLUS_OK   *extent holds offset and is not empty; it may begin earlier
 *   READPLUS_END  nothing lies there: the file, or what is known of it, ends
 *   an error      looking it up failed; what was planned before stays good
 * A HOLE is a promise that every byte of it reads as zero; who cannot promise
 * answers DATA.
 */
struct readplus_source {
    enum readplus_error (*next)(void *context, uint64_t offset,
                                struct readplus_extent *extent);
    void *context;
};

/* All fields are private; on the caller's stack, valid until the caller's
 * segments array is gone. */
struct readplus_plan {
    struct readplus_segment *segments;
    struct readplus_limits limits;
    uint64_t start;  /* rpa_offset */
    uint64_t end;    /* of what may be covered: request or file */
    uint64_t wanted; /* the request's end, beyond the file's if asked */
    uint64_t file_size;
    uint64_t position;           /* where the next extent must begin */
    uint64_t before;             /* where the last one began */
    uint64_t room;               /* for elements, bytes of XDR */
    uint64_t wire;               /* what the segments written so far take */
    uint64_t covered;            /* one past their last byte */
    struct readplus_extent run;  /* a hole that may still grow */
    struct readplus_extent hole; /* whole, but maybe not worth an element */
    struct readplus_extent data; /* behind it, may still grow */
    uint32_t count;
    uint32_t capacity;
    uint32_t state;
};

/*
 * Begins a plan for a reply to *args about a file of `file_size` bytes.
 * Segments are written to `segments`, at most `capacity` (it acts like
 * limits->maxsegs; both may be 0 only for a reply without segments).  *args
 * and *limits are copied.
 *
 * OK. READPLUS_ERR_INVAL: segments is NULL though capacity is not 0, or
 * hole_lo exceeds hole_hi.  READPLUS_ERR_NOSPACE: limits->maxcount is below
 * READPLUS_BODY_HEAD_SIZE.  On failure *plan may not be used.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_plan_init(
    struct readplus_plan *plan, const struct readplus_args *args,
    uint64_t file_size, const struct readplus_limits *limits,
    struct readplus_segment *segments, uint32_t capacity);

/*
 * Adds the next extent.  Extents come in ascending order without gaps; the
 * first may begin before the request but not after it.  Empty ones are
 * ignored, parts outside the request or past the end of the file are cut off
 * (of a hole, under READPLUS_LIMIT_WHOLE, only what lies past the end of the
 * file or outside the lock).
 *
 * OK: more may be added.  READPLUS_END: the reply is full or covers all that
 * was asked; further extents are ignored.  READPLUS_ERR_INVAL: unknown
 * content; READPLUS_ERR_RANGE, LATE_START, GAP, ORDER, OVERLAP: the extent
 * breaks the rules above; READPLUS_ERR_STATE: the plan is finished.  An
 * extent that is refused changes nothing.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_plan_add(
    struct readplus_plan *plan, enum readplus_content content, uint64_t offset,
    uint64_t length);

/*
 * Pulls extents from *source until the reply is full, covers what was asked,
 * or the source ends.  OK; a source's error is returned as it is, and what
 * was planned before it can be finished and sent as a short reply.
 * READPLUS_ERR_SOURCE: the source answered OK with an extent that is empty or
 * does not hold the offset.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_plan_fill(
    struct readplus_plan *plan, const struct readplus_source *source);

/*
 * Closes the plan.  OK.  READPLUS_ERR_NO_PROGRESS: there was no room for even
 * one byte although the request begins before the end of the file and asks
 * for some (a server answers NFS4ERR_REP_TOO_BIG); READPLUS_ERR_SOURCE: the
 * same, but no extent was ever given.  Finishing twice is READPLUS_ERR_STATE.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_plan_finish(
    struct readplus_plan *plan);

/*
 * Corrects a finished plan for the size of the file as it was found after the
 * last look-up or read, so that nothing is claimed beyond it: what lies past it
 * is taken back, and eof is computed anew.  A file that grew changes eof only.
 * OK; READPLUS_ERR_STATE: the plan is not finished.  The segments' data
 * pointers are to be set after this call.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_plan_resize(
    struct readplus_plan *plan, uint64_t file_size);

/* Of a finished plan; of any other: 0, false. */

/* The number of segments in the caller's array. */
READPLUS_API uint32_t readplus_plan_count(const struct readplus_plan *plan);
/* The length of the READ_PLUS4res in bytes, exactly. */
READPLUS_API uint64_t readplus_plan_size(const struct readplus_plan *plan);
/* rpr_eof: whether the reply reaches the end of the file (15.10.3). */
READPLUS_API bool readplus_plan_eof(const struct readplus_plan *plan);
/* The offset from which to go on: one past the last byte covered, surplus of
 * a whole hole included. */
READPLUS_API uint64_t readplus_plan_next(const struct readplus_plan *plan);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_PLAN_H */
