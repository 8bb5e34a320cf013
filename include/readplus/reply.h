/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One call for the author of a server: a request and a descriptor in, a
 * READ_PLUS4res out, as iovecs ready for one sendmsg().
 *
 * Nothing is kept between calls; any number of threads may answer requests on
 * one descriptor at once, in any order.  Whatever happens to the file
 * meanwhile, the answer is one the file has given: data is what was read, a
 * hole was one when it was looked up, and nothing lies past the end of the
 * file as it was after the last of these.
 */
#ifndef READPLUS_REPLY_H
#define READPLUS_REPLY_H

#include <sys/uio.h>

#include <readplus/seek.h>
#include <readplus/source.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The least buffer that any reply can be made in, bytes. */
#define READPLUS_REPLY_BUFFER_MIN 512

/*
 * A reply.  Everything here lies in the caller's buffer and is gone with it.
 */
struct readplus_reply {
    uint32_t status; /* rp_status; not NFS4_OK: nothing below but the iovecs */
    bool eof;        /* rpr_eof */
    uint64_t next;   /* where the client will go on: one past what is covered */
    struct readplus_segment *segments; /* as planned, data set */
    uint32_t count;                    /* their number */
    struct iovec *iov; /* the READ_PLUS4res, at most 1024 pieces */
    size_t entries;
    uint64_t size; /* their sum, bytes */
};

/*
 * The length of buffer with which a reply to a request of `count` bytes is
 * limited by nothing else, in bytes.  With less, replies may be shorter.
 */
READPLUS_API size_t readplus_reply_buffer(uint32_t count,
                                          const struct readplus_limits *limits);

/*
 * Answers *args from the regular file behind fd, within *limits, as
 * readplus_fd_source_init describes.  Data is read into `buffer` once, and
 * stays where it was read: headers are written around it, in the room that
 * holes leave.  Replies of many small segments are moved together into one
 * piece.  hint may be NULL.
 *
 * Always makes a reply that can be sent: for each failure it is a status.
 * Returned is OK, or the error behind that status: READPLUS_ERR_NO_PROGRESS
 * (NFS4ERR_REP_TOO_BIG): limits or buffer have no room for one byte of the
 * file;  READPLUS_ERR_ISDIR, SYMLINK, WRONG_TYPE, ACCESS, IO;
 * READPLUS_ERR_CHANGED (NFS4ERR_DELAY): the file changes too fast.  What was
 * read before an error is a good short reply, and OK.  READPLUS_ERR_NOSPACE:
 * maxcount is below 8 (NFS4ERR_REP_TOO_BIG).  READPLUS_ERR_INVAL: len is below
 * READPLUS_REPLY_BUFFER_MIN; only then there is no reply, and *reply is
 * unchanged.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_reply_fd(
    struct readplus_reply *reply, int fd, const struct readplus_args *args,
    const struct readplus_limits *limits, struct readplus_hint *hint,
    void *buffer, size_t len);

/*
 * The same for a server with a file system of its own, which reads through
 * *reader.  Errors of the reader are returned, and sent, as they are.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_reply_reader(
    struct readplus_reply *reply, const struct readplus_reader *reader,
    const struct readplus_args *args, const struct readplus_limits *limits,
    void *buffer, size_t len);

/*
 * Makes a reply that is only a status, for what a server finds out before it
 * has a descriptor.  OK; READPLUS_ERR_INVAL as above, or status is NFS4_OK.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_reply_status(
    struct readplus_reply *reply, uint32_t status, void *buffer, size_t len);

/*
 * Moves the reply together, within its buffer: afterwards it is the one piece
 * reply->iov[0], of reply->size bytes.  reply->segments keep their places but
 * their data pointers, if any, become NULL.
 */
READPLUS_API void readplus_reply_flatten(struct readplus_reply *reply);

/*
 * SEEK (RFC 7862 section 15.11) on the file behind fd: *res becomes the
 * result, ready for readplus_seek_res_encode.  An offset at or past the end of
 * the file is NFS4ERR_NXIO, as section 15.11.3 says; where only hole follows,
 * data is found at the end of the file, with sr_eof (Linux servers answer
 * NFS4ERR_NXIO there too).  The hole at the end of the file counts: SEEK for a
 * hole always finds one.  A content that is neither is NFS4ERR_UNION_NOTSUPP.
 *
 * OK, or the error behind res->status.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_reply_seek(
    struct readplus_seek_res *res, int fd,
    const struct readplus_seek_args *args);

/*
 * Tells the kernel that the range behind this request will be asked for next
 * (posix_fadvise).  Only advice; errors do not matter.  Nothing here calls it:
 * Linux reads ahead by itself, and on cold files it made all patterns of access
 * that were tried slower (tests/bench/bench_cold.c).
 */
READPLUS_API void readplus_reply_readahead(int fd,
                                           const struct readplus_args *args);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_REPLY_H */
