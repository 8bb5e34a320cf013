/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For users of libtirpc only: the types of READ_PLUS and SEEK as rpcgen makes
 * them from xdr/read_plus.x, an XDR filter that reads and writes a whole
 * READ_PLUS4res as segments, and the way from one to the other.  Link
 * libreadplus-rpc.
 *
 * In C every name of RFC 7863 carries a prefix (readplus_data4,
 * READPLUS_NFS4_OK, xdr_readplus_data4), so that a program with an nfs4 .x of
 * its own can use both, in either order.  A program that has none may include
 * <readplus/names.h> after this header and write the RFC's names.
 *
 * The generated decoders accept much that RFC 4506 and RFC 7862 forbid, and
 * allocate what a count word on the wire tells them to.  The filter here does
 * neither: use it, not xdr_readplus_READ_PLUS4res, on bytes from a peer.
 */
#ifndef READPLUS_RPC_H
#define READPLUS_RPC_H

#include <stddef.h>

#include <readplus/segment.h>
#include <readplus/read_plus.h>

#ifdef __cplusplus
extern "C" {
#endif

struct readplus_rpc_block; /* memory a decode took; private */

/*
 * A READ_PLUS4res (RFC 7862 section 15.10.2) between a stream and segments.
 * Set up by readplus_rpc_res_init, then a server sets what it sends and a
 * client reads what it got.
 */
struct readplus_rpc_res {
    uint32_t status; /* rp_status; with another than NFS4_OK (0) there are no
                        segments */
    bool eof;        /* rpr_eof */
    /* The caller's array: segments[0, count) are the elements, as they are on
     * the wire, not clipped (see readplus_segment_clip). */
    struct readplus_segment *segments;
    uint32_t count;
    uint32_t capacity; /* entries of that array a decode may use */
    /*
     * The count word of the last decode, as the peer sent it: with
     * READPLUS_ERR_LIMIT what the capacity would have to be, if the peer can
     * be believed.
     */
    uint32_t announced;
    /* What the last call refused and where; error READPLUS_OK: nothing. */
    struct readplus_fault fault;

    /* Private. */
    uint64_t asked;
    uint8_t *buffer;
    size_t buffer_len;
    struct readplus_rpc_block *blocks;
};

/*
 * Prepares *res: status NFS4_OK, no segments, eof false.
 *
 * args: the request, of which the offset is remembered, so that a first
 * element that starts late is refused; NULL: it may start anywhere.
 * segments: an array of `capacity` entries, borrowed until XDR_FREE; NULL
 * where that is 0.
 * buffer: where a decode puts the bytes of all data segments, one after the
 * other, at most buffer_len; borrowed.  args->count bytes are enough for any
 * server that sends no data outside the request.  NULL: a decode takes memory
 * with malloc, and XDR_FREE gives it back.
 */
READPLUS_API void readplus_rpc_res_init(struct readplus_rpc_res *res,
                                        const struct readplus_args *args,
                                        struct readplus_segment *segments,
                                        uint32_t capacity, void *buffer,
                                        size_t buffer_len);

/*
 * The filter; as an xdrproc_t it goes wherever libtirpc wants one:
 *
 *     clnt_call(clnt, proc, (xdrproc_t) args_filter, &args,
 *               (xdrproc_t) readplus_rpc_res_xdr, &res, timeout)
 *
 * It uses nothing of a stream but x_getbytes and x_putbytes, so any stream
 * will do, and shares no state with anything.  TRUE, or FALSE with res->fault
 * set.
 *
 * XDR_DECODE judges as readplus_decoder_next does in the strict profile, with
 * the same fault for the same bytes; a record or a connection that ends early
 * is READPLUS_ERR_TRUNCATED.  What follows the item stays unread.  And:
 * READPLUS_ERR_LIMIT (at the count word): more elements than capacity;
 * READPLUS_ERR_NOSPACE (at the length word of d_data): more bytes than
 * buffer_len; READPLUS_ERR_NOMEM (there too): malloc failed.  Memory is taken
 * as bytes arrive, never because a length says so: at no time more than twice
 * the bytes received so far and 4096, this bookkeeping included.  After a
 * failure count is 0, eof false, status NFS4_OK, and nothing is owned; what
 * *segments and buffer hold is unspecified.  Another decode first frees what
 * an earlier one took.
 *
 * XDR_ENCODE writes exactly what readplus_res_encode would, and refuses with
 * its errors and its fault what that refuses, and a first element that starts
 * after the offset of the args (READPLUS_ERR_LATE_START); then nothing was
 * written.  READPLUS_ERR_NOSPACE: with segment absent and at 0, the item is
 * longer than UINT32_MAX bytes, which libtirpc cannot count, and nothing was
 * written; else the stream took no more at that byte, and what it took before
 * cannot be taken back (ask readplus_res_size first).  xdr_sizeof of the
 * filter is what readplus_res_size says.
 *
 * XDR_FREE frees what a decode took, if anything; then all data pointers in
 * segments[0, count) are NULL and count is 0.  Always TRUE, any number of
 * times.
 *
 * Any other operation: FALSE, READPLUS_ERR_INVAL.
 */
READPLUS_API bool_t readplus_rpc_res_xdr(XDR *xdrs,
                                         struct readplus_rpc_res *res);

/*
 * From the generated type: *res becomes what *from says, with data borrowed
 * from it, after the checks of a decode (padding apart, which memory has not).
 * Memory an earlier decode took is freed first.
 *
 * OK. READPLUS_ERR_BAD_BOOL, READPLUS_ERR_BAD_CONTENT, READPLUS_ERR_RANGE,
 * READPLUS_ERR_LATE_START, READPLUS_ERR_GAP, READPLUS_ERR_ORDER,
 * READPLUS_ERR_OVERLAP; READPLUS_ERR_LIMIT: more elements than capacity;
 * READPLUS_ERR_INVAL: a NULL pointer with a length that is not 0.  Failures
 * leave *res as a failed decode does, res->fault with the place where it
 * would stand on the wire.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_rpc_res_import(
    struct readplus_rpc_res *res, const readplus_READ_PLUS4res *from);

/*
 * To the generated type: *to becomes what *res says.  Its elements are
 * contents[0, res->count), the caller's, and its data is borrowed from the
 * segments; none of it may be given to xdr_free.
 *
 * OK.  READPLUS_ERR_LIMIT (at the count word): capacity is below res->count.
 * The rest as for XDR_ENCODE: what the strict decoder would refuse is
 * refused.  Failures change nothing but res->fault.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_rpc_res_export(
    struct readplus_rpc_res *res, readplus_read_plus_content *contents,
    uint32_t capacity, readplus_READ_PLUS4res *to);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_RPC_H */
