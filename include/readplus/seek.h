/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SEEK (RFC 7862 section 15.11), the sister of READ_PLUS: its arguments and
 * its result, both ways.
 */
#ifndef READPLUS_SEEK_H
#define READPLUS_SEEK_H

#include <stddef.h>

#include <readplus/segment.h>

#ifdef __cplusplus
extern "C" {
#endif

#define READPLUS_SEEK_ARGS_SIZE 28 /* SEEK4args, bytes */
#define READPLUS_SEEK_RES_SIZE 16  /* SEEK4res with NFS4_OK, bytes */

/* SEEK4args. */
struct readplus_seek_args {
    uint64_t offset; /* sa_offset, bytes */
    uint32_t what;   /* sa_what: enum readplus_content, or a later value */
    struct readplus_stateid stateid; /* sa_stateid */
};

/* SEEK4res; eof and offset count only where status is NFS4_OK (0). */
struct readplus_seek_res {
    uint32_t status; /* sa_status */
    bool eof;        /* sr_eof */
    uint64_t offset; /* sr_offset, bytes */
};

/*
 * Writes SEEK4args, READPLUS_SEEK_ARGS_SIZE bytes.  OK, or
 * READPLUS_ERR_NOSPACE where len is less, READPLUS_ERR_BAD_CONTENT where what
 * is neither data nor hole; then nothing was written.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_seek_args_encode(
    const struct readplus_seek_args *args, void *buffer, size_t len);

/*
 * Reads SEEK4args from buffer[0, len).  With `more` bytes may follow.  OK;
 * READPLUS_ERR_TRUNCATED, READPLUS_ERR_TRAILING; READPLUS_ERR_BAD_CONTENT: a
 * server answers NFS4ERR_UNION_NOTSUPP.  On failure *args is unchanged and
 * *fault, if not NULL, says where.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_seek_args_decode(
    const void *buffer, size_t len, bool more, struct readplus_seek_args *args,
    struct readplus_fault *fault);

/*
 * Writes SEEK4res: READPLUS_SEEK_RES_SIZE bytes, or 4 where the status is not
 * NFS4_OK; *size becomes the number.  OK, or READPLUS_ERR_NOSPACE; then
 * nothing was written.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_seek_res_encode(
    const struct readplus_seek_res *res, void *buffer, size_t len,
    size_t *size);

/*
 * Reads SEEK4res from buffer[0, len); *size becomes its length.  With `more`
 * bytes may follow.  OK; READPLUS_ERR_TRUNCATED, BAD_BOOL, TRAILING; *res and
 * *size are then unchanged and *fault, if not NULL, says where.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_seek_res_decode(
    const void *buffer, size_t len, bool more, struct readplus_seek_res *res,
    size_t *size, struct readplus_fault *fault);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_SEEK_H */
