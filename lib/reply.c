/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole reply from a descriptor: the source reads, the planner decides, and
 * headers are written around the bytes where they lie.  A hole that gets an
 * element is longer than the headers that follow it, so there is always room
 * for them before the next data; only what is sent is in the iovecs.  Never
 * more than one reply's worth of work, never a byte outside the buffer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readplus/reply.h>

#include "answer.h"
#include "checked.h"
#include "image.h"
#include "wire.h"

/* What precedes the first data: the result's head, a hole, a data header. */
#define HEAD_MAX                                                               \
    (READPLUS_RES_HEAD_SIZE + READPLUS_HOLE_SIZE + READPLUS_DATA_HEAD_SIZE)
/* What follows the last: fill and a hole. */
#define TAIL_MAX (3 + READPLUS_HOLE_SIZE)
/* File bytes are read to an aligned place: the kernel copies faster to one. */
#define ALIGN 4096
/* The same for a small buffer. */
#define SMALL 65536
#define SMALL_ALIGN 64
#define META_ALIGN 16
/* For each segment: itself, and an iovec. */
#define META (sizeof(struct readplus_segment) + sizeof(struct iovec))
/* Around the data, and lost to alignment. */
#define FIXED (HEAD_MAX + TAIL_MAX + META_ALIGN)
/* sendmsg() takes no more (Linux: UIO_MAXIOV). */
#define IOV_ENTRIES_MAX 1024
/* Pieces shorter than this are sent faster in one. */
#define PIECE_MIN 2048

/* The caller's buffer, divided. */
struct room {
    uint8_t *head; /* HEAD_MAX bytes before data */
    uint8_t *data;
    size_t data_len;
    struct readplus_segment *segments;
    struct iovec *iov;
    uint32_t capacity;
};

static uint8_t *align_up(uint8_t *p, size_t unit)
{
    return p + (-(uintptr_t)p & (unit - 1));
}

size_t readplus_reply_buffer(uint32_t count,
                             const struct readplus_limits *limits)
{
    size_t size = FIXED + ALIGN + META * answer_segments(count, limits);

    return count > SIZE_MAX - size ? SIZE_MAX : size + count;
}

static void room_divide(struct room *room, void *buffer, size_t len,
                        uint64_t count, const struct readplus_limits *limits)
{
    size_t align = len < SMALL ? SMALL_ALIGN : ALIGN;
    size_t usable = len - FIXED - align;
    uint64_t bound = answer_segments(count, limits);
    uint8_t *meta;

    if (count + bound * META > usable)
        bound = max64(min64(bound, usable / 4 / META), ANSWER_SEGMENTS_MIN);
    room->capacity = (uint32_t)bound;
    room->data = align_up((uint8_t *)buffer + HEAD_MAX, align);
    room->data_len = (size_t)min64(count, usable - bound * META);
    room->head = room->data - HEAD_MAX;
    meta = align_up(room->data + room->data_len + TAIL_MAX, META_ALIGN);
    room->segments = (struct readplus_segment *)(void *)meta;
    room->iov = (struct iovec *)(void *)(room->segments + bound);
}

static enum readplus_error reply_fail(struct readplus_reply *reply,
                                      const struct room *room,
                                      enum readplus_error error)
{
    uint32_t status = readplus_error_nfsstat(error);

    wire_store32(room->head, status);
    room->iov[0] = (struct iovec){room->head, READPLUS_STATUS_SIZE};
    *reply = (struct readplus_reply){.status = status,
                                     .iov = room->iov,
                                     .entries = 1,
                                     .size = READPLUS_STATUS_SIZE};
    return error;
}

/* ---- headers around data ------------------------------------------------- */

/* Adds the elements of segment i, and of the hole before it, in front of its
 * data; returns the iovec. */
static struct iovec put_data(const struct readplus_plan *plan, uint32_t i)
{
    const struct readplus_segment *s = &plan->segments[i];
    uint32_t length = (uint32_t)s->length;
    uint8_t *end = (uint8_t *)(uintptr_t)s->data + length, *p;

    p = end - length - READPLUS_DATA_HEAD_SIZE;
    wire_put_data_head(p, s->offset, length);
    memset(end, 0, wire_pad(length));
    end += wire_pad(length);
    if (i > 0 && s[-1].content == READPLUS_CONTENT_HOLE) {
        p -= READPLUS_HOLE_SIZE;
        wire_put_hole(p, s[-1].offset, s[-1].length);
    }
    return (struct iovec){p, (size_t)(end - p)};
}

/* Makes room at the front of an iovec, or at its end. */
static uint8_t *grow_front(struct iovec *iov, size_t by)
{
    iov->iov_base = (uint8_t *)iov->iov_base - by;
    iov->iov_len += by;
    return iov->iov_base;
}

static uint8_t *grow_end(struct iovec *iov, size_t by)
{
    iov->iov_len += by;
    return (uint8_t *)iov->iov_base + iov->iov_len - by;
}

