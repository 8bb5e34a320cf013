/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * openat2(), whose rules the kernel keeps in one step, whatever is renamed
 * meanwhile.  Where there is none (Linux before 5.6; valgrind knows it from 3.20
 * on), the same is done name by name: each is opened as what it is, never
 * followed, and its mount is looked at before it is used.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "beneath.h"

/* No waiting for a FIFO's writer, no terminal of ours. */
#define QUIETLY (O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK)

static int all_flags(int flags)
{
    return flags & O_PATH ? O_PATH | O_CLOEXEC | O_NOFOLLOW : flags | QUIETLY;
}

/* fd, or -1 and EXDEV. */
static int of_mount(int fd, uint64_t mount)
{
    struct statx st;

    if (fd < 0)
        return -1;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) == 0 &&
        st.stx_mnt_id == mount)
        return fd;
    close(fd);
    errno = EXDEV;
    return -1;
}

static int open_step(int folder, const char *name, int flags, uint64_t mount)
{
    if (strcmp(name, "..") == 0 || strchr(name, '/') != NULL) {
        errno = EXDEV;
        return -1;
    }
    return of_mount(openat(folder, name, all_flags(flags)), mount);
}

static int open_steps(int root, const char *path, int flags, uint64_t mount)
{
    char name[256];
    int fd = root, next;
    size_t len;

    for (;;) {
        len = strcspn(path, "/");
        if (len >= sizeof(name)) {
            errno = ENAMETOOLONG;
            next = -1;
        } else {
            memcpy(name, path, len);
            name[len] = '\0';
            path += len;
            next = open_step(fd, name, *path == '/' ? O_PATH : flags, mount);
        }
        if (fd != root)
            close(fd);
        if (next < 0 || *path == '\0')
            return next;
        fd = next;
        path++;
    }
}

int beneath_open(int root, const char *path, int flags, uint64_t mount)
{
    static bool none; /* no openat2() */
    struct open_how how = {
        .flags = (uint64_t)(unsigned)all_flags(flags),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV |
                   RESOLVE_NO_MAGICLINKS,
    };
    int fd = -1;

    if (!none) {
        fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
        none = fd < 0 && errno == ENOSYS;
    }
    return none ? open_steps(root, path, flags, mount) : fd;
}
