/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe COMMAND ARGUMENT...: what the guest's scripts call.  README tells what
 * each command proves.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"

static const struct {
    const char *name;
    int arguments; /* as many, or (negative) at least as many */
    int (*run)(char **arguments);
} commands[] = {
    {"change", 5, cmd_change},     {"check", 8, cmd_check},
    {"fsx", 3, cmd_fsx},           {"layouts", 3, cmd_layouts},
    {"make", 2, cmd_make},         {"mount", 2, cmd_mount},
    {"parallel", 3, cmd_parallel}, {"shape", 2, cmd_shape},
    {"sums", 1, cmd_sums},         {"time", -1, cmd_time},
};

_Noreturn void die(const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    va_start(arguments, format);
    fputs("probe: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

void path_in(char path[256], const char *dir, const char *name)
{
    if (snprintf(path, 256, "%s/%s", dir, name) >= 256)
        die("%s: too long", dir);
}

void *buffer(size_t length)
{
    void *memory = NULL;

    if (posix_memalign(&memory, PAGE, length + PAGE) != 0)
        die("out of memory");
    return memory;
}

uint64_t number(const char *text)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 0);
    if (errno != 0 || end == text || *end != '\0')
        die("%s: no number", text);
    return value;
}

bool either(const char *text, const char *yes, const char *no)
{
    if (strcmp(text, yes) != 0 && strcmp(text, no) != 0)
        die("%s: neither %s nor %s", text, yes, no);
    return strcmp(text, yes) == 0;
}

double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* time COMMAND...: prints how many seconds it took. */
int cmd_time(char **arguments)
{
    double start = seconds_now();
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        execvp(arguments[0], arguments);
        die("%s: %s", arguments[0], strerror(errno));
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        die("%s: failed", arguments[0]);
    printf("%.4f\n", seconds_now() - start);
    return 0;
}

int main(int argc, char **argv)
{
    size_t i;
    int want;

    for (i = 0; argc > 1 && i < ENTRIES(commands); i++) {
        want = commands[i].arguments;
        if (strcmp(argv[1], commands[i].name) == 0 &&
            (want < 0 ? argc - 2 >= -want : argc - 2 == want)) {
            int status = commands[i].run(argv + 2);

            if (fflush(stdout) != 0)
                die("stdout: %s", strerror(errno));
            return status;
        }
    }
    die("no such command, or not with so many arguments");
}