/* Writes the item around the data; the number of iovecs. */
static size_t assemble(const struct readplus_plan *plan,
                       const struct room *room)
{
    const struct readplus_segment *s = plan->segments;
    uint32_t i, count = readplus_plan_count(plan);
    size_t entries = 0;

    for (i = 0; i < count; i++)
        if (s[i].content == READPLUS_CONTENT_DATA)
            room->iov[entries++] = put_data(plan, i);
    if (entries == 0)
        room->iov[entries++] =
            (struct iovec){room->head + READPLUS_RES_HEAD_SIZE, 0};
    if (count > 0 && s[count - 1].content == READPLUS_CONTENT_HOLE)
        wire_put_hole(grow_end(&room->iov[entries - 1], READPLUS_HOLE_SIZE),
                      s[count - 1].offset, s[count - 1].length);
    wire_put_res_head(grow_front(&room->iov[0], READPLUS_RES_HEAD_SIZE),
                      readplus_plan_eof(plan), count);
    return entries;
}

void readplus_reply_flatten(struct readplus_reply *reply)
{
    uint8_t *to;
    size_t i;

    if (reply->entries <= 1)
        return;
    to = (uint8_t *)reply->iov[0].iov_base + reply->iov[0].iov_len;
    for (i = 1; i < reply->entries; i++) {
        memmove(to, reply->iov[i].iov_base, reply->iov[i].iov_len);
        to += reply->iov[i].iov_len;
    }
    for (i = 0; i < reply->count; i++)
        reply->segments[i].data = NULL;
    reply->iov[0].iov_len = (size_t)reply->size;
    reply->entries = 1;
}

/* ---- from a source that reads -------------------------------------------- */

/* A request under way. */
struct request {
    const struct readplus_args *args;
    const struct readplus_limits *limits;
    struct readplus_plan plan;
    struct room room;
};

/* Gives each data segment its bytes.  Changed: some were never read, for they
 * lay in what was a hole, and was cut short since. */
static enum readplus_error set_data(struct request *request,
                                    const struct readplus_image *image)
{
    uint32_t i;

    for (i = 0; i < readplus_plan_count(&request->plan); i++) {
        struct readplus_segment *s = &request->room.segments[i];

        if (s->content != READPLUS_CONTENT_DATA)
            continue;
        s->data = image_data(image, s->offset, s->length);
        if (s->data == NULL)
            return READPLUS_ERR_CHANGED;
    }
    return READPLUS_OK;
}

static enum readplus_error reply_make(struct readplus_reply *reply,
                                      const struct request *request,
                                      enum readplus_error error)
{
    const struct readplus_plan *plan = &request->plan;
    const struct room *room = &request->room;

    if (error != READPLUS_OK)
        return reply_fail(reply, room, error);
    *reply = (struct readplus_reply){.status = 0,
                                     .eof = readplus_plan_eof(plan),
                                     .next = readplus_plan_next(plan),
                                     .segments = room->segments,
                                     .count = readplus_plan_count(plan),
                                     .iov = room->iov,
                                     .entries = assemble(plan, room),
                                     .size = readplus_plan_size(plan)};
    if (reply->entries > IOV_ENTRIES_MAX ||
        reply->size / reply->entries < PIECE_MIN)
        readplus_reply_flatten(reply);
    return READPLUS_OK;
}

/* Begins a request; READPLUS_ERR_INVAL: there is no room for any reply. */
static enum readplus_error request_init(struct request *request,
                                        const struct readplus_args *args,
                                        const struct readplus_limits *limits,
                                        void *buffer, size_t len)
{
    if (buffer == NULL || len < READPLUS_REPLY_BUFFER_MIN)
        return READPLUS_ERR_INVAL;
    request->args = args;
    request->limits = limits;
    room_divide(&request->room, buffer, len, args->count, limits);
    return READPLUS_OK;
}

static enum readplus_error request_plan(struct request *request,
                                        uint64_t file_size,
                                        const struct readplus_source *source)
{
    return answer_plan(&request->plan, request->args, file_size,
                       request->limits, request->room.segments,
                       request->room.capacity, source);
}

static enum readplus_error try_fd(struct request *request, int fd,
                                  struct readplus_hint *hint, bool look)
{
    struct readplus_fd_source from;
    struct readplus_source source;
    enum readplus_error error;
    uint64_t size;

    error = readplus_fd_source_init(&from, fd, request->args, request->limits,
                                    hint, request->room.data,
                                    request->room.data_len, &source);
    if (error != READPLUS_OK)
        return error;
    readplus_fd_source_look(&from, look);
    error = request_plan(request, readplus_fd_source_size(&from), &source);
    if (error == READPLUS_OK)
        error = readplus_fd_source_settle(&from, &size);
    if (error == READPLUS_OK)
        error = answer_settle(&request->plan, request->args, size);
    return error == READPLUS_OK ? set_data(request, &from.image) : error;
}

