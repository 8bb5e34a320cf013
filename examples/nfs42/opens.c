/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of open files.  Nobody writes here, so the only conflict there can
 * be is between who reads and who denies reading.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opens.h"
#include "put.h"
#include "tree.h"

struct opens {
    uint32_t serial;
    uint32_t used; /* no open file lies at this place or behind */
    struct open_file *files[MAX_OPENS];
};

struct opens *opens_new(void)
{
    return calloc(1, sizeof(struct opens));
}

void opens_close(struct server *server, struct open_file *open)
{
    struct opens *opens = server->opens;

    opens->files[open->place] = NULL;
    while (opens->used > 0 && opens->files[opens->used - 1] == NULL)
        opens->used--;
    open->client->opens--;
    close(open->fd);
    free(open);
}

void opens_forget(struct server *server, struct client *client)
{
    uint32_t i = server->opens->used;

    while (i-- > 0)
        if (server->opens->files[i] != NULL &&
            server->opens->files[i]->client == client)
            opens_close(server, server->opens->files[i]);
}

void opens_free(struct server *server)
{
    free(server->opens);
    server->opens = NULL;
}

static void name(const struct server *server, const struct open_file *open,
                 stateid4 *stateid)
{
    uint8_t *other = (uint8_t *)stateid->other;

    stateid->seqid = open->seqid;
    put_store32(other, server->boot);
    put_store32(other + 4, open->place);
    put_store32(other + 8, open->serial);
}

/* A seqid is never 0: that would mean the current one. */
static void changed(struct open_file *open)
{
    if (++open->seqid == 0)
        open->seqid = 1;
}

/* Finds the same owner's open of the same file, or a conflict. */
static nfsstat4 look(const struct opens *opens, const struct client *client,
                     const OPEN4args *args, const struct file_id *id,
                     struct open_file **same)
{
    const u_int len = args->owner.owner.owner_len;
    uint32_t i;

    *same = NULL;
    for (i = 0; i < opens->used; i++) {
        struct open_file *open = opens->files[i];

        if (open == NULL || !same_file(&open->id, id))
            continue;
        if (open->client == client && open->owner_len == len &&
            same_bytes(open->owner, args->owner.owner.owner_val, len))
            *same = open;
        else if ((args->share_deny | open->deny) & OPEN4_SHARE_DENY_READ)
            return NFS4ERR_SHARE_DENIED;
    }
    return NFS4_OK;
}

static struct open_file *add(struct opens *opens, struct client *client,
                             const OPEN4args *args, const struct file_id *id)
{
    const u_int len = args->owner.owner.owner_len;
    struct open_file *open;
    uint32_t place = 0;

    while (place < MAX_OPENS && opens->files[place] != NULL)
        place++;
    if (place == MAX_OPENS)
        return NULL;
    open = calloc(1, sizeof(*open) + len);
    if (open == NULL)
        return NULL;
    open->place = place;
    open->serial = ++opens->serial;
    open->client = client;
    open->id = *id;
    open->owner_len = len;
    if (len > 0)
        memcpy(open->owner, args->owner.owner.owner_val, len);
    opens->files[place] = open;
    if (place >= opens->used)
        opens->used = place + 1;
    client->opens++;
    return open;
}

nfsstat4 opens_add(struct server *server, struct client *client,
                   const OPEN4args *args, const struct file_id *id, int fd,
                   stateid4 *stateid)
{
    struct open_file *open;
    nfsstat4 status;

    status = look(server->opens, client, args, id, &open);
    if (status == NFS4_OK && open != NULL) {
        close(fd);
    } else if (status == NFS4_OK) {
        open = add(server->opens, client, args, id);
        if (open == NULL)
            status = NFS4ERR_DELAY;
        else
            open->fd = fd;
    }
    if (status != NFS4_OK) {
        close(fd);
        return status;
    }
    open->access |= args->share_access & OPEN4_SHARE_ACCESS_BOTH;
    open->deny |= args->share_deny;
    changed(open);
    name(server, open, stateid);
    return NFS4_OK;
}

nfsstat4 opens_find(struct server *server, const struct client *client,
                    const stateid4 *stateid, struct open_file **found)
{
    const uint8_t *other = (const uint8_t *)stateid->other;
    uint32_t place = put_load32(other + 4);
    struct open_file *open;

    if (put_load32(other) != server->boot || place >= MAX_OPENS)
        return NFS4ERR_BAD_STATEID;
    open = server->opens->files[place];
    if (open == NULL || open->serial != put_load32(other + 8) ||
        open->client != client)
        return NFS4ERR_BAD_STATEID;
    if (stateid->seqid != 0 && stateid->seqid != open->seqid)
        return stateid->seqid - open->seqid > UINT32_MAX / 2
                   ? NFS4ERR_OLD_STATEID
                   : NFS4ERR_BAD_STATEID;
    *found = open;
    return NFS4_OK;
}

nfsstat4 opens_downgrade(struct server *server, struct open_file *open,
                         uint32_t access, uint32_t deny, stateid4 *stateid)
{
    if (access == 0 || access & ~open->access || deny & ~open->deny)
        return NFS4ERR_INVAL;
    open->access = access;
    open->deny = deny;
    changed(open);
    name(server, open, stateid);
    return NFS4_OK;
}
