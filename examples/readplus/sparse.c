/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The client's part that writes.  A hole is never written, and neither are
 * zeros where they may be one; a file system rounds what is written up to its
 * blocks, so zeros are judged block by block.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sparse.h"

bool sparse_init(struct sparse_file *file, int fd, uint64_t size,
                 enum sparse_zeros zeros, bool *holes)
{
    struct stat st;

    if (ftruncate(fd, (off_t)size) < 0 || fstat(fd, &st) < 0)
        return false;
    file->fd = fd;
    file->size = size;
    file->block = st.st_blksize > 0 ? (size_t)st.st_blksize : 4096;
    file->zeros = zeros;
    *holes = size > 0 && lseek(fd, 0, SEEK_HOLE) == 0;
    return true;
}

static bool write_exactly(int fd, const uint8_t *bytes, size_t len,
                          uint64_t offset)
{
    ssize_t n;

    while (len > 0) {
        n = pwrite(fd, bytes, len, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes += n;
        len -= (size_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

/* The bytes from offset to the end of its block, at most len. */
static size_t piece(const struct sparse_file *file, uint64_t offset, size_t len)
{
    size_t room = file->block - (size_t)(offset % file->block);

    return room < len ? room : len;
}

/* A piece that is not written. */
static bool skips(const struct sparse_file *file, const uint8_t *bytes,
                  size_t len, uint64_t offset)
{
    bool whole = len == file->block ||
                 (offset % file->block == 0 && len == file->size - offset);

    if (bytes[0] != 0 || memcmp(bytes, bytes + 1, len - 1) != 0)
        return false;
    return file->zeros == SPARSE_SKIP_ZEROS || !whole;
}

bool sparse_write(const struct sparse_file *file, const uint8_t *bytes,
                  size_t len, uint64_t offset)
{
    size_t run, step;

    if (file->zeros == SPARSE_WRITE_ZEROS)
        return write_exactly(file->fd, bytes, len, offset);
    while (len > 0) {
        /* As many blocks as there are to be written at once ... */
        for (run = 0; run < len; run += step) {
            step = piece(file, offset + run, len - run);
            if (skips(file, bytes + run, step, offset + run))
                break;
        }
        if (!write_exactly(file->fd, bytes, run, offset))
            return false;
        /* ... and the one behind them that is not. */
        if (run < len)
            run += piece(file, offset + run, len - run);
        bytes += run;
        len -= run;
        offset += run;
    }
    return true;
}
