/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SEQUENCE and its slots: each request of a session is done once, and answered
 * again, from the slot, as often as it is asked.  Also where the limits of the
 * session become those of a COMPOUND.
 */
#include <stdlib.h>
#include <string.h>

#include "operations.h"

/* Before the results: RPC and COMPOUND headers. */
static uint64_t head_size(const struct compound *compound)
{
    return reply_size(compound->reply);
}

/* A request seen before: its whole reply, or why it is gone. */
static nfsstat4 replay(struct compound *compound, struct slot *slot,
                       SEQUENCE4resok *res)
{
    struct put *put = &compound->reply->put;

    if (slot->request != compound->request)
        return NFS4ERR_SEQ_FALSE_RETRY;
    compound->replayed = true;
    put->len = compound->body;
    if (slot->reply != NULL) {
        put_fixed(put, slot->reply, slot->reply_len);
        return NFS4_OK;
    }
    put32(put, NFS4ERR_RETRY_UNCACHED_REP);
    put32(put, 0); /* no tag */
    put32(put, 2);
    put32(put, OP_SEQUENCE);
    put32(put, NFS4_OK);
    put_fixed(put, res->sr_sessionid, NFS4_SESSIONID_SIZE);
    put32(put, res->sr_sequenceid);
    put32(put, res->sr_slotid);
    put32(put, res->sr_highest_slotid);
    put32(put, res->sr_target_highest_slotid);
    put32(put, res->sr_status_flags);
    put32(put, slot->second_op);
    put32(put, NFS4ERR_RETRY_UNCACHED_REP);
    return NFS4ERR_RETRY_UNCACHED_REP;
}

/* The limits of this request; the errors are SEQUENCE's own. */
static nfsstat4 limit(struct compound *compound, const struct session *session,
                      bool cachethis)
{
    const channel_attrs4 *fore = &session->fore;
    uint64_t least = head_size(compound) + READPLUS_SEQUENCE_RES_SIZE;

    if (compound->ops > 1)
        least += 8;
    if (compound->call_len > fore->ca_maxrequestsize)
        return NFS4ERR_REQ_TOO_BIG;
    if (compound->ops > fore->ca_maxoperations)
        return NFS4ERR_TOO_MANY_OPS;
    compound->limit = fore->ca_maxresponsesize;
    if (compound->limit < least)
        return NFS4ERR_REP_TOO_BIG;
    if (!cachethis)
        return NFS4_OK;
    if (fore->ca_maxresponsesize_cached < compound->limit) {
        compound->limit = fore->ca_maxresponsesize_cached;
        compound->too_big = NFS4ERR_REP_TOO_BIG_TO_CACHE;
    }
    return compound->limit < least ? NFS4ERR_REP_TOO_BIG_TO_CACHE : NFS4_OK;
}

/* The slot forgets the last reply: the client has it, or it would ask again. */
static void take_slot(struct compound *compound, struct slot *slot,
                      const SEQUENCE4args *args)
{
    free(slot->reply);
    slot->reply = NULL;
    slot->reply_len = 0;
    slot->sequence = args->sa_sequenceid;
    slot->request = compound->request;
    slot->ops = compound->ops;
    slot->second_op = compound->next_op;
    compound->slot = slot;
    /* A lone SEQUENCE is so short that it is always kept. */
    compound->keep = args->sa_cachethis || compound->ops == 1;
}

nfsstat4 op_sequence(struct compound *compound, const nfs_argop4 *args,
                     nfs_resop4 *result)
{
    const SEQUENCE4args *in = &args->nfs_argop4_u.opsequence;
    SEQUENCE4resok *res =
        &result->nfs_resop4_u.opsequence.SEQUENCE4res_u.sr_resok4;
    struct session *session = sessions_find(compound->server, in->sa_sessionid);
    uint32_t highest;
    struct slot *slot;
    nfsstat4 status;

    if (session == NULL)
        return NFS4ERR_BADSESSION;
    highest = session->fore.ca_maxrequests - 1;
    if (in->sa_slotid > highest)
        return NFS4ERR_BADSLOT;
    if (in->sa_highest_slotid < in->sa_slotid)
        return NFS4ERR_BAD_HIGH_SLOT;
    slot = &session->slots[in->sa_slotid];
    memcpy(res->sr_sessionid, in->sa_sessionid, sizeof(res->sr_sessionid));
    res->sr_sequenceid = in->sa_sequenceid;
    res->sr_slotid = in->sa_slotid;
    res->sr_highest_slotid = res->sr_target_highest_slotid = highest;
    session->client->renewed = seconds_now();
    if (slot->ops > 0 && in->sa_sequenceid == slot->sequence)
        return replay(compound, slot, res);
    if (in->sa_sequenceid != slot->sequence + 1)
        return NFS4ERR_SEQ_MISORDERED;
    status = limit(compound, session, in->sa_cachethis);
    if (status != NFS4_OK)
        return status;
    take_slot(compound, slot, in);
    compound->session = session;
    memcpy(compound->session_id, session->id, sizeof(session->id));
    return NFS4_OK;
}

void session_keep(struct compound *compound, nfsstat4 status)
{
    struct reply *reply = compound->reply;
    struct slot *slot = compound->slot;
    size_t len;

    (void)status;
    if (slot == NULL || !compound->keep)
        return;
    reply_fold(reply);
    len = reply->put.len - compound->body;
    slot->reply = malloc(len);
    if (slot->reply == NULL)
        return; /* a retry is told that it is gone */
    memcpy(slot->reply, reply->put.bytes + compound->body, len);
    slot->reply_len = len;
}
