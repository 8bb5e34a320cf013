/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A planner's source over a server's own read, which may answer "no data
 * here, this far".  It believes what it is told, apart from holes of no length;
 * never a system call of its own.
 */
#include <readplus/source.h>

#include "checked.h"
#include "image.h"

/* What is read at once, so that it is still in the cache when it is searched
 * for zeros. */
#define PIECE (1u << 20)
/* Beyond what it rounds away, the planner turns at most so much of a hole's
 * ends into data (break-even, fill, Linux's 3 bytes), and wants its zeros. */
#define MARGIN 64

static bool has(const struct readplus_reader_source *s, uint32_t flag)
{
    return (s->flags & flag) != 0;
}

/*
 * A hole between bytes that were read takes its place among them, but only
 * the zeros that the planner may ask for are written: those at its ends, or
 * all of them where it is small or no hole may be sent.
 */
static void lay_hole(struct readplus_reader_source *s, uint64_t length)
{
    struct readplus_image *image = &s->image;
    uint8_t *to = image->bytes + image->length;
    uint64_t margin = ((uint64_t)image->round + MARGIN);

    if (has(s, READPLUS_LIMIT_NO_HOLES | READPLUS_LIMIT_ONE) ||
        length / 2 <= margin) {
        memset(to, 0, (size_t)length);
    } else {
        memset(to, 0, (size_t)margin);
        memset(to + length - margin, 0, (size_t)margin);
    }
    image->length += length;
}

static enum readplus_error take_hole(struct readplus_reader_source *s,
                                     uint64_t offset, uint64_t length,
                                     struct readplus_extent *extent)
{
    struct readplus_image *image = &s->image;
    uint64_t hi = saturating_add64(offset, length);
    uint64_t inside = min64(hi, s->end) - offset;
    uint64_t room = image->room - image->length;
    uint64_t small = 2 * ((uint64_t)image->round + MARGIN);
    bool first = image->length == 0, alone = first && hi >= s->end;
    bool needed = inside <= small || has(s, READPLUS_LIMIT_NO_HOLES) ||
                  (has(s, READPLUS_LIMIT_ONE) && !alone);

    *extent =
        (struct readplus_extent){READPLUS_CONTENT_HOLE, offset, hi - offset};
    /* At the front, bytes begin behind it. */
    if (first && !needed) {
        extent->length = image_front(image, hi, s->end) - offset;
        return READPLUS_OK;
    }
    if (inside > room) {
        inside = room;
        if (needed || room <= small)
            extent->length = room;
    }
    if (first)
        image->offset = offset;
    lay_hole(s, inside);
    return READPLUS_OK;
}

static enum readplus_error reader_next(void *context, uint64_t offset,
                                       struct readplus_extent *extent)
{
    struct readplus_reader_source *s = context;
    struct readplus_image *image = &s->image;
    uint64_t want, hole = 0;
    enum readplus_error error;
    size_t got = 0;

    if (offset >= s->end)
        return READPLUS_END;
    if (image->length == 0 || offset >= image_end(image)) {
        want =
            min64(min64(s->end - offset, PIECE), image->room - image->length);
        if (want == 0 || (image->length > 0 && offset > image_end(image)))
            return READPLUS_END;
        error = s->reader.read(s->reader.context, offset,
                               image->bytes + image->length, (size_t)want, &got,
                               &hole);
        if (error != READPLUS_OK)
            return error;
        if (got > want || (got == 0 && hole == 0))
            return READPLUS_ERR_SOURCE;
        if (got == 0)
            return take_hole(s, offset, hole, extent);
        if (image->length == 0)
            image->offset = offset;
        image->length += got;
    }
    if (has(s, READPLUS_LIMIT_NO_HOLES | READPLUS_LIMIT_EXACT))
        *extent = (struct readplus_extent){READPLUS_CONTENT_DATA, offset,
                                           image_end(image) - offset};
    else
        image_run(image, offset, extent);
    return READPLUS_OK;
}

enum readplus_error readplus_reader_source_init(
    struct readplus_reader_source *s, const struct readplus_reader *reader,
    const struct readplus_args *args, const struct readplus_limits *limits,
    void *buffer, size_t len, struct readplus_source *source)
{
    enum readplus_error error;
    uint64_t file_size;

    error = reader->size(reader->context, &file_size);
    if (error != READPLUS_OK)
        return error;
    *s = (struct readplus_reader_source){
        .image = image_make(buffer, len, limits),
        .reader = *reader,
        .end = min64(readplus_args_end(args), file_size),
        .file_size = file_size,
        .flags = limits->flags};
    *source = (struct readplus_source){reader_next, s};
    return READPLUS_OK;
}

uint64_t readplus_reader_source_size(const struct readplus_reader_source *s)
{
    return s->file_size;
}

const uint8_t *readplus_reader_source_data(
    const struct readplus_reader_source *s, uint64_t offset, uint64_t length)
{
    return image_data(&s->image, offset, length);
}
