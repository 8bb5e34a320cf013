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

/* Decodes b within a request at `offset`, and expects what the iterator says. */
static void decode_as_iterator(struct bytes *b, uint64_t offset,
                               enum readplus_error error)
{
    struct readplus_args args = {.offset = offset, .count = 4096};
    struct readplus_segment got[4] = {{READPLUS_CONTENT_DATA, 0, 0, NULL}}, s;
    struct readplus_decoder decoder;
    struct readplus_fault fault;
    struct readplus_res res;
    uint8_t *copy = exact_copy(b->p, b->len);
    size_t n = 0;

    memset(&res, 0xa5, sizeof(res));
    expect_error(readplus_res_decode(&args, copy, b->len, 0, got, 4, &res),
                 error);
    if (readplus_decoder_init_buffer(&decoder, &args, copy, b->len, 0) !=
        READPLUS_OK)
        ck_assert_uint_eq(res.count, 0);
    while (readplus_decoder_next(&decoder, &s) == READPLUS_OK) {
        ck_assert_int_eq(got[n].content, s.content);
        ck_assert_uint_eq(got[n].offset, s.offset);
        ck_assert_uint_eq(got[n].length, s.length);
        ck_assert_ptr_eq(got[n].data, s.data);
        n++;
    }
    fault = readplus_decoder_fault(&decoder);
    expect_fault(res.fault, fault.error, fault.segment, fault.at);
    ck_assert_int_eq(fault.error, error);
    ck_assert_uint_eq(res.count, n);
    ck_assert_uint_eq(res.status, 0);
    ck_assert_int_eq(res.eof, readplus_decoder_eof(&decoder));
    ck_assert_uint_eq(res.size, readplus_decoder_consumed(&decoder));
    free(copy);
}

/* What hardly differs from a reply that is taken without a second look. */
START_TEST(nearly_plain)
{
    struct bytes b;

    put_head(&b, 1, 1);
    put_hole(&b, 8, 4);
    decode_as_iterator(&b, 8, READPLUS_OK);
    put_head(&b, 0, 1);
    put_data(&b, 8, 7);
    decode_as_iterator(&b, 8, READPLUS_OK);
    b.p[b.len - 1] = 1; /* the fill */
    decode_as_iterator(&b, 8, READPLUS_ERR_BAD_PAD);
    put_head(&b, 0, 1);
    put_data(&b, 8, 4);
    b.p[27] = (uint8_t)(b.len + 4); /* a length of more than there is */
    decode_as_iterator(&b, 8, READPLUS_ERR_TRUNCATED);
    put_head(&b, 0, 1);
    put_hole(&b, 0, 4); /* all of it before the request */
    decode_as_iterator(&b, 8, READPLUS_OK);
    put_head(&b, 0, 0);
    put_hole(&b, 8, 4); /* none that the count knows of */
    decode_as_iterator(&b, 8, READPLUS_ERR_TRAILING);
    put_head(&b, 0, 2);
    put_hole(&b, 8, 4);
    put_hole(&b, 4, 4); /* behind the one that stands at 8 */
    decode_as_iterator(&b, 8, READPLUS_ERR_ORDER);
    put_head(&b, 0, 2);
    put_hole(&b, 8, 4);
    put_hole(&b, 12, 4);
    put_hole(&b, 16, 4); /* one more than the count says */
    decode_as_iterator(&b, 8, READPLUS_ERR_TRAILING);
    put_head(&b, 2, 0); /* no boolean */
    decode_as_iterator(&b, 8, READPLUS_ERR_BAD_BOOL);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("decode_res");
    TCase *tc = check_case(s, "items");

    tcase_add_test(tc, whole_items);
    tcase_add_test(tc, nearly_plain);
    return check_run(s);
}
