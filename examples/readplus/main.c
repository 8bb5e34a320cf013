/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The readplus program's front door: it finds the command and hands over.
 * No command's own work is done here.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readplus.h>

#include "output.h"
#include "program.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
};

static const struct command commands[] = {
    {"copy", cmd_copy, "carry a sparse file through READ_PLUS, and prove it"},
    {"demo", cmd_demo, "copy some made-up sparse files, show one table"},
    {"decode", cmd_decode, "show what bytes from the wire say"},
    {"encode", cmd_encode, "make bytes for the wire from JSON"},
    {"pcap", cmd_pcap, "write vectors or a reply as a capture"},
    {"vectors", cmd_vectors, "golden vectors: list, show, check, export"},
    {"map", cmd_map, "show a file's holes, and what READ_PLUS would save"},
    {"reply", cmd_reply, "answer one READ_PLUS request for a file"},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

void complain(const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fputs("readplus: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

static void usage(FILE *to)
{
    size_t i;

    fputs("Usage: readplus COMMAND [OPTION...] [FILE...]\n"
          "READ_PLUS of NFSv4.2 (RFC 7862) on files and on bytes.\n\n",
          to);
    for (i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].help);
    fputs("\n`readplus COMMAND --help' tells a command's options.\n"
          "Exit status: 0 done, 1 faulty input or failure, 2 wrong use,"
          " 3 a file could not be read.\n",
          to);
}

static const struct command *find(const char *name)
{
    size_t i;

    for (i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* What is asked of the program itself rather than of a command. */
static int own_option(const char *option)
{
    if (strcmp(option, "--help") == 0 || strcmp(option, "-?") == 0 ||
        strcmp(option, "help") == 0) {
        usage(stdout);
        return OUTCOME_OK;
    }
    if (strcmp(option, "--version") == 0 || strcmp(option, "-V") == 0) {
        puts(argp_program_version);
        return OUTCOME_OK;
    }
    complain("no command is called '%s'; `readplus --help' lists them", option);
    return OUTCOME_USAGE;
}

static int dispatch(int argc, char **argv)
{
    const struct command *command;
    char name[32];

    if (argc < 2) {
        usage(stderr);
        return OUTCOME_USAGE;
    }
    command = find(argv[1]);
    if (command == NULL)
        return own_option(argv[1]);
    /* argp takes the name for its messages from here. */
    snprintf(name, sizeof(name), "readplus %s", command->name);
    argv[1] = name;
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    static char version[64];
    int outcome;

    snprintf(version, sizeof(version), "readplus %s", readplus_version());
    argp_program_version = version;
    argp_err_exit_status = OUTCOME_USAGE;
    outcome = dispatch(argc, argv);
    if (!output_flush() && outcome == OUTCOME_OK)
        outcome = OUTCOME_FAULTY;
    return outcome;
}
