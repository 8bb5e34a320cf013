/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a vector.  Four GiB of file pattern are one block of 1 MiB,
 * referred to often; their CRC-32 is put together from that of the block.
 */
#include <stdlib.h>
#include <string.h>

#include "vector_wire.h"

/* A whole number of periods, so that a block can follow itself. */
#define BLOCK ((size_t)VECTOR_PERIOD * 4096)

void vector_file_fill(uint8_t *to, uint64_t offset, size_t length)
{
    size_t i;

    for (i = 0; i < length; i++)
        to[i] = vector_file_byte(offset + i);
}

/* --- CRC-32 ---------------------------------------------------------------- */

#define POLYNOMIAL 0xedb88320u

uint32_t crc32_of(uint32_t crc, const uint8_t *bytes, size_t len)
{
    static uint32_t table[256];
    uint32_t i, bit;

    if (table[1] == 0)
        for (i = 0; i < 256; i++) {
            table[i] = i;
            for (bit = 0; bit < 8; bit++)
                table[i] = table[i] >> 1 ^ (table[i] & 1 ? POLYNOMIAL : 0);
        }
    crc = ~crc;
    while (len-- > 0)
        crc = crc >> 8 ^ table[(crc ^ *bytes++) & 0xff];
    return ~crc;
}

static uint32_t times(const uint32_t matrix[32], uint32_t vector)
{
    uint32_t sum = 0;
    unsigned i;

    for (i = 0; vector != 0; i++, vector >>= 1)
        if (vector & 1)
            sum ^= matrix[i];
    return sum;
}

/* The CRC-32 of two strings behind each other, from theirs. */
static uint32_t crc32_join(uint32_t a, uint32_t b, uint64_t b_len)
{
    uint32_t matrix[32], square[32];
    uint64_t bits;
    unsigned i;

    matrix[0] = POLYNOMIAL; /* what one zero bit does */
    for (i = 1; i < 32; i++)
        matrix[i] = 1u << (i - 1);
    for (bits = b_len * 8; bits != 0; bits >>= 1) {
        if (bits & 1)
            a = times(matrix, a);
        for (i = 0; i < 32; i++)
            square[i] = times(matrix, matrix[i]);
        memcpy(matrix, square, sizeof(matrix));
    }
    return a ^ b;
}

uint32_t vector_wire_crc(const struct vector_wire *wire)
{
    uint32_t crc = 0, piece = 0;
    size_t i;

    for (i = 0; i < wire->pieces; i++) {
        const struct iovec *this = &wire->iov[i];

        if (i == 0 || this->iov_base != this[-1].iov_base ||
            this->iov_len != this[-1].iov_len)
            piece = crc32_of(0, this->iov_base, this->iov_len);
        crc = crc32_join(crc, piece, this->iov_len);
    }
    return crc;
}

/* --- pieces ---------------------------------------------------------------- */

static bool add_piece(struct vector_wire *wire, const uint8_t *bytes,
                      size_t len)
{
    struct iovec *more;

    if (wire->pieces == wire->room) {
        wire->room = wire->room == 0 ? 64 : 2 * wire->room;
        more = realloc(wire->iov, wire->room * sizeof(*more));
        if (more == NULL)
            return false;
        wire->iov = more;
    }
    wire->iov[wire->pieces++] = (struct iovec){(void *)(uintptr_t)bytes, len};
    wire->size += len;
    return true;
}

static uint8_t *own(struct vector_wire *wire, size_t len)
{
    uint8_t *block = malloc(len);
    uint8_t **more =
        realloc(wire->owned, (wire->owned_count + 1) * sizeof(*more));

    if (more != NULL)
        wire->owned = more;
    if (block == NULL || more == NULL) {
        free(block);
        return NULL;
    }
    return more[wire->owned_count++] = block;
}

static bool add_pattern(struct vector_wire *wire,
                        const struct vector_field *field)
{
    size_t len = field->size < BLOCK ? (size_t)field->size : BLOCK;
    uint8_t *block = own(wire, len > 0 ? len : 1);
    uint64_t left;

    if (block == NULL)
        return false;
    vector_file_fill(block, field->start, len);
    for (left = field->size; left > 0; left -= len) {
        if (left < len)
            len = (size_t)left;
        if (!add_piece(wire, block, len))
            return false;
    }
    return true;
}

static uint8_t *store(uint8_t *to, uint64_t value, unsigned width)
{
    while (width-- > 0)
        *to++ = (uint8_t)(value >> 8 * width);
    return to;
}

static bool add_holes(struct vector_wire *wire,
                      const struct vector_field *field)
{
    uint8_t *bytes = own(wire, (size_t)field->size + 1), *to = bytes;
    uint64_t i;

    if (bytes == NULL)
        return false;
    for (i = 0; i < field->count; i++) {
        to = store(to, READPLUS_CONTENT_HOLE, 4);
        to = store(to, field->start + i * field->each, 8);
        to = store(to, field->each, 8);
    }
    return add_piece(wire, bytes, (size_t)field->size);
}

static bool add_field(struct vector_wire *wire,
                      const struct vector_field *field)
{
    if (field->rule == RULE_PATTERN)
        return add_pattern(wire, field);
    if (field->rule == RULE_HOLES)
        return field->size <= VECTOR_LARGE && add_holes(wire, field);
    return add_piece(wire, field->bytes, (size_t)field->size);
}

bool vector_wire_init(struct vector_wire *wire, const struct vector *vector)
{
    bool good = true;
    size_t i;

    memset(wire, 0, sizeof(*wire));
    for (i = 0; i < vector->field_count && good; i++)
        good = add_field(wire, &vector->fields[i]);
    if (!good)
        vector_wire_free(wire);
    return good;
}

void vector_wire_free(struct vector_wire *wire)
{
    size_t i;

    for (i = 0; i < wire->owned_count; i++)
        free(wire->owned[i]);
    free(wire->owned);
    free(wire->iov);
    memset(wire, 0, sizeof(*wire));
}

uint8_t *vector_bytes(const struct vector *vector)
{
    struct vector_wire wire;
    uint8_t *bytes = NULL, *to;
    size_t i;

    if (vector->size > VECTOR_LARGE || !vector_wire_init(&wire, vector))
        return NULL;
    if (wire.size == vector->size)
        bytes = malloc(vector->size > 0 ? (size_t)vector->size : 1);
    for (i = 0, to = bytes; bytes != NULL && i < wire.pieces; i++) {
        if (wire.iov[i].iov_len > 0)
            memcpy(to, wire.iov[i].iov_base, wire.iov[i].iov_len);
        to += wire.iov[i].iov_len;
    }
    vector_wire_free(&wire);
    return bytes;
}
