/*
 * Delivery in place: where a reply is to be received, what our own planner's
 * replies need, and wrong use.
 */
#include "lay.h"

/* --- where to receive ---------------------------------------------------- */

/* Bytes that may not be written: a single data element of any length, placed
 * as documented, is delivered without one store. */
START_TEST(data_in_its_place_is_not_touched)
{
    static struct reply r;
    struct readplus_result result;
    struct readplus_expansion e;
    struct iovec iov;
    uint32_t n;

    for (n = 1; n < 4200; n = n < 20 ? n + 1 : n * 3 + 1) {
        r.args = (struct readplus_args){.offset = 8, .count = n};
        r.count = 1;
        r.segments[0] =
            (struct readplus_segment){READPLUS_CONTENT_DATA, 8, n, NULL};
        reply_encode(&r, true);
        iov.iov_len = READPLUS_EXPAND_FRONT + n + READPLUS_EXPAND_BACK;
        iov.iov_base = guard_place(&row, iov.iov_len, n % 2 == 0);
        e = (struct readplus_expansion){.args = r.args,
                                        .iov = &iov,
                                        .pieces = 1,
                                        .reply_len = r.len,
                                        .content = READPLUS_EXPAND_FRONT,
                                        .content_len = n};
        ck_assert_int_eq(readplus_expand_place(n, r.len, &e.reply),
                         READPLUS_OK);
        ck_assert_uint_eq(e.reply, 0);
        memcpy(row.at, r.bytes, r.len);
        ck_assert_int_eq(mprotect(row.pages, row.size, PROT_READ), 0);
        ck_assert_int_eq(readplus_expand(&e, &result), READPLUS_OK);
        ck_assert_uint_eq(result.bytes, n);
        ck_assert(result.eof);
        ck_assert_int_eq(mprotect(row.pages, row.size, PROT_READ | PROT_WRITE),
                         0);
        ck_assert_mem_eq(row.at + e.content, r.segments[0].data, n);
        guard_check(&row);
    }
}
END_TEST

START_TEST(place_says_what_does_not_fit)
{
    uint64_t at = 7;

    ck_assert_int_eq(readplus_expand_place(4, 33, &at), READPLUS_ERR_NOSPACE);
    ck_assert_int_eq(readplus_expand_place(UINT64_MAX, 33, &at),
                     READPLUS_ERR_NOSPACE);
    ck_assert_int_eq(readplus_expand_place(UINT64_MAX - 28, 33, &at),
                     READPLUS_ERR_NOSPACE);
    ck_assert_uint_eq(at, 7);
    ck_assert_int_eq(readplus_expand_place(4, 32, &at), READPLUS_OK);
    ck_assert_uint_eq(at, 0);
    ck_assert_int_eq(readplus_expand_place(5, 32, &at), READPLUS_OK);
    ck_assert_uint_eq(at, 4);
    ck_assert_int_eq(readplus_expand_place(0, 0, &at), READPLUS_OK);
    ck_assert_uint_eq(at, 28);
}
END_TEST

/* A file of `pieces` extents, planned into r. */
static void plan_random(struct reply *r, const struct readplus_limits *limits,
                        uint64_t *seed)
{
    static const uint32_t reaches[] = {8, 45, 60, 120};
    uint32_t i, reach = reaches[below(seed, 4)];
    struct readplus_plan plan;
    uint64_t at = 100, lengths[64];
    enum readplus_error error = READPLUS_OK;

    for (i = 0; i < 60; i++)
        at += lengths[i] = 1 + below(seed, reach);
    r->args = (struct readplus_args){.offset = 100 + below(seed, 30),
                                     .count = 1 + below(seed, 3000)};
    MUST(readplus_plan_init(&plan, &r->args, at, limits, r->segments, 64) ==
         READPLUS_OK);
    for (i = 0, at = 100; i < 60 && error == READPLUS_OK; at += lengths[i++])
        error = readplus_plan_add(
            &plan, i % 2 == 0 ? READPLUS_CONTENT_DATA : READPLUS_CONTENT_HOLE,
            at, lengths[i]);
    MUST(error >= 0);
    MUST(readplus_plan_finish(&plan) == READPLUS_OK);
    r->count = readplus_plan_count(&plan);
    reply_encode(r, readplus_plan_eof(&plan));
}

