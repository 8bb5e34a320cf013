/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The note in a partial file: of which file it is a copy, and which bytes are
 * there.
 */
#ifndef CLIENT_NOTE_H
#define CLIENT_NOTE_H

#include "client_ranges.h"
#include "client_source.h"

/* Two places behind the file's end take turns, so that one is always whole. */
#define NOTE_SIZE 4096
#define NOTES 2

/* Where they are; false: nowhere, the file is too large. */
bool note_place(uint64_t size, uint64_t serial, uint64_t *offset);

/* Writes a note; false: it cannot be, and errno says why. */
bool note_write(int fd, const struct options *options,
                const struct source *source, const struct ranges *done,
                uint64_t serial);

/*
 * Reads the newest note that is whole and about just this file on this
 * server, unchanged.  True: *done and *serial are set.
 */
bool note_read(int fd, const struct options *options,
               const struct source *source, struct ranges *done,
               uint64_t *serial);

#endif /* CLIENT_NOTE_H */
