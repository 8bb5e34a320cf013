/*
 * A trial of bench_ends under way: its files, its server, its clients, and one
 * pass over the file.
 */
#include "ends.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

static struct {
    const struct trial *trial;
    struct client clients[CLIENTS_MAX];
    uint32_t *order; /* of calls */
    uint32_t calls;
    int fd;
    pid_t server;
} run;

static char path[4096]; /* of the file, or the tree */

/* ---- one pass ------------------------------------------------------------- */

struct shift {
    struct client *client;
    uint32_t way, first;
    bool verify;
    double stop_at; /* by the clock */
    bool stopped;
};

static struct call call_at(const struct shift *shift, uint32_t i)
{
    const struct trial *t = run.trial;
    uint32_t n = run.order[i];
    struct call call = {.kind = shift->way, .count = t->count};

    if (t->tree)
        call.file = n + 1;
    else
        call.offset = (uint64_t)n * t->count;
    if (t->delay > 0)
        call.not_before = bench_now() + t->delay;
    return call;
}

static void verify(const struct shift *shift, const struct call *call,
                   size_t got, bool eof)
{
    static __thread uint8_t bytes[COUNT_MAX];
    char name[4200];
    ssize_t want;
    struct stat st;
    int fd = run.fd;

    if (call->file > 0) {
        snprintf(name, sizeof(name), "%s/%u", path, call->file - 1);
        fd = open(name, O_RDONLY);
    }
    want = pread(fd, bytes, call->count, (off_t)call->offset);
    if (want < 0 || fstat(fd, &st))
        bench_die(name);
    bench_must((size_t)want == got &&
                   memcmp(bytes, shift->client->content, got) == 0 &&
                   eof == (call->offset + got >= (uint64_t)st.st_size),
               "other bytes than the file's were delivered");
    if (call->file > 0)
        close(fd);
}

/* A client's share of the calls: every run.trial->clients-th. */
static void *work(void *context)
{
    struct shift *shift = context;
    uint32_t step = (uint32_t)run.trial->clients, asked = shift->first, i;
    struct call calls[WINDOW_MAX];
    uint32_t window = (uint32_t)run.trial->window;

    for (i = shift->first; i < run.calls; i += step) {
        struct call *call = &calls[i / step % window];
        size_t got;
        bool eof;

        shift->stopped = shift->stopped || bench_now() > shift->stop_at;
        if (shift->stopped && asked == i)
            break;
        while (!shift->stopped && asked < run.calls &&
               asked < i + window * step) {
            calls[asked / step % window] = call_at(shift, asked);
            client_ask(shift->client, &calls[asked / step % window]);
            asked += step;
        }
        got = client_take(shift->client, call, &eof);
        if (shift->verify)
            verify(shift, call, got, eof);
    }
    return NULL;
}

bool run_pass(uint32_t way, bool check, double limit, double *time, double *cpu)
{
    struct shift shifts[CLIENTS_MAX];
    pthread_t threads[CLIENTS_MAX];
    bool stopped = false;
    int i, n = run.trial->clients;
    double start;

    *cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID) +
           client_control(&run.clients[0], CALL_CPU, 0);
    start = bench_now();
    for (i = 0; i < n; i++) {
        shifts[i] = (struct shift){&run.clients[i], way,           (uint32_t)i,
                                   check,           start + limit, false};
        if (i > 0 && pthread_create(&threads[i], NULL, work, &shifts[i]))
            bench_die("pthread_create");
    }
    work(&shifts[0]);
    for (i = 1; i < n; i++)
        pthread_join(threads[i], NULL);
    for (i = 0; i < n; i++)
        stopped = stopped || shifts[i].stopped;
    *time = bench_now() - start;
    *cpu = client_control(&run.clients[0], CALL_CPU, 0) +
           bench_clock(CLOCK_PROCESS_CPUTIME_ID) - *cpu;
    return !stopped;
}

/* Each end on a processor of its own where there are two and both are one
 * thread: which of them meet on one is otherwise a matter of luck that outlasts
 * a round. */
