/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The proof that one file is the copy of another.  It asks the file system
 * and the bytes, nothing of what the copying believes: no byte of XDR and no
 * call of the library has a part in it.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proof.h"

#define CHUNK ((size_t)256 << 10)
#define FAR_END ((uint64_t)1 << 30)

uint64_t proof_next_data(int fd, uint64_t offset, uint64_t size)
{
    off_t data = lseek(fd, (off_t)offset, SEEK_DATA);
    struct stat st;

    /* Of a file that ends close to 2^63 tmpfs denies what is stored there. */
    if (data < 0)
        return errno == ENXIO && fstat(fd, &st) == 0 &&
                       (st.st_blocks == 0 || size <= INT64_MAX - FAR_END)
                   ? size
                   : offset;
    return (uint64_t)data < size ? (uint64_t)data : size;
}

uint64_t proof_next_hole(int fd, uint64_t offset, uint64_t size)
{
    off_t hole = lseek(fd, (off_t)offset, SEEK_HOLE);

    if (hole < 0)
        return size;
    return (uint64_t)hole < size ? (uint64_t)hole : size;
}

static bool read_exactly(int fd, unsigned char *bytes, size_t len,
                         uint64_t offset)
{
    ssize_t n;

    while (len > 0) {
        n = pread(fd, bytes, len, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

static bool all_zero(const unsigned char *bytes, size_t len)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/*
 * Compares from *offset on, until a chunk is all zeros: there may be a hole,
 * and a hole is cheaper to skip than to read.
 */
static bool compare_run(int source, int copy, uint64_t size, uint64_t *offset)
{
    static unsigned char ours[CHUNK], theirs[CHUNK];
    size_t len;

    do {
        len = size - *offset < CHUNK ? (size_t)(size - *offset) : CHUNK;
        if (!read_exactly(source, theirs, len, *offset) ||
            !read_exactly(copy, ours, len, *offset) ||
            memcmp(ours, theirs, len) != 0)
            return false;
        *offset += len;
    } while (*offset < size && !all_zero(ours, len));
    return true;
}

bool proof_bytes(int source, int copy, uint64_t size, uint64_t *at)
{
    uint64_t offset = 0, other;

    while (offset < size) {
        other = proof_next_data(copy, offset, size);
        offset = proof_next_data(source, offset, size);
        if (other < offset)
            offset = other;
        if (offset < size && !compare_run(source, copy, size, &offset)) {
            *at = offset;
            return false;
        }
    }
    return true;
}

bool proof_holes(int source, int copy, uint64_t size, uint64_t block,
                 uint64_t *at)
{
    uint64_t hole, data = 0, end;

    while (data < size) {
        hole = proof_next_hole(source, data, size);
        data = proof_next_data(source, hole, size);
        /* Inwards to whole blocks; the last one ends with the file. */
        if (hole % block != 0)
            hole = size - hole > block ? hole + block - hole % block : size;
        end = data == size ? size : data - data % block;
        if (hole >= end)
            continue;
        *at = proof_next_data(copy, hole, size);
        if (*at < end)
            return false;
    }
    return true;
}
