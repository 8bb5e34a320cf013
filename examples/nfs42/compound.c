/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * COMPOUND: operations are decoded, done and answered one at a time, up to the
 * first that fails.  No memory is sized by a count on the wire (xdr/nfs42.x
 * bounds what rpcgen's routines allocate), and each result is written within
 * what the session allows the reply, with room left to say that the next one
 * had none.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "operations.h"
#include "tree.h"

#define ERROR_SIZE 8 /* of a result that is a status only */

void reply_fold(struct reply *reply)
{
    size_t size = (size_t)reply->read_plus.size, i;
    uint8_t *at = reply->put.bytes + reply->read_at;

    if (!reply->read)
        return;
    memmove(at + size, at, reply->put.len - reply->read_at);
    for (i = 0; i < reply->read_plus.entries; i++) {
        memcpy(at, reply->read_plus.iov[i].iov_base,
               reply->read_plus.iov[i].iov_len);
        at += reply->read_plus.iov[i].iov_len;
    }
    reply->put.len += size;
    reply->read = false;
}

/* --- the current filehandle ----------------------------------------------- */

void current_drop(struct current *current)
{
    if (current->set && current->fd >= 0)
        close(current->fd);
    memset(current, 0, sizeof(*current));
    current->fd = -1;
}

void compound_set(struct compound *compound, const struct file_id *id)
{
    current_drop(&compound->current);
    if (id == NULL)
        return;
    compound->current.set = true;
    compound->current.id = *id;
}

nfsstat4 compound_fd(struct compound *compound, int *fd)
{
    struct current *current = &compound->current;
    nfsstat4 status = NFS4_OK;

    if (current->fd < 0)
        status = tree_get(compound->server->tree, &current->id, O_PATH,
                          &current->fd);
    *fd = current->fd;
    return status;
}

uint64_t compound_room(const struct compound *compound)
{
    uint64_t used = reply_size(compound->reply);

    /* This one may use what it likes if the next can say it had no room. */
    if (compound->op + 1 < compound->ops)
        used += ERROR_SIZE;
    return used < compound->limit ? compound->limit - used : 0;
}

/* --- one operation -------------------------------------------------------- */

/* Whether it may stand where it stands. */
static nfsstat4 judge_place(const struct compound *compound,
                            const struct operation *operation)
{
    if (operation->run == op_sequence)
        return compound->op == 0 ? NFS4_OK : NFS4ERR_SEQUENCE_POS;
    if (compound->session == NULL && compound->op == 0) {
        if (!(operation->flags & OPERATION_ALONE))
            return NFS4ERR_OP_NOT_IN_SESSION;
        return compound->ops == 1 ? NFS4_OK : NFS4ERR_NOT_ONLY_OP;
    }
    if (compound->session == NULL)
        return NFS4ERR_DEADSESSION; /* ended by the operation before */
    if (operation->run == op_bind_conn_to_session)
        return NFS4ERR_NOT_ONLY_OP;
    return NFS4_OK;
}

/* Whatever ended a client or a session may have ended this one's own. */
static void still_there(struct compound *compound)
{
    if (compound->session == NULL ||
        sessions_find(compound->server, compound->session_id) ==
            compound->session)
        return;
    compound->session = NULL;
    compound->slot = NULL;
}

/* Writes opcode and result; false where the limit forbids it. */
static bool write_result(struct compound *compound, uint32_t opcode,
                         const struct operation *operation, nfsstat4 status,
                         nfs_resop4 *res)
{
    struct put *put = &compound->reply->put;
    uint64_t room = compound_room(compound);
    XDR xdr;
    bool good;

    if (status != NFS4_OK || operation == NULL) {
        put32(put, opcode);
        put32(put, status);
        return !put->full && room >= ERROR_SIZE;
    }
    if (room > put->room - put->len)
        room = put->room - put->len;
    res->resop = (nfs_opnum4)opcode;
    res->nfs_resop4_u.opstatus.status = status;
    xdrmem_create(&xdr, (char *)put->bytes + put->len, (u_int)room, XDR_ENCODE);
    good = xdr_nfs_resop4(&xdr, res);
    if (good)
        put->len += xdr_getpos(&xdr);
    xdr_destroy(&xdr);
    return good;
}

/* Those that write for themselves have put->room cut to what they may use. */
static nfsstat4 run_raw(struct compound *compound, uint32_t opcode,
                        const struct operation *operation,
                        const nfs_argop4 *args, nfs_resop4 *res)
{
    struct put *put = &compound->reply->put;
    const size_t room = put->room, begin = put->len;
    nfsstat4 status;

    if (compound_room(compound) < ERROR_SIZE)
        return compound->too_big;
    reply_fold(compound->reply);
    if (compound_room(compound) < put->room - put->len)
        put->room = put->len + (size_t)compound_room(compound);
    put32(put, opcode);
    status = operation->run(compound, args, res);
    put->room = room;
    if (put->full || status != NFS4_OK) {
        put->len = begin;
        if (put->full && status == NFS4_OK)
            status = compound->too_big;
        put->full = false;
        compound->reply->read = false;
        write_result(compound, opcode, operation, status, res);
    }
    return status;
}

static nfsstat4 run(struct compound *compound, uint32_t opcode,
                    const struct operation *operation, const nfs_argop4 *args)
{
    struct put *put = &compound->reply->put;
    nfsstat4 status;
    nfs_resop4 res;
    size_t begin;

    memset(&res, 0, sizeof(res));
    status = judge_place(compound, operation);
    if (status == NFS4_OK && operation->flags & OPERATION_HANDLE &&
        !compound->current.set)
        status = NFS4ERR_NOFILEHANDLE;
    if (status == NFS4_OK && operation->flags & OPERATION_RAW)
        return run_raw(compound, opcode, operation, args, &res);
    if (status == NFS4_OK)
        status = operation->run(compound, args, &res);
    still_there(compound);
    if (compound->replayed)
        return status;
    begin = put->len;
    if (!write_result(compound, opcode, operation, status, &res)) {
        put->len = begin;
        put->full = false;
        status = compound->too_big;
        write_result(compound, opcode, NULL, status, NULL);
    }
    return status;
}

static nfsstat4 decode(XDR *xdr, uint32_t *opcode,
                       const struct operation **found, nfs_argop4 *args)
{
    u_int at = xdr_getpos(xdr);

    *found = NULL;
    if (!xdr_uint32_t(xdr, opcode)) {
        *opcode = OP_ILLEGAL;
        return NFS4ERR_BADXDR;
    }
    *found = operation_find(*opcode);
    if (*found == NULL) {
        *opcode = OP_ILLEGAL;
        return NFS4ERR_OP_ILLEGAL;
    }
    if ((*found)->run == NULL)
        return NFS4_OK;
    if (!xdr_setpos(xdr, at) || !xdr_nfs_argop4(xdr, args))
        return NFS4ERR_BADXDR;
    return NFS4_OK;
}

static nfsstat4 one(struct compound *compound, XDR *xdr)
{
    struct done *done = &compound->done[compound->op];
    const struct operation *operation;
    nfs_argop4 args;
    uint32_t opcode;
    nfsstat4 status;
    u_int at;

    memset(&args, 0, sizeof(args));
    memset(done, 0, sizeof(*done));
    status = decode(xdr, &opcode, &operation, &args);
    if (status == NFS4_OK && operation->run == NULL) {
        status = judge_place(compound, operation);
        if (status == NFS4_OK)
            status = operation->refused;
    }
    at = xdr_getpos(xdr);
    compound->next_op = 0; /* only SEQUENCE wants to know */
    if (compound->op + 1 < compound->ops)
        (void)xdr_uint32_t(xdr, &compound->next_op);
    xdr_setpos(xdr, at);
    done->op = opcode;
    if (status == NFS4_OK)
        status = run(compound, opcode, operation, &args);
    else
        write_result(compound, opcode, operation, status, NULL);
    done->status = status;
    xdr_free((xdrproc_t)xdr_nfs_argop4, (char *)&args);
    return status;
}

/* --- the whole ------------------------------------------------------------ */

/* Status, tag, number of results: the first and the last are set at the end. */
static bool begin(struct compound *compound, XDR *xdr, uint32_t *minorversion)
{
    struct put *put = &compound->reply->put;
    char tag[NFS42_MAX_TAG], *bytes = tag;
    u_int len = 0;

    if (!xdr_bytes(xdr, &bytes, &len, sizeof(tag)) ||
        !xdr_uint32_t(xdr, minorversion) || !xdr_uint32_t(xdr, &compound->ops))
        return false;
    compound->body = put->len;
    put32(put, NFS4_OK);
    put_opaque(put, tag, len);
    return true;
}

static nfsstat4 operations(struct compound *compound, XDR *xdr,
                           uint32_t minorversion)
{
    nfsstat4 status = NFS4_OK;

    if (minorversion != 2)
        return NFS4ERR_MINOR_VERS_MISMATCH;
    /* More than a session allows is answered there, by SEQUENCE. */
    for (compound->op = 0; compound->op < compound->ops; compound->op++) {
        if (compound->op == NFS42_MAX_OPS)
            return NFS4ERR_TOO_MANY_OPS;
        status = one(compound, xdr);
        compound->results++;
        if (status != NFS4_OK || compound->replayed)
            break;
    }
    return status;
}

bool compound_answer(struct compound *compound, const void *bytes, size_t len)
{
    struct put *put = &compound->reply->put;
    uint32_t minorversion = 0;
    size_t count_at;
    nfsstat4 status;
    XDR xdr;

    compound->limit = MAX_PLAIN_RESPONSE;
    compound->too_big = NFS4ERR_REP_TOO_BIG;
    compound->current.fd = compound->saved.fd = -1;
    compound->request = siphash(compound->server->key, bytes, len);
    xdrmem_create(&xdr, (char *)(uintptr_t)bytes, (u_int)len, XDR_DECODE);
    if (!begin(compound, &xdr, &minorversion)) {
        xdr_destroy(&xdr);
        return false;
    }
    count_at = put->len;
    put32(put, 0);
    status = operations(compound, &xdr, minorversion);
    if (!compound->replayed) {
        put_store32(put->bytes + compound->body, status);
        put_store32(put->bytes + count_at, compound->results);
        session_keep(compound, status);
    }
    current_drop(&compound->current);
    current_drop(&compound->saved);
    xdr_destroy(&xdr);
    return true;
}
