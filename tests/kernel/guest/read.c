/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading through the mount: a file of the set, in order or in pieces of any
 * size at any offset, and the places of its holes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

#define WINDOW MIB /* of a file that is not read whole */
#define SEEKS_MAX 3000

int open_read(const char *dir, const char *name, bool direct)
{
    char path[256];
    int fd;

    path_in(path, dir, name);
    fd = open(path, O_RDONLY | (direct ? O_DIRECT : 0));
    if (fd < 0)
        die("%s: %s", path, strerror(errno));
    return fd;
}

long long read_all(int fd, void *to, size_t length, uint64_t offset)
{
    size_t got = 0;
    ssize_t some;

    while (got < length) {
        some = pread(fd, (char *)to + got, length - got, (off_t)(offset + got));
        if (some < 0)
            return -1;
        if (some == 0)
            break;
        got += (size_t)some;
    }
    return (long long)got;
}

struct piece {
    size_t offset, length;
};

/* Cuts [0, length) into pieces, and mixes their order if asked. */
static struct piece *cut(size_t length, size_t step, bool random,
                         uint64_t *state, size_t *count)
{
    size_t at = 0, n = 0, i, j, most = length / (step / 8 + 1) + 2;
    struct piece *pieces = calloc(most, sizeof(*pieces)), kept;

    if (pieces == NULL)
        die("out of memory");
    while (at < length && n < most) {
        size_t some = random ? step / 8 + 1 + draw(state, step * 2) : step;

        if (some > length - at)
            some = length - at;
        pieces[n++] = (struct piece){at, some};
        at += some;
    }
    for (i = n; random && i > 1; i--) {
        j = draw(state, i);
        kept = pieces[i - 1];
        pieces[i - 1] = pieces[j];
        pieces[j] = kept;
    }
    *count = n;
    return pieces;
}

/* Where they differ, says from which byte on. */
static bool same_bytes(const struct file *file, uint64_t from,
                       const unsigned char *got, size_t length)
{
    unsigned char *want = buffer(length);
    size_t i = 0;
    bool same;

    set_expect(file, from, want, length);
    same = memcmp(got, want, length) == 0;
    while (!same && i < length && got[i] == want[i])
        i++;
    if (!same)
        printf("  %s: wrong from byte %llu on: %02x, not %02x\n", file->name,
               (unsigned long long)from + i, got[i], want[i]);
    free(want);
    return same;
}

/* How far from the start of a page the bytes are to land in memory: SKEW of the
 * environment, below PAGE.  Linux does not get it right wherever that is. */
static size_t skewed(void)
{
    const char *skew = getenv("SKEW");

    return skew == NULL ? 0 : (size_t)(number(skew) % PAGE);
}

static bool window_reads(const struct file *file, int fd, uint64_t from,
                         size_t length, size_t step, bool random,
                         uint64_t *state)
{
    unsigned char *got = buffer(length), *apart = buffer(length + PAGE);
    size_t skew = skewed();
    size_t i, count;
    struct piece *pieces = cut(length, step, random, state, &count);
    bool good = true;

    memset(got, 0xee, length);
    for (i = 0; good && i < count; i++) {
        const struct piece *piece = &pieces[i];
        long long some =
            read_all(fd, apart + skew, piece->length, from + piece->offset);

        memcpy(got + piece->offset, apart + skew, piece->length);
        if (some != (long long)piece->length) {
            printf("  %s: read of %zu at %llu: %lld %s\n", file->name,
                   piece->length, (unsigned long long)from + piece->offset,
                   some, some < 0 ? strerror(errno) : "bytes");
            good = false;
        }
    }
    good = good && same_bytes(file, from, got, length);
    free(pieces);
    free(apart);
    free(got);
    return good;
}

/* Nothing is there to be read at the end and behind it. */
static bool ends(const struct file *file, int fd)
{
    char *byte = buffer(1);
    bool good = pread(fd, byte, 1, (off_t)file->size) == 0 &&
                pread(fd, byte, 1, (off_t)file->size + 100000) == 0 &&
                lseek(fd, 0, SEEK_END) == (off_t)file->size;

    if (!good)
        printf("  %s: does not end at %llu\n", file->name,
               (unsigned long long)file->size);
    free(byte);
    return good;
}

bool file_reads(const struct file *file, int fd, size_t step, bool random,
                uint64_t *state)
{
    uint64_t middle, rest;

    if (!ends(file, fd))
        return false;
    if (file->size <= LARGE)
        return window_reads(file, fd, 0, (size_t)file->size, step, random,
                            state);
    middle = file->count > 0 ? file->extents[0].offset - WINDOW / 2 : WINDOW;
    rest = file->size - middle;
    return window_reads(file, fd, 0, WINDOW, step, random, state) &&
           window_reads(file, fd, middle, rest < WINDOW ? (size_t)rest : WINDOW,
                        step, random, state) &&
           window_reads(file, fd, file->size - WINDOW, WINDOW, step, random,
                        state);
}

static bool seek_agrees(const char *name, int fd, int other, off_t from,
                        int whence, off_t *to)
{
    off_t a = lseek(fd, from, whence), b;
    int error = a < 0 ? errno : 0;

    b = lseek(other, from, whence);
    *to = b;
    if (a == b && (a >= 0 || error == errno))
        return true;
    printf("  %s: SEEK_%s at %lld: %lld, on the server %lld\n", name,
           whence == SEEK_DATA ? "DATA" : "HOLE", (long long)from, (long long)a,
           (long long)b);
    return false;
}

bool seeks_agree(const char *name, int fd, int other, uint64_t *state)
{
    off_t at = 0, end = lseek(other, 0, SEEK_END), ignored;
    int whence = SEEK_HOLE;
    unsigned i;

    for (i = 0; i < SEEKS_MAX && at >= 0 && at <= end; i++) {
        if (!seek_agrees(name, fd, other, at, whence, &at))
            return false;
        whence = whence == SEEK_HOLE ? SEEK_DATA : SEEK_HOLE;
        if (at == end)
            break;
    }
    for (i = 0; i < 8; i++) {
        at = (off_t)draw(state, (uint64_t)end + PAGE);
        whence = draw(state, 2) == 0 ? SEEK_HOLE : SEEK_DATA;
        if (!seek_agrees(name, fd, other, at, whence, &ignored))
            return false;
    }
    return true;
}
