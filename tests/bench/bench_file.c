/*
 * What READ_PLUS costs a server on warm files, against READ: the time of
 * readplus_reply_fd over that of fstat and pread of the same range.
 *
 *     bench_file [-m MIB] [-r ROUNDS] [-q] DIR...
 *
 * In each DIR (on the file system to be measured) the layouts are built, read
 * once, and gone through from front to back, ROUNDS times.  Both ways take
 * turns, a few requests at a time.  The ratio is that of the least processor
 * times of each turn; beside it stands the median of the rounds' own ratios,
 * with the least and the largest.  -q measures the files instead on which
 * look-ups are quadratic.
 */
#include <readplus.h>
#include <readplus/reply.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096u
#define TURN (4u << 20) /* bytes of file for each turn */
#define TURNS_MAX 1024
#define ROUNDS_MAX 99

static uint64_t file_size = (uint64_t)64 << 20;
static int rounds = 9;
static uint8_t *pages, *reply_buffer;
static size_t reply_len;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- files --------------------------------------------------------------- */

static void put(int fd, uint64_t offset, size_t len)
{
    if (pwrite(fd, pages, len, (off_t)offset) != (ssize_t)len)
        die("pwrite");
}

/* Pieces of `data` bytes, each followed by a hole of `hole`. */
static void lay_alternating(int fd, uint64_t data, uint64_t hole)
{
    uint64_t at;

    for (at = 0; at < file_size; at += data + hole)
        put(fd, at, (size_t)(data < file_size - at ? data : file_size - at));
    if (ftruncate(fd, (off_t)file_size))
        die("ftruncate");
}

static void lay_data(int fd)
{
    lay_alternating(fd, 1 << 20, 0);
}

static void lay_hole(int fd)
{
    put(fd, file_size, BLOCK);
}

static void lay_nothing(int fd)
{
    if (ftruncate(fd, (off_t)file_size))
        die("ftruncate");
}

static void lay_4k(int fd)
{
    lay_alternating(fd, 4096, 4096);
}

static void lay_8k(int fd)
{
    lay_alternating(fd, 8192, 8192);
}

/* An extent for each block and no hole: every second block first. */
static void lay_extents(int fd)
{
    uint64_t at;

    lay_alternating(fd, BLOCK, BLOCK);
    if (fsync(fd))
        die("fsync");
    for (at = BLOCK; at < file_size; at += 2 * BLOCK)
        put(fd, at, BLOCK);
}

static void lay_fallocated(int fd)
{
    if (posix_fallocate(fd, 0, (off_t)file_size))
        die("posix_fallocate");
}

struct layout {
    const char *name;
    void (*lay)(int fd);
    double most; /* the ratio promised, on btrfs in brackets */
    bool quadratic;
};

static const struct layout layouts[] = {
    {"data", lay_data, 1.05, false},
    {"hole", lay_hole, 0.10, false},
    {"hole to the end", lay_nothing, 0.10, false},
    {"alternating 4 KiB", lay_4k, 1.30, false},
    {"alternating 8 KiB", lay_8k, 1.30, false},
    {"an extent a block", lay_extents, 1.5, true},
    {"all data", lay_data, 1.5, true},
    {"fallocated", lay_fallocated, 1.5, true},
};

/* ---- what is measured ---------------------------------------------------- */

static void read_turn(int fd, uint64_t from, uint64_t to, uint32_t count)
{
    struct stat st;

    for (; from < to; from += count)
        if (fstat(fd, &st) ||
            pread(fd, pages, count, (off_t)from) != (ssize_t)count)
            die("pread");
}

static void reply_turn(int fd, uint64_t from, uint64_t to, uint32_t count,
                       const struct readplus_limits *limits,
                       struct readplus_hint *hint)
{
    struct readplus_reply reply;
    struct readplus_args args = {from, count, {0, {0}}};

