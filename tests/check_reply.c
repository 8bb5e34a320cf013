/*
 * Replies from a descriptor: what a client makes of them is what pread says,
 * for every policy, budget and buffer.
 */
#include <readplus.h>
#include <readplus/reply.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"

/* ck_assert() makes a system call each time; these run by the million. */
#define HOLDS(what) ((what) ? (void)0 : ck_abort_msg("%s", #what))

#define FILE_SIZE 300001

static uint64_t below(uint64_t n)
{
    static uint64_t state = 0x9e3779b97f4a7c15u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

/* A file without a name, in READPLUS_TEST_DIR or the build folder. */
static int temporary(void)
{
    const char *dir = getenv("READPLUS_TEST_DIR");
    char name[4096];
    int fd;

    snprintf(name, sizeof(name), "%s/check_reply.XXXXXX", dir ? dir : ".");
    fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(unlink(name), 0);
    return fd;
}

static void write_at(int fd, const void *bytes, size_t len, uint64_t offset)
{
    ck_assert_int_eq(pwrite(fd, bytes, len, (off_t)offset), (ssize_t)len);
}

/* Alternating data and holes of up to `most` bytes, with stored zeros. */
static int sparse_file(uint64_t most)
{
    static uint8_t bytes[FILE_SIZE];
    int fd = temporary();
    uint64_t at = 0, length;

    memset(bytes, 'x', sizeof(bytes));
    while (at < FILE_SIZE) {
        length = 1 + below(most);
        if (length > FILE_SIZE - at)
            length = FILE_SIZE - at;
        memset(bytes, below(4) == 0 ? 0 : 'x', (size_t)length);
        write_at(fd, bytes, (size_t)length, at);
        at += length + below(most);
    }
    ck_assert_int_eq(ftruncate(fd, FILE_SIZE), 0);
    return fd;
}

/* Decodes the reply and compares with pread; returns the bytes it brought. */
static uint64_t check_bytes(int fd, const struct readplus_args *args,
                            const struct iovec *iov, size_t entries)
{
    static uint8_t got[FILE_SIZE], real[FILE_SIZE];
    struct iovec to = {got, args->count};
    struct readplus_decoder decoder;
    struct readplus_result result;
    ssize_t n = pread(fd, real, args->count, (off_t)args->offset);

    HOLDS(readplus_decoder_init(&decoder, args, iov, entries, 0) ==
          READPLUS_OK);
    HOLDS(readplus_scatter(&decoder, &to, 1, 0, &result) == READPLUS_OK);
    HOLDS(result.progress);
    HOLDS(n >= 0 && result.bytes <= (uint64_t)n);
    HOLDS(memcmp(got, real, (size_t)result.bytes) == 0);
    return result.bytes;
}

/* In exact every hole is one of the file system's. */
static void check_exact(int fd, const struct readplus_reply *reply)
{
    uint32_t i;

    for (i = 0; i < reply->count; i++) {
        const struct readplus_segment *s = &reply->segments[i];
        off_t data;

        if (s->content != READPLUS_CONTENT_HOLE)
            continue;
        data = lseek(fd, (off_t)s->offset, SEEK_DATA);
        HOLDS(data < 0 || (uint64_t)data >= s->offset + s->length);
    }
}

static struct readplus_hint hint;

static void check_reply(int fd, const struct readplus_args *args,
                        const struct readplus_limits *limits, size_t len)
{
    uint8_t *buffer = malloc(len);
    struct readplus_reply reply;
    uint64_t bytes, sum = 0;
    size_t i;

    ck_assert_ptr_nonnull(buffer);
    HOLDS(readplus_reply_fd(&reply, fd, args, limits,
                            below(2) == 0 ? NULL : &hint, buffer,
                            len) == READPLUS_OK);
    if (limits->flags & READPLUS_LIMIT_EXACT)
        check_exact(fd, &reply);
    HOLDS(reply.size - 4 <= limits->maxcount);
    for (i = 0; i < reply.entries; i++) {
        HOLDS((uint8_t *)reply.iov[i].iov_base >= buffer);
        sum += reply.iov[i].iov_len;
    }
    HOLDS(sum == reply.size);
    bytes = check_bytes(fd, args, reply.iov, reply.entries);
    HOLDS(bytes > 0 || args->count == 0 || args->offset >= FILE_SIZE);
    HOLDS(reply.eof ==
          (args->offset + args->count >= FILE_SIZE && reply.next >= FILE_SIZE));
    readplus_reply_flatten(&reply);
    HOLDS(reply.entries == 1 && reply.iov[0].iov_len == sum);
    HOLDS(check_bytes(fd, args, reply.iov, 1) == bytes);
    free(buffer);
}

START_TEST(random_requests)
{
    static const uint32_t flags[] = {
        0,
        READPLUS_LIMIT_WHOLE,
        READPLUS_LIMIT_EXACT,
        READPLUS_LIMIT_LINUX,
        READPLUS_LIMIT_NO_HOLES,
        READPLUS_LIMIT_ONE,
        READPLUS_LIMIT_LINUX | READPLUS_LIMIT_WHOLE,
        READPLUS_LIMIT_EXACT | READPLUS_LIMIT_WHOLE};
    static const uint32_t units[] = {0, 1, 24, 64, 100, 512, 4096, 5000, 65536};
    uint64_t mosts[] = {50, 3000, 40000, 200000};
    int i, fd = sparse_file(mosts[_i % 4]);

    memset(&hint, 0, sizeof(hint));
    for (i = 0; i < 4000 / (int)check_slow(); i++) {
        struct readplus_limits limits;
        struct readplus_args args = {
            below(FILE_SIZE + 10), (uint32_t)below(below(FILE_SIZE) + 1), {0}};
        size_t len;

        readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
        limits.flags = flags[below(8)];
        limits.minhole = units[below(9)];
        if (below(3) == 0)
            limits.maxcount = 28 + (uint32_t)below(below(100000) + 1);
        if (below(3) == 0)
            limits.maxsegs = 1 + (uint32_t)below(10);
        len = readplus_reply_buffer(args.count, &limits);
        if (below(4) == 0)
            len = READPLUS_REPLY_BUFFER_MIN + below(len);
        check_reply(fd, &args, &limits, len);
    }
    close(fd);
}
END_TEST

/* ---- what is no file, and where no file is ------------------------------- */

static enum readplus_error ask(int fd, uint64_t offset, uint32_t count,
                               struct readplus_reply *reply)
{
    static uint8_t buffer[200000];
    struct readplus_args args = {offset, count, {0, {0}}};
    struct readplus_limits limits;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    return readplus_reply_fd(reply, fd, &args, &limits, NULL, buffer,
                             sizeof(buffer));
}

static void check_status(int fd, enum readplus_error error, uint32_t status)
{
    struct readplus_seek_args args = {0, READPLUS_CONTENT_DATA, {0, {0}}};
    struct readplus_seek_res res;
    struct readplus_reply reply;

    ck_assert_int_eq(ask(fd, 0, 1000, &reply), error);
    ck_assert_uint_eq(reply.status, status);
    ck_assert_uint_eq(reply.entries, 1);
    ck_assert_uint_eq(reply.size, 4);
    ck_assert_uint_eq(((uint8_t *)reply.iov->iov_base)[3], status & 255);
    ck_assert_int_eq(readplus_reply_seek(&res, fd, &args), error);
    ck_assert_uint_eq(res.status, status);
    if (fd >= 0)
        close(fd);
}

START_TEST(no_regular_files)
{
    int ends[2];

    check_status(open(".", O_RDONLY), READPLUS_ERR_ISDIR, 21);
    check_status(open("/dev/zero", O_RDONLY), READPLUS_ERR_WRONG_TYPE, 10083);
    ck_assert_int_eq(pipe(ends), 0);
    check_status(ends[0], READPLUS_ERR_WRONG_TYPE, 10083);
    close(ends[1]);
    unlink("check_reply.link");
    ck_assert_int_eq(symlink("x", "check_reply.link"), 0);
    check_status(open("check_reply.link", O_PATH | O_NOFOLLOW),
                 READPLUS_ERR_SYMLINK, 10029);
    ck_assert_int_eq(unlink("check_reply.link"), 0);
    check_status(-1, READPLUS_ERR_INVAL, 10006);
}
END_TEST

START_TEST(not_to_be_read)
{
    struct readplus_reply reply;
    int fd;

    fd = open("check_reply.wronly", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_ge(fd, 0);
    write_at(fd, "abc", 3, 0);
    ck_assert_int_eq(ask(fd, 0, 1000, &reply), READPLUS_ERR_ACCESS);
    ck_assert_uint_eq(reply.status, 13);
    close(fd);
    ck_assert_int_eq(unlink("check_reply.wronly"), 0);
}
END_TEST

START_TEST(far_offsets)
{
    static const uint64_t far[] = {FILE_SIZE,
                                   (1ull << 62),
                                   INT64_MAX - 1,
                                   INT64_MAX,
                                   (uint64_t)INT64_MAX + 1,
                                   UINT64_MAX - 5,
                                   UINT64_MAX};
    struct readplus_reply reply;
    int fd = sparse_file(3000);
    size_t i;

    for (i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
        ck_assert_int_eq(ask(fd, far[i], UINT32_MAX, &reply), READPLUS_OK);
        ck_assert(reply.eof && reply.count == 0 && reply.size == 12);
        ck_assert_uint_eq(reply.next, far[i]);
    }
    close(fd);
}
END_TEST

/* The largest file there is, where a file system has it (tmpfs, xfs, btrfs). */
START_TEST(far_file)
{
    struct readplus_reply reply;
    int fd = temporary();

    if (ftruncate(fd, INT64_MAX) == 0) {
        ck_assert_int_eq(ask(fd, INT64_MAX - 70000, UINT32_MAX, &reply), 0);
        ck_assert(reply.eof && reply.count == 1);
        ck_assert_int_eq(reply.segments[0].content, READPLUS_CONTENT_HOLE);
        ck_assert_uint_eq(reply.next, INT64_MAX);
        if (pwrite(fd, "x", 1, INT64_MAX - 1) == 1) {
            ck_assert_int_eq(ask(fd, INT64_MAX - 100, 200, &reply), 0);
            ck_assert(reply.eof && reply.next == INT64_MAX);
        }
    }
    close(fd);
}
END_TEST

/* There, tmpfs denies what is stored once SEEK_DATA is asked about it. */
START_TEST(far_data)
{
    struct readplus_reply reply;
    int fd = memfd_create("far_data", MFD_CLOEXEC);
    const struct readplus_segment *last;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, INT64_MAX), 0);
    write_at(fd, "Z", 1, INT64_MAX - 800);
    usleep(20000); /* until nothing has changed for a tick of the clock */
    ck_assert_int_eq(ask(fd, INT64_MAX - 70000, UINT32_MAX, &reply), 0);
    ck_assert(reply.eof && reply.count == 2);
    last = &reply.segments[1];
    ck_assert_int_eq(last->content, READPLUS_CONTENT_DATA);
    ck_assert_uint_eq(last->offset + last->length, INT64_MAX);
    ck_assert_int_eq(last->data[last->length - 800], 'Z');
    close(fd);
}
END_TEST

