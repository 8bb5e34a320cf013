/*
 * The extents of a file come out of any replies about it as they are in the
 * file: merged across replies, clipped or not, in any portions.
 */
#include <readplus/encode.h>
#include <readplus/extents.h>

#include "check_main.h"

#define DATA READPLUS_CONTENT_DATA
#define HOLE READPLUS_CONTENT_HOLE

static const uint8_t zeros[4096];

/* A reply of these segments, decoded for this request. */
struct reply {
    struct readplus_decoder decoder;
    uint8_t *bytes;
};

static struct reply replied(const struct readplus_args *args, bool eof,
                            struct readplus_segment *segments, size_t count,
                            uint32_t flags)
{
    uint8_t buffer[16384];
    struct reply r;
    size_t size, i;

    for (i = 0; i < count; i++)
        segments[i].data = segments[i].content == DATA ? zeros : NULL;
    ck_assert_int_eq(readplus_res_encode(0, eof, segments, count, buffer,
                                         sizeof(buffer), &size, NULL),
                     READPLUS_OK);
    r.bytes = exact_copy(buffer, size);
    ck_assert_int_eq(
        readplus_decoder_init_buffer(&r.decoder, args, r.bytes, size, flags),
        READPLUS_OK);
    return r;
}

static void is_extent(const struct readplus_extent *e,
                      enum readplus_content content, uint64_t offset,
                      uint64_t length)
{
    ck_assert_int_eq(e->content, content);
    ck_assert_uint_eq(e->offset, offset);
    ck_assert_uint_eq(e->length, length);
}

/* A hole that begins before the request and ends after it. */
START_TEST(whole_or_clipped)
{
    struct readplus_segment hole[] = {{HOLE, 100, UINT64_MAX - 100, NULL}};
    struct readplus_args args = {.offset = 1000, .count = 50};
    struct readplus_extent array[2];
    struct readplus_extents extents;
    struct reply r = replied(&args, true, hole, 1, 0);

    ck_assert_int_eq(readplus_extents_init(&extents, 1000, array, 2, 0),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_extents_add(&extents, &r.decoder), READPLUS_OK);
    ck_assert(readplus_extents_eof(&extents));
    ck_assert_uint_eq(readplus_extents_next(&extents), UINT64_MAX);
    ck_assert_int_eq(readplus_extents_finish(&extents), READPLUS_OK);
    ck_assert_uint_eq(readplus_extents_count(&extents), 1);
    is_extent(array, HOLE, 100, UINT64_MAX - 100);
    free(r.bytes);

    r = replied(&args, true, hole, 1, 0);
    ck_assert_int_eq(
        readplus_extents_init(&extents, 1000, array, 2, READPLUS_EXTENTS_CLIP),
        READPLUS_OK);
    ck_assert_int_eq(readplus_extents_add(&extents, &r.decoder), READPLUS_OK);
    ck_assert(!readplus_extents_eof(&extents)); /* it was clipped */
    ck_assert_uint_eq(readplus_extents_next(&extents), 1050);
    ck_assert_int_eq(readplus_extents_finish(&extents), READPLUS_OK);
    is_extent(array, HOLE, 1000, 50);
    free(r.bytes);
}
END_TEST

/* Three replies tell one hole and one run of data in pieces. */
START_TEST(merged_across_replies)
{
    struct readplus_segment first[] = {
        {HOLE, 0, 10, NULL}, {HOLE, 10, 0, NULL}, {HOLE, 10, 10, NULL}};
    struct readplus_segment second[] = {{HOLE, 0, 30, NULL},
                                        {DATA, 30, 5, NULL}};
    struct readplus_segment third[] = {{DATA, 35, 0, NULL},
                                       {DATA, 35, 5, NULL}};
    struct readplus_args args = {.offset = 0, .count = 20};
    struct readplus_extent array[4];
    struct readplus_extents extents;
    struct reply r = replied(&args, false, first, 3, 0);

    ck_assert_int_eq(readplus_extents_init(&extents, 0, array, 4, 0),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_extents_add(&extents, &r.decoder), READPLUS_OK);
    ck_assert_uint_eq(readplus_extents_count(&extents), 0);
    ck_assert_uint_eq(readplus_extents_next(&extents), 20);
    free(r.bytes);
    args.offset = 20;
    r = replied(&args, false, second, 2, 0);
    ck_assert_int_eq(readplus_extents_add(&extents, &r.decoder), READPLUS_OK);
    ck_assert(!readplus_extents_eof(&extents));
    free(r.bytes);
    args.offset = 35;
    r = replied(&args, true, third, 2, 0);
    ck_assert_int_eq(readplus_extents_add(&extents, &r.decoder), READPLUS_OK);
    ck_assert(readplus_extents_eof(&extents));
    free(r.bytes);
    ck_assert_int_eq(readplus_extents_finish(&extents), READPLUS_OK);
    ck_assert_uint_eq(readplus_extents_count(&extents), 2);
    is_extent(&array[0], HOLE, 0, 30);
    is_extent(&array[1], DATA, 30, 10);
}
END_TEST

