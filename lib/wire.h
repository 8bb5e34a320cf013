/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * XDR words in memory, and the headers of READ_PLUS made of them.  The only
 * loads and stores of wire bytes, and the one place where each header is
 * written.  Nothing here checks room: the caller has, with the size functions
 * that stand beside the writers.  Never a cast of a byte pointer: the input
 * may lie at any address.
 */
#ifndef READPLUS_LIB_WIRE_H
#define READPLUS_LIB_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <readplus/segment.h>
#include <readplus/size.h>

/*
 * What the proofs (tests/proof) mean by words on the wire and by fill.  The
 * contracts of the four loads and stores are trusted; check_wire tests them
 * over every value of every byte.
 */
/*@ logic integer be32(uint8_t *p) =
        ((p[0] * 256 + p[1]) * 256 + p[2]) * 256 + p[3];
    logic integer be64(uint8_t *p) = be32(p) * 4294967296 + be32(p + 4);
    logic integer fill(integer length) = (4 - length % 4) % 4;
    logic integer data_size(integer length) = 16 + length + fill(length);
    predicate blank(uint8_t *p, integer n) =
        \forall integer k; 0 <= k < n ==> p[k] == 0; */

static inline uint32_t wire_swap32(uint32_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return __builtin_bswap32(v);
#else
    return v;
#endif
}

static inline uint64_t wire_swap64(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return __builtin_bswap64(v);
#else
    return v;
#endif
}

/*@ requires \valid_read(p);
    assigns \nothing;
    ensures \result == *p; */
static inline uint8_t wire_load8(const uint8_t *p)
{
    uint8_t byte;

    memcpy(&byte, p, sizeof(byte));
    return byte;
}

/*@ requires \valid_read(p + (0 .. 3));
    assigns \nothing;
    ensures \result == be32(p); */
static inline uint32_t wire_load32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return wire_swap32(v);
}

/*@ requires \valid_read(p + (0 .. 7));
    assigns \nothing;
    ensures \result == be64(p); */
static inline uint64_t wire_load64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof(v));
    return wire_swap64(v);
}

/*@ requires \valid(p + (0 .. 3));
    assigns p[0 .. 3];
    ensures be32(p) == v; */
static inline void wire_store32(uint8_t *p, uint32_t v)
{
    v = wire_swap32(v);
    memcpy(p, &v, sizeof(v));
}

/*@ requires \valid(p + (0 .. 7));
    assigns p[0 .. 7];
    ensures be64(p) == v; */
static inline void wire_store64(uint8_t *p, uint64_t v)
{
    v = wire_swap64(v);
    memcpy(p, &v, sizeof(v));
}

/* Fill bytes after `length` bytes of opaque data: 0 to 3 (RFC 4506, 4.10). */
/*@ assigns \nothing;
    ensures \result == fill(length); */
static inline unsigned wire_pad(uint64_t length)
{
    return (unsigned)((4 - length % 4) % 4);
}

/*@ requires \valid(p + (0 .. fill(length) - 1));
    assigns p[0 .. fill(length) - 1];
    ensures blank(p, fill(length)); */
static inline void wire_put_fill(uint8_t *p, uint64_t length)
{
    unsigned i, pad = wire_pad(length);

    /*@ loop invariant 0 <= i <= pad;
        loop invariant blank(p, i);
        loop assigns i, p[0 .. pad - 1];
        loop variant pad - i; */
    for (i = 0; i < pad; i++)
        p[i] = 0;
}

/* A data element: header, bytes, fill.  At most 2^32 + 16, so 64 bits hold. */
/*@ assigns \nothing;
    ensures \result == data_size(length); */
static inline uint64_t wire_data_size(uint32_t length)
{
    return READPLUS_DATA_HEAD_SIZE + (uint64_t)length + wire_pad(length);
}

/* The most data whose element takes no more than room, and want. */
/*@ assigns \nothing;
    ensures \result <= want;
    ensures \result == 0 || data_size(\result) <= room;
    ensures \result == \min(want, UINT32_MAX) ||
        data_size(\result + 1) > room; */
static inline uint32_t wire_data_fit(uint64_t room, uint64_t want)
{
    if (room < READPLUS_DATA_HEAD_SIZE)
        return 0;
    room -= READPLUS_DATA_HEAD_SIZE;
    room -= room % 4;
    if (want > room)
        want = room;
    return want > UINT32_MAX ? UINT32_MAX : (uint32_t)want;
}

/* rp_status NFS4_OK, rpr_eof, the count word of rpr_contents (12 bytes). */
/*@ requires \valid(p + (0 .. 11));
    assigns p[0 .. 11];
    ensures be32(p) == 0 && be32(p + 4) == (eof ? 1 : 0);
    ensures be32(p + 8) == count; */
static inline void wire_put_res_head(uint8_t *p, bool eof, uint32_t count)
{
    wire_store32(p, 0);
    wire_store32(p + 4, eof ? 1 : 0);
    wire_store32(p + 8, count);
}

/* rpc_content DATA, d_offset, the length word of d_data (16 bytes). */
/*@ requires \valid(p + (0 .. 15));
    assigns p[0 .. 15];
    ensures be32(p) == 0 && be64(p + 4) == offset && be32(p + 12) == length; */
static inline void wire_put_data_head(uint8_t *p, uint64_t offset,
                                      uint32_t length)
{
    wire_store32(p, READPLUS_CONTENT_DATA);
    wire_store64(p + 4, offset);
    wire_store32(p + 12, length);
}

/* rpc_content HOLE, di_offset, di_length (20 bytes). */
/*@ requires \valid(p + (0 .. 19));
    assigns p[0 .. 19];
    ensures be32(p) == 1 && be64(p + 4) == offset && be64(p + 12) == length; */
static inline void wire_put_hole(uint8_t *p, uint64_t offset, uint64_t length)
{
    wire_store32(p, READPLUS_CONTENT_HOLE);
    wire_store64(p + 4, offset);
    wire_store64(p + 12, length);
}

/* stateid4: seqid and twelve opaque bytes without a length word (16 bytes). */
static inline void wire_put_stateid(uint8_t *p,
                                    const struct readplus_stateid *s)
{
    wire_store32(p, s->seqid);
    memcpy(p + 4, s->other, sizeof(s->other));
}

static inline void wire_get_stateid(const uint8_t *p,
                                    struct readplus_stateid *s)
{
    s->seqid = wire_load32(p);
    memcpy(s->other, p + 4, sizeof(s->other));
}

/* Where, in an element, the field stands that says where the segment lies. */
#define WIRE_OFFSET_AT 4
/* Where its length stands: di_length, or the length word of d_data. */
#define WIRE_LENGTH_AT 12

#endif /* READPLUS_LIB_WIRE_H */
