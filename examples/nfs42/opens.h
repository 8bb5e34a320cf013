/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open files and their stateids.  Each keeps a descriptor, so that reading asks
 * for no path and goes on when the name is gone, and what the library's hint
 * wants to be kept with it.
 */
#ifndef NFS42_OPENS_H
#define NFS42_OPENS_H

#include "clients.h"

struct open_file {
    uint32_t place, serial; /* of the stateid's `other` */
    uint32_t seqid;
    struct client *client;
    struct file_id id;
    uint32_t access, deny; /* OPEN4_SHARE_ */
    int fd;
    struct readplus_hint hint;
    uint32_t owner_len;
    uint8_t owner[];
};

struct opens *opens_new(void);
void opens_free(struct server *server);
void opens_forget(struct server *server, struct client *client);

/*
 * Opens the file *id for `client` and that owner; where he has it open, adds
 * to what he has.  Takes fd, on failure too.
 */
nfsstat4 opens_add(struct server *server, struct client *client,
                   const OPEN4args *args, const struct file_id *id, int fd,
                   stateid4 *stateid);

/* The open file of a client's stateid. */
nfsstat4 opens_find(struct server *server, const struct client *client,
                    const stateid4 *stateid, struct open_file **open);

nfsstat4 opens_downgrade(struct server *server, struct open_file *open,
                         uint32_t access, uint32_t deny, stateid4 *stateid);
void opens_close(struct server *server, struct open_file *open);

#endif /* NFS42_OPENS_H */
