/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nfs42d: exports one directory, read-only, over NFSv4.2.  Here it is started:
 * everything that may need privileges first, then they go.
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../readplus/program.h"
#include "options.h"
#include "transport.h"

/* For number.c and policy.c, which the readplus program shares. */
void complain(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fputs("nfs42d: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

/* A descriptor for each open file and each connection. */
static void raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static bool drop_privileges(const char *user)
{
    const struct passwd *entry;

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (geteuid() != 0)
        return true;
    errno = 0;
    entry = getpwnam(user);
    if (entry == NULL) {
        complain("--user %s: %s", user,
                 errno != 0 ? strerror(errno) : "no such user");
        return false;
    }
    if (setgroups(1, &entry->pw_gid) != 0 || setgid(entry->pw_gid) != 0 ||
        setuid(entry->pw_uid) != 0) {
        complain("--user %s: %s", user, strerror(errno));
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct options options;
    struct server server = {0};
    int listener, status = OUTCOME_FAULTY;

    options_parse(&options, argc, argv);
    raise_limit();
    if (server_open(&server, &options)) {
        listener = transport_listen(&options);
        if (listener >= 0 && drop_privileges(options.user) &&
            transport_run(&server, listener))
            status = OUTCOME_OK;
    }
    server_close(&server);
    return status;
}
