/*
 * Delivery by copying, against a model that asks for every single byte of the
 * request which element covers it: all short replies, all short requests, all
 * destinations, then long ones at random.
 */
#include "brought.h"
#include "pieces.h"

/* An element of this kind: data or hole, of 0 to 3 bytes. */
static uint64_t put_kind(struct bytes *b, uint64_t offset, unsigned kind)
{
    uint32_t length = kind / 2;

    if (kind % 2 == 0)
        put_data(b, offset, length);
    else
        put_hole(b, offset, length);
    return offset + length;
}

/* One reply, one request, every destination. */
static void destinations(const struct bytes *b,
                         const struct readplus_args *args, uint32_t flags)
{
    static const size_t rooms[] = {0, 1, 3, 4, 9}, steps[] = {1, 2, 9};
    struct iovec whole = piece_of(b->p, b->len);
    struct transcript t;
    size_t r, s;

    transcript_plain(&t, b->p, b->len, args, flags);
    for (r = 0; r < ARRAY_LEN(rooms); r++)
        for (s = 0; s < ARRAY_LEN(steps); s++) {
            struct delivery got, want;
            bool zeroed = (r + s) % 2 == 0;

            delivery_plain(&want, &t, args, rooms[r], flags, zeroed);
            delivery_of(&got, &whole, 1, args, rooms[r], steps[s], flags,
                        zeroed);
            deliveries_same(&got, &want, rooms[r]);
            delivery_free(&got);
            delivery_free(&want);
        }
    transcript_free(&t);
}

/* Two elements from _i on; wherever the request is. */
START_TEST(all_short_replies)
{
    struct readplus_args args = {0};
    unsigned one, two, last = 5;
    uint64_t start = (uint64_t)_i;
    struct bytes b;

    for (one = 0; one < 8; one++)
        for (two = 0; two < 9; two++)
            for (args.offset = 0; args.offset <= last; args.offset++)
                for (args.count = 0; args.count <= last; args.count++) {
                    uint64_t end;

                    put_head(&b, (one + two + args.count) % 2, two < 8 ? 2 : 1);
                    end = put_kind(&b, start, one);
                    if (two < 8)
                        put_kind(&b, end, two);
                    destinations(&b, &args, args.count % 3 == 0);
                }
}
END_TEST

/* --- at random ----------------------------------------------------------- */

/* A reply about the bytes around 100, now and then with something wrong. */
static void random_reply(struct bytes *b, uint64_t *rng)
{
    uint32_t n = (uint32_t)rng_below(rng, 8), i;
    uint64_t offset = 90 + rng_below(rng, 15);

    put_head(b, rng_below(rng, 4) > 0, n + (rng_below(rng, 12) == 0));
    for (i = 0; i < n; i++) {
        uint32_t length = (uint32_t)rng_below(rng, rng_below(rng, 40) + 1);

        offset += rng_below(rng, 25) == 0;
        offset -= rng_below(rng, 25) == 0;
        if (rng_below(rng, 2) == 0)
            put_data(b, offset, length);
        else
            put_hole(b, offset, length);
        offset += length;
    }
    if (rng_below(rng, 16) == 0)
        b->len -= rng_below(rng, 9);
}

START_TEST(random_replies)
{
    uint64_t rng = (uint64_t)_i * 1000;
    struct bytes b;
    int round;

    for (round = 0; round < 400; round++) {
        struct readplus_args args = {.offset = 95 + rng_below(&rng, 10),
                                     .count = (uint32_t)rng_below(&rng, 120)};
        uint32_t flags = (uint32_t)rng_below(&rng, 2);
        size_t room = rng_below(&rng, 140), step = rng_below(&rng, 30) + 1;
        struct delivery got, want;
        struct transcript t;
        struct pieces p;

        random_reply(&b, &rng);
        p = pieces_each(b.p, b.len, rng_below(&rng, 40) + 1, round % 2 == 0);
        transcript_plain(&t, b.p, b.len, &args, flags);
        delivery_plain(&want, &t, &args, room, flags, round % 3 == 0);
        delivery_of(&got, p.iov, p.n, &args, room, step, flags, round % 3 == 0);
        deliveries_same(&got, &want, room);
        delivery_free(&got);
        delivery_free(&want);
        transcript_free(&t);
        pieces_free(&p);
    }
}
END_TEST

/* --- calls --------------------------------------------------------------- */

static void one_hole(struct readplus_decoder *decoder, struct bytes *b,
                     const struct readplus_args *args)
{
    put_head(b, 1, 1);
    put_hole(b, 0, 8);
    expect_error(readplus_decoder_init_buffer(decoder, args, b->p, b->len, 0),
                 READPLUS_OK);
}

