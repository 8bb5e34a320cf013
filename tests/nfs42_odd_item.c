/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * READ_PLUS4res as no server should send them, and some that each may.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <readplus/reply.h>

#include "nfs42_odd.h"

/* Answered well before the oddity begins. */
#define GOOD_ONES 2

#define DATA READPLUS_CONTENT_DATA
#define HOLE READPLUS_CONTENT_HOLE

bool is(const struct odd *odd, const char *way)
{
    return odd->requests > GOOD_ONES && strcmp(odd->way, way) == 0;
}

bool now_and_then(const struct odd *odd, unsigned n)
{
    uint64_t value = odd->requests * UINT64_C(0x9e3779b97f4a7c15);

    value = (value ^ value >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 33;
    return value % n == 0;
}

/* --- pieces -------------------------------------------------------------- */

static void head(struct bytes *bytes, uint32_t eof, uint32_t count)
{
    put32(bytes, 0);
    put32(bytes, eof);
    put32(bytes, count);
}

static void hole(struct bytes *bytes, uint64_t offset, uint64_t length)
{
    put32(bytes, HOLE);
    put64(bytes, offset);
    put64(bytes, length);
}

/* The bytes at `from`, said to be at `offset`. */
static void moved(struct odd *odd, struct bytes *bytes, uint64_t offset,
                  uint64_t from, uint32_t length)
{
    put32(bytes, DATA);
    put64(bytes, offset);
    put32(bytes, length);
    if (pread(odd->fd, bytes->at + bytes->len, length, (off_t)from) < 0)
        perror("nfs42_odd");
    bytes->len += length;
    while (bytes->len % 4 != 0)
        bytes->at[bytes->len++] = 0;
}

static void data(struct odd *odd, struct bytes *bytes, uint64_t offset,
                 uint32_t length)
{
    moved(odd, bytes, offset, offset, length);
}

/* --- good ones ----------------------------------------------------------- */

static void honest(struct odd *odd, const struct readplus_args *args,
                   struct bytes *bytes)
{
    static uint8_t buffer[BYTES_ROOM];
    struct readplus_limits limits;
    struct readplus_reply reply;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    if (strcmp(odd->way, "clip") != 0)
        limits.flags |= READPLUS_LIMIT_WHOLE;
    limits.maxcount = args->count + 256;
    if (strcmp(odd->way, "short") == 0)
        limits.maxcount = 5000;
    if (readplus_reply_fd(&reply, odd->fd, args, &limits, NULL, buffer,
                          sizeof(buffer)) != READPLUS_OK)
        fprintf(stderr, "nfs42_odd: status %u\n", (unsigned)reply.status);
    readplus_reply_flatten(&reply);
    memcpy(bytes->at + bytes->len, reply.iov[0].iov_base, reply.iov[0].iov_len);
    bytes->len += reply.iov[0].iov_len;
}

/* Many small elements of one kind, which is allowed. */
static void crumbs(struct odd *odd, const struct readplus_args *args,
                   struct bytes *bytes)
{
    uint32_t n = args->count / 101, i;

    if (n > 500)
        n = 500;
    if (n == 0) {
        honest(odd, args, bytes);
        return;
    }
    head(bytes, 0, n);
    for (i = 0; i < n; i++)
        data(odd, bytes, args->offset + 101 * i, 101);
}

/* --- bad ones ------------------------------------------------------------ */

typedef void made(struct odd *odd, uint64_t at, uint32_t count,
                  struct bytes *bytes);

static void nothing(struct odd *odd, uint64_t at, uint32_t count,
                    struct bytes *bytes)
{
    (void)odd, (void)at, (void)count;
    head(bytes, 0, 0);
}

static void end(struct odd *odd, uint64_t at, uint32_t count,
                struct bytes *bytes)
{
    (void)odd, (void)at, (void)count;
    head(bytes, 1, 0);
}

/* What nfs-ganesha 4.3 sends. */
static void empty(struct odd *odd, uint64_t at, uint32_t count,
                  struct bytes *bytes)
{
    (void)count;
    head(bytes, 0, 1);
    data(odd, bytes, at, 0);
}

static void half_eof(struct odd *odd, uint64_t at, uint32_t count,
                     struct bytes *bytes)
{
    head(bytes, 1, 1);
    data(odd, bytes, at, count / 2);
}

/* The right bytes, but from elsewhere. */
static void early(struct odd *odd, uint64_t at, uint32_t count,
                  struct bytes *bytes)
{
    head(bytes, 0, 1);
    moved(odd, bytes, at - 4096, at, count);
}

static void late(struct odd *odd, uint64_t at, uint32_t count,
                 struct bytes *bytes)
{
    head(bytes, 0, 1);
    data(odd, bytes, at + 4, count - 4);
}

static void gap(struct odd *odd, uint64_t at, uint32_t count,
                struct bytes *bytes)
{
    (void)count;
    head(bytes, 0, 2);
    data(odd, bytes, at, 500);
    data(odd, bytes, at + 600, 300);
}

static void overlap(struct odd *odd, uint64_t at, uint32_t count,
                    struct bytes *bytes)
{
    (void)count;
    head(bytes, 0, 2);
    data(odd, bytes, at, 500);
    moved(odd, bytes, at + 400, at, 500);
}

static void order(struct odd *odd, uint64_t at, uint32_t count,
                  struct bytes *bytes)
{
    (void)count;
    head(bytes, 0, 3);
    data(odd, bytes, at, 500);
    hole(bytes, at, 500);
    data(odd, bytes, at + 500, 500);
}

static void arm(struct odd *odd, uint64_t at, uint32_t count,
                struct bytes *bytes)
{
    (void)count;
    head(bytes, 0, 2);
    data(odd, bytes, at, 500);
    put32(bytes, 2);
}

static void boolean(struct odd *odd, uint64_t at, uint32_t count,
                    struct bytes *bytes)
{
    head(bytes, 2, 1);
    data(odd, bytes, at, count);
}

static void pad(struct odd *odd, uint64_t at, uint32_t count,
                struct bytes *bytes)
{
    (void)count;
    head(bytes, 0, 1);
    data(odd, bytes, at, 501);
    bytes->at[bytes->len - 1] = 'x';
}

static void trailing(struct odd *odd, uint64_t at, uint32_t count,
                     struct bytes *bytes)
{
    head(bytes, 0, 1);
    data(odd, bytes, at, count);
    put32(bytes, 0);
}

static void cut(struct odd *odd, uint64_t at, uint32_t count,
                struct bytes *bytes)
{
    head(bytes, 0, 1);
    data(odd, bytes, at, count);
    bytes->len -= 1000;
}

static void huge(struct odd *odd, uint64_t at, uint32_t count,
                 struct bytes *bytes)
{
    (void)odd, (void)count;
    head(bytes, 0, 1);
    put32(bytes, DATA);
    put64(bytes, at);
    put32(bytes, UINT32_MAX);
}

static void many(struct odd *odd, uint64_t at, uint32_t count,
                 struct bytes *bytes)
{
    (void)count;
    head(bytes, 0, 0x07ffffff);
    data(odd, bytes, at, 500);
}

static void wrap(struct odd *odd, uint64_t at, uint32_t count,
                 struct bytes *bytes)
{
    (void)odd, (void)count;
    head(bytes, 1, 1);
    hole(bytes, at, UINT64_MAX);
}

/* More data than was asked for. */
static void beyond(struct odd *odd, uint64_t at, uint32_t count,
                   struct bytes *bytes)
{
    head(bytes, 0, 1);
    data(odd, bytes, at, count + 4096);
}

static const struct {
    const char *way;
    made *make;
} made_ways[] = {
    {"nothing", nothing},   {"end", end},
    {"empty", empty},       {"half-eof", half_eof},
    {"early", early},       {"late", late},
    {"gap", gap},           {"overlap", overlap},
    {"order", order},       {"arm", arm},
    {"boolean", boolean},   {"pad", pad},
    {"trailing", trailing}, {"fragments-rest", trailing},
    {"cut", cut},           {"huge", huge},
    {"many", many},         {"wrap", wrap},
    {"beyond", beyond},
};

#define MADE (sizeof(made_ways) / sizeof(made_ways[0]))

/* Statuses: for ever, or (period) for one request in so many. */
static const struct {
    const char *way;
    uint32_t status;
    unsigned period;
} status_ways[] = {
    {"notsupp", 10004, 1}, {"toobig", 10066, 1},     {"delay", 10008, 2},
    {"grace", 10013, 3},   {"badsession", 10052, 4}, {"io", 5, 1},
};

#define STATUSES (sizeof(status_ways) / sizeof(status_ways[0]))

/* Those that are odd in the records, see nfs42_odd.c, or not at all. */
static const char *const other_ways[] = {
    "good", "clip", "short",   "crumbs", "fragments", "backwards",
    "xid",  "slot", "illegal", "mute",   "hang-up"};

void list_ways(void)
{
    size_t i;

    for (i = 0; i < MADE; i++)
        puts(made_ways[i].way);
    for (i = 0; i < STATUSES; i++)
        puts(status_ways[i].way);
    for (i = 0; i < sizeof(other_ways) / sizeof(other_ways[0]); i++)
        puts(other_ways[i]);
}

uint32_t put_item(struct odd *odd, const struct readplus_args *args,
                  struct bytes *bytes)
{
    size_t i;

    odd->requests++;
    for (i = 0; i < STATUSES; i++)
        if (is(odd, status_ways[i].way) &&
            now_and_then(odd, status_ways[i].period)) {
            put32(bytes, status_ways[i].status);
            return status_ways[i].status;
        }
    /* The file's ends are no place for most of this. */
    for (i = 0; i < MADE; i++)
        if (is(odd, made_ways[i].way) && args->offset > 0 &&
            args->count >= 8192) {
            made_ways[i].make(odd, args->offset, args->count, bytes);
            return 0;
        }
    if (is(odd, "crumbs"))
        crumbs(odd, args, bytes);
    else
        honest(odd, args, bytes);
    return 0;
}
