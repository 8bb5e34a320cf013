/*
 * The encoder that builds a reply piece by piece: budgets, short reads, where
 * elements may lie, eof.  Every reply it finishes goes through the strict
 * decoder.
 */
#include "encoder.h"

/* Finishes; the bytes must be those of want. */
static void finish_as(struct setup *t, const struct bytes *want)
{
    size_t len = 0;

    expect_error(readplus_encoder_finish(&t->encoder, &len), READPLUS_OK);
    ck_assert_uint_eq(len, want->len);
    ck_assert_mem_eq(t->buffer, want->p, len);
    free(t->buffer);
}

/* --- beginning ----------------------------------------------------------- */

START_TEST(init_refuses)
{
    struct setup t;
    size_t i;

    setup_init(&t, 0, 100, 100, 0);
    expect_error(readplus_encoder_init(&t.encoder, &t.args, 100, &t.limits,
                                       NULL, BUFFER),
                 READPLUS_ERR_INVAL);
    for (t.len = 0; t.len < 12; t.len++) {
        expect_error(start(&t), READPLUS_ERR_NOSPACE);
        for (i = 0; i < t.len; i++)
            ck_assert_uint_eq(t.buffer[i], 0xa5);
        free(t.buffer);
    }
    t.len = BUFFER;
    for (t.limits.maxcount = 0; t.limits.maxcount < 8; t.limits.maxcount++) {
        expect_error(start(&t), READPLUS_ERR_NOSPACE);
        for (i = 0; i < t.len; i++)
            ck_assert_uint_eq(t.buffer[i], 0xa5);
        free(t.buffer);
    }
}
END_TEST

/* Nothing to say takes 12 bytes: maxcount 8. */
START_TEST(empty_replies)
{
    static const struct {
        uint64_t offset;
        uint32_t count;
        uint64_t file_size;
        bool eof;
    } rows[] = {
        {0, 0, 0, true},    {0, 10, 0, true},           {0, 0, 10, false},
        {9, 0, 10, false},  {10, 0, 10, true},          {10, 10, 10, true},
        {99, 10, 10, true}, {UINT64_MAX, 10, 10, true},
    };
    struct bytes want;
    struct setup t;
    uint32_t granted;

    setup_init(&t, rows[_i].offset, rows[_i].count, rows[_i].file_size, 0);
    t.limits.maxcount = 8;
    t.len = 12;
    expect_error(start(&t), READPLUS_OK);
    expect_error(data(&t, rows[_i].offset, 10, 10, &granted), READPLUS_OK);
    ck_assert_uint_eq(granted, 0);
    expect_error(hole(&t, rows[_i].offset, 0), READPLUS_OK);
    ck_assert_uint_eq(readplus_encoder_next(&t.encoder), rows[_i].offset);
    put_head(&want, rows[_i].eof, 0);
    finish_as(&t, &want);
}
END_TEST

/* --- budgets ------------------------------------------------------------- */

/* Room for one element of data, every maxcount, bounded by it or by the
 * buffer: what fits is sent, to the byte, and less is said out loud. */
static void all_data(uint32_t maxcount, bool by_buffer)
{
    struct bytes want;
    struct setup t;
    uint32_t granted = 77;
    size_t len = 77;
    uint32_t fit = maxcount < 28 ? 0 : (maxcount - 24) / 4 * 4;

    fit = fit > 101 ? 101 : fit;
    setup_init(&t, 7, 101, 108, 0);
    t.limits.maxcount = by_buffer ? UINT32_MAX : maxcount;
    t.len = by_buffer ? maxcount + 4 : BUFFER;
    if (maxcount < 8) {
        expect_error(start(&t), READPLUS_ERR_NOSPACE);
        free(t.buffer);
        return;
    }
    expect_error(start(&t), READPLUS_OK);
    if (fit == 0) {
        expect_error(data(&t, 7, 101, 101, &granted), READPLUS_ERR_NOSPACE);
        expect_error(hole(&t, 7, 101), READPLUS_ERR_NOSPACE);
        ck_assert_uint_eq(granted, 77);
        expect_error(readplus_encoder_finish(&t.encoder, &len),
                     READPLUS_ERR_NO_PROGRESS);
        ck_assert_uint_eq(len, 77);
        free(t.buffer);
        return;
    }
    expect_error(data(&t, 7, 101, 101, &granted), READPLUS_OK);
    ck_assert_uint_eq(granted, fit);
    ck_assert_uint_eq(readplus_encoder_next(&t.encoder), 7 + fit);
    put_head(&want, fit == 101, 1);
    put_data(&want, 7, fit);
    finish_as(&t, &want);
}

