/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole reply whose data waits in a pipe.  First the plan, by look-ups; then
 * what they say about the end of the file is proved, while nothing is in the
 * pipe and all can be begun anew; then the data, segment by segment, and the
 * first that falls short is the last.  Never a byte of a file is copied, and
 * never a planned segment changed but by being cut.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <readplus/splice.h>

#include "answer.h"
#include "checked.h"
#include "wire.h"

/* What may stand between two pieces of data: fill, a hole, a head; the head
 * of the result is longer than any fill. */
#define HEAD_MAX                                                               \
    (READPLUS_RES_HEAD_SIZE + READPLUS_HOLE_SIZE + READPLUS_DATA_HEAD_SIZE)
#define META_ALIGN 16
/* For each segment: itself, and a piece with its head. */
#define META                                                                   \
    (sizeof(struct readplus_segment) + sizeof(struct readplus_spliced_piece) + \
     HEAD_MAX)
/* What splice() is asked for at once. */
#define SPLICE_MOST (1u << 30)

/* A request under way; the caller's buffer, divided. */
struct request {
    const struct readplus_args *args;
    const struct readplus_limits *limits;
    struct readplus_plan plan;
    int fd, pipe;
    struct readplus_segment *segments;
    struct readplus_spliced_piece *pieces;
    uint8_t *heads; /* HEAD_MAX for each piece */
    uint32_t capacity;
    uint32_t count;   /* of what can be sent */
    uint64_t covered; /* one past it */
    uint64_t drawn;   /* bytes in the pipe */
    bool eof;
};

size_t readplus_splice_buffer(uint32_t count,
                              const struct readplus_limits *limits)
{
    /* One piece more than segments: what follows the last data. */
    size_t size =
        META_ALIGN + META * ((size_t)answer_segments(count, limits) + 1);

    return size > READPLUS_SPLICE_BUFFER_MIN ? size
                                             : READPLUS_SPLICE_BUFFER_MIN;
}

static bool pipe_is_empty(int fd)
{
    int waiting = 1;

    (void)ioctl(fd, FIONREAD, &waiting);
    return waiting == 0 && fcntl(fd, F_GETPIPE_SZ) > 0;
}

static void request_divide(struct request *r, void *buffer, size_t len)
{
    size_t skip = -(uintptr_t)buffer & (META_ALIGN - 1);
    size_t most = (len - META_ALIGN) / META - 1;

    r->capacity = answer_segments(r->args->count, r->limits);
    if (r->capacity > most)
        r->capacity = (uint32_t)most;
    r->segments = (void *)((uint8_t *)buffer + skip);
    r->pieces = (void *)(r->segments + r->capacity + 1);
    r->heads = (uint8_t *)(r->pieces + r->capacity + 1);
}

/* ---- data into the pipe -------------------------------------------------- */

/* Draws the bytes of one segment; *got is less at the end of the file, of the
 * room in the pipe, or of what can be read. */
static enum readplus_error draw(const struct request *r, uint64_t offset,
                                uint64_t length, uint64_t *got)
{
    for (*got = 0; *got < length;) {
        loff_t at = (loff_t)(offset + *got);
        ssize_t n = splice(r->fd, &at, r->pipe, NULL,
                           (size_t)min64(length - *got, SPLICE_MOST),
                           SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0 || (n < 0 && (*got > 0 || errno == EAGAIN)))
            break;
        if (n < 0 && errno == EINVAL)
            return READPLUS_ERR_INVAL;
        if (n < 0)
            return errno == EBADF ? READPLUS_ERR_ACCESS : READPLUS_ERR_IO;
        *got += (uint64_t)n;
    }
    return READPLUS_OK;
}

/* Draws all data that is planned, until some is missing: there the reply ends.
 * An error counts only where nothing is covered. */
static enum readplus_error draw_all(struct request *r)
{
    uint32_t i, count = readplus_plan_count(&r->plan);
    enum readplus_error error = READPLUS_OK;
    bool more = true;

