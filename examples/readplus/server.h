/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server's part: one request about an open file, one READ_PLUS4res.
 */
#ifndef SERVER_H
#define SERVER_H

#include <readplus/reply.h>

struct server {
    struct readplus_limits limits;
    struct readplus_hint hint; /* about the one file it serves */
    uint8_t *buffer;           /* for one reply at a time */
    size_t len;
};

/* No reply is longer than this, whatever the limits say. */
#define SERVER_BUFFER_MAX ((size_t)8 << 20)

/*
 * Makes ready for requests of up to `count` bytes.  False where there is no
 * memory; else server_end must follow.
 */
bool server_init(struct server *server, uint32_t count,
                 const struct readplus_limits *limits);
void server_end(struct server *server);

/*
 * Answers; bytes[0, len) are in the server's buffer until the next answer.
 * There is an answer to everything: where the file cannot be read, or not one
 * byte of it has room, it is the four bytes of the status that says so.
 * Returned is the error behind that status.
 */
enum readplus_error server_answer(struct server *server, int fd,
                                  const struct readplus_args *args,
                                  const uint8_t **bytes, size_t *len);

#endif /* SERVER_H */
