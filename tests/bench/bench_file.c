/*
 * What READ_PLUS costs a server, against READ: the time of readplus_reply_fd
 * over that of fstat and pread of the same range; beside it, what it costs to
 * find segments by SEEK_DATA, SEEK_HOLE and a pread each, as the first servers
 * did, and by FIEMAP and one pread.
 *
 *     bench_file [-f] [-m MIB] [-r ROUNDS] [-k warm|whole|cold|direct|sparse]
 *                [-n NAME] DIR
 *
 * In DIR, on a file system called NAME, the layouts are built and gone through
 * from front to back, ROUNDS times.  The ways take turns, a few requests at a
 * time, so that the file is in the processor's cache; cold and whole: a pass
 * at a time, so that it is not.  The ratio is that of the least times of each
 * turn: processor time where the file is cached, else time.  Before that what
 * each way makes is compared with the file.  -f: a way that takes over 20 times
 * READ's time goes on.  sparse: nanoseconds a MiB, by the size of the file.
 */
#include "file.h"

#include <fcntl.h>
#include <sys/stat.h>

#define TURNS_MAX 256
#define ROUNDS_MAX 99
#define ENOUGH 1.5 /* seconds for the rounds of a layout */

static uint64_t file_size = (uint64_t)64 << 20;
static int rounds = 5;
static bool full, cold, whole, direct;
static const char *name = "here", *kind = "warm";

struct layout {
    const char *name;
    uint64_t data, hole;
    void (*lay)(int fd, uint64_t size); /* instead */
    double most, on_btrfs;              /* the ratio promised, warm; 0: none */
};

/* A hole with data at its end. */
static void lay_tail(int fd, uint64_t size)
{
    uint8_t block[BLOCK];

    memset(block, 'x', sizeof(block));
    if (pwrite(fd, block, BLOCK, (off_t)(size - BLOCK)) != BLOCK)
        bench_die("pwrite");
}

static void lay_fallocated(int fd, uint64_t size)
{
    if (posix_fallocate(fd, 0, (off_t)size))
        bench_die("posix_fallocate");
}

/* An extent for each block and no hole: every second block first. */
static void lay_fragmented(int fd, uint64_t size)
{
    uint8_t block[BLOCK];
    uint64_t at;

    bench_lay(fd, size, BLOCK, BLOCK);
    if (fsync(fd))
        bench_die("fsync");
    memset(block, 'x', sizeof(block));
    for (at = BLOCK; at < size; at += 2 * BLOCK)
        if (pwrite(fd, block, BLOCK, (off_t)at) != BLOCK)
            bench_die("pwrite");
}

static const struct layout layouts[] = {
    {"data", 1 << 20, 0, NULL, 1.05, 1.05},
    {"hole", 0, 0, NULL, 0.10, 0.20},
    {"alternating 4 KiB", 4096, 4096, NULL, 1.30, 1.45},
    {"alternating 8 KiB", 8192, 8192, NULL, 1.30, 1.45},
    {"alternating 1 MiB", 1 << 20, 1 << 20, NULL, 0, 0},
    {"hole, data at end", 0, 0, lay_tail, 0.10, 0.20},
    {"fallocated", 0, 0, lay_fallocated, 1.5, 1.5},
    {"fragmented", 0, 0, lay_fragmented, 1.5, 1.5},
};
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

/* ---- a pass --------------------------------------------------------------- */

static double least[FILE_WAYS][TURNS_MAX];
static bool stopped[FILE_WAYS];

