/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments into a file.  The file is known to be zero from `dirty` on: that is
 * where a hole costs nothing.  Never a read of the file, and no system call on
 * anything but the caller's descriptor.
 */
#define _GNU_SOURCE /* fallocate */

#include <readplus/restore.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checked.h"

/* The largest offset that a file can have. */
#define FILE_MAX ((uint64_t)INT64_MAX)

/* Of the file systems in use, bytes. */
#define LARGEST_BLOCK 65536

static enum readplus_error fail(struct readplus_restore *restore, int error)
{
    restore->error = error;
    return READPLUS_ERR_IO;
}

enum readplus_error readplus_restore_init(struct readplus_restore *restore,
                                          int fd, uint32_t flags)
{
    struct stat st;
    int mode;

    *restore = (struct readplus_restore){.fd = fd, .flags = flags};
    if ((flags & ~(READPLUS_RESTORE_SPARSE | READPLUS_RESTORE_CLIP)) != 0)
        return READPLUS_ERR_INVAL;
    mode = fcntl(fd, F_GETFL);
    if (mode < 0 || fstat(fd, &st) != 0)
        return fail(restore, errno);
    if (S_ISDIR(st.st_mode))
        return READPLUS_ERR_ISDIR;
    if (!S_ISREG(st.st_mode))
        return READPLUS_ERR_WRONG_TYPE;
    if ((mode & O_ACCMODE) == O_RDONLY)
        return READPLUS_ERR_ACCESS;
    if ((mode & O_APPEND) != 0)
        return READPLUS_ERR_INVAL;
    restore->dirty = (uint64_t)st.st_size;
    return READPLUS_OK;
}

void readplus_restore_set_progress(struct readplus_restore *restore,
                                   readplus_restore_progress *progress,
                                   void *context)
{
    restore->progress = progress;
    restore->context = context;
}

/* --- system calls -------------------------------------------------------- */

