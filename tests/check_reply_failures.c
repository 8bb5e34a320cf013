/*
 * Replies where system calls fail, each with each error that matters: what
 * the client is told, and that nothing is tried for ever.
 */
#include "faulty_reply.h"

/* What readahead was asked for last. */
static struct {
    int times, advice;
    off_t offset, length;
} advised;

int posix_fadvise(int fd, off_t offset, off_t length, int advice)
{
    (void)fd;
    advised.times++;
    advised.advice = advice;
    advised.offset = offset;
    advised.length = length;
    return 0;
}

/* ---- calls that fail ------------------------------------------------------ */

static void check_refused(int fd, enum readplus_error error, uint32_t status)
{
    ck_assert_int_eq(ask(fd, 0, 131072, NULL), error);
    ck_assert_uint_eq(reply.status, status);
    ck_assert_uint_eq(reply.size, 4);
}

/* Each errno of pread has its error, and that its status. */
START_TEST(reads_fail)
{
    static const struct {
        int number;
        enum readplus_error error;
        uint32_t status;
    } rows[] = {{EISDIR, READPLUS_ERR_ISDIR, 21},
                {EBADF, READPLUS_ERR_ACCESS, 13},
                {EACCES, READPLUS_ERR_ACCESS, 13},
                {EPERM, READPLUS_ERR_ACCESS, 13},
                {ESTALE, READPLUS_ERR_IO, 5}};
    int fd = file_with_hole();
    size_t i;

    world.fails_at = 0;
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        world.fails_with = rows[i].number;
        check_refused(fd, rows[i].error, rows[i].status);
    }
    close(fd);
}
END_TEST

/* The size cannot be told: before anything was read, or behind it. */
START_TEST(sizes_fail)
{
    int fd = file_with_hole();

    world.fstat_fails = 1;
    world.fstat_with = EIO;
    check_refused(fd, READPLUS_ERR_IO, 5);
    world.fstat_with = EBADF;
    check_refused(fd, READPLUS_ERR_INVAL, 10006);
    world.fstat_fails = 2;
    world.fstat_with = EIO;
    check_refused(fd, READPLUS_ERR_IO, 5);
    ck_assert_int_eq(world.made[CALL_PREAD], 1);
    close(fd);
}
END_TEST

/* A look-up that fails has told nothing: all is read. */
START_TEST(look_ups_fail)
{
    static const int numbers[] = {EIO, EINVAL};
    int fd = file_with_hole(), i;

    for (i = 0; i < 4; i++) {
        world.lseek_fails = numbers[i % 2];
        limits.flags = i < 2 ? 0 : READPLUS_LIMIT_EXACT;
        ck_assert_int_eq(ask(fd, 200000, SIZE, NULL), READPLUS_OK);
        ck_assert_uint_eq(result.bytes, SIZE - 200000);
        ck_assert_int_ge(world.made[CALL_LSEEK], 1);
        ck_assert_int_ge(world.made[CALL_PREAD], 1);
        ck_assert(result.eof);
        check_file(200000);
        /* In exact zeros that nobody vouches for are data. */
        if (limits.flags == READPLUS_LIMIT_EXACT) {
            ck_assert_uint_eq(reply.count, 1);
            ck_assert_int_eq(reply.segments[0].content, READPLUS_CONTENT_DATA);
        }
    }
    close(fd);
}
END_TEST

/* A file that no block belongs to is a hole to its end. */
START_TEST(no_blocks)
{
    static const struct timespec tick = {0, 30000000};
    int fd = file_with_hole();

    ck_assert_int_eq(ftruncate(fd, 0), 0);
    ck_assert_int_eq(ftruncate(fd, SIZE), 0);
    nanosleep(&tick, NULL);
    ck_assert_int_eq(ask(fd, 0, SIZE, NULL), READPLUS_OK);
    check_calls(2, 1, 0);
    ck_assert_uint_eq(reply.count, 1);
    ck_assert_int_eq(reply.segments[0].content, READPLUS_CONTENT_HOLE);
    ck_assert_uint_eq(reply.segments[0].length, SIZE);
    ck_assert(reply.eof);
    close(fd);
}
END_TEST

static void write_behind(int fd)
{
    write_at(fd, 'y', 5000, 600000);
}

/* Data is found behind what was the end: the hole reaches that, and there is
 * more. */
START_TEST(grown_before_the_look_up)
{
    int fd = file_with_hole();

    ck_assert_int_eq(ftruncate(fd, 500000), 0);
    world.when = CALL_LSEEK;
    world.nth = 1;
    world.what = write_behind;
    ck_assert_int_eq(ask(fd, 200000, SIZE, NULL), READPLUS_OK);
    check_calls(2, 1, 0);
    ck_assert_uint_eq(result.bytes, 300000);
    ck_assert_uint_eq(reply.next, 500000);
    ck_assert(!reply.eof);
    check_file(200000);
    close(fd);
}
END_TEST

