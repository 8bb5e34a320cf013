/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions: how one is made and ended, and calls that wait for their reply.
 * Nothing is ever sent twice in the hope that the server remembers: what reads
 * may be asked again under a new sequence number.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <readplus.h>

#include "client_session.h"

/* What is around the data of a reply: headers, and READ_PLUS's own. */
#define REPLY_EXTRA 4096
/* Of the back channel that is never used, but must have a size. */
#define BACK_SIZE 4096
#define OPS_MAX RESULTS_MAX

bool session_init(struct session *session, const struct options *options)
{
    uint64_t salt = 0;
    uint32_t silence = options->timeout / 4 > 0 ? options->timeout / 4 : 1;

    *session = (struct session){.options = options};
    wire_init(&session->wire, silence);
    if (getrandom(&salt, sizeof(salt), GRND_NONBLOCK) != sizeof(salt))
        salt = (uint64_t)time(NULL);
    snprintf(session->owner, sizeof(session->owner), "nfs42cp %ld %016llx",
             (long)getpid(), (unsigned long long)salt);
    session->xid = (uint32_t)(salt >> 7);
    session->room = malloc(REPLY_ROOM);
    return session->room != NULL;
}

void session_end(struct session *session)
{
    session_drop(session);
    free(session->room);
}

void session_drop(struct session *session)
{
    wire_close(&session->wire);
    session->up = false;
}

enum reach session_fail(struct session *session, enum reach reach,
                        const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(session->why, sizeof(session->why), format, args);
    va_end(args);
    return reach;
}

const char *status_name(nfsstat4 status)
{
    static char number[32];
    const char *name = readplus_nfsstat_name((uint32_t)status);

    if (name != NULL)
        return name;
    snprintf(number, sizeof(number), "status %u", (unsigned)status);
    return number;
}

bool session_is_lost(nfsstat4 status)
{
    switch (status) {
    case NFS4ERR_STALE:
    case NFS4ERR_BADHANDLE:
    case NFS4ERR_FHEXPIRED:
    case NFS4ERR_EXPIRED:
    case NFS4ERR_STALE_CLIENTID:
    case NFS4ERR_STALE_STATEID:
    case NFS4ERR_OLD_STATEID:
    case NFS4ERR_BAD_STATEID:
    case NFS4ERR_ADMIN_REVOKED:
    case NFS4ERR_BADSESSION:
    case NFS4ERR_BADSLOT:
    case NFS4ERR_CONN_NOT_BOUND_TO_SESSION:
    case NFS4ERR_SEQ_MISORDERED:
    case NFS4ERR_RETRY_UNCACHED_REP:
    case NFS4ERR_SEQ_FALSE_RETRY:
    case NFS4ERR_BAD_HIGH_SLOT:
    case NFS4ERR_DEADSESSION:
        return true;
    default:
        /* What is no status at all was not meant. */
        return status != NFS4_OK &&
               readplus_nfsstat_name((uint32_t)status) == NULL;
    }
}

bool session_sleep(struct session *session, double seconds)
{
    double end = now() + seconds;
    struct timespec pause = {.tv_nsec = 20000000};

    while (now() < end && stop_signal() == 0) {
        nanosleep(&pause, NULL);
        if (session->wire.idle != NULL)
            session->wire.idle(session->wire.context);
    }
    return stop_signal() == 0;
}

/* --- slots --------------------------------------------------------------- */

uint32_t session_xid(struct session *session)
{
    return ++session->xid;
}

nfs_argop4 session_sequence(struct session *session, uint32_t slot)
{
    nfs_argop4 op = {.argop = OP_SEQUENCE};
    SEQUENCE4args *args = &op.nfs_argop4_u.opsequence;

    memcpy(args->sa_sessionid, session->id, sizeof(session->id));
    args->sa_sequenceid = ++session->sequence[slot];
    args->sa_slotid = slot;
    args->sa_highest_slotid = session->usable - 1;
    return op;
}

bool session_answers(struct session *session, uint32_t slot,
                     const SEQUENCE4resok *got)
{
    uint32_t target = got->sr_target_highest_slotid;

    if (memcmp(got->sr_sessionid, session->id, sizeof(session->id)) != 0 ||
        got->sr_slotid != slot || got->sr_sequenceid != session->sequence[slot])
        return false;
    session->usable = target < session->slots ? target + 1 : session->slots;
    return true;
}

/* --- a call that waits for its reply ------------------------------------- */

void results_free(struct results *results)
{
    while (results->count > 0)
        result_free(&results->list[--results->count]);
}

/* The record that comes next, in session->room; 0: there is none. */
static size_t receive(struct session *session)
{
    struct wire *wire = &session->wire;
    ssize_t got = -1;
    uint64_t size;

    if (wire_next(wire, &size))
        got = wire_read(wire, session->room, REPLY_ROOM);
    if (got < 0)
        session_fail(session, REACH_LOST, "%s", wire->failure);
    else if (!wire->last || wire->left > 0)
        session_fail(session, REACH_LOST, "a reply is too long");
    else
        return (size_t)got;
    return 0;
}

