/*
 * What can go wrong between the library and a file, made to happen: whoever
 * includes this has its own pread, lseek, fstat, splice and send, which count,
 * fail, fall short, lie, or change the file on their way.
 */
#ifndef READPLUS_TESTS_FAULTY_H
#define READPLUS_TESTS_FAULTY_H

#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"

#define SIZE 1000000u

/* ---- system calls -------------------------------------------------------- */

/* CALL_SPLICE: into a pipe. */
enum call { CALL_FSTAT, CALL_LSEEK, CALL_PREAD, CALL_SPLICE, CALLS };

static struct {
    int made[CALLS];
    int looks[2];     /* of lseek: SEEK_DATA, SEEK_HOLE */
    size_t most;      /* bytes for each pread; 0: all */
    size_t sends;     /* the same for each send */
    off_t fails_at;   /* EIO where pread begins there or behind; -1: never */
    int fails_with;   /* ... or this; 0: EIO */
    int lseek_fails;  /* with this, always; 0: never */
    bool lies;        /* lseek: data everywhere, for 100 MiB */
    int fstat_fails;  /* from this call on, 1 the first; 0: never */
    int fstat_with;   /* with this */
    int splice_fails; /* as fstat_fails */
    int splice_with;  /* with this */
    int interrupts;   /* EINTR, so many times */
    int pauses;       /* the same for splice out of a pipe */
    bool always;      /* not the nth: each of them */
    enum call when;   /* before this call ... */
    int nth;          /* ... the nth of it, */
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

static inline bool interrupted(int *left)
{
    if (*left == 0)
        return false;
    --*left;
    errno = EINTR;
    return true;
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
    if (interrupted(&world.interrupts))
        return -1;
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
    if (world.lies)
        return whence == SEEK_HOLE ? offset + (100 << 20) : offset;
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

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    ssize_t (*real)(int, const void *, size_t, int);

    libc(&real, "send");
    if (world.sends != 0 && len > world.sends)
        len = world.sends;
    return real(fd, bytes, len, flags);
}

ssize_t splice(int in, loff_t *in_at, int out, loff_t *out_at, size_t len,
               unsigned flags)
{
    ssize_t (*real)(int, loff_t *, int, loff_t *, size_t, unsigned), n;

    libc(&real, "splice");
    if (interrupted(in_at != NULL ? &world.interrupts : &world.pauses))
        return -1;
    if (in_at == NULL)
        return real(in, in_at, out, out_at, len, flags);
    before(CALL_SPLICE, in);
    if (world.splice_fails != 0 &&
        world.made[CALL_SPLICE] >= world.splice_fails) {
        errno = world.splice_with;
        return -1;
    }
    n = real(in, in_at, out, out_at, len, flags);
    happen(CALL_SPLICE, in, world.then);
    return n;
}

/* An empty file without a name, in READPLUS_TEST_DIR or the build folder; in a
 * world without faults. */
static inline int faultless_file(void)
{
    const char *dir = getenv("READPLUS_TEST_DIR");
    char name[4096];
    int fd;

    memset(&world, 0, sizeof(world));
    world.fails_at = -1;
    snprintf(name, sizeof(name), "%s/check_faults.XXXXXX", dir ? dir : ".");
    fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(unlink(name), 0);
    return fd;
}

#endif /* READPLUS_TESTS_FAULTY_H */
