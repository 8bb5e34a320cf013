/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a file's data lies, as three witnesses see it, and what that makes of
 * its holes.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <readplus/plan.h>

#include "draw.h"

/* Data only, ascending, apart and merged; what lies between is hole. */
struct layout {
    uint64_t size; /* of the file, bytes */
    struct readplus_extent *data;
    size_t count, room;
};

enum layout_result {
    LAYOUT_GOOD,
    LAYOUT_FAILED,  /* errno says why */
    LAYOUT_UNKNOWN, /* this file system cannot say */
};

/* Each fills a layout for layout_free, whatever the result. */

/* What the file system calls data: SEEK_DATA and SEEK_HOLE. */
enum layout_result layout_exact(struct layout *layout, int fd, uint64_t size);

/* That, less the blocks of `block` bytes, aligned, in which all are zero. */
enum layout_result layout_scan(struct layout *layout, int fd,
                               const struct layout *exact, uint32_t block);

/* What takes up space, written or not: FIEMAP, after a sync of the file. */
enum layout_result layout_allocated(struct layout *layout, int fd,
                                    uint64_t size);

void layout_free(struct layout *layout);

/* Holes in figures: bytes, but for `holes`, their number. */
struct layout_figures {
    uint64_t holes, hole_bytes, largest;
    uint64_t aligned_bytes; /* in whole holes of `block` bytes, aligned */
    struct drawing drawing;
};

void layout_measure(const struct layout *layout, uint64_t block,
                    struct layout_figures *figures);

#endif /* LAYOUT_H */
