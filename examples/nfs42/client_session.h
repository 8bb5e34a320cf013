/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session (RFC 8881 section 2.10) over one connection.  It is never mended:
 * whatever breaks it, a new one is made, of a client that says it has started
 * anew, so that the server forgets what the old one held.
 */
#ifndef CLIENT_SESSION_H
#define CLIENT_SESSION_H

#include "client_call.h"

/* How far a call got. */
enum reach {
    REACH_OK,     /* it was answered; with which status is another matter */
    REACH_LOST,   /* the connection or the session is gone: make a new one */
    REACH_REFUSED /* trying again would not help */
};

struct session {
    struct wire wire;
    const struct options *options;
    bool up;
    bool reached; /* the server could be connected to once */
    char owner[96];
    clientid4 clientid;
    sessionid4 id;
    uint32_t slots;              /* of the session, at most JOBS_MAX */
    uint32_t usable;             /* slots the server wants to be used */
    uint32_t max_response;       /* ca_maxresponsesize */
    uint32_t sequence[JOBS_MAX]; /* of the last request on each slot */
    uint32_t xid;
    uint8_t *room; /* REPLY_ROOM bytes */
    char why[200]; /* what stopped the last call */
};

/* The results of a call's operations, as far as there are any. */
#define RESULTS_MAX 16

struct results {
    nfsstat4 status; /* of the one that failed, or NFS4_OK */
    uint32_t count;
    nfs_resop4 list[RESULTS_MAX];
};

/* False: no memory. */
bool session_init(struct session *session, const struct options *options);
void session_end(struct session *session);

/* Connects and makes a session; session->why says what went wrong. */
enum reach session_open(struct session *session);

/* Without a word to the server. */
void session_drop(struct session *session);

/* Tells the server that the client is done; whether it listens or not. */
void session_close(struct session *session);

/*
 * SEQUENCE and count operations, while nothing else is in flight.  The results
 * are those behind SEQUENCE; whatever is returned, they go to results_free.
 * NFS4ERR_DELAY is borne for a while.
 */
enum reach session_run(struct session *session, const nfs_argop4 *ops,
                       uint32_t count, struct results *results);

void results_free(struct results *results);

/* The next SEQUENCE of a slot. */
nfs_argop4 session_sequence(struct session *session, uint32_t slot);

/* A reply's SEQUENCE is the one that answers the last of this slot. */
bool session_answers(struct session *session, uint32_t slot,
                     const SEQUENCE4resok *got);

uint32_t session_xid(struct session *session);

/* Of a status: a new session may help. */
bool session_is_lost(nfsstat4 status);

/* Waits, with the signs of life that the wire gives; false: interrupted. */
bool session_sleep(struct session *session, double seconds);

enum reach session_fail(struct session *session, enum reach reach,
                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A status by its name, or its number. */
const char *status_name(nfsstat4 status);

#endif /* CLIENT_SESSION_H */
