/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds READ_PLUS inside what comes over the network: the READ_PLUS4res of a
 * COMPOUND4res that starts {SEQUENCE, PUTFH, READ_PLUS}, in an RPC reply, in
 * a record-marked stream, and the READ_PLUS4args of such a call.  It looks at
 * the headers around the item only, copies nothing, and hands out where the
 * item is as iovecs, ready for readplus_decoder_init.
 *
 * It is no RPC library: no call is matched with its reply, no verifier is
 * checked, and a body that RPCSEC_GSS has wrapped must be unwrapped first.
 */
#ifndef READPLUS_MESSAGE_H
#define READPLUS_MESSAGE_H

#include <readplus/decode.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the input begins. */
enum readplus_framing {
    /* at a COMPOUND4res or COMPOUND4args (RFC 8881 section 16.2) */
    READPLUS_FRAMING_COMPOUND = 0,
    /* at an RPC message, xid first (RFC 5531 section 9) */
    READPLUS_FRAMING_RPC = 1,
    /* at the mark of a record's first fragment (RFC 5531 section 11) */
    READPLUS_FRAMING_RECORD = 2
};

/* What there is in place of the item, or that it is there. */
enum readplus_outcome {
    READPLUS_OUTCOME_ITEM = 0,     /* the item is there */
    READPLUS_OUTCOME_DENIED = 1,   /* the RPC call was denied: see `code` */
    READPLUS_OUTCOME_FAILED = 2,   /* it was accepted and failed: `code` */
    READPLUS_OUTCOME_COMPOUND = 3, /* no operation was tried: `status` */
    READPLUS_OUTCOME_EARLIER = 4,  /* an operation before READ_PLUS failed:
                                      `opcode`, `op_status` */
    READPLUS_OUTCOME_OTHER = 5     /* something well formed that is not
                                      {SEQUENCE, PUTFH, READ_PLUS} */
};

/* Constants of RFC 5531 that `code` may have. */
#define READPLUS_RPC_MISMATCH 0 /* DENIED: RPC versions `low` to `high` only */
#define READPLUS_RPC_AUTH_ERROR 1    /* DENIED: `auth` says why */
#define READPLUS_RPC_PROG_UNAVAIL 1  /* FAILED, and those below */
#define READPLUS_RPC_PROG_MISMATCH 2 /* versions `low` to `high` only */
#define READPLUS_RPC_PROC_UNAVAIL 3
#define READPLUS_RPC_GARBAGE_ARGS 4
#define READPLUS_RPC_SYSTEM_ERR 5

/* RFC 5531: the body of an opaque_auth has at most so many bytes. */
#define READPLUS_AUTH_MAX 400
/* NFS4_FHSIZE (RFC 7863). */
#define READPLUS_FH_MAX 128

/*
 * What was found.  Fields that the message did not reach are 0.  Byte offsets
 * count from the first byte of the input, record marks included.
 */
struct readplus_message {
    enum readplus_outcome outcome;

    uint32_t xid;
    uint32_t code;      /* reject_stat or accept_stat */
    uint32_t auth;      /* auth_stat */
    uint32_t low, high; /* of a mismatch */
    uint32_t program;   /* of a call, with its version and procedure */
    uint32_t version;
    uint32_t procedure;
    uint32_t minorversion; /* of a COMPOUND4args */
    uint32_t status;       /* of a COMPOUND4res, whatever its operations say */
    uint32_t opcode;       /* of the last operation looked at */
    uint32_t op_status;    /* of that operation, where it is not READ_PLUS */
    uint32_t behind;       /* operations behind READ_PLUS; 0: the item ends
                              where the message ends */

    uint64_t at;    /* of the item: of rp_status or rpa_stateid */
    uint64_t size;  /* bytes from there to the message's end, record
                              marks not counted */
    size_t entries; /* iovecs that these bytes take */

    /* Of a record: its length with all marks, so where the next one begins;
     * of anything else: the input's length. */
    uint64_t consumed;
    /* With READPLUS_ERR_TRUNCATED: the input ends before the record does, so
     * receiving more may help.  Else the message itself is cut short. */
    bool more;
    /* What was refused and where; segment is READPLUS_NO_SEGMENT. */
    struct readplus_fault fault;
};

/*
 * Looks for a READ_PLUS4res in iov[0, pieces), which may be split anywhere,
 * marks included, and sets out[0, *found.entries) to the bytes from its first
 * to the end of the message.  They point into the input and live as long.
 *
 * OK: *found is set; only with READPLUS_OUTCOME_ITEM are there iovecs.  Decode
 * them with READPLUS_DECODE_TRAILING where found->behind is not 0.
 * READPLUS_ERR_LIMIT: capacity is below found->entries; all else is set.
 * READPLUS_ERR_TRUNCATED: a header is cut, or a record; see found->more.
 * READPLUS_ERR_BAD_PAD: behind a verifier or a tag.  READPLUS_ERR_BAD_MESSAGE:
 * a field has a value it may not have: not a reply, an unknown reply_stat,
 * reject_stat or accept_stat, a verifier above 400 bytes, a count of results
 * that does not agree with how they ended.  READPLUS_ERR_INVAL: an unknown
 * framing, or an iovec that is NULL though not empty.
 * On failure found->fault says where and `out` holds nothing of use.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_message_find_res(
    enum readplus_framing framing, const struct iovec *iov, size_t pieces,
    struct iovec *out, size_t capacity, struct readplus_message *found);

/*
 * The same for the READ_PLUS4args of a call: of a COMPOUND4args, an RPC call
 * with any credential and verifier, or a record.  READPLUS_OUTCOME_OTHER
 * where program, version or procedure are not those of an NFSv4 COMPOUND.
 * READPLUS_ERR_BAD_MESSAGE: not a call, an RPC version that is not 2, a
 * credential or verifier above 400 bytes, a file handle above 128.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_message_find_args(
    enum readplus_framing framing, const struct iovec *iov, size_t pieces,
    struct iovec *out, size_t capacity, struct readplus_message *found);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_MESSAGE_H */
