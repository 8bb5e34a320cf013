/*
 * The formulas of sizes and budgets, against numbers worked out by hand from
 * RFC 7863 and RFC 5531, and where there are few enough cases against all of
 * them.
 */
#include "codec.h"

/* --- elements and results ------------------------------------------------ */

START_TEST(data_sizes)
{
    static const struct {
        uint32_t length;
        uint64_t size;
    } rows[] = {
        {0, 16},
        {1, 20},
        {4, 20},
        {5, 24},
        {4096, 4112},
        {UINT32_MAX - 4, 0x10000000cu},
        {UINT32_MAX - 3, 0x10000000cu},
        {UINT32_MAX - 2, 0x100000010u},
        {UINT32_MAX, 0x100000010u},
    };
    size_t i;

    for (i = 0; i < ARRAY_LEN(rows); i++)
        ck_assert_uint_eq(readplus_data_size(rows[i].length), rows[i].size);
}
END_TEST

/* The largest length that fits, found by trying them all. */
START_TEST(data_fit_is_the_inverse_of_data_size)
{
    uint64_t room;
    uint32_t want, best;

    for (room = 0; room <= 64; room++)
        for (want = 0; want <= 64; want++) {
            for (best = want; best > 0; best--)
                if (readplus_data_size(best) <= room)
                    break;
            if (readplus_data_fit(room, want) != best)
                ck_abort_msg("room %d want %d", (int)room, (int)want);
        }
}
END_TEST

START_TEST(data_fit_at_32_and_64_bits)
{
    static const struct {
        uint64_t room, want;
        uint32_t fit;
    } rows[] = {
        {0x10000000fu, UINT64_MAX, UINT32_MAX - 3},
        {0x100000010u, UINT64_MAX, UINT32_MAX},
        {0x100000013u, UINT64_MAX, UINT32_MAX},
        {0x100000014u, UINT64_MAX, UINT32_MAX},
        {UINT64_MAX, UINT64_MAX, UINT32_MAX},
        {UINT64_MAX, 0x100000000u, UINT32_MAX},
        {UINT64_MAX, UINT32_MAX - 1, UINT32_MAX - 1},
        {19, UINT64_MAX, 0},
        {20, UINT64_MAX, 4},
        {0x100000000u, 0x100000001u, 0xfffffff0u},
    };
    size_t i;

    for (i = 0; i < ARRAY_LEN(rows); i++)
        ck_assert_uint_eq(readplus_data_fit(rows[i].room, rows[i].want),
                          rows[i].fit);
}
END_TEST

START_TEST(result_sizes)
{
    static const struct readplus_segment s[] = {
        {READPLUS_CONTENT_DATA, 0, 5, (const uint8_t *)"abcde"},
        {READPLUS_CONTENT_HOLE, 5, UINT64_MAX - 5, NULL},
        {READPLUS_CONTENT_DATA, 0, 0, NULL},
        {READPLUS_CONTENT_DATA, 7, UINT32_MAX, NULL},
    };
    static const uint64_t sizes[] = {12, 36, 56, 72, 0x100000058u};
    uint64_t size;
    size_t n;

    for (n = 0; n < ARRAY_LEN(sizes); n++) {
        expect_error(readplus_res_size(s, n, &size), READPLUS_OK);
        ck_assert_uint_eq(size, sizes[n]);
    }
    expect_error(readplus_res_size(NULL, 0, &size), READPLUS_OK);
    ck_assert_uint_eq(size, 12);
}
END_TEST

START_TEST(result_sizes_refuse)
{
    struct readplus_segment s[] = {
        {READPLUS_CONTENT_HOLE, 0, 9, NULL},
        {READPLUS_CONTENT_DATA, 9, (uint64_t)UINT32_MAX + 1, NULL},
    };
    uint64_t size = 77;

    expect_error(readplus_res_size(s, 2, &size), READPLUS_ERR_INVAL);
    s[1] = (struct readplus_segment){(enum readplus_content)2, 9, 1, NULL};
    expect_error(readplus_res_size(s, 2, &size), READPLUS_ERR_INVAL);
#if SIZE_MAX > UINT32_MAX
    expect_error(readplus_res_size(NULL, (size_t)UINT32_MAX + 1, &size),
                 READPLUS_ERR_INVAL);
#endif
    ck_assert_uint_eq(size, 77);
}
END_TEST

