/*
 * The stream decoder against a plain model of delivery: every split, every
 * prefix, every single-bit flip, with the destination between two pages that
 * nobody may touch.
 */
#include <sys/socket.h>
#include <sys/uio.h>

#include "feed.h"

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

/* Receives from fd as a client would. */
static enum readplus_error receive(int fd, const struct readplus_args *args,
                                   uint8_t *to, struct readplus_result *result)
{
    struct iovec iov = {to, args->count}, want[3];
    struct readplus_stream s;
    ssize_t got = 1;
    size_t n;

    MUST(readplus_stream_init(&s, args, &iov, 1, 0) == READPLUS_OK);
    while (got > 0 && readplus_stream_want(&s, want, 3, &n) == READPLUS_OK) {
        got = readv(fd, want, (int)n);
        if (got > 0)
            MUST(readplus_stream_advance(&s, (size_t)got) == READPLUS_OK);
    }
    return readplus_stream_end(&s, result);
}

START_TEST(the_connection_closes_at_every_byte)
{
    static struct reply r;
    struct readplus_result result;
    uint64_t seed = 7;
    int pair[2], k;
    size_t len;

    for (k = 0; k < 20; k++) {
        reply_random(&r, &seed, 6);
        for (len = 0; len <= r.len; len++) {
            uint8_t *to = guard_place(&dest, r.args.count, len % 2 == 0);

            MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
            MUST(send(pair[0], r.bytes, len, MSG_NOSIGNAL) == (ssize_t)len);
            MUST(close(pair[0]) == 0);
            model_deliver(&model, &r.args, r.bytes, len, r.args.count, 0);
            model_check(&model, receive(pair[1], &r.args, to, &result), &result,
                        to);
            guard_check(&dest);
            MUST(close(pair[1]) == 0);
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

int main(void)
{
    Suite *s = suite_create("stream");
    TCase *tc = check_case(s, "delivery");

    tcase_add_checked_fixture(tc, open_guards, close_guards);
    tcase_add_test(tc, any_split_is_one_shot);
    tcase_add_test(tc, any_prefix_and_any_flipped_bit);
    tcase_add_test(tc, the_connection_closes_at_every_byte);
    tcase_add_test(tc, zeroed_holes_are_not_written);
    return check_run(s);
}
