/*
 * The server of bench_ends: a thread a connection, one buffer a thread, one
 * hint a file.  A link slower than the socket is a token bucket before what is
 * sent, and a call that is not looked at before the link would have brought
 * it.
 */
#include "ends.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* What the link lets pass at once after a pause, and is sent at once. */
#define BUCKET (256u << 10)
#define CHUNK (64u << 10)

static int one_file;
static const char *tree_dir;
static struct readplus_hint one_hint;
/* What serialised requests for a file do one by one: all but sending. */
static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;
static bool serial;

/* The link's: bytes a second, and when everything sent so far has passed. */
static pthread_mutex_t link_lock = PTHREAD_MUTEX_INITIALIZER;
static double link_rate, link_free;

struct desk {
    int connection;
    uint8_t *buffer, *encoded;
    size_t len;
    struct read_head head;
    uint32_t mark;
    struct iovec iov[1 + 1024]; /* the reply */
    size_t entries;
    int pipe[2];
    struct readplus_spliced spliced;
};

static void wait_until(double when)
{
    double left;

    while ((left = when - bench_now()) > 0) {
        struct timespec t = {(time_t)left,
                             (long)((left - (double)(time_t)left) * 1e9)};

        if (left > 100e-6)
            nanosleep(&t, NULL);
    }
}

/* Waits until the link may take n bytes more. */
static void link_take(size_t n)
{
    double now, pass;

    pthread_mutex_lock(&link_lock);
    now = bench_now();
    if (link_free < now - BUCKET / link_rate)
        link_free = now - BUCKET / link_rate;
    link_free += (double)n / link_rate;
    pass = link_free;
    pthread_mutex_unlock(&link_lock);
    wait_until(pass);
}

/* Sends up to `most` bytes from (*iov)[0, *n), which moves on. */
static void send_some(int connection, struct iovec **iov, size_t *n,
                      size_t most)
{
    struct msghdr message = {.msg_iov = *iov};
    size_t saved = 0, sum = 0;
    ssize_t sent;

    while (message.msg_iovlen < *n && sum < most)
        sum += (*iov)[message.msg_iovlen++].iov_len;
    if (sum > most) {
        saved = sum - most;
        (*iov)[message.msg_iovlen - 1].iov_len -= saved;
    }
    sent = sendmsg(connection, &message, MSG_NOSIGNAL);
    if (sent < 0)
        bench_die("sendmsg");
    if (saved > 0)
        (*iov)[message.msg_iovlen - 1].iov_len += saved;
    while (*n > 0 && (size_t)sent >= (*iov)->iov_len) {
        sent -= (ssize_t)(*iov)->iov_len;
        ++*iov;
        --*n;
    }
    if (*n > 0) {
        (*iov)->iov_base = (uint8_t *)(*iov)->iov_base + sent;
        (*iov)->iov_len -= (size_t)sent;
    }
}

static void send_all(int connection, struct iovec *iov, size_t n)
{
    while (n > 0) {
        size_t most = SIZE_MAX, i, sum = 0;

        if (link_rate > 0) {
            for (i = 0; i < n && sum < CHUNK; i++)
                sum += iov[i].iov_len;
            most = (size_t)shorter(sum, CHUNK);
            link_take(most);
        }
        send_some(connection, &iov, &n, most);
    }
}

static void make_read(struct desk *desk, int fd, const struct call *call)
{
    ssize_t got = pread(fd, desk->buffer, call->count, (off_t)call->offset);
    struct stat st;

    if (got < 0 || fstat(fd, &st))
        bench_die("pread");
    desk->head.length = (uint32_t)got;
    desk->head.eof = call->offset + (uint64_t)got >= (uint64_t)st.st_size;
    desk->iov[0] = (struct iovec){&desk->head, sizeof(desk->head)};
    desk->iov[1] = (struct iovec){desk->buffer, (size_t)got};
    desk->entries = got > 0 ? 2 : 1;
}

static void make_plus(struct desk *desk, int fd, const struct call *call)
{
    struct readplus_args args = {call->offset, call->count, {0, {0}}};
    struct readplus_limits limits;
    struct readplus_reply reply;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    bench_must(readplus_reply_fd(&reply, fd, &args, &limits,
                                 call->file == 0 ? &one_hint : NULL,
                                 desk->buffer, desk->len) == READPLUS_OK &&
                   reply.entries <= 1024,
               "no reply");
    desk->mark = (uint32_t)reply.size;
    desk->iov[0] = (struct iovec){&desk->mark, sizeof(desk->mark)};
    memcpy(desk->iov + 1, reply.iov, reply.entries * sizeof(*reply.iov));
    desk->entries = 1 + reply.entries;
}

