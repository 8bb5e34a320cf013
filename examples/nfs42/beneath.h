/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening what lies beneath a folder, and nothing else: no "..", no symbolic
 * link, no other mount on the way.
 */
#ifndef NFS42_BENEATH_H
#define NFS42_BENEATH_H

#include <stdint.h>

/*
 * Opens `path` (names, each but the last a folder, or ".") from the folder
 * `root`, which is of the mount numbered `mount`.  flags are O_PATH, or
 * O_RDONLY with or without O_DIRECTORY.  -1 and errno: ELOOP for a symbolic
 * link, EXDEV for a mount.
 */
int beneath_open(int root, const char *path, int flags, uint64_t mount);

#endif /* NFS42_BENEATH_H */
