/*
 * What the tests of the libtirpc bridge share: random segment lists, and the
 * two ends of an xdrrec stream in memory, so that record marks and single
 * reads may fall anywhere.
 */
#ifndef READPLUS_TESTS_CHECK_RPC_H
#define READPLUS_TESTS_CHECK_RPC_H

#include <readplus.h>
#include <readplus/rpc.h>

#include "check_main.h"

static inline uint32_t random32(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

/* 0 to below - 1. */
static inline uint32_t random_below(uint64_t *state, uint32_t below)
{
    return random32(state) % below;
}

/* --- replies ------------------------------------------------------------- */

#define REPLY_SEGMENTS 24
#define REPLY_BYTES (REPLY_SEGMENTS * 700)

/* A reply and its wire form, which the core wrote. */
struct reply {
    struct readplus_segment segments[REPLY_SEGMENTS];
    uint32_t count;
    uint32_t status;
    bool eof;
    uint8_t data[REPLY_BYTES];
    uint8_t wire[REPLY_BYTES + REPLY_SEGMENTS * 20 + 12];
    size_t size;
};

static inline void reply_encode(struct reply *r)
{
    ck_assert_int_eq(readplus_res_encode(r->status, r->eof, r->segments,
                                         r->count, r->wire, sizeof(r->wire),
                                         &r->size, NULL),
                     READPLUS_OK);
}

/* A well-formed one: contiguous, any kinds, lengths 0 to 699, now and then at
 * the very end of what 64 bits address, now and then only a status. */
static inline void reply_random(struct reply *r, uint64_t *seed)
{
    uint64_t offset = random32(seed);
    size_t i, used = 0;

    r->status = random_below(seed, 16) == 0 ? random32(seed) | 1 : 0;
    r->eof = random_below(seed, 2) == 1;
    r->count = r->status != 0 ? 0 : random_below(seed, REPLY_SEGMENTS + 1);
    if (random_below(seed, 8) == 0)
        offset = UINT64_MAX - REPLY_BYTES;
    for (i = 0; i < REPLY_BYTES; i++)
        r->data[i] = (uint8_t)random32(seed);
    for (i = 0; i < r->count; i++) {
        uint32_t most = random_below(seed, 2) == 0 ? 8 : 700;
        uint32_t length =
            random_below(seed, 10) == 0 ? 0 : random_below(seed, most);

        r->segments[i] = (struct readplus_segment){READPLUS_CONTENT_HOLE,
                                                   offset, length, NULL};
        if (random_below(seed, 2) == 0) {
            r->segments[i].content = READPLUS_CONTENT_DATA;
            r->segments[i].data = length > 0 ? r->data + used : NULL;
            used += length;
        }
        offset += length;
    }
    reply_encode(r);
}

static inline void segments_equal(const struct readplus_segment *a,
                                  const struct readplus_segment *b,
                                  uint32_t count)
{
    uint32_t i;

    for (i = 0; i < count; i++) {
        ck_assert_int_eq(a[i].content, b[i].content);
        ck_assert_uint_eq(a[i].offset, b[i].offset);
        ck_assert_uint_eq(a[i].length, b[i].length);
        ck_assert_int_eq(a[i].data == NULL, b[i].data == NULL);
        if (a[i].data != NULL)
            ck_assert_mem_eq(a[i].data, b[i].data, (size_t)a[i].length);
    }
}

static inline void fault_is(struct readplus_fault fault,
                            enum readplus_error error, uint64_t at,
                            uint32_t segment)
{
    ck_assert_str_eq(readplus_error_name(fault.error),
                     readplus_error_name(error));
    ck_assert_uint_eq(fault.at, at);
    ck_assert_uint_eq(fault.segment, segment);
}

/* --- what the generated decoder can be asked ----------------------------- */

static inline uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

/*
 * Whether the generated decoder can be asked: walking as it does, every count
 * and length must be covered by bytes that are there, or it would allocate up
 * to 4 GiB before it refuses.
 */
static inline bool is_safe(const uint8_t *item, size_t len)
{
    size_t at = 12;
    uint32_t left;

    if (len < 12 || load32(item) != 0)
        return true;
    left = load32(item + 8);
    if (left > (len - 12) / 4)
        return false;
    for (; left > 0 && len - at >= 16; left--) {
        uint32_t content = load32(item + at), length = load32(item + at + 12);

        if (content > 1) {
            at += 4;
        } else if (content == 1) {
            at += 20;
        } else if (length > len - at - 16) {
            return false;
        } else {
            at += 16 + length + (-length & 3);
        }
        if (at > len)
            return true;
    }
    return true;
}

/* --- record streams ------------------------------------------------------ */

static inline uint8_t *store32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
    return p + 4;
}

