/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * File attributes as they go over the wire.
 */
#ifndef NFS42_ATTRIBUTES_H
#define NFS42_ATTRIBUTES_H

#include <sys/stat.h>

#include "nfs42d.h"
#include "put.h"

/* The words of a bitmap4 that has every attribute known here. */
#define ATTRIBUTE_WORDS 3

/*
 * Writes an fattr4 with those attributes of *request that are known; false
 * where it does not fit.
 */
bool attributes_put(struct put *put, const struct server *server,
                    const bitmap4 *request, const struct file_id *id,
                    const struct statx *st);

/* NFS4_OK, or why VERIFY and NVERIFY cannot compare these. */
nfsstat4 attributes_comparable(const bitmap4 *request);

uint64_t attributes_change(const struct statx *st);

/* nfs_ftype4 */
uint32_t attributes_type(const struct statx *st);

#endif /* NFS42_ATTRIBUTES_H */
