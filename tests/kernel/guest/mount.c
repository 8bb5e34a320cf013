/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mount(2) of the server, and what the mount did since by the kernel's own
 * count.  No helper program is needed: the kernel takes the options as text.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "probe.h"

#define TRY_SECONDS 25

/* mount DIR OPTIONS: 127.0.0.1:/ there, as soon as the server is up. */
int cmd_mount(char **arguments)
{
    double end = seconds_now() + TRY_SECONDS;
    char options[256];
    int error;

    snprintf(options, sizeof(options),
             "vers=4.2,sec=sys,addr=127.0.0.1,clientaddr=127.0.0.1%s%s",
             arguments[1][0] == '\0' ? "" : ",", arguments[1]);
    while (mount("127.0.0.1:/", arguments[0], "nfs4", MS_RDONLY, options) !=
           0) {
        error = errno;
        if (seconds_now() > end)
            die("mount: %s", strerror(error));
        usleep(20000);
    }
    return 0;
}

static void take(struct operations *operations, const char *name,
                 const char *numbers)
{
    unsigned long long count = 0, received = 0, errors = 0;

    if (sscanf(numbers, "%llu %*u %*u %*u %llu %*u %*u %*u %llu", &count,
               &received, &errors) < 2)
        die("mountstats: %s%s", name, numbers);
    if (strcmp(name, "READ:") == 0) {
        operations->read = count;
        operations->errors += errors;
    } else if (strcmp(name, "READ_PLUS:") == 0) {
        operations->read_plus = count;
        operations->received = received;
        operations->errors += errors;
    } else if (strcmp(name, "SEEK:") == 0) {
        operations->seek = count;
    }
}

struct operations operations_of(const char *mountpoint)
{
    struct operations operations = {0};
    FILE *stats = fopen("/proc/self/mountstats", "r");
    char line[512], name[64], on[128];
    bool here = false;
    int used;

    if (stats == NULL)
        die("mountstats: %s", strerror(errno));
    while (fgets(line, sizeof(line), stats) != NULL) {
        if (sscanf(line, "device %*s mounted on %127s", on) == 1)
            here = strcmp(on, mountpoint) == 0;
        else if (here && sscanf(line, " %63s%n", name, &used) == 1)
            if (strcmp(name, "READ:") == 0 || strcmp(name, "SEEK:") == 0 ||
                strcmp(name, "READ_PLUS:") == 0)
                take(&operations, name, line + used);
    }
    fclose(stats);
    return operations;
}
