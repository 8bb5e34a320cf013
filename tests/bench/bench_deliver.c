/*
 * What delivery costs a client: in place and by stream, against copying and
 * against each other, in time ratios.  Everything that is compared runs
 * interleaved in one loop, and its outcome is compared byte for byte first.
 * Never a system call inside what is timed.
 *
 *     bench_deliver [ROUNDS]
 *
 * Layouts of 1 MiB: D one data element, H one hole, P1 alternating 4 KiB.
 * "receive" is a memcpy of the reply to where it is wanted, in as few calls
 * as were asked for; so a stream and a one-shot client are charged alike.
 */
#include <readplus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RANGE (1u << 20)
#define FRONT READPLUS_EXPAND_FRONT
#define ROW (FRONT + RANGE + READPLUS_EXPAND_BACK)

#define SLOTS 48 /* their memory is several times any cache's */

/* What one delivery works on. */
struct slot {
    uint8_t *received; /* a reply, wherever a device has put it */
    uint8_t *copy;     /* a user's buffer */
    uint8_t *row;      /* another, with room on both sides */
};

static const struct readplus_args args = {.offset = 0, .count = RANGE};
static struct slot slots[SLOTS], *slot;
static uint8_t *file, *reply;
static size_t reply_len;

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_deliver: %s\n", what);
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Page-aligned, with room in front for the heads of a reply. */
static uint8_t *memory(size_t size)
{
    uint8_t *p = aligned_alloc(4096, (size + 4095) / 4096 * 4096 + 8192);

    must(p != NULL, "no memory");
    memset(p, 1, size + 4096);
    return p + 4096;
}

/* A reply of elements of `piece` bytes, data first where there is data. */
static void make_reply(char layout)
{
    static struct readplus_segment s[RANGE / 4096];
    uint32_t piece = layout == 'P' ? 4096 : RANGE, n = RANGE / piece, i;

    memset(file, 0, RANGE);
    for (i = 0; i < n; i++) {
        bool hole = layout == 'H' || i % 2 == 1;
        uint8_t *at = file + (size_t)i * piece;

        if (!hole)
            memset(at, (int)(1 + i % 251), piece);
        s[i] = (struct readplus_segment){
            hole ? READPLUS_CONTENT_HOLE : READPLUS_CONTENT_DATA,
            (uint64_t)i * piece, piece, hole ? NULL : at};
    }
    must(readplus_res_encode(0, true, s, n, reply, ROW, &reply_len, NULL) ==
             READPLUS_OK,
         "encode");
}

/* --- what is timed ------------------------------------------------------- */

static void delivered(enum readplus_error error,
                      const struct readplus_result *result)
{
    must(error == READPLUS_OK && result->bytes == RANGE && result->eof,
         "not delivered");
}

static void copying(void)
{
    struct readplus_decoder decoder;
    struct readplus_result result;
    struct iovec iov = {slot->copy, RANGE};

    must(readplus_decoder_init_buffer(&decoder, &args, slot->received,
                                      reply_len, 0) == READPLUS_OK,
         "decode");
    delivered(readplus_scatter(&decoder, &iov, 1, 0, &result), &result);
}

static uint64_t place(void)
{
    uint64_t at;

    must(readplus_expand_place(RANGE, reply_len, &at) == READPLUS_OK, "place");
    return at;
}

static void in_place(void)
{
    struct iovec iov = {slot->row, ROW};
    struct readplus_expansion e = {.args = args,
                                   .iov = &iov,
                                   .pieces = 1,
                                   .reply = place(),
                                   .reply_len = reply_len,
                                   .content = FRONT,
                                   .content_len = RANGE};
    static struct readplus_segment segments[256];
    struct readplus_result result;

    delivered(readplus_expand_segments(&e, segments, 256, &result), &result);
}

static void receive_and_expand(void)
{
    memcpy(slot->row + place(), slot->received, reply_len);
    in_place();
}

static void stream(void)
{
    struct iovec to = {slot->row + FRONT, RANGE}, iov[2];
    struct readplus_result result;
    struct readplus_stream s;
    size_t at = 0, n, i;

    must(readplus_stream_init(&s, &args, &to, 1, 0) == READPLUS_OK, "stream");
    while (readplus_stream_want(&s, iov, 2, &n) == READPLUS_OK) {
        size_t got = 0;

        for (i = 0; i < n; i++) {
            memcpy(iov[i].iov_base, slot->received + at + got, iov[i].iov_len);
            got += iov[i].iov_len;
        }
        at += got;
        must(readplus_stream_advance(&s, got) == READPLUS_OK, "advance");
    }
    delivered(readplus_stream_end(&s, &result), &result);
}

