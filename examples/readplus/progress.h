/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a long copy is, for a person who waits.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct progress {
    uint64_t total;
    bool wanted; /* standard error is a terminal */
    bool shown;
    struct timespec last;
};

void progress_begin(struct progress *progress, uint64_t total);
void progress_show(struct progress *progress, uint64_t done);
/* Wipes it off the terminal. */
void progress_end(struct progress *progress);

#endif /* PROGRESS_H */
