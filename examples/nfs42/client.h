/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every room of nfs42cp knows: what was asked for on the command line,
 * and when it is time to stop.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include "../readplus/program.h" /* outcomes, complain(), numbers */

/* Which operation reads. */
enum method { METHOD_AUTO, METHOD_READ, METHOD_READ_PLUS };

/* Requests in flight at most. */
#define JOBS_MAX 64

struct options {
    char *host, *path; /* HOST:/PATH */
    const char *source, *target;
    uint16_t port;
    uint32_t jobs;    /* requests in flight */
    uint32_t size;    /* file bytes each asks for */
    uint32_t timeout; /* seconds without progress before it gives up */
    enum method method;
    bool extents, json, verify, quiet;
};

/* The signal that asks the program to stop, or 0. */
int stop_signal(void);

/* Seconds of a clock that only goes forward. */
double now(void);

#endif /* CLIENT_H */
