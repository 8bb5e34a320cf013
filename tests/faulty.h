/*
 * What can go wrong between the library and a file, made to happen: whoever
 * includes this has its own pread, lseek and fstat, through which the library
 * reads, and which fail, fall short, or change the file on their way.
 */
#ifndef READPLUS_TESTS_FAULTY_H
#define READPLUS_TESTS_FAULTY_H

#undef _FORTIFY_SOURCE
#include <readplus.h>
#include <readplus/reply.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"

#define SIZE 1000000u

/* ---- system calls -------------------------------------------------------- */

enum call { CALL_FSTAT, CALL_LSEEK, CALL_PREAD, CALLS };

static struct {
    int made[CALLS];
    int looks[2];         /* of lseek: SEEK_DATA, SEEK_HOLE */
    size_t most;          /* bytes for each pread; 0: all */
    off_t fails_at;       /* EIO where it begins there or behind; -1: never */
    int fails_with;       /* ... or this; 0: EIO */
    int lseek_fails;      /* with this, always; 0: never */
    int fstat_fails;      /* from this call on, 1 the first; 0: never */
    int fstat_with;       /* with this */
    int interrupts;       /* EINTR, so many times */
    bool always;          /* not the nth: each of them */
    enum call when;       /* before this call ... */
    int nth;              /* ... the nth of it, */
    void (*what)(int fd); /* this is done */
    void (*then)(int fd); /* and this behind it */
} world;

static inline void happen(enum call call, int fd, void (*what)(int fd))
{
    if (what != NULL && call == world.when &&
        (world.always || world.made[call] == world.nth))
        what(fd);
}

static inline void before(enum call call, int fd)
{
    world.made[call]++;
    happen(call, fd, world.what);
}

/* *function becomes libc's own; a program compiled for files of 64 bits calls
 * these by names of their own. */
static inline void libc(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (found == NULL)
        ck_abort_msg("no %s", name);
    memcpy(function, &found, sizeof(found));
}

ssize_t pread(int fd, void *buffer, size_t len, off_t offset)
{
    ssize_t (*real)(int, void *, size_t, off_t);
    ssize_t n;

    libc(&real, "pread64");
    before(CALL_PREAD, fd);
    if (world.interrupts > 0) {
        world.interrupts--;
        errno = EINTR;
        return -1;
    }
    if (world.fails_at >= 0) {
        if (offset >= world.fails_at) {
            errno = world.fails_with ? world.fails_with : EIO;
            return -1;
        }
        if (len > (size_t)(world.fails_at - offset))
            len = (size_t)(world.fails_at - offset);
    }
    if (world.most != 0 && len > world.most)
        len = world.most;
    n = real(fd, buffer, len, offset);
    happen(CALL_PREAD, fd, world.then);
    return n;
}

off_t lseek(int fd, off_t offset, int whence)
{
    off_t (*real)(int, off_t, int), n;
    int number;

    libc(&real, "lseek64");
    before(CALL_LSEEK, fd);
    if (whence == SEEK_DATA || whence == SEEK_HOLE)
        world.looks[whence == SEEK_HOLE]++;
    if (world.lseek_fails != 0) {
        errno = world.lseek_fails;
        return -1;
    }
    n = real(fd, offset, whence);
    number = errno;
    happen(CALL_LSEEK, fd, world.then);
    errno = number;
    return n;
}

int fstat(int fd, struct stat *st)
{
    int (*real)(int, struct stat *);

    libc(&real, "fstat64");
    before(CALL_FSTAT, fd);
    if (world.fstat_fails != 0 && world.made[CALL_FSTAT] >= world.fstat_fails) {
        errno = world.fstat_with;
        return -1;
    }
    return real(fd, st);
}

/* ---- one file ------------------------------------------------------------ */

static struct readplus_reply reply;
static struct readplus_limits limits;
static struct readplus_result result;
static uint8_t got[SIZE];

static inline void write_at(int fd, int byte, size_t len, off_t offset)
{
    uint8_t *bytes = malloc(len);

    ck_assert_ptr_nonnull(bytes);
    memset(bytes, byte, len);
    ck_assert_int_eq(pwrite(fd, bytes, len, offset), (ssize_t)len);
    free(bytes);
}

/* SIZE bytes: data to 100000, a hole to 900000, data to the end; old enough
 * that a change shows in its ctime. */
static inline int file_with_hole(void)
{
    static const struct timespec tick = {0, 30000000};
    const char *dir = getenv("READPLUS_TEST_DIR");
    char name[4096];
    int fd;

    snprintf(name, sizeof(name), "%s/check_faults.XXXXXX", dir ? dir : ".");
    fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(unlink(name), 0);
    write_at(fd, 'x', 100000, 0);
    write_at(fd, 'y', 100000, 900000);
    nanosleep(&tick, NULL);
    memset(&world, 0, sizeof(world));
    world.fails_at = -1;
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    return fd;
}

/* Asks, and delivers what comes. */
static inline enum readplus_error ask(int fd, uint64_t offset, uint32_t count,
                                      struct readplus_hint *hint)
{
    struct readplus_args args = {offset, count, {0, {0}}};
    size_t len = readplus_reply_buffer(count, &limits);
    static uint8_t *buffer; /* the reply stays until the next */
    struct iovec to = {got, SIZE};
    struct readplus_decoder decoder;
    enum readplus_error error;

    free(buffer);
    buffer = malloc(len);
    ck_assert_ptr_nonnull(buffer);
    memset(world.made, 0, sizeof(world.made));
    memset(world.looks, 0, sizeof(world.looks));
    error = readplus_reply_fd(&reply, fd, &args, &limits, hint, buffer, len);
    ck_assert_int_eq(
        readplus_decoder_init(&decoder, &args, reply.iov, reply.entries, 0),
        READPLUS_OK);
    ck_assert_int_eq(readplus_scatter(&decoder, &to, 1, 0, &result),
                     READPLUS_OK);
    return error;
}

/* Of the bytes delivered from `offset` on: 'x', 'y' or 0, as they lie there. */
static inline void check_file(uint64_t offset)
{
    uint64_t i;

    for (i = 0; i < result.bytes; i++) {
        uint64_t at = offset + i;
        int byte = at < 100000 ? 'x' : at < 900000 ? 0 : 'y';

        if (got[i] != byte)
            ck_abort_msg("byte %llu is %d", (unsigned long long)at, got[i]);
    }
}

/* How many calls the last request made. */
static inline void check_calls(int fstats, int lseeks, int preads)
{
    ck_assert_int_eq(world.made[CALL_FSTAT], fstats);
    ck_assert_int_eq(world.made[CALL_LSEEK], lseeks);
    ck_assert_int_eq(world.made[CALL_PREAD], preads);
}

/* How many look-ups it made, without the first, for the front. */
static inline void check_looks(int datas, int holes)
{
    ck_assert_int_eq(world.looks[0] - 1, datas);
    ck_assert_int_eq(world.looks[1], holes);
}

#endif /* READPLUS_TESTS_FAULTY_H */
