/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 03-receive: a reply travels over a socket and becomes file content in a
 * buffer that was there before it: data is received where it belongs, the hole
 * is zeroed, and nowhere is there room for the reply as a whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <readplus.h>

#define COUNT (1u << 20)

static const struct readplus_args args = {.offset = 0, .count = COUNT};

/* A server's end: 300000 bytes of data, a hole, data, with headers from
 * scratch and data by reference; the record mark goes first. */
static int serve(int fd)
{
    static uint8_t file[COUNT];
    struct readplus_segment s[] = {
        {READPLUS_CONTENT_DATA, 0, 300000, file},
        {READPLUS_CONTENT_HOLE, 300000, 700000, NULL},
        {READPLUS_CONTENT_DATA, 1000000, COUNT - 1000000, file + 1000000}};
    uint8_t scratch[READPLUS_IOV_SCRATCH(3)], mark[4];
    struct iovec iov[1 + READPLUS_IOV_ENTRIES(3)] = {{mark, sizeof(mark)}};
    size_t entries, i;
    uint64_t size;

    memset(file, 'd', 300000);
    memset(file + 1000000, 'D', COUNT - 1000000);
    if (readplus_encode_iov(true, s, 3, scratch, sizeof(scratch), iov + 1,
                            READPLUS_IOV_ENTRIES(3), &entries,
                            &size) != READPLUS_OK)
        return 1;
    for (i = 0; i < 4; i++)
        mark[i] = (uint8_t)((size | 0x80000000u) >> (24 - 8 * i));
    for (i = 0; i < entries + 1; i++)
        if (send(fd, iov[i].iov_base, iov[i].iov_len, MSG_NOSIGNAL) !=
            (ssize_t)iov[i].iov_len)
            return 1;
    return 0;
}

/* A client's end: what comes next on the socket, into buffer[0, COUNT). */
static enum readplus_error receive(int fd, uint8_t *buffer,
                                   struct readplus_result *result)
{
    static uint8_t ahead[64 << 10]; /* for heads and what comes with them */
    struct iovec to = {buffer, COUNT}, want[4];
    struct readplus_stream stream;
    size_t entries;
    uint8_t mark[4];
    ssize_t got = 1;

    if (recv(fd, mark, sizeof(mark), MSG_WAITALL) != sizeof(mark))
        return READPLUS_ERR_TRUNCATED;
    if (readplus_stream_init(&stream, &args, &to, 1, READPLUS_DECODE_STRICT) !=
        READPLUS_OK)
        return READPLUS_ERR_INVAL;
    readplus_stream_set_size(&stream, (uint64_t)(mark[0] & 0x7f) << 24 |
                                          (uint64_t)mark[1] << 16 |
                                          (uint64_t)mark[2] << 8 | mark[3]);
    readplus_stream_set_ahead(&stream, ahead, sizeof(ahead));
    while (got > 0 &&
           readplus_stream_want(&stream, want, 4, &entries) == READPLUS_OK) {
        got = readv(fd, want, (int)entries);
        if (got > 0 &&
            readplus_stream_advance(&stream, (size_t)got) != READPLUS_OK)
            break;
    }
    return readplus_stream_end(&stream, result);
}

int main(void)
{
    struct readplus_result result;
    enum readplus_error error;
    uint8_t *buffer = malloc(COUNT);
    int pair[2], status = 1;

    if (buffer == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return 1;
    if (fork() == 0)
        _exit(serve(pair[1]));
    close(pair[1]);
    error = receive(pair[0], buffer, &result);
    close(pair[0]);
    wait(&status);
    if (error != READPLUS_OK || status != 0) {
        fprintf(stderr, "03-receive: %s\n", readplus_error_text(error));
        return 1;
    }
    printf("%llu bytes, %llu of them from holes%s\n",
           (unsigned long long)result.bytes,
           (unsigned long long)result.zero_bytes,
           result.eof ? ", end of file" : "");
    status = buffer[0] == 'd' && buffer[299999] == 'd' && buffer[300000] == 0 &&
                     buffer[999999] == 0 && buffer[COUNT - 1] == 'D' &&
                     result.bytes == COUNT && result.eof
                 ? 0
                 : 1;
    free(buffer);
    return status;
}