START_TEST(every_maxcount)
{
    all_data((uint32_t)_i, false);
    all_data((uint32_t)_i, true);
}
END_TEST

/* A hole, data, a hole: each maxcount covers at least what the one before
 * did, and what does not fit leaves no trace. */
START_TEST(more_room_never_covers_less)
{
    uint64_t before = 0;
    uint32_t maxcount, granted;
    struct setup t;
    size_t len, used;

    for (maxcount = 28; maxcount <= 120; maxcount++) {
        setup_init(&t, 0, 1000, 1000, 0);
        t.limits.maxcount = maxcount;
        expect_error(start(&t), READPLUS_OK);
        (void)(hole(&t, 0, 300) || data(&t, 300, 13, 13, &granted) ||
               hole(&t, readplus_encoder_next(&t.encoder), 687));
        ck_assert_uint_ge(readplus_encoder_next(&t.encoder), before);
        before = readplus_encoder_next(&t.encoder);
        expect_error(readplus_encoder_finish(&t.encoder, &len), READPLUS_OK);
        ck_assert_uint_le(len, maxcount + 4);
        for (used = len; used < t.len; used++)
            ck_assert_uint_eq(t.buffer[used], 0xa5);
        free(t.buffer);
    }
    ck_assert_uint_eq(before, 1000);
}
END_TEST

START_TEST(maxsegs)
{
    struct bytes want;
    struct setup t;
    uint32_t granted = 77;

    setup_init(&t, 0, 100, 100, 0);
    t.limits.maxsegs = 2;
    expect_error(start(&t), READPLUS_OK);
    expect_error(hole(&t, 0, 10), READPLUS_OK);
    expect_error(data(&t, 10, 10, 10, &granted), READPLUS_OK);
    granted = 77;
    expect_error(data(&t, 20, 10, 10, &granted), READPLUS_ERR_LIMIT);
    expect_error(hole(&t, 20, 10), READPLUS_ERR_LIMIT);
    ck_assert_uint_eq(granted, 77);
    put_head(&want, 0, 2);
    put_hole(&want, 0, 10);
    put_data(&want, 10, 10);
    finish_as(&t, &want);
}
END_TEST

/* --- short reads --------------------------------------------------------- */

START_TEST(short_reads_shrink)
{
    struct bytes want;
    struct setup t;
    uint32_t granted;

    setup_init(&t, 0, 100, 100, 0);
    expect_error(start(&t), READPLUS_OK);
    expect_error(data(&t, 0, 50, (uint32_t)_i, &granted), READPLUS_OK);
    ck_assert_uint_eq(granted, 50);
    ck_assert_uint_eq(readplus_encoder_next(&t.encoder), (uint64_t)_i);
    expect_error(hole(&t, (uint64_t)_i, 10), READPLUS_OK);
    put_head(&want, 0, _i > 0 ? 2 : 1);
    if (_i > 0)
        put_data(&want, 0, (uint32_t)_i);
    put_hole(&want, (uint64_t)_i, 10);
    finish_as(&t, &want);
}
END_TEST

/* What was not filled is room again. */
START_TEST(short_reads_give_room_back)
{
    struct bytes want;
    struct setup t;
    uint32_t granted;

    setup_init(&t, 0, 1000, 1000, 0);
    t.limits.maxcount = 8 + 20 + 24;
    expect_error(start(&t), READPLUS_OK);
    expect_error(data(&t, 0, 1000, 0, &granted), READPLUS_OK);
    ck_assert_uint_eq(granted, 28);
    expect_error(data(&t, 0, 1000, 4, &granted), READPLUS_OK);
    ck_assert_uint_eq(granted, 28);
    expect_error(data(&t, 4, 1000, 8, &granted), READPLUS_OK);
    ck_assert_uint_eq(granted, 8);
    put_head(&want, 0, 2);
    put_data(&want, 0, 4);
    put_data(&want, 4, 8);
    finish_as(&t, &want);
}
END_TEST

