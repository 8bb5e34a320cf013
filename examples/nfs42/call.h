/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One RPC call in, one reply out (RFC 5531): what lies between the transport
 * and a COMPOUND.  Nothing here knows of sockets, so that a fuzzer can call it.
 */
#ifndef NFS42_CALL_H
#define NFS42_CALL_H

#include "compound.h"

/*
 * Answers the call in bytes[0, len).  *reply has a buffer of
 * call_reply_room(server) bytes, and becomes the whole record, its mark
 * included.  `from` is for the log.  False: it is no call, and deserves no
 * answer but the end of the connection.  *known: the caller spoke NFS.
 */
bool call_answer(struct server *server, const char *from, const void *bytes,
                 size_t len, struct reply *reply, bool *known);

size_t call_reply_room(const struct server *server);

/* Sets the record mark; *iov, of at most `entries`, is what is to be sent. */
size_t call_pieces(struct reply *reply, struct iovec *iov, size_t entries);

#endif /* NFS42_CALL_H */
