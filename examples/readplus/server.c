/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server's part: what a server's author would write around
 * readplus_reply_fd.  What leaves it is bytes.
 */
#include <stdlib.h>

#include "server.h"

bool server_init(struct server *server, uint32_t count,
                 const struct readplus_limits *limits)
{
    server->limits = *limits;
    server->hint = (struct readplus_hint){0};
    server->len = readplus_reply_buffer(count, limits);
    if (server->len > SERVER_BUFFER_MAX)
        server->len = SERVER_BUFFER_MAX;
    if (server->len < READPLUS_REPLY_BUFFER_MIN)
        server->len = READPLUS_REPLY_BUFFER_MIN;
    server->buffer = malloc(server->len);
    return server->buffer != NULL;
}

void server_end(struct server *server)
{
    free(server->buffer);
}

enum readplus_error server_answer(struct server *server, int fd,
                                  const struct readplus_args *args,
                                  const uint8_t **bytes, size_t *len)
{
    struct readplus_reply reply = {0};
    enum readplus_error error;

    error = readplus_reply_fd(&reply, fd, args, &server->limits, &server->hint,
                              server->buffer, server->len);
    readplus_reply_flatten(&reply);
    *bytes = reply.iov[0].iov_base;
    *len = reply.iov[0].iov_len;
    return error;
}
