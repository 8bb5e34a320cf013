/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * readplus reply: the very bytes a server would answer to one request about a
 * file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hex.h"
#include "json_item.h"
#include "policy.h"
#include "server.h"

enum { KEY_OFFSET = 0x100, KEY_COUNT, KEY_MAXCOUNT, KEY_POLICY, KEY_DATA };

struct options {
    struct readplus_args args;
    struct readplus_limits limits;
    const char *policy, *file;
    bool offset, count, maxcount; /* were given */
    bool hex, json, data;
};

static const struct argp_option option_table[] = {
    {"offset", KEY_OFFSET, "N", 0, "The request's offset in the file", 0},
    {"count", KEY_COUNT, "N", 0, "Bytes of the file asked for", 0},
    {"maxcount", KEY_MAXCOUNT, "N", 0, "Bytes of the reply, less its status",
     0},
    {"policy", KEY_POLICY, "WORDS", 0, POLICY_HELP " (default: clip,scan)", 0},
    {"hex", 'x', NULL, 0, "Write hexadecimal text instead of bytes", 0},
    {"json", 'j', NULL, 0, "Print the object `readplus decode' would", 0},
    {"data", KEY_DATA, NULL, 0, "With --json: the bytes of the file, too", 0},
    {0},
};

static error_t parse_flag(int key, struct options *options)
{
    switch (key) {
    case 'x':
        options->hex = true;
        return 0;
    case 'j':
        options->json = true;
        return 0;
    case KEY_DATA:
        options->data = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void check(struct options *options, const struct argp_state *state)
{
    if (options->file == NULL)
        argp_error(state, "which file?");
    if (!options->offset || !options->count || !options->maxcount)
        argp_error(state, "--offset, --count and --maxcount are all needed");
    policy_parse(options->policy, &options->limits, state);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case KEY_OFFSET:
        options->offset = true;
        options->args.offset =
            number_option("offset", arg, 0, UINT64_MAX, state);
        return 0;
    case KEY_COUNT:
        options->count = true;
        options->args.count =
            (uint32_t)number_option("count", arg, 0, UINT32_MAX, state);
        return 0;
    case KEY_MAXCOUNT:
        options->maxcount = true;
        options->limits.maxcount =
            (uint32_t)number_option("maxcount", arg, 0, UINT32_MAX, state);
        return 0;
    case KEY_POLICY:
        options->policy = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (options->file != NULL)
            argp_error(state, "one file at a time");
        options->file = arg;
        return 0;
    case ARGP_KEY_END:
        check(options, state);
        return 0;
    default:
        return parse_flag(key, options);
    }
}

static const struct argp parser = {
    option_table,
    parse_option,
    "FILE --offset N --count N --maxcount N",
    "Write the READ_PLUS4res with which a server would answer one request "
    "about FILE. Where --maxcount is too small for one byte of it, that is "
    "the four bytes of NFS4ERR_REP_TOO_BIG.\v"
    "Exit status: 0 answered; 2 wrong use; 3 the file could not be read, and "
    "the answer, if there is one, says so.",
    NULL,
    NULL,
    NULL};

static void write_reply(const struct options *options, const uint8_t *bytes,
                        size_t len)
{
    struct item item;

    if (options->json) {
        item_decode(&item, ITEM_RES, bytes, len, &options->args, false);
        json_print_item(&item, options->data, stdout);
        putchar('\n');
    } else if (options->hex) {
        hex_print(bytes, len, stdout);
        putchar('\n');
    } else {
        fwrite(bytes, 1, len, stdout);
    }
}

static int reply(const struct options *options, int fd)
{
    enum readplus_error error;
    struct server server;
    const uint8_t *bytes;
    size_t len;

    if (!server_init(&server, options->args.count, &options->limits)) {
        complain("out of memory");
        return OUTCOME_FAULTY;
    }
    error = server_answer(&server, fd, &options->args, &bytes, &len);
    write_reply(options, bytes, len);
    server_end(&server);
    if (!readplus_error_is_source(error))
        return OUTCOME_OK;
    complain("%s: cannot be read: %s", options->file,
             readplus_error_text(error));
    return OUTCOME_UNREADABLE;
}

int cmd_reply(int argc, char **argv)
{
    struct options options = {.policy = "default"};
    int fd, outcome;

    argp_parse(&parser, argc, argv, 0, NULL, &options);
    fd = open(options.file, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        complain("%s: cannot be read: %s", options.file, strerror(errno));
        return OUTCOME_UNREADABLE;
    }
    outcome = reply(&options, fd);
    close(fd);
    return outcome;
}
