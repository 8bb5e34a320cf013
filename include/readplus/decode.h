/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder: an iterator over the segments of a received READ_PLUS4res, in
 * one buffer or in pieces that are split anywhere.  It copies no file byte,
 * allocates nothing, fetches each byte of the input at most once and none
 * past its end, and takes time in proportion to the elements that are really
 * there, whatever the count word claims.
 *
 * It judges in wire order, as each item completes.  What a peer may not do
 * (RFC 4506; RFC 7862 section 15.10.3) ends the iteration with an error that
 * stays; the good segments before it have been handed out by then, and
 * readplus_decoder_fault says what, where and in which element.
 */
#ifndef READPLUS_DECODE_H
#define READPLUS_DECODE_H

#include <stddef.h>
#include <sys/uio.h>

#include <readplus/segment.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Flags.  0 is the strict profile: every rule of XDR and every MUST.
 */
#define READPLUS_DECODE_STRICT 0x0u
/*
 * For delivery (readplus/scatter.h and the like): a fault ends a short read
 * instead of failing it; implies READPLUS_DECODE_TRAILING.  The iterator
 * itself reports the same faults as ever.
 */
#define READPLUS_DECODE_TOLERANT 0x1u
/* Fill bytes may have any value (what rpcgen's decoders accept). */
#define READPLUS_DECODE_ANY_PAD 0x2u
/* Bytes may follow the item, as they do in a COMPOUND. */
#define READPLUS_DECODE_TRAILING 0x4u

/* A place in the input.  Private. */
struct readplus_cursor {
    const uint8_t *pos, *end; /* what is unread of the piece at hand */
    const struct iovec *iov;  /* the pieces behind it */
    size_t pieces;
    uint64_t end_at; /* the item offset of `end` */
    uint64_t size;   /* of the input, bytes from the item's first on */
};

/* The head of one element, as it was fetched.  Private. */
struct readplus_element {
    uint64_t at; /* item offset of rpc_content */
    uint64_t offset, length;
    uint32_t content;
};

/* All fields are private; on the caller's stack.  The input and the iovec
 * array are borrowed and must outlive it. */
struct readplus_decoder {
    struct readplus_cursor cursor;
    uint64_t expected; /* offset the next element must have */
    uint64_t before;   /* offset of the element before it */
    uint64_t at;       /* item offset of the last element handed out */
    uint32_t left;     /* elements still to come */
    uint32_t count;    /* the count word */
    uint32_t status;
    uint32_t flags;
    bool eof;
    bool ranged; /* args were given */
    struct readplus_args args;
    struct readplus_fault fault;
    struct readplus_cursor data; /* where the last segment's bytes begin */
};

/*
 * Begins to decode a READ_PLUS4res that fills iov[0, pieces) and reads its
 * head: rp_status and, where that is NFS4_OK, rpr_eof and the element count.
 * Empty pieces are allowed.  With *args (copied) the first element must not
 * start after args->offset; with NULL it may start anywhere.
 *
 * OK: the questions below have answers; with another status than NFS4_OK
 * there are no elements.  READPLUS_ERR_TRUNCATED, READPLUS_ERR_BAD_BOOL: the
 * head is faulty. READPLUS_ERR_INVAL: iov is NULL though pieces is not 0, a
 * piece is NULL though not empty, their sum exceeds 2^64 - 1, or a flag is
 * unknown.  Failures are kept: readplus_decoder_next will repeat them.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_decoder_init(
    struct readplus_decoder *decoder, const struct readplus_args *args,
    const struct iovec *iov, size_t pieces, uint32_t flags);

/* The same for an item in one piece, buffer[0, len). */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error
readplus_decoder_init_buffer(struct readplus_decoder *decoder,
                             const struct readplus_args *args,
                             const void *buffer, size_t len, uint32_t flags);

/* rp_status; any 32-bit value comes through unharmed. */
READPLUS_API uint32_t
readplus_decoder_status(const struct readplus_decoder *decoder);

/* rpr_eof, as the server said it; false where the status is not NFS4_OK. */
READPLUS_API bool readplus_decoder_eof(const struct readplus_decoder *decoder);

