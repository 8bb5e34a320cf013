/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection.  Memory grows with bytes that came, never with lengths that
 * were announced: a record that would be too long ends the connection at its
 * mark.  While a reply waits to be taken, nothing more is read from that peer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"

#define FIRST_ROOM 4096u
#define MAX_ROOM (MAX_REQUEST + 1024u) /* and some fragment marks */
#define MAX_PIECES 1024                /* IOV_MAX */

struct connection {
    struct transport *transport;
    struct connection *next, **at;
    int fd;
    struct event *readable, *writable;
    uint8_t *in; /* marks and fragments as they came */
    size_t in_len, in_room;
    uint8_t *out; /* what is left of a reply */
    size_t out_len, out_sent;
    uint64_t waits;  /* since which of all the replies that had to */
    time_t moved;    /* when a byte went either way */
    time_t complete; /* when there was no part of a record */
    bool known;
    char from[64];
};

void connection_end(struct connection *connection)
{
    struct transport *transport = connection->transport;

    *connection->at = connection->next;
    if (connection->next != NULL)
        connection->next->at = connection->at;
    transport->count--;
    transport->pending -= connection->out_len;
    if (connection->readable != NULL)
        event_free(connection->readable);
    if (connection->writable != NULL)
        event_free(connection->writable);
    close(connection->fd);
    free(connection->in);
    free(connection->out);
    free(connection);
}

/* --- sending -------------------------------------------------------------- */

/*
 * Room for so many bytes more: whoever lets a reply wait longest goes, so that
 * some who take nothing cannot keep it from all the others.
 */
static bool make_pending(struct connection *connection, size_t rest)
{
    struct transport *transport = connection->transport;
    struct connection *other, *slowest;

    while (rest > MAX_PENDING - transport->pending) {
        slowest = NULL;
        for (other = transport->first; other != NULL; other = other->next)
            if (other->out != NULL &&
                (slowest == NULL || other->waits < slowest->waits))
                slowest = other;
        if (slowest == NULL)
            return false;
        connection_end(slowest);
    }
    connection->waits = ++transport->waited;
    return true;
}

/* Copies what the socket did not take. */
static bool keep_rest(struct connection *connection, const struct iovec *iov,
                      size_t n, size_t sent)
{
    struct transport *transport = connection->transport;
    size_t rest = 0, i, skip;
    uint8_t *to;

    for (i = 0; i < n; i++)
        rest += iov[i].iov_len;
    rest -= sent;
    if (!make_pending(connection, rest))
        return false;
    to = connection->out = malloc(rest);
    if (to == NULL)
        return false;
    for (i = 0; i < n; i++) {
        skip = sent < iov[i].iov_len ? sent : iov[i].iov_len;
        memcpy(to, (const uint8_t *)iov[i].iov_base + skip,
               iov[i].iov_len - skip);
        to += iov[i].iov_len - skip;
        sent -= skip;
    }
    connection->out_len = rest;
    connection->out_sent = 0;
    transport->pending += rest;
    event_del(connection->readable);
    return event_add(connection->writable, NULL) == 0;
}

/* The reply, where all of it lies: one sendmsg(). */
static bool send_reply(struct connection *connection, struct reply *reply)
{
    struct iovec iov[MAX_PIECES];
    size_t n = call_pieces(reply, iov, MAX_PIECES), size, sent;
    struct msghdr message = {.msg_iov = iov, .msg_iovlen = n};
    ssize_t taken;

    size = (size_t)reply_size(reply) + READPLUS_RECORD_MARK_SIZE;
    taken = sendmsg(connection->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken < 0 && errno != EAGAIN && errno != EINTR)
        return false;
    sent = taken > 0 ? (size_t)taken : 0;
    return sent == size || keep_rest(connection, iov, n, sent);
}

/* --- receiving ------------------------------------------------------------ */

enum record { RECORD_BAD, RECORD_PART, RECORD_WHOLE };

/*
 * Looks for a record at the beginning of what came.  Where it is whole, its
 * fragments are moved together behind the first mark: *len bytes, and *used is
 * what it took.
 */
static enum record find_record(struct connection *connection, size_t *len,
                               size_t *used)
{
    uint8_t *in = connection->in;
    size_t at = 0, total = 0, n;
    uint32_t mark;

    do {
        if (connection->in_len - at < READPLUS_RECORD_MARK_SIZE)
            return RECORD_PART;
        mark = put_load32(in + at);
        n = mark & 0x7fffffffu;
        at += READPLUS_RECORD_MARK_SIZE;
        if (n > MAX_REQUEST - total)
            return RECORD_BAD;
        total += n;
        if (n > connection->in_len - at)
            return RECORD_PART;
        at += n;
    } while (!(mark & 0x80000000u));
    *used = at;
    *len = total;
    if (at == total + READPLUS_RECORD_MARK_SIZE)
        return RECORD_WHOLE;
    for (at = 0, total = 0; at < *used; at += n) { /* several fragments */
        n = put_load32(in + at) & 0x7fffffffu;
        at += READPLUS_RECORD_MARK_SIZE;
        memmove(in + READPLUS_RECORD_MARK_SIZE + total, in + at, n);
        total += n;
    }
    return RECORD_WHOLE;
}

