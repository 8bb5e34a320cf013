/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that is being made: under a name of its own beside the one it will
 * get, with a note behind its end of what is done, so that a broken transfer
 * can go on where it stopped.
 */
#ifndef CLIENT_PARTIAL_H
#define CLIENT_PARTIAL_H

#include <sys/stat.h>

#include "client_ranges.h"
#include "client_source.h"

struct partial {
    char *path; /* the final name; symbolic links are followed */
    char *temp;
    int fd;
    mode_t mode;        /* of the final file */
    bool noted;         /* there is a note behind the file's end */
    uint64_t serial;    /* of the last note */
    double last;        /* when that was */
    struct ranges done; /* of the source's bytes */
};

/*
 * Begins the file that will replace `path`, or goes on with what an earlier
 * copy of the same source left.  OUTCOME_USAGE: path is something that is not
 * replaced; OUTCOME_FAULTY: no file can be made there.  The reason was said.
 */
enum outcome partial_begin(struct partial *partial, const char *path,
                           const struct options *options,
                           const struct source *source);

/* Notes what is done, every few seconds or at once. */
void partial_note(struct partial *partial, const struct options *options,
                  const struct source *source, bool at_once);

/* Gives the file, which has its size already, its name.  False: said so, and
 * nothing is left. */
bool partial_commit(struct partial *partial);

/* Ends without a file: what is done is kept, or removed. */
void partial_keep(struct partial *partial);
void partial_discard(struct partial *partial);

#endif /* CLIENT_PARTIAL_H */
