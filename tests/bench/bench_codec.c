/*
 * How fast the codec is: encoding by reference, copying and in place, decoding
 * in batches and element by element, delivering; against what rpcgen's code
 * does over libtirpc and ntirpc, against memcpy of the payload, and against a
 * floor (codec_ways.c).  All in one process, in turns, many rounds, with warm
 * and with cold buffers; what is printed are ratios of minima and medians.
 * What every contestant makes is compared before anything is measured.
 *
 *     bench_codec [-r ROUNDS] [-s] [-w]     -s: only time per segment against
 *                                           their number; -w: only warm buffers
 */
#include "codec.h"

#define MOST (RANGE / 128)
#define SLOTS 40 /* their memory is several times any cache's */
#define ROUNDS_MAX 1001
#define SEGMENT 16u /* bytes of each, where only their number matters */

struct slot *slot;
size_t count, item_len, entries;
uint32_t range;

static struct slot slots[SLOTS];
static int rounds = 51;
static bool has_ntirpc, only_segments, only_warm;

static const struct layout {
    const char *name;
    uint32_t range, piece; /* data and holes take turns; 0: one segment */
    bool hole;
} layouts[] = {{"D", RANGE, 0, false},     {"H", RANGE, 0, true},
               {"P1", RANGE, 4096, false}, {"P2", RANGE, 8192, false},
               {"S", RANGE, 128, false},   {"P1s", RANGE / 8, 4096, false}};
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

/* ---- replies -------------------------------------------------------------- */

static void slot_init(struct slot *s, size_t bytes, size_t most)
{
    size_t room = bytes + 20 * most + 4096;

    s->file = bench_memory(bytes);
    s->item = bench_memory(room);
    s->out = bench_memory(room);
    s->row = (uint8_t *)bench_memory(room + 4096) + 4096 - FRONT;
    s->scratch = bench_memory(READPLUS_IOV_SCRATCH(most));
    s->segments = bench_memory(most * sizeof(*s->segments));
    s->placed = bench_memory(most * sizeof(*s->segments));
    s->taken = bench_memory(most * sizeof(*s->segments));
    s->iov = bench_memory(READPLUS_IOV_ENTRIES(most) * sizeof(*s->iov));
}

static void slot_free(struct slot *s)
{
    free(s->file);
    free(s->item);
    free(s->out);
    free(s->row + FRONT - 4096);
    free(s->scratch);
    free(s->segments);
    free(s->placed);
    free(s->taken);
    free(s->iov);
}

static void slot_set(struct slot *s, const struct layout *l)
{
    uint32_t piece = l->piece != 0 ? l->piece : l->range;
    uint8_t *p = s->out + READPLUS_RES_HEAD_SIZE;
    size_t i;

    range = l->range;
    count = range / piece;
    for (i = 0; i < range; i++)
        s->file[i] = (uint8_t)(1 + i % 251);
    for (i = 0; i < count; i++) {
        bool hole = l->piece != 0 ? i % 2 == 1 : l->hole;
        uint64_t offset = i * piece;

        if (hole)
            memset(s->file + offset, 0, piece);
        s->segments[i] = (struct readplus_segment){
            hole ? READPLUS_CONTENT_HOLE : READPLUS_CONTENT_DATA, offset, piece,
            hole ? NULL : s->file + offset};
        s->placed[i] = s->segments[i];
        if (!hole)
            s->placed[i].data = p + READPLUS_DATA_HEAD_SIZE;
        p += hole ? READPLUS_HOLE_SIZE : READPLUS_DATA_HEAD_SIZE + piece;
    }
    bench_must(readplus_res_encode(0, true, s->segments, count, s->item,
                                   (size_t)(p - s->out), &item_len,
                                   NULL) == READPLUS_OK,
               "cannot encode");
    memcpy(s->out, s->item, item_len);
}

/* ---- the same first ------------------------------------------------------- */

static void same_iov(const char *who)
{
    size_t i, at = 0;

    for (i = 0; i < entries; i++) {
        bench_must(slot->iov[i].iov_len <= item_len - at &&
                       memcmp(slot->item + at, slot->iov[i].iov_base,
                              slot->iov[i].iov_len) == 0,
                   who);
        at += slot->iov[i].iov_len;
    }
    bench_must(at == item_len, who);
}

static void same_taken(const char *who)
{
    size_t i;

    for (i = 0; i < count; i++) {
        const struct readplus_segment *t = &slot->taken[i],
                                      *s = &slot->segments[i];

        bench_must(
            t->content == s->content && t->offset == s->offset &&
                t->length == s->length &&
                (t->data == NULL) == (s->data == NULL) &&
                (t->data == NULL || memcmp(t->data, s->data, t->length) == 0),
            who);
    }
    memset(slot->taken, 0, count * sizeof(*slot->taken));
}

static void same_out(contestant *run, const char *who)
{
    memset(slot->out, 0xa5, item_len);
    run();
    bench_must(memcmp(slot->out, slot->item, item_len) == 0, who);
}

