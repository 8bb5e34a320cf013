/*
 * Whether telling the kernel of the next range pays, on files that are not in
 * the page cache: wall time with readplus_reply_readahead over that without,
 * for requests in order, out of order, and from two threads.
 *
 *     bench_cold [-m MIB] [-r ROUNDS] DIR
 */
#include <readplus.h>
#include <readplus/reply.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNT (128u << 10)
#define ROUNDS_MAX 99

static uint64_t requests = 512;
static int rounds = 7, fd;
static struct readplus_hint hint;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* Requests `first`, `first` + step, ...; `swap`: the second before the first,
 * the fourth before the third. */
struct way {
    const char *name;
    int threads;
    uint64_t first, step;
    bool swap, advise;
};

static void *walk(void *context)
{
    const struct way *way = context;
    struct readplus_limits limits;
    struct readplus_reply reply;
    uint8_t *buffer;
    uint64_t i;
    size_t len;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    len = readplus_reply_buffer(COUNT, &limits);
    buffer = malloc(len);
    if (buffer == NULL)
        die("malloc");
    for (i = way->first; i < requests; i += way->step) {
        struct readplus_args args = {
            (way->swap ? i ^ 1 : i) * COUNT, COUNT, {0, {0}}};

        if (way->advise)
            readplus_reply_readahead(fd, &args);
        if (readplus_reply_fd(&reply, fd, &args, &limits, &hint, buffer, len) !=
            READPLUS_OK)
            die("readplus_reply_fd");
    }
    free(buffer);
    return NULL;
}

static double run(struct way way, bool advise)
{
    struct timespec from, to;
    struct way ways[2] = {way, way};
    pthread_t threads[2];
    int i;

    if (fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
        die("drop");
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (i = 0; i < way.threads; i++) {
        ways[i].first = (uint64_t)i;
        ways[i].step = (uint64_t)way.threads;
        ways[i].advise = advise;
        if (pthread_create(&threads[i], NULL, walk, &ways[i]))
            die("pthread_create");
    }
    for (i = 0; i < way.threads; i++)
        pthread_join(threads[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (double)(to.tv_sec - from.tv_sec) +
           (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(struct way way)
{
    double with[ROUNDS_MAX], without[ROUNDS_MAX];
    int i;

    for (i = 0; i < rounds; i++) {
        without[i] = run(way, false);
        with[i] = run(way, true);
    }
    qsort(with, (size_t)rounds, sizeof(with[0]), by_size);
    qsort(without, (size_t)rounds, sizeof(without[0]), by_size);
    printf("  %-14s %5.2f  median of %d: %.1f ms with, %.1f ms without "
           "(least %.1f and %.1f)\n",
           way.name, with[rounds / 2] / without[rounds / 2], rounds,
           with[rounds / 2] * 1e3, without[rounds / 2] * 1e3, with[0] * 1e3,
           without[0] * 1e3);
}

int main(int argc, char **argv)
{
    static const struct way ways[] = {
        {"in order", 1, 0, 1, false, false},
        {"out of order", 1, 0, 1, true, false},
        {"two threads", 2, 0, 2, false, false},
    };
    static uint8_t bytes[COUNT];
    char name[4096];
    uint64_t i;
    int option;

    while ((option = getopt(argc, argv, "m:r:")) != -1) {
        if (option == 'm')
            requests = (strtoull(optarg, NULL, 10) << 20) / COUNT;
        else if (option == 'r')
            rounds = atoi(optarg) % (ROUNDS_MAX + 1);
        else
            return 2;
    }
    if (optind + 1 != argc || rounds < 1)
        return 2;
    snprintf(name, sizeof(name), "%s/bench_cold.XXXXXX", argv[optind]);
    fd = mkstemp(name);
    if (fd < 0 || unlink(name))
        die(name);
    memset(bytes, 'x', sizeof(bytes));
    for (i = 0; i < requests; i++)
        if (write(fd, bytes, COUNT) != (ssize_t)COUNT)
            die("write");
    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        measure(ways[i]);
    return 0;
}