START_TEST(calls_out_of_order)
{
    struct setup t;
    uint32_t granted;
    uint8_t *to;
    size_t len;

    setup_init(&t, 0, 100, 100, 0);
    expect_error(start(&t), READPLUS_OK);
    expect_error(readplus_encoder_data_commit(&t.encoder, 0),
                 READPLUS_ERR_STATE);
    expect_error(readplus_encoder_data_begin(&t.encoder, 0, 10, &to, &granted),
                 READPLUS_OK);
    ck_assert_ptr_eq(to, t.buffer + 12 + 16);
    expect_error(readplus_encoder_data_begin(&t.encoder, 0, 10, &to, &granted),
                 READPLUS_ERR_STATE);
    expect_error(hole(&t, 0, 10), READPLUS_ERR_STATE);
    expect_error(readplus_encoder_finish(&t.encoder, &len), READPLUS_ERR_STATE);
    expect_error(readplus_encoder_data_commit(&t.encoder, 11),
                 READPLUS_ERR_INVAL);
    memset(to, 1, 10);
    expect_error(readplus_encoder_data_commit(&t.encoder, 10), READPLUS_OK);
    expect_error(readplus_encoder_data_commit(&t.encoder, 1),
                 READPLUS_ERR_STATE);
    expect_error(readplus_encoder_finish(&t.encoder, &len), READPLUS_OK);
    expect_error(readplus_encoder_finish(&t.encoder, &len), READPLUS_ERR_STATE);
    expect_error(hole(&t, 10, 10), READPLUS_ERR_STATE);
    expect_error(readplus_encoder_data_begin(&t.encoder, 10, 1, &to, &granted),
                 READPLUS_ERR_STATE);
    expect_error(readplus_encoder_data_commit(&t.encoder, 0),
                 READPLUS_ERR_STATE);
    free(t.buffer);
}
END_TEST

/* --- where elements lie -------------------------------------------------- */

/* After `first` bytes of hole from 100 on; the request is [100, 200). */
static const struct {
    uint32_t first;
    uint64_t offset, length;
    enum readplus_error of_hole, of_data;
} places[] = {
    {0, 100, 1, READPLUS_OK, READPLUS_OK},
    {0, 101, 1, READPLUS_ERR_LATE_START, READPLUS_ERR_LATE_START},
    {0, 99, 5, READPLUS_OK, READPLUS_ERR_ORDER},
    {0, 0, 5, READPLUS_OK, READPLUS_ERR_ORDER},
    {0, UINT64_MAX, 1, READPLUS_ERR_RANGE, READPLUS_ERR_LATE_START},
    {10, 110, 1, READPLUS_OK, READPLUS_OK},
    {10, 111, 1, READPLUS_ERR_GAP, READPLUS_ERR_GAP},
    {10, 109, 1, READPLUS_ERR_OVERLAP, READPLUS_ERR_OVERLAP},
    {10, 100, 1, READPLUS_ERR_OVERLAP, READPLUS_ERR_OVERLAP},
    {10, 99, 1, READPLUS_ERR_ORDER, READPLUS_ERR_ORDER},
    {10, 110, UINT64_MAX, READPLUS_ERR_RANGE, READPLUS_OK},
};

/* Refusals change neither the encoder nor the buffer. */
START_TEST(elements_in_wrong_places)
{
    struct readplus_encoder before;
    uint8_t bytes[BUFFER];
    enum readplus_error error;
    uint32_t granted = 77;
    struct setup t;
    int as_data;

    for (as_data = 0; as_data < 2; as_data++) {
        setup_init(&t, 100, 100, 1000, 0);
        expect_error(start(&t), READPLUS_OK);
        if (places[_i].first > 0)
            expect_error(hole(&t, 100, places[_i].first), READPLUS_OK);
        memcpy(&before, &t.encoder, sizeof(before));
        memcpy(bytes, t.buffer, sizeof(bytes));
        error = as_data ? data(&t, places[_i].offset, places[_i].length, 1,
                               &granted)
                        : hole(&t, places[_i].offset, places[_i].length);
        expect_error(error, as_data ? places[_i].of_data : places[_i].of_hole);
        if (error != READPLUS_OK) {
            ck_assert_mem_eq(&before, &t.encoder, sizeof(before));
            ck_assert_mem_eq(bytes, t.buffer, sizeof(bytes));
        }
        free(t.buffer);
    }
}
END_TEST

