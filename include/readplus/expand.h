/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delivery in place: a reply that was received into the very memory where its
 * content shall be becomes that content, every file byte moved at most once,
 * holes zeroed where they fall.
 *
 * The memory is one row of bytes, in one piece or many (pages).  Somewhere in
 * it lies the user's buffer, and somewhere in it the reply; they overlap:
 *
 *     row        |--------------------------------------------|
 *     buffer         |<--------- content_len --------->|
 *     reply                 |<-------- reply_len -------->|
 *
 * The usual layout is READPLUS_EXPAND_FRONT bytes, the user's buffer,
 * READPLUS_EXPAND_BACK bytes, and the reply where readplus_expand_place says.
 * A single data element that fills the buffer is then received where it
 * belongs and nothing is moved; and no reply needs more that was planned by
 * readplus_plan_add and its kin in clip mode (presets linux-client, default,
 * rdma, single-data, single).  Other replies may: readplus_expand then refuses
 * with everything untouched, and readplus_scatter into other memory serves, or
 * readplus_expand_segments.
 *
 * Bytes of the user's buffer behind result->bytes are unspecified; outside the
 * user's buffer nothing is ever written.
 */
#ifndef READPLUS_EXPAND_H
#define READPLUS_EXPAND_H

#include <readplus/scatter.h>
#include <readplus/size.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory in front of the user's buffer: the heads before the first data. */
#define READPLUS_EXPAND_FRONT                                                  \
    (READPLUS_RES_HEAD_SIZE + READPLUS_DATA_HEAD_SIZE) /* 28 */
/* Memory behind it: the fill of the last data. */
#define READPLUS_EXPAND_BACK 3

/* A reply in the memory that is to hold its content. */
struct readplus_expansion {
    struct readplus_args args;
    const struct iovec *iov; /* the row; its pieces must not overlap */
    size_t pieces;
    uint64_t reply;       /* where in the row the item begins */
    uint64_t reply_len;   /* its length, bytes */
    uint64_t content;     /* where in the row the user's buffer begins, */
    uint64_t content_len; /* bytes: whither the file byte at args.offset goes */
    uint32_t flags;       /* READPLUS_DECODE_ and READPLUS_SCATTER_ together */
};

/*
 * Where to receive a reply of reply_len bytes: *reply becomes its place in a
 * row of READPLUS_EXPAND_FRONT + content_len + READPLUS_EXPAND_BACK bytes.  It
 * then ends with the user's buffer, or up to 3 bytes behind.
 *
 * OK. READPLUS_ERR_NOSPACE: the row does not hold it; *reply is unchanged.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_expand_place(
    uint64_t content_len, uint64_t reply_len, uint64_t *reply);

/*
 * How many bytes of memory this reply needs behind the user's buffer, to be
 * expanded by readplus_expand when it lies at the very end of the row; for
 * many small elements behind a large hole that is a lot.  One pass over the
 * heads, nothing is moved.  Elements behind a fault are not counted, since
 * they are not delivered.  e->content is not used.
 *
 * OK: *slack is set.  READPLUS_ERR_INVAL: as for readplus_expand; *slack is
 * unchanged.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_expand_slack(
    const struct readplus_expansion *e, uint64_t *slack);

/*
 * Expands the reply in one pass from its first element to its last, after one
 * look at the heads for whether there is room.  With READPLUS_SCATTER_ZEROED
 * the user's buffer was all zeros before the reply was received into it: only
 * where the reply lies are holes zeroed.
 *
 * Returns and sets *result as readplus_scatter does.  Also READPLUS_ERR_INVAL:
 * iov makes no sense, its sum is 2^62 or more, the reply or the user's buffer
 * is not inside the row, or a flag is unknown; READPLUS_ERR_NOSPACE: the reply
 * lies too far in front, file bytes would overwrite elements not yet read.
 * With both nothing was touched, *result included.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_expand(
    const struct readplus_expansion *e, struct readplus_result *result);

/*
 * The same for a reply anywhere in the row, at its head for instance, and of
 * any shape, with the caller's segments[0, capacity): it goes forward as far
 * as there is room, without looking first, and where there is none it reads
 * the rest and moves what belongs further back from the last to the first.
 * The faster of the two where the array has an entry for each element.
 * Afterwards the array holds nothing of use.
 *
 * As readplus_expand, but instead of READPLUS_ERR_NOSPACE it knows
 * READPLUS_ERR_LIMIT: there are more good elements than capacity; nothing but
 * the array was touched.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_expand_segments(
    const struct readplus_expansion *e, struct readplus_segment *segments,
    size_t capacity, struct readplus_result *result);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_EXPAND_H */