/* The bound of readplus/expand.h: whatever our planner says fits in place. */
START_TEST(our_own_replies_need_31_bytes)
{
    static const enum readplus_preset presets[] = {
        READPLUS_PRESET_LINUX_CLIENT, READPLUS_PRESET_DEFAULT,
        READPLUS_PRESET_RDMA, READPLUS_PRESET_SINGLE_DATA,
        READPLUS_PRESET_SINGLE};
    static struct reply r;
    static struct lay l;
    uint64_t seed = 5, at;
    int i;

    for (i = 0; i < 40000; i++) {
        struct readplus_limits limits;
        size_t count;

        readplus_limits_init(&limits, presets[below(&seed, 5)]);
        limits.minhole = below(&seed, 3) == 0 ? 16 : 0;
        if (below(&seed, 2) == 0)
            limits.maxcount = 28 + below(&seed, 2000);
        if (limits.flags & READPLUS_LIMIT_LINUX && below(&seed, 2) == 0)
            limits.flags |= READPLUS_LIMIT_WHOLE;
        plan_random(&r, &limits, &seed);
        count = r.args.count;
        MUST(readplus_expand_place(count, r.len, &at) == READPLUS_OK);
        l.how = ONE;
        lay_out(&l, &r.args, r.bytes, r.len, count + 31, (size_t)at, 28, count,
                0, &seed);
        expand_is_model(&l, &r, true);
    }
}
END_TEST

/* Where the buffer is known to be zero, and the reply did not lie, no hole is
 * written: the lie stays visible. */
START_TEST(zeroed_holes_are_written_where_the_reply_lay)
{
    static struct reply r = {.args = {.offset = 0, .count = 300}, .count = 2};
    struct readplus_result result;
    struct readplus_expansion e;
    struct iovec iov;
    size_t at, i;

    r.segments[0] =
        (struct readplus_segment){READPLUS_CONTENT_HOLE, 0, 290, NULL};
    r.segments[1] =
        (struct readplus_segment){READPLUS_CONTENT_DATA, 290, 10, NULL};
    reply_encode(&r, true);
    for (at = 0; at + r.len <= 300; at += 20) {
        iov = (struct iovec){guard_place(&row, 300, at % 40 == 0), 300};
        e = (struct readplus_expansion){.args = r.args,
                                        .iov = &iov,
                                        .pieces = 1,
                                        .reply = at,
                                        .reply_len = r.len,
                                        .content_len = 300,
                                        .flags = READPLUS_SCATTER_ZEROED};
        memset(row.at, 0xee, 300);
        memcpy(row.at + at, r.bytes, r.len);
        ck_assert_int_eq(readplus_expand(&e, &result), READPLUS_OK);
        ck_assert_uint_eq(result.zero_bytes, 290);
        for (i = 0; i < 290; i++)
            MUST(row.at[i] == (i >= at && i < at + r.len ? 0 : 0xee));
        ck_assert_mem_eq(row.at + 290, r.segments[1].data, 10);
        guard_check(&row);
    }
}
END_TEST

/* --- wrong use ----------------------------------------------------------- */

START_TEST(wrong_use_is_refused)
{
    static uint8_t bytes[64];
    struct iovec iov = {bytes, sizeof(bytes)};
    struct readplus_expansion good = {.args = {.offset = 0, .count = 20},
                                      .iov = &iov,
                                      .pieces = 1,
                                      .reply = 0,
                                      .reply_len = 12,
                                      .content = 44,
                                      .content_len = 20},
                              e = good;
    struct readplus_result result = {.bytes = 99};
    uint64_t slack = 99;
    int i;

    ck_assert_int_eq(readplus_expand_slack(&good, &slack), READPLUS_OK);
    ck_assert_uint_eq(slack, 0);
    slack = 99;
    for (i = 0; i < (SIZE_MAX > UINT32_MAX ? 7 : 6); i++, e = good) {
        struct iovec huge[2] = {iov, {bytes, SIZE_MAX}};
        struct iovec nowhere = {NULL, 64};

        switch (i) {
        case 0:
            e.iov = NULL;
            break;
        case 1:
            e.reply_len = 65;
            break;
        case 2:
            e.reply = 65;
            break;
        case 3:
            e.content = UINT64_MAX;
            break;
        case 4:
            e.flags = 0x8u;
            break;
        case 5:
            e.iov = &nowhere;
            break;
        case 6: /* its sum passes 2^64 */
            e.iov = huge;
            e.pieces = 2;
            break;
        }
        ck_assert_int_eq(readplus_expand(&e, &result), READPLUS_ERR_INVAL);
        ck_assert_int_eq(readplus_expand_slack(&e, &slack), READPLUS_ERR_INVAL);
        ck_assert_int_eq(readplus_expand_segments(&e, NULL, 0, &result),
                         READPLUS_ERR_INVAL);
        ck_assert_uint_eq(result.bytes, 99);
        ck_assert_uint_eq(slack, 99);
    }
}
END_TEST

