/*
 * The planner's rules one by one: rounding, policies, presets, what it refuses,
 * sources, and what becomes of a plan when the file has shrunk.
 */
#include <readplus.h>
#include <readplus/source.h>

#include <stdio.h>

#include "check_main.h"

#define DATA READPLUS_CONTENT_DATA
#define HOLE READPLUS_CONTENT_HOLE
#define CAPACITY 1024

static struct readplus_segment segments[CAPACITY];
static struct readplus_plan plan;
static struct readplus_limits limits;

static void begin(enum readplus_preset preset)
{
    readplus_limits_init(&limits, preset);
}

static void start(uint64_t offset, uint32_t count, uint64_t size)
{
    struct readplus_args args = {offset, count, {0, {0}}};

    ck_assert_int_eq(
        readplus_plan_init(&plan, &args, size, &limits, segments, CAPACITY),
        READPLUS_OK);
}

static enum readplus_error add(enum readplus_content content, uint64_t offset,
                               uint64_t length)
{
    return readplus_plan_add(&plan, content, offset, length);
}

/* The plan, finished, as text: "D0+10 H10+90 eof next 100". */
static const char *text(void)
{
    static char line[8192];
    int at = 0;
    uint32_t i;

    ck_assert_int_eq(readplus_plan_finish(&plan), READPLUS_OK);
    for (i = 0; i < readplus_plan_count(&plan) && at < 8000; i++)
        at += sprintf(line + at, "%c%llu+%llu ",
                      segments[i].content == HOLE ? 'H' : 'D',
                      (unsigned long long)segments[i].offset,
                      (unsigned long long)segments[i].length);
    sprintf(line + at, "%snext %llu", readplus_plan_eof(&plan) ? "eof " : "",
            (unsigned long long)readplus_plan_next(&plan));
    return line;
}

static void file_of(const struct readplus_extent *extents, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (add(extents[i].content, extents[i].offset, extents[i].length) !=
            READPLUS_OK)
            break;
}

static const struct readplus_extent sparse[] = {{DATA, 0, 5000},
                                                {HOLE, 5000, 95000},
                                                {DATA, 100000, 100000},
                                                {HOLE, 200000, 10000},
                                                {HOLE, 210000, 90000}};

START_TEST(rounds_inward_where_data_begins)
{
    begin(READPLUS_PRESET_DEFAULT);
    start(0, 300000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "D0+8192 H8192+90112 D98304+102400 H200704+99296 "
                             "eof next 300000");
    limits.minhole = 1000; /* no power of two */
    start(0, 300000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(),
                     "D0+5000 H5000+95000 D100000+100000 H200000+100000 "
                     "eof next 300000");
    limits.minhole = 30000;
    start(0, 300000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "D0+30000 H30000+60000 D90000+120000 "
                             "H210000+90000 eof next 300000");
    limits.minhole = UINT32_MAX;
    start(0, 300000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "D0+300000 eof next 300000");
}
END_TEST

START_TEST(requests_ends_are_no_borders)
{
    begin(READPLUS_PRESET_DEFAULT);
    start(9001, 1000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "H9001+1000 next 10001");
    start(4000, 5000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "D4000+4192 H8192+808 next 9000");
    start(290001, 50000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "H290001+9999 eof next 300000");
}
END_TEST

/* Every aligned block is a hole where all of it that was asked for is. */
START_TEST(blocks_decide)
{
    static bool hole[40000], told[40000];
    unsigned seed = 1, i, round, at;

    for (round = 0; round < 3000 / check_slow(); round++) {
        uint32_t unit = 44 + (seed = seed * 1103515245 + 12345) / 65536 % 500;
        uint64_t size = 20000, offset = seed % 3000, end;

        begin(READPLUS_PRESET_DEFAULT);
        limits.minhole = unit;
        start(offset, 15000, size);
        end = offset + 15000;
        for (at = 0; at < size; at += i) {
            bool is = ((seed = seed * 1103515245 + 12345) >> 16) & 1;

            i = 1 + (seed >> 8) % (seed & 128 ? 2000 : 60);
            i = at + i > size ? (unsigned)size - at : i;
            memset(hole + at, is, i);
            (void)add(is ? HOLE : DATA, at, i);
        }
        (void)text();
        memset(told, 0, sizeof(told));
        for (i = 0; i < readplus_plan_count(&plan); i++)
            if (segments[i].content == HOLE)
                memset(told + segments[i].offset, 1, segments[i].length);
        for (at = 0; at < size; at += unit) {
            uint64_t lo = at < offset ? offset : at;
            uint64_t hi = at + unit < end ? at + unit : end;
            bool all = lo < hi;

            for (i = (unsigned)lo; i < hi; i++)
                all = all && hole[i];
            /* A piece at an end may be too short to pay. */
            if (lo < hi && (hi - lo == unit || !all))
                ck_assert_msg(told[lo] == all && told[hi - 1] == all,
                              "round %u block %u", round, at);
        }
    }
}
END_TEST

