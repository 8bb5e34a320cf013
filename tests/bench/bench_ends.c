/*
 * READ_PLUS end to end, against READ and against rpcgen's code: a server
 * process and clients over loopback TCP and a UNIX socket, all bytes delivered
 * into the client's buffer.  What is compared takes turns, a file at a time;
 * the first time, what arrives is compared with the file.
 *
 *     bench_ends [-f] [-m MIB] [-r ROUNDS] [-s SET] DIR
 *
 * SET is one of plain, splice, clients, link, sizes; all without -s.  DIR is
 * where the files are made.  Without -f a peer that takes over 20 times READ's
 * time is stopped and shows no number.
 */
#include "ends.h"

#define ROUNDS_MAX 1001
#define TREE_BYTES 16384
#define ENOUGH 4.0 /* seconds for the rounds of a trial */
#define MIB (1u << 20)

static bool full;
static uint64_t big = 64u << 20;
static int rounds_asked = 15;
static const char *dir;

/* How a way did in a trial. */
static struct outcome {
    double time[ROUNDS_MAX], cpu[ROUNDS_MAX];
    bool stopped;
} outcomes[WAYS];

/* ---- tables --------------------------------------------------------------- */

static const char *const way_names[WAYS] = {"READ", "READ_PLUS", "rpcgen",
                                            "splice"};

static struct spread over(const double *a, const double *b, size_t n)
{
    static double ratio[ROUNDS_MAX];
    size_t i;

    for (i = 0; i < n; i++)
        ratio[i] = a[i] / b[i];
    return bench_spread(ratio, n);
}

static double least(const double *v, size_t n)
{
    double most = v[0];
    size_t i;

    for (i = 1; i < n; i++)
        most = v[i] < most ? v[i] : most;
    return most;
}

/* What a trial is called in tables. */
static void print_trial(const struct trial *t)
{
    char kind[64];

    if (t->rate > 0)
        snprintf(kind, sizeof(kind), "%g Gbit/s, %g ms", t->rate * 8e-9,
                 t->delay * 1e3);
    else
        snprintf(kind, sizeof(kind), "%d client%s, %d call%s%s%s", t->clients,
                 t->clients > 1 ? "s" : "", t->window, t->window > 1 ? "s" : "",
                 t->shuffled ? ", shuffled" : "", t->serial ? ", in turn" : "");
    printf("%-7s %-4s %-6s %8llu %5u %-36s", t->set, t->tcp ? "tcp" : "unix",
           t->layout, (unsigned long long)t->size >> 10, t->count >> 10, kind);
}

/* One line for way `w` against READ.  Throughput, so READ's time over w's. */
static void report(const struct trial *t, uint32_t w)
{
    const struct outcome *r = &outcomes[CALL_READ], *o = &outcomes[w];
    size_t n = (size_t)t->rounds;
    double bytes =
        (double)(t->tree ? t->size * TREE_FILES : t->size * t->repeat);
    struct spread speed, cpu;
    double gib = (double)(1 << 30) / bytes;
    const char *verdict = "";

    if (o->stopped) {
        printf("  stopped: over %d times READ's time\n", BENCH_STOP);
        return;
    }
    speed = over(r->time, o->time, n);
    cpu = over(o->cpu, r->cpu, n);
    if (w == CALL_PLUS && t->faster > 0)
        verdict = speed.median >= t->faster &&
                          (t->dearer == 0 || cpu.median <= t->dearer)
                      ? "met"
                      : "MISSED";
    printf(" %8.0f %7.2f (%5.2f to %5.2f) %6.2f %8.2f %7.2f %6g %s\n",
           bytes / least(r->time, n) / MIB, speed.median, speed.p10, speed.p90,
           least(r->time, n) / least(o->time, n), least(o->cpu, n) * gib,
           cpu.median, w == CALL_PLUS ? t->faster : 0, verdict);
    bench_json(
        "{\"bench\":\"ends\",\"set\":\"%s\",\"socket\":\"%s\","
        "\"layout\":\"%s\",\"size\":%llu,\"bytes\":%.0f,\"count\":%u,"
        "\"clients\":%d,"
        "\"window\":%d,\"shuffled\":%d,\"serial\":%d,\"rate\":%g,\"delay\":%g,"
        "\"way\":\"%s\",\"read_seconds\":%g,\"seconds\":%g,"
        "\"speed_median\":%.3f,\"speed_p10\":%.3f,\"speed_p90\":%.3f,"
        "\"speed_of_least\":%.3f,\"cpu_s_per_gib\":%.4f,"
        "\"read_cpu_s_per_gib\":%.4f,\"cpu_median\":%.3f,\"goal\":%g}\n",
        t->set, t->tcp ? "tcp" : "unix", t->layout, (unsigned long long)t->size,
        bytes, t->count, t->clients, t->window, t->shuffled, t->serial, t->rate,
        t->delay, way_names[w], least(r->time, n), least(o->time, n),
        speed.median, speed.p10, speed.p90,
        least(r->time, n) / least(o->time, n), least(o->cpu, n) * gib,
        least(r->cpu, n) * gib, cpu.median, w == CALL_PLUS ? t->faster : 0);
}

