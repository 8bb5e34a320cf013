/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * READDIR: a folder's entries with their attributes, in the order and with the
 * positions of the file system, so that a listing can go on at any time.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attributes.h"
#include "operations.h"
#include "tree.h"

/* Cookies 0 to 2 have meanings of their own. */
#define COOKIE_BIAS 3

/* What follows the last entry: no more of them, eof. */
#define TAIL_SIZE 8

struct listing {
    struct compound *compound;
    const bitmap4 *request;
    int fd;
    struct put *put;
    size_t limit; /* of put->len */
    uint32_t entries;
};

/* As the kernel gives it. */
struct entry {
    uint64_t ino;
    int64_t next;
    uint16_t len;
    uint8_t type;
    char name[];
};

/*
 * False: it does not fit.  What cannot be looked at, as where something is
 * mounted, is left out: LOOKUP would not find it either.
 */
static bool put_entry(struct listing *listing, const struct entry *entry)
{
    struct compound *compound = listing->compound;
    struct put *put = listing->put;
    const size_t begin = put->len, room = put->room;
    struct file_id id;
    struct statx st;

    if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0 ||
        tree_stat_at(compound->server->tree, listing->fd, &compound->current.id,
                     entry->name, &id, &st) != NFS4_OK)
        return true;
    put->room = listing->limit;
    put32(put, 1);
    put64(put, (uint64_t)entry->next + COOKIE_BIAS);
    put_opaque(put, entry->name, strlen(entry->name));
    attributes_put(put, compound->server, listing->request, &id, &st);
    put->room = room;
    if (put->full) {
        put->full = false;
        put->len = begin;
        return false;
    }
    listing->entries++;
    return true;
}

/* *eof: every entry fitted. */
static nfsstat4 put_entries(struct listing *listing, bool *eof)
{
    _Alignas(struct entry) char buffer[16384];
    const struct entry *entry;
    long got, at;

    for (;;) {
        got = syscall(SYS_getdents64, listing->fd, buffer, sizeof(buffer));
        if (got < 0)
            return status_of_errno(errno);
        *eof = got == 0;
        if (got == 0)
            return NFS4_OK;
        for (at = 0; at < got; at += entry->len) {
            entry = (const struct entry *)(const void *)(buffer + at);
            if (!put_entry(listing, entry))
                return NFS4_OK;
        }
    }
}

static nfsstat4 list(struct listing *listing, const READDIR4args *in)
{
    struct compound *compound = listing->compound;
    struct put *put = listing->put;
    bool eof = false, clients;
    nfsstat4 status;

    /* maxcount is of READDIR4resok: the status is not in it. */
    listing->limit = put->room;
    clients = in->maxcount < put->room - put->len - 4;
    if (clients)
        listing->limit = put->len + 4 + in->maxcount;
    put32(put, NFS4_OK);
    put64(put, 0); /* cookieverf: cookies are good for ever */
    if (in->maxcount < 8 + TAIL_SIZE || put->full ||
        listing->limit < put->len + TAIL_SIZE)
        return clients ? NFS4ERR_TOOSMALL : compound->too_big;
    listing->limit -= TAIL_SIZE;
    status = put_entries(listing, &eof);
    if (status != NFS4_OK)
        return status;
    if (listing->entries == 0 && !eof)
        return clients ? NFS4ERR_TOOSMALL : compound->too_big;
    put32(put, 0);
    put32(put, eof);
    return NFS4_OK;
}

nfsstat4 op_readdir(struct compound *compound, const nfs_argop4 *args,
                    nfs_resop4 *res)
{
    const READDIR4args *in = &args->nfs_argop4_u.opreaddir;
    static const char no_verifier[NFS4_VERIFIER_SIZE];
    struct listing listing = {.compound = compound,
                              .request = &in->attr_request,
                              .put = &compound->reply->put};
    nfsstat4 status;
    struct statx st;
    int fd;

    (void)res;
    if (in->cookie == 1 || in->cookie == 2)
        return NFS4ERR_BAD_COOKIE;
    if (memcmp(in->cookieverf, no_verifier, sizeof(no_verifier)) != 0)
        return NFS4ERR_NOT_SAME;
    status = compound_fd(compound, &fd);
    if (status == NFS4_OK)
        status = tree_stat(fd, &st);
    if (status == NFS4_OK && !S_ISDIR(st.stx_mode))
        status = NFS4ERR_NOTDIR;
    if (status == NFS4_OK)
        status = tree_get(compound->server->tree, &compound->current.id,
                          O_RDONLY | O_DIRECTORY, &listing.fd);
    if (status != NFS4_OK)
        return status;
    if (in->cookie != 0 &&
        lseek(listing.fd, (off_t)(in->cookie - COOKIE_BIAS), SEEK_SET) < 0)
        status = NFS4ERR_BAD_COOKIE;
    else
        status = list(&listing, in);
    close(listing.fd);
    return status;
}