static void settle(size_t processor)
{
    static cpu_set_t all;
    cpu_set_t set;

    if (CPU_COUNT(&all) == 0 && sched_getaffinity(0, sizeof(all), &all))
        bench_die("sched_getaffinity");
    set = all;
    if (run.trial->clients == 1 && CPU_ISSET(0, &all) && CPU_ISSET(1, &all)) {
        CPU_ZERO(&set);
        CPU_SET(processor, &set);
    }
    if (sched_setaffinity(0, sizeof(set), &set))
        bench_die("sched_setaffinity");
}

/* ---- files and connections ------------------------------------------------ */

static void make_files(const struct trial *t, const char *dir)
{
    char name[4200];
    int i;

    snprintf(path, sizeof(path), "%s/bench_ends.XXXXXX", dir);
    if (!t->tree) {
        run.fd = mkstemp(path);
        if (run.fd < 0 || unlink(path))
            bench_die(path);
        bench_lay(run.fd, t->size, t->data, t->hole);
        if (fsync(run.fd))
            bench_die("fsync");
        return;
    }
    if (mkdtemp(path) == NULL)
        bench_die(path);
    for (i = 0; i < TREE_FILES; i++) {
        int fd;

        snprintf(name, sizeof(name), "%s/%d", path, i);
        fd = open(name, O_RDWR | O_CREAT, 0600);
        if (fd < 0)
            bench_die(name);
        bench_lay(fd, t->size, t->data, t->hole);
        close(fd);
    }
    sync();
}

static void remove_files(const struct trial *t)
{
    char name[4200];
    int i;

    if (!t->tree) {
        close(run.fd);
        return;
    }
    for (i = 0; i < TREE_FILES; i++) {
        snprintf(name, sizeof(name), "%s/%d", path, i);
        unlink(name);
    }
    rmdir(path);
}

/* Starts the server and connects `clients` to it. */
static void meet(const struct trial *t)
{
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    struct sockaddr *address =
        t->tcp ? (struct sockaddr *)&in : (struct sockaddr *)&un;
    socklen_t len = t->tcp ? sizeof(in) : sizeof(sa_family_t);
    int listener = socket(address->sa_family, SOCK_STREAM, 0), one = 1, i;

    /* A UNIX socket's name is the kernel's choice: nothing in any folder. */
    if (listener < 0 || bind(listener, address, len) || listen(listener, 4))
        bench_die("listen");
    len = t->tcp ? sizeof(in) : sizeof(un);
    if (getsockname(listener, address, &len))
        bench_die("getsockname");
    run.server = fork();
    if (run.server < 0)
        bench_die("fork");
    settle(run.server == 0);
    if (run.server == 0)
        serve(listener, run.fd, path);
    for (i = 0; i < t->clients; i++) {
        int fd = socket(address->sa_family, SOCK_STREAM, 0);

        if (fd < 0 || connect(fd, address, len))
            bench_die("connect");
        if (t->tcp)
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        client_init(&run.clients[i], fd);
    }
    close(listener);
    client_control(&run.clients[0], CALL_SERIAL, t->serial);
    client_control(&run.clients[0], CALL_SHAPE, (uint64_t)t->rate);
}

static void part(const struct trial *t)
{
    int i;

    for (i = 0; i < t->clients; i++)
        client_free(&run.clients[i]);
    kill(run.server, SIGTERM);
    waitpid(run.server, NULL, 0);
}

/* The calls, in order or shuffled, the same for every way. */
static void set_order(const struct trial *t)
{
    uint32_t i, seed = 12345;

    uint32_t once =
        t->tree ? TREE_FILES : (uint32_t)((t->size + t->count - 1) / t->count);

    run.calls = once * t->repeat;
    run.order = bench_memory(run.calls * sizeof(*run.order));
    for (i = 0; i < run.calls; i++)
        run.order[i] = i % once;
    for (i = run.calls - 1; t->shuffled && i > 0; i--) {
        uint32_t j, other = run.order[i];

        seed = seed * 1664525 + 1013904223;
        j = (seed >> 8) % (i + 1);
        run.order[i] = run.order[j];
        run.order[j] = other;
    }
}

void run_begin(const struct trial *trial, const char *dir)
{
    run.trial = trial;
    make_files(trial, dir);
    meet(trial);
    set_order(trial);
}

void run_end(void)
{
    free(run.order);
    part(run.trial);
    remove_files(run.trial);
}
