/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a copy has the shape of its original: size, the places of holes, and
 * what it takes of the disk; and the same bytes where there are any.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe.h"

static bool same_data(int a, int b, off_t from, off_t end)
{
    size_t length = (size_t)(end - from);
    char *one = buffer(length), *other = buffer(length);
    bool same =
        read_all(a, one, length, (uint64_t)from) == (long long)length &&
        read_all(b, other, length, (uint64_t)from) == (long long)length &&
        memcmp(one, other, length) == 0;

    free(one);
    free(other);
    return same;
}

/* shape ORIGINAL COPY */
int cmd_shape(char **arguments)
{
    int a = open(arguments[0], O_RDONLY), b = open(arguments[1], O_RDONLY);
    struct stat original, copy;
    off_t at = 0, end = 0;
    unsigned extents = 0;
    bool same;

    if (a < 0 || b < 0 || fstat(a, &original) != 0 || fstat(b, &copy) != 0)
        die("%s, %s: %s", arguments[0], arguments[1], strerror(errno));
    same = original.st_size == copy.st_size &&
           copy.st_blocks <= original.st_blocks + 8;
    while (same && (at = lseek(a, end, SEEK_DATA)) >= 0) {
        same = at == lseek(b, end, SEEK_DATA);
        end = lseek(a, at, SEEK_HOLE);
        same =
            same && end == lseek(b, at, SEEK_HOLE) && same_data(a, b, at, end);
        extents++;
    }
    same = same && lseek(b, end, SEEK_DATA) < 0;
    printf("%s size=%lld extents=%u blocks=%lld of the original's %lld\n",
           same ? "good" : "BAD", (long long)copy.st_size, extents,
           (long long)copy.st_blocks, (long long)original.st_blocks);
    return same ? 0 : 1;
}
