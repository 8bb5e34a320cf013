/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file carried through READ_PLUS: server and client in one process, and
 * nothing between them but encoded bytes.
 */
#ifndef COPY_H
#define COPY_H

#include <readplus.h>

#include "cost.h"
#include "draw.h"
#include "program.h"

struct copy_job {
    const char *source, *target;
    uint32_t count;                /* of each request, bytes; at least 1 */
    struct readplus_limits limits; /* maxcount at least 28 */
};

struct copy_report {
    uint64_t size;
    /* What went over the wire, as nfs_resop4, in bytes. */
    uint64_t requests, wire_bytes;
    uint64_t segments, data_bytes, hole_bytes;
    /* What READ would have sent, asked for as much a time. */
    struct cost read;
    bool holes_proven; /* false: no holes were to be expected */
    struct drawing drawing;
};

/*
 * Copies; the target appears, whole and proven, or stays as it was.  The
 * reason of a failure was said; *report is complete for OUTCOME_OK only.
 */
enum outcome copy_file(const struct copy_job *job, struct copy_report *report);

#endif /* COPY_H */
