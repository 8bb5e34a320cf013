/*
 * The stream decoder's events, and the edges of its calls.
 */
#include "feed.h"

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
    struct iovec iov;
    uint64_t k;
    size_t n;

    while ((h->error = readplus_stream_event(s, &e)) == READPLUS_OK) {
        MUST(readplus_stream_want(s, &iov, 1, &n) == READPLUS_ERR_STATE);
        if (e.kind != READPLUS_EVENT_DATA) {
            MUST(e.segment.data == NULL);
            h->segments[h->count++] = e.segment;
            h->bytes = 0;
            continue;
        }
        last = &h->segments[h->count - 1];
        MUST(e.segment.content == READPLUS_CONTENT_DATA);
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

/* Nobody hears the events: what they would bring still counts. */
START_TEST(ended_before_it_was_heard)
{
    static const uint8_t item[] = {
        0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2,                         /* head */
        0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, /* 0+8 */
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 4, 1, 2, 3, 4, /* 8+4 */
    };
    const struct readplus_args args = {.offset = 0, .count = 100};
    struct readplus_stream s;
    struct readplus_result r;
    size_t stop, rounds, at = 0;

    for (stop = 1; at < sizeof(item); stop++) {
        struct heard h = {.count = 0};

        ck_assert_int_eq(readplus_stream_init_events(&s, &args, 0),
                         READPLUS_OK);
        at = feed_put(&s, item, sizeof(item), 8);
        for (rounds = 1; rounds < stop; rounds++) {
            hear(&h, &s);
            at += feed_put(&s, item + at, sizeof(item) - at, 8);
        }
        ck_assert_int_eq(readplus_stream_end(&s, &r),
                         at < sizeof(item) ? READPLUS_ERR_TRUNCATED
                                           : READPLUS_OK);
        ck_assert_uint_eq(r.bytes, at < 32 ? 0 : at < sizeof(item) ? 8 : 12);
        ck_assert_int_eq(r.eof, at == sizeof(item));
    }
    ck_assert_uint_gt(stop, 3);
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
    ck_assert_int_eq(readplus_stream_advance(&s, 1), READPLUS_ERR_INVAL);
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

/* In strict it is a fault besides, and an area too small is not used. */
static void what_follows(uint32_t flags, size_t area, enum readplus_error error)
{
    const struct readplus_args args = {.offset = 0, .count = 100};
    static const uint8_t reply[] = {0, 0, 0, 0, 0, 0, 0, 1,
                                    0, 0, 0, 0, 7, 8, 9};
    struct readplus_stream s;
    struct readplus_result r;
    uint8_t ahead[64] = {0};
    const uint8_t *rest;
    size_t len, at = 0, n;

    ck_assert_int_eq(readplus_stream_init(&s, &args, NULL, 0, flags),
                     READPLUS_OK);
    readplus_stream_set_size(&s, sizeof(reply));
    readplus_stream_set_ahead(&s, ahead, area);
    (void)readplus_stream_rest(&s, &len);
    ck_assert_uint_eq(len, 0);
    while ((n = feed_put(&s, reply + at, sizeof(reply) - at, 1)) > 0)
        at += n;
    ck_assert_uint_eq(at, sizeof(reply));
    ck_assert_int_eq(readplus_stream_end(&s, &r), error);
    ck_assert_int_eq(r.eof, error == READPLUS_OK);
    ck_assert(readplus_stream_eof(&s));
    rest = readplus_stream_rest(&s, &len);
    ck_assert_uint_eq(len, 3);
    ck_assert_mem_eq(rest, reply + 12, 3);
    ck_assert_uint_eq(ahead[7], area >= 36 ? 1 : 0);
}

START_TEST(what_follows_is_given_back)
{
    what_follows(READPLUS_DECODE_TRAILING, 64, READPLUS_OK);
    what_follows(READPLUS_DECODE_TOLERANT, 36, READPLUS_OK);
    what_follows(READPLUS_DECODE_STRICT, 64, READPLUS_ERR_TRAILING);
    what_follows(READPLUS_DECODE_TRAILING, 35, READPLUS_OK);
}
END_TEST

/* Of a faulty reply nothing is given back. */
START_TEST(a_fault_leaves_no_rest)
{
    const struct readplus_args args = {.offset = 0, .count = 100};
    struct readplus_stream s;
    struct readplus_result r;
    size_t at = 0, n, len;

    ck_assert_int_eq(readplus_stream_init(&s, &args, NULL, 0, 0), READPLUS_OK);
    readplus_stream_set_size(&s, sizeof(bad_gap));
    while ((n = feed_put(&s, bad_gap + at, sizeof(bad_gap) - at, 1)) > 0)
        at += n;
    ck_assert_int_eq(readplus_stream_end(&s, &r), READPLUS_ERR_GAP);
    (void)readplus_stream_rest(&s, &len);
    ck_assert_uint_eq(len, 0);
}
END_TEST

/* --- what is wanted ------------------------------------------------------ */

/* Expects one entry of `len` bytes, twice: to ask changes nothing. */
static void wants(struct readplus_stream *s, const void *base, size_t len)
{
    struct iovec iov;
    size_t n, twice;

    for (twice = 0; twice < 2; twice++) {
        ck_assert_int_eq(readplus_stream_want(s, &iov, 1, &n), READPLUS_OK);
        ck_assert_uint_eq(n, 1);
        ck_assert_uint_eq(iov.iov_len, len);
        ck_assert(base == NULL || iov.iov_base == base);
    }
}

/* From the first byte to the last, over pieces of which one is empty. */
START_TEST(file_bytes_go_where_they_belong)
{
    static const uint8_t item[] = {
        0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1,                         /* head */
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 1, 2, 3, 4, /* 0+8 */
        5, 6, 7, 8,
    };
    const struct readplus_args args = {.offset = 0, .count = 8};
    uint8_t to[8] = {0};
    struct iovec pieces[] = {{to, 3}, {to + 3, 0}, {to + 3, 5}}, iov[3];
    struct readplus_stream s;
    struct readplus_result r;
    size_t at = 0, n;

    ck_assert_int_eq(readplus_stream_init(&s, &args, pieces, 3, 0),
                     READPLUS_OK);
    while (at < 28)
        at += feed_put(&s, item + at, 28 - at, 1);
    ck_assert_int_eq(readplus_stream_want(&s, iov, 3, &n), READPLUS_OK);
    ck_assert_int_eq(readplus_stream_want(&s, iov, 3, &n), READPLUS_OK);
    ck_assert_uint_eq(n, 2);
    ck_assert(iov[0].iov_base == to && iov[0].iov_len == 3);
    ck_assert(iov[1].iov_base == to + 3 && iov[1].iov_len == 5);
    wants(&s, to, 3);
    for (; at < sizeof(item); at += n) {
        wants(&s, to + (at - 28), at < 31 ? 31 - at : sizeof(item) - at);
        n = feed_put(&s, item + at, 1, 1);
        ck_assert_uint_eq(n, 1);
    }
    ck_assert_int_eq(readplus_stream_end(&s, &r), READPLUS_OK);
    ck_assert_mem_eq(to, item + 28, 8);
}
END_TEST

/* No byte more than a good item has; all of it where its size is known. */
START_TEST(no_more_is_wanted_than_there_is)
{
    static const uint8_t many[] = {0, 0, 0, 0, 0, 0,
                                   0, 1, 0, 0, 0, 2, /* elements */
                                   0, 0, 0, 1 /* a hole */};
    static const uint8_t most[] = {0, 0, 0, 0, 0, 0, 0, 1, 0x10, 0, 0, 0};
    const struct readplus_args args = {.offset = 0, .count = 100};
    struct readplus_stream s;

    ck_assert_int_eq(readplus_stream_init(&s, &args, NULL, 0, 0), READPLUS_OK);
    wants(&s, NULL, 4);
    ck_assert_uint_eq(feed_put(&s, many, 4, 1), 4);
    ck_assert_uint_eq(feed_put(&s, many + 4, 8, 1), 8);
    wants(&s, NULL, 32);
    ck_assert_uint_eq(feed_put(&s, many + 12, 4, 1), 4);
    wants(&s, NULL, 32);
    ck_assert_int_eq(readplus_stream_init(&s, &args, NULL, 0, 0), READPLUS_OK);
    ck_assert_uint_eq(feed_put(&s, most, 4, 1), 4);
    ck_assert_uint_eq(feed_put(&s, most + 4, 8, 1), 8);
    wants(&s, NULL, sizeof(s.own)); /* of 4 GiB */
    ck_assert_int_eq(readplus_stream_init(&s, &args, NULL, 0, 0), READPLUS_OK);
    readplus_stream_set_size(&s, 15);
    ck_assert_uint_eq(feed_put(&s, many, 11, 1), 11);
    wants(&s, NULL, 4);
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
    Suite *s = suite_create("stream's calls");
    TCase *tc = check_case(s, "events");

    tcase_add_checked_fixture(tc, open_guards, close_guards);
    tcase_add_test(tc, events_bring_every_segment);
    tcase_add_test(tc, events_end_with_the_fault_and_keep_it);
    tcase_add_test(tc, ended_before_it_was_heard);
    tc = check_case(s, "edges");
    tcase_add_test(tc, wrong_use_is_refused);
    tcase_add_test(tc, any_status_comes_through);
    tcase_add_test(tc, what_follows_is_given_back);
    tcase_add_test(tc, a_fault_leaves_no_rest);
    tcase_add_test(tc, file_bytes_go_where_they_belong);
    tcase_add_test(tc, no_more_is_wanted_than_there_is);
    tcase_add_test(tc, gigabytes_pass_through);
    return check_run(s);
}
