/*
 * What bench_codec's contestants work on.  Each is a function without
 * arguments that does one reply with the slot at hand: a set of buffers, one
 * for warm runs, many in turn for cold ones.
 */
#ifndef READPLUS_BENCH_CODEC_H
#define READPLUS_BENCH_CODEC_H

#include "bench.h"

#include <readplus.h>

#define RANGE (1u << 20)
#define MOST 65536
#define ROOM (RANGE + 20 * 8192 + 4096)

/* Of a reply of count segments, in buffers of a slot. */
struct slot {
    uint8_t *file;    /* what the segments' data points to */
    uint8_t *item;    /* the reply */
    uint8_t *row;     /* content, with room for a reply around it */
    uint8_t *placed;  /* a reply whose data stands where it belongs */
    uint8_t *out;     /* for what is written */
    uint8_t *scratch; /* for headers */
    struct readplus_segment *segments, *taken;
    struct readplus_segment *around; /* segments whose data is in `placed` */
    struct iovec *iov;
};

extern struct slot *slot;
extern size_t count, item_len, entries;
extern uint32_t range; /* file bytes */

typedef void contestant(void);

contestant encode_ours_iov, encode_floor_iov, encode_ours_copy, encode_memcpy;
contestant encode_ours_placed, encode_floor_placed;
contestant decode_ours_batch, decode_ours_each, decode_floor;
contestant deliver_scatter, deliver_expand, deliver_stream;
contestant encode_rpcgen, decode_rpcgen, encode_ntirpc, decode_ntirpc;

/* The peers' form of the slot's segments; false: there is no such peer. */
void rpcgen_set(void);
bool ntirpc_set(void);

/* In ntirpc_peer.c, a module of its own: its names are libtirpc's too. */
typedef void ntirpc_set_t(const struct readplus_segment *s, size_t n);
typedef bool ntirpc_encode_t(void *to, size_t len);
typedef bool ntirpc_decode_t(const void *from, size_t len);

#endif /* READPLUS_BENCH_CODEC_H */
