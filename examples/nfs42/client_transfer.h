/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All of a file from the server to a sink: several requests in flight, in new
 * sessions where old ones break, by READ_PLUS as long as its answers hold up.
 */
#ifndef CLIENT_TRANSFER_H
#define CLIENT_TRANSFER_H

#include <readplus/judge.h>

#include "client_progress.h"
#include "client_ranges.h"
#include "client_receive.h"

struct counts {
    uint64_t reads, read_pluses; /* requests */
    uint64_t file_bytes;         /* brought by this run */
    uint64_t sessions;
    const char *fallback; /* why READ was used instead, or NULL */
};

struct transfer {
    /* To be set before. */
    const struct options *options;
    struct session *session;
    struct source *source;
    struct sink sink;
    struct ranges *done;
    struct counts *counts;
    struct progress *progress;
    bool use_read; /* nothing but READ */
    /* Called now and then, after something was done. */
    void (*note)(void *context);
    void *context;

    /* What it ended with. */
    bool changed; /* the source is another than it was */
    bool local;   /* the sink refused */
    uint64_t failed_at;

    /* Private. */
    struct readplus_server server;
    struct readplus_judge judge;
    struct request requests[JOBS_MAX];
    uint32_t in_flight;
    double moved;        /* when bytes came last */
    double paused, wait; /* until when, and how long the next time */
    const char *trouble; /* for the progress bar */
    uint8_t *passing;
};

/*
 * Connects and finds the source, as long as there is hope; where it was found
 * before (again), it must be as it was.
 */
enum reach transfer_connect(struct transfer *transfer, bool again);

/*
 * True: all bytes of the source are done.  Else session->why says why not, or,
 * where transfer->local is set, the sink refused what is at failed_at.
 */
bool transfer_run(struct transfer *transfer);

/* True: the source still is as it was; else session->why. */
bool transfer_confirm(struct transfer *transfer);

/* What the judge found, for a person. */
const char *finding_text(enum readplus_finding finding);

#endif /* CLIENT_TRANSFER_H */