static void make_rpcgen(struct desk *desk, int fd, const struct call *call)
{
    size_t len = rpcgen_reply(fd, call, desk->buffer, desk->encoded, desk->len);

    desk->mark = (uint32_t)len;
    desk->iov[0] = (struct iovec){&desk->mark, sizeof(desk->mark)};
    desk->iov[1] = (struct iovec){desk->encoded, len};
    desk->entries = 2;
}

static void make_splice(struct desk *desk, int fd, const struct call *call)
{
    struct readplus_args args = {call->offset, call->count, {0, {0}}};
    struct readplus_limits limits;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    bench_must(readplus_splice_fd(&desk->spliced, fd, desk->pipe[1], &args,
                                  &limits, call->file == 0 ? &one_hint : NULL,
                                  desk->buffer, desk->len) == READPLUS_OK,
               "no spliced reply");
}

/* With no regard to the link, which this way is not measured over. */
static void send_splice(struct desk *desk)
{
    uint32_t mark = (uint32_t)desk->spliced.size;

    if (send(desk->connection, &mark, sizeof(mark), MSG_MORE | MSG_NOSIGNAL) !=
            (ssize_t)sizeof(mark) ||
        readplus_splice_send(&desk->spliced, desk->pipe[0], desk->connection) !=
            READPLUS_OK)
        bench_die("splice");
}

static void answer(struct desk *desk, const struct call *call)
{
    static void (*const makes[WAYS])(
        struct desk *, int, const struct call *) = {make_read, make_plus,
                                                    make_rpcgen, make_splice};
    int fd = one_file;
    char name[4096];

    if (call->not_before > 0)
        wait_until(call->not_before);
    if (call->file > 0) {
        snprintf(name, sizeof(name), "%s/%u", tree_dir, call->file - 1);
        fd = open(name, O_RDONLY);
        if (fd < 0)
            bench_die(name);
    }
    if (serial)
        pthread_mutex_lock(&file_lock);
    makes[call->kind](desk, fd, call);
    if (serial)
        pthread_mutex_unlock(&file_lock);
    if (call->file > 0)
        close(fd);
    if (call->kind == CALL_SPLICE)
        send_splice(desk);
    else
        send_all(desk->connection, desk->iov, desk->entries);
}

static void control(struct desk *desk, const struct call *call)
{
    double cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID);

    if (call->kind == CALL_SERIAL)
        serial = call->count != 0;
    if (call->kind == CALL_SHAPE)
        link_rate = (double)call->offset;
    if (send(desk->connection, &cpu, sizeof(cpu), 0) != sizeof(cpu))
        bench_die("send");
}

static void *attend(void *context)
{
    struct readplus_limits limits;
    struct desk desk;
    struct call call;

    desk.connection = *(int *)context;
    free(context);
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    desk.len = readplus_reply_buffer(COUNT_MAX, &limits) + (64u << 10);
    desk.buffer = bench_memory(desk.len);
    desk.encoded = bench_memory(desk.len);
    if (pipe(desk.pipe) != 0 ||
        fcntl(desk.pipe[1], F_SETPIPE_SZ, COUNT_MAX) < (int)COUNT_MAX)
        bench_die("pipe");
    while (recv(desk.connection, &call, sizeof(call), MSG_WAITALL) ==
           (ssize_t)sizeof(call)) {
        if (call.kind < WAYS)
            answer(&desk, &call);
        else
            control(&desk, &call);
    }
    close(desk.connection);
    close(desk.pipe[0]);
    close(desk.pipe[1]);
    free(desk.buffer);
    free(desk.encoded);
    return NULL;
}

_Noreturn void serve(int listener, int fd, const char *tree)
{
    one_file = fd;
    tree_dir = tree;
    for (;;) {
        int *connection = malloc(sizeof(*connection));
        pthread_t thread;
        int one = 1;

        if (connection == NULL)
            bench_die("malloc");
        *connection = accept(listener, NULL, NULL);
        /* Fails on a UNIX socket, which never waits to fill a packet. */
        setsockopt(*connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        if (*connection < 0 ||
            pthread_create(&thread, NULL, attend, connection) != 0 ||
            pthread_detach(thread) != 0)
            bench_die("accept");
    }
}
