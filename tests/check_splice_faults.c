/*
 * Replies whose data waits in a pipe, while the file is cut and grown, calls
 * fail, and the socket takes a byte at a time: still a strict reply, of bytes
 * of the file, or a status and nothing in the pipe.
 */
#include "faulty_splice.h"

static void cut(int fd)
{
    ck_assert_int_eq(ftruncate(fd, 300000), 0);
}

static void cut_short(int fd)
{
    ck_assert_int_eq(ftruncate(fd, 1000), 0);
}

static void empty(int fd)
{
    ck_assert_int_eq(ftruncate(fd, 0), 0);
}

static void refill(int fd)
{
    ck_assert_int_eq(ftruncate(fd, SIZE), 0);
}

static void grow(int fd)
{
    ck_assert_int_eq(ftruncate(fd, 2 * SIZE), 0);
}

START_TEST(cut_on_the_way)
{
    int fd = two_pieces();

    if (has_holes(fd)) {
        at_splice(2, cut, NULL); /* before the second piece */
        ck_assert_uint_eq(got_of(fd), 300000);
        ck_assert(reply.eof);
        ck_assert_uint_eq(reply.count, 2);
    }
    close_pipe();
    close(fd);
}
END_TEST

START_TEST(emptied_on_the_way)
{
    int fd = two_pieces();

    at_splice(1, empty, NULL);
    ck_assert_uint_eq(got_of(fd), 0);
    ck_assert(reply.eof);
    close_pipe();
    close(fd);
}
END_TEST

/* For a moment there was nothing: asked again, which finds what there is. */
START_TEST(emptied_and_grown)
{
    int fd = two_pieces();

    memset(file, 0, sizeof(file));
    at_splice(1, empty, refill);
    ck_assert_uint_eq(got_of(fd), SIZE);
    close_pipe();
    close(fd);
}
END_TEST

/* Without an end: a status says so, and the pipe is empty. */
START_TEST(emptied_and_grown_for_ever)
{
    struct readplus_args args = {0, SIZE, {0, {0}}};
    int fd = two_pieces();

    at_splice(0, empty, refill);
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_CHANGED);
    ck_assert_uint_eq(reply.status, 10008);
    ck_assert_uint_eq(wire_len, 4);
    ck_assert_int_le(world.made[CALL_SPLICE], 8);
    close_pipe();
    close(fd);
}
END_TEST

/* What was drawn stays; a hole behind it is told no further than the file. */
START_TEST(cut_when_all_is_drawn)
{
    static void (*const cuts[])(int) = {cut, cut_short};
    static const uint64_t ends_at[] = {300000, 4096};
    struct readplus_args args = {0, 350000, {0, {0}}};
    int fd = new_file();

    hinted = &hint;
    put(fd, 0, 4096); /* one page is drawn at once */
    put(fd, 409600, 4096);
    new_pipe(1 << 20);
    if (has_holes(fd)) {
        at_splice(1, NULL, cuts[_i]);
        ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_OK);
        ck_assert(reply.eof);
        ck_assert_uint_eq(delivered(&args).bytes, ends_at[_i]);
        /* The page that was cut is the pipe's too. */
        ck_assert_mem_eq(content, file, 1000);
    }
    /* Only data: it is kept, and is the end. */
    hinted = NULL;
    refill(fd);
    put(fd, 0, 4096);
    args.count = 4096;
    at_splice(1, NULL, cut_short);
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_OK);
    ck_assert(reply.eof);
    ck_assert_uint_eq(delivered(&args).bytes, 4096);
    close_pipe();
    close(fd);
}
END_TEST

/* The size cannot be told any more: with data no eof, without it an error. */
START_TEST(size_is_lost)
{
    struct readplus_args args = {0, SIZE, {0, {0}}};
    int fd = two_pieces();

    hinted = NULL;
    world.made[CALL_FSTAT] = 0;
    world.fstat_fails = 3;
    world.fstat_with = EIO;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_OK);
    ck_assert(!reply.eof);
    ck_assert_uint_gt(delivered(&args).bytes, 0);
    if (has_holes(fd)) {
        args.offset = 204800;
        args.count = 4096;
        world.made[CALL_FSTAT] = 0;
        world.fstat_fails = 2; /* found data behind: the first needs none */
        ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_IO);
    }
    world.made[CALL_FSTAT] = 0;
    world.fstat_fails = 1;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_IO);
    close_pipe();
    close(fd);
}
END_TEST

START_TEST(sent_by_the_byte)
{
    struct readplus_args nothing = {0, 0, {0, {0}}};
    int fd = two_pieces();

    world.sends = 1;
    world.pauses = 2;
    ck_assert_uint_eq(got_of(fd), SIZE);
    ck_assert_int_eq(answer(fd, &nothing, 65536), READPLUS_OK);
    ck_assert_uint_eq(wire_len, READPLUS_RES_HEAD_SIZE);
    close_pipe();
    close(fd);
}
END_TEST

START_TEST(grown_on_the_way)
{
    int fd = two_pieces();

    at_splice(1, grow, NULL);
    ck_assert_uint_eq(got_of(fd), SIZE);
    ck_assert(!reply.eof);
    close_pipe();
    close(fd);
}
END_TEST

START_TEST(fails_on_the_way)
{
    struct readplus_args args = {0, SIZE, {0, {0}}};
    int fd = two_pieces();

    world.interrupts = 3;
    world.splice_fails = 2;
    world.splice_with = EIO;
    world.made[CALL_SPLICE] = 0;
    if (has_holes(fd))
        ck_assert_uint_eq(got_of(fd), 409600);
    ck_assert(!reply.eof);
    world.splice_fails = 1;
    world.made[CALL_SPLICE] = 0;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_IO);
    ck_assert_uint_eq(reply.status, 5);
    ck_assert_uint_eq(wire_len, 4);
    world.splice_with = EBADF;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_ACCESS);
    world.splice_with = EINVAL; /* a file system that cannot */
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_INVAL);
    close_pipe();
    close(fd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("splice_faults");
    TCase *tc = check_case(s, "faults");

    tcase_add_test(tc, cut_on_the_way);
    tcase_add_test(tc, emptied_on_the_way);
    tcase_add_test(tc, emptied_and_grown);
    tcase_add_test(tc, emptied_and_grown_for_ever);
    tcase_add_loop_test(tc, cut_when_all_is_drawn, 0, 2);
    tcase_add_test(tc, size_is_lost);
    tcase_add_test(tc, sent_by_the_byte);
    tcase_add_test(tc, grown_on_the_way);
    tcase_add_test(tc, fails_on_the_way);
    return check_run(s);
}
