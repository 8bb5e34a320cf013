/*
 * How fast the codec is: encoding by reference and copying, decoding in
 * batches and element by element, against what rpcgen and libtirpc do with
 * the same bytes, against memcpy of the payload, and against straight-line
 * code that does no more than the work itself, written here as a floor.
 *
 * Everything runs in one process, in turns, many rounds; what is printed are
 * ratios of minima and medians, since times depend on what else the machine
 * does.  All contestants' output is compared before anything is measured.
 *
 *     bench_codec [--json] [ROUNDS]
 */
#include <readplus.h>
#include <readplus/rpc.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RANGE (1u << 20)
#define MOST 8192
#define ROOM (RANGE + 20 * MOST + 64)

/* --- layouts ------------------------------------------------------------- */

static const struct layout {
    const char *name;
    uint32_t piece; /* data and holes take turns; 0: one segment */
    bool hole;
} layouts[] = {{"D", 0, false},
               {"H", 0, true},
               {"P1", 4096, false},
               {"P2", 8192, false},
               {"S", 128, false}};
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

/* What every contestant works on. */
static uint8_t file[RANGE], item[ROOM], out[ROOM], scratch[ROOM];
static struct readplus_segment segments[MOST], taken[MOST];
static struct iovec iov[2 * MOST + 1];
static struct readplus_read_plus_content contents[MOST];
static struct readplus_READ_PLUS4res res;
static size_t count, item_len, entries;

static void die(const char *what)
{
    fprintf(stderr, "bench_codec: %s\n", what);
    exit(1);
}

static void layout_set(const struct layout *l)
{
    uint32_t piece = l->piece != 0 ? l->piece : RANGE;
    size_t i;

    count = RANGE / piece;
    for (i = 0; i < count; i++) {
        bool hole = l->piece != 0 ? i % 2 == 1 : l->hole;
        uint64_t offset = i * piece;

        segments[i] = (struct readplus_segment){
            hole ? READPLUS_CONTENT_HOLE : READPLUS_CONTENT_DATA, offset, piece,
            hole ? NULL : file + offset};
    }
    if (readplus_res_encode(0, true, segments, count, item, sizeof(item),
                            &item_len, NULL) != READPLUS_OK)
        die("cannot encode");
}

/* --- encoders ------------------------------------------------------------ */

static void encode_ours_iov(void)
{
    uint64_t size;

    if (readplus_encode_iov(true, segments, count, scratch, sizeof(scratch),
                            iov, 2 * MOST + 1, &entries, &size) != READPLUS_OK)
        die("encode_iov");
}

static void put32(uint8_t *p, uint32_t v)
{
    v = __builtin_bswap32(v);
    memcpy(p, &v, 4);
}

static void put64(uint8_t *p, uint64_t v)
{
    v = __builtin_bswap64(v);
    memcpy(p, &v, 8);
}

/* The work itself, with nothing checked; lengths are multiples of 4.  A call
 * of its own, with the arguments and answers of the library's. */
static __attribute__((noinline)) void floor_iov(
    bool eof, const struct readplus_segment *s, size_t n, uint8_t *head,
    struct iovec *to, size_t *used, uint64_t *size)
{
    uint8_t *p = head + 12, *run = head;
    uint64_t data = 0;
    size_t i, k = 0;

    put32(head, 0);
    put32(head + 4, eof);
    put32(head + 8, (uint32_t)n);
    for (i = 0; i < n; i++, s++) {
        put32(p, s->content);
        put64(p + 4, s->offset);
        if (s->content == READPLUS_CONTENT_HOLE) {
            put64(p + 12, s->length);
            p += 20;
        } else {
            put32(p + 12, (uint32_t)s->length);
            p += 16;
            to[k++] = (struct iovec){run, (size_t)(p - run)};
            to[k++] = (struct iovec){(void *)(uintptr_t)s->data, s->length};
            data += s->length;
            run = p;
        }
    }
    if (p > run)
        to[k++] = (struct iovec){run, (size_t)(p - run)};
    *used = k;
    *size = data + (uint64_t)(p - head);
}

static void encode_floor_iov(void)
{
    uint64_t size;

    floor_iov(true, segments, count, scratch, iov, &entries, &size);
}

static void encode_ours_copy(void)
{
    size_t size;

    if (readplus_res_encode(0, true, segments, count, out, sizeof(out), &size,
                            NULL) != READPLUS_OK)
        die("res_encode");
}

/* The payload alone, in the same pieces, one behind the other. */
static void encode_memcpy(void)
{
    uint8_t *p = out;
    size_t i;

    for (i = 0; i < count; i++)
        if (segments[i].content == READPLUS_CONTENT_DATA) {
            memcpy(p, segments[i].data, segments[i].length);
            p += segments[i].length;
        }
}