/* Rounds, until they are done or, but for -f, have taken long enough. */
static int play_rounds(const struct trial *t)
{
    double start = bench_now();
    uint32_t w;
    int i;

    for (i = 0; i < t->rounds; i++) {
        if (!full && i >= 3 && bench_now() - start > ENOUGH)
            break;
        for (w = 0; w < WAYS; w++) {
            uint32_t way = (w + (uint32_t)i) % WAYS;

            if (!outcomes[way].stopped)
                run_pass(way, false, 1e9, &outcomes[way].time[i],
                         &outcomes[way].cpu[i]);
        }
    }
    return i;
}

static bool left_out(const struct trial *t, uint32_t way)
{
    return (t->without >> way & 1) != 0;
}

static void play(struct trial *t)
{
    double limit = 1e9, time, cpu;
    uint32_t w;

    run_begin(t, dir);
    for (w = 0; w < WAYS; w++) {
        outcomes[w].stopped =
            left_out(t, w) || !run_pass(w, true, limit, &time, &cpu);
        if (w == CALL_READ && !full)
            limit = BENCH_STOP * time;
    }
    t->rounds = play_rounds(t);
    for (w = CALL_PLUS; w < WAYS; w++) {
        if (left_out(t, w))
            continue;
        print_trial(t);
        printf(" %-9s", way_names[w]);
        report(t, w);
    }
    fflush(stdout);
    run_end();
}

/* ---- sets ----------------------------------------------------------------- */

static const struct layout {
    const char *name;
    uint64_t data, hole;
    double faster; /* at 1 MiB over TCP */
} layouts[] = {{"D", MIB, 0, 0.98},
               {"H", 0, 0, 10},
               {"P1", 4096, 4096, 1.7},
               {"P2", 8192, 8192, 2.0}};
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

/* One client in order, no link, no goal. */
static struct trial trial_of(const char *set, const struct layout *l)
{
    return (struct trial){.set = set,
                          .layout = l->name,
                          .size = big,
                          .data = l->data,
                          .hole = l->hole,
                          .count = MIB,
                          .tcp = true,
                          .clients = 1,
                          .window = 4, /* as a client's read-ahead does */
                          .dearer = 1.05,
                          .rounds = rounds_asked,
                          .repeat = 1,
                          .without = 1u << CALL_SPLICE};
}

static void set_plain(void)
{
    size_t i, l;

    for (i = 0; i < 6; i++)
        for (l = 0; l < LAYOUTS; l++) {
            struct trial t = trial_of("plain", &layouts[l]);

            t.tcp = i < 4;
            t.count = i % 2 == 0 ? MIB : MIB / 8;
            t.window = i / 2 == 1 ? 1 : 4;
            t.faster = i == 0 ? layouts[l].faster : 0;
            play(&t);
        }
}