static void same_row(contestant *run, const char *who)
{
    memset(slot->row, 0xa5, FRONT + range);
    run();
    bench_must(memcmp(slot->row + FRONT, slot->file, range) == 0, who);
}

static void all_the_same(void)
{
    encode_ours_iov();
    same_iov("encode_iov writes something else");
    encode_floor_iov();
    same_iov("the floor writes something else");
    same_out(encode_ours_copy, "res_encode writes something else");
    same_out(encode_rpcgen, "rpcgen writes something else");
    if (has_ntirpc)
        same_out(encode_ntirpc, "ntirpc writes something else");
    encode_ours_placed(); /* around what the last one left */
    bench_must(memcmp(slot->out, slot->item, item_len) == 0, "in place");
    encode_floor_placed();
    bench_must(memcmp(slot->out, slot->item, item_len) == 0, "placed floor");
    decode_ours_batch();
    same_taken("res_decode says something else");
    decode_ours_each();
    same_taken("decoder_next says something else");
    decode_floor();
    same_taken("the floor says something else");
    same_row(deliver_scatter, "scatter delivers something else");
    same_row(deliver_expand, "expand delivers something else");
    same_row(deliver_stream, "stream delivers something else");
}

/* ---- time ----------------------------------------------------------------- */

/* A pair that is compared, and the goals for warm buffers, 0 for none. */
static const struct match {
    const char *name;
    contestant *over, *under;
    double goals[LAYOUTS];
    bool at_least; /* else at most */
    bool ntirpc;
} matches[] = {
    {"encode by reference over the floor",
     encode_ours_iov,
     encode_floor_iov,
     {1.25, 1.25, 1.15, 1.15, 1.15, 0},
     false,
     false},
    {"rpcgen encode over ours by reference",
     encode_rpcgen,
     encode_ours_iov,
     {1000, 4, 30, 45, 14, 0},
     true,
     false},
    {"rpcgen decode over ours in batches",
     decode_rpcgen,
     decode_ours_batch,
     {3000, 10, 28, 70, 25, 0},
     true,
     false},
    {"rpcgen decode over ours one by one",
     decode_rpcgen,
     decode_ours_each,
     {2000, 7, 24, 40, 15, 0},
     true,
     false},
    {"ours copying over memcpy",
     encode_ours_copy,
     encode_memcpy,
     {1.02, 0, 1.08, 1.08, 2.0, 0},
     false,
     false},
    {"batches over the unchecked floor",
     decode_ours_batch,
     decode_floor,
     {1.3, 1.3, 1.2, 1.2, 1.3, 0},
     false,
     false},
    {"ours in place over the floor",
     encode_ours_placed,
     encode_floor_placed,
     {0},
     false,
     false},
    {"rpcgen encode over ours copying",
     encode_rpcgen,
     encode_ours_copy,
     {0},
     true,
     false},
    {"copying out over memcpy of the range",
     deliver_scatter,
     deliver_memcpy,
     {0},
     false,
     false},
    {"receive, in place over copying out",
     deliver_expand,
     deliver_scatter,
     {0},
     false,
     false},
    {"stream over receive, in place",
     deliver_stream,
     deliver_expand,
     {0},
     false,
     false},
    {"ntirpc encode over ours by reference",
     encode_ntirpc,
     encode_ours_iov,
     {0},
     true,
     true},
    {"ntirpc decode over ours in batches",
     decode_ntirpc,
     decode_ours_batch,
     {0},
     true,
     true},
};
#define MATCHES (sizeof(matches) / sizeof(matches[0]))

/* Nanoseconds a call, over `times` of them; cold: each in the slot that was
 * used the longest ago. */
static double lap(contestant *run, unsigned times, bool cold)
{
    static unsigned next;
    double start = bench_now();
    unsigned i;

    for (i = 0; i < times; i++) {
        if (cold)
            slot = &slots[next++ % SLOTS];
        run();
        __asm__ volatile("" ::: "memory");
    }
    return (bench_now() - start) * 1e9 / times;
}

/* Calls that take some 50 microseconds together. */
static unsigned times_of(contestant *run)
{
    double once = lap(run, 20, false);

    return once > 25e3 ? 2 : (unsigned)(50e3 / (once + 0.1)) + 1;
}

