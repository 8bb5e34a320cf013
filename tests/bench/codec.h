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
#define FRONT READPLUS_EXPAND_FRONT

struct readplus_READ_PLUS4res;

/* A reply of `count` segments, and room for what is made of it. */
struct slot {
    uint8_t *file; /* what the segments' data points to */
    uint8_t *item; /* the reply */
    uint8_t *out;  /* for an item */
    uint8_t *row;  /* for content, with room for a reply around it */
    uint8_t *scratch;
    struct readplus_segment *segments, *taken;
    struct readplus_segment *placed; /* data in `out`, where it belongs */
    struct iovec *iov;
    struct readplus_READ_PLUS4res *rpcgen; /* the segments, in its form */
};

extern struct slot *slot;
extern size_t count, item_len, entries;
extern uint32_t range; /* file bytes */

typedef void contestant(void);

contestant encode_ours_iov, encode_floor_iov;
contestant encode_ours_copy, encode_memcpy;
contestant encode_ours_placed, encode_floor_placed;
contestant decode_ours_batch, decode_ours_each, decode_floor;
contestant deliver_scatter, deliver_expand, deliver_stream, deliver_memcpy;
contestant encode_rpcgen, decode_rpcgen, encode_ntirpc, decode_ntirpc;

/* The peers' form of the slot's segments; ntirpc has but one. */
void rpcgen_set(void);
void rpcgen_free(struct slot *s);
void ntirpc_set(void);
/* The module is named by NTIRPC_PEER; false: it is not there. */
bool ntirpc_load(void);

#endif /* READPLUS_BENCH_CODEC_H */
