/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nfs42cp: copies a file from an NFSv4.2 server.  Here are only the command
 * line, the clock, and the signals, which ask the work to come to an end.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <readplus.h>

#include "client_copy.h"

#define NFS_PORT 2049
#define SIZE_MAX_ASKED (16 << 20)

/* --- what every room may ask for ----------------------------------------- */

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    stopped = number;
}

int stop_signal(void)
{
    return stopped;
}

double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void complain(const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fputs("nfs42cp: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* --- the command line ---------------------------------------------------- */

enum {
    KEY_READ = 0x100,
    KEY_READ_PLUS,
    KEY_AUTO,
    KEY_EXTENTS,
    KEY_PORT,
    KEY_SIZE,
    KEY_TIMEOUT,
    KEY_VERIFY
};

static const struct argp_option option_table[] = {
    {"auto", KEY_AUTO, NULL, 0,
     "READ_PLUS as long as the server's answers hold up, then READ (default)",
     0},
    {"read", KEY_READ, NULL, 0, "READ only", 0},
    {"read-plus", KEY_READ_PLUS, NULL, 0,
     "READ_PLUS only: fail rather than use READ", 0},
    {"extents", KEY_EXTENTS, NULL, 0,
     "Copy nothing; list what is data and what is a hole, as the server says",
     0},
    {"port", KEY_PORT, "N", 0, "The server's TCP port (default 2049)", 0},
    {"jobs", 'j', "N", 0, "Requests in flight at a time (default 8)", 0},
    {"size", KEY_SIZE, "N", 0,
     "Bytes of the file each request asks for (default 1M)", 0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0,
     "Give up when so long nothing came (default 120)", 0},
    {"verify", KEY_VERIFY, NULL, 0,
     "Read all of it again, by READ, and compare", 0},
    {"json", 'J', NULL, 0, "Print one JSON object", 0},
    {"quiet", 'q', NULL, 0, "Print nothing but failures", 0},
    {0},
};

/* HOST:/PATH, or [ADDRESS]:/PATH. */
static void take_source(struct options *options, const char *text,
                        const struct argp_state *state)
{
    const char *host = text, *end = strstr(text, ":/"), *path;

    if (text[0] == '[') {
        host = text + 1;
        end = strstr(text, "]:/");
    }
    if (end == NULL || end == host)
        argp_error(state, "the source is HOST:/PATH, not '%s'", text);
    path = strchr(end, '/');
    options->source = text;
    options->host = strndup(host, (size_t)(end - host));
    options->path = strdup(path);
    if (options->host == NULL || options->path == NULL)
        argp_failure(state, OUTCOME_FAULTY, ENOMEM, "%s", text);
}

static void take_argument(struct options *options, char *arg,
                          const struct argp_state *state)
{
    if (state->arg_num == 0)
        take_source(options, arg, state);
    else if (state->arg_num == 1)
        options->target = arg;
    else
        argp_error(state, "one source and one target");
}

static void check(const struct options *options, const struct argp_state *state)
{
    if (options->source == NULL)
        argp_error(state, "which file?");
    if (options->extents && options->target != NULL)
        argp_error(state, "--extents takes no target");
    if (options->extents && options->method == METHOD_READ)
        argp_error(state, "READ reports no extents");
    if (!options->extents && options->target == NULL)
        argp_error(state, "where to?");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case KEY_AUTO:
        options->method = METHOD_AUTO;
        return 0;
    case KEY_READ:
        options->method = METHOD_READ;
        return 0;
    case KEY_READ_PLUS:
        options->method = METHOD_READ_PLUS;
        return 0;
    case KEY_EXTENTS:
        options->extents = true;
        return 0;
    case KEY_PORT:
        options->port =
            (uint16_t)number_option("port", arg, 1, UINT16_MAX, state);
        return 0;
    case 'j':
        options->jobs =
            (uint32_t)number_option("jobs", arg, 1, JOBS_MAX, state);
        return 0;
    case KEY_SIZE:
        options->size =
            (uint32_t)number_option("size", arg, 1, SIZE_MAX_ASKED, state);
        return 0;
    case KEY_TIMEOUT:
        options->timeout =
            (uint32_t)number_option("timeout", arg, 1, 86400, state);
        return 0;
    case KEY_VERIFY:
        options->verify = true;
        return 0;
    case 'J':
        options->json = true;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        take_argument(options, arg, state);
        return 0;
    case ARGP_KEY_END:
        check(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    option_table,
    parse_option,
    "HOST:/PATH DST\n--extents HOST:/PATH",
    "Copy a file from an NFSv4.2 server, its holes with it.\v"
    "DST appears when it is complete; until then, and after any failure, it is "
    "what it was. What a broken transfer brought is kept beside it, and the "
    "same command goes on from there.\n\n"
    "Exit status: 0 done; 1 not, such as a file that changes or a full disk; "
    "2 wrong use; 3 no such server or file.",
    NULL,
    NULL,
    NULL};

/* --- the program --------------------------------------------------------- */

/* A signal that the program was started to ignore is still ignored. */
static void catch_signals(void)
{
    static const int deadly[] = {SIGHUP, SIGINT, SIGTERM};
    struct sigaction action, old;
    size_t i;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND; /* the second one is not asked */
    for (i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
        if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(deadly[i], &action, NULL);
    /* Too large a file becomes EFBIG. */
    signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
    struct options options = {
        .port = NFS_PORT, .jobs = 8, .size = 1 << 20, .timeout = 120};
    static char version[64];
    enum outcome outcome;

    snprintf(version, sizeof(version), "nfs42cp %s", readplus_version());
    argp_program_version = version;
    argp_err_exit_status = OUTCOME_USAGE;
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    catch_signals();
    outcome = options.extents ? list_extents(&options) : copy_file(&options);
    free(options.host);
    free(options.path);
    if (stop_signal() != 0 && outcome != OUTCOME_OK) {
        signal(stop_signal(), SIG_DFL);
        raise(stop_signal());
    }
    if ((fflush(stdout) != 0 || ferror(stdout)) && outcome == OUTCOME_OK) {
        complain("standard output: %s", strerror(errno));
        outcome = OUTCOME_FAULTY;
    }
    return (int)outcome;
}