/* --- the message around it ----------------------------------------------- */

START_TEST(message_sizes)
{
    static const struct {
        uint32_t len;
        uint64_t padded;
    } rows[] = {{0, 0}, {1, 4},     {4, 4},
                {5, 8}, {400, 400}, {UINT32_MAX, 1ull << 32}};
    size_t i;

    for (i = 0; i < ARRAY_LEN(rows); i++) {
        ck_assert_uint_eq(readplus_compound_size(rows[i].len),
                          12 + rows[i].padded);
        ck_assert_uint_eq(readplus_rpc_size(rows[i].len), 24 + rows[i].padded);
    }
    /* spec: 104 + one hole + 5 bytes of data = 148, of which 56 the result */
    ck_assert_uint_eq(readplus_message_size(0, 0, 56), 148);
    ck_assert_uint_eq(readplus_message_size(0, 0, 12), 104);
    ck_assert_uint_eq(readplus_message_size(5, 3, 12), 104 + 8 + 4);
    ck_assert_uint_eq(readplus_message_size(0, 0, UINT64_MAX - 92), UINT64_MAX);
    ck_assert_uint_eq(readplus_message_size(0, 0, UINT64_MAX - 91), UINT64_MAX);
    ck_assert_uint_eq(readplus_message_size(0, 0, UINT64_MAX - 93),
                      UINT64_MAX - 1);
    ck_assert_uint_eq(readplus_message_size(9, 9, UINT64_MAX), UINT64_MAX);
    ck_assert_uint_eq(READPLUS_RECORD_MARK_SIZE, 4);
    ck_assert_uint_eq(READPLUS_OPCODE_SIZE, 4);
}
END_TEST

/* max, cached, cachethis, encoded, reserved; maxcount -1: not even an error
 * fits; nfsstat 0: there is enough room. */
static const struct {
    struct readplus_session session;
    int64_t maxcount;
    uint32_t nfsstat;
} sessions[] = {
    {{1048576, 4096, false, 88, 0}, 1048576 - 88 - 8, 0},
    {{1048576, 4096, true, 88, 0}, 4096 - 88 - 8, 0},
    {{4096, 1048576, true, 88, 0}, 4096 - 88 - 8, 0},
    {{1048576, 4096, false, 88, 1000}, 1048576 - 88 - 1000 - 8, 0},
    {{UINT32_MAX, 0, false, 0, 0}, (int64_t)UINT32_MAX - 8, 0},
    {{100, 0, false, 88, 4}, 0, 10066},
    {{100, 0, false, 88, 5}, -1, 10066},
    {{100, 0, false, 100, 0}, -1, 10066},
    {{100, 0, false, 101, 0}, -1, 10066},
    {{100, 0, false, UINT64_MAX, 0}, -1, 10066},
    {{100, 0, false, UINT64_MAX, UINT64_MAX}, -1, 10066},
    {{0, 0, true, 0, 0}, -1, 10066},
    {{124, 90, true, 88, 0}, -1, 10067},  /* 36 left: a byte would fit */
    {{123, 90, true, 88, 0}, -1, 10066},  /* it would not anyway */
    {{124, 120, true, 88, 0}, 24, 10067}, /* an answer fits, a byte not */
    {{123, 90, false, 88, 0}, 27, 10066}, /* nothing to cache */
};

START_TEST(session_budgets)
{
    uint32_t maxcount = 12345;
    enum readplus_error error =
        readplus_session_maxcount(&sessions[_i].session, &maxcount);

    if (sessions[_i].maxcount < 0) {
        expect_error(error, READPLUS_ERR_NOSPACE);
        ck_assert_uint_eq(maxcount, 12345);
    } else {
        expect_error(error, READPLUS_OK);
        ck_assert_uint_eq(maxcount, (uint64_t)sessions[_i].maxcount);
    }
    if (sessions[_i].nfsstat != 0)
        ck_assert_uint_eq(readplus_session_nfsstat(&sessions[_i].session),
                          sessions[_i].nfsstat);
}
END_TEST