/*
 * Takes the next element as the server sent it, not clipped.  segment->data
 * points into the input; it is NULL where the bytes lie in more than one
 * piece (see readplus_decoder_data_iov), for holes and for length 0.
 *
 * OK. READPLUS_END: there are no more; *segment unchanged.  Errors, which
 * every later call repeats, with *segment unchanged:
 * READPLUS_ERR_TRUNCATED, BAD_PAD, TRAILING; BAD_CONTENT, RANGE, LATE_START,
 * GAP, ORDER, OVERLAP.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_decoder_next(
    struct readplus_decoder *decoder, struct readplus_segment *segment);

/*
 * Takes up to `capacity` elements at once, for speed; *taken becomes their
 * number.  OK: at least one was taken (or capacity is 0).  READPLUS_END and
 * errors: as for readplus_decoder_next, never together with elements.  A
 * segment whose bytes lie in more than one piece is the last of its batch, so
 * readplus_decoder_data_iov can always be asked for it.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_decoder_take(
    struct readplus_decoder *decoder, struct readplus_segment *segments,
    size_t capacity, size_t *taken);

/*
 * Where the bytes of the data segment handed out last are, in as many iovecs
 * as they are split into.  OK: *entries of iov[0, capacity) were set.
 * READPLUS_ERR_LIMIT: capacity is too small; *entries is what is needed.
 * READPLUS_ERR_STATE: nothing was handed out yet; READPLUS_ERR_INVAL: another
 * segment was handed out last.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_decoder_data_iov(
    const struct readplus_decoder *decoder,
    const struct readplus_segment *segment, struct iovec *iov, size_t capacity,
    size_t *entries);

/*
 * Copies length bytes, from byte `skip` of the data segment handed out last,
 * to destination.  OK. READPLUS_ERR_INVAL: the segment has no such bytes, or
 * another one was handed out last.
 * READPLUS_ERR_STATE: nothing was handed out yet.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_decoder_data_copy(
    const struct readplus_decoder *decoder,
    const struct readplus_segment *segment, uint64_t skip, void *destination,
    size_t length);

/* The byte offset in the item of the element handed out last; 0 before. */
READPLUS_API uint64_t
readplus_decoder_at(const struct readplus_decoder *decoder);

/*
 * The bytes of the item read so far: after READPLUS_END the length of the
 * item, where whatever follows it begins.
 */
READPLUS_API uint64_t
readplus_decoder_consumed(const struct readplus_decoder *decoder);

/* What was refused and where; error READPLUS_OK where nothing was. */
READPLUS_API struct readplus_fault readplus_decoder_fault(
    const struct readplus_decoder *decoder);

/* What a whole item was. */
struct readplus_res {
    uint32_t status;             /* rp_status */
    bool eof;                    /* rpr_eof */
    size_t count;                /* elements that were taken */
    uint64_t size;               /* bytes of the item that were read */
    struct readplus_fault fault; /* error READPLUS_OK: nothing was refused */
};

/*
 * Decodes the whole item in buffer[0, len) at once, without a decoder: what
 * costs least where a reply lies in one piece and its elements fit an array.
 * *args as for readplus_decoder_init; segments as from readplus_decoder_next,
 * their data in the buffer.
 *
 * OK: segments[0, res->count) are all there are, and the item ends where it
 * should.  READPLUS_ERR_LIMIT: it has more elements than capacity; the first
 * `capacity` were taken, those behind them not looked at.  Errors, in
 * res->fault too: those of readplus_decoder_init_buffer and
 * readplus_decoder_next, res->count elements having been taken before.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_res_decode(
    const struct readplus_args *args, const void *buffer, size_t len,
    uint32_t flags, struct readplus_segment *segments, size_t capacity,
    struct readplus_res *res);

/*
 * Reads READ_PLUS4args from buffer[0, len).  Flags: 0 or
 * READPLUS_DECODE_TRAILING.  OK. READPLUS_ERR_TRUNCATED, READPLUS_ERR_TRAILING;
 * *args is then unchanged and *fault, if not NULL, says where.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_args_decode(
    const void *buffer, size_t len, uint32_t flags, struct readplus_args *args,
    struct readplus_fault *fault);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_DECODE_H */
