/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 01-server FILE: answers READ_PLUS about FILE.  To stay in 30 lines it speaks
 * no RPC: READ_PLUS4args (28 bytes each) on standard input, READ_PLUS4res
 * behind a record mark on standard output.  02-client is its other end.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <readplus.h>
#include <readplus/reply.h>

/* README: server */
/* Answers one request, as it stood in the COMPOUND, to a connection. */
static int answer(int fd, const uint8_t call[READPLUS_ARGS_SIZE],
                  int connection)
{
    static uint8_t buffer[2 << 20]; /* one a thread */
    struct readplus_session session = {
        .ca_maxresponsesize = 1 << 20, /* as CREATE_SESSION agreed */
        .encoded = readplus_message_size(0, 0, 0) - READPLUS_OPCODE_SIZE,
    };
    struct readplus_limits limits;
    struct readplus_args args;
    struct readplus_reply reply;
    uint8_t mark[READPLUS_RECORD_MARK_SIZE];
    struct iovec head = {mark, sizeof(mark)};

    readplus_limits_init(&limits, READPLUS_PRESET_LINUX_CLIENT);
    if (readplus_session_maxcount(&session, &limits.maxcount) != READPLUS_OK ||
        readplus_args_decode(call, READPLUS_ARGS_SIZE, 0, &args, NULL) !=
            READPLUS_OK)
        return -1;
    /* Whatever it returns: the reply can be sent, if only as a status. */
    if (readplus_reply_fd(&reply, fd, &args, &limits, NULL, buffer,
                          sizeof(buffer)) != READPLUS_OK)
        fprintf(stderr, "01-server: status %u\n", (unsigned)reply.status);
    for (int i = 0; i < 4; i++)
        mark[i] = (uint8_t)((reply.size | 0x80000000u) >> (24 - 8 * i));
    return writev(connection, &head, 1) == 4 &&
                   writev(connection, reply.iov, (int)reply.entries) ==
                       (ssize_t)reply.size
               ? 0
               : -1;
}
/* README: end */

int main(int argc, char **argv)
{
    int fd = argc == 2 ? open(argv[1], O_RDONLY | O_NONBLOCK) : -1;
    uint8_t call[READPLUS_ARGS_SIZE];

    if (fd < 0) {
        fprintf(stderr, "usage: 01-server FILE\n");
        return 2;
    }
    while (fread(call, sizeof(call), 1, stdin) == 1)
        if (answer(fd, call, STDOUT_FILENO) != 0)
            return 1;
    close(fd);
    return 0;
}
