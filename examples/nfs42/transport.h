/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP: connections, records (RFC 5531 section 11) and sending.
 */
#ifndef NFS42_TRANSPORT_H
#define NFS42_TRANSPORT_H

#include "nfs42d.h"

/*
 * A socket that listens where the options say; on failure -1 and a word on
 * standard error.  Done before privileges are dropped: 2049 needs none, others
 * may.
 */
int transport_listen(const struct options *options);

/* Serves until SIGINT or SIGTERM; takes the socket. */
bool transport_run(struct server *server, int listener);

#endif /* NFS42_TRANSPORT_H */
