/*
 * Replies whose data waits in a pipe: what arrives at the other end of a
 * socket is a strict reply that covers the file's own bytes, whatever the
 * pipe and the budgets, and holes are looked for no more than they may be.
 */
#include "faulty_splice.h"

/* ---- any file, any limits ------------------------------------------------ */

START_TEST(any_request)
{
    static const uint32_t flags[] = {0,
                                     READPLUS_LIMIT_WHOLE,
                                     READPLUS_LIMIT_EXACT,
                                     READPLUS_LIMIT_LINUX,
                                     READPLUS_LIMIT_NO_HOLES,
                                     READPLUS_LIMIT_ONE,
                                     READPLUS_LIMIT_LINUX |
                                         READPLUS_LIMIT_WHOLE};
    static const uint64_t mosts[] = {5000, 40000, 200000};
    static const int sizes[] = {4096, 65536, 1 << 20};
    int i, fd = sparse_file(mosts[_i % 3]);

    new_pipe(sizes[_i / 3]);
    for (i = 0; i < 1500 / (int)check_slow(); i++) {
        uint32_t count = (uint32_t)below(below(SIZE) + 1);

        readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
        hinted = below(3) == 0 ? NULL : &hint;
        limits.flags = flags[below(7)];
        if (below(3) == 0)
            limits.maxcount = 28 + (uint32_t)below(below(100000) + 1);
        if (below(3) == 0)
            limits.maxsegs = 1 + (uint32_t)below(10);
        check_file(fd, below(SIZE + 10), count,
                   below(4) == 0 ? READPLUS_SPLICE_BUFFER_MIN + below(5000)
                                 : readplus_splice_buffer(count, &limits));
    }
    close_pipe();
    close(fd);
}
END_TEST

/* From front to back: the hint carries over. */
START_TEST(front_to_back)
{
    struct readplus_result result;
    uint64_t at;
    int fd = sparse_file(150000);

    new_pipe(1 << 20);
    hinted = &hint;
    for (at = 0; at < SIZE; at += result.bytes)
        result = check_file(fd, at, 131072, 65536);
    ck_assert(result.eof);
    close_pipe();
    close(fd);
}
END_TEST

/* ---- segments and look-ups ----------------------------------------------- */

START_TEST(all_segments)
{
    int fd = new_file();

    put(fd, 0, 131072);
    put(fd, 262144, 131072);
    put(fd, 524288, 131072);
    if (has_holes(fd)) {
        new_pipe(1 << 20);
        hinted = &hint;
        check_file(fd, 0, SIZE, 65536);
        ck_assert_uint_eq(reply.count, 6);
        ck_assert_int_eq(world.made[CALL_SPLICE], 3);
        hinted = NULL;
        check_file(fd, 0, SIZE, 65536);
        ck_assert_uint_eq(reply.count, 1);
        check_file(fd, 131072, SIZE, 65536);
        ck_assert_uint_eq(reply.count, 2);
        close_pipe();
    }
    close(fd);
}
END_TEST

START_TEST(look_ups_are_bounded)
{
    int fd = new_file(), i;
    uint64_t at;

    for (at = 0; at < SIZE - 4096; at += 8192)
        put(fd, at, 4096);
    new_pipe(1 << 20);
    hinted = &hint;
    check_file(fd, 0, SIZE - 1, 65536);
    ck_assert_int_le(world.looks[0] + world.looks[1], 8 + SIZE / 65536);
    close_pipe();
    close(fd);

    /* Data to the end, but for the last byte: asked once. */
    fd = new_file();
    put(fd, 65536, 500000);
    if (has_holes(fd)) {
        world.looks[1] = 0;
        new_pipe(1 << 20);
        hinted = &hint;
        for (i = 0; i < 50; i++)
            check_file(fd, 65536 + (uint64_t)i * 5000, 5000, 65536);
        ck_assert_int_eq(world.looks[1], 1);
        close_pipe();
    }
    close(fd);
}
END_TEST

static enum readplus_error first_extent(int fd, uint64_t offset, uint32_t count,
                                        struct readplus_extent *extent)
{
    struct readplus_args args = {offset, count, {0, {0}}};
    struct readplus_fd_source from;
    struct readplus_source source;
    enum readplus_error error;
    uint64_t size;

    ck_assert_int_eq(
        readplus_fd_source_init_look(&from, fd, &args, &limits, &hint, &source),
        READPLUS_OK);
    error = source.next(source.context, offset, extent);
    from.least = 0;
    ck_assert_int_eq(readplus_fd_source_settle(&from, &size), READPLUS_OK);
    ck_assert_ptr_null(readplus_fd_source_data(&from, offset, 1));
    return error;
}

#define MIB ((uint64_t)1 << 20)

/* A search for a hole that went 100 MiB is not begun again before requests
 * have asked for so much, but for 64 MiB. */
START_TEST(far_holes_are_seldom_looked_for)
{
    static const struct {
        uint64_t at;
        uint32_t count;
        int looks; /* for holes, so far */
    } asked[] = {
        {200, 4096, 1}, {100, 4096, 1},     {250, 4096, 1},
        {350, 4096, 1}, {350, 35 * MIB, 1}, {350, 2 * MIB, 2},
        {449, 4096, 2}, {100, 4096, 2},     {200, 200 * MIB, 3},
    };
    struct readplus_extent e;
    int fd = new_file();
    size_t i;

    ck_assert_int_eq(ftruncate(fd, (off_t)(500 * MIB)), 0);
    world.lies = true;
    ck_assert_int_eq(first_extent(fd, 500 * MIB, 1, &e), READPLUS_END);
    for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        ck_assert_int_eq(
            first_extent(fd, asked[i].at * MIB, asked[i].count, &e),
            READPLUS_OK);
        ck_assert_int_eq(e.content, DATA);
        ck_assert_int_eq(world.looks[1], asked[i].looks);
    }
    close(fd);
}
END_TEST

