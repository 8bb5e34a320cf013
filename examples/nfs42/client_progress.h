/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a copy is, for a person who waits.
 */
#ifndef CLIENT_PROGRESS_H
#define CLIENT_PROGRESS_H

#include "client.h"

struct progress {
    bool wanted;  /* standard error is a terminal */
    size_t shown; /* columns that are on the terminal now */
    uint64_t total, begin;
    double started, last;
};

/* `done`: what an earlier run copied already. */
void progress_begin(struct progress *progress, uint64_t total, uint64_t done,
                    bool quiet);
void progress_show(struct progress *progress, uint64_t done, uint64_t wire,
                   const char *trouble);
/* Wipes it off the terminal. */
void progress_end(struct progress *progress);

#endif /* CLIENT_PROGRESS_H */
