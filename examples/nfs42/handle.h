/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filehandles: which file, signed.
 *
 * A handle is the file's inode number and birth time, and a keyed hash of both
 * and of the export.  Nobody without the key can make one for a file that was
 * not shown to him, and a handle of one export means nothing in another.  It
 * has no path in it, so it lives through renames; it needs no table and no
 * privilege, so it lives through a restart of the server, if the key does.
 */
#ifndef NFS42_HANDLE_H
#define NFS42_HANDLE_H

#include "nfs42d.h"

#define HANDLE_SIZE 28

void handle_make(const struct server *server, const struct file_id *id,
                 uint8_t handle[HANDLE_SIZE]);

/* NFS4_OK and *id, or NFS4ERR_BADHANDLE. */
nfsstat4 handle_read(const struct server *server, const void *handle,
                     size_t len, struct file_id *id);

/*
 * The key: read from the file, or made and kept there.  Without one, a key
 * that ends with the process.  False, and a word on standard error, where the
 * file was named by the user and cannot be used, or lies in the export.
 */
bool handle_key(struct server *server);

#endif /* NFS42_HANDLE_H */