static void report(const struct match *m, size_t layout, bool cold,
                   double *over, double *under, double *ratio)
{
    struct spread o = bench_spread(over, (size_t)rounds);
    struct spread u = bench_spread(under, (size_t)rounds);
    struct spread r = bench_spread(ratio, (size_t)rounds);
    double goal = cold ? 0 : m->goals[layout], best = o.least / u.least;
    const char *verdict = "";

    if (goal != 0)
        verdict = (best >= goal) == m->at_least ? "met" : "MISSED";
    printf("%-37s %-3s %-4s %11.1f %11.1f %9.2f %9.2f (%.2f to %.2f) %7g %s\n",
           m->name, layouts[layout].name, cold ? "cold" : "warm", o.least,
           u.least, best, r.median, r.p10, r.p90, goal, verdict);
    bench_json("{\"bench\":\"codec\",\"match\":\"%s\",\"layout\":\"%s\","
               "\"buffers\":\"%s\",\"over_ns\":%.1f,\"under_ns\":%.1f,"
               "\"ratio_min\":%.3f,\"ratio_median\":%.3f,\"ratio_p10\":%.3f,"
               "\"ratio_p90\":%.3f,\"goal\":%g}\n",
               m->name, layouts[layout].name, cold ? "cold" : "warm", o.least,
               u.least, best, r.median, r.p10, r.p90, goal);
}

static void play(const struct match *m, size_t layout, bool cold)
{
    static double over[ROUNDS_MAX], under[ROUNDS_MAX], ratio[ROUNDS_MAX];
    unsigned over_times, under_times;
    int i;

    slot = &slots[0];
    over_times = cold ? SLOTS : times_of(m->over);
    under_times = cold ? SLOTS : times_of(m->under);
    for (i = 0; i < rounds; i++) {
        over[i] = lap(m->over, over_times, cold);
        under[i] = lap(m->under, under_times, cold);
        ratio[i] = over[i] / under[i];
    }
    report(m, layout, cold, over, under, ratio);
}

static void play_layout(size_t layout)
{
    const struct layout *l = &layouts[layout];
    size_t m, i;
    int cold;

    for (i = 0; i < SLOTS; i++) {
        slot_set(&slots[i], l);
        slot = &slots[i];
        rpcgen_set();
    }
    slot = &slots[0];
    if (has_ntirpc)
        ntirpc_set();
    all_the_same();
    for (cold = 0; cold <= !only_warm; cold++)
        for (m = 0; m < MATCHES; m++) {
            bool payload = matches[m].under != encode_memcpy || !l->hole;

            if (payload && (!matches[m].ntirpc || (has_ntirpc && !cold)))
                play(&matches[m], layout, cold);
        }
}

/* ---- time a segment, against their number --------------------------------- */

static void play_segments(void)
{
    static const struct {
        const char *name;
        contestant *run;
    } ways[] = {{"encode", encode_ours_iov},
                {"decode", decode_ours_batch},
                {"next", decode_ours_each}};
    static const uint32_t counts[] = {16, 64, 256, 1024, 4096, 65536};
    struct slot big;
    size_t w, c;
    int i;

    slot_init(&big, (size_t)SEGMENT * 65536, 65536);
    printf("\nns a segment, of %u bytes, data and holes in turns\n%-8s",
           SEGMENT, "");
    for (c = 0; c < 6; c++)
        printf(" %9u", counts[c]);
    printf("   4096 over 16, goal 1.1\n");
    for (w = 0; w < 3; w++) {
        double least[6] = {0};

        /* In turns, so that the machine's moods are shared. */
        for (i = 0; i < rounds; i++)
            for (c = 0; c < 6; c++) {
                struct layout l = {"", SEGMENT * counts[c], SEGMENT, false};
                unsigned times = 1 + 131072 / counts[c];
                double t;

                slot_set(&big, &l);
                slot = &big;
                lap(ways[w].run, times / 4 + 1, false);
                t = lap(ways[w].run, times, false) / counts[c];
                if (least[c] == 0 || t < least[c])
                    least[c] = t;
            }
        printf("%-8s", ways[w].name);
        for (c = 0; c < 6; c++) {
            printf(" %9.3f", least[c]);
            bench_json("{\"bench\":\"segments\",\"way\":\"%s\",\"count\":%u,"
                       "\"ns\":%.3f}\n",
                       ways[w].name, counts[c], least[c]);
        }
        printf("   %.2f %s\n", least[4] / least[0],
               least[4] / least[0] <= 1.1 ? "met" : "MISSED");
    }
    slot_free(&big);
}

int main(int argc, char **argv)
{
    size_t i;
    int option;

    while ((option = getopt(argc, argv, "r:sw")) != -1) {
        if (option == 'r')
            rounds = atoi(optarg) % (ROUNDS_MAX + 1);
        else if (option == 's')
            only_segments = true;
        else if (option == 'w')
            only_warm = true;
        else
            return 2;
    }
    if (rounds < 1 || optind != argc)
        return 2;
    has_ntirpc = ntirpc_load();
    if (!only_segments) {
        for (i = 0; i < SLOTS; i++)
            slot_init(&slots[i], RANGE, MOST);
        printf("%-37s %-3s %-4s %11s %11s %9s %9s\n", "", "", "", "ns", "ns",
               "of minima", "median");
        for (i = 0; i < LAYOUTS; i++)
            play_layout(i);
    }
    rounds = rounds / 4 + 1;
    play_segments();
    return 0;
}
