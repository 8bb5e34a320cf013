/*
 * One file with a hole, asked for a reply in a world of faults, and how many
 * system calls that took.
 */
#ifndef READPLUS_TESTS_FAULTY_REPLY_H
#define READPLUS_TESTS_FAULTY_REPLY_H

#include "faulty.h"

#include <readplus.h>
#include <readplus/reply.h>

static struct readplus_reply reply;
static struct readplus_limits limits;
static struct readplus_result result;
static uint8_t got[SIZE];

static inline void write_at(int fd, int byte, size_t len, off_t offset)
{
    uint8_t *bytes = malloc(len);

    ck_assert_ptr_nonnull(bytes);
    memset(bytes, byte, len);
    ck_assert_int_eq(pwrite(fd, bytes, len, offset), (ssize_t)len);
    free(bytes);
}

/* SIZE bytes: data to 100000, a hole to 900000, data to the end; old enough
 * that a change shows in its ctime. */
static inline int file_with_hole(void)
{
    static const struct timespec tick = {0, 30000000};
    int fd = faultless_file();

    write_at(fd, 'x', 100000, 0);
    write_at(fd, 'y', 100000, 900000);
    nanosleep(&tick, NULL);
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    return fd;
}

/* Asks, and delivers what comes. */
static inline enum readplus_error ask(int fd, uint64_t offset, uint32_t count,
                                      struct readplus_hint *hint)
{
    struct readplus_args args = {offset, count, {0, {0}}};
    size_t len = readplus_reply_buffer(count, &limits);
    static uint8_t *buffer; /* the reply stays until the next */
    struct iovec to = {got, SIZE};
    struct readplus_decoder decoder;
    enum readplus_error error;

    free(buffer);
    buffer = malloc(len);
    ck_assert_ptr_nonnull(buffer);
    memset(world.made, 0, sizeof(world.made));
    memset(world.looks, 0, sizeof(world.looks));
    error = readplus_reply_fd(&reply, fd, &args, &limits, hint, buffer, len);
    ck_assert_int_eq(
        readplus_decoder_init(&decoder, &args, reply.iov, reply.entries, 0),
        READPLUS_OK);
    ck_assert_int_eq(readplus_scatter(&decoder, &to, 1, 0, &result),
                     READPLUS_OK);
    return error;
}

/* Of the bytes delivered from `offset` on: 'x', 'y' or 0, as they lie there. */
static inline void check_file(uint64_t offset)
{
    uint64_t i;

    for (i = 0; i < result.bytes; i++) {
        uint64_t at = offset + i;
        int byte = at < 100000 ? 'x' : at < 900000 ? 0 : 'y';

        if (got[i] != byte)
            ck_abort_msg("byte %llu is %d", (unsigned long long)at, got[i]);
    }
}

/* How many calls the last request made. */
static inline void check_calls(int fstats, int lseeks, int preads)
{
    ck_assert_int_eq(world.made[CALL_FSTAT], fstats);
    ck_assert_int_eq(world.made[CALL_LSEEK], lseeks);
    ck_assert_int_eq(world.made[CALL_PREAD], preads);
}

/* How many look-ups it made, without the first, for the front. */
static inline void check_looks(int datas, int holes)
{
    ck_assert_int_eq(world.looks[0] - 1, datas);
    ck_assert_int_eq(world.looks[1], holes);
}

#endif /* READPLUS_TESTS_FAULTY_REPLY_H */