START_TEST(refused_calls)
{
    struct readplus_args args = {.count = 8};
    struct readplus_result result, stale;
    struct readplus_segment s;
    struct readplus_decoder d;
    uint8_t to[8];
    struct iovec iov = {to, sizeof(to)};
    struct bytes b;

    memset(&result, 0xee, sizeof(result));
    memcpy(&stale, &result, sizeof(result));
    one_hole(&d, &b, NULL);
    expect_error(readplus_scatter(&d, &iov, 1, 0, &result), READPLUS_ERR_INVAL);
    one_hole(&d, &b, &args);
    expect_error(readplus_scatter(&d, &iov, 1, 2, &result), READPLUS_ERR_INVAL);
    expect_error(readplus_scatter(&d, NULL, 1, 0, &result), READPLUS_ERR_INVAL);
    ck_assert_mem_eq(&result, &stale, sizeof(result));
    expect_error(readplus_scatter(&d, NULL, 0, 0, &result), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, 0);
    ck_assert(result.progress); /* the reply brings some, if not to nowhere */
    memcpy(&result, &stale, sizeof(result));
    one_hole(&d, &b, &args);
    expect_error(readplus_decoder_next(&d, &s), READPLUS_OK);
    expect_error(readplus_scatter(&d, &iov, 1, 0, &result), READPLUS_ERR_STATE);
    ck_assert_mem_eq(&result, &stale, sizeof(result));
    one_hole(&d, &b, &args);
    expect_error(readplus_scatter(&d, &iov, 1, 0, &result), READPLUS_OK);
    expect_error(readplus_scatter(&d, &iov, 1, 0, &result), READPLUS_ERR_STATE);
}
END_TEST

/* A decoder that has failed fails the delivery, and brings nothing. */
START_TEST(failed_decoders)
{
    struct readplus_args args = {.count = 8};
    struct readplus_result result;
    struct readplus_segment s;
    struct readplus_decoder d;
    uint8_t to[8] = {1, 2, 3};
    struct iovec iov = {to, sizeof(to)};
    uint32_t flags;
    struct bytes b;

    for (flags = 0; flags <= READPLUS_DECODE_TOLERANT; flags++) {
        put_head(&b, 2, 1);
        expect_error(readplus_decoder_init_buffer(&d, &args, b.p, b.len, flags),
                     READPLUS_ERR_BAD_BOOL);
        expect_error(readplus_scatter(&d, &iov, 1, 0, &result),
                     READPLUS_ERR_BAD_BOOL);
        expect_fault(result.fault, READPLUS_ERR_BAD_BOOL, READPLUS_NO_SEGMENT,
                     4);
        ck_assert(!result.eof && !result.progress && result.bytes == 0);
        put_head(&b, 1, 1);
        put32(&b, 7);
        expect_error(readplus_decoder_init_buffer(&d, &args, b.p, b.len, flags),
                     READPLUS_OK);
        expect_error(readplus_decoder_next(&d, &s), READPLUS_ERR_BAD_CONTENT);
        expect_error(readplus_scatter(&d, &iov, 1, 0, &result),
                     flags ? READPLUS_OK : READPLUS_ERR_BAD_CONTENT);
        expect_fault(result.fault, READPLUS_ERR_BAD_CONTENT, 0, 12);
        ck_assert(!result.eof && !result.progress && result.bytes == 0);
    }
    ck_assert_uint_eq(to[2], 3);
}
END_TEST

/* Destinations that together exceed any size are as long as the request. */
START_TEST(endless_destination)
{
    struct readplus_args args = {.count = 8};
    struct readplus_result result;
    struct readplus_decoder d;
    uint8_t to[16];
    struct iovec iov[] = {{to, 3}, {to + 3, SIZE_MAX}, {to, SIZE_MAX}};
    struct bytes b;

    memset(to, UNTOUCHED, sizeof(to));
    one_hole(&d, &b, &args);
    expect_error(readplus_scatter(&d, iov, 3, 0, &result), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, 8);
    ck_assert_uint_eq(to[7], 0);
    ck_assert_uint_eq(to[8], UNTOUCHED);
}
END_TEST

/* Single bytes from single bytes: time in proportion to their number, not to
 * its square (2^34 steps, which this test would not live to see the end of). */
START_TEST(many_pieces_to_many)
{
    enum { LENGTH = 1 << 17 };
    struct readplus_args args = {.count = LENGTH};
    struct iovec *from = calloc(LENGTH + 1, sizeof(*from));
    struct iovec *to = calloc(LENGTH, sizeof(*to));
    uint8_t *source = malloc(LENGTH), *image = calloc(LENGTH, 1);
    struct readplus_result result;
    struct readplus_decoder d;
    struct bytes head;
    size_t i;

    put_head(&head, 1, 1);
    put32(&head, 0);
    put64(&head, 0);
    put32(&head, LENGTH);
    from[0] = piece_of(head.p, head.len);
    for (i = 0; i < LENGTH; i++) {
        source[i] = file_byte(i);
        from[i + 1] = piece_of(source + i, 1);
        to[i] = piece_of(image + i, 1);
    }
    expect_error(readplus_decoder_init(&d, &args, from, LENGTH + 1, 0),
                 READPLUS_OK);
    expect_error(readplus_scatter(&d, to, LENGTH, 0, &result), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, LENGTH);
    ck_assert_int_eq(memcmp(image, source, LENGTH), 0);
    free(from);
    free(to);
    free(source);
    free(image);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("scatter");
    TCase *tc = check_case(s, "delivery");

    tcase_add_loop_test(tc, all_short_replies, 0, 5);
    tcase_add_loop_test(tc, random_replies, 0, 10);
    tc = check_case(s, "calls");
    tcase_add_test(tc, refused_calls);
    tcase_add_test(tc, failed_decoders);
    tcase_add_test(tc, endless_destination);
    tc = check_case(s, "time");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, many_pieces_to_many);
    return check_run(s);
}
