/*
 * The stream decoder against a plain model of delivery: every split, every
 * prefix, every single-bit flip, with the destination between two pages that
 * nobody may touch.
 */
#include "delivery.h"

/* How a reply is fed to a stream. */
struct feed {
    size_t chunk;    /* bytes a call at most; 0: at random */
    size_t capacity; /* iovec entries */
    size_t ahead;    /* bytes lent; 0: none */
    bool sized;      /* the stream is told the input's size */
    uint32_t flags;
    uint64_t *seed;
};

static struct guard dest, lent;
static struct model model;

static void open_guards(void)
{
    guard_open(&dest, REPLY_MOST);
    guard_open(&lent, REPLY_MOST);
}

static void close_guards(void)
{
    guard_close(&dest);
    guard_close(&lent);
}

static size_t feed_chunk(const struct feed *f)
{
    return f->chunk > 0 ? f->chunk : 1 + below(f->seed, 40);
}

/* Puts up to n bytes where the stream wants them; returns how many. */
static size_t feed_put(struct readplus_stream *s, const uint8_t *b, size_t n,
                       size_t capacity)
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

static void feed_prepare(struct readplus_stream *s, const struct feed *f,
                         size_t size)
{
    if (f->sized)
        readplus_stream_set_size(s, size);
    if (f->ahead > 0)
        readplus_stream_set_ahead(
            s, guard_place(&lent, f->ahead, f->ahead % 2 != 0), f->ahead);
}

