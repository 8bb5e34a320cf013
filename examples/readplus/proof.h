/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The proof that one file is the copy of another.
 */
#ifndef PROOF_H
#define PROOF_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the first `size` bytes of both are the same, holes being zeros.
 * False, with *at the offset near which they differ, or a read that failed.
 * It takes time in proportion to the data, not to the size.
 */
bool proof_bytes(int source, int copy, uint64_t size, uint64_t *at);

/*
 * Whether no data lies in the copy where the source has a hole, as far as
 * whole blocks of `block` bytes go: a file system knows no smaller holes.
 * False, with *at the offset of such data.
 */
bool proof_holes(int source, int copy, uint64_t size, uint64_t block,
                 uint64_t *at);

/* The first data, the first hole, at or after an offset; `size` for none.  A
 * file system that knows no holes has data everywhere. */
uint64_t proof_next_data(int fd, uint64_t offset, uint64_t size);
uint64_t proof_next_hole(int fd, uint64_t offset, uint64_t size);

#endif /* PROOF_H */
