/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clients and their sessions (RFC 8881 sections 2.4, 2.10, 18.35, 18.36).
 *
 * Nothing of it outlives the process: after a restart a client is told
 * BADSESSION and STALE_CLIENTID, and begins anew.
 */
#ifndef NFS42_CLIENTS_H
#define NFS42_CLIENTS_H

#include "nfs42d.h"

struct client {
    struct client *next;
    clientid4 id;
    uint8_t verifier[NFS4_VERIFIER_SIZE];
    uint8_t owner[NFS4_OPAQUE_LIMIT];
    uint32_t owner_len;
    struct principal principal;
    bool confirmed;        /* by a CREATE_SESSION */
    bool reclaim_complete; /* and may open files */
    time_t renewed;
    unsigned sessions, opens;
    /* CREATE_SESSION is a slot of its own: what it answered last. */
    sequenceid4 sequence; /* the next one */
    bool answered;
    CREATE_SESSION4res answer;
};

struct slot {
    sequenceid4 sequence; /* of the request done last; 0: none yet */
    uint64_t request;     /* which that was, hashed */
    uint32_t ops;         /* of its reply, and what the second one was */
    uint32_t second_op;
    uint8_t *reply; /* the whole COMPOUND4res, if it was to be kept */
    size_t reply_len;
};

struct session {
    uint8_t id[NFS4_SESSIONID_SIZE];
    struct client *client;
    channel_attrs4 fore;
    struct slot slots[MAX_SLOTS];
};

struct clients *clients_new(void);
void clients_free(struct server *server);

/* Frees what nobody has spoken for in so many seconds. */
void clients_expire(struct server *server, time_t silent);

struct client *clients_find(struct server *server, clientid4 id);

/* The operations of the same names. */
nfsstat4 clients_exchange_id(struct server *server,
                             const struct principal *principal,
                             const EXCHANGE_ID4args *args,
                             EXCHANGE_ID4resok *res);
nfsstat4 clients_destroy(struct server *server, clientid4 id);
nfsstat4 sessions_create(struct server *server,
                         const struct principal *principal,
                         const CREATE_SESSION4args *args,
                         CREATE_SESSION4res *res);
nfsstat4 sessions_destroy(struct server *server, const sessionid4 id);

struct session *sessions_find(struct server *server, const sessionid4 id);

/* Not for others: what clients.c and sessions.c share. */
struct clients {
    struct client *first;
    unsigned count, sessions_count;
    uint32_t serial;
    struct session *sessions[MAX_SESSIONS];
};

void sessions_forget(struct server *server, const struct client *client);
void clients_forget(struct server *server, struct client *client);
bool same_principal(const struct principal *a, const struct principal *b);

#endif /* NFS42_CLIENTS_H */
