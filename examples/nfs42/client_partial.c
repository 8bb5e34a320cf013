/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file being made.  Nothing stands under the final name before all of it
 * is there and on the disk.  What an earlier copy left is used only where it
 * is the user's own, nobody else is at it, and its note fits the source.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "client_note.h"
#include "client_partial.h"

#define NOTE_EVERY 1.0 /* seconds */

/* What stands at path, if anything does, may be replaced. */
static bool may_replace(const char *path, mode_t *mode)
{
    struct stat old;

    if (lstat(path, &old) < 0)
        return true;
    if (!S_ISREG(old.st_mode)) {
        complain("%s: is %s, so it is not replaced", path,
                 S_ISDIR(old.st_mode) ? "a directory" : "no regular file");
        return false;
    }
    /* Not set-user-ID: the new file may belong to somebody else. */
    *mode = old.st_mode & 0777;
    return true;
}

/* The name in the same folder: .NAME.nfs42cp */
static char *temporary(const char *path)
{
    const char *name = strrchr(path, '/');
    char *temp = NULL;

    name = name != NULL ? name + 1 : path;
    if (asprintf(&temp, "%.*s.%s.nfs42cp", (int)(name - path), path, name) < 0)
        return NULL;
    return temp;
}

/* The name still leads to the open file: no other copy has just ended. */
static bool still_there(const struct partial *partial)
{
    struct stat one, other;

    return fstat(partial->fd, &one) == 0 && lstat(partial->temp, &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Opens the temporary file for this copy alone. */
static bool open_temp(struct partial *partial)
{
    struct stat st;

    for (;;) {
        partial->fd = open(partial->temp,
                           O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
                               O_NOCTTY | O_CLOEXEC,
                           0600);
        if (partial->fd < 0) {
            complain("%s: cannot be written: %s", partial->temp,
                     strerror(errno));
            return false;
        }
        if (flock(partial->fd, LOCK_EX | LOCK_NB) != 0 &&
            errno == EWOULDBLOCK) {
            complain("%s: another copy is being made", partial->path);
            break;
        }
        if (fstat(partial->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
            st.st_uid != geteuid() || st.st_nlink > 1) {
            complain("%s: is in the way", partial->temp);
            break;
        }
        if (still_there(partial))
            return true;
        close(partial->fd);
    }
    close(partial->fd);
    return false;
}

static void forget(struct partial *partial)
{
    ranges_clear(&partial->done);
    free(partial->path);
    free(partial->temp);
}

static mode_t new_mode(const struct source *source)
{
    mode_t mask = umask(0);

    umask(mask);
    return (source->mode != 0 ? source->mode & 0777 : 0666) & ~mask;
}

enum outcome partial_begin(struct partial *partial, const char *path,
                           const struct options *options,
                           const struct source *source)
{
    char *real = realpath(path, NULL);

    *partial = (struct partial){
        .path = real != NULL ? real : strdup(path),
        .mode = new_mode(source),
        .last = now(),
    };
    if (partial->path != NULL)
        partial->temp = temporary(partial->path);
    if (partial->temp == NULL)
        complain("out of memory");
    else if (!may_replace(partial->path, &partial->mode)) {
        forget(partial);
        return OUTCOME_USAGE;
    }
    if (partial->temp == NULL || !open_temp(partial)) {
        forget(partial);
        return OUTCOME_FAULTY;
    }
    partial->noted = note_read(partial->fd, options, source, &partial->done,
                               &partial->serial);
    if (!partial->noted && ftruncate(partial->fd, 0) != 0) {
        complain("%s: cannot be written: %s", path, strerror(errno));
        partial_discard(partial);
        return OUTCOME_FAULTY;
    }
    return OUTCOME_OK;
}

void partial_note(struct partial *partial, const struct options *options,
                  const struct source *source, bool at_once)
{
    if (!at_once && now() - partial->last < NOTE_EVERY)
        return;
    /* The note may not be on the disk before what it speaks of is. */
    if (partial->done.count > 0 && fdatasync(partial->fd) == 0 &&
        note_write(partial->fd, options, source, &partial->done,
                   partial->serial + 1)) {
        partial->serial++;
        partial->noted = true;
    }
    partial->last = now();
}

bool partial_commit(struct partial *partial)
{
    if (fchmod(partial->fd, partial->mode) < 0 || fsync(partial->fd) < 0 ||
        rename(partial->temp, partial->path) < 0) {
        complain("%s: cannot be written: %s", partial->path, strerror(errno));
        partial_discard(partial);
        return false;
    }
    close(partial->fd);
    forget(partial);
    return true;
}

void partial_keep(struct partial *partial)
{
    if (!partial->noted) {
        partial_discard(partial);
        return;
    }
    close(partial->fd);
    forget(partial);
}

void partial_discard(struct partial *partial)
{
    unlink(partial->temp);
    close(partial->fd);
    forget(partial);
}
