/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * READ, READ_PLUS and SEEK.  READ_PLUS is the library's one call: what it
 * answers is sent from where it was read.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "operations.h"
#include "tree.h"

/* --- whose file is read --------------------------------------------------- */

static bool all_bytes(const stateid4 *stateid, uint8_t value)
{
    size_t i;

    for (i = 0; i < NFS4_OTHER_SIZE; i++)
        if ((uint8_t)stateid->other[i] != value)
            return false;
    return true;
}

/* RFC 8881 section 8.2.3: what is no stateid but says how to do without. */
static bool anonymous(const stateid4 *stateid)
{
    return (stateid->seqid == 0 && all_bytes(stateid, 0)) ||
           (stateid->seqid == NFS4_UINT32_MAX && all_bytes(stateid, 0xff));
}

nfsstat4 compound_open(struct compound *compound, const stateid4 *stateid,
                       struct open_file **open)
{
    struct client *client = compound->session->client;
    nfsstat4 status;

    if (stateid->seqid == 1 && all_bytes(stateid, 0)) {
        if (!compound->current.has_stateid)
            return NFS4ERR_BAD_STATEID;
        stateid = &compound->current.stateid;
    }
    status = opens_find(compound->server, client, stateid, open);
    if (status == NFS4_OK && !same_file(&(*open)->id, &compound->current.id))
        status = NFS4ERR_BAD_STATEID;
    return status;
}

/* The file is opened for this request alone. */
static nfsstat4 unopened(struct compound *compound, int *fd)
{
    struct statx st;
    nfsstat4 status;

    status = compound_fd(compound, fd);
    if (status == NFS4_OK)
        status = tree_stat(*fd, &st);
    if (status != NFS4_OK)
        return status;
    if (S_ISDIR(st.stx_mode))
        return NFS4ERR_ISDIR;
    if (S_ISLNK(st.stx_mode))
        return NFS4ERR_SYMLINK;
    if (!S_ISREG(st.stx_mode))
        return NFS4ERR_WRONG_TYPE;
    return tree_get(compound->server->tree, &compound->current.id, O_RDONLY,
                    fd);
}

nfsstat4 compound_reader(struct compound *compound, const stateid4 *stateid,
                         int *fd, struct open_file **open)
{
    nfsstat4 status;

    *open = NULL;
    if (anonymous(stateid))
        return unopened(compound, fd);
    status = compound_open(compound, stateid, open);
    if (status == NFS4_OK)
        *fd = (*open)->fd;
    return status;
}

static void done_reading(int fd, const struct open_file *open)
{
    if (open == NULL)
        close(fd);
}

/* --- READ_PLUS ------------------------------------------------------------ */

/* For the log. */
static void note(struct done *done, const struct readplus_args *asked,
                 const struct readplus_reply *reply)
{
    uint32_t i;

    done->asked = *asked;
    if (reply->status != NFS4_OK)
        return;
    done->wire = reply->size;
    done->eof = reply->eof;
    for (i = 0; i < reply->count; i++)
        if (reply->segments[i].content == READPLUS_CONTENT_HOLE)
            done->holes++;
        else
            done->data++;
}

nfsstat4 op_read_plus(struct compound *compound, const nfs_argop4 *args,
                      nfs_resop4 *res)
{
    const READ_PLUS4args *in = &args->nfs_argop4_u.opread_plus;
    struct server *server = compound->server;
    struct reply *reply = compound->reply;
    struct readplus_limits limits = server->options.limits;
    struct readplus_args asked = {in->rpa_offset, in->rpa_count, {0, {0}}};
    struct open_file *open;
    uint64_t room;
    nfsstat4 status;
    int fd;

    (void)res;
    if (!server->options.read_plus)
        return NFS4ERR_NOTSUPP;
    status = compound_reader(compound, &in->rpa_stateid, &fd, &open);
    if (status != NFS4_OK)
        return status;
    /* The opcode is in the reply by now; rp_status is not in maxcount. */
    room = compound_room(compound) - READPLUS_STATUS_SIZE;
    if (room < limits.maxcount)
        limits.maxcount = (uint32_t)room;
    if (asked.count > server->options.max_read)
        asked.count = server->options.max_read;
    /* Its status says it all; the error is the same, for who has no client. */
    (void)!readplus_reply_fd(&reply->read_plus, fd, &asked, &limits,
                             open != NULL ? &open->hint : NULL, server->buffer,
                             server->buffer_len);
    done_reading(fd, open);
    note(&compound->done[compound->op], &asked, &reply->read_plus);
    if (reply->read_plus.status == NFS4ERR_REP_TOO_BIG)
        return compound->too_big;
    if (reply->read_plus.status == NFS4_OK) {
        reply->read = true;
        reply->read_at = reply->put.len;
    }
    return (nfsstat4)reply->read_plus.status;
}