/* The file changed: what was told stays told, the list stays without gap. */
START_TEST(told_otherwise)
{
    struct readplus_segment first[] = {{DATA, 0, 10, NULL}};
    struct readplus_segment second[] = {{HOLE, 5, 20, NULL}};
    struct readplus_args args = {.offset = 0, .count = 10};
    struct readplus_extent array[2];
    struct readplus_extents extents;
    struct reply r = replied(&args, false, first, 1, 0);

    ck_assert_int_eq(readplus_extents_init(&extents, 0, array, 2, 0),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_extents_add(&extents, &r.decoder), READPLUS_OK);
    free(r.bytes);
    args.offset = 7; /* asked again, from before the list's end */
    r = replied(&args, false, second, 1, 0);
    ck_assert_int_eq(readplus_extents_add(&extents, &r.decoder), READPLUS_OK);
    free(r.bytes);
    ck_assert_int_eq(readplus_extents_finish(&extents), READPLUS_OK);
    is_extent(&array[0], DATA, 0, 10);
    is_extent(&array[1], HOLE, 10, 15);
}
END_TEST

START_TEST(nothing_new)
{
    struct readplus_segment early[] = {{HOLE, 0, 10, NULL}};
    struct readplus_args args = {.offset = 10, .count = 10};
    struct readplus_extent array[1];
    struct readplus_extents extents;
    struct reply r;
    int eof;

    ck_assert_int_eq(readplus_extents_init(&extents, 10, array, 1, 0),
                     READPLUS_OK);
    for (eof = 0; eof < 2; eof++) { /* an empty array */
        r = replied(&args, eof == 1, NULL, 0, 0);
        ck_assert_int_eq(readplus_extents_add(&extents, &r.decoder),
                         READPLUS_OK);
        ck_assert_int_eq(readplus_extents_eof(&extents), eof);
        ck_assert_uint_eq(readplus_extents_next(&extents), 10);
        free(r.bytes);
    }
    r = replied(&args, false, early, 1, 0); /* wholly before the request */
    ck_assert_int_eq(readplus_extents_add(&extents, &r.decoder), READPLUS_OK);
    ck_assert_uint_eq(readplus_extents_next(&extents), 10);
    free(r.bytes);
    ck_assert_int_eq(readplus_extents_finish(&extents), READPLUS_OK);
    ck_assert_uint_eq(readplus_extents_count(&extents), 0);
}
END_TEST

START_TEST(faults)
{
    static const uint8_t bytes[] = {
        0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, /* eof, two elements */
        0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, /* hole */
        0, 0, 0, 9};                                                /* arm 9 */
    static const uint8_t denied[] = {0, 0, 39, 20};
    struct readplus_args args = {.offset = 0, .count = 10};
    struct readplus_extent array[1];
    struct readplus_extents extents;
    struct readplus_decoder decoder;
    uint32_t flags = _i == 0 ? 0 : READPLUS_DECODE_TOLERANT;

    ck_assert_int_eq(readplus_decoder_init_buffer(&decoder, &args, bytes,
                                                  sizeof(bytes), flags),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_extents_init(&extents, 0, array, 1, 0),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_extents_add(&extents, &decoder),
                     _i == 0 ? READPLUS_ERR_BAD_CONTENT : READPLUS_OK);
    ck_assert(!readplus_extents_eof(&extents));
    ck_assert_uint_eq(readplus_extents_next(&extents), 7);
    ck_assert_int_eq(readplus_extents_finish(&extents), READPLUS_OK);
    is_extent(array, HOLE, 0, 7);

    ck_assert_int_eq(
        readplus_decoder_init_buffer(&decoder, &args, denied, 4, flags),
        READPLUS_OK);
    ck_assert_int_eq(readplus_extents_add(&extents, &decoder), READPLUS_OK);
    ck_assert_uint_eq(readplus_extents_next(&extents), 7);
}
END_TEST

