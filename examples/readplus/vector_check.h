/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library held to the catalogue.
 */
#ifndef VECTOR_CHECK_H
#define VECTOR_CHECK_H

#include "vector_wire.h"

/*
 * How a vector is put before the decoder: in one piece, or in pieces of so
 * many bytes.  A vector longer than VECTOR_LARGE comes in its own pieces.
 */
#define VECTOR_WHOLE 0

#define VECTOR_WHY_SIZE 256

/*
 * Whether the library says of the vector, in every profile, what the
 * catalogue says.  False, and the first difference in `why`, where not.
 */
bool vector_decodes(const struct vector *vector, size_t piece,
                    char why[VECTOR_WHY_SIZE]);

/*
 * Whether the encoders write the vector, byte for byte, from what it means.
 * Only for items that are well formed; true for anything else.
 */
bool vector_encodes(const struct vector *vector, char why[VECTOR_WHY_SIZE]);

/* A well-formed item, with or without its opcode: there are encoders for it. */
bool vector_is_writable(const struct vector *vector);

/* Bytes before the item: an opcode's, or none. */
size_t vector_skip(enum vector_type type);

/*
 * The segments it means, in an array the caller frees (NULL: none, or out of
 * memory); data points into bytes[0, vector->size), the vector's own, or is
 * NULL where bytes is.
 */
struct readplus_segment *vector_segments(const struct vector *vector,
                                         const uint8_t *bytes, size_t *count);

#endif /* VECTOR_CHECK_H */
