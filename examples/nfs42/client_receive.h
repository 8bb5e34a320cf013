/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A request that reads, and its reply while it is still arriving: what it
 * brings goes to a sink, piece by piece.
 */
#ifndef CLIENT_RECEIVE_H
#define CLIENT_RECEIVE_H

#include <readplus.h>

#include "client_source.h"

struct request {
    bool busy;
    bool read; /* by READ, not READ_PLUS */
    uint32_t xid;
    struct readplus_args args;
};

/* A record whose first bytes have been looked at. */
#define HEAD_ROOM 512

struct record {
    struct wire *wire;
    uint64_t size; /* UINT64_MAX: not known */
    size_t len, used;
    uint8_t head[HEAD_ROOM];
};

/* Sends SEQUENCE, PUTFH and READ or READ_PLUS on a slot. */
bool request_send(struct session *session, const struct source *source,
                  uint32_t slot, struct request *request);

/* Waits for the next record and takes its first bytes. */
bool record_begin(struct record *record, struct wire *wire);

/*
 * Takes a segment, or a part of one, that is to be clipped to *args.  Any
 * error ends the reply.
 */
typedef enum readplus_error sink_take(void *context,
                                      const struct readplus_args *args,
                                      const struct readplus_segment *segment);

struct sink {
    sink_take *take;
    void *context;
};

/* Room for what passes through on its way to the sink: most replies as a
 * whole. */
#define PASSING (1088 << 10)

struct brought {
    uint32_t status; /* of READ or READ_PLUS, or of what failed before it */
    bool not_begun;  /* it was SEQUENCE that failed: the slot is as before */
    /* The sink refused; else what the judge is to know. */
    bool local;
    enum readplus_error error;
    uint64_t bytes;
    bool eof;
    uint64_t hole_end; /* of a hole that reaches beyond the request, or 0 */
};

/*
 * Receives the reply to a request.  LOST: it is none, or was cut off;
 * brought->bytes are good even so.
 */
enum reach receive_reply(struct session *session, uint32_t slot,
                         const struct request *request, struct record *record,
                         const struct sink *sink, uint8_t passing[PASSING],
                         struct brought *brought);

#endif /* CLIENT_RECEIVE_H */
