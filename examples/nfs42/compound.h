/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A COMPOUND on its way through the server: what its operations hand to each
 * other, and the reply that grows with them.
 */
#ifndef NFS42_COMPOUND_H
#define NFS42_COMPOUND_H

#include <sys/stat.h>

#include "clients.h"
#include "nfs42d.h"
#include "opens.h"
#include "put.h"

/*
 * A reply: bytes, and at one place between them what READ_PLUS brought, which
 * stays where the library read it.
 */
struct reply {
    struct put put; /* from the record mark on */
    bool read;
    size_t read_at;
    struct readplus_reply read_plus;
};

/* What ca_maxresponsesize bounds: all but the record mark. */
static inline uint64_t reply_size(const struct reply *reply)
{
    return reply->put.len - READPLUS_RECORD_MARK_SIZE +
           (reply->read ? reply->read_plus.size : 0);
}

/* Makes it bytes alone. */
void reply_fold(struct reply *reply);

/* A filehandle of a COMPOUND, and what goes with it. */
struct current {
    bool set;
    struct file_id id;
    int fd; /* O_PATH, or -1 until somebody asks */
    bool has_stateid;
    stateid4 stateid;
};

/* What one operation did, for the log. */
struct done {
    uint32_t op;
    nfsstat4 status;
    struct readplus_args asked;
    uint32_t data, holes;
    uint64_t wire;
    bool eof;
};

struct compound {
    struct server *server;
    const struct principal *principal;
    struct reply *reply;
    size_t body;       /* of the COMPOUND4res in the reply */
    uint32_t call_len; /* of the whole RPC call */
    uint64_t request;  /* its hash */
    uint32_t ops, op;  /* how many, and which one now */
    uint32_t results;  /* of those that were done */
    uint32_t next_op;  /* its opcode */
    uint64_t limit;    /* of the reply */
    nfsstat4 too_big;  /* what is said where that is not enough */
    sessionid4 session_id;
    struct session *session; /* while there is one of that id */
    struct slot *slot;
    bool keep;     /* the reply goes to the slot */
    bool replayed; /* the reply came from there */
    struct current current, saved;
    uint8_t scratch[8192]; /* for what a result points at */
    struct done done[NFS42_MAX_OPS];
};

/*
 * Answers the COMPOUND4args in bytes[0, len): adds a COMPOUND4res to *reply.
 * False: it is no COMPOUND at all.
 */
bool compound_answer(struct compound *compound, const void *bytes, size_t len);

/* --- for operations ------------------------------------------------------- */

/* Room for the rest of this operation's result, its status included. */
uint64_t compound_room(const struct compound *compound);

/* The current filehandle becomes *id, or nothing. */
void compound_set(struct compound *compound, const struct file_id *id);
void current_drop(struct current *current);

/* The current file, opened with O_PATH. */
nfsstat4 compound_fd(struct compound *compound, int *fd);

/* The file of that name in the current folder: its *id and *st. */
nfsstat4 compound_lookup(struct compound *compound, const component4 *given,
                         struct file_id *id, struct statx *st);

/*
 * The descriptor to read the current file from, under *stateid.  *open is the
 * open file, or NULL: then the descriptor is the caller's to close.
 */
nfsstat4 compound_reader(struct compound *compound, const stateid4 *stateid,
                         int *fd, struct open_file **open);

/* The open file that *stateid means here. */
nfsstat4 compound_open(struct compound *compound, const stateid4 *stateid,
                       struct open_file **open);

/* After the last operation: the slot learns what was answered. */
void session_keep(struct compound *compound, nfsstat4 status);

#endif /* NFS42_COMPOUND_H */
