/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a long copy is.  Nothing is shown but on a terminal, nothing of a
 * copy that takes no time, and nothing stays there.
 */
#include <stdio.h>
#include <unistd.h>

#include "progress.h"

#define CELLS 40
#define EVERY_MS 100

void progress_begin(struct progress *progress, uint64_t total)
{
    progress->total = total;
    progress->wanted = isatty(STDERR_FILENO) && total > 0;
    progress->shown = false;
    clock_gettime(CLOCK_MONOTONIC, &progress->last);
}

/* Whether it is time to show more; then the clock starts anew. */
static bool due(struct progress *progress)
{
    struct timespec now;
    int64_t ms;

    clock_gettime(CLOCK_MONOTONIC, &now);
    ms = (now.tv_sec - progress->last.tv_sec) * 1000 +
         (now.tv_nsec - progress->last.tv_nsec) / 1000000;
    if (ms < EVERY_MS)
        return false;
    progress->last = now;
    return true;
}

void progress_show(struct progress *progress, uint64_t done)
{
    double part;
    int cells;

    if (!progress->wanted || !due(progress))
        return;
    part = (double)done / (double)progress->total;
    if (part > 1)
        part = 1;
    cells = (int)(part * CELLS);
    fprintf(stderr, "\r[%.*s%*s] %3.0f %%", cells,
            "########################################", CELLS - cells, "",
            part * 100);
    progress->shown = true;
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r%*s\r", CELLS + 8, "");
}
