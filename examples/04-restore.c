/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 04-restore DST: rebuilds the file of 01-server as DST, holes and all, with a
 * buffer of 64 KiB however large the replies are.  Requests go out on standard
 * output, replies come in on standard input; see 01-server.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <readplus.h>
#include <readplus/restore.h>

/* Your transport: sends the call; the record mark says how long the reply is. */
static uint64_t ask(const struct readplus_args *args)
{
    uint8_t call[READPLUS_ARGS_SIZE], mark[READPLUS_RECORD_MARK_SIZE];

    if (readplus_args_encode(args, call, sizeof(call)) != READPLUS_OK ||
        fwrite(call, sizeof(call), 1, stdout) != 1 || fflush(stdout) != 0 ||
        read(STDIN_FILENO, mark, sizeof(mark)) != sizeof(mark))
        return 0;
    return (uint64_t)(mark[0] & 0x7f) << 24 | (uint64_t)mark[1] << 16 |
           (uint64_t)mark[2] << 8 | mark[3];
}

/* What has arrived goes into the file. */
static enum readplus_error take_events(struct readplus_stream *stream,
                                       const struct readplus_args *args,
                                       struct readplus_restore *restore)
{
    struct readplus_event event;
    enum readplus_error error;

    while ((error = readplus_stream_event(stream, &event)) == READPLUS_OK) {
        if (event.kind == READPLUS_EVENT_DATA_BEGIN)
            continue;
        error = readplus_restore_segment(restore, args, &event.segment);
        if (error != READPLUS_OK)
            return error;
    }
    return error == READPLUS_END ? READPLUS_OK : error;
}

/* Receives one reply and says what it brought. */
static struct readplus_answer receive(const struct readplus_args *args,
                                      struct readplus_restore *restore)
{
    static uint8_t buffer[64 << 10];
    struct readplus_answer answer = {.error = READPLUS_ERR_TRUNCATED};
    struct readplus_result got = {.bytes = 0};
    struct readplus_stream stream;
    struct iovec want[2];
    size_t entries;
    ssize_t len = 1;
    enum readplus_error error;

    error = readplus_stream_init_events(&stream, args, READPLUS_DECODE_STRICT);
    readplus_stream_set_size(&stream, ask(args));
    readplus_stream_set_ahead(&stream, buffer, sizeof(buffer));
    while (error == READPLUS_OK && len > 0 &&
           readplus_stream_want(&stream, want, 2, &entries) == READPLUS_OK) {
        len = readv(STDIN_FILENO, want, (int)entries);
        if (len > 0 &&
            readplus_stream_advance(&stream, (size_t)len) == READPLUS_OK)
            error = take_events(&stream, args, restore);
    }
    if (error == READPLUS_OK)
        error = readplus_stream_end(&stream, &got);
    answer.error = error;
    answer.status = readplus_stream_status(&stream);
    answer.bytes = got.bytes;
    answer.eof = got.eof;
    /* A hole that reaches past the request has been used as far as it does. */
    if (got.bytes == args->count && got.bytes > 0)
        answer.bytes = readplus_restore_next(restore) - args->offset;
    return answer;
}

/* Asks, restores, and does as the judge says. */
static int rebuild(struct readplus_restore *restore)
{
    struct readplus_args args = {.offset = 0, .count = 4 << 20};
    struct readplus_verdict verdict;
    struct readplus_server server;
    struct readplus_judge judge;

    readplus_server_init(&server);
    readplus_judge_init(&judge, &server, 0);
    do {
        struct readplus_answer answer = receive(&args, restore);

        verdict = readplus_judge_answer(&judge, &args, &answer);
        args.offset = verdict.next;
        if (answer.error != READPLUS_OK)
            fprintf(stderr, "04-restore: %s: %s\n",
                    readplus_error_text(answer.error),
                    strerror(readplus_restore_errno(restore)));
    } while (verdict.action == READPLUS_ACTION_CONTINUE ||
             verdict.action == READPLUS_ACTION_RETRY);
    if (verdict.action != READPLUS_ACTION_DONE) /* a client would use READ */
        return -1;
    return readplus_restore_finish(restore, verdict.next) == READPLUS_OK ? 0
                                                                         : -1;
}

int main(int argc, char **argv)
{
    struct readplus_restore restore;
    int dst = argc == 2 ? open(argv[1], O_RDWR | O_CREAT, 0666) : -1;

    if (dst < 0 || readplus_restore_init(
                       &restore, dst, READPLUS_RESTORE_SPARSE) != READPLUS_OK) {
        fprintf(stderr, "usage: 04-restore DST\n");
        return 2;
    }
    return rebuild(&restore) == 0 && fsync(dst) == 0 && close(dst) == 0 ? 0 : 1;
}
