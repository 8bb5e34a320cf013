/*
 * A client of bench_ends: sends calls and takes their replies, each in the way
 * that suits its kind.  READ's bytes are received where they belong; so are a
 * READ_PLUS reply's, and expanded in place.
 */
#include "ends.h"

#include <sys/socket.h>

#define FRONT READPLUS_EXPAND_FRONT
#define SEGMENTS 4096

void client_init(struct client *client, int connection)
{
    client->connection = connection;
    client->content =
        (uint8_t *)bench_memory(4096 + COUNT_MAX + READPLUS_EXPAND_BACK) + 4096;
    client->row = client->content - FRONT;
    client->reply = bench_memory(COUNT_MAX + (64u << 10));
    client->segments = bench_memory(SEGMENTS * sizeof(*client->segments));
}

void client_free(struct client *client)
{
    close(client->connection);
    free(client->content - 4096);
    free(client->reply);
    free(client->segments);
}

void client_ask(struct client *client, const struct call *call)
{
    if (send(client->connection, call, sizeof(*call), MSG_NOSIGNAL) !=
        (ssize_t)sizeof(*call))
        bench_die("send");
}

static void receive(struct client *client, void *to, size_t len)
{
    while (len > 0) {
        ssize_t got = recv(client->connection, to, len, MSG_WAITALL);

        if (got <= 0)
            bench_die("recv");
        to = (uint8_t *)to + got;
        len -= (size_t)got;
    }
}

static size_t take_read(struct client *client, const struct call *call,
                        bool *eof)
{
    struct read_head head;

    receive(client, &head, sizeof(head));
    bench_must(head.length <= call->count, "READ's reply is too long");
    receive(client, client->content, head.length);
    *eof = head.eof != 0;
    return head.length;
}

static size_t take_plus(struct client *client, const struct call *call,
                        bool *eof)
{
    struct iovec row = {client->row,
                        FRONT + call->count + READPLUS_EXPAND_BACK};
    struct readplus_expansion e = {
        .args = {call->offset, call->count, {0, {0}}},
        .iov = &row,
        .pieces = 1,
        .content = FRONT,
        .content_len = call->count};
    struct readplus_result result;
    uint32_t mark;

    receive(client, &mark, sizeof(mark));
    e.reply_len = mark;
    bench_must(readplus_expand_place(call->count, mark, &e.reply) ==
                   READPLUS_OK,
               "the reply is too long");
    receive(client, client->row + e.reply, mark);
    bench_must(readplus_expand_segments(&e, client->segments, SEGMENTS,
                                        &result) == READPLUS_OK,
               "the reply is wrong");
    *eof = result.eof;
    return (size_t)result.bytes;
}

static size_t take_rpcgen(struct client *client, const struct call *call,
                          bool *eof)
{
    uint32_t mark;

    receive(client, &mark, sizeof(mark));
    bench_must(mark <= COUNT_MAX + (64u << 10), "rpcgen's reply is too long");
    receive(client, client->reply, mark);
    return rpcgen_deliver(call, client->reply, mark, client->content, eof);
}

size_t client_take(struct client *client, const struct call *call, bool *eof)
{
    static size_t (*const takes[WAYS])(struct client *, const struct call *,
                                       bool *) = {take_read, take_plus,
                                                  take_rpcgen, take_plus};

    return takes[call->kind](client, call, eof);
}

double client_control(struct client *client, uint32_t kind, uint64_t value)
{
    struct call call = {
        .kind = kind, .count = (uint32_t)value, .offset = value};
    double cpu;

    client_ask(client, &call);
    receive(client, &cpu, sizeof(cpu));
    return cpu;
}
