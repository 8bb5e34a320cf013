/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 02-client DST: reads the file of 01-server into DST.  Requests go out on
 * standard output, replies come in on standard input; see 01-server.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <readplus.h>

/* Your transport: sends the call, receives one READ_PLUS4res. */
static size_t exchange(const uint8_t *call, uint8_t *reply, size_t room)
{
    uint8_t mark[READPLUS_RECORD_MARK_SIZE];
    size_t len;

    if (fwrite(call, READPLUS_ARGS_SIZE, 1, stdout) != 1 ||
        fflush(stdout) != 0 || fread(mark, sizeof(mark), 1, stdin) != 1)
        return 0;
    len = (size_t)(mark[0] & 0x7f) << 24 | (size_t)mark[1] << 16 |
          (size_t)mark[2] << 8 | mark[3];
    return len <= room && fread(reply, 1, len, stdin) == len ? len : 0;
}

/* README: client */
/* Asks for a whole file, READ_PLUS after READ_PLUS. */
static int fetch(int dst)
{
    static uint8_t data[1 << 20], reply[sizeof(data) + (64 << 10)];
    struct readplus_args args = {.offset = 0, .count = sizeof(data)};
    struct readplus_result got = {.progress = true};

    while (!got.eof) {
        struct iovec to = {data, sizeof(data)};
        uint8_t call[READPLUS_ARGS_SIZE];
        struct readplus_decoder decoder;
        enum readplus_error error =
            readplus_args_encode(&args, call, sizeof(call));
        size_t len = exchange(call, reply, sizeof(reply));

        if (error == READPLUS_OK)
            error = readplus_decoder_init_buffer(&decoder, &args, reply, len,
                                                 READPLUS_DECODE_STRICT);
        if (error == READPLUS_OK)
            error = readplus_scatter(&decoder, &to, 1, 0, &got);
        if (error != READPLUS_OK || !got.progress ||
            readplus_decoder_status(&decoder) != 0) {
            fprintf(stderr, "02-client: %s at byte %llu, status %u%s\n",
                    readplus_error_name(error),
                    (unsigned long long)readplus_decoder_fault(&decoder).at,
                    (unsigned)readplus_decoder_status(&decoder),
                    got.progress ? "" : ", no progress");
            return -1;
        }
        if (pwrite(dst, data, (size_t)got.bytes, (off_t)args.offset) !=
            (ssize_t)got.bytes)
            return -1;
        args.offset += got.bytes;
    }
    return 0;
}
/* README: end */

int main(int argc, char **argv)
{
    int dst =
        argc == 2 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

    if (dst < 0) {
        fprintf(stderr, "usage: 02-client DST\n");
        return 2;
    }
    return fetch(dst) == 0 && close(dst) == 0 ? 0 : 1;
}
