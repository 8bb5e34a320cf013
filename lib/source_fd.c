/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A planner's source over a descriptor: at most a look-up at the front, then
 * reads, whose zeros are found in memory.  The only file that calls pread(),
 * and lseek() for READ_PLUS (reply.c has SEEK's); it never lets SEEK_HOLE walk
 * more extents than requests asked for, and never believes in a hole that a
 * writer may have filled before it was looked at.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <readplus/source.h>

#include "checked.h"
#include "hint.h"
#include "image.h"

/* What is read at once, so that it is still in the cache when it is searched
 * for zeros. */
#define PIECE (1u << 20)
/* A shorter request is read without a look-up, which takes as long, unless
 * holes were met just now. */
#define LOOK_COUNT 32768
/* A hole at the front that is worth a look-up rather than a read; below this
 * the planner might want its zeros. */
#define LOOK_MIN 4096
/* Zeros at the end of a request that let a look-up be worth its time in the
 * next. */
#define LOOK_AFTER 65536
/* Look-ups for a request that reads nothing, and for the ends of stored zeros:
 * so many, and one for each so many bytes. */
#define LOOKS 8
#define LOOK_PACE 65536
/* SEEK_HOLE walks all extents up to a hole, maybe a million: none is made while
 * those before went so much further than requests have asked for since. */
#define LONG_DATA ((uint64_t)64 << 20)
/* The blocks in which st_blocks counts. */
#define STAT_BLOCK 512

/* A file that ends so close to 2^63 may end inside the last page; none is
 * longer. */
#define FAR_END ((int64_t)1 << 30)

/* Of struct readplus_seen. */
#define SEEN_DENSE 0x1u /* as many blocks as the size needs */
#define SEEN_QUIET 0x2u /* a change from then on changes ctime */

static enum readplus_error errno_error(int number)
{
    switch (number) {
    case EISDIR:
        return READPLUS_ERR_ISDIR;
    case EBADF:
    case EACCES:
    case EPERM:
        return READPLUS_ERR_ACCESS;
    default:
        return READPLUS_ERR_IO;
    }
}

static bool has(const struct readplus_fd_source *s, uint32_t flag)
{
    return (s->flags & flag) != 0;
}

/* ---- look-ups ------------------------------------------------------------ */

/*
 * Where data begins at or after `offset`; the file's size where none does,
 * and `offset` itself where that cannot be told.
 *
 * "None" (ENXIO) is also the answer where the file ended before offset for a
 * moment.  It then may have been cut and written anew, and calling that a hole
 * would be a lie.  Both change ctime: readplus_fd_source_settle finds out,
 * provided that a change could be seen (SEEN_QUIET).
 */
static uint64_t find_data(struct readplus_fd_source *s, uint64_t offset)
{
    off_t found = lseek(s->fd, (off_t)offset, SEEK_DATA);

    if (found >= 0) {
        s->least = max64(s->least, (uint64_t)found + 1);
        return max64((uint64_t)found, offset);
    }
    if (errno != ENXIO || (s->seen.flags & SEEN_QUIET) == 0)
        return offset;
    s->past = true;
    return max64(s->seen.size, offset);
}

/* A hole at the front that need not be read; false where there is none worth
 * it. */
static bool look(struct readplus_fd_source *s, uint64_t offset,
                 struct readplus_extent *extent)
{
    uint64_t data, hi;

    s->seek = false;
    data = find_data(s, offset);
    if (data < s->end && has(s, READPLUS_LIMIT_ONE))
        return false;
    hi = image_front(&s->image, data, s->end);
    if (hi <= offset || hi - offset < max64(LOOK_MIN, s->image.round))
        return false;
    *extent =
        (struct readplus_extent){READPLUS_CONTENT_HOLE, offset, hi - offset};
    return true;
}

/* Whether a look-up found data here, and no hole since. */
static bool is_known_data(const struct readplus_seen *seen, uint64_t offset)
{
    return offset >= seen->data && offset < seen->data_end;
}

/* Where data that begins at `offset` ends, as far as that is known or may be
 * asked, else UINT64_MAX; nothing is lost where a hole is missed. */
static uint64_t find_hole(struct readplus_fd_source *s, uint64_t offset)
{
    struct readplus_seen *seen = &s->seen;
    off_t found;

    if (is_known_data(seen, offset))
        return seen->data_end;
    if (s->hint == NULL || s->looks == 0 || seen->debt > LONG_DATA)
        return UINT64_MAX;
    s->looks--;
    found = lseek(s->fd, (off_t)offset, SEEK_HOLE);
    if (found <= (off_t)offset)
        return UINT64_MAX;
    seen->data = offset;
    seen->data_end = (uint64_t)found;
    seen->debt += (uint64_t)found - offset;
    return seen->data_end;
}

/*
 * What a run of zeros that was read is called, where only the file system may
 * say "hole"; where the zeros are stored, how many of them are.  If that
 * cannot be told, all: but for the rest of a block whose begin is other data,
 * which says nothing about the blocks behind it.
 */
static void ask_exact(struct readplus_fd_source *s,
                      struct readplus_extent *extent)
{
    uint64_t lo = extent->offset, hi = lo + extent->length, data = lo, end;
    uint32_t block = s->image.unit > LOOK_MIN ? s->image.unit : LOOK_MIN;
    uint64_t over = modulo64(lo, block);
    off_t found;

    if (s->least != lo + 1 && !is_known_data(&s->seen, lo)) {
        found = lseek(s->fd, (off_t)lo, SEEK_DATA);
        if (found < 0 && errno == ENXIO)
            return;
        if (found >= 0) {
            data = max64((uint64_t)found, lo);
            s->least = max64(s->least, data + 1);
        }
    }
    if (data > lo) {
        extent->length = min64(data, hi) - lo;
        return;
    }
    end = find_hole(s, lo);
    if (end == UINT64_MAX && over != 0)
        end = lo - over + block;
    extent->content = READPLUS_CONTENT_DATA;
    extent->length = min64(end, hi) - lo;
}

static enum readplus_error look_next(void *context, uint64_t offset,
                                     struct readplus_extent *extent)
{
    struct readplus_fd_source *s = context;
    uint64_t data = offset, end = UINT64_MAX;

    if (offset >= s->end)
        return READPLUS_END;
    if (s->seek && s->looks > 0 && !is_known_data(&s->seen, offset)) {
        s->looks--;
        data = find_data(s, offset);
    }
    if (data > offset) {
        *extent = (struct readplus_extent){READPLUS_CONTENT_HOLE, offset,
                                           data - offset};
        return READPLUS_OK;
    }
    if (s->seek)
        end = find_hole(s, offset);
    *extent = (struct readplus_extent){READPLUS_CONTENT_DATA, offset,
                                       min64(end, s->end) - offset};
    return READPLUS_OK;
}

/* ---- reads --------------------------------------------------------------- */

/* Reads on behind what was read; *got may be less, at the end of the file or
 * of what can be read. */
static enum readplus_error read_piece(struct readplus_fd_source *s,
                                      uint64_t offset, uint64_t want,
                                      uint64_t *got)
{
    struct readplus_image *image = &s->image;
    uint8_t *to = image->bytes + image->length;

    *got = 0;
    while (*got < want) {
        ssize_t n = pread(s->fd, to + *got, (size_t)(want - *got),
                          (off_t)(offset + *got));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return *got > 0 ? READPLUS_OK : errno_error(errno);
        if (n == 0)
            break;
        *got += (uint64_t)n;
    }
    return READPLUS_OK;
}

/* How much to read at once: to the end of a block where that is possible, so
 * that no block is judged by halves. */
static uint64_t piece_length(const struct readplus_fd_source *s,
                             uint64_t offset)
{
    uint64_t want = min64(s->end - offset, s->image.room - s->image.length);
    uint64_t over;

    if (want <= PIECE)
        return want;
    over = modulo64(offset + PIECE, s->image.unit);
    return over < PIECE ? PIECE - over : PIECE;
}

static enum readplus_error extend(struct readplus_fd_source *s, uint64_t offset)
{
    uint64_t want = piece_length(s, offset), got;
    enum readplus_error error;

    if (want == 0)
        return READPLUS_END;
    if (s->image.length == 0)
        s->image.offset = offset;
    error = read_piece(s, offset, want, &got);
    if (error != READPLUS_OK)
        return error;
    s->image.length += got;
    return got == 0 ? READPLUS_END : READPLUS_OK;
}

static enum readplus_error fd_next(void *context, uint64_t offset,
                                   struct readplus_extent *extent)
{
    struct readplus_fd_source *s = context;
    struct readplus_image *image = &s->image;
    enum readplus_error error;

    if (offset >= s->end)
        return READPLUS_END;
    if (image->length == 0 && s->seek && look(s, offset, extent))
        return READPLUS_OK;
    if (image->length == 0 || offset >= image_end(image)) {
        error = extend(s, offset);
        if (error != READPLUS_OK)
            return error;
    }
    if (has(s, READPLUS_LIMIT_NO_HOLES)) {
        *extent = (struct readplus_extent){READPLUS_CONTENT_DATA, image->offset,
                                           image->length};
        return READPLUS_OK;
    }
    image_run(image, offset, extent);
    if (extent->content == READPLUS_CONTENT_HOLE &&
        has(s, READPLUS_LIMIT_EXACT))
        ask_exact(s, extent);
    if (extent->content == READPLUS_CONTENT_HOLE &&
        has(s, READPLUS_LIMIT_WHOLE) && s->end < s->seen.size &&
        extent->offset + extent->length == s->end)
        extent->length = find_data(s, s->end) - extent->offset;
    return READPLUS_OK;
}

/* ---- the object ---------------------------------------------------------- */

/*
 * Whether a change of the file from `now` on can be told from its ctime: that
 * is never earlier than the coarse clock, so one that is older will differ.
 */
static bool is_quiet(const struct stat *st, const struct timespec *now)
{
    if (st->st_ctim.tv_sec != now->tv_sec)
        return st->st_ctim.tv_sec < now->tv_sec;
    return st->st_ctim.tv_nsec < now->tv_nsec;
}

/*
 * Whether "no data from here on" can be believed of a file so long.  Linux
 * rounds its end up to a page, which on tmpfs wraps for the last ones before
 * 2^63: there even stored bytes are denied.  A file without a block has none.
 */
static bool ends_are_told(const struct stat *st)
{
    return st->st_blocks == 0 || st->st_size <= INT64_MAX - FAR_END;
}

/* fstat(), as a record; only a regular file has one. */
static enum readplus_error see(int fd, struct readplus_seen *seen)
{
    struct timespec now = {0, 0};
    struct stat st;
    bool dense, told;

    (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (fstat(fd, &st) != 0)
        return errno == EBADF ? READPLUS_ERR_INVAL : READPLUS_ERR_IO;
    if (S_ISDIR(st.st_mode))
        return READPLUS_ERR_ISDIR;
    if (S_ISLNK(st.st_mode))
        return READPLUS_ERR_SYMLINK;
    if (!S_ISREG(st.st_mode))
        return READPLUS_ERR_WRONG_TYPE;
    dense = (uint64_t)st.st_blocks >= (uint64_t)st.st_size / STAT_BLOCK;
    told = is_quiet(&st, &now) && ends_are_told(&st);
    *seen = (struct readplus_seen){.device = (uint64_t)st.st_dev,
                                   .inode = (uint64_t)st.st_ino,
                                   .size = (uint64_t)st.st_size,
                                   .ctime_sec = st.st_ctim.tv_sec,
                                   .ctime_nsec = st.st_ctim.tv_nsec,
                                   .next = UINT64_MAX,
                                   .flags = (dense ? SEEN_DENSE : 0) |
                                            (told ? SEEN_QUIET : 0)};
    return READPLUS_OK;
}

static bool changed(const struct readplus_seen *before,
                    const struct readplus_seen *after)
{
    return before->ctime_sec != after->ctime_sec ||
           before->ctime_nsec != after->ctime_nsec;
}

/* Where the next request, if it goes on here, should read before it looks:
 * not where this one ended in a long run of zeros, or met nothing else. */
static uint64_t read_next(const struct readplus_image *image)
{
    uint64_t zeros = image->run_zero ? image->run_end - image->run : 0;

    if (zeros >= LOOK_AFTER || zeros == image->length)
        return UINT64_MAX;
    return image_end(image);
}

/* Whether a request should look before it reads. */
static bool look_first(const struct readplus_fd_source *s,
                       const struct readplus_args *args)
{
    if (args->count < LOOK_COUNT)
        return s->hinted && s->seen.next == UINT64_MAX;
    return s->seen.next != args->offset;
}

/* What both kinds have in common. */
static enum readplus_error begin(struct readplus_fd_source *s, int fd,
                                 const struct readplus_args *args,
                                 const struct readplus_limits *limits,
                                 struct readplus_hint *hint)
{
    enum readplus_error error;

    /* Field by field: to clear it all first takes longer than the rest. */
    s->hint = hint;
    s->least = 0;
    s->fd = fd;
    s->flags = limits->flags;
    s->past = false;
    s->hinted = hint_load(hint, &s->seen);
    if (!s->hinted) {
        error = see(fd, &s->seen);
        if (error != READPLUS_OK)
            return error;
    }
    s->wanted = readplus_args_end(args);
    s->end = min64(s->wanted, s->seen.size);
    s->seek =
        !has(s, READPLUS_LIMIT_NO_HOLES) && (s->seen.flags & SEEN_DENSE) == 0;
    return READPLUS_OK;
}

/* What the look-ups of a request may cost, and what it pays for those before. */
static void allow_looks(struct readplus_fd_source *s,
                        const struct readplus_args *args)
{
    s->looks = LOOKS + args->count / LOOK_PACE;
    s->seen.debt -= min64(s->seen.debt, args->count);
}

enum readplus_error readplus_fd_source_init(
    struct readplus_fd_source *s, int fd, const struct readplus_args *args,
    const struct readplus_limits *limits, struct readplus_hint *hint,
    void *buffer, size_t len, struct readplus_source *source)
{
    enum readplus_error error = begin(s, fd, args, limits, hint);

    if (error != READPLUS_OK)
        return error;
    s->image = image_make(buffer, len, limits);
    allow_looks(s, args);
    s->seek = s->seek && look_first(s, args);
    *source = (struct readplus_source){fd_next, s};
    return READPLUS_OK;
}

enum readplus_error readplus_fd_source_init_look(
    struct readplus_fd_source *s, int fd, const struct readplus_args *args,
    const struct readplus_limits *limits, struct readplus_hint *hint,
    struct readplus_source *source)
{
    enum readplus_error error = begin(s, fd, args, limits, hint);

    if (error != READPLUS_OK)
        return error;
    s->image = image_make(NULL, 0, limits);
    allow_looks(s, args);
    *source = (struct readplus_source){look_next, s};
    return READPLUS_OK;
}

uint64_t readplus_fd_source_size(const struct readplus_fd_source *s)
{
    return s->seen.size;
}

void readplus_fd_source_look(struct readplus_fd_source *s, bool may)
{
    if (may)
        return;
    s->seek = false;
    s->seen.flags &= ~(uint64_t)SEEN_QUIET;
}

enum readplus_error readplus_fd_source_settle(struct readplus_fd_source *s,
                                              uint64_t *file_size)
{
    struct readplus_seen after;
    enum readplus_error error;

    /* A look-up that found data behind the request has said enough. */
    if (s->image.length == 0 && s->least > s->end && s->wanted == s->end) {
        if (!s->hinted)
            hint_keep(s->hint, &s->seen);
        *file_size = s->least;
        return READPLUS_OK;
    }
    error = see(s->fd, &after);
    if (error != READPLUS_OK)
        return error;
    after.next = read_next(&s->image);
    after.debt = s->seen.debt;
    if (!changed(&s->seen, &after)) {
        after.data = s->seen.data;
        after.data_end = s->seen.data_end;
    }
    hint_keep(s->hint, &after);
    if (after.device != s->seen.device || after.inode != s->seen.inode)
        return READPLUS_ERR_CHANGED;
    if (s->past && changed(&s->seen, &after))
        return READPLUS_ERR_CHANGED;
    *file_size = after.size;
    return READPLUS_OK;
}

const uint8_t *readplus_fd_source_data(const struct readplus_fd_source *s,
                                       uint64_t offset, uint64_t length)
{
    return image_data(&s->image, offset, length);
}