#if SIZE_MAX > UINT32_MAX
/* 2^62 - 1 bytes, to the last; what lies behind the pieces does not count. */
START_TEST(the_longest_row)
{
    static uint8_t bytes[64];
    const size_t most = ((size_t)1 << 62) - 1;
    struct iovec iov[2] = {{bytes, most}, {bytes, 1}};
    struct readplus_expansion e = {.args = {.offset = 0, .count = 20},
                                   .iov = iov,
                                   .pieces = 1,
                                   .reply_len = 12,
                                   .content_len = 20};
    uint64_t slack;

    ck_assert_int_eq(readplus_expand_slack(&e, &slack), READPLUS_OK);
    e.content = most - 20;
    ck_assert_int_eq(readplus_expand_slack(&e, &slack), READPLUS_OK);
    e.content++;
    ck_assert_int_eq(readplus_expand_slack(&e, &slack), READPLUS_ERR_INVAL);
    e.content--;
    e.pieces = 2;
    ck_assert_int_eq(readplus_expand_slack(&e, &slack), READPLUS_ERR_INVAL);
    iov[1].iov_len = 0;
    ck_assert_int_eq(readplus_expand_slack(&e, &slack), READPLUS_OK);
}
END_TEST
#endif

static uint8_t *put_words(uint8_t *p, const uint64_t *words, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++, p += 4) {
        p[0] = (uint8_t)(words[i] >> 24);
        p[1] = (uint8_t)(words[i] >> 16);
        p[2] = (uint8_t)(words[i] >> 8);
        p[3] = (uint8_t)words[i];
    }
    return p;
}

/* More elements than the array has room for, the first of them in pieces, so
 * that they are not taken at once. */
START_TEST(an_array_too_short)
{
    static const uint64_t item[] = {
        0, 1, 3, 0, 0, 0, 4, 7, /* data 0+4 */
        1, 0, 4, 0, 4,          /* holes 4+4, 8+4 */
        1, 0, 8, 0, 4,
    };
    uint8_t memory[72 + 12];
    struct iovec iov[2] = {{memory, 30}, {memory + 30, sizeof(memory) - 30}};
    struct readplus_expansion e = {.args = {.offset = 0, .count = 12},
                                   .iov = iov,
                                   .pieces = 2,
                                   .reply_len = 72,
                                   .content = 72,
                                   .content_len = 12};
    struct readplus_segment s[3] = {{READPLUS_CONTENT_DATA, 0, 0, NULL}};
    struct readplus_result result;

    (void)put_words(memory, item, 18);
    ck_assert_int_eq(readplus_expand_segments(&e, s, 2, &result),
                     READPLUS_ERR_LIMIT);
    ck_assert_uint_eq(s[2].length, 0);
    ck_assert_int_eq(readplus_expand_segments(&e, s, 3, &result), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, 12);
}
END_TEST

/*
 * Elements that change between the look for room and the pass: the buffer is
 * laid, against the rules, over the reply's own tail, so that the first data
 * lands on elements not yet read.  What they then say does not fit, and is not
 * believed.
 */