enum readplus_error readplus_reply_fd(struct readplus_reply *reply, int fd,
                                      const struct readplus_args *args,
                                      const struct readplus_limits *limits,
                                      struct readplus_hint *hint, void *buffer,
                                      size_t len)
{
    struct request request;
    enum readplus_error error;
    int tries = 0;

    error = request_init(&request, args, limits, buffer, len);
    if (error != READPLUS_OK)
        return error;
    do
        error = try_fd(&request, fd, tries == 0 ? hint : NULL, tries < 2);
    while (error == READPLUS_ERR_CHANGED && ++tries < ANSWER_TRIES);
    return reply_make(reply, &request, error);
}

static enum readplus_error try_reader(struct request *request,
                                      const struct readplus_reader *reader)
{
    struct readplus_reader_source from;
    struct readplus_source source;
    enum readplus_error error;
    uint64_t size;

    error = readplus_reader_source_init(&from, reader, request->args,
                                        request->limits, request->room.data,
                                        request->room.data_len, &source);
    if (error == READPLUS_OK)
        error =
            request_plan(request, readplus_reader_source_size(&from), &source);
    if (error == READPLUS_OK)
        error = reader->size(reader->context, &size);
    if (error == READPLUS_OK)
        error = answer_settle(&request->plan, request->args, size);
    return error == READPLUS_OK ? set_data(request, &from.image) : error;
}

enum readplus_error readplus_reply_reader(struct readplus_reply *reply,
                                          const struct readplus_reader *reader,
                                          const struct readplus_args *args,
                                          const struct readplus_limits *limits,
                                          void *buffer, size_t len)
{
    struct request request;
    enum readplus_error error;
    int tries = 0;

    error = request_init(&request, args, limits, buffer, len);
    if (error != READPLUS_OK)
        return error;
    do
        error = try_reader(&request, reader);
    while (error == READPLUS_ERR_CHANGED && ++tries < ANSWER_TRIES);
    return reply_make(reply, &request, error);
}

enum readplus_error readplus_reply_status(struct readplus_reply *reply,
                                          uint32_t status, void *buffer,
                                          size_t len)
{
    struct readplus_limits limits;
    struct room room;

    if (buffer == NULL || len < READPLUS_REPLY_BUFFER_MIN || status == 0)
        return READPLUS_ERR_INVAL;
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    room_divide(&room, buffer, len, 0, &limits);
    (void)reply_fail(reply, &room, READPLUS_ERR_IO);
    reply->status = status;
    wire_store32(room.head, status);
    return READPLUS_OK;
}

/* ---- beside READ_PLUS ---------------------------------------------------- */

/* What a look-up that found nothing means: nothing there, or no such place. */
static enum readplus_error seek_missed(struct readplus_seek_res *res, int fd,
                                       uint64_t offset, int number)
{
    struct stat st;

    if (number == EBADF || fstat(fd, &st) != 0) {
        res->status = readplus_error_nfsstat(READPLUS_ERR_INVAL);
        return READPLUS_ERR_INVAL;
    }
    if (number != ENXIO && number != EOVERFLOW && number != EINVAL) {
        res->status = readplus_error_nfsstat(READPLUS_ERR_IO);
        return READPLUS_ERR_IO;
    }
    if (offset >= (uint64_t)st.st_size) {
        res->status = 6; /* NFS4ERR_NXIO */
        return READPLUS_OK;
    }
    res->offset = (uint64_t)st.st_size;
    res->eof = true;
    return READPLUS_OK;
}

static enum readplus_error seek_type(int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return READPLUS_ERR_INVAL;
    if (S_ISREG(st.st_mode))
        return READPLUS_OK;
    if (S_ISDIR(st.st_mode))
        return READPLUS_ERR_ISDIR;
    return S_ISLNK(st.st_mode) ? READPLUS_ERR_SYMLINK : READPLUS_ERR_WRONG_TYPE;
}

enum readplus_error readplus_reply_seek(struct readplus_seek_res *res, int fd,
                                        const struct readplus_seek_args *args)
{
    enum readplus_error error = seek_type(fd);
    struct stat st;
    off_t found;

    *res = (struct readplus_seek_res){0, false, 0};
    if (error == READPLUS_OK && args->what > READPLUS_CONTENT_HOLE)
        error = READPLUS_ERR_BAD_CONTENT;
    if (error != READPLUS_OK) {
        res->status = readplus_error_nfsstat(error);
        return error;
    }
    if (args->offset > INT64_MAX) {
        res->status = 6; /* NFS4ERR_NXIO: no file reaches so far */
        return READPLUS_OK;
    }
    found = lseek(fd, (off_t)args->offset,
                  args->what == READPLUS_CONTENT_DATA ? SEEK_DATA : SEEK_HOLE);
    if (found < 0)
        return seek_missed(res, fd, args->offset, errno);
    res->offset = (uint64_t)found;
    res->eof = fstat(fd, &st) == 0 && found >= st.st_size;
    return READPLUS_OK;
}

void readplus_reply_readahead(int fd, const struct readplus_args *args)
{
    uint64_t next = readplus_args_end(args);

    if (next <= INT64_MAX - (uint64_t)UINT32_MAX)
        (void)posix_fadvise(fd, (off_t)next, (off_t)args->count,
                            POSIX_FADV_WILLNEED);
}