/* Few and large segments: with the file's bytes never copied by the server. */
static void set_splice(void)
{
    static const struct layout large[] = {{"D", MIB, 0, 0},
                                          {"1M", MIB, MIB, 0},
                                          {"256K", MIB / 4, MIB / 4, 0},
                                          {"64K", MIB / 16, MIB / 16, 0}};
    size_t i, l;

    for (i = 0; i < 3; i++)
        for (l = 0; l < sizeof(large) / sizeof(large[0]); l++) {
            struct trial t = trial_of("splice", &large[l]);

            t.without = 1u << CALL_RPCGEN;
            t.tcp = i < 2;
            t.window = i == 1 ? 1 : 4;
            play(&t);
        }
}

/* Out of order, from two clients, one at a time for each file; small files. */
static void set_clients(void)
{
    size_t l, i;

    for (l = 0; l < 3; l += 2) { /* D, P1 */
        for (i = 0; i < 6; i++) {
            struct trial t = trial_of("clients", &layouts[l]);

            t.shuffled = true;
            t.count = i < 3 ? MIB : MIB / 8;
            t.clients = i % 3 == 0 ? 1 : 2;
            t.serial = i % 3 == 2;
            play(&t);
        }
        for (i = 1; i <= 2; i++) {
            struct trial t = trial_of("tree", &layouts[l]);

            t.tree = true;
            t.size = TREE_BYTES;
            t.clients = (int)i;
            play(&t);
        }
    }
}

/* What users of real networks gain: replies wait for a token bucket. */
static void set_link(void)
{
    size_t l, i;

    for (i = 0; i < 4; i++)
        for (l = 0; l < LAYOUTS; l++) {
            struct trial t = trial_of("link", &layouts[l]);

            t.rate = i < 2 ? 125e6 : 1250e6;
            t.delay = i % 2 == 0 ? 0.2e-3 : 10e-3;
            t.window = 16;
            t.rounds = 3;
            t.without |= 1u << CALL_RPCGEN;
            t.dearer = 0;
            play(&t);
        }
}

/* No size is read slower than READ reads it, by over 3 %. */
static void set_sizes(void)
{
    uint64_t size;
    size_t l;

    for (size = 1024; size <= (uint64_t)1 << 30; size *= 2)
        for (l = 0; l < 2; l++) {
            struct trial t = trial_of("sizes", &layouts[0]);

            t.size = size;
            t.layout = l == 0 ? "dense" : "half";
            t.data = l == 0 ? size : size / 2;
            t.hole = size - t.data;
            t.count = (uint32_t)shorter(size, MIB);
            t.repeat = size < 8 * MIB ? (uint32_t)(8 * MIB / size) : 1;
            if (t.repeat > 500)
                t.repeat = 500;
            t.rounds = size > big    ? rounds_asked / 3 + 1
                       : size <= MIB ? rounds_asked * 4
                                     : rounds_asked;
            t.without |= 1u << CALL_RPCGEN;
            t.faster = 0.97;
            t.dearer = 0;
            play(&t);
        }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } sets[] = {{"plain", set_plain},
                {"splice", set_splice},
                {"clients", set_clients},
                {"link", set_link},
                {"sizes", set_sizes}};
    const char *only = NULL;
    int option;
    size_t i;

    while ((option = getopt(argc, argv, "fm:r:s:")) != -1) {
        if (option == 'f')
            full = true;
        else if (option == 'm')
            big = strtoull(optarg, NULL, 10) << 20;
        else if (option == 'r')
            rounds_asked = atoi(optarg) % (ROUNDS_MAX / 4);
        else if (option == 's')
            only = optarg;
        else
            return 2;
    }
    if (optind + 1 != argc || rounds_asked < 1 || big < MIB)
        return 2;
    dir = argv[optind];
    printf("set     over layout      KiB   ask how                             "
           "     way  "
           "     READ MiB/s   speed over READ's  of least CPU s/GiB  /READ   "
           "goal\n");
    for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        if (only == NULL || strcmp(only, sets[i].name) == 0)
            sets[i].run();
    return 0;
}
