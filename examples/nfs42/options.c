/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line.  What is sent as holes is said in the words of the readplus
 * program's --policy; --preset, --minhole and --maxsegs are such words too.
 */
#include <stdlib.h>
#include <string.h>

#include "../readplus/policy.h"
#include "../readplus/program.h"
#include "options.h"

const char *argp_program_version = "nfs42d " READPLUS_VERSION;

enum {
    KEY_EXPORT = 256,
    KEY_LISTEN,
    KEY_PORT,
    KEY_USER,
    KEY_KEY,
    KEY_MAX_READ,
    KEY_POLICY,
    KEY_PRESET,
    KEY_MINHOLE,
    KEY_MAXSEGS,
    KEY_READ_PLUS,
    KEY_JSON_LOG
};

static const struct argp_option table[] = {
    {"export", KEY_EXPORT, "DIR", 0, "The directory to export", 1},
    {"listen", KEY_LISTEN, "ADDRESS", 0,
     "Where to listen (default 127.0.0.1: this machine only)", 2},
    {"port", KEY_PORT, "N", 0, "TCP port (default 2049; 0: any free one)", 2},
    {"user", KEY_USER, "NAME", 0,
     "Started as root: whose rights to read with (default nobody)", 2},
    {"key", KEY_KEY, "FILE", 0,
     "Where the key that signs filehandles is kept, made if not there", 2},
    {"max-read", KEY_MAX_READ, "N", 0,
     "Most bytes of one READ or READ_PLUS (default 1M)", 3},
    {"read-plus", KEY_READ_PLUS, "on|off", 0,
     "off: READ_PLUS is answered with NFS4ERR_NOTSUPP", 3},
    {"preset", KEY_PRESET, "NAME", 0,
     "default, linux-client, rdma, single-data or single", 4},
    {"policy", KEY_POLICY, "WORDS", 0, POLICY_HELP, 4},
    {"minhole", KEY_MINHOLE, "N", 0, "Holes below this are sent as data", 4},
    {"maxsegs", KEY_MAXSEGS, "N", 0, "Most segments of a reply", 4},
    {"json-log", KEY_JSON_LOG, "FILE", 0,
     "Append a JSON object a line for each COMPOUND", 5},
    {0}};

/* Adds a word to what policy_parse() will get. */
static void add_word(char *words, size_t size, const char *prefix,
                     const char *word, const struct argp_state *state)
{
    size_t len = strlen(words);

    if (len + strlen(prefix) + strlen(word) + 2 > size)
        argp_error(state, "--policy: too long");
    if (len > 0)
        strcat(words, ",");
    strcat(words, prefix);
    strcat(words, word);
}

struct parsing {
    struct options *options;
    char words[256];
};

static error_t parse_policy(int key, char *arg, struct argp_state *state)
{
    struct parsing *parsing = state->input;
    const char *prefix = "";

    switch (key) {
    case KEY_MINHOLE:
        prefix = "minhole=";
        break;
    case KEY_MAXSEGS:
        prefix = "maxsegs=";
        break;
    case KEY_POLICY:
    case KEY_PRESET:
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    add_word(parsing->words, sizeof(parsing->words), prefix, arg, state);
    return 0;
}

static error_t finish(struct parsing *parsing, const struct argp_state *state)
{
    if (parsing->options->export_dir == NULL)
        argp_error(state, "--export is missing");
    if (parsing->words[0] != '\0')
        policy_parse(parsing->words, &parsing->options->limits, state);
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct parsing *parsing = state->input;
    struct options *options = parsing->options;

    switch (key) {
    case KEY_EXPORT:
        options->export_dir = arg;
        return 0;
    case KEY_LISTEN:
        options->listen = arg;
        return 0;
    case KEY_PORT:
        options->port =
            (uint16_t)number_option("--port", arg, 0, UINT16_MAX, state);
        return 0;
    case KEY_USER:
        options->user = arg;
        return 0;
    case KEY_KEY:
        options->key_file = arg;
        return 0;
    case KEY_MAX_READ:
        options->max_read =
            (uint32_t)number_option("--max-read", arg, 4096, 8u << 20, state);
        return 0;
    case KEY_READ_PLUS:
        options->read_plus = strcmp(arg, "on") == 0;
        if (!options->read_plus && strcmp(arg, "off") != 0)
            argp_error(state, "--read-plus: on or off");
        return 0;
    case KEY_JSON_LOG:
        options->json_log = arg;
        return 0;
    case ARGP_KEY_END:
        return finish(parsing, state);
    default:
        return parse_policy(key, arg, state);
    }
}

void options_parse(struct options *options, int argc, char **argv)
{
    static const struct argp argp = {
        .options = table,
        .parser = parse,
        .doc = "Exports a directory, read-only, over NFSv4.2 (TCP)."};
    struct parsing parsing = {.options = options};

    *options = (struct options){.listen = "127.0.0.1",
                                .port = 2049,
                                .user = "nobody",
                                .max_read = 1u << 20,
                                .read_plus = true};
    readplus_limits_init(&options->limits, READPLUS_PRESET_DEFAULT);
    argp_err_exit_status = OUTCOME_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &parsing);
}
