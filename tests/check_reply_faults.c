/*
 * What a file can do to a reply between two system calls: short reads, errors,
 * cuts and growth, and how many calls a reply takes.
 */
#include "faulty_reply.h"

START_TEST(short_reads)
{
    int fd = file_with_hole();

    world.most = 777;
    ck_assert_int_eq(ask(fd, 50000, SIZE, NULL), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, SIZE - 50000);
    ck_assert(result.eof);
    check_file(50000);
    world.most = 0;
    world.interrupts = 3;
    ck_assert_int_eq(ask(fd, 0, SIZE, NULL), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, SIZE);
    check_file(0);
    close(fd);
}
END_TEST

START_TEST(device_fails)
{
    int fd = file_with_hole();

    world.fails_at = 50001;
    ck_assert_int_eq(ask(fd, 0, SIZE, NULL), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, 50001);
    ck_assert(!result.eof);
    check_file(0);
    ck_assert_int_eq(ask(fd, 50001, SIZE, NULL), READPLUS_ERR_IO);
    ck_assert_uint_eq(reply.status, 5);
    ck_assert_uint_eq(reply.size, 4);
    /* Behind a hole: the hole is good. */
    world.fails_at = 800000;
    ck_assert_int_eq(ask(fd, 200000, SIZE, NULL), READPLUS_OK);
    ck_assert_uint_ge(result.bytes, 600000);
    ck_assert(!result.eof);
    check_file(200000);
    close(fd);
}
END_TEST

/* ---- cut and grown under way --------------------------------------------- */

static off_t cut_to;

static void cut(int fd)
{
    ck_assert_int_eq(ftruncate(fd, cut_to), 0);
}

static void regrow(int fd)
{
    write_at(fd, 'z', SIZE - (size_t)cut_to, cut_to);
}

static void check_cut(uint64_t offset)
{
    uint64_t size = (uint64_t)cut_to, left = size > offset ? size - offset : 0;

    ck_assert_uint_eq(reply.status, 0);
    ck_assert_uint_eq(result.bytes, left);
    ck_assert(reply.eof);
    ck_assert(reply.next <= (size > offset ? size : offset));
    check_file(offset);
}

/* Before each kind of call, to each of these sizes. */
START_TEST(cut_under_way)
{
    static const off_t sizes[] = {0,      3,      50000,  99999,  100003,
                                  150003, 500000, 899999, 900002, 999999};
    static const uint64_t offsets[] = {0, 2, 60000, 150000, 950000};
    size_t i, k;
    int call;

    for (call = 0; call <= CALL_PREAD; call++) {
        for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            for (k = 0; k < 5; k++) {
                int fd = file_with_hole();

                cut_to = sizes[i];
                world.when = (enum call)call;
                world.nth = call == CALL_FSTAT ? 2 : 1;
                world.what = cut;
                limits.flags = _i ? READPLUS_LIMIT_EXACT : 0;
                ck_assert_int_eq(ask(fd, offsets[k], SIZE, NULL), READPLUS_OK);
                if (world.made[call] >= world.nth)
                    check_cut(offsets[k]);
                close(fd);
            }
        }
    }
}
END_TEST

/* Cut before the look-up, written again right behind it: the look-up says "no
 * data from here on", and sizes before and after are the same. */
START_TEST(cut_and_written_again)
{
    int fd = file_with_hole();
    uint64_t i;

    cut_to = 95000;
    world.when = CALL_LSEEK;
    world.nth = 1;
    world.what = cut;
    world.then = regrow;
    limits.flags = _i ? READPLUS_LIMIT_WHOLE : 0;
    ck_assert_int_eq(ask(fd, 200000, 131072, NULL), READPLUS_OK);
    ck_assert_int_ge(world.made[CALL_LSEEK], 1);
    ck_assert_uint_eq(result.bytes, 131072);
    for (i = 0; i < result.bytes; i++)
        if (got[i] != 'z')
            ck_abort_msg("a hole where data was written");
    close(fd);
}
END_TEST

static void grow(int fd)
{
    write_at(fd, 'y', 5000, SIZE);
}

START_TEST(grown_under_way)
{
    struct readplus_hint hint;
    int fd = file_with_hole();

    world.when = CALL_PREAD;
    world.nth = 1;
    world.what = grow;
    ck_assert_int_eq(ask(fd, 950000, SIZE, NULL), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, 50000);
    ck_assert(!reply.eof);
    /* A hint that knows the old size only. */
    memset(&hint, 0, sizeof(hint));
    world.what = NULL;
    ck_assert_int_eq(ask(fd, 950000, 1000, &hint), READPLUS_OK);
    write_at(fd, 'y', 5000, SIZE + 5000);
    ck_assert_int_eq(ask(fd, SIZE + 5000, 100000, &hint), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, 5000);
    ck_assert(reply.eof);
    close(fd);
}
END_TEST

