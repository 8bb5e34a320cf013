/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The exported directory: from a file_id to a descriptor, and nothing outside
 * of it, ever.
 *
 * Where a file was last seen (its folder and its name) is remembered, and
 * proved right each time it is used.  What was not seen, or is no longer there,
 * is looked for in the whole export; so filehandles hold after a restart.
 * Symbolic links are never followed, file systems mounted inside are not
 * entered: both by the kernel's rules of openat2().
 */
#ifndef NFS42_TREE_H
#define NFS42_TREE_H

#include <sys/stat.h>

#include "nfs42d.h"

struct tree *tree_open(const char *path);
void tree_close(struct tree *tree);

/* Of the exported directory itself. */
int tree_root(const struct tree *tree);
struct file_id tree_root_id(const struct tree *tree);

static inline bool same_file(const struct file_id *a, const struct file_id *b)
{
    return a->ino == b->ino && a->birth == b->birth;
}

/* *st of the file behind fd. */
nfsstat4 tree_stat(int fd, struct statx *st);

/*
 * The file `name` in the folder behind fd: *id and *st.  NFS4ERR_NOENT also
 * where something is mounted there.  It is remembered.
 */
nfsstat4 tree_stat_at(struct tree *tree, int fd, const struct file_id *folder,
                      const char *name, struct file_id *id, struct statx *st);

/* *fd: the file itself, opened with `flags` (O_PATH or O_RDONLY). */
nfsstat4 tree_get(struct tree *tree, const struct file_id *id, int flags,
                  int *fd);

/* The folder in which *id was seen last. */
nfsstat4 tree_parent(struct tree *tree, const struct file_id *id,
                     struct file_id *parent);

/* What a failed system call says to a client. */
nfsstat4 status_of_errno(int error);

#endif /* NFS42_TREE_H */
