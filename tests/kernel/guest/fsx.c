/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads of any length at any offset of any file, in several ways and with all
 * files open the whole time, as fsx does it; and many readers side by side.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

#define LENGTH_MAX (512 * KIB)

struct opened {
    const struct file *file;
    int buffered, direct;
};

struct tally {
    unsigned long long reads, failed, wrong;
};

static struct opened *open_all(const char *dir, uint64_t seed, size_t *count)
{
    const struct file *file = set_files(seed, count);
    struct opened *all = calloc(*count, sizeof(*all));
    size_t i;

    if (all == NULL)
        die("out of memory");
    for (i = 0; i < *count; i++) {
        all[i].file = &file[i];
        all[i].buffered = open_read(dir, file[i].name, false);
        all[i].direct = open_read(dir, file[i].name, true);
    }
    return all;
}

/* By a mapping: whole pages, what is behind the end of the file is zero. */
static ssize_t read_mapped(const struct opened *one, void *to, size_t length,
                           uint64_t offset)
{
    uint64_t from = offset / PAGE * PAGE;
    size_t some;
    void *pages;

    if (offset >= one->file->size)
        return 0;
    some = (size_t)(one->file->size - offset < length ? one->file->size - offset
                                                      : length);
    pages = mmap(NULL, some + (size_t)(offset - from), PROT_READ, MAP_SHARED,
                 one->buffered, (off_t)from);
    if (pages == MAP_FAILED)
        return -1;
    memcpy(to, (char *)pages + (offset - from), some);
    munmap(pages, some + (size_t)(offset - from));
    return (ssize_t)some;
}

static ssize_t read_scattered(const struct opened *one, char *to, size_t length,
                              uint64_t offset)
{
    struct iovec parts[3] = {
        {to, length / 3},
        {to + length / 3, length / 3},
        {to + length / 3 * 2, length - length / 3 * 2},
    };

    return preadv(one->buffered, parts, 3, (off_t)offset);
}

/* Near an end of an extent more often than elsewhere. */
static uint64_t somewhere(const struct file *file, uint64_t *state)
{
    const struct extent *extent;
    uint64_t at;

    if (file->count == 0 || draw(state, 3) == 0)
        return draw(state, file->size + PAGE);
    extent = &file->extents[draw(state, file->count)];
    at = extent->offset + draw(state, 2) * extent->length;
    return at - draw(state, at < 8 * KIB ? at + 1 : 8 * KIB);
}

static void read_once(const struct opened *one, uint64_t *state,
                      struct tally *tally)
{
    static _Alignas(PAGE) char got[LENGTH_MAX], want[LENGTH_MAX];
    static const char *const how[] = {"pread", "O_DIRECT", "mmap", "preadv"};
    const struct file *file = one->file;
    uint64_t way = draw(state, ENTRIES(how)), offset = somewhere(file, state);
    size_t length = 1 + (size_t)draw(state, (1u << draw(state, 19)) + 1);
    uint64_t left = offset < file->size ? file->size - offset : 0;
    size_t wanted = left < length ? (size_t)left : length;
    ssize_t some;

    some = way == 0   ? pread(one->buffered, got, length, (off_t)offset)
           : way == 1 ? pread(one->direct, got, length, (off_t)offset)
           : way == 2 ? read_mapped(one, got, length, offset)
                      : read_scattered(one, got, length, offset);
    tally->reads++;
    tally->failed += some < 0;
    if (some >= 0)
        set_expect(file, offset, want, wanted);
    if (some != (ssize_t)wanted || memcmp(got, want, wanted) != 0) {
        tally->wrong += some >= 0;
        printf("  %s: %s of %zu at %llu: %zd %s\n", file->name, how[way],
               length, (unsigned long long)offset, some,
               some < 0 ? strerror(errno) : "bytes, or wrong ones");
    }
    if (draw(state, 8) == 0)
        posix_fadvise(one->buffered, 0, 0, POSIX_FADV_DONTNEED);
}

/* fsx MOUNTPOINT SEED SECONDS */
int cmd_fsx(char **arguments)
{
    uint64_t seed = number(arguments[1]), state = mix(seed ^ 99);
    double end = seconds_now() + (double)number(arguments[2]), start, most = 0;
    struct tally tally = {0};
    size_t count;
    const struct opened *all = open_all(arguments[0], seed, &count);

    while ((start = seconds_now()) < end) {
        read_once(&all[draw(&state, count)], &state, &tally);
        if (seconds_now() - start > most)
            most = seconds_now() - start;
    }
    printf("%s reads=%llu failed=%llu wrong=%llu longest=%.1fs\n",
           tally.failed + tally.wrong == 0 && tally.reads > 0 ? "good" : "BAD",
           tally.reads, tally.failed, tally.wrong, most);
    return tally.failed + tally.wrong == 0 ? 0 : 1;
}

/* One of the readers: every file once, from another one on than the others. */
static int read_set(const char *dir, uint64_t seed, uint64_t which)
{
    size_t i, count;
    const struct file *file = set_files(seed, &count);
    uint64_t state = mix(seed ^ which);
    int fd, status = 0;

    for (i = 0; i < count; i++) {
        const struct file *next = &file[(i + which * 3) % count];

        fd = open_read(dir, next->name, which % 2 == 1);
        if (!file_reads(next, fd, 64 * KIB, which % 4 >= 2, &state))
            status = 1;
        close(fd);
    }
    fflush(stdout);
    return status;
}

/* parallel MOUNTPOINT SEED READERS */
int cmd_parallel(char **arguments)
{
    uint64_t i, readers = number(arguments[2]);
    unsigned bad = 0;
    int status;
    pid_t child;

    for (i = 0; i < readers; i++) {
        child = fork();
        if (child == 0)
            _exit(read_set(arguments[0], number(arguments[1]), i));
        if (child < 0)
            die("fork: %s", strerror(errno));
    }
    while (wait(&status) > 0)
        bad += status != 0;
    printf("%s readers=%llu bad=%u\n", bad == 0 ? "good" : "BAD",
           (unsigned long long)readers, bad);
    return bad == 0 ? 0 : 1;
}