/* A hint of another file, and one of nonsense. */
START_TEST(wrong_hints)
{
    int fd = file_with_hole(), other = file_with_hole(), i;
    struct readplus_hint hint;

    memset(&hint, 0, sizeof(hint));
    ck_assert_int_eq(ftruncate(other, 1 << 30), 0);
    ck_assert_int_eq(ask(other, 500000, 1000, &hint), READPLUS_OK);
    for (i = 0; i < 3; i++) {
        ck_assert_int_eq(ask(fd, 300000, SIZE, &hint), READPLUS_OK);
        ck_assert_uint_eq(result.bytes, SIZE - 300000);
        ck_assert(reply.eof);
        check_file(300000);
        memset(&hint, i == 0 ? 0x42 : 0xfe, sizeof(hint));
    }
    close(fd);
    close(other);
}
END_TEST

/* ---- how many calls ------------------------------------------------------ */

START_TEST(few_calls)
{
    struct readplus_hint hint = {0, {0}};
    int fd = file_with_hole();

    ck_assert_int_eq(ask(fd, 500000, 131072, NULL), READPLUS_OK);
    check_calls(1, 1, 0); /* a hole with data behind the request */
    ck_assert_int_eq(ask(fd, 0, 98304, NULL), READPLUS_OK);
    check_calls(2, 1, 1);
    ck_assert_int_eq(ask(fd, 800000, 131072, NULL), READPLUS_OK);
    check_calls(2, 1, 1);
    limits.flags = READPLUS_LIMIT_EXACT; /* and one for the run of zeros */
    ck_assert_int_eq(ask(fd, 0, 131072, NULL), READPLUS_OK);
    check_calls(2, 2, 1);
    limits.flags = 0;
    ck_assert_int_eq(ask(fd, 0, 40960, &hint), READPLUS_OK);
    check_calls(2, 1, 1);
    ck_assert_int_eq(ask(fd, 40960, 40960, &hint), READPLUS_OK);
    check_calls(1, 0, 1);              /* as many as READ */
    write_at(fd, 'x', 800000, 100000); /* dense */
    ck_assert_int_eq(ask(fd, 0, 131072, NULL), READPLUS_OK);
    ck_assert_int_eq(world.made[CALL_PREAD], 1);
    ck_assert_int_eq(fsync(fd), 0);
    ck_assert_int_eq(ask(fd, 0, 131072, NULL), READPLUS_OK);
    check_calls(2, 0, 1);
    close(fd);
}
END_TEST

/* A look-up takes as long as a short read: it is made where holes were met. */
START_TEST(short_requests)
{
    struct readplus_hint hint = {0, {0}};
    int fd = file_with_hole();

    ck_assert_int_eq(ask(fd, 303104, 8192, NULL), READPLUS_OK);
    check_calls(2, 0, 1);
    ck_assert_int_eq(ask(fd, 303104, 8192, &hint), READPLUS_OK);
    check_calls(2, 0, 1); /* nothing but zeros */
    ck_assert_int_eq(ask(fd, 401408, 8192, &hint), READPLUS_OK);
    check_calls(0, 1, 0);
    ck_assert_int_eq(ask(fd, 94208, 20480, &hint), READPLUS_OK);
    check_calls(1, 1, 1); /* data, and a few zeros */
    ck_assert_int_eq(ask(fd, 303104, 8192, &hint), READPLUS_OK);
    check_calls(1, 0, 1);
    ck_assert_int_eq(ask(fd, 0, 8192, &hint), READPLUS_OK);
    ck_assert_int_eq(ask(fd, 303104, 8192, &hint), READPLUS_OK);
    check_calls(1, 0, 1); /* data alone */
    ck_assert_int_eq(ask(fd, 32768, 262144, &hint), READPLUS_OK);
    ck_assert_int_eq(ask(fd, 401408, 8192, &hint), READPLUS_OK);
    check_calls(0, 1, 0); /* data, and many zeros */
    close(fd);
}
END_TEST

/* Whether segment i of the reply is that, to `end`. */
static bool is_segment(uint32_t i, enum readplus_content content, uint64_t end)
{
    const struct readplus_segment *s = &reply.segments[i];

    return i < reply.count && s->content == content &&
           s->offset + s->length == end;
}

/* Stored zeros are no holes in exact, the hole behind them is: one look-up for
 * them all, if there is a hint, and none where they are known. */
