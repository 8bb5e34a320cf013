/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * readplus decode: what bytes from the wire say, for people and, as JSON, for
 * programs.  A fault is told with its name, its byte and its segment; what
 * was good before it is told too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"
#include "hex_dump.h"
#include "input.h"
#include "json_item.h"
#include "listing.h"
#include "message_show.h"
#include "pcap_list.h"
#include "program.h"

struct options {
    enum item_type type;
    bool tolerant, hex, data, json, ranged;
    struct readplus_args range;
    const char *file;
    const char *capture;
    bool in_message; /* then: */
    struct message_look look;
    uint16_t port;
};

enum {
    KEY_OFFSET = 0x100,
    KEY_COUNT,
    KEY_PROFILE,
    KEY_DATA,
    KEY_PCAP,
    KEY_PORT
};

static const struct argp_option option_table[] = {
    {"type", 't', "TYPE", 0,
     "Which item: res (default), resop, args, seek-args, seek-res; or a whole "
     "message: compound, compound-call, rpc, record",
     0},
    {"offset", KEY_OFFSET, "N", 0,
     "The request's offset; with it, what the reply says is held against the "
     "range asked for",
     0},
    {"count", KEY_COUNT, "N", 0,
     "The request's count; the other of the two is then 0, or as much as "
     "there is",
     0},
    {"profile", KEY_PROFILE, "NAME", 0,
     "strict (default), or tolerant: bytes may follow the item", 0},
    {"hex", 'x', NULL, 0,
     "Read hexadecimal text; white space, commas, colons and 0x may stand "
     "between the bytes, and what xxd and tcpdump -x print beside them",
     0},
    {"data", KEY_DATA, NULL, 0, "Show the bytes of the file, too", 0},
    {"json", 'j', NULL, 0, "Print one JSON object", 0},
    {"pcap", KEY_PCAP, "FILE", 0,
     "In place of an item: list every exchange of READ_PLUS in a capture, of "
     "any size, with its verdict",
     0},
    {"port", KEY_PORT, "N", 0, "The server's port in the capture (2049)", 0},
    {0},
};

static void set_profile(struct options *options, const char *name,
                        const struct argp_state *state)
{
    options->tolerant = strcmp(name, "tolerant") == 0;
    if (!options->tolerant && strcmp(name, "strict") != 0)
        argp_error(state, "no profile is called '%s'", name);
}

static void set_type(struct options *options, const char *word,
                     const struct argp_state *state)
{
    options->in_message = message_type(word, &options->look);
    options->type = item_type_option(word);
    if (!options->in_message && options->type == ITEM_TYPES)
        argp_error(state, "no type is called '%s'", word);
}

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

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case 't':
        set_type(options, arg, state);
        return 0;
    case KEY_OFFSET:
        options->range.offset =
            number_option("offset", arg, 0, UINT64_MAX, state);
        options->ranged = true;
        return 0;
    case KEY_COUNT:
        options->range.count =
            (uint32_t)number_option("count", arg, 0, UINT32_MAX, state);
        options->ranged = true;
        return 0;
    case KEY_PROFILE:
        set_profile(options, arg, state);
        return 0;
    case KEY_PCAP:
        options->capture = arg;
        return 0;
    case KEY_PORT:
        options->port =
            (uint16_t)number_option("port", arg, 1, UINT16_MAX, state);
        return 0;
    case ARGP_KEY_ARG:
        if (options->file != NULL || options->capture != NULL)
            argp_error(state, "one file at a time");
        options->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (options->capture == NULL)
            argp_error(state, "which file?");
        return 0;
    default:
        return parse_flag(key, options);
    }
}

static const struct argp parser = {
    option_table,
    parse_option,
    "FILE|-\n--pcap FILE|-",
    "Show what the bytes of one item of the protocol say.\v"
    "Exit status: 0 well formed, 1 faulty, 2 wrong use, 3 the file could not "
    "be read.",
    NULL,
    NULL,
    NULL};

/* What was read is a whole message, or several. */
static int show_message(struct options *options, const uint8_t *bytes,
                        size_t len)
{
    struct message_look *look = &options->look;

    look->json = options->json;
    look->data = options->data;
    look->tolerant = options->tolerant;
    look->range = options->ranged ? &options->range : NULL;
    look->file = options->file;
    return message_show(look, bytes, len);
}

static int show(const struct options *options, const uint8_t *bytes, size_t len)
{
    char message[ITEM_MESSAGE_SIZE];
    struct item item;

    item_decode(&item, options->type, bytes, len,
                options->ranged ? &options->range : NULL, options->tolerant);
    if (options->json) {
        json_print_item(&item, options->data, stdout);
        putchar('\n');
    } else {
        listing_print(&item, options->data, stdout);
    }
    if (item.fault.error == READPLUS_OK)
        return OUTCOME_OK;
    if (!options->json) {
        item_message(&item, message);
        complain("%s: %s: %s", options->file,
                 readplus_error_name(item.fault.error), message);
    }
    return OUTCOME_FAULTY;
}

int cmd_decode(int argc, char **argv)
{
    struct options options = {
        .type = ITEM_RES, .range = {.count = UINT32_MAX}, .port = 2049};
    int outcome = OUTCOME_FAULTY;
    uint8_t *bytes;
    size_t len, bad;

    argp_parse(&parser, argc, argv, 0, NULL, &options);
    if (options.capture != NULL)
        return pcap_list(options.capture, options.port, options.json);
    bytes = input_read(options.file, &len);
    if (bytes == NULL)
        return OUTCOME_UNREADABLE;
    if (options.hex)
        hex_undump(bytes, len);
    if (options.hex && !hex_read(bytes, len, &len, &bad))
        complain("%s: no byte in hexadecimal at character %zu", options.file,
                 bad);
    else if (options.in_message)
        outcome = show_message(&options, bytes, len);
    else
        outcome = show(&options, bytes, len);
    free(bytes);
    return outcome;
}
