/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event loop: listening, accepting, a clock and the signals that end it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"
#include "transport.h"

/* "127.0.0.1:2049" or "[::1]:2049". */
static void name_address(const struct sockaddr *address, socklen_t len,
                         char *name, size_t size)
{
    char host[NI_MAXHOST], port[NI_MAXSERV];

    if (getnameinfo(address, len, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        snprintf(name, size, "?");
    else
        snprintf(name, size, strchr(host, ':') ? "[%.45s]:%s" : "%.45s:%s",
                 host, port);
}

static int listen_at(const struct addrinfo *address)
{
    int fd = socket(address->ai_family,
                    address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 &&
        listen(fd, 1024) == 0)
        return fd;
    close(fd);
    return -1;
}

int transport_listen(const struct options *options)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_PASSIVE,
                             .ai_socktype = SOCK_STREAM};
    struct sockaddr_storage bound;
    socklen_t len = sizeof(bound);
    struct addrinfo *address;
    char port[8], name[64];
    int fd, error;

    snprintf(port, sizeof(port), "%u", options->port);
    error = getaddrinfo(options->listen, port, &hints, &address);
    if (error != 0) {
        fprintf(stderr, "nfs42d: --listen %s: %s\n", options->listen,
                gai_strerror(error));
        return -1;
    }
    fd = listen_at(address);
    freeaddrinfo(address);
    if (fd < 0 || getsockname(fd, (struct sockaddr *)&bound, &len) != 0) {
        fprintf(stderr, "nfs42d: %s port %s: %s\n", options->listen, port,
                strerror(errno));
        return -1;
    }
    name_address((struct sockaddr *)&bound, len, name, sizeof(name));
    printf("nfs42d: %s\n", name);
    fflush(stdout);
    return fd;
}

static void on_connect(evutil_socket_t listener, short what, void *context)
{
    struct transport *transport = context;
    struct sockaddr_storage peer;
    socklen_t len = sizeof(peer);
    const int on = 1;
    char name[64];
    int fd;

    (void)what;
    fd = accept4(listener, (struct sockaddr *)&peer, &len,
                 SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        /* Out of descriptors: somebody must go, or this would spin. */
        if (errno == EMFILE || errno == ENFILE)
            connections_make_room(transport);
        return;
    }
    if (transport->count >= MAX_CONNECTIONS &&
        !connections_make_room(transport)) {
        close(fd);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    name_address((struct sockaddr *)&peer, len, name, sizeof(name));
    connection_begin(transport, fd, name);
}

static void on_second(evutil_socket_t fd, short what, void *context)
{
    struct transport *transport = context;

    (void)fd;
    (void)what;
    connections_tick(transport);
    clients_expire(transport->server, 2 * LEASE_SECONDS);
}

static void on_signal(evutil_socket_t number, short what, void *context)
{
    struct transport *transport = context;

    (void)number;
    (void)what;
    event_base_loopbreak(transport->base);
}

#define EVENTS 4

static bool add_events(struct transport *transport, int listener,
                       struct event *events[EVENTS])
{
    const struct timeval second = {1, 0};
    bool good = true;
    int i;

    events[0] = event_new(transport->base, listener, EV_READ | EV_PERSIST,
                          on_connect, transport);
    events[1] =
        event_new(transport->base, -1, EV_PERSIST, on_second, transport);
    events[2] = evsignal_new(transport->base, SIGTERM, on_signal, transport);
    events[3] = evsignal_new(transport->base, SIGINT, on_signal, transport);
    for (i = 0; i < EVENTS; i++)
        good = good && events[i] != NULL &&
               event_add(events[i], i == 1 ? &second : NULL) == 0;
    return good;
}

bool transport_run(struct server *server, int listener)
{
    struct transport transport = {.server = server};
    struct event *events[EVENTS] = {NULL};
    bool good;
    int i;

    signal(SIGPIPE, SIG_IGN);
    transport.reply.put.room = call_reply_room(server);
    transport.reply.put.bytes = malloc(transport.reply.put.room);
    transport.base = event_base_new();
    good = transport.reply.put.bytes != NULL && transport.base != NULL &&
           add_events(&transport, listener, events) &&
           event_base_dispatch(transport.base) == 0;
    while (transport.first != NULL)
        connection_end(transport.first);
    for (i = 0; i < EVENTS; i++)
        if (events[i] != NULL)
            event_free(events[i]);
    if (transport.base != NULL)
        event_base_free(transport.base);
    free(transport.reply.put.bytes);
    close(listener);
    return good;
}