START_TEST(exact_asks)
{
    struct readplus_hint hint = {0, {0}};
    int fd = file_with_hole();

    write_at(fd, 0, 102400 + 131072 - 100000, 100000);
    limits.flags = READPLUS_LIMIT_EXACT;
    ck_assert_int_eq(ask(fd, 0, 950000, &hint), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, 950000);
    check_file(0);
    ck_assert_uint_eq(reply.count, 3);
    ck_assert(is_segment(0, READPLUS_CONTENT_DATA, 102400 + 131072));
    ck_assert(is_segment(1, READPLUS_CONTENT_HOLE, 897024));
    check_looks(2, 1);
    ck_assert_int_eq(ask(fd, 0, 950000, &hint), READPLUS_OK);
    ck_assert_uint_eq(reply.count, 3);
    check_looks(1, 0);
    /* A change of the file makes it ask again. */
    write_at(fd, 0, 4096, 102400 + 131072);
    ck_assert_int_eq(ask(fd, 0, 1000, &hint), READPLUS_OK);
    ck_assert_int_eq(ask(fd, 0, 950000, &hint), READPLUS_OK);
    ck_assert(is_segment(0, READPLUS_CONTENT_DATA, 102400 + 131072 + 4096));
    ck_assert_int_eq(world.looks[1], 1);
    /* Without a hint all of the run is data, and nothing else. */
    ck_assert_int_eq(ask(fd, 0, 950000, NULL), READPLUS_OK);
    check_file(0);
    ck_assert_uint_eq(reply.count, 1);
    check_looks(1, 0);
    /* The first byte's answer, 0, is no failure, whatever failed before. */
    write_at(fd, 0, 40960, 0);
    errno = ENXIO;
    ck_assert_int_eq(ask(fd, 0, SIZE, NULL), READPLUS_OK);
    ck_assert_int_eq(reply.segments[0].content, READPLUS_CONTENT_DATA);
    close(fd);
}
END_TEST

/* A run that begins inside a block of data tells nothing of those behind it:
 * its hole is found without a hint, too. */
START_TEST(exact_asks_inside_a_block)
{
    int fd = file_with_hole();

    limits.flags = READPLUS_LIMIT_EXACT;
    limits.minhole = _i == 0 ? 0 : 512;
    ck_assert_int_eq(ask(fd, 0, 950000, NULL), READPLUS_OK);
    check_file(0);
    ck_assert_uint_eq(reply.count, 3);
    ck_assert(is_segment(0, READPLUS_CONTENT_DATA, 102400));
    check_looks(2, 0);
    close(fd);
}
END_TEST

/* A hole, and stored zeros behind it. */
START_TEST(exact_asks_behind_a_hole)
{
    struct readplus_hint hint = {0, {0}};
    int fd = file_with_hole();

    write_at(fd, 0, 900000 - 655360, 655360);
    limits.flags = READPLUS_LIMIT_EXACT;
    ck_assert_int_eq(ask(fd, 0, 950000, _i == 0 ? NULL : &hint), READPLUS_OK);
    check_file(0);
    ck_assert_uint_eq(reply.count, 3);
    ck_assert(is_segment(0, READPLUS_CONTENT_DATA, 102400));
    ck_assert(is_segment(1, READPLUS_CONTENT_HOLE, 655360));
    check_looks(1, _i);
    close(fd);
}
END_TEST

/* Look-ups for the ends of stored zeros are bounded, too: behind the last, all
 * of a run is data. */
START_TEST(exact_asks_so_often)
{
    struct readplus_hint hint = {0, {0}};
    int fd = file_with_hole();
    off_t at;

    for (at = 102400; at < 880000; at += 12288)
        write_at(fd, 0, 4096, at);
    limits.flags = READPLUS_LIMIT_EXACT;
    ck_assert_int_eq(ask(fd, 0, 950000, &hint), READPLUS_OK);
    check_file(0);
    ck_assert_int_eq(world.looks[1], 8 + 950000 / 65536);
    ck_assert_int_le(world.looks[0], 3 + world.looks[1]);
    ck_assert_int_eq(ask(fd, 880000, 70000, &hint), READPLUS_OK);
    check_file(880000);
    close(fd);
}
END_TEST

/* Whole holes reach forward to where data begins, by one more look-up. */
START_TEST(whole_reaches_forward)
{
    static const uint32_t counts[] = {1000, 100000};
    int fd = file_with_hole(), i;

    limits.flags = READPLUS_LIMIT_WHOLE;
    for (i = 0; i < 2; i++) {
        ck_assert_int_eq(ask(fd, 200000, counts[i], NULL), READPLUS_OK);
        ck_assert_uint_eq(result.bytes, counts[i]);
        ck_assert_uint_gt(reply.next, 800000);
        ck_assert_uint_le(reply.next, 900000);
        ck_assert(!reply.eof);
        ck_assert_int_le(world.made[CALL_LSEEK], 2);
    }
    close(fd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("reply_faults");
    TCase *tc = check_case(s, "faults");

    tcase_add_test(tc, short_reads);
    tcase_add_test(tc, device_fails);
    tcase_add_loop_test(tc, cut_under_way, 0, 2);
    tcase_add_loop_test(tc, cut_and_written_again, 0, 2);
    tcase_add_test(tc, grown_under_way);
    tcase_add_test(tc, wrong_hints);
    tcase_add_test(tc, few_calls);
    tcase_add_test(tc, short_requests);
    tcase_add_test(tc, exact_asks);
    tcase_add_loop_test(tc, exact_asks_inside_a_block, 0, 2);
    tcase_add_loop_test(tc, exact_asks_behind_a_hole, 0, 2);
    tcase_add_test(tc, exact_asks_so_often);
    tcase_add_test(tc, whole_reaches_forward);
    return check_run(s);
}
