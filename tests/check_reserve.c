/*
 * The room that a client reserves for a reply is what the largest one takes,
 * and not a byte more; and back.
 */
#include <readplus/size.h>

#include "check_main.h"

/* The largest item of up to `left` elements that bring up to count bytes. */
static uint64_t largest(uint32_t count, uint32_t left, uint64_t size)
{
    uint64_t most = size;
    uint32_t n;

    if (left == 0)
        return size;
    for (n = 0; n <= count; n++) {
        uint64_t with =
            largest(count - n, left - 1, size + readplus_data_size(n));

        if (with > most)
            most = with;
        with = largest(count - n, left - 1, size + READPLUS_HOLE_SIZE);
        if (with > most)
            most = with;
    }
    return most;
}

START_TEST(reserve_is_the_largest)
{
    uint32_t count, maxsegs;

    for (count = 0; count <= 9; count++)
        for (maxsegs = 1; maxsegs <= 4; maxsegs++)
            ck_assert_uint_eq(readplus_reserve_size(count, maxsegs),
                              largest(count, maxsegs, READPLUS_RES_HEAD_SIZE));
}
END_TEST

/* Elements that bring a byte each, and as many as there are bytes. */
START_TEST(reserve_without_a_limit)
{
    uint32_t count, n;
    uint64_t most;

    ck_assert_uint_eq(readplus_reserve_size(0, 0), 12);
    for (count = 1; count < 300; count++) {
        /* One element more, of n bytes, is never larger than n of one. */
        for (most = 0, n = 1; n <= count; n++) {
            uint64_t with =
                readplus_reserve_size(count - n, 0) + readplus_data_size(n);

            if (with > most)
                most = with;
        }
        ck_assert_uint_eq(readplus_reserve_size(count, 0), most);
    }
}
END_TEST

START_TEST(reserve_and_back)
{
    static const uint32_t counts[] = {
        0,          1,          2,          3,         4,          5,
        4095,       4096,       65536,      1u << 20,  0x7fffffff, 0xfffffffb,
        0xfffffffc, 0xfffffffd, 0xfffffffe, 0xffffffff};
    static const uint32_t limits[] = {0, 1, 2, 3, 256, 0xffffffff};
    size_t i, j;

    for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        for (j = 0; j < sizeof(limits) / sizeof(limits[0]); j++) {
            uint64_t size = readplus_reserve_size(counts[i], limits[j]);
            uint32_t back = readplus_reserve_count(size, limits[j]);

            /* The largest count of that size ... */
            ck_assert_uint_ge(back, counts[i]);
            ck_assert_uint_eq(readplus_reserve_size(back, limits[j]), size);
            /* ... and no byte less will do. */
            if (counts[i] > 0 || limits[j] > 0)
                ck_assert(readplus_reserve_count(size - 1, limits[j]) <
                              counts[i] ||
                          counts[i] == 0);
        }
    }
    ck_assert_uint_eq(readplus_reserve_count(0, 0), 0);
    ck_assert_uint_eq(readplus_reserve_count(0, 1), 0);
    ck_assert_uint_eq(readplus_reserve_count(11, 0), 0);
    ck_assert_uint_eq(readplus_reserve_count(31, 0), 0);
    ck_assert_uint_eq(readplus_reserve_count(32, 0), 1);
    ck_assert_uint_eq(readplus_reserve_count(31, 1), 0);
    ck_assert_uint_eq(readplus_reserve_count(32, 1), 4);
    ck_assert_uint_eq(readplus_reserve_count(UINT64_MAX, 0), UINT32_MAX);
    ck_assert_uint_eq(readplus_reserve_count(UINT64_MAX, 3), UINT32_MAX);
    ck_assert_uint_eq(readplus_reserve_size(0, UINT32_MAX),
                      12 + 20 * (uint64_t)UINT32_MAX);
    /* Linux's own room: one data element, and the 12 bytes before it. */
    ck_assert_uint_eq(readplus_reserve_size(1u << 20, 1), 12 + 16 + (1u << 20));
    ck_assert_uint_eq(
        readplus_message_size(0, 0, readplus_reserve_size(4096, 1)),
        104 + 16 + 4096);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("reserve");
    TCase *tc = check_case(s, "room");

    tcase_add_test(tc, reserve_is_the_largest);
    tcase_add_test(tc, reserve_without_a_limit);
    tcase_add_test(tc, reserve_and_back);
    return check_run(s);
}