    r->covered = r->args->offset;
    for (i = 0; i < count && more; i++) {
        struct readplus_segment *s = &r->segments[i];

        if (s->content == READPLUS_CONTENT_DATA) {
            uint64_t got = 0;

            error = draw(r, s->offset, s->length, &got);
            more = got == s->length;
            s->length = got;
            r->drawn += got;
        }
        if (s->length > 0) {
            r->covered = s->offset + s->length;
            r->count = i + 1;
        }
    }
    return r->count > 0 ? READPLUS_OK : error;
}

/*
 * The end of the file as it was after all that: a hole is told no further.
 * Data that was got was in the file, wherever that ends now.
 */
static void settle_end(struct request *r, uint64_t size)
{
    if (r->count > 0 && r->covered > size) {
        struct readplus_segment *last = &r->segments[r->count - 1];

        if (last->content == READPLUS_CONTENT_HOLE) {
            last->length = size > last->offset ? size - last->offset : 0;
            r->covered = last->offset + last->length;
            r->count -= last->length == 0;
        }
    }
    r->eof = min64(r->covered, readplus_args_end(r->args)) >= size;
}

/* ---- one answer ---------------------------------------------------------- */

/* The plan, and the proof of what it rests on. */
static enum readplus_error make_plan(struct request *r,
                                     struct readplus_fd_source *from,
                                     const struct readplus_source *source)
{
    enum readplus_error error;
    uint64_t size;

    error = answer_plan(&r->plan, r->args, readplus_fd_source_size(from),
                        r->limits, r->segments, r->capacity, source);
    if (error == READPLUS_OK)
        error = readplus_fd_source_settle(from, &size);
    if (error == READPLUS_OK)
        error = answer_settle(&r->plan, r->args, size);
    return error;
}

static enum readplus_error try_splice(struct request *r,
                                      struct readplus_hint *hint, bool look)
{
    struct readplus_fd_source from;
    struct readplus_source source;
    enum readplus_error error;
    uint64_t size;

    r->count = 0;
    error = readplus_fd_source_init_look(&from, r->fd, r->args, r->limits, hint,
                                         &source);
    if (error != READPLUS_OK)
        return error;
    readplus_fd_source_look(&from, look);
    error = make_plan(r, &from, &source);
    if (error == READPLUS_OK)
        error = draw_all(r);
    if (error != READPLUS_OK)
        return error;
    /* Only the size is still to be told, and that by an fstat(). */
    from.past = false;
    from.least = 0;
    error = readplus_fd_source_settle(&from, &size);
    if (error != READPLUS_OK && r->drawn == 0)
        return error;
    settle_end(r, error == READPLUS_OK ? size : UINT64_MAX);
    /* Nothing, though there is something: it was cut, and is there again. */
    return r->count == 0 && !r->eof && r->args->count > 0 ? READPLUS_ERR_CHANGED
                                                          : READPLUS_OK;
}

/* ---- heads --------------------------------------------------------------- */

/* Writes the item around the data; the number of pieces. */
static size_t write_heads(const struct request *r, uint64_t *size)
{
    struct readplus_spliced_piece *piece = r->pieces;
    uint8_t *head = r->heads, *p = head;
    uint32_t i;

    wire_put_res_head(p, r->eof, r->count);
    p += READPLUS_RES_HEAD_SIZE;
    *size = 0;
    for (i = 0; i < r->count; i++) {
        struct readplus_segment *s = &r->segments[i];
        uint32_t fill;

        s->data = NULL;
        if (s->content == READPLUS_CONTENT_HOLE) {
            wire_put_hole(p, s->offset, s->length);
            p += READPLUS_HOLE_SIZE;
            continue;
        }
        wire_put_data_head(p, s->offset, (uint32_t)s->length);
        p += READPLUS_DATA_HEAD_SIZE;
        *piece++ = (struct readplus_spliced_piece){{head, (size_t)(p - head)},
                                                   s->length};
        *size += (uint64_t)(p - head) + s->length;
        head += HEAD_MAX;
        fill = wire_pad((uint32_t)s->length);
        memset(head, 0, fill);
        p = head + fill;
    }
    if (p > head)
        *piece++ =
            (struct readplus_spliced_piece){{head, (size_t)(p - head)}, 0};
    *size += (uint64_t)(p - head);
    return (size_t)(piece - r->pieces);
}