/* A reply that uses all of maxcount is exactly as long as the session allows. */
START_TEST(session_budget_is_exact)
{
    struct readplus_session session = {1000, 0, false, 88, 0};
    uint32_t maxcount;

    expect_error(readplus_session_maxcount(&session, &maxcount), READPLUS_OK);
    ck_assert_uint_eq(readplus_message_size(0, 0, 4 + (uint64_t)maxcount),
                      1000);
}
END_TEST

/* --- limits -------------------------------------------------------------- */

START_TEST(presets)
{
    static const struct {
        int preset;
        uint32_t maxsegs, flags;
    } rows[] = {
        {READPLUS_PRESET_DEFAULT, 0, 0},
        {READPLUS_PRESET_LINUX_CLIENT, 0, READPLUS_LIMIT_LINUX},
        {READPLUS_PRESET_RDMA, 2, 0},
        {READPLUS_PRESET_SINGLE_DATA, 1, READPLUS_LIMIT_NO_HOLES},
        {READPLUS_PRESET_SINGLE, 1, READPLUS_LIMIT_ONE},
        {99, 0, 0},
        {-1, 0, 0},
    };
    struct readplus_limits limits;
    size_t i;

    for (i = 0; i < ARRAY_LEN(rows); i++) {
        memset(&limits, 0xa5, sizeof(limits));
        readplus_limits_init(&limits, (enum readplus_preset)rows[i].preset);
        ck_assert_uint_eq(limits.maxcount, UINT32_MAX);
        ck_assert_uint_eq(limits.maxsegs, rows[i].maxsegs);
        ck_assert_uint_eq(limits.minhole, 4096);
        ck_assert_uint_eq(limits.flags, rows[i].flags);
        ck_assert_uint_eq(limits.hole_lo, 0);
        ck_assert_uint_eq(limits.hole_hi, UINT64_MAX);
    }
}
END_TEST

START_TEST(flags_are_single_bits)
{
    static const uint32_t flags[] = {
        READPLUS_LIMIT_WHOLE, READPLUS_LIMIT_EXACT, READPLUS_LIMIT_LINUX,
        READPLUS_LIMIT_NO_HOLES, READPLUS_LIMIT_ONE};
    uint32_t seen = 0;
    size_t i;

    for (i = 0; i < ARRAY_LEN(flags); i++) {
        ck_assert_uint_ne(flags[i], 0);
        ck_assert_uint_eq(flags[i] & (flags[i] - 1), 0);
        ck_assert_uint_eq(seen & flags[i], 0);
        seen |= flags[i];
    }
}
END_TEST

/* --- budgets ------------------------------------------------------------- */

static struct readplus_budget budget_of(uint64_t offset, uint32_t count,
                                        enum readplus_preset preset,
                                        uint32_t maxcount)
{
    struct readplus_args args = {.offset = offset, .count = count};
    struct readplus_limits limits;
    struct readplus_budget budget;

    readplus_limits_init(&limits, preset);
    limits.maxcount = maxcount;
    expect_error(readplus_budget_init(&budget, &args, &limits), READPLUS_OK);
    return budget;
}

static void expect_budget(struct readplus_budget b, uint64_t file, uint64_t xdr,
                          uint32_t segments)
{
    ck_assert_uint_eq(b.file_bytes, file);
    ck_assert_uint_eq(b.xdr_bytes, xdr);
    ck_assert_uint_eq(b.segments, segments);
}

