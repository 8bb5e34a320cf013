/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection: bytes in until they are a record, a reply out as fast as the
 * peer takes it.
 */
#ifndef NFS42_CONNECTION_H
#define NFS42_CONNECTION_H

#include <event2/event.h>

#include "call.h"
#include "nfs42d.h"

struct connection;

/* All that the connections of a server share. */
struct transport {
    struct server *server;
    struct event_base *base;
    struct connection *first;
    unsigned count;
    size_t pending;     /* bytes of replies that wait for their peers */
    uint64_t waited;    /* how many had to */
    struct reply reply; /* the one being made */
};

/* Takes fd. */
void connection_begin(struct transport *transport, int fd, const char *from);
void connection_end(struct connection *connection);

/* Ends those that keep something and do not go on. */
void connections_tick(struct transport *transport);

/*
 * Ends the one that was silent longest of those that never spoke NFS; where all
 * did, of those that were silent for a lease.
 */
bool connections_make_room(struct transport *transport);

#endif /* NFS42_CONNECTION_H */