/* Writes all of it. */
static enum readplus_error put(struct readplus_restore *restore,
                               const uint8_t *bytes, size_t len,
                               uint64_t offset)
{
    if (offset > FILE_MAX || len > FILE_MAX - offset)
        return fail(restore, EFBIG);
    while (len > 0) {
        ssize_t got = pwrite(restore->fd, bytes, len, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail(restore, got < 0 ? errno : EIO);
        bytes += got;
        len -= (size_t)got;
        offset += (uint64_t)got;
        restore->dirty = max64(restore->dirty, offset);
    }
    return READPLUS_OK;
}

/* What a file system without holes gets in their place. */
static enum readplus_error put_zeros(struct readplus_restore *restore,
                                     uint64_t offset, uint64_t length)
{
    static const uint8_t zeros[65536];
    enum readplus_error error = READPLUS_OK;

    while (length > 0 && error == READPLUS_OK) {
        size_t len = (size_t)min64(length, sizeof(zeros));

        error = put(restore, zeros, len, offset);
        offset += len;
        length -= len;
    }
    return error;
}

/* Makes the range, which ends at `dirty` at most, read as zeros. */
static enum readplus_error punch(struct readplus_restore *restore,
                                 uint64_t offset, uint64_t length)
{
    int done = -1;

    while (!restore->no_punch && done != 0) {
        done =
            fallocate(restore->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      (off_t)offset, (off_t)length);
        if (done == 0 || errno == EINTR)
            continue;
        if (errno != EOPNOTSUPP && errno != ENOSYS)
            return fail(restore, errno);
        restore->no_punch = true;
    }
    return done == 0 ? READPLUS_OK : put_zeros(restore, offset, length);
}

/* --- data and holes ------------------------------------------------------ */

static void report(const struct readplus_restore *restore,
                   enum readplus_content content, uint64_t offset,
                   uint64_t length)
{
    struct readplus_extent done = {content, offset, length};

    if (restore->progress != NULL)
        restore->progress(restore->context, &done);
}

/*
 * Where to punch from.  A hole told in two parts that meet inside a block would
 * leave that block allocated, so the second part takes the end of the first
 * along; both are zero.
 */
static uint64_t punch_from(const struct readplus_restore *restore,
                           uint64_t offset)
{
    if (restore->no_punch || offset != restore->hole_end)
        return offset;
    return offset - min64(offset - restore->hole_begin, LARGEST_BLOCK);
}

static enum readplus_error put_hole(struct readplus_restore *restore,
                                    uint64_t offset, uint64_t length)
{
    uint64_t dirty = min64(offset + length, restore->dirty);

    if (offset < dirty) {
        uint64_t from = punch_from(restore, offset);
        enum readplus_error error = punch(restore, from, dirty - from);

        if (error != READPLUS_OK)
            return error;
    }
    if (offset != restore->hole_end)
        restore->hole_begin = offset;
    restore->hole_end = offset + length;
    report(restore, READPLUS_CONTENT_HOLE, offset, length);
    return READPLUS_OK;
}

static enum readplus_error put_data(struct readplus_restore *restore,
                                    const uint8_t *bytes, size_t len,
                                    uint64_t offset)
{
    enum readplus_error error;

    restore->hole_begin = restore->hole_end; /* it may lie in that hole */
    error = put(restore, bytes, len, offset);
    if (error == READPLUS_OK)
        report(restore, READPLUS_CONTENT_DATA, offset, len);
    return error;
}

static bool all_zero(const uint8_t *bytes, size_t len)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/* How many bytes, not none, are zero blocks (or blocks that are not). */
static size_t run_of(const uint8_t *bytes, size_t len, uint64_t offset,
                     bool *zero)
{
    size_t run = 0;

    while (run < len) {
        uint64_t behind = (offset + run) % READPLUS_RESTORE_BLOCK;
        size_t block =
            (size_t)min64(READPLUS_RESTORE_BLOCK - behind, len - run);
        bool is_zero = all_zero(bytes + run, block);

        if (run == 0)
            *zero = is_zero;
        if (is_zero != *zero)
            break;
        run += block;
    }
    return run;
}

/* Data in one piece, its zeros left out where that is wanted. */
static enum readplus_error put_bytes(struct readplus_restore *restore,
                                     const uint8_t *bytes, size_t len,
                                     uint64_t offset)
{
    if ((restore->flags & READPLUS_RESTORE_SPARSE) == 0)
        return put_data(restore, bytes, len, offset);
    while (len > 0) {
        bool zero = false;
        size_t run = run_of(bytes, len, offset, &zero);
        enum readplus_error error = zero
                                        ? put_hole(restore, offset, run)
                                        : put_data(restore, bytes, run, offset);

        if (error != READPLUS_OK)
            return error;
        bytes += run;
        len -= run;
        offset += run;
    }
    return READPLUS_OK;
}

/* Data in pieces: through a buffer, since small writes cost more than copies. */
static enum readplus_error put_pieces(struct readplus_restore *restore,
                                      const struct readplus_decoder *decoder,
                                      const struct readplus_segment *segment,
                                      uint64_t skip, uint64_t length)
{
    uint8_t buffer[4 * READPLUS_RESTORE_BLOCK];

    while (length > 0) {
        uint64_t offset = segment->offset + skip;
        uint64_t behind = offset % READPLUS_RESTORE_BLOCK;
        size_t len = (size_t)min64(sizeof(buffer) - behind, length);
        enum readplus_error error =
            readplus_decoder_data_copy(decoder, segment, skip, buffer, len);

        if (error == READPLUS_OK)
            error = put_bytes(restore, buffer, len, offset);
        if (error != READPLUS_OK)
            return error;
        skip += len;
        length -= len;
    }
    return READPLUS_OK;
}

/* --- segments ------------------------------------------------------------ */

/*
 * What of a segment is to be restored: [*from, *to).  What begins past the end
 * of the request is not, since something before it may have been clipped; a
 * hole that begins just there is as good as one that reaches further.
 */
static void wanted(const struct readplus_restore *restore,
                   const struct readplus_args *args,
                   const struct readplus_segment *segment, uint64_t *from,
                   uint64_t *to)
{
    *from = segment->offset;
    *to = segment->offset + segment->length;
    if (args == NULL)
        return;
    if (segment->offset > readplus_args_end(args))
        *to = *from;
    if (segment->content == READPLUS_CONTENT_DATA ||
        (restore->flags & READPLUS_RESTORE_CLIP) != 0)
        *to = min64(*to, readplus_args_end(args));
    *from = max64(*from, args->offset);
    *to = max64(*to, *from);
}

/* With a decoder, data may be in pieces. */
static enum readplus_error restore_part(struct readplus_restore *restore,
                                        const struct readplus_decoder *decoder,
                                        const struct readplus_segment *segment,
                                        uint64_t from, uint64_t to)
{
    uint64_t skip = from - segment->offset;
    enum readplus_error error;

    if (from == to)
        return READPLUS_OK;
    if (segment->content == READPLUS_CONTENT_HOLE)
        error = put_hole(restore, from, to - from);
    else if (segment->data != NULL)
        error =
            put_bytes(restore, segment->data + skip, (size_t)(to - from), from);
    else if (decoder != NULL)
        error = put_pieces(restore, decoder, segment, skip, to - from);
    else
        error = READPLUS_ERR_INVAL;
    if (error == READPLUS_OK)
        restore->next = to;
    return error;
}

enum readplus_error readplus_restore_segment(
    struct readplus_restore *restore, const struct readplus_args *args,
    const struct readplus_segment *segment)
{
    uint64_t from, to;

    wanted(restore, args, segment, &from, &to);
    return restore_part(restore, NULL, segment, from, to);
}

/* One segment of a reply, counted. */
static enum readplus_error restore_next(struct readplus_restore *restore,
                                        const struct readplus_decoder *decoder,
                                        const struct readplus_segment *segment,
                                        struct readplus_result *result)
{
    uint64_t from, to;
    enum readplus_error error;

    wanted(restore, &decoder->args, segment, &from, &to);
    if (to < segment->offset + segment->length)
        result->eof = false;
    error = restore_part(restore, decoder, segment, from, to);
    if (error != READPLUS_OK) {
        result->fault =
            (struct readplus_fault){error, decoder->count - decoder->left - 1,
                                    readplus_decoder_at(decoder)};
        return error;
    }
    result->bytes += to - from;
    if (segment->content == READPLUS_CONTENT_HOLE)
        result->zero_bytes += to - from;
    return READPLUS_OK;
}

enum readplus_error readplus_restore_reply(struct readplus_restore *restore,
                                           struct readplus_decoder *decoder,
                                           struct readplus_result *result)
{
    enum readplus_error error = decoder->fault.error;
    struct readplus_segment segment;

    if (!decoder->ranged)
        return READPLUS_ERR_INVAL;
    if (decoder->left != decoder->count)
        return READPLUS_ERR_STATE;
    *result =
        (struct readplus_result){.eof = decoder->eof, .fault = decoder->fault};
    if (error == READPLUS_OK) {
        while ((error = readplus_decoder_next(decoder, &segment)) ==
                   READPLUS_OK &&
               (error = restore_next(restore, decoder, &segment, result)) ==
                   READPLUS_OK)
            ;
        if (error != READPLUS_END)
            result->eof = false;
        if (error == READPLUS_END ||
            (error == decoder->fault.error &&
             (decoder->flags & READPLUS_DECODE_TOLERANT) != 0))
            error = READPLUS_OK;
    }
    if (decoder->fault.error != READPLUS_OK)
        result->fault = decoder->fault;
    result->progress = result->bytes > 0 || result->eof ||
                       decoder->status != 0 || decoder->args.count == 0;
    return error;
}

uint64_t readplus_restore_next(const struct readplus_restore *restore)
{
    return restore->next;
}

/* --- the end ------------------------------------------------------------- */

enum readplus_error readplus_restore_finish(struct readplus_restore *restore,
                                            uint64_t size)
{
    int done;

    if (size > FILE_MAX)
        return fail(restore, EFBIG);
    if (size == restore->hole_end && size < restore->dirty &&
        !restore->no_punch) {
        /* The last block, of which the hole has a part and the old end, soon
         * cut off, the rest. */
        uint64_t from = punch_from(restore, size);
        enum readplus_error error = punch(restore, from, restore->dirty - from);

        if (error != READPLUS_OK)
            return error;
    }
    do {
        done = ftruncate(restore->fd, (off_t)size);
    } while (done != 0 && errno == EINTR);
    return done == 0 ? READPLUS_OK : fail(restore, errno);
}

int readplus_restore_errno(const struct readplus_restore *restore)
{
    return restore->error;
}