/* Each reply speaks for itself about the end of the file. */
START_TEST(end_of_each_reply)
{
    static const uint8_t cut[3];
    struct readplus_segment hole[] = {{HOLE, 0, 100, NULL}};
    struct readplus_args args = {.offset = 0, .count = 50};
    struct readplus_extent array[1];
    struct readplus_extents extents;
    struct readplus_decoder decoder;
    struct reply r = replied(&args, true, hole, 1, 0);

    ck_assert_int_eq(
        readplus_extents_init(&extents, 0, array, 1, READPLUS_EXTENTS_CLIP),
        READPLUS_OK);
    ck_assert_int_eq(readplus_extents_add(&extents, &r.decoder), READPLUS_OK);
    ck_assert(!readplus_extents_eof(&extents)); /* clipped */
    free(r.bytes);
    args.offset = 50;
    r = replied(&args, true, hole, 1, 0);
    ck_assert_int_eq(readplus_extents_add(&extents, &r.decoder), READPLUS_OK);
    ck_assert(readplus_extents_eof(&extents)); /* not this one */
    free(r.bytes);
    ck_assert_int_eq(readplus_decoder_init_buffer(&decoder, &args, cut, 3, 0),
                     READPLUS_ERR_TRUNCATED);
    ck_assert_int_eq(readplus_extents_add(&extents, &decoder),
                     READPLUS_ERR_TRUNCATED);
    ck_assert(!readplus_extents_eof(&extents));
}
END_TEST

/* Finishing before the reply is used up loses nothing either. */
START_TEST(finished_early)
{
    struct readplus_segment three[] = {
        {HOLE, 0, 1, NULL}, {DATA, 1, 1, NULL}, {HOLE, 2, 1, NULL}};
    struct readplus_args args = {.offset = 0, .count = 3};
    struct readplus_extent array[1];
    struct readplus_extents extents;
    struct reply r = replied(&args, true, three, 3, 0);

    ck_assert_int_eq(readplus_extents_init(&extents, 0, array, 1, 0),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_extents_add(&extents, &r.decoder),
                     READPLUS_ERR_LIMIT);
    is_extent(array, HOLE, 0, 1);
    ck_assert_int_eq(readplus_extents_finish(&extents), READPLUS_ERR_LIMIT);
    readplus_extents_drain(&extents);
    ck_assert_int_eq(readplus_extents_finish(&extents), READPLUS_ERR_LIMIT);
    is_extent(array, DATA, 1, 1);
    readplus_extents_drain(&extents);
    ck_assert_int_eq(readplus_extents_finish(&extents), READPLUS_OK);
    is_extent(array, HOLE, 2, 1);
    ck_assert_int_eq(readplus_extents_finish(&extents), READPLUS_OK);
    ck_assert_uint_eq(readplus_extents_count(&extents), 1);
    free(r.bytes);
}
END_TEST

START_TEST(wrong_use)
{
    static const uint8_t empty[12];
    struct readplus_args args = {.offset = 11, .count = 10};
    struct readplus_extent array[1];
    struct readplus_extents extents;
    struct readplus_decoder decoder;

    ck_assert_int_eq(readplus_extents_init(&extents, 0, NULL, 1, 0),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_extents_init(&extents, 0, array, 0, 0),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_extents_init(&extents, 0, array, 1, 2),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_extents_init(&extents, 10, array, 1, 0),
                     READPLUS_OK);
    ck_assert_int_eq(
        readplus_decoder_init_buffer(&decoder, &args, empty, 12, 0),
        READPLUS_OK); /* a request that leaves out a byte */
    ck_assert_int_eq(readplus_extents_add(&extents, &decoder),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_decoder_init_buffer(&decoder, NULL, empty, 12, 0),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_extents_add(&extents, &decoder),
                     READPLUS_ERR_INVAL);
}
END_TEST

/* --- any file, any replies ----------------------------------------------- */

#define FILE_SIZE 400

static uint32_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* What a byte of the file is; the last byte's successor is no byte. */
static enum readplus_content file[FILE_SIZE];

