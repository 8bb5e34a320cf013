/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reply whose data is never copied: each piece of the file goes by splice()
 * into a pipe, and from there to the socket.  For few and large segments; many
 * small ones are answered faster by readplus_reply_fd.  Linux only.
 *
 * A piece is in the pipe before its header is written, so its length is what
 * was got, however the file changes.  What lies in the pipe are the pages of
 * the file itself: what a writer does to them before they are sent is sent, as
 * with sendfile().  Holes are those that SEEK_DATA and SEEK_HOLE told this
 * very request, so no hole ever stands for data.
 */
#ifndef READPLUS_SPLICE_H
#define READPLUS_SPLICE_H

#include <sys/uio.h>

#include <readplus/source.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The least buffer for any reply, bytes. */
#define READPLUS_SPLICE_BUFFER_MIN 512

/* Bytes to be sent, and how many bytes of the pipe to send behind them. */
struct readplus_spliced_piece {
    struct iovec head; /* not empty at first */
    uint64_t data;     /* 0: none */
};

/* A reply.  All of it but the file's data lies in the caller's buffer. */
struct readplus_spliced {
    uint32_t status; /* rp_status; not NFS4_OK: one piece, without data */
    bool eof;        /* rpr_eof */
    uint64_t next;   /* where the client will go on: one past what is covered */
    struct readplus_segment *segments;     /* data NULL */
    uint32_t count;                        /* their number */
    struct readplus_spliced_piece *pieces; /* the READ_PLUS4res, what is left */
    size_t entries;                        /* of it to be sent */
    uint64_t size; /* of the whole READ_PLUS4res, bytes */
};

/*
 * The length of buffer with which a reply to a request of `count` bytes is
 * limited by nothing else, in bytes.  With less, replies may be shorter.
 */
READPLUS_API size_t
readplus_splice_buffer(uint32_t count, const struct readplus_limits *limits);

/*
 * Answers *args from the regular file behind fd, within *limits, as
 * readplus_fd_source_init_look describes: as under READPLUS_LIMIT_EXACT, which
 * need not be set.  Data goes to `pipe`, the writing end of an empty pipe that
 * nobody else uses; where it is full the reply ends, so F_SETPIPE_SZ should
 * make room for a page more than the largest count, for each segment.  Never
 * waits for room.  *hint may be that of readplus_reply_fd, or NULL: then a
 * reply has one data segment at most where the file has holes.
 *
 * Returned is OK, or the error behind the status of the reply, and then
 * nothing is in the pipe: READPLUS_ERR_NO_PROGRESS, ISDIR, SYMLINK,
 * WRONG_TYPE, ACCESS, IO, CHANGED, NOSPACE as of readplus_reply_fd.
 * READPLUS_ERR_INVAL: len is below READPLUS_SPLICE_BUFFER_MIN, `pipe` is no
 * pipe or not empty, or this file cannot be spliced (readplus_reply_fd will
 * do); there is no reply then, nothing in the pipe, and *reply is unchanged.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_splice_fd(
    struct readplus_spliced *reply, int fd, int pipe,
    const struct readplus_args *args, const struct readplus_limits *limits,
    struct readplus_hint *hint, void *buffer, size_t len);

/*
 * Sends the pieces that are left, from `pipe`, the reading end, to `socket`; a
 * server sends its own headers first, with MSG_MORE.  SIGPIPE must be ignored,
 * as splice() has no flag against it.
 *
 * OK: all is sent and the pipe is empty.  READPLUS_ERR_IO: errno tells; EAGAIN
 * on a socket that does not wait: call again when it can take more, the reply
 * knows what is left.  After any other, close the pipe, for what is left in it
 * would begin the next reply.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_splice_send(
    struct readplus_spliced *reply, int pipe, int socket);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_SPLICE_H */
