/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input files, whole.  Memory grows as bytes arrive, up to a limit; no size
 * that somebody claims is believed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "program.h"

struct input {
    uint8_t *bytes;
    size_t len, room;
};

/* Room for at least one byte more. */
static bool grow(struct input *input)
{
    size_t room = input->room == 0 ? 64 << 10 : 2 * input->room;
    uint8_t *bytes;

    if (input->len < input->room)
        return true;
    if (input->len > INPUT_MAX) {
        errno = EFBIG;
        return false;
    }
    bytes = realloc(input->bytes, room);
    if (bytes == NULL)
        return false;
    input->bytes = bytes;
    input->room = room;
    return true;
}

/*
 * The first read of a file that was opened without waiting.  A FIFO that has
 * a writer says "not yet" (EAGAIN); one without says end of file at once,
 * which nobody means by naming it.
 */
static ssize_t read_first(int fd, struct input *input)
{
    ssize_t n = read(fd, input->bytes, input->room);
    int why = errno;

    if (fcntl(fd, F_SETFL, 0) < 0)
        return -1;
    if (n < 0 && why == EAGAIN)
        return read(fd, input->bytes, input->room);
    if (n == 0 && lseek(fd, 0, SEEK_CUR) < 0) {
        errno = ENXIO;
        return -1;
    }
    errno = why;
    return n;
}

static bool read_all(int fd, bool opened, struct input *input)
{
    ssize_t n;

    do {
        if (!grow(input))
            return false;
        if (opened)
            n = read_first(fd, input);
        else
            n = read(fd, input->bytes + input->len, input->room - input->len);
        if (n > 0)
            input->len += (size_t)n;
        opened = opened && n < 0;
    } while (n > 0 || (n < 0 && errno == EINTR));
    return n == 0;
}

/* The block cut to its exact size, so that a checker sees any byte too far. */
static uint8_t *trimmed(struct input *input)
{
    uint8_t *exact = realloc(input->bytes, input->len > 0 ? input->len : 1);

    return exact != NULL ? exact : input->bytes;
}

uint8_t *input_read(const char *path, size_t *len)
{
    bool standard = strcmp(path, "-") == 0;
    struct input input = {NULL, 0, 0};
    int fd = STDIN_FILENO, why;
    bool good;

    if (!standard)
        fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    good = fd >= 0 && read_all(fd, !standard, &input);
    why = errno;
    if (fd >= 0 && !standard)
        close(fd);
    if (good) {
        *len = input.len;
        return trimmed(&input);
    }
    free(input.bytes);
    if (why == EFBIG)
        complain("%s: longer than the %zu MiB this program reads", path,
                 INPUT_MAX >> 20);
    else if (why == ENXIO)
        complain("%s: nobody writes to it", path);
    else
        complain("%s: cannot be read: %s", path, strerror(why));
    return NULL;
}
