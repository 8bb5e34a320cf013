/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delivery by copying: a decoded reply becomes file content in the caller's
 * buffers, data copied, holes zeroed, both ends clipped to the request.
 */
#ifndef READPLUS_SCATTER_H
#define READPLUS_SCATTER_H

#include <readplus/decode.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The destination is known to be zero already: holes are skipped.  Distinct
 * from READPLUS_DECODE_ flags, for calls that take both. */
#define READPLUS_SCATTER_ZEROED 0x100u

/* What a delivery brought. */
struct readplus_result {
    /*
     * File bytes delivered, from the request's offset on without a gap.  What
     * lies behind them in the destination was not touched.
     */
    uint64_t bytes;
    /* How many of them came from holes. */
    uint64_t zero_bytes;
    /*
     * Nothing lies behind what was delivered: the file ends there, or before
     * the request's offset.  The server's rpr_eof, made false by any clipping,
     * any fault, and any destination shorter than the reply.
     */
    bool eof;
    /*
     * False: bytes were asked for, and the reply brings neither one of them
     * nor the end of the file; asking again may loop for ever.
     */
    bool progress;
    /* READPLUS_OK, or what ended the reply early. */
    struct readplus_fault fault;
};

/* What of a segment is delivered.  Private. */
struct readplus_part {
    uint64_t skip;   /* its bytes in front of the request */
    uint64_t inside; /* its bytes inside the request */
    uint64_t length; /* how many of those there is room for */
};

/* Where the next byte goes, and what was delivered so far.  Private. */
struct readplus_delivery {
    const struct iovec *iov;
    size_t pieces;
    size_t used;      /* of the first piece, bytes */
    uint64_t room;    /* bytes that may still be delivered */
    uint64_t covered; /* bytes of the request that segments spoke of */
    bool clipped;     /* some segment was not delivered whole */
    struct readplus_result result;
};

/*
 * Delivers all remaining segments of the decoder, which must have been given
 * the request's arguments and not have handed out a segment yet, to iov[0,
 * pieces): the first byte there is the one at the request's offset.  At most
 * the request's count and at most the pieces' sum is delivered.
 *
 * OK: *result is set; with another status than NFS4_OK it is empty.  Strict:
 * a fault is returned as the error it is; *result then tells what was
 * delivered before it.  READPLUS_DECODE_TOLERANT: a fault after the head is
 * OK, a short read with eof false and result->fault set.  READPLUS_ERR_INVAL:
 * no args, unknown flags, iov NULL; READPLUS_ERR_STATE: segments were taken
 * already; *result is then unchanged.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_scatter(
    struct readplus_decoder *decoder, const struct iovec *iov, size_t pieces,
    uint32_t flags, struct readplus_result *result);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_SCATTER_H */
