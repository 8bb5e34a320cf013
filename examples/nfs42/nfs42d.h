/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server as a whole: what it was told, what it has, and how much of
 * everything it allows.  One thread does all the work, so nothing here is
 * locked.
 */
#ifndef NFS42D_H
#define NFS42D_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <readplus.h>
#include <readplus/reply.h>
#include <rpc/rpc.h>

#include "nfs42/nfs42.h"
#include "siphash.h"

/* Bounds.  What a peer can make the server keep is the product of these. */
#define MAX_REQUEST 65536u       /* bytes of one RPC call */
#define MAX_CALL 32768u          /* ca_maxrequestsize, bytes */
#define MAX_RESPONSE_HEAD 4096u  /* beside what --max-read allows, bytes */
#define MAX_CACHED 8192u         /* ca_maxresponsesize_cached, bytes */
#define MIN_RESPONSE 512u        /* the least ca_maxresponsesize, bytes */
#define MIN_REQUEST 256u         /* the least ca_maxrequestsize, bytes */
#define MAX_PLAIN_RESPONSE 8192u /* of a COMPOUND outside a session, bytes */
#define MAX_SLOTS 64u            /* ca_maxrequests */
#define MAX_CLIENTS 256u
#define MAX_SESSIONS 256u
#define MAX_CLIENT_SESSIONS 16u
#define MAX_OPENS 4096u
#define MAX_CONNECTIONS 1024u
#define MAX_PENDING (64u << 20) /* bytes of replies not yet taken */
#define MAX_NODES 262144u       /* names remembered */
#define MAX_WALK 1000000u       /* names looked at in search of a file */
#define LEASE_SECONDS 90u
#define RECORD_SECONDS 30 /* for a record to arrive, or a reply to move */
#define IDLE_SECONDS 600  /* of a connection that never spoke NFS */

struct options {
    const char *export_dir, *listen, *user, *key_file, *json_log;
    uint16_t port;
    uint32_t max_read;
    struct readplus_limits limits;
    bool read_plus, key_given;
};

/* What a filehandle names: a file of the exported file system for good. */
struct file_id {
    uint64_t ino;
    uint64_t birth; /* a later file of the same number has another one */
};

struct tree;
struct clients;
struct opens;
struct log;

struct server {
    struct options options;
    uint8_t key[SIPHASH_KEY_SIZE];
    uint32_t boot;     /* differs from one start to the next */
    uint64_t identity; /* of the export, the same at every start */
    time_t started;    /* monotonic */
    struct tree *tree;
    struct clients *clients;
    struct opens *opens;
    struct log *log;
    uint8_t *buffer; /* what READ_PLUS reads, for the reply being made */
    size_t buffer_len;
};

/* Seconds that only go forward. */
static inline time_t seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Whoever sent a request, as far as the server believes anyone. */
struct principal {
    uint32_t flavor, uid;
};

/*
 * Makes a server ready to answer, without any socket: exported directory,
 * tables, key.  On failure it says why on standard error.
 */
bool server_open(struct server *server, const struct options *options);
void server_close(struct server *server);

/* The largest reply the server will make, without the record mark. */
static inline uint32_t server_max_response(const struct server *server)
{
    return server->options.max_read + MAX_RESPONSE_HEAD;
}

#endif /* NFS42D_H */
