/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls and replies.  libtirpc makes and reads the RPC headers, rpcgen's
 * routines the operations, whose bounds in xdr/nfs42.x limit what a word of a
 * hostile reply can cost.  Never a look at READ's or READ_PLUS's results.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client_call.h"

#define RPC_VERSION 2

/* --- calls --------------------------------------------------------------- */

/* The AUTH_SYS credential (RFC 5531 appendix A); its length. */
static u_int credential(uint8_t *bytes, u_int room)
{
    static char name[64];
    authsys_parms4 parms = {.stamp = (uint32_t)getpid()};
    gid_t groups[64];
    int n = getgroups(64, groups), i;
    uint32_t gids[16];
    u_int len = 0;
    XDR xdr;

    if (name[0] == '\0' && gethostname(name, sizeof(name) - 1) != 0)
        strcpy(name, "nfs42cp");
    for (i = 0; i < n && i < 16; i++)
        gids[i] = (uint32_t)groups[i];
    parms.machinename.machinename_val = name;
    parms.machinename.machinename_len = (u_int)strlen(name);
    parms.uid = (uint32_t)geteuid();
    parms.gid = (uint32_t)getegid();
    parms.gids.gids_val = gids;
    parms.gids.gids_len = (u_int)i;
    xdrmem_create(&xdr, (char *)bytes, room, XDR_ENCODE);
    if (xdr_authsys_parms4(&xdr, &parms))
        len = xdr_getpos(&xdr);
    xdr_destroy(&xdr);
    return len;
}

void call_begin(struct call *call, uint32_t xid)
{
    uint8_t body[MAX_AUTH_BYTES];
    uint32_t no_tag = 0, minorversion = 2, none = 0;
    struct rpc_msg message;

    memset(&message, 0, sizeof(message));
    message.rm_xid = xid;
    message.rm_direction = CALL;
    message.rm_call.cb_rpcvers = RPC_VERSION;
    message.rm_call.cb_prog = NFS4_PROGRAM;
    message.rm_call.cb_vers = NFS_V4;
    message.rm_call.cb_proc = NFSPROC4_COMPOUND;
    message.rm_call.cb_cred.oa_flavor = AUTH_SYS;
    message.rm_call.cb_cred.oa_base = (char *)body;
    message.rm_call.cb_cred.oa_length = credential(body, sizeof(body));
    message.rm_call.cb_verf.oa_flavor = AUTH_NONE;
    xdrmem_create(&call->xdr, (char *)call->record + 4, CALL_ROOM - 4,
                  XDR_ENCODE);
    call->good = xdr_callmsg(&call->xdr, &message) &&
                 xdr_u_int(&call->xdr, &no_tag) &&
                 xdr_u_int(&call->xdr, &minorversion);
    call->count_at = xdr_getpos(&call->xdr);
    call->good = call->good && xdr_u_int(&call->xdr, &none);
    call->ops = 0;
}

void call_add(struct call *call, const nfs_argop4 *op)
{
    nfs_argop4 copy = *op;

    call->good = call->good && xdr_nfs_argop4(&call->xdr, &copy);
    call->ops++;
}

bool call_send(struct call *call, struct wire *wire)
{
    u_int len = xdr_getpos(&call->xdr);

    call->good = call->good && xdr_setpos(&call->xdr, call->count_at) &&
                 xdr_u_int(&call->xdr, &call->ops);
    xdr_destroy(&call->xdr);
    if (!call->good) {
        wire->failure = "the call is too long";
        return false;
    }
    return wire_send(wire, call->record, 4 + len);
}

/* --- replies ------------------------------------------------------------- */

/* What an RPC reply that is no success says. */
static const char *refusal(const struct rpc_msg *message)
{
    if (message->rm_direction != REPLY)
        return "the server sent something that is no reply";
    if (message->rm_reply.rp_stat == MSG_DENIED)
        return message->rjcted_rply.rj_stat == AUTH_ERROR
                   ? "the server refuses the user's credentials"
                   : "the server has another version of RPC";
    switch (message->acpted_rply.ar_stat) {
    case PROG_UNAVAIL:
        return "the server has no NFS";
    case PROG_MISMATCH:
        return "the server has no NFSv4";
    case GARBAGE_ARGS:
        return "the server did not understand the call";
    default:
        return "the server failed to answer a call";
    }
}

/* The results are taken one by one, later. */
static bool_t no_results(XDR *xdr, ...)
{
    (void)xdr;
    return TRUE;
}

bool reply_begin(struct reply *reply, void *bytes, size_t len, uint32_t xid)
{
    char verifier[MAX_AUTH_BYTES];
    struct rpc_msg message;
    char *tag = NULL;
    u_int tag_len = 0;
    bool good;

    memset(&message, 0, sizeof(message));
    message.acpted_rply.ar_verf.oa_base = verifier;
    message.acpted_rply.ar_results.proc = no_results;
    reply->failure = "the server's reply makes no sense";
    xdrmem_create(&reply->xdr, bytes, (u_int)len, XDR_DECODE);
    if (!xdr_replymsg(&reply->xdr, &message) || message.rm_xid != xid)
        return false;
    if (message.rm_direction != REPLY ||
        message.rm_reply.rp_stat != MSG_ACCEPTED ||
        message.acpted_rply.ar_stat != SUCCESS) {
        reply->failure = refusal(&message);
        return false;
    }
    good = xdr_nfsstat4(&reply->xdr, &reply->status) &&
           xdr_bytes(&reply->xdr, &tag, &tag_len, NFS42_MAX_TAG) &&
           xdr_u_int(&reply->xdr, &reply->ops);
    mem_free(tag, tag_len);
    return good;
}

bool reply_take(struct reply *reply, nfs_opnum4 op, nfs_resop4 *result)
{
    memset(result, 0, sizeof(*result));
    if (reply->ops == 0)
        return false;
    reply->ops--;
    if (!xdr_nfs_resop4(&reply->xdr, result) ||
        (result->resop != op && result->resop != OP_ILLEGAL)) {
        result_free(result);
        return false;
    }
    return true;
}

void result_free(nfs_resop4 *result)
{
    xdr_free((xdrproc_t)xdr_nfs_resop4, result);
    memset(result, 0, sizeof(*result));
}

nfsstat4 result_status(const nfs_resop4 *result)
{
    /* Each arm begins with its status. */
    return result->nfs_resop4_u.opstatus.status;
}

bool reply_xid(const uint8_t *bytes, size_t len, uint32_t *xid)
{
    if (len < 4)
        return false;
    *xid = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
           (uint32_t)bytes[2] << 8 | bytes[3];
    return true;
}
