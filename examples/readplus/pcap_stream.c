/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP put together: one entry a direction of a connection, in a table of
 * fixed size, the one silent longest making room.  A packet that comes early
 * waits with a few others; what never comes ends the stream, which is picked
 * up again where a record seems to begin.
 */
#include <stdlib.h>
#include <string.h>

#include "pcap_stream.h"

#define STREAMS 512
#define EARLY 64                        /* packets that wait, a direction */
#define RECORD_MAX ((size_t)(16 << 20)) /* longer than any NFS message */
#define HELD_MAX ((size_t)(128 << 20))  /* for all streams together */

struct early {
    uint32_t seq;
    uint8_t *bytes;
    size_t len;
};

struct stream {
    struct endpoints ends;
    bool used, started;
    uint32_t next;   /* the sequence number that comes next */
    uint64_t spoken; /* when it last said anything */
    uint8_t *bytes;  /* of the record that is not complete */
    size_t len, room;
    struct early early[EARLY];
    size_t waiting;
};

struct streams {
    record_taker *taker;
    void *context;
    uint64_t clock, lost;
    size_t held; /* bytes of memory, the table apart */
    struct stream table[STREAMS];
};

struct streams *streams_create(record_taker *taker, void *context)
{
    struct streams *streams = calloc(1, sizeof(*streams));

    if (streams != NULL) {
        streams->taker = taker;
        streams->context = context;
    }
    return streams;
}

/* Forgets what it has and where it is. */
static void drop(struct streams *streams, struct stream *s)
{
    while (s->waiting > 0) {
        struct early *e = &s->early[--s->waiting];

        streams->held -= e->len;
        free(e->bytes);
    }
    streams->held -= s->room;
    free(s->bytes);
    s->bytes = NULL;
    s->len = s->room = 0;
    s->started = false;
}

void streams_free(struct streams *streams)
{
    size_t i;

    for (i = 0; streams != NULL && i < STREAMS; i++)
        drop(streams, &streams->table[i]);
    free(streams);
}

uint64_t streams_lost(const struct streams *streams)
{
    return streams->lost;
}

/* The stream's entry: its own, a free one, or that of the longest silence. */
static struct stream *find(struct streams *streams,
                           const struct endpoints *ends)
{
    struct stream *oldest = &streams->table[0];
    size_t i;

    for (i = 0; i < STREAMS; i++) {
        struct stream *s = &streams->table[i];

        if (!s->used) {
            oldest = s;
            break;
        }
        if (memcmp(&s->ends, ends, sizeof(*ends)) == 0)
            return s;
        if (s->spoken < oldest->spoken)
            oldest = s;
    }
    drop(streams, oldest);
    oldest->used = true;
    oldest->ends = *ends;
    return oldest;
}

/* --- records --------------------------------------------------------------- */

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

/* A mark of a sensible length, then an xid and CALL or REPLY. */
static bool may_begin(const uint8_t *bytes, size_t len)
{
    uint32_t mark;

    if (len < 12)
        return false;
    mark = load32(bytes);
    return (mark & 0x7fffffff) >= 8 && (mark & 0x7fffffff) <= RECORD_MAX &&
           load32(bytes + 8) <= 1;
}

/* The length of the record at bytes[0, len), 0 where it is not complete yet,
 * len + 1 where it never will be. */
static size_t record_length(const uint8_t *bytes, size_t len)
{
    size_t at = 0;
    uint32_t mark;

    do {
        if (len - at < 4)
            return 0;
        mark = load32(bytes + at);
        if ((mark & 0x7fffffff) > RECORD_MAX - at)
            return len + 1;
        at += 4;
        if ((mark & 0x7fffffff) > len - at)
            return 0;
        at += mark & 0x7fffffff;
    } while ((mark & 0x80000000) == 0);
    return at;
}

static void lose(struct streams *streams, struct stream *s)
{
    streams->lost++;
    drop(streams, s);
}

/* Hands out the records that are complete. */
static void hand_out(struct streams *streams, struct stream *s)
{
    size_t at = 0, length;

    while ((length = record_length(s->bytes + at, s->len - at)) > 0) {
        if (length > s->len - at) {
            lose(streams, s);
            return;
        }
        streams->taker(streams->context, &s->ends, s->bytes + at, length);
        at += length;
    }
    if (at > 0)
        memmove(s->bytes, s->bytes + at, s->len - at);
    s->len -= at;
}

static void append(struct streams *streams, struct stream *s,
                   const uint8_t *bytes, size_t len)
{
    size_t room = 2 * (s->len + len);
    uint8_t *more;

    if (s->room - s->len < len) {
        more = room - s->room > HELD_MAX - streams->held
                   ? NULL
                   : realloc(s->bytes, room);
        if (more == NULL) {
            lose(streams, s);
            return;
        }
        streams->held += room - s->room;
        s->bytes = more;
        s->room = room;
    }
    memcpy(s->bytes + s->len, bytes, len);
    s->len += len;
    s->next += (uint32_t)len;
    hand_out(streams, s);
}

/* --- order ----------------------------------------------------------------- */

/* Keeps it for later.  False: there are too many already. */
static bool keep(struct streams *streams, struct stream *s, uint32_t seq,
                 const uint8_t *bytes, size_t len)
{
    struct early *e = &s->early[s->waiting];

    if (s->waiting == EARLY || len > HELD_MAX - streams->held)
        return false;
    e->bytes = malloc(len);
    if (e->bytes == NULL)
        return false;
    memcpy(e->bytes, bytes, len);
    e->seq = seq;
    e->len = len;
    s->waiting++;
    streams->held += len;
    return true;
}

/* What of it is new and comes next is taken.  False: it comes later. */
static bool take_next(struct streams *streams, struct stream *s, uint32_t seq,
                      const uint8_t *bytes, size_t len)
{
    uint32_t old = s->next - seq;

    if ((int32_t)old < 0)
        return false;
    if (old < len)
        append(streams, s, bytes + old, len - old);
    return true;
}

/* Those that waited for what has come. */
static void take_waiting(struct streams *streams, struct stream *s)
{
    size_t i = 0;

    while (s->started && i < s->waiting) {
        struct early e = s->early[i];

        if ((int32_t)(s->next - e.seq) < 0) {
            i++;
            continue;
        }
        s->early[i] = s->early[--s->waiting];
        take_next(streams, s, e.seq, e.bytes, e.len);
        streams->held -= e.len;
        free(e.bytes);
        i = 0;
    }
}

/* In the midst of a stream, or behind a loss. */
static bool pick_up(struct stream *s, const struct packet *packet)
{
    if (!may_begin(packet->payload, packet->len))
        return false;
    s->started = true;
    s->next = packet->seq;
    return true;
}

void streams_take(struct streams *streams, const struct packet *packet)
{
    struct stream *s = find(streams, &packet->ends);

    s->spoken = ++streams->clock;
    if (packet->syn || packet->rst) {
        drop(streams, s);
        s->started = packet->syn;
        s->next = packet->seq + 1;
        return;
    }
    if (packet->len == 0 || (!s->started && !pick_up(s, packet)))
        return;
    if (!take_next(streams, s, packet->seq, packet->payload, packet->len) &&
        !keep(streams, s, packet->seq, packet->payload, packet->len)) {
        lose(streams, s);
        if (pick_up(s, packet))
            take_next(streams, s, packet->seq, packet->payload, packet->len);
    }
    /* What was not captured can never come. */
    if (packet->missing > 0 && s->started)
        lose(streams, s);
    take_waiting(streams, s);
}
