/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many bytes things take on the wire, and how many there are to spend.
 *
 * Pure arithmetic, with the very formulas the encoders use.  Three levels: the
 * size of a part (an element, a result, the headers around it), the limits a
 * server sets itself (struct readplus_limits, with its presets), and what is
 * left of them while one reply is being made (struct readplus_budget).
 */
#ifndef READPLUS_SIZE_H
#define READPLUS_SIZE_H

#include <stddef.h>

#include <readplus/segment.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes on the wire, in bytes (RFC 7863, RFC 5531). */
#define READPLUS_ARGS_SIZE 28         /* READ_PLUS4args; SEEK4args too */
#define READPLUS_STATUS_SIZE 4        /* READ_PLUS4res that is not NFS4_OK */
#define READPLUS_RES_HEAD_SIZE 12     /* rp_status, rpr_eof, element count */
#define READPLUS_BODY_HEAD_SIZE 8     /* the same without rp_status */
#define READPLUS_DATA_HEAD_SIZE 16    /* rpc_content, d_offset, d_data length */
#define READPLUS_HOLE_SIZE 20         /* rpc_content, di_offset, di_length */
#define READPLUS_OPCODE_SIZE 4        /* what nfs_argop4, nfs_resop4 add */
#define READPLUS_RECORD_MARK_SIZE 4   /* TCP only */
#define READPLUS_SEQUENCE_RES_SIZE 44 /* SEQUENCE nfs_resop4, NFS4_OK */
#define READPLUS_PUTFH_RES_SIZE 8     /* PUTFH nfs_resop4 */

/* The least maxcount with which a reply can carry one byte of a file. */
#define READPLUS_MAXCOUNT_MIN 28

/* A data element of `length` bytes: header, bytes, fill to a multiple of 4. */
READPLUS_API uint64_t readplus_data_size(uint32_t length);

/*
 * The largest length, at most `want`, of a data element that takes no more
 * than `room` bytes; 0 where not even one byte fits.  The inverse of
 * readplus_data_size: fill counts, so a cut wastes none.
 */
READPLUS_API uint32_t readplus_data_fit(uint64_t room, uint64_t want);

/*
 * *size becomes the length in bytes of the READ_PLUS4res with NFS4_OK and
 * these `count` segments, UINT64_MAX where it does not fit.  Segments may be
 * NULL where count is 0; where they lie in the file is not looked at.
 *
 * OK. READPLUS_ERR_INVAL: a data segment is longer than UINT32_MAX, a content
 * is unknown, or count exceeds UINT32_MAX.  *size changes on OK only.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_res_size(
    const struct readplus_segment *segments, size_t count, uint64_t *size);

/* The header of a COMPOUND4res with a tag of `taglen` bytes. */
READPLUS_API uint64_t readplus_compound_size(uint32_t taglen);

/*
 * The header of an accepted, successful RPC reply whose verifier has
 * `verflen` bytes (RFC 5531: at most 400; AUTH_NONE and AUTH_SYS: 0).
 */
READPLUS_API uint64_t readplus_rpc_size(uint32_t verflen);

/*
 * A whole RPC reply {SEQUENCE, PUTFH, READ_PLUS} around a READ_PLUS4res of
 * `res_size` bytes, without the record mark; it is what ca_maxresponsesize
 * bounds (RFC 8881 section 18.36.3).  UINT64_MAX where the sum does not fit.
 */
READPLUS_API uint64_t readplus_message_size(uint32_t verflen, uint32_t taglen,
                                            uint64_t res_size);

/*
 * What a client must reserve for the READ_PLUS4res to a request of `count`
 * bytes, if the server sends at most maxsegs elements and no data outside the
 * request: the largest such item, reached by one data element of all the bytes
 * among holes, empty ones included.  maxsegs 0: any number of elements, each
 * of which brings a byte.  Give it to readplus_message_size for the
 * ca_maxresponsesize to ask for.
 */
READPLUS_API uint64_t readplus_reserve_size(uint32_t count, uint32_t maxsegs);

/*
 * The reverse: the largest count whose reply fits into res_size bytes under
 * the same conditions; 0 where none does.
 */
READPLUS_API uint32_t readplus_reserve_count(uint64_t res_size,
                                             uint32_t maxsegs);

/*
 * What bounds one reply in its session (RFC 8881 sections 2.10.6.4, 18.36.3).
 * All in bytes; counted from the RPC header on, the record mark excluded.
 */
struct readplus_session {
    uint32_t ca_maxresponsesize;
    uint32_t ca_maxresponsesize_cached;
    bool cachethis;    /* sa_cachethis of the request's SEQUENCE */
    uint64_t encoded;  /* of this reply, already encoded */
    uint64_t reserved; /* to be left for later operations, or a GSS wrap */
};

