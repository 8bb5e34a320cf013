/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output that is there whole or not at all.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Flushes standard output.  False, and said so, where anything written to it
 * was lost.
 */
bool output_flush(void);

/* A file being made beside the one it will replace. */
struct replacement {
    char *path; /* what is replaced; symbolic links are followed */
    char *temp;
    int fd; /* of temp, for reading and writing */
    mode_t mode;
};

enum place { PLACE_GOOD, PLACE_BAD, PLACE_FAILED };

/*
 * Begins the replacement of `path`, a regular file or nothing, by a file that
 * will get its permissions, or those of `model` where it is new.  GOOD; BAD:
 * path is something else, or the same file as model; FAILED: no file can be
 * made there.  The reason was said.  Without GOOD there is nothing to end.
 */
enum place replacement_begin(struct replacement *replacement, const char *path,
                             const struct stat *model);

/* Puts it in place, on the disk.  False, said so: path is as it was. */
bool replacement_commit(struct replacement *replacement);

/* Ends it without a trace: path is as it was. */
void replacement_abort(struct replacement *replacement);

#endif /* OUTPUT_H */
