/*
 * What the tests of restore share: a device that fails when told to, files,
 * and a model file with the replies of a server that has it.
 */
#ifndef READPLUS_TESTS_RESTORE_RIG_H
#define READPLUS_TESTS_RESTORE_RIG_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <readplus/encode.h>
#include <readplus/restore.h>

#include "guard.h"

#define DATA READPLUS_CONTENT_DATA
#define HOLE READPLUS_CONTENT_HOLE
#define BLOCK READPLUS_RESTORE_BLOCK

/* --- a device that fails when told to ------------------------------------ */

static struct {
    int countdown; /* calls that go well before one fails; -1: all do */
    int error;     /* with this */
    size_t most;   /* bytes in one write; 0: all */
    bool no_punch; /* a file system without holes */
    bool no_stat;  /* not even that */
    bool stuck;    /* writes nothing, and says so */
    int no_punch_error;
    int interruptions; /* each call is first interrupted */
    int writes, punches, truncations;
} device;

static inline void well(void)
{
    memset(&device, 0, sizeof(device));
    device.countdown = -1;
}

static inline bool fails(void)
{
    static bool interrupted;

    if (device.interruptions > 0 && !interrupted) {
        device.interruptions--;
        interrupted = true;
        errno = EINTR;
        return true;
    }
    interrupted = false;
    if (device.countdown < 0 || device.countdown-- > 0)
        return false;
    device.countdown = 0; /* from now on */
    errno = device.error;
    return true;
}

/* Under these names the library finds them instead of libc's. */
ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off_t);

    *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
    device.writes++;
    if (device.most > 0 && len > device.most)
        len = device.most;
    if (device.stuck) {
        errno = ENOENT; /* nobody's business */
        return 0;
    }
    return fails() ? -1 : real(fd, bytes, len, offset);
}

int fallocate(int fd, int mode, off_t offset, off_t len)
{
    int (*real)(int, int, off_t, off_t);

    *(void **)&real = dlsym(RTLD_NEXT, "fallocate64");
    device.punches++;
    if (device.no_punch) {
        errno = device.no_punch_error != 0 ? device.no_punch_error : EOPNOTSUPP;
        return -1;
    }
    return fails() ? -1 : real(fd, mode, offset, len);
}

int fstat(int fd, struct stat *st)
{
    int (*real)(int, struct stat *);

    *(void **)&real = dlsym(RTLD_NEXT, "fstat64");
    if (!device.no_stat)
        return real(fd, st);
    errno = EIO;
    return -1;
}

int ftruncate(int fd, off_t size)
{
    int (*real)(int, off_t);

    *(void **)&real = dlsym(RTLD_NEXT, "ftruncate64");
    device.truncations++;
    return fails() ? -1 : real(fd, size);
}

/* --- files --------------------------------------------------------------- */

#define MODEL (64 * BLOCK)

static uint8_t model[MODEL], content[MODEL];

static inline int new_file(const void *bytes, size_t len)
{
    int fd = memfd_create("restore", 0);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, len), (ssize_t)len);
    return fd;
}

static inline int old_file(void)
{
    memset(content, 0xee, sizeof(content));
    return new_file(content, sizeof(content));
}

static inline void is_model(int fd, size_t size)
{
    struct stat st;

    ck_assert_int_eq(fstat(fd, &st), 0);
    ck_assert_int_eq(st.st_size, (off_t)size);
    ck_assert_int_eq(pread(fd, content, sizeof(content), 0), (ssize_t)size);
    ck_assert_mem_eq(content, model, size);
}

/* Nothing of [from, to) takes room in the file. */
static inline void is_hole(int fd, off_t from, off_t to)
{
    off_t data = lseek(fd, from, SEEK_DATA);

    ck_assert(data < 0 || data >= to);
}

static inline struct readplus_restore begun(int fd, uint32_t flags)
{
    struct readplus_restore restore;

    ck_assert_int_eq(readplus_restore_init(&restore, fd, flags), READPLUS_OK);
    return restore;
}

/* --- replies ------------------------------------------------------------- */

/* A reply in pieces of `piece` bytes (0: one), between unmapped pages. */
struct reply {
    struct guarded g;
    struct iovec pieces[4 * MODEL / 700];
    struct readplus_decoder decoder;
};

static inline void reply_init(struct reply *r, const struct readplus_args *args,
                              bool eof, const struct readplus_segment *segments,
                              size_t count, size_t piece)
{
    static uint8_t buffer[2 * MODEL];
    size_t size, at, n = 0;

    ck_assert_int_eq(readplus_res_encode(0, eof, segments, count, buffer,
                                         sizeof(buffer), &size, NULL),
                     READPLUS_OK);
    r->g = guarded_copy(buffer, size, true);
    for (at = 0; at < size; at += piece) {
        if (piece == 0 || piece > size - at)
            piece = size - at;
        r->pieces[n++] = (struct iovec){r->g.bytes + at, piece};
    }
    ck_assert_int_eq(readplus_decoder_init(&r->decoder, args, r->pieces, n, 0),
                     READPLUS_OK);
}

static uint32_t seed;

static inline uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* Blocks of data and blocks of zeros; the size is odd. */
static inline size_t make_model(void)
{
    size_t size = MODEL - below(3 * BLOCK), at = 0;

    memset(model, 0, sizeof(model));
    while (at < size) {
        size_t n = (1 + below(6)) * BLOCK;

        for (; n > 0 && at < size; n--, at++)
            model[at] = (uint8_t)(1 + at % 251);
        at += (1 + below(6)) * BLOCK;
    }
    return size;
}

/* The answer to a request: what the model has, split and cut at will. */
static inline void answer(struct reply *r, const struct readplus_args *args,
                          size_t size, bool whole)
{
    struct readplus_segment segments[16];
    size_t count = 0, most = 1 + below(8);
    uint64_t at = args->offset, end = readplus_args_end(args);

    while (at < end && at < size && count < most) {
        uint64_t to = at;
        bool hole = model[at] == 0;

        while (to < size && (model[to] == 0) == hole)
            to++;
        if (to > end && !(hole && whole))
            to = end;
        if (below(4) == 0)
            to = at + 1 + below((uint32_t)(to - at));
        segments[count++] = (struct readplus_segment){
            hole ? HOLE : DATA, at, to - at, hole ? NULL : model + at};
        at = to;
    }
    reply_init(r, args, at >= size, segments, count, below(2) ? 0 : 700);
}

/* Reads the model through replies to its end. */
static inline void restore_model(struct readplus_restore *restore, size_t size,
                                 bool whole)
{
    uint64_t at = 0;
    bool eof = false;

    while (!eof) {
        struct readplus_args args = {.offset = at,
                                     .count = 1 + below(10 * BLOCK)};
        struct readplus_result result;
        struct reply r;

        answer(&r, &args, size, whole);
        ck_assert_int_eq(readplus_restore_reply(restore, &r.decoder, &result),
                         READPLUS_OK);
        ck_assert(result.progress);
        ck_assert_int_eq(result.fault.error, READPLUS_OK);
        at += result.bytes;
        eof = result.eof;
        guarded_free(&r.g);
    }
    ck_assert_uint_eq(at, size);
    ck_assert_int_eq(readplus_restore_finish(restore, size), READPLUS_OK);
}

static inline void holes_are_kept(int fd, size_t size)
{
    size_t at, to;

    for (at = 0; at < size; at = to) {
        for (to = at; to < size && (model[to] == 0) == (model[at] == 0);)
            to++;
        if (model[at] == 0)
            is_hole(fd, (off_t)at, (off_t)to);
    }
}

#endif