/* ---- another file each time ---------------------------------------------- */

static int files[2], turn;

static void exchange(int fd)
{
    ck_assert_int_eq(dup2(files[turn++ % 2], fd), fd);
}

/* It is given up, not tried for ever. */
START_TEST(never_the_same)
{
    int fd;

    files[0] = file_with_hole();
    files[1] = file_with_hole();
    fd = dup(files[0]);
    ck_assert_int_ge(fd, 0);
    world.when = CALL_FSTAT;
    world.always = true;
    world.what = exchange;
    check_refused(fd, READPLUS_ERR_CHANGED, 10008);
    ck_assert_int_eq(world.made[CALL_FSTAT], 16);
    /* Twice only: the third try answers. */
    world.always = false;
    world.nth = 2;
    ck_assert_int_eq(dup2(files[0], fd), fd);
    turn = 1;
    ck_assert_int_eq(ask(fd, 0, SIZE, NULL), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, SIZE);
    check_file(0);
    close(fd);
    close(files[0]);
    close(files[1]);
}
END_TEST

/* ---- beside READ_PLUS ----------------------------------------------------- */

static void check_seek(int fd, enum readplus_error error, uint32_t status,
                       bool eof, uint64_t found)
{
    struct readplus_seek_args args = {300000, READPLUS_CONTENT_DATA, {0, {0}}};
    struct readplus_seek_res res;

    memset(world.made, 0, sizeof(world.made));
    ck_assert_int_eq(readplus_reply_seek(&res, fd, &args), error);
    ck_assert_uint_eq(res.status, status);
    ck_assert_int_eq(res.eof, eof);
    ck_assert_uint_eq(res.offset, found);
}

START_TEST(seek_fails)
{
    int fd = file_with_hole();
    uint64_t data = (uint64_t)lseek(fd, 300000, SEEK_DATA);

    check_seek(fd, READPLUS_OK, 0, false, data);
    /* The size cannot be told behind it: not known to be the end. */
    world.fstat_with = EIO;
    world.fstat_fails = 2;
    check_seek(fd, READPLUS_OK, 0, false, data);
    world.fstat_fails = 1;
    check_seek(fd, READPLUS_ERR_INVAL, 10006, false, 0);
    world.fstat_fails = 0;
    /* Nothing there: its end, unless that is no answer. */
    world.lseek_fails = ENXIO;
    check_seek(fd, READPLUS_OK, 0, true, SIZE);
    world.lseek_fails = EOVERFLOW;
    check_seek(fd, READPLUS_OK, 0, true, SIZE);
    world.lseek_fails = EINVAL;
    check_seek(fd, READPLUS_OK, 0, true, SIZE);
    world.lseek_fails = EIO;
    check_seek(fd, READPLUS_ERR_IO, 5, false, 0);
    world.lseek_fails = EBADF;
    check_seek(fd, READPLUS_ERR_INVAL, 10006, false, 0);
    world.lseek_fails = ENXIO;
    world.fstat_fails = 2;
    check_seek(fd, READPLUS_ERR_INVAL, 10006, false, 0);
    world.fstat_fails = 0;
    ck_assert_int_eq(ftruncate(fd, 300000), 0);
    check_seek(fd, READPLUS_OK, 6, false, 0);
    close(fd);
}
END_TEST

START_TEST(reads_ahead)
{
    struct readplus_args args = {5000, 3000, {0, {0}}};

    readplus_reply_readahead(0, &args);
    ck_assert_int_eq(advised.times, 1);
    ck_assert_int_eq(advised.advice, POSIX_FADV_WILLNEED);
    ck_assert_int_eq(advised.offset, 8000);
    ck_assert_int_eq(advised.length, 3000);
    /* No file reaches so far. */
    args.offset = INT64_MAX - UINT32_MAX - 2999;
    readplus_reply_readahead(0, &args);
    args.offset = UINT64_MAX;
    readplus_reply_readahead(0, &args);
    ck_assert_int_eq(advised.times, 1);
    args.offset = INT64_MAX - (uint64_t)UINT32_MAX - 3000;
    readplus_reply_readahead(0, &args);
    ck_assert_int_eq(advised.times, 2);
    ck_assert_int_eq(advised.offset, INT64_MAX - (int64_t)UINT32_MAX);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("reply_failures");
    TCase *tc = check_case(s, "failures");

    tcase_add_test(tc, reads_fail);
    tcase_add_test(tc, sizes_fail);
    tcase_add_test(tc, look_ups_fail);
    tcase_add_test(tc, no_blocks);
    tcase_add_test(tc, never_the_same);
    tcase_add_test(tc, seek_fails);
    tcase_add_test(tc, reads_ahead);
    tcase_add_test(tc, grown_before_the_look_up);
    return check_run(s);
}
