/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notes are text, so that a person can read them too:
 *
 *     nfs42cp note 1 SERIAL
 *     SOURCE              as on the command line
 *     SIZE CHANGE FILEID
 *     FROM TO            of each range that is done
 *     sum SUM            of the lines before
 *
 * A note that is torn, of another version, or about anything else than the
 * file at hand is none.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client_note.h"

bool note_place(uint64_t size, uint64_t serial, uint64_t *offset)
{
    if (size > (uint64_t)INT64_MAX - (NOTES + 1) * NOTE_SIZE)
        return false;
    *offset = (size + NOTE_SIZE - 1) / NOTE_SIZE * NOTE_SIZE +
              serial % NOTES * NOTE_SIZE;
    return true;
}

/* FNV-1a, 64 bits: against tearing, not against malice. */
static uint64_t sum(const char *text, size_t len)
{
    uint64_t value = 0xcbf29ce484222325u;
    size_t i;

    for (i = 0; i < len; i++)
        value = (value ^ (uint8_t)text[i]) * 0x100000001b3u;
    return value;
}

/* The lines that say which file it is. */
static int head(char *text, size_t room, const struct options *options,
                const struct source *source, uint64_t serial)
{
    return snprintf(
        text, room,
        "nfs42cp note 1 %" PRIu64 "\n%s\n%" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
        serial, options->source, source->size, source->change, source->fileid);
}

bool note_write(int fd, const struct options *options,
                const struct source *source, const struct ranges *done,
                uint64_t serial)
{
    char text[NOTE_SIZE] = "";
    int len = head(text, sizeof(text), options, source, serial);
    uint64_t offset;
    size_t i;

    /* Ranges that find no room are copied again. */
    for (i = 0; i < done->count && len < NOTE_SIZE - 128; i++)
        len += snprintf(text + len, sizeof(text) - (size_t)len,
                        "%" PRIu64 " %" PRIu64 "\n", done->list[i].from,
                        done->list[i].to);
    if (len >= NOTE_SIZE - 64 || !note_place(source->size, serial, &offset)) {
        errno = EFBIG;
        return false;
    }
    snprintf(text + len, sizeof(text) - (size_t)len, "sum %016" PRIx64 "\n",
             sum(text, (size_t)len));
    return pwrite(fd, text, sizeof(text), (off_t)offset) == sizeof(text);
}

/* The ranges of a note that is whole. */
static bool read_ranges(const char *text, uint64_t size, struct ranges *done)
{
    uint64_t from, to;
    int used;

    while (sscanf(text, "%" SCNu64 " %" SCNu64 "\n%n", &from, &to, &used) ==
           2) {
        if (from >= to || to > size || !ranges_add(done, from, to))
            return false;
        text += used;
    }
    return true;
}

static bool read_one(int fd, const struct options *options,
                     const struct source *source, uint64_t place,
                     struct ranges *done, uint64_t *serial)
{
    char text[NOTE_SIZE + 1], same[NOTE_SIZE];
    const char *end;
    uint64_t offset, said;
    int len;

    if (!note_place(source->size, place, &offset) ||
        pread(fd, text, NOTE_SIZE, (off_t)offset) != NOTE_SIZE)
        return false;
    text[NOTE_SIZE] = '\0';
    end = strstr(text, "\nsum ");
    if (end == NULL || sscanf(end, "\nsum %" SCNx64, &said) != 1 ||
        said != sum(text, (size_t)(end + 1 - text)) ||
        sscanf(text, "nfs42cp note 1 %" SCNu64, serial) != 1)
        return false;
    len = head(same, sizeof(same), options, source, *serial);
    return len < (int)sizeof(same) && strncmp(text, same, (size_t)len) == 0 &&
           read_ranges(text + len, source->size, done);
}

bool note_read(int fd, const struct options *options,
               const struct source *source, struct ranges *done,
               uint64_t *serial)
{
    uint64_t place, one;
    bool found = false;

    for (place = 0; place < NOTES; place++) {
        struct ranges ranges = {.list = NULL};

        if (read_one(fd, options, source, place, &ranges, &one) &&
            (!found || one > *serial)) {
            ranges_clear(done);
            *done = ranges;
            *serial = one;
            found = true;
        } else {
            ranges_clear(&ranges);
        }
    }
    return found;
}