START_TEST(whole_holes)
{
    begin(READPLUS_PRESET_DEFAULT);
    limits.minhole = 0;
    limits.flags = READPLUS_LIMIT_WHOLE;
    start(6000, 100, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "H5000+95000 next 100000");
    start(250000, 100, 300000); /* neighbours are one hole; not past the end */
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "H200000+100000 next 300000");
    limits.hole_lo = 5500;
    limits.hole_hi = 7000;
    start(6000, 100, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "H5500+1500 next 7000");
    limits.hole_lo = 6050; /* the clamp is for the surplus only */
    limits.hole_hi = 6060;
    start(6000, 100, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "H6000+100 next 6100");
    limits.hole_lo = 0;
    limits.hole_hi = UINT64_MAX;
    limits.flags |= READPLUS_LIMIT_LINUX; /* never on both sides */
    start(6000, 100, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "H6000+94000 next 100000");
    start(6000, 95000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "H5000+95000 D100000+1000 next 101000");
    limits.flags = READPLUS_LIMIT_WHOLE;
    limits.minhole = 4096;
    start(4000, 97000, 300000); /* rounded inside, told whole outside */
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "D4000+4192 H8192+90112 D98304+2696 next 101000");
}
END_TEST

START_TEST(presets)
{
    begin(READPLUS_PRESET_RDMA);
    start(0, 300000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "D0+8192 H8192+90112 next 98304");
    begin(READPLUS_PRESET_SINGLE_DATA);
    start(0, 300000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "D0+300000 eof next 300000");
    begin(READPLUS_PRESET_SINGLE);
    start(0, 300000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "D0+300000 eof next 300000");
    start(8192, 8192, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "H8192+8192 next 16384");
    begin(READPLUS_PRESET_LINUX_CLIENT);
    start(1, 300000, 300000); /* 8191 bytes: the hole begins a byte later */
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "D1+8192 H8193+90111 D98304+102400 H200704+99296 "
                             "eof next 300000");
}
END_TEST

START_TEST(cut_at_the_byte)
{
    begin(READPLUS_PRESET_DEFAULT);
    limits.maxcount = 8 + 16 + 1001; /* 1000 bytes; one is no use */
    start(0, 300000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "D0+1000 next 1000");
    ck_assert_uint_eq(readplus_plan_size(&plan), 12 + 16 + 1000);
    limits.maxcount = 8 + 16 + 8192 + 19; /* no hole fits: 16 zeros do */
    start(0, 300000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "D0+8208 next 8208");
    limits.maxcount = 8 + 16 + 8192 + 20 + 19;
    start(0, 300000, 300000);
    file_of(sparse, 5);
    ck_assert_str_eq(text(), "D0+8192 H8192+90112 next 98304");
}
END_TEST

START_TEST(nothing_and_the_ends_of_numbers)
{
    struct readplus_args args = {0, 10, {0, {0}}};

    begin(READPLUS_PRESET_DEFAULT);
    limits.maxcount = 8;
    start(0, 0, 10);
    ck_assert_str_eq(text(), "next 0");
    start(10, 0, 10);
    ck_assert_str_eq(text(), "eof next 10");
    start(11, 5, 10);
    ck_assert_str_eq(text(), "eof next 11");
    start(0, 5, 0);
    ck_assert_str_eq(text(), "eof next 0");
    start(UINT64_MAX, UINT32_MAX, 10);
    ck_assert_str_eq(text(), "eof next 18446744073709551615");
    limits.maxcount = UINT32_MAX;
    start(UINT64_MAX - 10000, 20000, UINT64_MAX);
    ck_assert_int_eq(add(HOLE, 0, UINT64_MAX), READPLUS_END);
    ck_assert_str_eq(text(), "H18446744073709541615+10000 eof next "
                             "18446744073709551615");
    limits.flags = READPLUS_LIMIT_WHOLE;
    start(UINT64_MAX - 10000, 20000, UINT64_MAX);
    ck_assert_int_eq(add(HOLE, 0, UINT64_MAX), READPLUS_END);
    ck_assert_str_eq(text(), "H0+18446744073709551615 eof next "
                             "18446744073709551615");
    limits.maxcount = 7;
    ck_assert_int_eq(
        readplus_plan_init(&plan, &args, 10, &limits, segments, CAPACITY),
        READPLUS_ERR_NOSPACE);
    limits.maxcount = 27;
    start(0, 10, 10);
    (void)add(DATA, 0, 10);
    ck_assert_int_eq(readplus_plan_finish(&plan), READPLUS_ERR_NO_PROGRESS);
    ck_assert_int_eq(readplus_plan_finish(&plan), READPLUS_ERR_STATE);
    ck_assert_int_eq(readplus_plan_init(&plan, &args, 10, &limits, NULL, 1),
                     READPLUS_ERR_INVAL);
    limits.hole_lo = 2;
    limits.hole_hi = 1;
    ck_assert_int_eq(
        readplus_plan_init(&plan, &args, 10, &limits, segments, CAPACITY),
        READPLUS_ERR_INVAL);
}
END_TEST