static enum reach exchange(struct session *session, const nfs_argop4 *ops,
                           uint32_t count, struct results *results)
{
    static struct call call;
    uint32_t xid = session_xid(session), i;
    struct reply reply = {.failure = NULL};
    size_t len;

    results->status = NFS4_OK;
    results->count = 0;
    call_begin(&call, xid);
    for (i = 0; i < count; i++)
        call_add(&call, &ops[i]);
    if (!call_send(&call, &session->wire))
        return session_fail(session, REACH_LOST, "%s", session->wire.failure);
    len = receive(session);
    if (len == 0)
        return REACH_LOST;
    if (!reply_begin(&reply, session->room, len, xid))
        return session_fail(session, REACH_LOST, "%s", reply.failure);
    results->status = reply.status;
    if (reply.ops == 0 && reply.status != NFS4_OK)
        return REACH_OK; /* the COMPOUND itself was refused */
    for (i = 0; i < count; i++) {
        nfs_resop4 *result = &results->list[i];

        if (!reply_take(&reply, ops[i].argop, result))
            return session_fail(session, REACH_LOST,
                                "the server's reply makes no sense");
        results->count++;
        results->status = result_status(result);
        if (results->status != NFS4_OK)
            break;
    }
    return REACH_OK;
}

/* The same until the answer is another than NFS4ERR_DELAY. */
static enum reach ask(struct session *session, const nfs_argop4 *op,
                      struct results *results)
{
    double end = now() + session->options->timeout, pause = 0.05;
    enum reach reach;

    for (;;) {
        reach = exchange(session, op, 1, results);
        if (reach != REACH_OK || results->status != NFS4ERR_DELAY ||
            now() > end)
            return reach;
        results_free(results);
        if (!session_sleep(session, pause))
            return session_fail(session, REACH_REFUSED, "interrupted");
        pause = pause < 1 ? 2 * pause : 1;
    }
}

/* SEQUENCE and the rest, once; the results are those behind SEQUENCE. */
static enum reach run_once(struct session *session, const nfs_argop4 *ops,
                           uint32_t count, struct results *results)
{
    nfs_argop4 all[OPS_MAX];
    enum reach reach;

    all[0] = session_sequence(session, 0);
    memcpy(all + 1, ops, count * sizeof(*ops));
    reach = exchange(session, all, count + 1, results);
    if (reach != REACH_OK)
        return reach;
    if (results->count > 0 && result_status(&results->list[0]) == NFS4_OK &&
        !session_answers(
            session, 0,
            &results->list[0].nfs_resop4_u.opsequence.SEQUENCE4res_u.sr_resok4))
        return session_fail(session, REACH_LOST,
                            "the server mixes its sessions up");
    if (results->count <= 1 && results->status == NFS4ERR_DELAY)
        session->sequence[0]--; /* it was not used */
    if (results->count > 0) {
        result_free(&results->list[0]);
        results->count--;
        memmove(results->list, results->list + 1,
                results->count * sizeof(results->list[0]));
    }
    return REACH_OK;
}

enum reach session_run(struct session *session, const nfs_argop4 *ops,
                       uint32_t count, struct results *results)
{
    double end = now() + session->options->timeout, pause = 0.05;
    enum reach reach;

    for (;;) {
        reach = run_once(session, ops, count, results);
        if (reach != REACH_OK)
            return reach;
        if (session_is_lost(results->status))
            return session_fail(session, REACH_LOST, "the server says %s",
                                status_name(results->status));
        if (results->status != NFS4ERR_DELAY || now() > end)
            return REACH_OK;
        results_free(results);
        if (!session_sleep(session, pause))
            return session_fail(session, REACH_REFUSED, "interrupted");
        pause = pause < 1 ? 2 * pause : 1;
    }
}

/* --- making one ---------------------------------------------------------- */

/* A client with a new verifier is one that has started anew. */
static enum reach exchange_id(struct session *session, sequenceid4 *sequence)
{
    nfs_argop4 op = {.argop = OP_EXCHANGE_ID};
    EXCHANGE_ID4args *args = &op.nfs_argop4_u.opexchange_id;
    EXCHANGE_ID4resok *got;
    struct results results;
    enum reach reach;

    if (getrandom(args->eia_clientowner.co_verifier, NFS4_VERIFIER_SIZE,
                  GRND_NONBLOCK) != NFS4_VERIFIER_SIZE)
        snprintf(args->eia_clientowner.co_verifier, NFS4_VERIFIER_SIZE, "%x",
                 session->xid);
    args->eia_clientowner.co_ownerid.co_ownerid_val = session->owner;
    args->eia_clientowner.co_ownerid.co_ownerid_len =
        (u_int)strlen(session->owner);
    args->eia_flags = EXCHGID4_FLAG_USE_NON_PNFS;
    args->eia_state_protect.spa_how = SP4_NONE;
    reach = ask(session, &op, &results);
    if (reach == REACH_OK && results.status == NFS4ERR_MINOR_VERS_MISMATCH)
        reach =
            session_fail(session, REACH_REFUSED, "the server has no NFSv4.2");
    else if (reach == REACH_OK && results.status != NFS4_OK)
        reach = session_fail(session, REACH_REFUSED, "EXCHANGE_ID: %s",
                             status_name(results.status));
    if (reach == REACH_OK) {
        got = &results.list[0]
                   .nfs_resop4_u.opexchange_id.EXCHANGE_ID4res_u.eir_resok4;
        session->clientid = got->eir_clientid;
        *sequence = got->eir_sequenceid;
    }
    results_free(&results);
    return reach;
}

