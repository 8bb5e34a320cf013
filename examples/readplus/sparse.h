/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The client's part that writes: segments of replies into a new file, which
 * is empty and has its final size, so that what is not written is a hole.
 */
#ifndef SPARSE_H
#define SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What becomes of zeros that came as data. */
enum sparse_zeros {
    SPARSE_WRITE_ZEROS, /* the server sends no holes: all is data */
    SPARSE_SKIP_ZEROS,  /* zeros are holes, however they came */
    /*
     * Zeros are data, but a piece of less than a block may be from a hole
     * too small to be sent as one, such as the end of a request.
     */
    SPARSE_SKIP_PIECES
};

struct sparse_file {
    int fd;
    uint64_t size; /* bytes */
    size_t block;  /* bytes; what the file system makes holes of */
    enum sparse_zeros zeros;
};

/* Sets the size of the empty file fd and learns its block size.  *holes: its
 * file system has holes.  False, with errno, where it cannot be so large. */
bool sparse_init(struct sparse_file *file, int fd, uint64_t size,
                 enum sparse_zeros zeros, bool *holes);

/* Writes data; false, with errno, where that failed. */
bool sparse_write(const struct sparse_file *file, const uint8_t *bytes,
                  size_t len, uint64_t offset);

#endif /* SPARSE_H */
