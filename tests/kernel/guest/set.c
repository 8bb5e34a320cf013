/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sparse files of a seed: fixed shapes that have proved awkward, and some
 * drawn at random.  Their bytes follow from seed, file and offset alone, so that
 * nobody has to read a file to know what must be in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

#define FILES_MAX 32
#define RANDOM_FILES 4

uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

uint64_t draw(uint64_t *state, uint64_t below)
{
    *state += 1;
    return mix(*state) % below;
}

static struct file files[FILES_MAX];
static size_t file_count;

static struct file *add(const char *name, uint64_t size, uint64_t seed)
{
    struct file *file = &files[file_count++];

    if (file_count > FILES_MAX)
        die("too many files");
    snprintf(file->name, sizeof(file->name), "%s", name);
    file->size = size;
    file->key = mix(seed ^ mix(file_count));
    return file;
}

static struct file *lay(struct file *file, uint64_t offset, uint64_t length,
                        bool zeros)
{
    struct extent *more;

    if (offset + length > file->size)
        length = file->size - offset;
    more = realloc(file->extents, (file->count + 1) * sizeof(*more));
    if (more == NULL)
        die("out of memory");
    more[file->count++] = (struct extent){offset, length, zeros};
    file->extents = more;
    return file;
}

static void alternate(const char *name, uint64_t size, uint64_t first,
                      uint64_t step, uint64_t seed)
{
    struct file *file = add(name, size, seed);
    uint64_t at;

    for (at = first; at < file->size; at += 2 * step)
        lay(file, at, step, false);
}

/* Ends anywhere, so that data and holes share pages. */
static void ragged(unsigned which, uint64_t seed)
{
    uint64_t state = mix(seed ^ (which + 77)), at = 0, length;
    struct file *file;
    char name[16];

    snprintf(name, sizeof(name), "random%u", which);
    file = add(name, 256 * KIB + draw(&state, MIB), seed);
    while (at < file->size) {
        at += draw(&state, 4) == 0 ? draw(&state, 200) : draw(&state, 40 * KIB);
        length = 1 + draw(&state, 40 * KIB);
        if (at < file->size)
            lay(file, at, length, draw(&state, 5) == 0);
        at += length;
    }
}

static void fixed(uint64_t seed)
{
    struct file *file;

    lay(add("data", MIB, seed), 0, MIB, false);
    add("hole", MIB, seed);
    alternate("alt4k", MIB, 0, 4 * KIB, seed);
    alternate("alt4k-hole", MIB, 4 * KIB, 4 * KIB, seed);
    alternate("alt8k", MIB, 0, 8 * KIB, seed);
    alternate("alt64k", MIB, 0, 64 * KIB, seed);
    lay(add("leading", MIB, seed), MIB / 2, MIB / 2, false);
    lay(add("trailing", MIB, seed), 0, MIB / 2, false);
    file = lay(add("odd", 1000003, seed), 0, 64 * KIB, false);
    lay(file, 896 * KIB, MIB, false);
    lay(add("odd-hole", 1000003, seed), 0, 64 * KIB, false);
    lay(add("far", 5 * GIB + 1, seed), 5 * GIB, 1, false);
    lay(add("block", 5 * GIB, seed), 3 * GIB + 5 * PAGE, PAGE, false);
    add("empty", 0, seed);
    lay(add("one", 1, seed), 0, 1, false);
    add("hole100", 100, seed);
    file = lay(add("three", 3 * MIB + PAGE, seed), MIB, 8 * KIB, false);
    lay(file, 3 * MIB, PAGE, false);
    lay(add("zeros", 256 * KIB, seed), 0, 256 * KIB, true);
    file = lay(add("half-zeros", 256 * KIB, seed), 0, 64 * KIB, false);
    lay(file, 64 * KIB, 128 * KIB, true);
    lay(file, 192 * KIB, 64 * KIB, false);
    add("reserved", 512 * KIB, seed)->reserved = true;
}

const struct file *set_files(uint64_t seed, size_t *count)
{
    unsigned i;

    if (file_count == 0) {
        fixed(seed);
        for (i = 0; i < RANDOM_FILES; i++)
            ragged(i, seed);
    }
    *count = file_count;
    return files;
}