/* Nor where the file changes all the time, so that nothing is remembered. */
START_TEST(changes_make_no_look_up)
{
    static const struct timespec tick = {0, 20000000};
    struct readplus_extent e;
    int fd = new_file(), i;

    ck_assert_int_eq(ftruncate(fd, (off_t)(500 * MIB)), 0);
    world.lies = true;
    for (i = 0; i < 20; i++) {
        ck_assert_int_eq(first_extent(fd, (uint64_t)i * MIB, (uint32_t)MIB, &e),
                         READPLUS_OK);
        ck_assert_int_eq(e.content, DATA);
        nanosleep(&tick, NULL);
        put(fd, 0, 1);
    }
    ck_assert_int_eq(world.looks[1], 1);
    close(fd);
}
END_TEST

START_TEST(dense_files_are_not_looked_at)
{
    int fd = new_file();

    put(fd, 0, SIZE);
    ck_assert_int_eq(fsync(fd), 0);
    new_pipe(1 << 20);
    check_file(fd, 1000, 500000, 65536);
    ck_assert_int_eq(world.looks[0] + world.looks[1], 0);
    close_pipe();
    close(fd);
}
END_TEST

/* ---- what is refused ----------------------------------------------------- */

static void check_status(int fd, enum readplus_error error, uint32_t status)
{
    struct readplus_args args = {0, 1000, {0, {0}}};

    ck_assert_int_eq(answer(fd, &args, 65536), error);
    ck_assert_uint_eq(reply.status, status);
    ck_assert_uint_eq(wire_len, 4);
    ck_assert_uint_eq(wire[3], status & 255);
    close(fd);
}

START_TEST(statuses)
{
    int fd = two_pieces();
    struct readplus_args args = {0, 1000, {0, {0}}};

    check_status(open(".", O_RDONLY), READPLUS_ERR_ISDIR, 21);
    check_status(open("/dev/zero", O_RDONLY), READPLUS_ERR_WRONG_TYPE, 10083);
    limits.maxcount = 7;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_NOSPACE);
    limits.maxcount = 27;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_NO_PROGRESS);
    ck_assert_uint_eq(reply.status, 10066);
    close_pipe();
    close(fd);
}
END_TEST

START_TEST(wrong_use)
{
    struct readplus_args args = {0, 1000, {0, {0}}};
    static uint8_t buffer[READPLUS_SPLICE_BUFFER_MIN];
    struct readplus_spliced before;
    int fd = two_pieces(), null = open("/dev/null", O_WRONLY), pair[2];

    memset(&before, 0x5a, sizeof(before));
    memcpy(&reply, &before, sizeof(before));
#define SPLICE(to, len)                                                        \
    readplus_splice_fd(&reply, fd, to, &args, &limits, NULL, buffer, len)
    ck_assert_int_eq(SPLICE(ends[1], sizeof(buffer) - 1), READPLUS_ERR_INVAL);
    ck_assert_int_eq(SPLICE(null, sizeof(buffer)), READPLUS_ERR_INVAL);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert_int_eq(SPLICE(pair[0], sizeof(buffer)), READPLUS_ERR_INVAL);
    close(pair[0]);
    close(pair[1]);
    ck_assert_int_eq(readplus_splice_fd(&reply, fd, ends[1], &args, &limits,
                                        NULL, NULL, sizeof(buffer)),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    ck_assert_int_eq(SPLICE(ends[1], sizeof(buffer)), READPLUS_ERR_INVAL);
    ck_assert_mem_eq(&reply, &before, sizeof(before));
    ck_assert_int_eq(read(ends[0], buffer, 1), 1);
    ck_assert_int_eq(SPLICE(ends[1], sizeof(buffer)), READPLUS_OK);
    close_pipe();
    close(null);
    close(fd);
}
END_TEST

/* The pipe holds less than the reply says: an error, not a wait. */
START_TEST(lost_pipe)
{
    struct readplus_args args = {0, 1000, {0, {0}}};
    static uint8_t buffer[READPLUS_SPLICE_BUFFER_MIN];
    int fd = two_pieces(), pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert_int_eq(SPLICE(ends[1], sizeof(buffer)), READPLUS_OK);
    close_pipe();
    ck_assert_int_eq(pipe(ends), 0);
    close(ends[1]);
    ck_assert_int_eq(readplus_splice_send(&reply, ends[0], pair[0]),
                     READPLUS_ERR_IO);
    ck_assert_int_eq(errno, EPIPE);
    close(ends[0]);
    close(pair[0]);
    close(pair[1]);
    close(fd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("splice");
    TCase *any = check_case(s, "any"), *looks = check_case(s, "look-ups");
    TCase *use = check_case(s, "use");

    tcase_add_loop_test(any, any_request, 0, 9);
    tcase_add_test(any, front_to_back);
    tcase_add_test(looks, all_segments);
    tcase_add_test(looks, look_ups_are_bounded);
    tcase_add_test(looks, far_holes_are_seldom_looked_for);
    tcase_add_test(looks, changes_make_no_look_up);
    tcase_add_test(looks, dense_files_are_not_looked_at);
    tcase_add_test(use, statuses);
    tcase_add_test(use, wrong_use);
    tcase_add_test(use, lost_pipe);
    return check_run(s);
}
