/*
 * SEEK4args and SEEK4res: bytes put down by hand, cut at every place.
 */
#include "codec.h"

/* A field is named by where it starts: the last of these not above len. */
static uint64_t field_at(const uint64_t *ends, size_t len)
{
    uint64_t start = 0;

    for (; *ends <= len; ends++)
        start = *ends;
    return start;
}

/* --- arguments ----------------------------------------------------------- */

static void put_args(struct bytes *b, uint32_t what)
{
    size_t i;

    b->len = 0;
    put32(b, 0x80000001u);
    for (i = 0; i < 12; i++)
        put8(b, (uint8_t)(200 + i));
    put64(b, UINT64_MAX - 1);
    put32(b, what);
}

START_TEST(args_written)
{
    struct readplus_seek_args args = {
        UINT64_MAX - 1, (uint32_t)_i, {0x80000001u, {0}}};
    struct bytes want;
    size_t len, i;

    put_args(&want, (uint32_t)_i);
    memcpy(args.stateid.other, want.p + 4, 12);
    for (len = 0; len <= 29; len++) {
        uint8_t *buffer = malloc(len);
        enum readplus_error error = _i > 1     ? READPLUS_ERR_BAD_CONTENT
                                    : len < 28 ? READPLUS_ERR_NOSPACE
                                               : READPLUS_OK;

        memset(buffer, 0xa5, len);
        expect_error(readplus_seek_args_encode(&args, buffer, len), error);
        if (error == READPLUS_OK)
            ck_assert_mem_eq(buffer, want.p, 28);
        for (i = error == READPLUS_OK ? 28 : 0; i < len; i++)
            ck_assert_uint_eq(buffer[i], 0xa5);
        free(buffer);
    }
}
END_TEST

START_TEST(args_read)
{
    static const uint64_t ends[] = {4, 16, 24, 28, UINT64_MAX};
    struct readplus_seek_args args, stale;
    struct readplus_fault fault;
    enum readplus_error error;
    struct bytes b;
    size_t len, more;

    put_args(&b, _i < 3 ? (uint32_t)_i : 0x80000000u);
    put32(&b, 0xdeadbeefu);
    memset(&stale, 0xee, sizeof(stale));
    for (len = 0; len <= 32; len++)
        for (more = 0; more <= 1; more++) {
            uint8_t *block = exact_copy(b.p, len);

            error = len < 28            ? READPLUS_ERR_TRUNCATED
                    : _i > 1            ? READPLUS_ERR_BAD_CONTENT
                    : len > 28 && !more ? READPLUS_ERR_TRAILING
                                        : READPLUS_OK;
            memcpy(&args, &stale, sizeof(args));
            expect_error(
                readplus_seek_args_decode(block, len, more, &args, NULL),
                error);
            expect_error(
                readplus_seek_args_decode(block, len, more, &args, &fault),
                error);
            free(block);
            if (error != READPLUS_OK) {
                expect_fault(fault, error, READPLUS_NO_SEGMENT,
                             error == READPLUS_ERR_BAD_CONTENT
                                 ? 24
                                 : field_at(ends, len));
                ck_assert_mem_eq(&args, &stale, sizeof(args));
                continue;
            }
            ck_assert_uint_eq(args.offset, UINT64_MAX - 1);
            ck_assert_uint_eq(args.what, (uint32_t)_i);
            ck_assert_uint_eq(args.stateid.seqid, 0x80000001u);
            ck_assert_mem_eq(args.stateid.other, b.p + 4, 12);
        }
}
END_TEST

/* --- results ------------------------------------------------------------- */

static const struct readplus_seek_res results[] = {
    {0, true, 0x0102030405060708u},
    {0, false, UINT64_MAX},
    {6, true, 9}, /* NFS4ERR_NXIO: nothing follows */
    {UINT32_MAX, false, 0},
};

static void put_res(struct bytes *b, const struct readplus_seek_res *res)
{
    b->len = 0;
    put32(b, res->status);
    if (res->status != 0)
        return;
    put32(b, res->eof);
    put64(b, res->offset);
}

