/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes a source has read, and the runs of zeros in them.  It never reads
 * a file, and never searches the same bytes twice.
 */
#ifndef READPLUS_LIB_IMAGE_H
#define READPLUS_LIB_IMAGE_H

#include <readplus/source.h>

#include "checked.h"
#include "zeros.h"

static inline struct readplus_image image_make(
    void *buffer, size_t len, const struct readplus_limits *limits)
{
    return (struct readplus_image){
        .bytes = buffer,
        .room = len,
        .run_open = true,
        .unit = limits->minhole < ZEROS_BLOCK_MIN ? 1 : limits->minhole,
        .round = limits->minhole == 0 ? 1 : limits->minhole};
}

/*
 * Where a hole at the front of a request, whose bytes are not read, may end:
 * where the planner would round it, so that it never asks for them.  At `end`
 * nothing is rounded.
 */
static inline uint64_t image_front(const struct readplus_image *image,
                                   uint64_t hi, uint64_t end)
{
    return hi < end ? hi - modulo64(hi, image->round) : hi;
}

/* One past the last byte read. */
static inline uint64_t image_end(const struct readplus_image *image)
{
    return image->offset + image->length;
}

static inline void image_find_run(struct readplus_image *image, uint64_t offset)
{
    size_t at = (size_t)(offset - image->offset), length;
    int known = -1;

    if (offset == image->run_end && !image->run_open)
        known = !image->run_zero;
    length = zeros_run(image->bytes + at, (size_t)image->length - at, offset,
                       image->unit, known, &image->run_zero);
    image->run = offset;
    image->run_end = offset + length;
    image->run_open = at + length == image->length;
}

/* The run at `offset`, which was read: zeros are called a hole. */
static inline void image_run(struct readplus_image *image, uint64_t offset,
                             struct readplus_extent *extent)
{
    if (offset < image->run || offset >= image->run_end)
        image_find_run(image, offset);
    *extent = (struct readplus_extent){image->run_zero ? READPLUS_CONTENT_HOLE
                                                       : READPLUS_CONTENT_DATA,
                                       offset, image->run_end - offset};
}

/* Where bytes are; NULL where they were not read. */
static inline const uint8_t *image_data(const struct readplus_image *image,
                                        uint64_t offset, uint64_t length)
{
    if (offset < image->offset || offset - image->offset > image->length ||
        length > image->length - (offset - image->offset))
        return NULL;
    return image->bytes + (offset - image->offset);
}

#endif /* READPLUS_LIB_IMAGE_H */