static void fail(struct readplus_spliced *reply, const struct request *r,
                 enum readplus_error error)
{
    uint32_t status = readplus_error_nfsstat(error);

    wire_store32(r->heads, status);
    r->pieces[0] =
        (struct readplus_spliced_piece){{r->heads, READPLUS_STATUS_SIZE}, 0};
    *reply = (struct readplus_spliced){.status = status,
                                       .segments = r->segments,
                                       .pieces = r->pieces,
                                       .entries = 1,
                                       .size = READPLUS_STATUS_SIZE};
}

enum readplus_error readplus_splice_fd(struct readplus_spliced *reply, int fd,
                                       int pipe,
                                       const struct readplus_args *args,
                                       const struct readplus_limits *limits,
                                       struct readplus_hint *hint, void *buffer,
                                       size_t len)
{
    struct request r = {.args = args, .limits = limits, .fd = fd, .pipe = pipe};
    enum readplus_error error;
    int tries = 0;

    if (buffer == NULL || len < READPLUS_SPLICE_BUFFER_MIN ||
        !pipe_is_empty(pipe))
        return READPLUS_ERR_INVAL;
    request_divide(&r, buffer, len);
    do
        error = try_splice(&r, tries == 0 ? hint : NULL, tries < 2);
    while (error == READPLUS_ERR_CHANGED && ++tries < ANSWER_TRIES);
    if (error == READPLUS_ERR_INVAL)
        return error;
    if (error != READPLUS_OK) {
        fail(reply, &r, error);
        return error;
    }
    *reply = (struct readplus_spliced){.status = 0,
                                       .eof = r.eof,
                                       .next = r.covered,
                                       .segments = r.segments,
                                       .count = r.count,
                                       .pieces = r.pieces};
    reply->entries = write_heads(&r, &reply->size);
    return READPLUS_OK;
}

/* ---- sending ------------------------------------------------------------- */

/* Sends some of what is left of a piece; what send() and splice() return. */
static ssize_t send_some(const struct readplus_spliced_piece *piece, bool last,
                         int pipe, int socket)
{
    if (piece->head.iov_len > 0)
        return send(socket, piece->head.iov_base, piece->head.iov_len,
                    MSG_NOSIGNAL | (last && piece->data == 0 ? 0 : MSG_MORE));
    return splice(pipe, NULL, socket, NULL,
                  (size_t)min64(piece->data, SPLICE_MOST),
                  SPLICE_F_MOVE | (last ? 0 : SPLICE_F_MORE));
}

enum readplus_error readplus_splice_send(struct readplus_spliced *reply,
                                         int pipe, int socket)
{
    while (reply->entries > 0) {
        struct readplus_spliced_piece *piece = reply->pieces;
        ssize_t n = send_some(piece, reply->entries == 1, pipe, socket);

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0) /* the pipe is not that of this reply */
            errno = EPIPE;
        if (n <= 0)
            return READPLUS_ERR_IO;
        if (piece->head.iov_len > 0) {
            piece->head.iov_base = (uint8_t *)piece->head.iov_base + n;
            piece->head.iov_len -= (size_t)n;
        } else {
            piece->data -= (uint64_t)n;
        }
        if (piece->head.iov_len == 0 && piece->data == 0) {
            reply->pieces++;
            reply->entries--;
        }
    }
    return READPLUS_OK;
}