static void make_file(void)
{
    size_t i = 0, n;
    enum readplus_content content = below(2) ? DATA : HOLE;

    while (i < FILE_SIZE) {
        for (n = 1 + below(60); n > 0 && i < FILE_SIZE; n--)
            file[i++] = content;
        content = content == DATA ? HOLE : DATA;
    }
}

/* The extent around byte `at`. */
static struct readplus_segment around(uint64_t at)
{
    uint64_t lo = at, hi = at;

    while (lo > 0 && file[lo - 1] == file[at])
        lo--;
    while (hi < FILE_SIZE && file[hi] == file[at])
        hi++;
    return (struct readplus_segment){file[at], lo, hi - lo, NULL};
}

/* A server's answer: whole holes at both ends or not, split or not, short. */
static struct reply answer(const struct readplus_args *args, bool whole)
{
    struct readplus_segment segments[64];
    size_t count = 0, most = 1 + below(6);
    uint64_t at = args->offset, end = readplus_args_end(args);

    while (at < end && at < FILE_SIZE && count < most) {
        struct readplus_segment s = around(at);
        uint64_t from = s.offset, to = s.offset + s.length;

        if (!(whole && s.content == HOLE && count == 0) || from > at)
            from = at;
        if (!(whole && s.content == HOLE) && to > end)
            to = end;
        if (below(3) == 0 && to - at > 1)
            to = at + 1 + below((uint32_t)(to - at - 1));
        segments[count++] =
            (struct readplus_segment){s.content, from, to - from, NULL};
        at = to;
        if (below(4) == 0 && count < most)
            segments[count++] =
                (struct readplus_segment){below(2) ? HOLE : DATA, at, 0, NULL};
    }
    return replied(args, at >= FILE_SIZE, segments, count, 0);
}

/* Compares a portion with the file, and goes on behind it. */
static uint64_t portion(const struct readplus_extents *extents,
                        const struct readplus_extent *array, uint64_t at)
{
    size_t i;

    for (i = 0; i < readplus_extents_count(extents); i++) {
        uint64_t end = array[i].offset + array[i].length;

        ck_assert_uint_eq(array[i].offset, at);
        ck_assert_uint_eq(end, around(at).offset + around(at).length);
        ck_assert_int_eq(array[i].content, file[at]);
        at = end;
    }
    return at;
}

static void list_all(bool whole, uint32_t flags, size_t capacity)
{
    struct readplus_extent *array = malloc(capacity * sizeof(*array));
    struct readplus_extents extents;
    enum readplus_error error;
    uint64_t at = 0;
    int rounds = 0;

    ck_assert_int_eq(readplus_extents_init(&extents, 0, array, capacity, flags),
                     READPLUS_OK);
    while (readplus_extents_next(&extents) < FILE_SIZE) {
        struct readplus_args args = {.offset = readplus_extents_next(&extents),
                                     .count = 1 + below(120)};
        struct reply r = answer(&args, whole);

        while ((error = readplus_extents_add(&extents, &r.decoder)) ==
               READPLUS_ERR_LIMIT) {
            ck_assert_uint_eq(readplus_extents_count(&extents), capacity);
            at = portion(&extents, array, at);
            readplus_extents_drain(&extents);
        }
        ck_assert_int_eq(error, READPLUS_OK);
        free(r.bytes);
        ck_assert_int_lt(rounds++, 2 * FILE_SIZE);
    }
    while (readplus_extents_finish(&extents) == READPLUS_ERR_LIMIT) {
        at = portion(&extents, array, at);
        readplus_extents_drain(&extents);
    }
    ck_assert_uint_eq(portion(&extents, array, at), FILE_SIZE);
    free(array);
}

START_TEST(any_file)
{
    size_t i;

    seed = (uint32_t)_i;
    for (i = 0; i < 300; i++) {
        make_file();
        list_all(below(2), below(2) ? READPLUS_EXTENTS_CLIP : 0, 1 + below(5));
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("extents");
    TCase *tc = check_case(s, "one list");

    tcase_add_test(tc, whole_or_clipped);
    tcase_add_test(tc, merged_across_replies);
    tcase_add_test(tc, told_otherwise);
    tcase_add_test(tc, nothing_new);
    tcase_add_loop_test(tc, faults, 0, 2);
    tcase_add_test(tc, end_of_each_reply);
    tcase_add_test(tc, finished_early);
    tcase_add_test(tc, wrong_use);
    tc = check_case(s, "any file");
    tcase_add_loop_test(tc, any_file, 0, 8);
    return check_run(s);
}
