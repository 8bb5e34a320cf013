/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network between a client and a server that is not to be trusted: it cuts
 * connections after a random number of bytes, and turns bits in what the
 * server says, in the heads of its records or anywhere.
 *
 *     nfs42_proxy SEED PORT [cut MIN MAX] [flip N HEAD] [stall BYTES]
 *
 * listens on a port of 127.0.0.1 that it prints, and connects to PORT.
 * cut: each connection ends when MIN to MAX bytes have come from the server.
 * flip: a bit in about every N-th record, in its first HEAD bytes (mark
 * included; 0: anywhere).  stall: after so many bytes nothing comes any more,
 * until a SIGUSR1 ends the connections and lets new ones be good.  What it did
 * is printed when it gets a SIGTERM.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS 16

struct plan {
    uint64_t cut_min, cut_max; /* 0: never */
    uint64_t flip_every, flip_head;
    uint64_t stall;
    uint16_t port;
};

struct connection {
    int client, server;
    uint64_t passed, cut_at;
    /* Where in the server's records its bytes are. */
    uint64_t record_at, record_size, flip_at;
    uint8_t mark[4];
};

static struct plan plan;
static struct connection connections[CONNECTIONS];
static unsigned long cuts, flips, accepted;
static volatile sig_atomic_t stopped, relieved;

static void on_signal(int number)
{
    if (number == SIGTERM)
        stopped = 1;
    else
        relieved = 1;
}

/* xorshift64* */
static uint64_t state;

static uint64_t chance(uint64_t below)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 0x2545f4914f6cdd1du >> 16) % below;
}

static int socket_to(uint16_t port, bool listens)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (listens
            ? bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
                  listen(fd, CONNECTIONS) == 0
            : connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        return fd;
    }
    close(fd);
    return -1;
}

static void end(struct connection *c)
{
    close(c->client);
    close(c->server);
    c->client = c->server = -1;
}

static void begin(int listener)
{
    int client = accept(listener, NULL, NULL), i, one = 1;
    struct connection *c;

    if (client < 0)
        return;
    for (i = 0; i < CONNECTIONS - 1 && connections[i].client >= 0; i++)
        ;
    c = &connections[i];
    if (c->client >= 0)
        end(c);
    *c = (struct connection){.client = client,
                             .server = socket_to(plan.port, false)};
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (c->server < 0) {
        close(client);
        c->client = -1;
        return;
    }
    accepted++;
    c->cut_at = plan.cut_max > 0
                    ? plan.cut_min + chance(plan.cut_max - plan.cut_min + 1)
                    : UINT64_MAX;
}

/* Which byte of the record that begins, if any, gets a bit turned. */
static void plan_record(struct connection *c)
{
    uint64_t room = c->record_size + 4;

    c->flip_at = UINT64_MAX;
    if (plan.flip_every == 0 || chance(plan.flip_every) != 0)
        return;
    if (plan.flip_head > 0 && plan.flip_head < room)
        room = plan.flip_head;
    /* Not the mark, which has gone by when its record is known. */
    c->flip_at = 4 + chance(room > 4 ? room - 4 : 1);
}

/* Follows the records and turns bits. */
static void meddle(struct connection *c, uint8_t *bytes, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++) {
        if (c->record_at < 4) {
            c->mark[c->record_at++] = bytes[i];
            if (c->record_at < 4)
                continue;
            c->record_size = (uint64_t)(c->mark[0] & 0x7f) << 24 |
                             (uint64_t)c->mark[1] << 16 |
                             (uint64_t)c->mark[2] << 8 | c->mark[3];
            plan_record(c);
        } else {
            if (c->record_at == c->flip_at) {
                bytes[i] ^= (uint8_t)(1u << chance(8));
                flips++;
            }
            c->record_at++;
        }
        if (c->record_at == c->record_size + 4)
            c->record_at = 0;
    }
}

static bool put(int fd, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        ssize_t got = send(fd, bytes, len, MSG_NOSIGNAL);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        len -= (size_t)got;
    }
    return true;
}

/* What one side says goes to the other; false: it is over. */
static bool pass(struct connection *c, bool from_server)
{
    static uint8_t bytes[65536];
    ssize_t got =
        recv(from_server ? c->server : c->client, bytes, sizeof(bytes), 0);
    size_t len = got > 0 ? (size_t)got : 0;

    if (got <= 0)
        return false;
    if (!from_server)
        return put(c->server, bytes, len);
    if (plan.stall > 0 && c->passed >= plan.stall)
        return true;
    if (len > c->cut_at - c->passed)
        len = (size_t)(c->cut_at - c->passed);
    meddle(c, bytes, len);
    c->passed += len;
    if (!put(c->client, bytes, len))
        return false;
    if (c->passed < c->cut_at)
        return true;
    cuts++;
    return false;
}

static void serve(int listener)
{
    struct pollfd fds[1 + 2 * CONNECTIONS];
    int i;

    while (!stopped) {
        fds[0] = (struct pollfd){.fd = listener, .events = POLLIN};
        for (i = 0; i < CONNECTIONS; i++) {
            fds[1 + 2 * i] =
                (struct pollfd){.fd = connections[i].client, .events = POLLIN};
            fds[2 + 2 * i] =
                (struct pollfd){.fd = connections[i].server, .events = POLLIN};
        }
        if (relieved) {
            relieved = 0;
            plan.stall = 0;
            for (i = 0; i < CONNECTIONS; i++)
                if (connections[i].client >= 0)
                    end(&connections[i]);
            continue;
        }
        if (poll(fds, 1 + 2 * CONNECTIONS, 1000) <= 0)
            continue;
        for (i = 0; i < 2 * CONNECTIONS; i++)
            if (fds[1 + i].revents != 0 && connections[i / 2].client >= 0 &&
                !pass(&connections[i / 2], i % 2 == 1))
                end(&connections[i / 2]);
        if (fds[0].revents != 0)
            begin(listener);
    }
}

static bool take_plan(int argc, char **argv)
{
    int i = 3;

    if (argc < 3)
        return false;
    state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
    plan.port = (uint16_t)strtoul(argv[2], NULL, 10);
    for (; i + 2 < argc; i += 3) {
        uint64_t a = strtoull(argv[i + 1], NULL, 10);
        uint64_t b = strtoull(argv[i + 2], NULL, 10);

        if (strcmp(argv[i], "cut") == 0) {
            plan.cut_min = a;
            plan.cut_max = b;
        } else if (strcmp(argv[i], "flip") == 0) {
            plan.flip_every = a;
            plan.flip_head = b;
        } else {
            return false;
        }
    }
    if (i + 1 < argc && strcmp(argv[i], "stall") == 0) {
        plan.stall = strtoull(argv[i + 1], NULL, 10);
        i += 2;
    }
    return i == argc;
}

int main(int argc, char **argv)
{
    struct sockaddr_in address;
    socklen_t len = sizeof(address);
    struct sigaction action;
    int listener, i;

    if (!take_plan(argc, argv)) {
        fprintf(stderr, "usage: nfs42_proxy SEED PORT [cut MIN MAX] "
                        "[flip N HEAD] [stall BYTES]\n");
        return 2;
    }
    for (i = 0; i < CONNECTIONS; i++)
        connections[i].client = connections[i].server = -1;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    listener = socket_to(0, true);
    if (listener < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &len) != 0) {
        perror("nfs42_proxy");
        return 1;
    }
    printf("%u\n", (unsigned)ntohs(address.sin_port));
    fflush(stdout);
    serve(listener);
    printf("%lu connections, %lu cuts, %lu flips\n", accepted, cuts, flips);
    return 0;
}
