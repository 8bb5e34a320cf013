/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RPC: libtirpc's types for the headers, our own bytes behind them.  A
 * credential is bounded by libtirpc (400 bytes) and goes into an array here.
 */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "log.h"

#define REPLY_SLACK 64 /* of the buffer, beyond every limit */

size_t call_reply_room(const struct server *server)
{
    return READPLUS_RECORD_MARK_SIZE + server_max_response(server) +
           REPLY_SLACK;
}

/* The header; what accepted calls get as results follows it. */
static bool put_header(struct put *put, struct rpc_msg *message)
{
    XDR xdr;
    bool good;

    put->len = READPLUS_RECORD_MARK_SIZE;
    message->rm_direction = REPLY;
    xdrmem_create(&xdr, (char *)put->bytes + put->len,
                  (u_int)(put->room - put->len), XDR_ENCODE);
    good = xdr_replymsg(&xdr, message);
    put->len += xdr_getpos(&xdr);
    xdr_destroy(&xdr);
    return good;
}

/* xdr_void() has another type than xdrproc_t. */
static bool_t put_nothing(XDR *xdr, ...)
{
    (void)xdr;
    return TRUE;
}

static bool accept_with(struct put *put, uint32_t xid, enum accept_stat stat)
{
    struct rpc_msg message = {.rm_xid = xid};

    message.rm_reply.rp_stat = MSG_ACCEPTED;
    message.acpted_rply.ar_verf = _null_auth;
    message.acpted_rply.ar_stat = stat;
    if (stat == PROG_MISMATCH) {
        message.acpted_rply.ar_vers.low = NFS_V4;
        message.acpted_rply.ar_vers.high = NFS_V4;
    }
    message.acpted_rply.ar_results.where = NULL;
    message.acpted_rply.ar_results.proc = put_nothing;
    return put_header(put, &message);
}

static bool deny_version(struct put *put, uint32_t xid)
{
    struct rpc_msg message = {.rm_xid = xid};

    message.rm_reply.rp_stat = MSG_DENIED;
    message.rjcted_rply.rj_stat = RPC_MISMATCH;
    message.rjcted_rply.rj_vers.low = RPC_MSG_VERSION;
    message.rjcted_rply.rj_vers.high = RPC_MSG_VERSION;
    return put_header(put, &message);
}

static bool deny_credential(struct put *put, uint32_t xid, enum auth_stat why)
{
    struct rpc_msg message = {.rm_xid = xid};

    message.rm_reply.rp_stat = MSG_DENIED;
    message.rjcted_rply.rj_stat = AUTH_ERROR;
    message.rjcted_rply.rj_why = why;
    return put_header(put, &message);
}

/* AUTH_SYS and AUTH_NONE; the first says who, and is believed by nobody. */
static enum auth_stat authenticate(const struct opaque_auth *credential,
                                   struct principal *principal)
{
    struct authunix_parms parms = {0};
    enum auth_stat status = AUTH_OK;
    XDR xdr;

    principal->flavor = (uint32_t)credential->oa_flavor;
    principal->uid = 0;
    if (credential->oa_flavor == AUTH_NONE)
        return AUTH_OK;
    if (credential->oa_flavor != AUTH_SYS)
        return AUTH_REJECTEDCRED;
    xdrmem_create(&xdr, credential->oa_base, credential->oa_length, XDR_DECODE);
    if (!xdr_authunix_parms(&xdr, &parms))
        status = AUTH_BADCRED;
    principal->uid = parms.aup_uid;
    xdr_destroy(&xdr);
    xdr_free((xdrproc_t)xdr_authunix_parms, (char *)&parms);
    return status;
}

/* What a call asks for, once its header is understood. */
struct call {
    struct rpc_msg header;
    char credential[MAX_AUTH_BYTES], verifier[MAX_AUTH_BYTES];
    size_t body; /* where the arguments begin */
};

static bool read_header(const void *bytes, size_t len, struct call *call)
{
    XDR xdr;
    bool good;

    memset(call, 0, sizeof(*call));
    call->header.rm_call.cb_cred.oa_base = call->credential;
    call->header.rm_call.cb_verf.oa_base = call->verifier;
    xdrmem_create(&xdr, (char *)(uintptr_t)bytes, (u_int)len, XDR_DECODE);
    good = xdr_callmsg(&xdr, &call->header);
    call->body = xdr_getpos(&xdr);
    xdr_destroy(&xdr);
    return good;
}

static bool answer_compound(struct server *server, const char *from,
                            const struct principal *principal,
                            const struct call *call, const uint8_t *bytes,
                            size_t len, struct reply *reply, bool *known)
{
    static struct compound compound; /* too large for a stack, used by one */
    uint32_t xid = call->header.rm_xid;

    memset(&compound, 0, offsetof(struct compound, scratch));
    compound.server = server;
    compound.principal = principal;
    compound.reply = reply;
    compound.call_len = (uint32_t)len;
    if (!accept_with(&reply->put, xid, SUCCESS))
        return false;
    if (!compound_answer(&compound, bytes + call->body, len - call->body))
        return accept_with(&reply->put, xid, GARBAGE_ARGS);
    *known = compound.session != NULL;
    log_compound(server->log, from, xid, &compound);
    return true;
}

bool call_answer(struct server *server, const char *from, const void *bytes,
                 size_t len, struct reply *reply, bool *known)
{
    const struct call_body *body;
    struct principal principal;
    enum auth_stat why;
    struct call call;
    uint32_t xid;

    reply->read = false;
    reply->put.len = 0;
    reply->put.full = false;
    if (len < 12 || put_load32((const uint8_t *)bytes + 4) != CALL)
        return false;
    xid = put_load32(bytes);
    if (put_load32((const uint8_t *)bytes + 8) != RPC_MSG_VERSION)
        return deny_version(&reply->put, xid);
    if (!read_header(bytes, len, &call))
        return false;
    body = &call.header.rm_call;
    if (body->cb_prog != NFS4_PROGRAM)
        return accept_with(&reply->put, xid, PROG_UNAVAIL);
    if (body->cb_vers != NFS_V4)
        return accept_with(&reply->put, xid, PROG_MISMATCH);
    if (body->cb_proc == NFSPROC4_NULL)
        return accept_with(&reply->put, xid, SUCCESS);
    if (body->cb_proc != NFSPROC4_COMPOUND)
        return accept_with(&reply->put, xid, PROC_UNAVAIL);
    why = authenticate(&body->cb_cred, &principal);
    if (why != AUTH_OK)
        return deny_credential(&reply->put, xid, why);
    return answer_compound(server, from, &principal, &call, bytes, len, reply,
                           known);
}

size_t call_pieces(struct reply *reply, struct iovec *iov, size_t entries)
{
    struct put *put = &reply->put;
    size_t n = 0;

    put_store32(put->bytes, 0x80000000u | (uint32_t)reply_size(reply));
    if (!reply->read || reply->read_plus.entries + 2 > entries) {
        reply_fold(reply);
        iov[0] = (struct iovec){put->bytes, put->len};
        return 1;
    }
    iov[n++] = (struct iovec){put->bytes, reply->read_at};
    memcpy(iov + n, reply->read_plus.iov,
           reply->read_plus.entries * sizeof(*iov));
    n += reply->read_plus.entries;
    if (put->len > reply->read_at)
        iov[n++] = (struct iovec){put->bytes + reply->read_at,
                                  put->len - reply->read_at};
    return n;
}