static void res_set(void)
{
    size_t i;

    res.rp_status = READPLUS_NFS4_OK;
    res.readplus_READ_PLUS4res_u.rp_resok4.rpr_eof = TRUE;
    res.readplus_READ_PLUS4res_u.rp_resok4.rpr_contents.rpr_contents_len =
        (u_int)count;
    res.readplus_READ_PLUS4res_u.rp_resok4.rpr_contents.rpr_contents_val =
        contents;
    for (i = 0; i < count; i++) {
        struct readplus_read_plus_content *c = &contents[i];

        memset(c, 0, sizeof(*c));
        if (segments[i].content == READPLUS_CONTENT_HOLE) {
            c->rpc_content = READPLUS_NFS4_CONTENT_HOLE;
            c->readplus_read_plus_content_u.rpc_hole.di_offset =
                segments[i].offset;
            c->readplus_read_plus_content_u.rpc_hole.di_length =
                segments[i].length;
        } else {
            c->rpc_content = READPLUS_NFS4_CONTENT_DATA;
            c->readplus_read_plus_content_u.rpc_data.d_offset =
                segments[i].offset;
            c->readplus_read_plus_content_u.rpc_data.d_data.d_data_len =
                (u_int)segments[i].length;
            c->readplus_read_plus_content_u.rpc_data.d_data.d_data_val =
                (char *)(uintptr_t)segments[i].data;
        }
    }
}

static void encode_rpcgen(void)
{
    XDR xdrs;

    xdrmem_create(&xdrs, (char *)out, sizeof(out), XDR_ENCODE);
    if (!xdr_readplus_READ_PLUS4res(&xdrs, &res))
        die("xdr_READ_PLUS4res");
}

/* --- decoders ------------------------------------------------------------ */

static void decode_ours_batch(void)
{
    struct readplus_res got;

    if (readplus_res_decode(NULL, item, item_len, 0, taken, MOST, &got) !=
        READPLUS_OK)
        die("res_decode");
}

static void decode_ours_each(void)
{
    struct readplus_decoder decoder;
    struct readplus_segment *s = taken;
    enum readplus_error error;

    if (readplus_decoder_init_buffer(&decoder, NULL, item, item_len, 0) !=
        READPLUS_OK)
        die("decoder_init");
    while ((error = readplus_decoder_next(&decoder, s)) == READPLUS_OK)
        s++;
    if (error != READPLUS_END)
        die("decoder_next");
}

static uint32_t get32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, 4);
    return __builtin_bswap32(v);
}

static uint64_t get64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, 8);
    return __builtin_bswap64(v);
}

/* Believes everything, the count too. */
static __attribute__((noinline)) size_t floor_decode(const uint8_t *p,
                                                     struct readplus_segment *s,
                                                     uint32_t *status,
                                                     bool *eof)
{
    size_t n = get32(p + 8), i;

    *status = get32(p);
    *eof = get32(p + 4) == 1;
    for (i = 0, p += 12; i < n; i++) {
        uint32_t content = get32(p);
        uint64_t offset = get64(p + 4), length;
        const uint8_t *data = NULL;

        if (content == 1) {
            length = get64(p + 12);
            p += 20;
        } else {
            length = get32(p + 12);
            data = p + 16;
            p = data + ((length + 3) & ~(uint64_t)3);
        }
        s[i] = (struct readplus_segment){(enum readplus_content)content, offset,
                                         length, data};
    }
    return n;
}

static void decode_floor(void)
{
    uint32_t status;
    bool eof;

    if (floor_decode(item, taken, &status, &eof) != count)
        die("floor_decode");
}

static void decode_rpcgen(void)
{
    struct readplus_READ_PLUS4res got;
    XDR xdrs;

    memset(&got, 0, sizeof(got));
    xdrmem_create(&xdrs, (char *)item, (u_int)item_len, XDR_DECODE);
    if (!xdr_readplus_READ_PLUS4res(&xdrs, &got))
        die("xdr_READ_PLUS4res");
    xdr_free((xdrproc_t)xdr_readplus_READ_PLUS4res, (char *)&got);
}

/* --- the same first ------------------------------------------------------ */

static void same_iov(const char *who)
{
    size_t i, at = 0;

    for (i = 0; i < entries; i++) {
        if (iov[i].iov_len > item_len - at ||
            memcmp(item + at, iov[i].iov_base, iov[i].iov_len) != 0)
            die(who);
        at += iov[i].iov_len;
    }
    if (at != item_len)
        die(who);
}

static void same_taken(const char *who)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (taken[i].content != segments[i].content ||
            taken[i].offset != segments[i].offset ||
            taken[i].length != segments[i].length ||
            (taken[i].data == NULL) != (segments[i].data == NULL) ||
            (taken[i].data != NULL &&
             memcmp(taken[i].data, segments[i].data, taken[i].length) != 0))
            die(who);
    memset(taken, 0, sizeof(taken));
}