void set_bytes(uint64_t key, uint64_t offset, void *to, size_t length)
{
    unsigned char *at = to;
    uint64_t word = 0;
    size_t i;

    for (i = 0; i < length; i++, offset++) {
        if (i == 0 || offset % 8 == 0)
            word = mix(key ^ (offset / 8)) | UINT64_C(0x0101010101010101);
        at[i] = (unsigned char)(word >> (offset % 8 * 8));
    }
}

void set_expect(const struct file *file, uint64_t offset, void *to,
                size_t length)
{
    size_t i;

    memset(to, 0, length);
    for (i = 0; i < file->count; i++) {
        const struct extent *extent = &file->extents[i];
        uint64_t from = extent->offset, end = from + extent->length;

        if (from < offset)
            from = offset;
        if (end > offset + length)
            end = offset + length;
        if (from < end && !extent->zeros)
            set_bytes(file->key, from, (char *)to + (from - offset),
                      (size_t)(end - from));
    }
}

uint64_t set_data(const struct file *file, bool exact)
{
    uint64_t total = 0, covered = 0;
    size_t i;

    for (i = 0; i < file->count; i++) {
        const struct extent *extent = &file->extents[i];
        uint64_t from = extent->offset / PAGE * PAGE;
        uint64_t end = extent->offset + extent->length;

        end = (end + PAGE - 1) / PAGE * PAGE;
        if ((extent->zeros && !exact) || end <= covered)
            continue;
        total += end - (from > covered ? from : covered);
        covered = end;
    }
    return total;
}

static void write_extent(int fd, const struct file *file,
                         const struct extent *extent)
{
    char *bytes = calloc(1, extent->length);

    if (bytes == NULL)
        die("out of memory");
    if (!extent->zeros)
        set_bytes(file->key, extent->offset, bytes, extent->length);
    if (pwrite(fd, bytes, extent->length, (off_t)extent->offset) !=
        (ssize_t)extent->length)
        die("%s: %s", file->name, strerror(errno));
    free(bytes);
}

static void make(const char *dir, const struct file *file)
{
    char path[256];
    size_t i;
    int fd;

    path_in(path, dir, file->name);
    fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);
    if (fd < 0 || ftruncate(fd, (off_t)file->size) != 0)
        die("%s: %s", path, strerror(errno));
    if (file->reserved && fallocate(fd, 0, 0, (off_t)file->size) != 0)
        die("%s: fallocate: %s", path, strerror(errno));
    for (i = 0; i < file->count; i++)
        write_extent(fd, file, &file->extents[i]);
    close(fd);
}

/* make DIR SEED: the files of the seed. */
int cmd_make(char **arguments)
{
    size_t i, count;
    const struct file *file = set_files(number(arguments[1]), &count);

    for (i = 0; i < count; i++)
        make(arguments[0], &file[i]);
    sync();
    return 0;
}

/* sums SEED: what sha256sum has to say of them, the large ones apart. */
int cmd_sums(char **arguments)
{
    size_t i, j, count;
    const struct file *file = set_files(number(arguments[0]), &count);
    unsigned char digest[DIGEST], *bytes = buffer(LARGE);

    for (i = 0; i < count; i++, file++) {
        if (file->size > LARGE)
            continue;
        set_expect(file, 0, bytes, (size_t)file->size);
        sha256_of(bytes, (size_t)file->size, digest);
        for (j = 0; j < DIGEST; j++)
            printf("%02x", digest[j]);
        printf("  %s\n", file->name);
    }
    free(bytes);
    return 0;
}

/* layouts DIR SEED KIB: the four files of the table, of that size. */
int cmd_layouts(char **arguments)
{
    uint64_t seed = number(arguments[1]), size = number(arguments[2]) * KIB;

    lay(add("layout-data", size, seed), 0, size, false);
    add("layout-hole", size, seed);
    alternate("layout-4k", size, 0, 4 * KIB, seed);
    alternate("layout-8k", size, 0, 8 * KIB, seed);
    while (file_count > 0)
        make(arguments[0], &files[--file_count]);
    sync();
    return 0;
}