START_TEST(refuses_and_keeps)
{
    begin(READPLUS_PRESET_DEFAULT);
    limits.minhole = 0;
    start(100, 1000, 5000);
    ck_assert_int_eq(add(DATA, 101, 5), READPLUS_ERR_LATE_START);
    ck_assert_int_eq(add((enum readplus_content)7, 0, 200), READPLUS_ERR_INVAL);
    ck_assert_int_eq(add(DATA, 50, 0), READPLUS_OK);
    ck_assert_int_eq(add(DATA, 0, 200), READPLUS_OK);
    ck_assert_int_eq(add(DATA, 201, 5), READPLUS_ERR_GAP);
    ck_assert_int_eq(add(DATA, 199, 5), READPLUS_ERR_OVERLAP);
    ck_assert_int_eq(add(HOLE, 200, 100), READPLUS_OK);
    ck_assert_int_eq(add(HOLE, 199, 5), READPLUS_ERR_ORDER);
    ck_assert_int_eq(add(DATA, 300, UINT64_MAX), READPLUS_ERR_RANGE);
    ck_assert_uint_eq(readplus_plan_count(&plan), 0);
    ck_assert_int_eq(add(DATA, 300, 2000), READPLUS_END);
    ck_assert_int_eq(add(DATA, 0, 1), READPLUS_END);
    ck_assert_str_eq(text(), "D100+100 H200+100 D300+800 next 1100");
    ck_assert_int_eq(add(DATA, 1100, 1), READPLUS_ERR_STATE);
    ck_assert_int_eq(readplus_plan_finish(&plan), READPLUS_ERR_STATE);
    start(100, 1000, 5000);
    ck_assert_int_eq(readplus_plan_resize(&plan, 0), READPLUS_ERR_STATE);
    ck_assert_int_eq(readplus_plan_finish(&plan), READPLUS_ERR_SOURCE);
}
END_TEST

/* ---- sources ------------------------------------------------------------- */

/* Answers from `sparse` up to `end`, then `after`. */
struct script {
    uint64_t end, shift;
    enum readplus_error after;
    enum readplus_content content;
};

static enum readplus_error script_next(void *context, uint64_t offset,
                                       struct readplus_extent *extent)
{
    const struct script *s = context;

    if (offset >= s->end)
        return s->after;
    *extent = (struct readplus_extent){s->content, offset + s->shift,
                                       s->shift ? 5 : 1000};
    return READPLUS_OK;
}

static enum readplus_error fill(struct script *s)
{
    struct readplus_source source = {script_next, s};

    begin(READPLUS_PRESET_DEFAULT);
    start(0, 100000, 300000);
    return readplus_plan_fill(&plan, &source);
}

START_TEST(three_outcomes)
{
    struct script s = {50000, 0, READPLUS_END, DATA};

    ck_assert_int_eq(fill(&s), READPLUS_OK);
    ck_assert_str_eq(text(), "D0+50000 next 50000");
    s.after = READPLUS_ERR_IO;
    ck_assert_int_eq(fill(&s), READPLUS_ERR_IO);
    ck_assert_str_eq(text(), "D0+50000 next 50000");
    s.end = 1000000;
    ck_assert_int_eq(fill(&s), READPLUS_OK);
    ck_assert_str_eq(text(), "D0+100000 next 100000");
    s.shift = 1; /* does not hold the offset */
    ck_assert_int_eq(fill(&s), READPLUS_ERR_SOURCE);
    s = (struct script){1000, 0, READPLUS_END, (enum readplus_content)3};
    ck_assert_int_eq(fill(&s), READPLUS_ERR_SOURCE);
}
END_TEST