/* What is asked of the channel that calls and replies go through. */
static channel_attrs4 fore_channel(const struct options *options)
{
    return (channel_attrs4){
        .ca_maxrequestsize = CALL_ROOM,
        .ca_maxresponsesize = options->size + REPLY_EXTRA,
        .ca_maxresponsesize_cached = REPLY_EXTRA,
        .ca_maxoperations = OPS_MAX,
        .ca_maxrequests = options->jobs,
    };
}

/* What the server grants, which may be less. */
static void granted(struct session *session, const CREATE_SESSION4resok *got)
{
    const channel_attrs4 *fore = &got->csr_fore_chan_attrs;

    memcpy(session->id, got->csr_sessionid, sizeof(session->id));
    memset(session->sequence, 0, sizeof(session->sequence));
    session->slots = fore->ca_maxrequests;
    if (session->slots > session->options->jobs)
        session->slots = session->options->jobs;
    session->usable = session->slots;
    session->max_response = fore->ca_maxresponsesize;
}

static enum reach create_session(struct session *session, sequenceid4 sequence)
{
    nfs_argop4 op = {.argop = OP_CREATE_SESSION};
    CREATE_SESSION4args *args = &op.nfs_argop4_u.opcreate_session;
    callback_sec_parms4 none = {.cb_secflavor = NFS42_AUTH_NONE};
    struct results results;
    enum reach reach;

    args->csa_clientid = session->clientid;
    args->csa_sequence = sequence;
    args->csa_fore_chan_attrs = fore_channel(session->options);
    args->csa_back_chan_attrs = (channel_attrs4){
        .ca_maxrequestsize = BACK_SIZE,
        .ca_maxresponsesize = BACK_SIZE,
        .ca_maxresponsesize_cached = BACK_SIZE,
        .ca_maxoperations = 2,
        .ca_maxrequests = 1,
    };
    args->csa_cb_program = 0x40000000;
    args->csa_sec_parms.csa_sec_parms_val = &none;
    args->csa_sec_parms.csa_sec_parms_len = 1;
    reach = ask(session, &op, &results);
    if (reach == REACH_OK && session_is_lost(results.status))
        reach = session_fail(session, REACH_LOST, "CREATE_SESSION: %s",
                             status_name(results.status));
    else if (reach == REACH_OK && results.status != NFS4_OK)
        reach = session_fail(session, REACH_REFUSED, "CREATE_SESSION: %s",
                             status_name(results.status));
    if (reach == REACH_OK)
        granted(session, &results.list[0]
                              .nfs_resop4_u.opcreate_session
                              .CREATE_SESSION4res_u.csr_resok4);
    if (reach == REACH_OK && session->slots == 0)
        reach =
            session_fail(session, REACH_REFUSED, "the server grants no slot");
    results_free(&results);
    return reach;
}

enum reach session_open(struct session *session)
{
    nfs_argop4 complete = {.argop = OP_RECLAIM_COMPLETE};
    const struct options *options = session->options;
    struct results results;
    sequenceid4 sequence = 0;
    enum reach reach;

    session_drop(session);
    if (!wire_connect(&session->wire, options->host, options->port))
        return session_fail(session,
                            session->reached ? REACH_LOST : REACH_REFUSED,
                            "%s port %u: %s", options->host,
                            (unsigned)options->port, session->wire.failure);
    session->reached = true;
    reach = exchange_id(session, &sequence);
    if (reach == REACH_OK)
        reach = create_session(session, sequence);
    if (reach == REACH_OK) {
        /* There was nothing to reclaim; whether that pleases or not. */
        reach = session_run(session, &complete, 1, &results);
        results_free(&results);
    }
    session->up = reach == REACH_OK;
    return reach;
}

void session_close(struct session *session)
{
    nfs_argop4 op = {.argop = OP_DESTROY_SESSION};
    struct results results = {.count = 0};

    if (!session->up)
        return;
    memcpy(op.nfs_argop4_u.opdestroy_session.dsa_sessionid, session->id,
           sizeof(session->id));
    if (exchange(session, &op, 1, &results) == REACH_OK) {
        results_free(&results);
        op = (nfs_argop4){.argop = OP_DESTROY_CLIENTID};
        op.nfs_argop4_u.opdestroy_clientid.dca_clientid = session->clientid;
        (void)exchange(session, &op, 1, &results);
    }
    results_free(&results);
    session_drop(session);
}