START_TEST(budget_begins)
{
    struct readplus_args args = {.count = 100};
    struct readplus_budget b = {1, 2, 3};
    struct readplus_limits limits;

    expect_budget(budget_of(9, 100, READPLUS_PRESET_DEFAULT, 8), 100, 0,
                  UINT32_MAX);
    expect_budget(budget_of(9, 100, READPLUS_PRESET_RDMA, 1000), 100, 992, 2);
    /* one data header and the count, rounded up: what a Linux client has */
    expect_budget(budget_of(9, 101, READPLUS_PRESET_LINUX_CLIENT, 1000), 101,
                  120, UINT32_MAX);
    expect_budget(budget_of(9, 101, READPLUS_PRESET_LINUX_CLIENT, 127), 101,
                  119, UINT32_MAX);
    expect_budget(
        budget_of(0, UINT32_MAX, READPLUS_PRESET_LINUX_CLIENT, UINT32_MAX),
        UINT32_MAX, UINT32_MAX - 8, UINT32_MAX);
    /* the range ends where offsets end */
    expect_budget(budget_of(UINT64_MAX - 3, 100, READPLUS_PRESET_DEFAULT, 28),
                  3, 20, UINT32_MAX);
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    for (limits.maxcount = 0; limits.maxcount < 8; limits.maxcount++)
        expect_error(readplus_budget_init(&b, &args, &limits),
                     READPLUS_ERR_NOSPACE);
    expect_budget(b, 1, 2, 3);
}
END_TEST

START_TEST(budget_spends_holes)
{
    struct readplus_budget b = {100, 59, 2};

    expect_error(readplus_budget_hole(&b, 101), READPLUS_ERR_INVAL);
    expect_budget(b, 100, 59, 2);
    expect_error(readplus_budget_hole(&b, 100), READPLUS_OK);
    expect_budget(b, 0, 39, 1);
    expect_error(readplus_budget_hole(&b, 0), READPLUS_OK);
    expect_budget(b, 0, 19, 0);
    expect_error(readplus_budget_hole(&b, 0), READPLUS_ERR_NOSPACE);
    b.xdr_bytes = 20;
    expect_error(readplus_budget_hole(&b, 0), READPLUS_ERR_LIMIT);
    expect_budget(b, 0, 20, 0);
}
END_TEST

START_TEST(budget_spends_data)
{
    struct readplus_budget b = {10, 100, 3};
    uint32_t got = 99;

    expect_error(readplus_budget_data(&b, 5, &got), READPLUS_OK);
    ck_assert_uint_eq(got, 5);
    expect_budget(b, 5, 76, 2);
    expect_error(readplus_budget_data(&b, UINT64_MAX, &got), READPLUS_OK);
    ck_assert_uint_eq(got, 5); /* never more than was asked for */
    expect_budget(b, 0, 52, 1);
    expect_error(readplus_budget_data(&b, 1, &got), READPLUS_OK);
    ck_assert_uint_eq(got, 0);
    expect_budget(b, 0, 52, 1);
    b = (struct readplus_budget){9, 26, 1};
    expect_error(readplus_budget_data(&b, 9, &got), READPLUS_OK);
    ck_assert_uint_eq(got, 8); /* 10 bytes left hold 8 and no fill */
    expect_budget(b, 1, 2, 0);
    got = 99;
    expect_error(readplus_budget_data(&b, 1, &got), READPLUS_ERR_NOSPACE);
    b.xdr_bytes = 20;
    expect_error(readplus_budget_data(&b, 1, &got), READPLUS_ERR_LIMIT);
    expect_error(readplus_budget_data(&b, 0, &got), READPLUS_OK);
    ck_assert_uint_eq(got, 0);
    expect_budget(b, 1, 20, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("size");
    TCase *tc = check_case(s, "elements");

    tcase_add_test(tc, data_sizes);
    tcase_add_test(tc, data_fit_is_the_inverse_of_data_size);
    tcase_add_test(tc, data_fit_at_32_and_64_bits);
    tcase_add_test(tc, result_sizes);
    tcase_add_test(tc, result_sizes_refuse);
    tc = check_case(s, "messages");
    tcase_add_test(tc, message_sizes);
    tcase_add_loop_test(tc, session_budgets, 0, (int)ARRAY_LEN(sessions));
    tcase_add_test(tc, session_budget_is_exact);
    tc = check_case(s, "limits");
    tcase_add_test(tc, presets);
    tcase_add_test(tc, flags_are_single_bits);
    tc = check_case(s, "budgets");
    tcase_add_test(tc, budget_begins);
    tcase_add_test(tc, budget_spends_holes);
    tcase_add_test(tc, budget_spends_data);
    return check_run(s);
}
