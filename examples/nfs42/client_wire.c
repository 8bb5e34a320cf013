/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The connection.  Never a wait without an end, never a byte beyond the record
 * at hand, and never a look at what the records say.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <rpc/rpc.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client_wire.h"

#define LAST_FRAGMENT 0x80000000u
#define TICK_MS 100

void wire_init(struct wire *wire, uint32_t wait)
{
    *wire = (struct wire){.fd = -1, .wait = wait, .failure = "not connected"};
}

static bool failed(struct wire *wire, const char *why)
{
    wire->failure = why;
    return false;
}

/* Waits until the socket is ready for `events`; a signal ends it too. */
static bool ready(struct wire *wire, short events)
{
    struct pollfd pollfd = {.fd = wire->fd, .events = events};
    double end = now() + wire->wait;
    int got;

    while ((got = poll(&pollfd, 1, TICK_MS)) <= 0) {
        if (stop_signal() != 0)
            return failed(wire, "interrupted");
        if (got < 0 && errno != EINTR)
            return failed(wire, strerror(errno));
        if (now() > end)
            return failed(wire, "no answer");
        if (wire->idle != NULL)
            wire->idle(wire->context);
    }
    return true;
}

/* --- connecting ---------------------------------------------------------- */

/* A port that only root can have: many servers insist on it. */
static void reserve_port(int fd)
{
    if (geteuid() == 0)
        (void)bindresvport_sa(fd, NULL);
}

static bool connect_to(struct wire *wire, const struct addrinfo *address)
{
    socklen_t len = sizeof(int);
    int error = 0, one = 1;

    wire->fd = socket(address->ai_family,
                      SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (wire->fd < 0)
        return failed(wire, strerror(errno));
    reserve_port(wire->fd);
    if (connect(wire->fd, address->ai_addr, address->ai_addrlen) < 0) {
        if (errno != EINPROGRESS)
            error = errno;
        else if (!ready(wire, POLLOUT))
            error = ETIMEDOUT;
        else
            getsockopt(wire->fd, SOL_SOCKET, SO_ERROR, &error, &len);
    }
    if (error == 0) {
        setsockopt(wire->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        return true;
    }
    wire_close(wire);
    return failed(wire, strerror(error));
}

bool wire_connect(struct wire *wire, const char *host, uint16_t port)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list, *one;
    char service[8];
    int error;

    wire_close(wire);
    snprintf(service, sizeof(service), "%u", (unsigned)port);
    error = getaddrinfo(host, service, &hints, &list);
    if (error != 0)
        return failed(wire, gai_strerror(error));
    for (one = list; one != NULL && wire->fd < 0; one = one->ai_next)
        (void)connect_to(wire, one);
    freeaddrinfo(list);
    wire->left = 0;
    wire->last = true;
    return wire->fd >= 0;
}

void wire_close(struct wire *wire)
{
    if (wire->fd >= 0)
        close(wire->fd);
    wire->fd = -1;
}

/* --- records ------------------------------------------------------------- */

bool wire_send(struct wire *wire, uint8_t *record, size_t len)
{
    uint32_t mark = htonl((uint32_t)(len - 4) | LAST_FRAGMENT);
    size_t done = 0;

    memcpy(record, &mark, sizeof(mark));
    while (done < len) {
        ssize_t got = send(wire->fd, record + done, len - done, MSG_NOSIGNAL);

        if (got > 0) {
            done += (size_t)got;
            wire->bytes += (uint64_t)got;
        } else if (errno == EAGAIN) {
            if (!ready(wire, POLLOUT))
                return false;
        } else if (errno != EINTR) {
            return failed(wire, strerror(errno));
        }
    }
    return true;
}

/* What has arrived, at least one byte; -1 where none will. */
static ssize_t receive(struct wire *wire, const struct iovec *iov, int entries)
{
    for (;;) {
        ssize_t got = readv(wire->fd, iov, entries);

        if (got > 0) {
            wire->bytes += (uint64_t)got;
            return got;
        }
        if (got == 0) {
            failed(wire, "the server closed the connection");
            return -1;
        }
        if (errno == EAGAIN) {
            if (!ready(wire, POLLIN))
                return -1;
        } else if (errno != EINTR) {
            failed(wire, strerror(errno));
            return -1;
        }
    }
}

/* The next fragment's mark. */
static bool next_fragment(struct wire *wire)
{
    uint8_t mark[4];
    size_t done = 0;

    while (done < sizeof(mark)) {
        struct iovec iov = {mark + done, sizeof(mark) - done};
        ssize_t got = receive(wire, &iov, 1);

        if (got < 0)
            return false;
        done += (size_t)got;
    }
    wire->last = (mark[0] & 0x80) != 0;
    wire->left = (uint32_t)(mark[0] & 0x7f) << 24 | (uint32_t)mark[1] << 16 |
                 (uint32_t)mark[2] << 8 | mark[3];
    return true;
}

bool wire_next(struct wire *wire, uint64_t *size)
{
    if (!next_fragment(wire))
        return false;
    *size = wire->last ? wire->left : UINT64_MAX;
    return true;
}

ssize_t wire_readv(struct wire *wire, const struct iovec *iov, size_t entries)
{
    struct iovec part[4];
    uint64_t room;
    ssize_t got;
    size_t i;

    while (wire->left == 0) {
        if (wire->last)
            return 0;
        if (!next_fragment(wire))
            return -1;
    }
    room = wire->left;
    for (i = 0; i < entries && i < 4 && room > 0; i++) {
        part[i] = iov[i];
        if (part[i].iov_len > room)
            part[i].iov_len = (size_t)room;
        room -= part[i].iov_len;
    }
    got = receive(wire, part, (int)i);
    if (got > 0)
        wire->left -= (uint64_t)got;
    return got;
}

ssize_t wire_read(struct wire *wire, void *buffer, size_t len)
{
    size_t done = 0;

    while (done < len) {
        struct iovec iov = {(uint8_t *)buffer + done, len - done};
        ssize_t got = wire_readv(wire, &iov, 1);

        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}