START_TEST(shrunk_and_grown)
{
    uint64_t size;

    begin(READPLUS_PRESET_DEFAULT);
    start(0, 300000, 300000);
    file_of(sparse, 5);
    (void)text();
    ck_assert_int_eq(readplus_plan_resize(&plan, 300001), READPLUS_OK);
    ck_assert(!readplus_plan_eof(&plan));
    ck_assert_uint_eq(readplus_plan_count(&plan), 4);
    for (size = 300000; size-- > 0; size -= size % 997) {
        uint64_t wire;

        ck_assert_int_eq(readplus_plan_resize(&plan, size), READPLUS_OK);
        ck_assert(readplus_plan_eof(&plan));
        ck_assert_uint_eq(readplus_plan_next(&plan), size);
        ck_assert_int_eq(
            readplus_res_size(segments, readplus_plan_count(&plan), &wire),
            READPLUS_OK);
        ck_assert_uint_eq(wire, readplus_plan_size(&plan));
    }
    start(1000, 3000, 300000);
    file_of(sparse, 5);
    (void)text();
    ck_assert_int_eq(readplus_plan_resize(&plan, 10), READPLUS_OK);
    ck_assert_uint_eq(readplus_plan_count(&plan), 0);
    ck_assert_uint_eq(readplus_plan_next(&plan), 1000);
    ck_assert(readplus_plan_eof(&plan));
}
END_TEST

/* What an open plan says is nothing yet. */
START_TEST(open_says_nothing)
{
    struct readplus_args args = {0, 10, {0, {0}}};

    begin(READPLUS_PRESET_DEFAULT);
    start(0, 10, 10);
    ck_assert_int_eq(add(DATA, 0, 10), READPLUS_END);
    ck_assert_uint_eq(readplus_plan_count(&plan), 0);
    ck_assert_uint_eq(readplus_plan_size(&plan), 0);
    ck_assert_uint_eq(readplus_plan_next(&plan), 0);
    ck_assert(!readplus_plan_eof(&plan));
    ck_assert_str_eq(text(), "D0+10 eof next 10");
    ck_assert_uint_eq(readplus_plan_size(&plan), 12 + 16 + 12);
    /* No array, and none needed. */
    ck_assert_int_eq(readplus_plan_init(&plan, &args, 0, &limits, NULL, 0),
                     READPLUS_OK);
    ck_assert_str_eq(text(), "eof next 0");
}
END_TEST

/* Pushed first, then asked of a source, which is asked from the start of the
 * request on. */
START_TEST(pushed_before_the_request)
{
    struct script s = {200, 0, READPLUS_END, DATA};
    struct readplus_source source = {script_next, &s};

    begin(READPLUS_PRESET_DEFAULT);
    start(100, 1000, 5000);
    ck_assert_int_eq(add(HOLE, 0, 50), READPLUS_OK);
    ck_assert_int_eq(readplus_plan_fill(&plan, &source), READPLUS_OK);
    ck_assert_str_eq(text(), "D100+1000 next 1100");
    ck_assert_int_eq(readplus_plan_fill(&plan, &source), READPLUS_ERR_STATE);
    start(100, 1000, 5000);
    ck_assert_int_eq(add(DATA, 0, 50), READPLUS_OK);
    ck_assert_int_eq(readplus_plan_finish(&plan), READPLUS_ERR_SOURCE);
    ck_assert_int_eq(readplus_plan_fill(&plan, &source), READPLUS_ERR_STATE);
}
END_TEST

/* Answers the same extent, whatever it is asked. */
static enum readplus_error same_next(void *context, uint64_t offset,
                                     struct readplus_extent *extent)
{
    (void)offset;
    *extent = *(const struct readplus_extent *)context;
    return READPLUS_OK;
}

START_TEST(extents_that_say_nothing)
{
    static const struct readplus_extent lies[] = {
        {DATA, 100, 0},          /* ends where it was asked */
        {HOLE, 50, 50},          /* and so does this */
        {DATA, 50, UINT64_MAX},  /* past the largest number */
        {HOLE, 100, UINT64_MAX}, /* the same */
        {DATA, 101, 10},         /* begins behind it */
    };
    size_t i;

    begin(READPLUS_PRESET_DEFAULT);
    for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        struct readplus_extent lie = lies[i];
        struct readplus_source source = {same_next, &lie};

        start(100, 1000, 5000);
        ck_assert_int_eq(readplus_plan_fill(&plan, &source),
                         READPLUS_ERR_SOURCE);
        ck_assert_int_eq(readplus_plan_finish(&plan), READPLUS_ERR_SOURCE);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("plan_rules");
    TCase *tc = check_case(s, "rules");

    tcase_add_test(tc, rounds_inward_where_data_begins);
    tcase_add_test(tc, requests_ends_are_no_borders);
    tcase_add_test(tc, blocks_decide);
    tcase_add_test(tc, whole_holes);
    tcase_add_test(tc, presets);
    tcase_add_test(tc, cut_at_the_byte);
    tcase_add_test(tc, nothing_and_the_ends_of_numbers);
    tcase_add_test(tc, refuses_and_keeps);
    tcase_add_test(tc, three_outcomes);
    tcase_add_test(tc, shrunk_and_grown);
    tcase_add_test(tc, open_says_nothing);
    tcase_add_test(tc, pushed_before_the_request);
    tcase_add_test(tc, extents_that_say_nothing);
    return check_run(s);
}