/* [offset, length) of a hole in a file of 1000 bytes, request [100, 200),
 * lock [lo, hi): what is told of it; length 0: nothing. */
static const struct {
    uint32_t flags;
    uint64_t lo, hi, offset, length, told, told_length;
} cuts[] = {
    {0, 0, UINT64_MAX, 0, 1000, 100, 100},
    {0, 0, UINT64_MAX, 100, 5, 100, 5},
    {0, 0, UINT64_MAX, 0, 100, 0, 0},
    {0, 0, UINT64_MAX, 0, 101, 100, 1},
    {READPLUS_LIMIT_WHOLE, 0, UINT64_MAX, 0, 1000, 0, 1000},
    {READPLUS_LIMIT_WHOLE, 0, UINT64_MAX, 50, 5000, 50, 950},
    {READPLUS_LIMIT_WHOLE, 0, UINT64_MAX, 0, 100, 0, 0},
    {READPLUS_LIMIT_WHOLE, 60, 300, 50, 900, 60, 240},
    {READPLUS_LIMIT_WHOLE, 100, 200, 50, 900, 100, 100},
    {READPLUS_LIMIT_WHOLE, 150, 160, 50, 900, 100, 100},
    {READPLUS_LIMIT_WHOLE, 60, 300, 70, 100, 70, 100},
    {READPLUS_LIMIT_WHOLE | READPLUS_LIMIT_LINUX, 0, UINT64_MAX, 0, 1000, 100,
     900},
    {READPLUS_LIMIT_WHOLE | READPLUS_LIMIT_LINUX, 0, UINT64_MAX, 0, 200, 0,
     200},
    {READPLUS_LIMIT_WHOLE | READPLUS_LIMIT_LINUX, 0, UINT64_MAX, 0, 201, 100,
     101},
};

START_TEST(holes_are_cut)
{
    struct bytes want;
    struct setup t;
    size_t len;

    setup_init(&t, 100, 100, 1000, cuts[_i].flags);
    t.limits.hole_lo = cuts[_i].lo;
    t.limits.hole_hi = cuts[_i].hi;
    expect_error(start(&t), READPLUS_OK);
    expect_error(hole(&t, cuts[_i].offset, cuts[_i].length), READPLUS_OK);
    if (cuts[_i].told_length == 0) {
        ck_assert_uint_eq(readplus_encoder_next(&t.encoder), 100);
        expect_error(readplus_encoder_finish(&t.encoder, &len),
                     READPLUS_ERR_NO_PROGRESS);
        free(t.buffer);
        return;
    }
    put_head(&want, 0, 1);
    put_hole(&want, cuts[_i].told, cuts[_i].told_length);
    finish_as(&t, &want);
}
END_TEST

START_TEST(no_holes_means_none)
{
    struct setup t;

    setup_init(&t, 0, 100, 100, READPLUS_LIMIT_NO_HOLES);
    expect_error(start(&t), READPLUS_OK);
    expect_error(hole(&t, 0, 100), READPLUS_ERR_INVAL);
    free(t.buffer);
}
END_TEST

/* Data that nothing may follow, because the wire has run ahead of the file:
 * 16 + rnd4(length) against 16 + length. */
START_TEST(linux_running_rule)
{
    bool ahead = _i % 4 != 0;
    struct bytes want;
    uint32_t granted = 0;
    struct setup t;

    setup_init(&t, 0, 200, 200, READPLUS_LIMIT_LINUX);
    expect_error(start(&t), READPLUS_OK);
    expect_error(data(&t, 0, (uint32_t)_i, (uint32_t)_i, &granted),
                 READPLUS_OK);
    ck_assert_uint_eq(granted, (uint32_t)_i);
    expect_error(hole(&t, (uint32_t)_i, 50),
                 ahead ? READPLUS_ERR_NOSPACE : READPLUS_OK);
    if (ahead)
        expect_error(data(&t, (uint32_t)_i, 9, 9, &granted),
                     READPLUS_ERR_NOSPACE);
    put_head(&want, 0, ahead ? 1 : 2);
    put_data(&want, 0, (uint32_t)_i);
    if (!ahead)
        put_hole(&want, (uint32_t)_i, 50);
    finish_as(&t, &want);
}
END_TEST

