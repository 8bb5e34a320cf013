/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a vector, those given by a rule included.
 */
#ifndef VECTOR_WIRE_H
#define VECTOR_WIRE_H

#include "vector_file.h"

/* A vector longer than this is never in one piece of memory. */
#define VECTOR_LARGE ((uint64_t)16 << 20)

/* The model file's byte at an offset. */
#define VECTOR_PERIOD 251

static inline uint8_t vector_file_byte(uint64_t offset)
{
    return (uint8_t)(1 + offset % VECTOR_PERIOD);
}

/*
 * The bytes as iovecs; those of a pattern point, again and again, into one
 * block.  The vector is borrowed.
 */
struct vector_wire {
    struct iovec *iov;
    size_t pieces, room;
    uint64_t size;
    uint8_t **owned; /* private */
    size_t owned_count;
};

/* False: out of memory, nothing to free. */
bool vector_wire_init(struct vector_wire *wire, const struct vector *vector);
void vector_wire_free(struct vector_wire *wire);

/* All of it in a block of exactly vector->size bytes (at least 1) that the
 * caller frees; NULL where it is larger than VECTOR_LARGE or memory lacks. */
uint8_t *vector_bytes(const struct vector *vector);

/* The length bytes of the model file from offset on, into `to`. */
void vector_file_fill(uint8_t *to, uint64_t offset, size_t length);

uint32_t crc32_of(uint32_t crc, const uint8_t *bytes, size_t len);

/* The CRC-32 of all of it. */
uint32_t vector_wire_crc(const struct vector_wire *wire);

#endif /* VECTOR_WIRE_H */