/* --- rounds -------------------------------------------------------------- */

struct way {
    const char *name;
    void (*run)(void);
    bool copies; /* the content comes to slot->copy */
    double *times;
};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The reply has been received, into memory of either kind. */
static void prepare(int n)
{
    int i;

    for (i = 0; i < n; i++) {
        memcpy(slots[i].received, reply, reply_len);
        memcpy(slots[i].row + place(), reply, reply_len);
    }
}

static double once(const struct way *w)
{
    double t = now();

    w->run();
    t = now() - t;
    must(memcmp(w->copies ? slot->copy : slot->row + FRONT, file, RANGE) == 0,
         "wrong bytes");
    return t;
}

/* Warm: both ways in one slot, which has just been made ready.  Cold: in the
 * slot that was made ready the longest ago. */
static void measure(struct way *ways, int rounds, bool cold)
{
    int n = cold ? SLOTS : 1, k, i;

    for (k = 0; k < rounds; k++) {
        for (i = 0; i < 2; i++) {
            int at = (2 * k + i) % n;

            if (at == 0)
                prepare(n);
            slot = &slots[at];
            ways[(k / n + i) % 2].times[k] = once(&ways[(k / n + i) % 2]);
        }
    }
    for (i = 0; i < 2; i++)
        qsort(ways[i].times, (size_t)rounds, sizeof(double), by_size);
}

/* One line: the second way over the first, against what was promised. */
static void compare(const char *layout, struct way first, struct way second,
                    bool cold, int rounds, double goal)
{
    struct way ways[2] = {first, second};
    double min, median;
    int i;

    make_reply(layout[0]);
    for (i = 0; i < 2; i++) {
        ways[i].times = malloc((size_t)rounds * sizeof(double));
        must(ways[i].times != NULL, "no memory");
    }
    measure(ways, rounds, cold);
    min = ways[1].times[0] / ways[0].times[0];
    median = ways[1].times[rounds / 2] / ways[0].times[rounds / 2];
    printf("%-3s %-4s %-20s over %-20s min %6.3f  median %6.3f", layout,
           cold ? "cold" : "warm", second.name, first.name, min, median);
    for (i = 0; i < 2; i++)
        printf("  [%8.2f %8.2f %8.2f]", ways[i].times[0] / 1e3,
               ways[i].times[rounds / 2] / 1e3,
               ways[i].times[rounds - 1 - rounds / 10] / 1e3);
    if (goal > 0)
        printf("  goal %.2f %s", goal, median <= goal ? "kept" : "MISSED");
    printf("\n");
    for (i = 0; i < 2; i++)
        free(ways[i].times);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    struct way copies = {"copying", copying, true, NULL};
    struct way expands = {"in place", in_place, false, NULL};
    struct way shots = {"receive, in place", receive_and_expand, false, NULL};
    struct way streams = {"stream", stream, false, NULL};
    int i;

    if (rounds < 10) {
        fprintf(stderr, "usage: bench_deliver [ROUNDS, at least 10]\n");
        return 2;
    }
    file = memory(RANGE);
    reply = memory(ROW);
    for (i = 0; i < SLOTS; i++)
        slots[i] =
            (struct slot){memory(ROW), memory(RANGE), memory(ROW) - FRONT};
    printf("time ratios; in brackets microseconds of each: least, median, "
           "90th percentile\n");
    compare("P1", copies, expands, false, rounds, 0.95);
    compare("P1", copies, expands, true, rounds, 0.70);
    compare("D", copies, expands, false, rounds, 0);
    compare("H", copies, expands, false, rounds, 0);
    compare("D", shots, streams, false, rounds, 1.10);
    compare("H", shots, streams, false, rounds, 1.10);
    compare("P1", shots, streams, false, rounds, 1.10);
    compare("D", shots, streams, true, rounds, 0);
    compare("H", shots, streams, true, rounds, 0);
    compare("P1", shots, streams, true, rounds, 0);
    return 0;
}