/* Feeds b[0, len); returns how many bytes were taken. */
static size_t feed(struct readplus_stream *s, const struct feed *f,
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

/* Cuts buf[0, len) into up to 5 pieces, some empty. */
static size_t pieces_of(struct iovec *iov, uint8_t *buf, size_t len,
                        uint64_t *seed)
{
    size_t n = 1 + below(seed, 5), i, at = 0;

    for (i = 0; i < n; i++) {
        size_t step =
            i + 1 == n ? len - at : below(seed, (uint32_t)(len - at) + 1);

        iov[i] = (struct iovec){buf + at, step};
        at += step;
    }
    return n;
}

/* Streams b[0, len) into room bytes and holds the outcome against the model. */
static void stream_is_model(const struct readplus_args *args, const uint8_t *b,
                            size_t len, size_t room, const struct feed *f)
{
    bool zeroed = (f->flags & READPLUS_SCATTER_ZEROED) != 0;
    uint8_t *to = guard_place(&dest, room, below(f->seed, 2) == 0);
    struct readplus_stream s;
    struct readplus_result r;
    struct iovec iov[5];
    enum readplus_error error;
    size_t taken;

    model_deliver(&model, args, b, len, room, f->flags);
    memset(to, zeroed ? 0 : 0xee, room);
    MUST(readplus_stream_init(&s, args, iov, pieces_of(iov, to, room, f->seed),
                              f->flags) == READPLUS_OK);
    feed_prepare(&s, f, len);
    taken = feed(&s, f, b, len);
    error = readplus_stream_end(&s, &r);
    if (!f->sized && model.error == READPLUS_ERR_TRAILING) {
        /* Nobody told that there is more. */
        MUST(error == READPLUS_OK);
        MUST(taken == model.result.fault.at);
        model_deliver(&model, args, b, taken, room, f->flags);
    }
    model_check(&model, error, &r, to);
    guard_check(&dest);
    if (f->ahead > 0)
        guard_check(&lent);
    MUST(readplus_stream_end(&s, &r) == error);
    model_check(&model, error, &r, to);
}

static void feed_random(struct feed *f, uint64_t *seed)
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

static size_t room_random(const struct readplus_args *args, uint64_t *seed)
{
    return below(seed, 4) == 0 ? below(seed, args->count + 1) : args->count;
}

START_TEST(any_split_is_one_shot)
{
    uint64_t seed = 1;
    struct reply r;
    struct feed f;
    int i;

    for (i = 0; i < 30000; i++) {
        reply_random(&r, &seed, 8);
        feed_random(&f, &seed);
        if (below(&seed, 6) == 0)
            r.len += below(&seed, 9); /* bytes after the item */
        stream_is_model(&r.args, r.bytes, r.len, room_random(&r.args, &seed),
                        &f);
    }
}
END_TEST

START_TEST(any_prefix_and_any_flipped_bit)
{
    uint64_t seed = 2;
    struct reply r;
    struct feed f;
    size_t i;
    int k;

    for (k = 0; k < 30; k++) {
        reply_random(&r, &seed, 5);
        for (i = 0; i <= r.len; i++) {
            feed_random(&f, &seed);
            stream_is_model(&r.args, r.bytes, i, r.args.count, &f);
        }
        for (i = 0; i < 8 * r.len; i++) {
            feed_random(&f, &seed);
            r.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
            stream_is_model(&r.args, r.bytes, r.len, r.args.count, &f);
            r.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        }
    }
}
END_TEST

/* What is known to be zero is not written: the lie stays visible. */
START_TEST(zeroed_holes_are_not_written)
{
    static struct reply r = {.args = {.offset = 0, .count = 40}, .count = 2};
    struct feed f = {.chunk = 7, .capacity = 3};
    struct readplus_stream s;
    struct readplus_result result;
    uint8_t to[40];
    struct iovec iov = {to, sizeof(to)};
    int i;

    r.segments[0] =
        (struct readplus_segment){READPLUS_CONTENT_HOLE, 0, 30, NULL};
    r.segments[1] =
        (struct readplus_segment){READPLUS_CONTENT_DATA, 30, 10, NULL};
    reply_encode(&r, true);
    memset(to, 0xee, sizeof(to));
    ck_assert_int_eq(
        readplus_stream_init(&s, &r.args, &iov, 1, READPLUS_SCATTER_ZEROED),
        READPLUS_OK);
    (void)feed(&s, &f, r.bytes, r.len);
    ck_assert_int_eq(readplus_stream_end(&s, &result), READPLUS_OK);
    ck_assert_uint_eq(result.zero_bytes, 30);
    for (i = 0; i < 40; i++)
        ck_assert_uint_eq(to[i], i < 30 ? 0xee : file_byte((uint64_t)i));
}
END_TEST

/* --- events -------------------------------------------------------------- */

/* What the events of a whole reply brought together. */
struct heard {
    struct readplus_segment segments[64];
    uint32_t count;
    uint64_t bytes; /* of the last data element */
    enum readplus_error error;
};

static void hear(struct heard *h, struct readplus_stream *s)
{
    struct readplus_event e;
    struct readplus_segment *last;
    uint64_t k;

    while ((h->error = readplus_stream_event(s, &e)) == READPLUS_OK) {
        if (e.kind != READPLUS_EVENT_DATA) {
            MUST(e.segment.data == NULL);
            h->segments[h->count++] = e.segment;
            h->bytes = 0;
            continue;
        }
        last = &h->segments[h->count - 1];
        MUST(e.segment.length > 0);
        MUST(e.segment.offset == last->offset + h->bytes);
        for (k = 0; k < e.segment.length; k++)
            MUST(e.segment.data[k] == file_byte(e.segment.offset + k));
        h->bytes += e.segment.length;
        MUST(h->bytes <= last->length);
    }
}

static void events_are_segments(const struct reply *r, const struct feed *f)
{
    struct heard h = {.count = 0};
    struct readplus_stream s;
    struct readplus_result result;
    size_t at = 0, n, entries, i;
    struct iovec iov;

    MUST(readplus_stream_init_events(&s, &r->args, 0) == READPLUS_OK);
    feed_prepare(&s, f, r->len);
    while (readplus_stream_want(&s, &iov, 1, &entries) == READPLUS_OK) {
        n = feed_chunk(f);
        n = n < iov.iov_len ? n : iov.iov_len;
        n = n < r->len - at ? n : r->len - at;
        memcpy(iov.iov_base, r->bytes + at, n);
        at += n;
        MUST(readplus_stream_advance(&s, n) == READPLUS_OK);
        MUST(readplus_stream_want(&s, &iov, 1, &entries) == READPLUS_ERR_STATE);
        hear(&h, &s);
        MUST(h.error == READPLUS_END);
    }
    MUST(at == r->len && h.count == r->count);
    for (i = 0; i < h.count; i++)
        MUST(h.segments[i].content == r->segments[i].content &&
             h.segments[i].offset == r->segments[i].offset &&
             h.segments[i].length == r->segments[i].length);
    model_deliver(&model, &r->args, r->bytes, r->len, r->args.count, 0);
    model_check(&model, readplus_stream_end(&s, &result), &result, NULL);
}

START_TEST(events_bring_every_segment)
{
    uint64_t seed = 3;
    struct reply r;
    struct feed f;
    int i;

    for (i = 0; i < 10000; i++) {
        reply_random(&r, &seed, 8);
        feed_random(&f, &seed);
        events_are_segments(&r, &f);
    }
}
END_TEST

/* A reply of one hole that starts late, after a good one. */
static const uint8_t bad_gap[] = {
    0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2,                         /* head */
    0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, /* hole 0+8 */
    0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 8, /* hole 9+8 */
};

START_TEST(events_end_with_the_fault_and_keep_it)
{
    const struct readplus_args args = {.offset = 0, .count = 100};
    struct heard h = {.count = 0};
    struct readplus_stream s;
    struct readplus_result r;
    size_t at = 0;

    ck_assert_int_eq(readplus_stream_init_events(&s, &args, 0), READPLUS_OK);
    do {
        at += feed_put(&s, bad_gap + at, sizeof(bad_gap) - at, 1);
        hear(&h, &s);
    } while (h.error == READPLUS_END && at < sizeof(bad_gap));
    ck_assert_int_eq(h.error, READPLUS_ERR_GAP);
    ck_assert_uint_eq(h.count, 1);
    hear(&h, &s);
    ck_assert_int_eq(h.error, READPLUS_ERR_GAP);
    ck_assert_uint_eq(feed_put(&s, bad_gap, 1, 1), 0);
    ck_assert_int_eq(readplus_stream_end(&s, &r), READPLUS_ERR_GAP);
    ck_assert_uint_eq(r.bytes, 8);
    ck_assert_uint_eq(r.fault.at, 36);
    ck_assert_uint_eq(r.fault.segment, 1);
}
END_TEST

/* --- the edges of the calls ---------------------------------------------- */

START_TEST(wrong_use_is_refused)
{
    const struct readplus_args args = {.offset = 0, .count = 100};
    uint8_t buf[8];
    struct iovec iov = {buf, sizeof(buf)};
    struct readplus_event e;
    struct readplus_stream s;
    size_t n;

    ck_assert_int_eq(readplus_stream_init(&s, NULL, &iov, 1, 0),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_stream_init(&s, &args, NULL, 1, 0),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_stream_init(&s, &args, &iov, 1, 0x8u),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_stream_init_events(&s, NULL, 0),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(
        readplus_stream_init_events(&s, &args, READPLUS_SCATTER_ZEROED),
        READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_stream_init(&s, &args, NULL, 0, 0), READPLUS_OK);
    ck_assert_int_eq(readplus_stream_init(&s, &args, &iov, 1, 0), READPLUS_OK);
    ck_assert_int_eq(readplus_stream_event(&s, &e), READPLUS_ERR_STATE);
    ck_assert_int_eq(readplus_stream_want(&s, &iov, 0, &n), READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_stream_advance(&s, 1), READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_stream_want(&s, &iov, 1, &n), READPLUS_OK);
    ck_assert_uint_eq(iov.iov_len, READPLUS_STATUS_SIZE);
    ck_assert_int_eq(readplus_stream_advance(&s, 5), READPLUS_ERR_INVAL);
    memset(iov.iov_base, 0, 4);
    ck_assert_int_eq(readplus_stream_advance(&s, 4), READPLUS_OK);
}
END_TEST

START_TEST(any_status_comes_through)
{
    const struct readplus_args args = {.offset = 0, .count = 100};
    static const uint8_t notsupp[] = {0, 0, 0x27, 0x14};
    struct readplus_stream s;
    struct readplus_result r;

    ck_assert_int_eq(readplus_stream_init(&s, &args, NULL, 0, 0), READPLUS_OK);
    ck_assert_uint_eq(feed_put(&s, notsupp, 4, 1), 4);
    ck_assert_uint_eq(feed_put(&s, notsupp, 4, 1), 0);
    ck_assert_int_eq(readplus_stream_end(&s, &r), READPLUS_OK);
    ck_assert_uint_eq(readplus_stream_status(&s), 10004);
    ck_assert_int_eq(readplus_stream_eof(&s), false);
    ck_assert_uint_eq(r.bytes, 0);
    ck_assert(r.progress);
}
END_TEST

START_TEST(what_follows_is_given_back)
{
    const struct readplus_args args = {.offset = 0, .count = 100};
    static const uint8_t reply[] = {0, 0, 0, 0, 0, 0, 0, 1,
                                    0, 0, 0, 0, 7, 8, 9};
    struct readplus_stream s;
    struct readplus_result r;
    uint8_t ahead[64];
    const uint8_t *rest;
    size_t len, at = 0, n;

    ck_assert_int_eq(
        readplus_stream_init(&s, &args, NULL, 0, READPLUS_DECODE_TRAILING),
        READPLUS_OK);
    readplus_stream_set_size(&s, sizeof(reply));
    readplus_stream_set_ahead(&s, ahead, sizeof(ahead));
    (void)readplus_stream_rest(&s, &len);
    ck_assert_uint_eq(len, 0);
    while ((n = feed_put(&s, reply + at, sizeof(reply) - at, 1)) > 0)
        at += n;
    ck_assert_uint_eq(at, sizeof(reply));
    ck_assert_int_eq(readplus_stream_end(&s, &r), READPLUS_OK);
    ck_assert(r.eof && readplus_stream_eof(&s));
    rest = readplus_stream_rest(&s, &len);
    ck_assert_uint_eq(len, 3);
    ck_assert_mem_eq(rest, reply + 12, 3);
}
END_TEST

/* A reply of 4 GiB - 1 of data never is in memory: what is wanted is always in
 * the destination or in the stream, and memory does not grow. */
START_TEST(gigabytes_pass_through)
{
    const struct readplus_args args = {.offset = 5, .count = UINT32_MAX};
    static const uint8_t head[] = {
        0,    0,    0,    0,   0, 0, 0, 1, 0, 0, 0, 1, /* eof, one element */
        0,    0,    0,    0,   0, 0, 0, 0, 0, 0, 0, 5, /* data at 5 */
        0xff, 0xff, 0xff, 0xff                         /* 4 GiB - 1 */
    };
    static uint8_t ahead[65536];
    struct readplus_stream s;
    struct readplus_result r;
    struct readplus_event e;
    struct iovec iov;
    uint64_t seen = 0;
    size_t at = 0, n;

    ck_assert_int_eq(readplus_stream_init_events(&s, &args, 0), READPLUS_OK);
    readplus_stream_set_ahead(&s, ahead, sizeof(ahead));
    while (readplus_stream_want(&s, &iov, 1, &n) == READPLUS_OK) {
        if (at < sizeof(head)) {
            MUST(iov.iov_len <= sizeof(head) - at);
            memcpy(iov.iov_base, head + at, iov.iov_len);
            at += iov.iov_len;
        } /* else whatever lies there: the fill comes to lie on a zero */
        MUST(readplus_stream_advance(&s, iov.iov_len) == READPLUS_OK);
        while (readplus_stream_event(&s, &e) == READPLUS_OK)
            seen += e.kind == READPLUS_EVENT_DATA ? e.segment.length : 0;
    }
    ck_assert_int_eq(readplus_stream_end(&s, &r), READPLUS_OK);
    ck_assert_uint_eq(seen, UINT32_MAX);
    ck_assert_uint_eq(r.bytes, UINT32_MAX);
    ck_assert(r.eof);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("stream");
    TCase *tc = check_case(s, "delivery");

    tcase_add_checked_fixture(tc, open_guards, close_guards);
    tcase_add_test(tc, any_split_is_one_shot);
    tcase_add_test(tc, any_prefix_and_any_flipped_bit);
    tcase_add_test(tc, zeroed_holes_are_not_written);
    tc = check_case(s, "events");
    tcase_add_checked_fixture(tc, open_guards, close_guards);
    tcase_add_test(tc, events_bring_every_segment);
    tcase_add_test(tc, events_end_with_the_fault_and_keep_it);
    tc = check_case(s, "edges");
    tcase_add_test(tc, wrong_use_is_refused);
    tcase_add_test(tc, any_status_comes_through);
    tcase_add_test(tc, what_follows_is_given_back);
    tcase_add_test(tc, gigabytes_pass_through);
    return check_run(s);
}
