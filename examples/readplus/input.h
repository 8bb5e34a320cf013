/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input files, whole.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stddef.h>
#include <stdint.h>

/* No input is longer than this; a READ_PLUS reply is rarely over 1 MiB. */
#define INPUT_MAX ((size_t)256 << 20)

/*
 * The *len bytes of the file, or of standard input for "-", in a block of
 * exactly that size (never NULL for none) that the caller frees.  NULL, and
 * the reason said, where it cannot be read or exceeds INPUT_MAX.  It waits
 * for nobody to open the other end of a FIFO.
 */
uint8_t *input_read(const char *path, size_t *len);

#endif /* INPUT_H */