START_TEST(what_changes_is_not_believed)
{
    static const uint64_t head[] = {0, 1, 8, 0, 0, 0, 80}; /* data 0+80 */
    static uint8_t memory[12 + 16 + 80 + 7 * 20];
    uint8_t *p = put_words(memory, head, 7), *tail;
    uint64_t i, at = 80;
    struct iovec iov[2];
    struct readplus_expansion e = {.iov = iov, .pieces = 2, .reply_len = 248};
    struct readplus_result result;
    /* Then the last four: a hole 83+240, data 323+4, two holes. */
    const uint64_t other[] = {1, 0, 83,  0, 240, 0, 0, 323, 4, 7,
                              1, 0, 327, 0, 1,   1, 0, 328, 0, 1};

    p = put_words(p, other, 20); /* the data */
    for (i = 0; i < 7; i++, at++)
        p = put_words(p, (const uint64_t[]){1, 0, at, 0, 1}, 5);
    ck_assert_ptr_eq(p, memory + sizeof(memory));
    tail = memory + sizeof(memory) - 80;
    iov[0] = (struct iovec){tail, 80};
    iov[1] = (struct iovec){memory, sizeof(memory)};
    e.args.count = 328;
    e.reply = 80;
    e.content_len = 328;
    ck_assert_int_eq(readplus_expand(&e, &result), READPLUS_ERR_NOSPACE);
}
END_TEST

/* Holes larger than what is fetched ahead, and smaller. */
START_TEST(large_holes_in_front_of_data)
{
    static const uint32_t holes[] = {1, 100, 4095, 4096, 4097, 50000};
    static uint8_t memory[400000];
    struct iovec iov = {memory, sizeof(memory)};
    struct readplus_expansion e;
    struct readplus_result result;
    size_t i, k;

    for (i = 0; i < sizeof(holes) / sizeof(holes[0]); i++) {
        uint32_t hole = holes[i], count = 2 * (hole + 8);
        uint8_t *p = memory + sizeof(memory) - 100;

        memset(memory, 0xee, sizeof(memory));
        p = put_words(p, (const uint64_t[]){0, 1, 4}, 3);
        for (k = 0; k < 2; k++) {
            uint64_t at = k * (hole + 8);

            p = put_words(p,
                          (const uint64_t[]){1, 0, at, 0, hole, 0, 0, at + hole,
                                             8, 0x01020304, 0x05060708},
                          11);
        }
        e = (struct readplus_expansion){.args = {.count = count},
                                        .iov = &iov,
                                        .pieces = 1,
                                        .reply = sizeof(memory) - 100,
                                        .reply_len = 100,
                                        .content = 4,
                                        .content_len = count};
        ck_assert_int_eq(readplus_expand(&e, &result), READPLUS_OK);
        ck_assert_uint_eq(result.bytes, count);
        ck_assert_uint_eq(result.zero_bytes, 2 * hole);
        for (k = 0; k < count; k++)
            if (memory[4 + k] !=
                (k % (hole + 8) < hole ? 0 : k % (hole + 8) - hole + 1))
                ck_abort_msg("hole %u byte %zu", hole, k);
        ck_assert_uint_eq(memory[3], 0xee);
        ck_assert_uint_eq(memory[4 + count], 0xee);
    }
}
END_TEST

START_TEST(too_few_segments_touch_nothing)
{
    static struct reply r;
    static struct lay l;
    uint64_t seed = 6;
    int i;

    for (i = 0; i < 2000; i++) {
        reply_random(&r, &seed, 20);
        if (r.count == 0)
            continue;
        l.how = PAGES;
        lay_out(&l, &r.args, r.bytes, r.len, r.len + r.args.count, 0, r.len,
                r.args.count, 0, &seed);
        segments_are_model(&l, &r, below(&seed, r.count));
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("expand's places");
    TCase *tc = check_case(s, "places");

    tcase_add_checked_fixture(tc, open_guards, close_guards);
    tcase_add_test(tc, data_in_its_place_is_not_touched);
    tcase_add_test(tc, place_says_what_does_not_fit);
    tcase_add_test(tc, our_own_replies_need_31_bytes);
    tcase_add_test(tc, zeroed_holes_are_written_where_the_reply_lay);
    tc = check_case(s, "wrong use");
    tcase_add_checked_fixture(tc, open_guards, close_guards);
    tcase_add_test(tc, wrong_use_is_refused);
    tcase_add_test(tc, an_array_too_short);
#if SIZE_MAX > UINT32_MAX
    tcase_add_test(tc, the_longest_row);
#endif
    tcase_add_test(tc, too_few_segments_touch_nothing);
    tcase_add_test(tc, what_changes_is_not_believed);
    tcase_add_test(tc, large_holes_in_front_of_data);
    return check_run(s);
}