/* --- READ ----------------------------------------------------------------- */

/* Into the reply, as much as fits: a short READ is a good one. */
static nfsstat4 read_bytes(struct put *put, int fd, uint64_t offset,
                           uint32_t count)
{
    struct statx st;
    uint8_t *head = put_room(put, 12); /* status, eof, length */
    uint32_t got = 0;
    ssize_t n;

    if (head == NULL || tree_stat(fd, &st) != NFS4_OK)
        return NFS4ERR_IO;
    if (count > ((put->room - put->len) & ~(size_t)3))
        count = (uint32_t)((put->room - put->len) & ~(size_t)3);
    while (got < count && offset + got < st.stx_size) {
        n = pread(fd, put->bytes + put->len + got, count - got,
                  (off_t)(offset + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && got == 0)
            return status_of_errno(errno);
        if (n <= 0)
            break;
        got += (uint32_t)n;
    }
    if (tree_stat(fd, &st) != NFS4_OK)
        return NFS4ERR_IO;
    put_store32(head, NFS4_OK);
    put_store32(head + 4, offset >= st.stx_size || offset + got >= st.stx_size);
    put_store32(head + 8, got);
    put->len += got;
    memset(put->bytes + put->len, 0, (4 - got % 4) % 4);
    put->len += (4 - got % 4) % 4;
    return NFS4_OK;
}

nfsstat4 op_read(struct compound *compound, const nfs_argop4 *args,
                 nfs_resop4 *res)
{
    const READ4args *in = &args->nfs_argop4_u.opread;
    struct done *done = &compound->done[compound->op];
    struct put *put = &compound->reply->put;
    uint32_t count = in->count;
    struct open_file *open;
    nfsstat4 status;
    size_t begin;
    int fd;

    (void)res;
    if (put->room - put->len < 12 + 4)
        return compound->too_big;
    status = compound_reader(compound, &in->stateid, &fd, &open);
    if (status != NFS4_OK)
        return status;
    if (count > compound->server->options.max_read)
        count = compound->server->options.max_read;
    done->asked = (struct readplus_args){in->offset, count, {0, {0}}};
    begin = put->len;
    status = read_bytes(put, fd, in->offset, count);
    done_reading(fd, open);
    if (status == NFS4_OK) {
        done->wire = put->len - begin;
        done->data = 1;
        done->eof = put->bytes[begin + 7] != 0;
    }
    return status;
}

/* --- SEEK ----------------------------------------------------------------- */

nfsstat4 op_seek(struct compound *compound, const nfs_argop4 *args,
                 nfs_resop4 *result)
{
    const SEEK4args *in = &args->nfs_argop4_u.opseek;
    seek_res4 *res = &result->nfs_resop4_u.opseek.SEEK4res_u.resok4;
    struct readplus_seek_args asked = {in->sa_offset, in->sa_what, {0, {0}}};
    struct readplus_seek_res found = {0, false, 0};
    struct open_file *open;
    nfsstat4 status;
    int fd;

    status = compound_reader(compound, &in->sa_stateid, &fd, &open);
    if (status != NFS4_OK)
        return status;
    (void)!readplus_reply_seek(&found, fd, &asked);
    done_reading(fd, open);
    res->sr_eof = found.eof;
    res->sr_offset = found.offset;
    return (nfsstat4)found.status;
}
