/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a file's data lies.  No witness is believed in place of another: the
 * figures of each stand beside those of the rest.
 */
#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "layout.h"
#include "proof.h"

/* Adds data at or behind the end of what is there. */
static bool append(struct layout *layout, uint64_t offset, uint64_t length)
{
    struct readplus_extent *last = NULL, *more;
    size_t room = layout->room == 0 ? 64 : 2 * layout->room;

    if (layout->count > 0)
        last = &layout->data[layout->count - 1];
    if (last != NULL && last->offset + last->length == offset) {
        last->length += length;
        return true;
    }
    if (layout->count == layout->room) {
        more = reallocarray(layout->data, room, sizeof(*more));
        if (more == NULL)
            return false;
        layout->data = more;
        layout->room = room;
    }
    layout->data[layout->count++] =
        (struct readplus_extent){READPLUS_CONTENT_DATA, offset, length};
    return true;
}

static void begin(struct layout *layout, uint64_t size)
{
    memset(layout, 0, sizeof(*layout));
    layout->size = size;
}

void layout_free(struct layout *layout)
{
    free(layout->data);
}

enum layout_result layout_exact(struct layout *layout, int fd, uint64_t size)
{
    uint64_t data, hole;

    begin(layout, size);
    data = proof_next_data(fd, 0, size);
    while (data < size) {
        hole = proof_next_hole(fd, data, size);
        if (hole <= data) /* it was punched between the two calls */
            hole = data + 1;
        if (!append(layout, data, hole - data))
            return LAYOUT_FAILED;
        data = proof_next_data(fd, hole, size);
    }
    return LAYOUT_GOOD;
}

static bool all_zero(const unsigned char *bytes, size_t len)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/* The blocks of bytes[0, len), which are the file's at offset. */
static bool append_blocks(struct layout *layout, const unsigned char *bytes,
                          size_t len, uint64_t offset, uint32_t block)
{
    size_t step;

    for (; len > 0; bytes += step, offset += step, len -= step) {
        step = block - (size_t)(offset % block);
        if (step > len)
            step = len;
        if (!all_zero(bytes, step) && !append(layout, offset, step))
            return false;
    }
    return true;
}

/* One extent that the file system calls data.  A file that shrinks ends it. */
static bool scan_extent(struct layout *layout, int fd, uint64_t offset,
                        uint64_t end, uint32_t block)
{
    static unsigned char bytes[1 << 20];
    uint64_t want;
    ssize_t n;

    while (offset < end) {
        /* Up to a multiple of the size, so that no block is cut in two. */
        want = sizeof(bytes) - offset % sizeof(bytes);
        if (want > end - offset)
            want = end - offset;
        n = pread(fd, bytes, (size_t)want, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || !append_blocks(layout, bytes, (size_t)n, offset, block))
            return false;
        if (n == 0)
            return true;
        offset += (uint64_t)n;
    }
    return true;
}

enum layout_result layout_scan(struct layout *layout, int fd,
                               const struct layout *exact, uint32_t block)
{
    const struct readplus_extent *extent = exact->data;
    size_t i;

    begin(layout, exact->size);
    for (i = 0; i < exact->count; i++, extent++)
        if (!scan_extent(layout, fd, extent->offset,
                         extent->offset + extent->length, block))
            return LAYOUT_FAILED;
    return LAYOUT_GOOD;
}

#define FIEMAP_EXTENTS 256

/* Room for one answer of FIEMAP, aligned as it must be. */
union fiemap_answer {
    struct fiemap map;
    unsigned char room[sizeof(struct fiemap) +
                       FIEMAP_EXTENTS * sizeof(struct fiemap_extent)];
};

static bool append_allocated(struct layout *layout, const struct fiemap *map,
                             uint64_t *offset, bool *last)
{
    const struct fiemap_extent *extent = map->fm_extents;
    uint64_t start, end;
    uint32_t i;

    for (i = 0; i < map->fm_mapped_extents; i++, extent++) {
        /* Extents may reach behind the file's end, and overlap the last. */
        start = extent->fe_logical > *offset ? extent->fe_logical : *offset;
        end = extent->fe_logical + extent->fe_length;
        if (end > layout->size)
            end = layout->size;
        if (start < end && !append(layout, start, end - start))
            return false;
        if (end > *offset)
            *offset = end;
        *last = *last || extent->fe_flags & FIEMAP_EXTENT_LAST;
    }
    *last = *last || map->fm_mapped_extents == 0;
    return true;
}

enum layout_result layout_allocated(struct layout *layout, int fd,
                                    uint64_t size)
{
    union fiemap_answer answer;
    uint64_t offset = 0;
    bool last = size == 0;

    begin(layout, size);
    while (!last && offset < size) {
        memset(&answer, 0, sizeof(answer));
        answer.map.fm_start = offset;
        answer.map.fm_length = size - offset;
        /* Without it, data not yet on the disk is not yet anywhere. */
        answer.map.fm_flags = FIEMAP_FLAG_SYNC;
        answer.map.fm_extent_count = FIEMAP_EXTENTS;
        if (ioctl(fd, FS_IOC_FIEMAP, &answer.map) < 0)
            return LAYOUT_UNKNOWN;
        if (!append_allocated(layout, &answer.map, &offset, &last))
            return LAYOUT_FAILED;
    }
    return LAYOUT_GOOD;
}

static void measure_hole(struct layout_figures *figures, uint64_t offset,
                         uint64_t end, uint64_t block)
{
    uint64_t inset = (block - offset % block) % block;

    if (offset == end)
        return;
    figures->holes++;
    figures->hole_bytes += end - offset;
    if (end - offset > figures->largest)
        figures->largest = end - offset;
    if (end - offset > inset)
        figures->aligned_bytes += (end - offset - inset) / block * block;
}

void layout_measure(const struct layout *layout, uint64_t block,
                    struct layout_figures *figures)
{
    const struct readplus_extent *extent = layout->data;
    uint64_t offset = 0;
    size_t i;

    memset(figures, 0, sizeof(*figures));
    draw_init(&figures->drawing, layout->size);
    for (i = 0; i < layout->count; i++, extent++) {
        measure_hole(figures, offset, extent->offset, block);
        draw_data(&figures->drawing, extent->offset, extent->length);
        offset = extent->offset + extent->length;
    }
    measure_hole(figures, offset, layout->size, block);
}
