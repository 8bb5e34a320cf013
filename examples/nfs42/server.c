/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server without its sockets, put together and taken apart.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "clients.h"
#include "handle.h"
#include "log.h"
#include "nfs42d.h"
#include "opens.h"
#include "put.h"
#include "tree.h"

/* So that what is kept for one export is not taken for another's. */
static uint64_t identity_of(const struct server *server)
{
    struct file_id root = tree_root_id(server->tree);
    uint8_t bytes[16];
    struct put put = {bytes, 0, sizeof(bytes), false};

    put64(&put, root.ino);
    put64(&put, root.birth);
    return siphash(server->key, bytes, sizeof(bytes));
}

bool server_open(struct server *server, const struct options *options)
{
    memset(server, 0, sizeof(*server));
    server->options = *options;
    server->started = seconds_now();
    server->tree = tree_open(options->export_dir);
    if (server->tree == NULL) {
        fprintf(stderr, "nfs42d: %s: %s\n", options->export_dir,
                strerror(errno));
        return false;
    }
    if (!handle_key(server) || getrandom(&server->boot, sizeof(server->boot),
                                         0) != (ssize_t)sizeof(server->boot))
        return false;
    server->identity = identity_of(server);
    if (options->json_log != NULL) {
        server->log = log_open(options->json_log);
        if (server->log == NULL)
            return false;
    }
    server->buffer_len =
        readplus_reply_buffer(options->max_read, &options->limits);
    if (server->buffer_len < READPLUS_REPLY_BUFFER_MIN)
        server->buffer_len = READPLUS_REPLY_BUFFER_MIN;
    server->buffer = malloc(server->buffer_len);
    server->clients = clients_new();
    server->opens = opens_new();
    if (server->buffer == NULL || server->clients == NULL ||
        server->opens == NULL) {
        fprintf(stderr, "nfs42d: out of memory\n");
        return false;
    }
    return true;
}

void server_close(struct server *server)
{
    clients_free(server);
    opens_free(server);
    log_close(server->log);
    tree_close(server->tree);
    free(server->buffer);
    memset(server, 0, sizeof(*server));
}