/* What a peer sent: records, read in pieces of at most `piece` bytes. */
struct feed {
    uint8_t *bytes;
    size_t len, pos;
    uint32_t piece;
    uint64_t seed;
};

/* readit: libtirpc wants -1 for the end as for a failure. */
static inline int feed_read(void *handle, void *to, int room)
{
    struct feed *f = handle;
    size_t n = 1 + random_below(&f->seed, f->piece);

    if (f->pos == f->len)
        return -1;
    if (n > f->len - f->pos)
        n = f->len - f->pos;
    if (n > (size_t)room)
        n = (size_t)room;
    memcpy(to, f->bytes + f->pos, n);
    f->pos += n;
    return (int)n;
}

/* Cuts item[0, len) into fragments of 1 to `fragment` bytes and opens a
 * stream for decoding in front of them.  Ends with rec_close. */
static inline void rec_open(XDR *xdrs, struct feed *f, const uint8_t *item,
                            size_t len, uint32_t fragment, uint64_t seed)
{
    size_t pos = 0;
    uint8_t *p;

    *f = (struct feed){malloc(5 * len + 4), 0, 0, 1 + fragment, seed};
    ck_assert_ptr_nonnull(f->bytes);
    p = f->bytes;
    if (len == 0)
        p = store32(p, 0x80000000u);
    while (pos < len) {
        size_t n = 1 + random_below(&f->seed, fragment);

        if (n > len - pos)
            n = len - pos;
        p = store32(p, (uint32_t)n | (pos + n == len ? 0x80000000u : 0));
        memcpy(p, item + pos, n);
        p += n;
        pos += n;
    }
    f->len = (size_t)(p - f->bytes);
    xdrrec_create(xdrs, 0, 100, f, feed_read, NULL);
    xdrs->x_op = XDR_DECODE;
    ck_assert(xdrrec_skiprecord(xdrs));
}

static inline void rec_close(XDR *xdrs, struct feed *f)
{
    xdr_destroy(xdrs);
    free(f->bytes);
}

/* What we sent; at most room bytes are taken. */
struct sink {
    uint8_t *bytes;
    size_t len, room;
};

static inline int sink_write(void *handle, void *from, int n)
{
    struct sink *s = handle;

    if ((size_t)n > s->room - s->len)
        return -1;
    memcpy(s->bytes + s->len, from, (size_t)n);
    s->len += (size_t)n;
    return n;
}

/* Takes the record marks out of one record. */
static inline void sink_join(struct sink *s)
{
    size_t from = 0, to = 0;
    uint32_t mark = 0;

    while (from < s->len) {
        const uint8_t *p = s->bytes + from;
        size_t n;

        ck_assert_uint_eq(mark >> 31, 0);
        mark = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
               (uint32_t)p[2] << 8 | p[3];
        n = mark & 0x7fffffffu;
        memmove(s->bytes + to, p + 4, n);
        from += 4 + n;
        to += n;
    }
    ck_assert_uint_eq(mark >> 31, 1);
    s->len = to;
}

#endif
