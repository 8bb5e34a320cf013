/*
 * Clipping, against a model that asks of every single byte whether it is in
 * the segment and in the request.
 */
#include "codec.h"

static struct readplus_args request(uint64_t offset, uint32_t count)
{
    return (struct readplus_args){.offset = offset, .count = count};
}

START_TEST(request_ends)
{
    static const struct {
        uint64_t offset;
        uint32_t count;
        uint64_t end;
    } rows[] = {
        {0, 0, 0},
        {5, 0, 5},
        {0, UINT32_MAX, UINT32_MAX},
        {UINT64_MAX, 0, UINT64_MAX},
        {UINT64_MAX - 7, 7, UINT64_MAX},
        {UINT64_MAX - 7, 8, UINT64_MAX},
        {UINT64_MAX - 8, 7, UINT64_MAX - 1},
        {UINT64_MAX, 1, UINT64_MAX},
        {UINT64_MAX, UINT32_MAX, UINT64_MAX},
        {UINT64_MAX - UINT32_MAX, UINT32_MAX, UINT64_MAX},
    };
    size_t i;

    for (i = 0; i < ARRAY_LEN(rows); i++) {
        struct readplus_args args = request(rows[i].offset, rows[i].count);

        ck_assert_uint_eq(readplus_args_end(&args), rows[i].end);
    }
}
END_TEST

/* Judges one clip by the bytes base + 0 .. base + 11. */
static void clip_one(uint64_t base, unsigned offset, unsigned length,
                     unsigned asked, unsigned count)
{
    static const uint8_t bytes[16];
    struct readplus_args args = request(base + asked, count);
    struct readplus_segment s = {READPLUS_CONTENT_DATA, base + offset, length,
                                 bytes + offset};
    unsigned i, first = 99, inside = 0;
    bool some = readplus_segment_clip(&s, &args);

    for (i = 0; i < 12; i++)
        if (i >= offset && i < offset + length && i >= asked &&
            i < asked + count) {
            first = inside == 0 ? i : first;
            inside++;
        }
    ck_assert_int_eq(some, inside > 0);
    ck_assert_uint_eq(s.length, inside);
    ck_assert_int_eq(s.content, READPLUS_CONTENT_DATA);
    if (inside > 0) {
        ck_assert_uint_eq(s.offset, base + first);
        ck_assert_ptr_eq(s.data, bytes + first);
    } else {
        ck_assert_uint_ge(s.offset, base + asked);
        ck_assert_uint_le(s.offset, base + asked + count);
        ck_assert_ptr_null(s.data);
    }
}

/* Every segment against every request in a few bytes, low, high, and where
 * 32 bits end. */
START_TEST(clips_like_the_model)
{
    static const uint64_t bases[] = {0, 0xfffffffau, UINT64_MAX - 12};
    unsigned b, o, l, a, c;

    for (b = 0; b < ARRAY_LEN(bases); b++)
        for (o = 0; o <= 6; o++)
            for (l = 0; l <= 6; l++)
                for (a = 0; a <= 6; a++)
                    for (c = 0; c <= 6; c++)
                        clip_one(bases[b], o, l, a, c);
}
END_TEST

START_TEST(clips_extremes)
{
    static const struct {
        uint64_t offset, length, asked;
        uint32_t count;
        uint64_t to, left;
    } rows[] = {
        {0, UINT64_MAX, 1000, 10, 1000, 10},   /* overhangs at both ends */
        {0, UINT64_MAX, UINT64_MAX, 10, 0, 0}, /* no byte there */
        {UINT64_MAX, 0, 0, UINT32_MAX, 0, 0},  /* nothing, far away */
        {1, UINT64_MAX - 1, 0, 1, 0, 0},       /* right behind */
        {0, 1ull << 63, 65536, 65536, 65536, 65536},
        {UINT64_MAX - 5, 5, UINT64_MAX - 3, 9, UINT64_MAX - 3, 3},
        {5, UINT64_MAX, 7, 9, 7, 9}, /* not a legal segment: still safe */
    };
    size_t i;

    for (i = 0; i < ARRAY_LEN(rows); i++) {
        struct readplus_args args = request(rows[i].asked, rows[i].count);
        struct readplus_segment s = {READPLUS_CONTENT_HOLE, rows[i].offset,
                                     rows[i].length, NULL};

        ck_assert_int_eq(readplus_segment_clip(&s, &args), rows[i].left > 0);
        ck_assert_uint_eq(s.length, rows[i].left);
        ck_assert_ptr_null(s.data);
        if (rows[i].left > 0)
            ck_assert_uint_eq(s.offset, rows[i].to);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("segment");
    TCase *tc = check_case(s, "clip");

    tcase_add_test(tc, request_ends);
    tcase_add_test(tc, clips_like_the_model);
    tcase_add_test(tc, clips_extremes);
    return check_run(s);
}
