/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --json-log: a JSON object a line for each COMPOUND.
 */
#ifndef NFS42_LOG_H
#define NFS42_LOG_H

#include "compound.h"

/* NULL, with a word on standard error, where the file cannot be opened. */
struct log *log_open(const char *path);
void log_close(struct log *log);

/* log may be NULL. */
void log_compound(struct log *log, const char *from, uint32_t xid,
                  const struct compound *compound);

#endif /* NFS42_LOG_H */