/*
 * The maxcount left for a READ_PLUS result whose opcode is not yet encoded:
 * the limit, less `encoded`, `reserved`, the opcode and rp_status.
 *
 * OK: *maxcount is set; below READPLUS_BODY_HEAD_SIZE only an error result
 * fits, below READPLUS_MAXCOUNT_MIN no byte of the file does.
 * READPLUS_ERR_NOSPACE: not even an error result fits; *maxcount unchanged.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_session_maxcount(
    const struct readplus_session *session, uint32_t *maxcount);

/*
 * The status with which a server answers when readplus_session_maxcount
 * leaves too little: NFS4ERR_REP_TOO_BIG_TO_CACHE (10067) where only the
 * limit for cached replies stands in the way, else NFS4ERR_REP_TOO_BIG
 * (10066).
 */
READPLUS_API uint32_t
readplus_session_nfsstat(const struct readplus_session *session);

/* What a server allows itself in a reply.  Set by readplus_limits_init. */
struct readplus_limits {
    /*
     * Bytes of the READ_PLUS4res less the four of rp_status.  UINT32_MAX, the
     * default, is more than any session allows: ca_maxresponsesize is 32 bits
     * wide.
     */
    uint32_t maxcount;
    /* Elements.  0: as many as fit. */
    uint32_t maxsegs;
    /*
     * Bytes.  A hole shorter than this after its ends were rounded inward to
     * multiples of it is sent as data.  0: no rounding, every hole that saves
     * bytes on the wire is sent.
     */
    uint32_t minhole;
    /* READPLUS_LIMIT_ flags. */
    uint32_t flags;
    /*
     * With READPLUS_LIMIT_WHOLE: no hole is extended outside [lo, hi), the
     * byte-range lock that covers the request (section 15.10.3).  lo 0 and hi
     * UINT64_MAX: no lock.
     */
    uint64_t hole_lo, hole_hi;
};

/* Holes as they lie in the file, not cut to the request (15.10.3, SHOULD). */
#define READPLUS_LIMIT_WHOLE 0x1u
/* Only what the file system calls a hole becomes one; see readplus/source.h. */
#define READPLUS_LIMIT_EXACT 0x2u
/* Linux's in-place expansion must never overrun itself; see the preset. */
#define READPLUS_LIMIT_LINUX 0x4u
/* No hole element at all, as Linux servers from 6.2 on do. */
#define READPLUS_LIMIT_NO_HOLES 0x8u
/* One element over the whole range: the hole that covers it, else data. */
#define READPLUS_LIMIT_ONE 0x10u

enum readplus_preset {
    /*
     * Clipped holes of at least 4096 bytes at multiples of 4096, any number
     * of elements: always legal, and what most servers want.
     */
    READPLUS_PRESET_DEFAULT = 0,
    /*
     * For servers whose clients run Linux: keeps the two rules without which
     * that client delivers wrong bytes in silence or fails with EIO.  (a) For
     * each element that another follows, the bytes on the wire up to its end
     * are at most 16 more than the file bytes covered up to its end.  (b) All
     * elements together take at most 16 more than rpa_count rounded up to 4.
     */
    READPLUS_PRESET_LINUX_CLIENT = 1,
    /* For RPC-over-RDMA version 1: at most two elements. */
    READPLUS_PRESET_RDMA = 2,
    /* One data element, no holes: for clients that know nothing else. */
    READPLUS_PRESET_SINGLE_DATA = 3,
    /* One element: the hole where one covers the range, else data. */
    READPLUS_PRESET_SINGLE = 4
};

/*
 * Fills *limits from a preset; an unknown preset acts as the default.  The
 * rest is for the caller to change: maxcount above all.
 */
READPLUS_API void readplus_limits_init(struct readplus_limits *limits,
                                       enum readplus_preset preset);

/*
 * What is left for one reply: two budgets that have nothing to do with each
 * other (a hole costs 20 bytes of XDR whatever its length) and a number of
 * elements.  All fields may be read; they change through the calls below.
 */
struct readplus_budget {
    uint64_t file_bytes; /* of the range asked for, still to be covered */
    uint64_t xdr_bytes;  /* for elements */
    uint32_t segments;
};

/*
 * The whole budget of a reply to *args within *limits.  OK, or
 * READPLUS_ERR_NOSPACE where maxcount does not hold rpr_eof and the element
 * count (8 bytes); then *budget is unchanged.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_budget_init(
    struct readplus_budget *budget, const struct readplus_args *args,
    const struct readplus_limits *limits);

/*
 * Takes a hole that covers `inside` bytes of the range asked for (the surplus
 * of a whole hole is not counted).  OK; READPLUS_ERR_NOSPACE,
 * READPLUS_ERR_LIMIT: no room for it; READPLUS_ERR_INVAL: inside exceeds
 * file_bytes.  *budget changes on OK only.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_budget_hole(
    struct readplus_budget *budget, uint64_t inside);

/*
 * Takes a data element of as much of `want` bytes as fits; *granted becomes
 * that length.  OK, also with *granted 0 for want 0; READPLUS_ERR_NOSPACE,
 * READPLUS_ERR_LIMIT: not even one byte fits; then *budget and *granted are
 * unchanged.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_budget_data(
    struct readplus_budget *budget, uint64_t want, uint32_t *granted);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_SIZE_H */