static double clock_now(void)
{
    return bench_clock(cold || direct ? CLOCK_MONOTONIC
                                      : CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t turn_size(void)
{
    return cold || whole ? file_size : (uint64_t)4 << 20;
}

static double turn(int way, struct file_desk *desk, uint64_t at)
{
    double start, time;

    if (cold &&
        (fsync(desk->fd) || posix_fadvise(desk->fd, 0, 0, POSIX_FADV_DONTNEED)))
        bench_die("posix_fadvise");
    start = clock_now();
    file_ways[way].run(desk, at, at + turn_size());
    time = clock_now() - start;
    if (least[way][at / turn_size()] == 0 ||
        time < least[way][at / turn_size()])
        least[way][at / turn_size()] = time;
    return time;
}

/* Each way's time over READ's; who goes first changes with `swap`. */
static void pass(struct file_desk *desk, int swap, double ratio[FILE_WAYS])
{
    double sum[FILE_WAYS] = {0};
    uint64_t at;
    int i, w;

    for (w = 0; w < FILE_WAYS; w++)
        desk->hints[w] = (struct readplus_hint){0, {0}};
    for (at = 0; at < file_size; at += turn_size())
        for (i = 0; i < FILE_WAYS; i++) {
            w = (i + swap) % FILE_WAYS;
            if (stopped[w])
                continue;
            sum[w] += turn(w, desk, at);
            if (w != FILE_READ && !full && sum[FILE_READ] > 0)
                stopped[w] = sum[w] > BENCH_STOP * sum[FILE_READ] + 0.02;
        }
    for (w = 0; w < FILE_WAYS; w++)
        ratio[w] = sum[w] / sum[FILE_READ];
}

static void report(const struct layout *l, uint32_t count, int w, double *ratio,
                   size_t n)
{
    double sum[2] = {0, 0}, goal = 0;
    struct spread r = bench_spread(ratio, n);
    size_t t;

    for (t = 0; t < file_size / turn_size(); t++) {
        sum[0] += least[FILE_READ][t];
        sum[1] += least[w][t];
    }
    if (w == FILE_SCAN && !cold && !direct)
        goal = strcmp(name, "btrfs") == 0 ? l->on_btrfs : l->most;
    printf("  %-6s %-6s %-18s %5u %-6s", name, kind, l->name, count >> 10,
           file_ways[w].name);
    if (stopped[w]) {
        printf(" stopped: over %d times READ's time\n", BENCH_STOP);
        return;
    }
    printf(" %6.2f  median %6.2f (%.2f to %.2f)  READ %8.1f us  %s\n",
           sum[1] / sum[0], r.median, r.p10, r.p90,
           sum[0] * 1e6 / (double)(file_size / count),
           goal == 0                 ? ""
           : sum[1] / sum[0] <= goal ? "met"
                                     : "MISSED");
    bench_json("{\"bench\":\"file\",\"fs\":\"%s\",\"kind\":\"%s\","
               "\"layout\":\"%s\",\"count\":%u,\"way\":\"%s\",\"ratio\":%.3f,"
               "\"ratio_median\":%.3f,\"ratio_p10\":%.3f,\"ratio_p90\":%.3f,"
               "\"read_us\":%.2f,\"goal\":%g}\n",
               name, kind, l->name, count, file_ways[w].name, sum[1] / sum[0],
               r.median, r.p10, r.p90,
               sum[0] * 1e6 / (double)(file_size / count), goal);
}

static void measure(struct file_desk *desk, const struct layout *l)
{
    static double ratio[FILE_WAYS][ROUNDS_MAX];
    double one[FILE_WAYS], start = bench_now();
    int i, w;

    memset(least, 0, sizeof(least));
    memset(stopped, 0, sizeof(stopped));
    /* A pass by look-ups may take minutes; warm shows what they cost. */
    stopped[FILE_SEEK] = stopped[FILE_FIEMAP] = whole;
    for (i = 0; i < rounds; i++) {
        if (!full && i >= 2 && bench_now() - start > ENOUGH)
            break;
        pass(desk, i % FILE_WAYS, one);
        for (w = 0; w < FILE_WAYS; w++)
            ratio[w][i] = one[w];
    }
    for (w = FILE_READ + 1; w < (whole ? FILE_SEEK : FILE_WAYS); w++)
        report(l, desk->count, w, ratio[w], (size_t)i);
    fflush(stdout);
}

static int make_file(const char *dir, const char **path)
{
    static char buffer[4096];
    int fd;

    snprintf(buffer, sizeof(buffer), "%s/bench_file.XXXXXX", dir);
    fd = mkstemp(buffer);
    if (fd < 0)
        bench_die(buffer);
    *path = buffer;
    return fd;
}

static void bench_layout(const char *dir, const struct layout *l)
{
    const char *path;
    struct file_desk desk = {.fd = make_file(dir, &path)};
    uint32_t count;

    if (l->lay == NULL)
        bench_lay(desk.fd, file_size, l->data, l->hole);
    else
        l->lay(desk.fd, file_size);
    if (fsync(desk.fd))
        bench_die("fsync");
    if (direct) {
        close(desk.fd);
        desk.fd = open(path, O_RDONLY | O_DIRECT);
        if (desk.fd < 0)
            bench_die("O_DIRECT");
    }
    unlink(path);
    file_desk_init(&desk, 1 << 20);
    for (count = 128 << 10; count <= 1 << 20; count *= 8) {
        desk.count = count;
        file_desk_verify(&desk, file_size);
        measure(&desk, l);
    }
    file_desk_free(&desk);
}

/* ---- sparse files --------------------------------------------------------- */

/* A block of data in each 64 MiB; the whole file in requests of 1 MiB. */
static void bench_sparse(const char *dir)
{
    const char *path;
    struct file_desk desk = {.fd = make_file(dir, &path), .count = 1 << 20};
    double first = 0;
    uint64_t size, made = 63 << 20;
    int i;

    unlink(path);
    file_desk_init(&desk, desk.count);
    for (size = 1 << 20; size <= (uint64_t)64 << 30; size *= 16) {
        double best = 0;
        uint64_t passes = size < (256 << 20) ? (256 << 20) / size : 1, p;

        for (; made < size; made += 64 << 20)
            if (pwrite(desk.fd, desk.pages, BLOCK, (off_t)made) != BLOCK)
                bench_die("pwrite");
        if (ftruncate(desk.fd, (off_t)size) || fsync(desk.fd))
            bench_die("fsync");
        for (i = 0; i < rounds; i++) {
            double start = clock_now(), time;

            for (p = 0; p < passes; p++) {
                desk.hints[FILE_SCAN] = (struct readplus_hint){0, {0}};
                file_ways[FILE_SCAN].run(&desk, 0, size);
            }
            time = (clock_now() - start) / (double)(passes * (size >> 20));
            if (best == 0 || time < best)
                best = time;
        }
        first = first == 0 ? best : first;
        printf("  %-6s sparse %8llu MiB %10.1f ns a MiB, %5.2f of 1 MiB's\n",
               name, (unsigned long long)size >> 20, best * 1e9, best / first);
        bench_json("{\"bench\":\"sparse\",\"fs\":\"%s\",\"mib\":%llu,"
                   "\"ns_per_mib\":%.1f}\n",
                   name, (unsigned long long)size >> 20, best * 1e9);
    }
    file_desk_free(&desk);
}

int main(int argc, char **argv)
{
    int option;
    size_t i;

    while ((option = getopt(argc, argv, "fm:r:k:n:")) != -1) {
        if (option == 'f')
            full = true;
        else if (option == 'm')
            file_size =
                (strtoull(optarg, NULL, 10) << 20) & ~((4ull << 20) - 1);
        else if (option == 'r')
            rounds = atoi(optarg) % (ROUNDS_MAX + 1);
        else if (option == 'k')
            kind = optarg;
        else if (option == 'n')
            name = optarg;
        else
            return 2;
    }
    cold = strcmp(kind, "cold") == 0;
    whole = strcmp(kind, "whole") == 0;
    direct = strcmp(kind, "direct") == 0;
    if (optind + 1 != argc || rounds < 1 || file_size == 0 ||
        file_size / turn_size() > TURNS_MAX)
        return 2;
    if (strcmp(kind, "sparse") == 0)
        bench_sparse(argv[optind]);
    else
        for (i = 0; i < LAYOUTS; i++)
            bench_layout(argv[optind], &layouts[i]);
    return 0;
}
