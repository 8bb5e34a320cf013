/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that grows, shrinks and is punched on the server while it is read
 * through the mount.  Blocks of its first half are for ever data, for ever a
 * hole, or punched and written again; the second half comes and goes.  Every
 * byte of it is either zero or the one that its offset says, and which of them
 * a block may show is known whatever the moment: a hole never stands for data.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

#define NAME "changing"
#define BLOCK (64 * KIB)
#define FIXED (2 * MIB) /* never cut off */
#define WHOLE (4 * MIB)
#define READ_MAX (256 * KIB)

enum kind { DATA, HOLE, EITHER };

static enum kind kind_of(uint64_t key, uint64_t offset)
{
    if (offset >= FIXED)
        return EITHER;
    return (enum kind)(mix(key ^ (offset / BLOCK + 1)) % 3);
}

static void put(int fd, uint64_t key, uint64_t offset, size_t length)
{
    char *bytes = buffer(length);

    set_bytes(key, offset, bytes, length);
    if (pwrite(fd, bytes, length, (off_t)offset) != (ssize_t)length)
        die(NAME ": write: %s", strerror(errno));
    free(bytes);
}

static int lay_out(const char *dir, uint64_t key)
{
    char path[256];
    uint64_t at;
    int fd;

    path_in(path, dir, NAME);
    fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);
    if (fd < 0 || ftruncate(fd, WHOLE) != 0)
        die("%s: %s", path, strerror(errno));
    for (at = 0; at < WHOLE; at += BLOCK)
        if (kind_of(key, at) == DATA)
            put(fd, key, at, BLOCK);
    return fd;
}

/* One change, inside one block. */
static void change(int fd, uint64_t key, uint64_t *state)
{
    uint64_t at = draw(state, WHOLE), size = (uint64_t)lseek(fd, 0, SEEK_END);
    size_t length = 1 + (size_t)draw(state, BLOCK - at % BLOCK);

    switch (draw(state, 8)) {
    case 0:
        if (ftruncate(fd, (off_t)(FIXED + draw(state, WHOLE - FIXED))) != 0)
            die(NAME ": truncate: %s", strerror(errno));
        break;
    case 1:
        if (ftruncate(fd, (off_t)(size + draw(state, WHOLE - size + 1))) != 0)
            die(NAME ": truncate: %s", strerror(errno));
        break;
    case 2:
        if (size < WHOLE) /* grow by what is written */
            put(fd, key, size, (size_t)(BLOCK - size % BLOCK));
        break;
    default:
        if (kind_of(key, at) != EITHER)
            break;
        if (draw(state, 2) == 0)
            put(fd, key, at, length);
        else if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                           (off_t)at, (off_t)length) != 0)
            die(NAME ": punch: %s", strerror(errno));
    }
}

static _Noreturn void change_for_ever(int fd, uint64_t seed, uint64_t key)
{
    uint64_t state = mix(seed);

    for (;;) {
        change(fd, key, &state);
        if (draw(&state, 16) == 0)
            usleep(3000);
    }
}

/* Whether each byte is one that was there at some time. */
static bool was_there(uint64_t key, uint64_t offset, const unsigned char *got,
                      size_t length)
{
    static unsigned char want[READ_MAX];
    size_t i;

    set_bytes(key, offset, want, length);
    for (i = 0; i < length; i++) {
        enum kind kind = kind_of(key, offset + i);

        if ((got[i] == want[i] && kind != HOLE) ||
            (got[i] == 0 && kind != DATA))
            continue;
        printf("  " NAME ": byte %llu: %02x, where %s stood\n",
               (unsigned long long)offset + i, got[i],
               kind == DATA   ? "data"
               : kind == HOLE ? "a hole"
                              : "either");
        return false;
    }
    return true;
}

struct tally {
    unsigned long long reads, failed, wrong, bytes;
};

static void read_once(int fd, uint64_t key, uint64_t *state,
                      struct tally *tally)
{
    static _Alignas(PAGE) unsigned char got[READ_MAX];
    uint64_t offset = draw(state, WHOLE);
    size_t length = 1 + (size_t)draw(state, READ_MAX);
    ssize_t some = pread(fd, got, length, (off_t)offset);
    uint64_t sure = offset >= FIXED ? 0 : FIXED - offset;

    tally->reads++;
    if (some < 0) {
        tally->failed++;
        printf("  " NAME ": read of %zu at %llu: %s\n", length,
               (unsigned long long)offset, strerror(errno));
        return;
    }
    tally->bytes += (unsigned long long)some;
    if ((uint64_t)some < (sure < length ? sure : length)) {
        printf("  " NAME ": read of %zu at %llu: %zd bytes\n", length,
               (unsigned long long)offset, some);
        tally->wrong++;
    } else if (!was_there(key, offset, got, (size_t)some)) {
        tally->wrong++;
    }
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* change MOUNTPOINT LOCAL SEED SECONDS direct|buffered */
int cmd_change(char **arguments)
{
    uint64_t seed = number(arguments[2]), key = mix(seed ^ 4711);
    uint64_t state = seed;
    double end = seconds_now() + (double)number(arguments[3]);
    struct tally tally = {0};
    int written = lay_out(arguments[1], key), fd;
    pid_t child = fork();

    if (child == 0)
        change_for_ever(written, seed, key);
    if (child < 0)
        die("fork: %s", strerror(errno));
    fd = open_read(arguments[0], NAME,
                   either(arguments[4], "direct", "buffered"));
    while (seconds_now() < end)
        read_once(fd, key, &state, &tally);
    if (waitpid(child, NULL, WNOHANG) != 0)
        die("whoever changes the file has died");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(fd);
    close(written);
    printf("%s reads=%llu failed=%llu wrong=%llu bytes=%llu\n",
           tally.failed + tally.wrong == 0 && tally.reads > 0 ? "good" : "BAD",
           tally.reads, tally.failed, tally.wrong, tally.bytes);
    return tally.failed + tally.wrong == 0 ? 0 : 1;
}
