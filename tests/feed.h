/*
 * What the tests of the stream decoder share: a reply fed to a stream in
 * pieces of any size, in any of the ways a caller may go about it.
 */
#ifndef READPLUS_TESTS_FEED_H
#define READPLUS_TESTS_FEED_H

#include "delivery.h"

static struct guard dest, lent;
static struct model model;

/* How a reply is fed to a stream. */
struct feed {
    size_t chunk;    /* bytes a call at most; 0: at random */
    size_t capacity; /* iovec entries */
    size_t ahead;    /* bytes lent; 0: none */
    bool sized;      /* the stream is told the input's size */
    uint32_t flags;
    uint64_t *seed;
};

static inline void open_guards(void)
{
    guard_open(&dest, REPLY_MOST);
    guard_open(&lent, REPLY_MOST);
}

static inline void close_guards(void)
{
    guard_close(&dest);
    guard_close(&lent);
}

static inline size_t feed_chunk(const struct feed *f)
{
    return f->chunk > 0 ? f->chunk : 1 + below(f->seed, 40);
}

/* Puts up to n bytes where the stream wants them; returns how many. */
static inline size_t feed_put(struct readplus_stream *s, const uint8_t *b,
                              size_t n, size_t capacity)
{
    struct iovec iov[8];
    size_t entries, i, put = 0;
    enum readplus_error error =
        readplus_stream_want(s, iov, capacity, &entries);

    if (error == READPLUS_END) {
        MUST(entries == 0);
        return 0;
    }
    MUST(error == READPLUS_OK);
    MUST(entries > 0);
    MUST(entries <= capacity);
    for (i = 0; i < entries; i++) {
        size_t step = iov[i].iov_len < n - put ? iov[i].iov_len : n - put;

        MUST(iov[i].iov_len > 0);
        memcpy(iov[i].iov_base, b + put, step);
        put += step;
    }
    MUST(readplus_stream_advance(s, put) == READPLUS_OK);
    return put;
}

static inline void feed_prepare(struct readplus_stream *s, const struct feed *f,
                                size_t size)
{
    if (f->sized)
        readplus_stream_set_size(s, size);
    if (f->ahead > 0)
        readplus_stream_set_ahead(
            s, guard_place(&lent, f->ahead, f->ahead % 2 != 0), f->ahead);
}

/* Feeds b[0, len); returns how many bytes were taken. */
static inline size_t feed(struct readplus_stream *s, const struct feed *f,
                          const uint8_t *b, size_t len)
{
    size_t at = 0, n;

    do {
        n = feed_chunk(f);
        n = feed_put(s, b + at, n < len - at ? n : len - at, f->capacity);
        at += n;
    } while (n > 0 && at < len);
    return at;
}

static inline void feed_random(struct feed *f, uint64_t *seed)
{
    static const uint32_t flags[] = {
        READPLUS_DECODE_STRICT,
        READPLUS_DECODE_STRICT,
        READPLUS_DECODE_TOLERANT,
        READPLUS_DECODE_ANY_PAD,
        READPLUS_DECODE_TRAILING,
        READPLUS_DECODE_TOLERANT | READPLUS_DECODE_ANY_PAD,
        READPLUS_SCATTER_ZEROED,
    };

    *f = (struct feed){.chunk = below(seed, 4) == 0 ? 1000 : below(seed, 9),
                       .capacity = 1 + below(seed, 8),
                       .sized = below(seed, 2) == 0,
                       .flags = flags[below(seed, 7)],
                       .seed = seed};
    if (below(seed, 2) == 0)
        f->ahead = 36 + below(seed, 200);
}

#endif /* READPLUS_TESTS_FEED_H */
