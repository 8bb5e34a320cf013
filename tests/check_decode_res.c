/*
 * A whole item decoded in one call: what only that does on its own.  That it
 * agrees with the iterator on everything is check_fetch's to say.
 */
#include "codec.h"

START_TEST(whole_items)
{
    struct readplus_args args = {.offset = UINT64_MAX - 4, .count = 9};
    struct readplus_segment segment = {READPLUS_CONTENT_HOLE, 1, 2, NULL};
    struct readplus_res res;
    struct bytes b;

    put_head(&b, 0, 1);
    put_hole(&b, UINT64_MAX - 4, 5);
    expect_error(readplus_res_decode(&args, b.p, b.len, 8, &segment, 1, &res),
                 READPLUS_ERR_INVAL);
    expect_error(readplus_res_decode(&args, NULL, b.len, 0, &segment, 1, &res),
                 READPLUS_ERR_INVAL);
    expect_fault(res.fault, READPLUS_ERR_INVAL, READPLUS_NO_SEGMENT, 0);
    expect_error(readplus_res_decode(&args, b.p, b.len, 0, &segment, 1, &res),
                 READPLUS_ERR_RANGE);
    expect_fault(res.fault, READPLUS_ERR_RANGE, 0, 16);
    ck_assert_uint_eq(res.count, 0);
    put_head(&b, 0, 1);
    put_hole(&b, UINT64_MAX - 4, 4);
    expect_error(readplus_res_decode(&args, b.p, b.len, 0, &segment, 1, &res),
                 READPLUS_OK);
    ck_assert_uint_eq(res.count, 1);
    ck_assert_uint_eq(segment.offset, UINT64_MAX - 4);
    ck_assert_uint_eq(segment.length, 4);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("decode_res");
    TCase *tc = check_case(s, "items");

    tcase_add_test(tc, whole_items);
    return check_run(s);
}
