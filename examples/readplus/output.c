/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output that is there whole or not at all: a file is made under a name of
 * its own and renamed when it is complete and on the disk.  Neither a failure
 * nor a signal leaves half of it behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "program.h"

bool output_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    complain("standard output: %s", strerror(errno));
    return false;
}

static const int deadly[] = {SIGHUP, SIGINT, SIGTERM};

#define DEADLY (sizeof(deadly) / sizeof(deadly[0]))

/* The temporary file a signal must take along; one at a time is made. */
static char *volatile unfinished;

static void on_signal(int number)
{
    if (unfinished != NULL)
        unlink(unfinished);
    /* SA_RESETHAND: this time it ends the program, as it would have. */
    raise(number);
}

/*
 * From here on such a signal removes the file; one that the program was
 * started to ignore is still ignored.  Too large a file becomes EFBIG.
 */
static void guard(char *temp)
{
    struct sigaction action, old;
    size_t i;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND;
    unfinished = temp;
    for (i = 0; i < DEADLY; i++)
        if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(deadly[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

/* What stands at path, if anything does, may be replaced. */
static bool may_replace(const char *path, const struct stat *model,
                        mode_t *mode)
{
    struct stat old;

    if (lstat(path, &old) < 0)
        return true;
    if (S_ISDIR(old.st_mode)) {
        complain("%s: is a directory", path);
        return false;
    }
    if (!S_ISREG(old.st_mode)) {
        complain("%s: is no regular file, so it is not replaced", path);
        return false;
    }
    if (old.st_dev == model->st_dev && old.st_ino == model->st_ino) {
        complain("%s: is the file to be copied", path);
        return false;
    }
    /* Not set-user-ID: the new file may belong to somebody else. */
    *mode = old.st_mode & 0777;
    return true;
}

static mode_t new_mode(const struct stat *model)
{
    mode_t mask = umask(0);

    umask(mask);
    return model->st_mode & 0777 & ~mask;
}

enum place replacement_begin(struct replacement *replacement, const char *path,
                             const struct stat *model)
{
    char *real = realpath(path, NULL);

    replacement->path = real != NULL ? real : strdup(path);
    replacement->temp = NULL;
    replacement->mode = new_mode(model);
    if (replacement->path == NULL ||
        asprintf(&replacement->temp, "%s.XXXXXX", replacement->path) < 0) {
        complain("out of memory");
        free(replacement->path);
        return PLACE_FAILED;
    }
    if (!may_replace(replacement->path, model, &replacement->mode)) {
        free(replacement->temp);
        free(replacement->path);
        return PLACE_BAD;
    }
    guard(replacement->temp);
    replacement->fd = mkostemp(replacement->temp, O_CLOEXEC);
    if (replacement->fd < 0) {
        complain("%s: cannot be written: %s", path, strerror(errno));
        unfinished = NULL;
        free(replacement->temp);
        free(replacement->path);
        return PLACE_FAILED;
    }
    return PLACE_GOOD;
}

static void end(struct replacement *replacement)
{
    unfinished = NULL;
    close(replacement->fd);
    free(replacement->temp);
    free(replacement->path);
}

bool replacement_commit(struct replacement *replacement)
{
    if (fchmod(replacement->fd, replacement->mode) < 0 ||
        fsync(replacement->fd) < 0 ||
        rename(replacement->temp, replacement->path) < 0) {
        complain("%s: cannot be written: %s", replacement->path,
                 strerror(errno));
        replacement_abort(replacement);
        return false;
    }
    end(replacement);
    return true;
}

void replacement_abort(struct replacement *replacement)
{
    unlink(replacement->temp);
    end(replacement);
}