START_TEST(no_room)
{
    struct readplus_args args = {0, 1000, {0, {0}}};
    static uint8_t buffer[READPLUS_REPLY_BUFFER_MIN];
    struct readplus_limits limits;
    struct readplus_reply reply;
    int fd = sparse_file(3000);

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    ck_assert_int_eq(readplus_reply_fd(&reply, fd, &args, &limits, NULL, buffer,
                                       sizeof(buffer) - 1),
                     READPLUS_ERR_INVAL);
    /* No sum that does not fit: on a 32-bit machine the largest there is. */
    if (SIZE_MAX == UINT32_MAX)
        ck_assert(readplus_reply_buffer(UINT32_MAX, &limits) == SIZE_MAX);
    else
        ck_assert(readplus_reply_buffer(UINT32_MAX, &limits) > UINT32_MAX);
    for (limits.maxcount = 0; limits.maxcount < 28; limits.maxcount++) {
        enum readplus_error error = readplus_reply_fd(
            &reply, fd, &args, &limits, NULL, buffer, sizeof(buffer));

        ck_assert_int_eq(error, limits.maxcount < 8 ? READPLUS_ERR_NOSPACE
                                                    : READPLUS_ERR_NO_PROGRESS);
        ck_assert_uint_eq(reply.status, 10066);
        ck_assert_uint_eq(reply.size, 4);
    }
    ck_assert_int_eq(
        readplus_reply_status(&reply, 10004, buffer, sizeof(buffer)), 0);
    ck_assert_uint_eq(reply.status, 10004);
    ck_assert_mem_eq(reply.iov->iov_base, "\0\0\x27\x14", 4);
    ck_assert_int_eq(readplus_reply_status(&reply, 0, buffer, sizeof(buffer)),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_reply_status(&reply, 5, NULL, sizeof(buffer)),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(
        readplus_reply_status(&reply, 5, buffer, sizeof(buffer) - 1),
        READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_reply_fd(&reply, fd, &args, &limits, NULL, NULL,
                                       sizeof(buffer)),
                     READPLUS_ERR_INVAL);
    /* Nothing asked for is not nothing there. */
    args.count = 0;
    limits.maxcount = 28;
    ck_assert_int_eq(readplus_reply_fd(&reply, fd, &args, &limits, NULL, buffer,
                                       sizeof(buffer)),
                     READPLUS_OK);
    ck_assert_uint_eq(reply.count, 0);
    ck_assert_uint_eq(reply.size, READPLUS_RES_HEAD_SIZE);
    ck_assert(!reply.eof);
    close(fd);
}
END_TEST

/* Pieces, more than sendmsg takes: they come as one.  And more than is read
 * at once, in blocks smaller and larger than that. */
START_TEST(large_requests)
{
    static const uint32_t units[] = {4096, 1 << 22};
    const uint32_t pairs = 1100, pair = 8192;
    struct readplus_args args = {0, pairs * pair, {0, {0}}};
    uint8_t *real = calloc(pairs, pair), *got = malloc(args.count), *buffer;
    struct iovec to = {got, args.count};
    struct readplus_decoder decoder;
    struct readplus_limits limits;
    struct readplus_result result;
    struct readplus_reply reply;
    uint32_t i, k;
    int fd = temporary();
    size_t len;

    HOLDS(real != NULL && got != NULL);
    for (i = 0; i < pairs; i++)
        memset(real + i * pair, 'x', pair / 2);
    write_at(fd, real, args.count, 0);
    for (k = 0; k < 2; k++) {
        readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
        limits.minhole = units[k];
        len = readplus_reply_buffer(args.count, &limits);
        buffer = malloc(len);
        HOLDS(buffer != NULL);
        HOLDS(readplus_reply_fd(&reply, fd, &args, &limits, NULL, buffer,
                                len) == READPLUS_OK);
        ck_assert_uint_eq(reply.count, k == 0 ? 2 * pairs : 1);
        ck_assert_uint_eq(reply.entries, 1);
        HOLDS(readplus_decoder_init(&decoder, &args, reply.iov, reply.entries,
                                    0) == READPLUS_OK);
        HOLDS(readplus_scatter(&decoder, &to, 1, 0, &result) == READPLUS_OK);
        ck_assert_uint_eq(result.bytes, args.count);
        HOLDS(memcmp(got, real, args.count) == 0);
        free(buffer);
    }
    free(real);
    free(got);
    close(fd);
}
END_TEST

/* A source asked out of turn. */
START_TEST(source_asked_out_of_turn)
{
    struct readplus_args args = {0, 10000, {0, {0}}};
    static uint8_t buffer[10000];
    struct readplus_fd_source from;
    struct readplus_limits limits;
    struct readplus_source source;
    struct readplus_extent e;
    int fd = temporary();

    write_at(fd, "abcdef", 6, 0);
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    HOLDS(readplus_fd_source_init(&from, fd, &args, &limits, NULL, buffer,
                                  sizeof(buffer), &source) == READPLUS_OK);
    ck_assert_ptr_null(readplus_fd_source_data(&from, 0, 1));
    ck_assert_int_eq(source.next(source.context, 0, &e), READPLUS_OK);
    ck_assert_uint_eq(e.length, 6);
    ck_assert_mem_eq(readplus_fd_source_data(&from, 2, 4), "cdef", 4);
    ck_assert_int_eq(source.next(source.context, 6, &e), READPLUS_END);
    ck_assert_int_eq(source.next(source.context, 99999, &e), READPLUS_END);
    close(fd);
}
END_TEST

static void check_seek(int fd, uint64_t offset, uint32_t what, uint32_t status,
                       bool eof, uint64_t found)
{
    struct readplus_seek_args args = {offset, what, {0, {0}}};
    struct readplus_seek_res res;

    ck_assert_int_eq(readplus_reply_seek(&res, fd, &args),
                     status == 10090 ? READPLUS_ERR_BAD_CONTENT : READPLUS_OK);
    ck_assert_uint_eq(res.status, status);
    ck_assert_int_eq(res.eof, eof);
    ck_assert_uint_eq(res.offset, found);
}

START_TEST(seeks)
{
    static const uint8_t block[65536] = {1};
    int fd = temporary();

    write_at(fd, block, sizeof(block), 0);
    write_at(fd, block, sizeof(block), 1 << 20);
    ck_assert_int_eq(ftruncate(fd, 4 << 20), 0);
    check_seek(fd, 5, READPLUS_CONTENT_DATA, 0, false, 5);
    check_seek(fd, 5, READPLUS_CONTENT_HOLE, 0, false, 65536);
    check_seek(fd, 65536, READPLUS_CONTENT_DATA, 0, false, 1 << 20);
    check_seek(fd, 2 << 20, READPLUS_CONTENT_DATA, 0, true, 4 << 20);
    check_seek(fd, 2 << 20, READPLUS_CONTENT_HOLE, 0, false, 2 << 20);
    check_seek(fd, 4 << 20, READPLUS_CONTENT_HOLE, 6, false, 0);
    check_seek(fd, 4 << 20, READPLUS_CONTENT_DATA, 6, false, 0);
    check_seek(fd, UINT64_MAX, READPLUS_CONTENT_DATA, 6, false, 0);
    check_seek(fd, 0, 2, 10090, false, 0);
    ck_assert_int_eq(ftruncate(fd, 65536), 0);
    check_seek(fd, 5, READPLUS_CONTENT_HOLE, 0, true, 65536);
    close(fd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("reply");
    TCase *tc = check_case(s, "files");

    tcase_add_loop_test(tc, random_requests, 0, 4);
    tcase_add_test(tc, no_regular_files);
    tcase_add_test(tc, not_to_be_read);
    tcase_add_test(tc, far_offsets);
    tcase_add_test(tc, far_file);
    tcase_add_test(tc, far_data);
    tcase_add_test(tc, no_room);
    tcase_add_test(tc, seeks);
    tcase_add_test(tc, large_requests);
    tcase_add_test(tc, source_asked_out_of_turn);
    return check_run(s);
}