/* False: the connection is to end. */
static bool answer_records(struct connection *connection)
{
    struct transport *transport = connection->transport;
    size_t len = 0, used = 0;
    enum record record;

    while (connection->out == NULL) {
        record = find_record(connection, &len, &used);
        if (record == RECORD_BAD)
            return false;
        if (record == RECORD_PART)
            break;
        if (!call_answer(transport->server, connection->from,
                         connection->in + READPLUS_RECORD_MARK_SIZE, len,
                         &transport->reply, &connection->known) ||
            !send_reply(connection, &transport->reply))
            return false;
        memmove(connection->in, connection->in + used,
                connection->in_len - used);
        connection->in_len -= used;
        connection->complete = seconds_now();
    }
    if (connection->in_len == 0 && connection->in_room > FIRST_ROOM) {
        free(connection->in);
        connection->in = NULL;
        connection->in_room = 0;
    }
    return true;
}

static bool make_room(struct connection *connection)
{
    size_t room = connection->in_room * 2;
    uint8_t *in;

    if (connection->in_len < connection->in_room)
        return true;
    if (connection->in_room == MAX_ROOM)
        return false; /* nothing but marks */
    if (room < FIRST_ROOM)
        room = FIRST_ROOM;
    if (room > MAX_ROOM)
        room = MAX_ROOM;
    in = realloc(connection->in, room);
    if (in == NULL)
        return false;
    connection->in = in;
    connection->in_room = room;
    return true;
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
    struct connection *connection = context;
    ssize_t got;

    (void)what;
    if (!make_room(connection)) {
        connection_end(connection);
        return;
    }
    got = recv(fd, connection->in + connection->in_len,
               connection->in_room - connection->in_len, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        connection_end(connection);
        return;
    }
    connection->moved = seconds_now();
    if (connection->in_len == 0)
        connection->complete = connection->moved;
    connection->in_len += (size_t)got;
    if (!answer_records(connection))
        connection_end(connection);
}

static void on_writable(evutil_socket_t fd, short what, void *context)
{
    struct connection *connection = context;
    ssize_t n = send(fd, connection->out + connection->out_sent,
                     connection->out_len - connection->out_sent,
                     MSG_NOSIGNAL | MSG_DONTWAIT);

    (void)what;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n < 0) {
        connection_end(connection);
        return;
    }
    connection->moved = seconds_now();
    connection->out_sent += (size_t)n;
    if (connection->out_sent < connection->out_len)
        return;
    connection->transport->pending -= connection->out_len;
    free(connection->out);
    connection->out = NULL;
    connection->out_len = connection->out_sent = 0;
    event_del(connection->writable);
    connection->complete = connection->moved;
    if (event_add(connection->readable, NULL) != 0 ||
        !answer_records(connection))
        connection_end(connection);
}

/* --- all of them ---------------------------------------------------------- */

void connection_begin(struct transport *transport, int fd, const char *from)
{
    struct connection *connection = calloc(1, sizeof(*connection));

    if (connection == NULL) {
        close(fd);
        return;
    }
    connection->transport = transport;
    connection->fd = fd;
    connection->moved = connection->complete = seconds_now();
    strncpy(connection->from, from, sizeof(connection->from) - 1);
    connection->readable = event_new(transport->base, fd, EV_READ | EV_PERSIST,
                                     on_readable, connection);
    connection->writable = event_new(transport->base, fd, EV_WRITE | EV_PERSIST,
                                     on_writable, connection);
    connection->next = transport->first;
    connection->at = &transport->first;
    if (connection->next != NULL)
        connection->next->at = &connection->next;
    transport->first = connection;
    transport->count++;
    if (connection->readable == NULL || connection->writable == NULL ||
        event_add(connection->readable, NULL) != 0)
        connection_end(connection);
}

/* A record that does not arrive, a reply that is not taken, plain silence. */
static bool overdue(const struct connection *connection, time_t now)
{
    if (connection->out != NULL)
        return now - connection->moved > RECORD_SECONDS;
    if (connection->in_len > 0)
        return now - connection->complete > RECORD_SECONDS;
    return !connection->known && now - connection->moved > IDLE_SECONDS;
}

void connections_tick(struct transport *transport)
{
    struct connection *connection, *next;
    time_t now = seconds_now();

    for (connection = transport->first; connection != NULL; connection = next) {
        next = connection->next;
        if (overdue(connection, now))
            connection_end(connection);
    }
}

/* Whether this one may go for another's sake, rather than `other`. */
static bool goes_first(const struct connection *connection,
                       const struct connection *other, time_t now)
{
    if (connection->known && now - connection->moved < (time_t)LEASE_SECONDS)
        return false;
    if (other == NULL || connection->known != other->known)
        return other == NULL || !connection->known;
    return connection->moved <= other->moved;
}

bool connections_make_room(struct transport *transport)
{
    struct connection *connection, *first = NULL;
    time_t now = seconds_now();

    for (connection = transport->first; connection != NULL;
         connection = connection->next)
        if (goes_first(connection, first, now))
            first = connection;
    if (first == NULL)
        return false;
    connection_end(first);
    return true;
}
