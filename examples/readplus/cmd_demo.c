/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * readplus demo: files of known samples, made up, copied and removed again,
 * and one table of what each cost on the wire.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "copy.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/*
 * Data of `data` bytes every `step` bytes from `first` to the end of the
 * file, holes between.
 */
struct sample {
    const char *name;
    uint64_t size, first, data, step;
};

static const struct sample samples[] = {
    {"all data", 4 * MIB, 0, 4 * MIB, 4 * MIB},
    {"all hole", 4 * MIB, 4 * MIB, 0, MIB},
    {"alternating 4 KiB", 4 * MIB, 0, 4 * KIB, 8 * KIB},
    {"alternating 8 KiB", 4 * MIB, 0, 8 * KIB, 16 * KIB},
    {"a byte at 5 GiB", 5 * GIB + 1, 5 * GIB, 1, GIB},
    {"odd size", 1000003, 4096, 4097, 300000},
    {"empty", 0, 0, 0, 1},
};

#define SAMPLES (sizeof(samples) / sizeof(samples[0]))

/* Bytes that are not zero, and differ from place to place. */
static bool write_data(int fd, uint64_t offset, uint64_t length)
{
    uint8_t block[4096];
    size_t i, len;

    for (; length > 0; offset += len, length -= len) {
        len = length < sizeof(block) ? (size_t)length : sizeof(block);
        for (i = 0; i < len; i++)
            block[i] = (uint8_t)(1 + (offset + i) % 251);
        if (pwrite(fd, block, len, (off_t)offset) != (ssize_t)len)
            return false;
    }
    return true;
}

static bool make(const struct sample *sample, const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    uint64_t offset, length;
    bool good;

    good = fd >= 0 && ftruncate(fd, (off_t)sample->size) == 0;
    for (offset = sample->first; good && offset < sample->size;
         offset += sample->step) {
        length = sample->data;
        if (length > sample->size - offset)
            length = sample->size - offset;
        good = write_data(fd, offset, length);
    }
    if (!good)
        complain("%s: cannot be made: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return good;
}

static void print_head(void)
{
    printf("%-17s %11s %8s %8s %10s %11s %8s\n", "layout", "file size",
           "requests", "segments", "wire bytes", "READ's", "share");
}

static void print_row(const struct sample *sample,
                      const struct copy_report *report)
{
    char map[DRAW_CELLS + 1];

    draw_line(&report->drawing, map);
    printf("%-17s %11" PRIu64 " %8" PRIu64 " %8" PRIu64 " %10" PRIu64
           " %11" PRIu64 " %7.3f%%\n",
           sample->name, report->size, report->requests, report->segments,
           report->wire_bytes, report->read.bytes,
           100.0 * (double)report->wire_bytes / (double)report->read.bytes);
    printf("  [%s] proven\n", map);
}

/* One sample, from nothing to nothing. */
static bool show(const struct sample *sample, const char *directory)
{
    const struct timespec tick = {0, 20 * 1000 * 1000};
    struct copy_job job = {.count = 1 << 20};
    char source[4096], target[4096];
    struct copy_report report;
    bool good;

    snprintf(source, sizeof(source), "%s/source", directory);
    snprintf(target, sizeof(target), "%s/target", directory);
    readplus_limits_init(&job.limits, READPLUS_PRESET_DEFAULT);
    job.limits.flags |= READPLUS_LIMIT_WHOLE;
    job.source = source;
    job.target = target;
    good = make(sample, source);
    /* A file that has changed in this tick of the clock is read more warily:
     * the figures shall not depend on how fast the machine is. */
    nanosleep(&tick, NULL);
    good = good && copy_file(&job, &report) == OUTCOME_OK;
    if (good)
        print_row(sample, &report);
    unlink(source);
    unlink(target);
    return good;
}

static const struct argp parser = {
    NULL,
    NULL,
    NULL,
    "Make sparse files of known samples in a temporary directory, carry each "
    "through READ_PLUS as `readplus copy' does, and show one table.",
    NULL,
    NULL,
    NULL};

/* Nothing may be left behind: signals wait until a sample is done. */
static sigset_t hold_signals(void)
{
    sigset_t held;

    sigemptyset(&held);
    sigaddset(&held, SIGHUP);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigprocmask(SIG_BLOCK, &held, NULL);
    return held;
}

static bool interrupted(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGHUP) || sigismember(&pending, SIGINT) ||
            sigismember(&pending, SIGTERM));
}

int cmd_demo(int argc, char **argv)
{
    const char *place = getenv("TMPDIR");
    char directory[2048];
    bool good = true;
    sigset_t held;
    size_t i;

    argp_parse(&parser, argc, argv, 0, NULL, NULL);
    if (place == NULL || place[0] == '\0')
        place = "/tmp";
    snprintf(directory, sizeof(directory), "%s/readplus-demo.XXXXXX", place);
    held = hold_signals();
    if (mkdtemp(directory) == NULL) {
        complain("%s: cannot be made: %s", directory, strerror(errno));
        return OUTCOME_FAULTY;
    }
    print_head();
    for (i = 0; i < SAMPLES && !interrupted(); i++)
        good = show(&samples[i], directory) && good;
    rmdir(directory);
    sigprocmask(SIG_UNBLOCK, &held, NULL);
    puts("\nRequests are for 1 MiB; READ's wire bytes are for the same. Map: "
         "# data, . hole,\n+ both. Proven: same size, same bytes, and no data "
         "where there was a hole.");
    return good ? OUTCOME_OK : OUTCOME_FAULTY;
}