static void all_the_same(void)
{
    encode_ours_iov();
    same_iov("encode_iov writes something else");
    encode_floor_iov();
    same_iov("the floor writes something else");
    memset(out, 0xa5, sizeof(out));
    encode_ours_copy();
    if (memcmp(out, item, item_len) != 0)
        die("res_encode writes something else");
    memset(out, 0xa5, sizeof(out));
    encode_rpcgen();
    if (memcmp(out, item, item_len) != 0)
        die("rpcgen writes something else");
    decode_ours_batch();
    same_taken("decoder_take says something else");
    decode_ours_each();
    same_taken("decoder_next says something else");
    decode_floor();
    same_taken("the floor says something else");
    decode_rpcgen();
}

/* --- time ---------------------------------------------------------------- */

typedef void contestant(void);

/* A pair that is compared: goal for each layout, 0 for none. */
static const struct match {
    const char *name;
    contestant *over, *under;
    double goals[LAYOUTS];
    bool at_least; /* else at most */
} matches[] = {
    {"encode by reference over the floor",
     encode_ours_iov,
     encode_floor_iov,
     {1.25, 1.25, 1.15, 1.15, 1.15},
     false},
    {"rpcgen encode over ours by reference",
     encode_rpcgen,
     encode_ours_iov,
     {1000, 4, 30, 45, 14},
     true},
    {"rpcgen decode over ours in batches",
     decode_rpcgen,
     decode_ours_batch,
     {3000, 10, 28, 70, 25},
     true},
    {"rpcgen decode over ours one by one",
     decode_rpcgen,
     decode_ours_each,
     {2000, 7, 24, 40, 15},
     true},
    {"ours copying over memcpy",
     encode_ours_copy,
     encode_memcpy,
     {1.02, 0, 1.08, 1.08, 2.0},
     false},
    {"batches over the unchecked floor",
     decode_ours_batch,
     decode_floor,
     {1.3, 1.3, 1.2, 1.2, 1.3},
     false},
};
#define MATCHES (sizeof(matches) / sizeof(matches[0]))
#define ROUNDS_MOST 1001

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds a call, over `times` of them. */
static double lap(contestant *run, unsigned times)
{
    double start = now();
    unsigned i;

    for (i = 0; i < times; i++) {
        run();
        __asm__ volatile("" ::: "memory");
    }
    return (now() - start) / times;
}

/* Calls that take some 50 microseconds together. */
static unsigned times_of(contestant *run)
{
    double once = lap(run, 20);

    return once > 25e3 ? 2 : (unsigned)(50e3 / (once + 0.1)) + 1;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void play(const struct match *m, size_t layout, int rounds, bool json)
{
    static double over[ROUNDS_MOST], under[ROUNDS_MOST], ratio[ROUNDS_MOST];
    unsigned over_times = times_of(m->over), under_times = times_of(m->under);
    double goal = m->goals[layout], best;
    const char *verdict = "";
    int i;

    for (i = 0; i < rounds; i++) {
        over[i] = lap(m->over, over_times);
        under[i] = lap(m->under, under_times);
        ratio[i] = over[i] / under[i];
    }
    qsort(over, (size_t)rounds, sizeof(*over), by_size);
    qsort(under, (size_t)rounds, sizeof(*under), by_size);
    qsort(ratio, (size_t)rounds, sizeof(*ratio), by_size);
    best = over[0] / under[0];
    if (goal != 0)
        verdict = (best >= goal) == m->at_least ? "met" : "missed";
    if (json)
        printf("{\"match\":\"%s\",\"layout\":\"%s\",\"over_ns\":%.1f,"
               "\"under_ns\":%.1f,\"ratio_min\":%.3f,\"ratio_median\":%.3f,"
               "\"ratio_p10\":%.3f,\"ratio_p90\":%.3f,\"goal\":%g}\n",
               m->name, layouts[layout].name, over[0], under[0], best,
               ratio[rounds / 2], ratio[rounds / 10], ratio[rounds * 9 / 10],
               goal);
    else
        printf("%-37s %-3s %11.1f %11.1f %9.2f %9.2f %7g %s\n", m->name,
               layouts[layout].name, over[0], under[0], best, ratio[rounds / 2],
               goal, verdict);
}

int main(int argc, char **argv)
{
    bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    int rounds = argc > 1 + json ? atoi(argv[1 + json]) : 101;
    size_t l, m;

    if (rounds < 1 || rounds > ROUNDS_MOST)
        die("ROUNDS is 1 to 1001");
    memset(file, 0x5a, sizeof(file));
    if (!json)
        printf("%-37s %-3s %11s %11s %9s %9s %7s\n", "", "", "ns", "ns",
               "of minima", "median", "goal");
    for (m = 0; m < MATCHES; m++)
        for (l = 0; l < LAYOUTS; l++) {
            layout_set(&layouts[l]);
            res_set();
            all_the_same();
            if (m == 4 && layouts[l].hole)
                continue; /* nothing to copy */
            play(&matches[m], l, rounds, json);
        }
    return 0;
}