    for (; args.offset < to; args.offset += count)
        if (readplus_reply_fd(&reply, fd, &args, limits, hint, reply_buffer,
                              reply_len) != READPLUS_OK ||
            reply.next < args.offset + count)
            die("readplus_reply_fd");
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The least time of each turn in any round: what else runs on the machine can
 * only add to it. */
static double plain[TURNS_MAX], ours[TURNS_MAX];

static double keep_least(double *least, double start)
{
    double time = now() - start;

    if (*least == 0 || time < *least)
        *least = time;
    return time;
}

/* One pass over the file, in turns; who goes first changes with `swap`.
 * Returns the ratio of this pass. */
static double pass(int fd, uint32_t count, const struct readplus_limits *limits,
                   int swap)
{
    struct readplus_hint hint = {0};
    double sum[2] = {0, 0}, start;
    uint64_t at;
    int i;

    for (at = 0; at < file_size; at += TURN) {
        for (i = 0; i < 2; i++) {
            start = now();
            if (i == swap) {
                read_turn(fd, at, at + TURN, count);
                sum[0] += keep_least(&plain[at / TURN], start);
            } else {
                reply_turn(fd, at, at + TURN, count, limits, &hint);
                sum[1] += keep_least(&ours[at / TURN], start);
            }
        }
    }
    return sum[1] / sum[0];
}

static void measure(int fd, const struct layout *layout, uint32_t count,
                    uint32_t flags)
{
    double ratio[ROUNDS_MAX], sum[2] = {0, 0};
    struct readplus_limits limits;
    size_t t;
    int i;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    limits.flags = flags;
    memset(plain, 0, sizeof(plain));
    memset(ours, 0, sizeof(ours));
    for (i = 0; i < rounds; i++)
        ratio[i] = pass(fd, count, &limits, i & 1);
    for (t = 0; t < file_size / TURN; t++) {
        sum[0] += plain[t];
        sum[1] += ours[t];
    }
    qsort(ratio, (size_t)rounds, sizeof(ratio[0]), by_size);
    printf("  %-18s %4u KiB  %-5s  %5.2f  median %5.2f (%.2f to %.2f)  READ "
           "%.1f us\n",
           layout->name, count >> 10, flags ? "exact" : "scan", sum[1] / sum[0],
           ratio[rounds / 2], ratio[0], ratio[rounds - 1],
           sum[0] * 1e6 / (double)(file_size / count));
    fflush(stdout);
}

static void bench(const char *dir, const struct layout *layout)
{
    char name[4096];
    uint64_t at;
    int fd;

    snprintf(name, sizeof(name), "%s/bench_file.XXXXXX", dir);
    fd = mkstemp(name);
    if (fd < 0 || unlink(name))
        die(name);
    layout->lay(fd);
    for (at = 0; at < file_size; at += 1 << 20)
        read_turn(fd, at, at + 1, 1 << 20);
    if (layout->lay != lay_fallocated && fsync(fd))
        die("fsync");
    measure(fd, layout, 128 << 10, 0);
    measure(fd, layout, 1 << 20, 0);
    if (!layout->quadratic)
        measure(fd, layout, 128 << 10, READPLUS_LIMIT_EXACT);
    close(fd);
}

int main(int argc, char **argv)
{
    struct readplus_limits limits;
    bool quadratic = false;
    size_t i;
    int option;

    while ((option = getopt(argc, argv, "m:r:q")) != -1) {
        if (option == 'm')
            file_size = (strtoull(optarg, NULL, 10) << 20) & ~(TURN - 1ull);
        else if (option == 'r')
            rounds = atoi(optarg) % (ROUNDS_MAX + 1);
        else if (option == 'q')
            quadratic = true;
        else
            return 2;
    }
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    reply_len = readplus_reply_buffer(1 << 20, &limits);
    pages = aligned_alloc(BLOCK, 1 << 20);
    reply_buffer =
        aligned_alloc(BLOCK, (reply_len + BLOCK) & ~(size_t)(BLOCK - 1));
    if (pages == NULL || reply_buffer == NULL || rounds < 1 || file_size == 0 ||
        file_size / TURN > TURNS_MAX)
        return 2;
    for (; optind < argc; optind++) {
        printf("%s\n", argv[optind]);
        memset(pages, 'x', 1 << 20);
        for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
            memset(pages, 'x', 1 << 20);
            if (layouts[i].quadratic == quadratic)
                bench(argv[optind], &layouts[i]);
        }
    }
    return 0;
}
