/*
 * Goes through a file from front to back, as a server does that is asked by
 * READ or by READ_PLUS, for tests/read-sizes.sh to look at with strace.
 *
 *     sequential read|plus FILE COUNT
 */
#include <readplus.h>
#include <readplus/reply.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct readplus_args args = {.offset = 0};
    struct readplus_hint hint = {0, {0}};
    struct readplus_limits limits;
    struct readplus_reply reply;
    void *buffer;
    size_t len;
    int fd;

    if (argc != 4 || (fd = open(argv[2], O_RDONLY)) < 0)
        return 2;
    args.count = (uint32_t)strtoul(argv[3], NULL, 10);
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    len = readplus_reply_buffer(args.count, &limits);
    buffer = malloc(len);
    if (buffer == NULL || args.count == 0)
        return 2;
    if (strcmp(argv[1], "read") == 0)
        while (pread(fd, buffer, args.count, (off_t)args.offset) ==
               (ssize_t)args.count)
            args.offset += args.count;
    else
        do {
            if (readplus_reply_fd(&reply, fd, &args, &limits, &hint, buffer,
                                  len) != READPLUS_OK)
                return 1;
            args.offset = reply.next;
        } while (!reply.eof);
    free(buffer);
    return close(fd);
}
