/*
 * One request answered through a pipe in a world of faults, sent through a
 * socket, received, and compared with the file.
 */
#ifndef READPLUS_TESTS_FAULTY_SPLICE_H
#define READPLUS_TESTS_FAULTY_SPLICE_H

#include "faulty.h"

#include <readplus.h>
#include <readplus/splice.h>

#define DATA READPLUS_CONTENT_DATA
#define HOLE READPLUS_CONTENT_HOLE

static struct readplus_spliced reply;
static struct readplus_limits limits;
static struct readplus_hint hint, *hinted;
static uint8_t file[SIZE], wire[SIZE + 65536], content[SIZE];
static size_t wire_len;
static int ends[2]; /* of the pipe */

static inline uint64_t below(uint64_t n)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

static inline void new_pipe(int size)
{
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_ge(fcntl(ends[1], F_SETPIPE_SZ, size), size);
}

static inline void close_pipe(void)
{
    close(ends[0]);
    close(ends[1]);
}

static inline int new_file(void)
{
    int fd = faultless_file();

    memset(file, 0, sizeof(file));
    memset(&hint, 0, sizeof(hint));
    hinted = NULL;
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    ck_assert_int_eq(ftruncate(fd, SIZE), 0);
    return fd;
}

static inline void put(int fd, uint64_t offset, size_t len)
{
    memset(file + offset, (int)(1 + below(255)), len);
    ck_assert_int_eq(pwrite(fd, file + offset, len, (off_t)offset),
                     (ssize_t)len);
}

/* Pieces of up to `most` bytes of data and of hole. */
static inline int sparse_file(uint64_t most)
{
    int fd = new_file();
    uint64_t at = 0, n;

    for (; at < SIZE; at += n + below(most) + 1) {
        n = below(most) + 1;
        n = n < SIZE - at ? n : SIZE - at;
        put(fd, at, (size_t)n);
    }
    return fd;
}

/* Sends the reply through a small socket that does not wait. */
static inline void carry(void)
{
    enum readplus_error error;
    int pair[2], small = 4096;
    ssize_t n;

    wire_len = 0;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair),
                     0);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    do {
        error = readplus_splice_send(&reply, ends[0], pair[0]);
        if (error != READPLUS_OK) {
            ck_assert_int_eq(error, READPLUS_ERR_IO);
            ck_assert_int_eq(errno, EAGAIN);
        }
        while ((n = read(pair[1], wire + wire_len, sizeof(wire) - wire_len)) >
               0)
            wire_len += (size_t)n;
    } while (error != READPLUS_OK);
    close(pair[0]);
    close(pair[1]);
    ck_assert_uint_eq(reply.entries, 0);
}

static inline enum readplus_error answer(int fd,
                                         const struct readplus_args *args,
                                         size_t len)
{
    uint8_t *buffer = malloc(len);
    enum readplus_error error;

    ck_assert_ptr_nonnull(buffer);
    error = readplus_splice_fd(&reply, fd, ends[1], args, &limits, hinted,
                               buffer, len);
    if (error != READPLUS_ERR_INVAL) {
        uint64_t size = reply.size;

        carry();
        ck_assert_uint_eq(wire_len, size);
    }
    free(buffer);
    return error;
}

/* What came must be a strict reply within its budgets; it is delivered. */
static inline struct readplus_result delivered(const struct readplus_args *args)
{
    struct iovec to = {content, args->count};
    struct readplus_result result;
    struct readplus_decoder d;
    uint8_t *bytes = exact_copy(wire, wire_len);

    ck_assert_int_eq(readplus_decoder_init_buffer(&d, args, bytes, wire_len, 0),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_scatter(&d, &to, 1, 0, &result), READPLUS_OK);
    free(bytes);
    /* A hole that is clipped clears it. */
    ck_assert(result.eof == reply.eof ||
              (reply.eof && (limits.flags & READPLUS_LIMIT_WHOLE)));
    ck_assert_uint_le(reply.count, limits.maxsegs ? limits.maxsegs : 4096);
    ck_assert_uint_le(wire_len, (uint64_t)limits.maxcount + 4);
    return result;
}

static inline struct readplus_result check_file(int fd, uint64_t offset,
                                                uint32_t count, size_t len)
{
    struct readplus_args args = {offset, count, {0, {0}}};
    struct readplus_result result;

    ck_assert_int_eq(answer(fd, &args, len), READPLUS_OK);
    result = delivered(&args);
    ck_assert_uint_le(result.bytes, offset < SIZE ? SIZE - offset : 0);
    ck_assert_mem_eq(content, file + (offset < SIZE ? offset : 0),
                     (size_t)result.bytes);
    ck_assert(reply.eof == (offset + result.bytes >= SIZE));
    ck_assert(result.bytes > 0 || count == 0 || offset >= SIZE);
    return result;
}

/* Where the file system has holes at all.  A hole at the end is believed only
 * of a file that was let alone for a tick. */
static inline bool has_holes(int fd)
{
    struct timespec tick = {0, 20000000};

    nanosleep(&tick, NULL);
    return lseek(fd, 0, SEEK_HOLE) < (off_t)SIZE;
}

static inline int two_pieces(void)
{
    int fd = new_file();

    put(fd, 0, 204800);
    put(fd, 409600, SIZE - 409600);
    new_pipe(1 << 20);
    hinted = &hint;
    return fd;
}

/* Requests all of the file; what was delivered. */
static inline uint64_t got_of(int fd)
{
    struct readplus_args args = {0, SIZE, {0, {0}}};
    struct readplus_result result;

    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_OK);
    result = delivered(&args);
    ck_assert_mem_eq(content, file, (size_t)result.bytes);
    return result.bytes;
}

/* What happens to the file before and behind splice, the nth time from now on
 * or, nth being 0, each time. */
static inline void at_splice(int nth, void (*what)(int fd),
                             void (*then)(int fd))
{
    world.made[CALL_SPLICE] = 0;
    world.when = CALL_SPLICE;
    world.nth = nth;
    world.always = nth == 0;
    world.what = what;
    world.then = then;
}

#endif /* READPLUS_TESTS_FAULTY_SPLICE_H */
