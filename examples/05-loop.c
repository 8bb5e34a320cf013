/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 05-loop FILE: a server's loop and a client at the ends of a socketpair; no
 * RPC: the packets are READ_PLUS4args and READ_PLUS4res.  One sendmsg a
 * request, nothing copied; the client writes what it got to standard output.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <readplus.h>
#include <readplus/reply.h>

#define COUNT 65536u /* asked for at once; a packet must hold it */

static int serve(int connection, int fd)
{
    static uint8_t buffer[COUNT + 65536];
    struct readplus_hint hint = {0, {0}}; /* one for each open file */
    uint8_t call[READPLUS_ARGS_SIZE];
    struct readplus_limits limits;
    struct readplus_reply reply;
    struct readplus_args args;

    readplus_limits_init(&limits, READPLUS_PRESET_LINUX_CLIENT);
    while (recv(connection, call, sizeof(call), 0) == (ssize_t)sizeof(call)) {
        if (readplus_args_decode(call, sizeof(call), 0, &args, NULL) != 0)
            return 1;
        enum readplus_error error = readplus_reply_fd(
            &reply, fd, &args, &limits, &hint, buffer, sizeof(buffer));
        if (error != READPLUS_OK) /* the client is told as well */
            fprintf(stderr, "%s\n", readplus_error_text(error));
        struct msghdr message = {.msg_iov = reply.iov,
                                 .msg_iovlen = reply.entries};
        if (sendmsg(connection, &message, 0) != (ssize_t)reply.size)
            return 1;
    }
    return 0;
}

static int ask(int connection)
{
    static uint8_t reply[COUNT + 4096], content[COUNT];
    struct readplus_args args = {0, COUNT, {0, {0}}};
    struct iovec to = {content, sizeof(content)};
    struct readplus_result result = {0};
    struct readplus_decoder decoder;
    uint8_t call[READPLUS_ARGS_SIZE];

    for (; !result.eof; args.offset += result.bytes) {
        if (readplus_args_encode(&args, call, sizeof(call)) != READPLUS_OK ||
            send(connection, call, sizeof(call), 0) != (ssize_t)sizeof(call))
            return 1;
        ssize_t len = recv(connection, reply, sizeof(reply), 0);
        if (len <= 0 ||
            readplus_decoder_init_buffer(&decoder, &args, reply, (size_t)len,
                                         0) != READPLUS_OK ||
            readplus_decoder_status(&decoder) != 0 ||
            readplus_scatter(&decoder, &to, 1, 0, &result) != READPLUS_OK ||
            !result.progress ||
            fwrite(content, 1, (size_t)result.bytes, stdout) != result.bytes)
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int ends[2], fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;

    if (fd < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
        return 2;
    if (fork() == 0)
        return close(ends[0]) != 0 || serve(ends[1], fd);
    close(ends[1]);
    return ask(ends[0]) || close(ends[0]) || wait(NULL) < 0;
}
