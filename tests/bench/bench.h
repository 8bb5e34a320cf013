/*
 * What the measurements share: a clock, order statistics, layouts of test
 * files, and lines of JSON, appended to the file that BENCH_JSON names, from
 * which bench.sh makes one document and the pictures.  Times of a shared
 * machine say little: what is compared takes turns, and its ratio is what
 * counts.
 */
#ifndef READPLUS_BENCH_H
#define READPLUS_BENCH_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A peer that takes more than this many times READ's time is stopped. */
#define BENCH_STOP 20

static inline void bench_die(const char *what)
{
    perror(what);
    exit(1);
}

static inline void bench_must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

/* Seconds. */
static inline double bench_clock(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline double bench_now(void)
{
    return bench_clock(CLOCK_MONOTONIC);
}

static inline int bench_by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct spread {
    double least, p10, median, p90;
};

/* Sorts the n values. */
static inline struct spread bench_spread(double *v, size_t n)
{
    qsort(v, n, sizeof(*v), bench_by_size);
    return (struct spread){v[0], v[n / 10], v[n / 2], v[n * 9 / 10]};
}

/* Appends to the document, if one is made. */
__attribute__((format(printf, 1, 2))) static inline void bench_json(
    const char *format, ...)
{
    const char *name = getenv("BENCH_JSON");
    va_list values;
    FILE *to;

    if (name == NULL)
        return;
    to = fopen(name, "a");
    if (to == NULL)
        bench_die(name);
    va_start(values, format);
    vfprintf(to, format, values);
    va_end(values);
    fclose(to);
}

static inline void *bench_memory(size_t size)
{
    void *p = aligned_alloc(4096, (size + 4095) / 4096 * 4096);

    if (p == NULL)
        bench_die("memory");
    memset(p, 1, size);
    return p;
}

/* Pieces of `data` bytes that differ, each followed by a hole of `hole`. */
static inline void bench_lay(int fd, uint64_t size, uint64_t data,
                             uint64_t hole)
{
    static uint8_t bytes[1 << 20];
    uint64_t at, i;

    for (at = 0; data > 0 && at < size; at += data + hole) {
        uint64_t len = data < size - at ? data : size - at, done = 0;

        while (done < len) {
            size_t step = len - done < sizeof(bytes) ? (size_t)(len - done)
                                                     : sizeof(bytes);

            for (i = 0; i < step; i++)
                bytes[i] = (uint8_t)(1 + (at / 4096 + i) % 251);
            if (pwrite(fd, bytes, step, (off_t)(at + done)) != (ssize_t)step)
                bench_die("pwrite");
            done += step;
        }
    }
    if (ftruncate(fd, (off_t)size))
        bench_die("ftruncate");
}

#endif /* READPLUS_BENCH_H */