START_TEST(res_written)
{
    struct bytes want;
    size_t len, size, i;

    put_res(&want, &results[_i]);
    for (len = 0; len <= 17; len++) {
        uint8_t *buffer = malloc(len);
        bool fits = len >= want.len;

        memset(buffer, 0xa5, len);
        size = 77;
        expect_error(readplus_seek_res_encode(&results[_i], buffer, len, &size),
                     fits ? READPLUS_OK : READPLUS_ERR_NOSPACE);
        ck_assert_uint_eq(size, fits ? want.len : 77);
        if (fits)
            ck_assert_mem_eq(buffer, want.p, want.len);
        for (i = fits ? want.len : 0; i < len; i++)
            ck_assert_uint_eq(buffer[i], 0xa5);
        free(buffer);
    }
}
END_TEST

START_TEST(res_read)
{
    static const uint64_t good[] = {4, 8, 16, UINT64_MAX};
    static const uint64_t bad[] = {4, UINT64_MAX};
    struct readplus_seek_res res, stale;
    struct readplus_fault fault;
    enum readplus_error error;
    size_t len, whole, more, size;
    struct bytes b;

    put_res(&b, &results[_i]);
    whole = b.len;
    put32(&b, 0xdeadbeefu);
    memset(&stale, 0xee, sizeof(stale));
    for (len = 0; len <= b.len; len++)
        for (more = 0; more <= 1; more++) {
            uint8_t *block = exact_copy(b.p, len);

            error = len < whole            ? READPLUS_ERR_TRUNCATED
                    : len > whole && !more ? READPLUS_ERR_TRAILING
                                           : READPLUS_OK;
            memcpy(&res, &stale, sizeof(res));
            size = 77;
            expect_error(
                readplus_seek_res_decode(block, len, more, &res, &size, NULL),
                error);
            expect_error(
                readplus_seek_res_decode(block, len, more, &res, &size, &fault),
                error);
            free(block);
            if (error != READPLUS_OK) {
                expect_fault(fault, error, READPLUS_NO_SEGMENT,
                             field_at(whole == 4 ? bad : good, len));
                ck_assert_mem_eq(&res, &stale, sizeof(res));
                ck_assert_uint_eq(size, 77);
                continue;
            }
            ck_assert_uint_eq(size, whole);
            ck_assert_uint_eq(res.status, results[_i].status);
            ck_assert_int_eq(res.eof, res.status == 0 && results[_i].eof);
            ck_assert_uint_eq(res.offset,
                              res.status == 0 ? results[_i].offset : 0);
        }
}
END_TEST

/* In wire order: sr_eof is judged before sr_offset is missed. */
START_TEST(res_with_a_bad_bool)
{
    static const uint32_t bools[] = {2, 0x01000000u, 0x80000000u, UINT32_MAX};
    struct readplus_fault fault;
    struct readplus_seek_res res;
    struct bytes b;
    size_t len, size, i;

    for (i = 0; i < ARRAY_LEN(bools); i++) {
        b.len = 0;
        put32(&b, 0);
        put32(&b, bools[i]);
        put64(&b, 5);
        for (len = 8; len <= 16; len++) {
            expect_error(
                readplus_seek_res_decode(b.p, len, false, &res, &size, &fault),
                READPLUS_ERR_BAD_BOOL);
            expect_fault(fault, READPLUS_ERR_BAD_BOOL, READPLUS_NO_SEGMENT, 4);
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("seek");
    TCase *tc = check_case(s, "arguments");

    tcase_add_loop_test(tc, args_written, 0, 4);
    tcase_add_loop_test(tc, args_read, 0, 4);
    tc = check_case(s, "results");
    tcase_add_loop_test(tc, res_written, 0, (int)ARRAY_LEN(results));
    tcase_add_loop_test(tc, res_read, 0, (int)ARRAY_LEN(results));
    tcase_add_test(tc, res_with_a_bad_bool);
    return check_run(s);
}