/* --- eof ----------------------------------------------------------------- */

/* Request [0, asked), hole up to `hole`, size at first and at the end. */
static const struct {
    uint32_t asked;
    uint64_t hole, size, size_at_end;
    uint32_t flags;
    enum readplus_error error;
    bool eof;
} ends[] = {
    {100, 100, 100, 100, 0, READPLUS_OK, true},
    {100, 99, 100, 100, 0, READPLUS_OK, false}, /* short: law 4, A2 */
    {99, 100, 100, 100, 0, READPLUS_OK, false},
    {99, 100, 100, 100, READPLUS_LIMIT_WHOLE, READPLUS_OK, false}, /* A3 */
    {200, 100, 100, 100, 0, READPLUS_OK, true},
    {100, 100, 100, 101, 0, READPLUS_OK, false}, /* grew */
    {100, 50, 100, 50, 0, READPLUS_OK, true},    /* shrank to what is told */
    {100, 50, 100, 49, 0, READPLUS_ERR_CHANGED, false},
    {100, 0, 100, 0, 0, READPLUS_OK, true}, /* shrank to nothing */
    {100, 0, 100, 1, 0, READPLUS_ERR_NO_PROGRESS, false},
    {0, 0, 100, 100, 0, READPLUS_OK, false}, /* A12 */
};

START_TEST(eof_is_computed)
{
    struct bytes want;
    struct setup t;
    size_t len = 77;

    setup_init(&t, 0, ends[_i].asked, ends[_i].size, ends[_i].flags);
    expect_error(start(&t), READPLUS_OK);
    expect_error(hole(&t, 0, ends[_i].hole), READPLUS_OK);
    readplus_encoder_set_file_size(&t.encoder, ends[_i].size_at_end);
    if (ends[_i].error != READPLUS_OK) {
        expect_error(readplus_encoder_finish(&t.encoder, &len), ends[_i].error);
        ck_assert_uint_eq(len, 77);
        ck_assert_uint_eq(t.buffer[0], 0xa5);
        readplus_encoder_set_file_size(&t.encoder, 0);
        free(t.buffer);
        return;
    }
    put_head(&want, ends[_i].eof, readplus_encoder_next(&t.encoder) > 0);
    if (readplus_encoder_next(&t.encoder) > 0)
        put_hole(&want, 0, readplus_encoder_next(&t.encoder));
    finish_as(&t, &want);
}
END_TEST

/* The file shrinks between begin and commit, the reader does not notice. */
START_TEST(data_past_the_end_is_not_sent)
{
    uint32_t granted;
    struct setup t;
    size_t len;

    setup_init(&t, 0, 100, 100, 0);
    expect_error(start(&t), READPLUS_OK);
    expect_error(data(&t, 0, 100, 60, &granted), READPLUS_OK);
    readplus_encoder_set_file_size(&t.encoder, 59);
    expect_error(readplus_encoder_finish(&t.encoder, &len),
                 READPLUS_ERR_CHANGED);
    free(t.buffer);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("encoder");
    TCase *tc = check_case(s, "beginning");

    tcase_add_test(tc, init_refuses);
    tcase_add_loop_test(tc, empty_replies, 0, 8);
    tc = check_case(s, "budgets");
    tcase_add_loop_test(tc, every_maxcount, 0, 201);
    tcase_add_test(tc, more_room_never_covers_less);
    tcase_add_test(tc, maxsegs);
    tc = check_case(s, "short reads");
    tcase_add_loop_test(tc, short_reads_shrink, 0, 51);
    tcase_add_test(tc, short_reads_give_room_back);
    tcase_add_test(tc, calls_out_of_order);
    tc = check_case(s, "places");
    tcase_add_loop_test(tc, elements_in_wrong_places, 0,
                        (int)ARRAY_LEN(places));
    tcase_add_loop_test(tc, holes_are_cut, 0, (int)ARRAY_LEN(cuts));
    tcase_add_test(tc, no_holes_means_none);
    tcase_add_loop_test(tc, linux_running_rule, 1, 101);
    tc = check_case(s, "eof");
    tcase_add_loop_test(tc, eof_is_computed, 0, (int)ARRAY_LEN(ends));
    tcase_add_test(tc, data_past_the_end_is_not_sent);
    return check_run(s);
}
