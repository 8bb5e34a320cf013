/*
 * Replies from a descriptor: what a client makes of them is what pread says,
 * for every policy, budget and buffer.
 */
#include <readplus.h>
#include <readplus/reply.h>

#include <fcntl.h>
#include <stdio.h>
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

static void check_reply(int fd, const struct readplus_args *args,
                        const struct readplus_limits *limits, size_t len)
{
    uint8_t *buffer = malloc(len);
    struct readplus_reply reply;
    uint64_t bytes, sum = 0;
    size_t i;

    ck_assert_ptr_nonnull(buffer);
    HOLDS(readplus_reply_fd(&reply, fd, args, limits, NULL, buffer, len) ==
          READPLUS_OK);
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

    for (i = 0; i < 4000; i++) {
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

int main(void)
{
    Suite *s = suite_create("reply");
    TCase *tc = check_case(s, "files");

    tcase_add_loop_test(tc, random_requests, 0, 4);
    return check_run(s);
}
