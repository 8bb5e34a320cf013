/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * XDR items one behind the other into a buffer, for what rpcgen's routines are
 * not asked to write: attributes, directory entries, what READ returns.  What
 * does not fit is not written, and is remembered in `full`.
 */
#ifndef NFS42_PUT_H
#define NFS42_PUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct put {
    uint8_t *bytes;
    size_t len, room;
    bool full;
};

/* The place of the next `len` bytes, or NULL. */
static inline uint8_t *put_room(struct put *put, size_t len)
{
    uint8_t *at = put->bytes + put->len;

    if (put->full || len > put->room - put->len) {
        put->full = true;
        return NULL;
    }
    put->len += len;
    return at;
}

static inline void put_store32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

static inline uint32_t put_load32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

static inline void put32(struct put *put, uint32_t value)
{
    uint8_t *at = put_room(put, 4);

    if (at != NULL)
        put_store32(at, value);
}

static inline void put64(struct put *put, uint64_t value)
{
    put32(put, (uint32_t)(value >> 32));
    put32(put, (uint32_t)value);
}

/* Opaque bytes of fixed length, with their fill. */
static inline void put_fixed(struct put *put, const void *bytes, size_t len)
{
    size_t fill = (4 - len % 4) % 4;
    uint8_t *at = put_room(put, len + fill);

    if (at == NULL)
        return;
    if (len > 0)
        memcpy(at, bytes, len);
    memset(at + len, 0, fill);
}

/* opaque<>: a length before it. */
static inline void put_opaque(struct put *put, const void *bytes, size_t len)
{
    put32(put, (uint32_t)len);
    put_fixed(put, bytes, len);
}

/* memcmp() may not be given NULL, as rpcgen's routines leave for no bytes. */
static inline bool same_bytes(const void *a, const void *b, size_t len)
{
    return len == 0 || memcmp(a, b, len) == 0;
}

#endif /* NFS42_PUT_H */
