/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The progress bar: bytes of the file, bytes on the wire, rate, time left.
 * Nothing is shown but on a terminal, nothing of a copy that takes no time,
 * and nothing stays there.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "client_progress.h"

#define CELLS_MAX 24
#define LINE_MAX_COLUMNS 200
#define EVERY 0.2

/* A number of bytes in four digits or less: "812 B", "1.5 GiB". */
struct amount {
    char text[16];
};

static struct amount amount(double bytes)
{
    static const char *const units[] = {"B",   "KiB", "MiB", "GiB",
                                        "TiB", "PiB", "EiB"};
    struct amount amount;
    size_t unit = 0;

    while (bytes >= 1000 && unit < 6) {
        bytes /= 1024;
        unit++;
    }
    snprintf(amount.text, sizeof(amount.text), "%.*f %s",
             unit > 0 && bytes < 100 ? 1 : 0, bytes, units[unit]);
    return amount;
}

void progress_begin(struct progress *progress, uint64_t total, uint64_t done,
                    bool quiet)
{
    *progress = (struct progress){
        .wanted = !quiet && isatty(STDERR_FILENO),
        .total = total,
        .begin = done,
        .started = now(),
        .last = now(),
    };
}

static void time_left(char *text, size_t room, double seconds)
{
    unsigned s = seconds < 360000 ? (unsigned)(seconds + 0.5) : 360000;

    if (s >= 3600)
        snprintf(text, room, "%u:%02u:%02u left", s / 3600, s / 60 % 60,
                 s % 60);
    else
        snprintf(text, room, "%u:%02u left", s / 60, s % 60);
}

static size_t columns(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col < LINE_MAX_COLUMNS ? size.ws_col : LINE_MAX_COLUMNS;
}

/* The line without its bar. */
static void words(const struct progress *progress, uint64_t done, uint64_t wire,
                  const char *trouble, char *text, size_t room)
{
    double seconds = now() - progress->started;
    double rate = (double)(done - progress->begin) / seconds;
    char left[32] = "";

    if (trouble == NULL && rate > 0)
        time_left(left, sizeof(left), (double)(progress->total - done) / rate);
    snprintf(text, room, "%3.0f %% %s/%s, wire %s, %s/s, %s",
             100.0 * (double)done / (double)progress->total,
             amount((double)done).text, amount((double)progress->total).text,
             amount((double)wire).text, amount(rate).text,
             trouble != NULL ? trouble : left);
}

void progress_show(struct progress *progress, uint64_t done, uint64_t wire,
                   const char *trouble)
{
    char text[160], line[LINE_MAX_COLUMNS + 1];
    size_t room = columns() - 1, len, cells, full;

    if (!progress->wanted || progress->total == 0 ||
        now() - progress->last < EVERY)
        return;
    progress->last = now();
    words(progress, done, wire, trouble, text, sizeof(text));
    len = strlen(text);
    cells = room > len + 3 + 8 ? room - len - 3 : 0;
    if (cells > CELLS_MAX)
        cells = CELLS_MAX;
    full = (size_t)((double)cells * (double)done / (double)progress->total);
    if (cells > 0)
        snprintf(line, sizeof(line), "[%.*s%*s] %s", (int)full,
                 "########################", (int)(cells - full), "", text);
    else
        snprintf(line, sizeof(line), "%.*s", (int)room, text);
    len = strlen(line);
    fprintf(stderr, "\r%s%*s", line,
            progress->shown > len ? (int)(progress->shown - len) : 0, "");
    progress->shown = len > progress->shown ? len : progress->shown;
}

void progress_end(struct progress *progress)
{
    if (progress->shown > 0)
        fprintf(stderr, "\r%*s\r", (int)progress->shown, "");
    progress->shown = 0;
}
