/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations on clients and sessions, but for SEQUENCE.
 */
#include <string.h>

#include "operations.h"

nfsstat4 op_exchange_id(struct compound *compound, const nfs_argop4 *args,
                        nfs_resop4 *res)
{
    return clients_exchange_id(
        compound->server, compound->principal,
        &args->nfs_argop4_u.opexchange_id,
        &res->nfs_resop4_u.opexchange_id.EXCHANGE_ID4res_u.eir_resok4);
}

nfsstat4 op_create_session(struct compound *compound, const nfs_argop4 *args,
                           nfs_resop4 *res)
{
    return sessions_create(compound->server, compound->principal,
                           &args->nfs_argop4_u.opcreate_session,
                           &res->nfs_resop4_u.opcreate_session);
}

/* Its own session may be ended by the last operation only. */
nfsstat4 op_destroy_session(struct compound *compound, const nfs_argop4 *args,
                            nfs_resop4 *res)
{
    const DESTROY_SESSION4args *in = &args->nfs_argop4_u.opdestroy_session;

    (void)res;
    if (compound->session != NULL &&
        memcmp(compound->session->id, in->dsa_sessionid,
               sizeof(compound->session->id)) == 0 &&
        compound->op + 1 < compound->ops)
        return NFS4ERR_NOT_ONLY_OP;
    return sessions_destroy(compound->server, in->dsa_sessionid);
}

nfsstat4 op_destroy_clientid(struct compound *compound, const nfs_argop4 *args,
                             nfs_resop4 *res)
{
    (void)res;
    return clients_destroy(compound->server,
                           args->nfs_argop4_u.opdestroy_clientid.dca_clientid);
}

/*
 * Any connection may carry any session's requests (SP4_NONE), so there is
 * nothing to remember; and there are no callbacks.
 */
nfsstat4 op_bind_conn_to_session(struct compound *compound,
                                 const nfs_argop4 *args, nfs_resop4 *result)
{
    const BIND_CONN_TO_SESSION4args *in =
        &args->nfs_argop4_u.opbind_conn_to_session;
    BIND_CONN_TO_SESSION4resok *res =
        &result->nfs_resop4_u.opbind_conn_to_session.BIND_CONN_TO_SESSION4res_u
             .bctsr_resok4;

    if (sessions_find(compound->server, in->bctsa_sessid) == NULL)
        return NFS4ERR_BADSESSION;
    if (in->bctsa_dir != CDFC4_FORE && in->bctsa_dir != CDFC4_FORE_OR_BOTH)
        return NFS4ERR_INVAL;
    memcpy(res->bctsr_sessid, in->bctsa_sessid, sizeof(res->bctsr_sessid));
    res->bctsr_dir = CDFS4_FORE;
    res->bctsr_use_conn_in_rdma_mode = FALSE;
    return NFS4_OK;
}

nfsstat4 op_reclaim_complete(struct compound *compound, const nfs_argop4 *args,
                             nfs_resop4 *res)
{
    struct client *client = compound->session->client;

    (void)res;
    if (args->nfs_argop4_u.opreclaim_complete.rca_one_fs)
        return compound->current.set ? NFS4_OK : NFS4ERR_NOFILEHANDLE;
    if (client->reclaim_complete)
        return NFS4ERR_COMPLETE_ALREADY;
    client->reclaim_complete = true;
    return NFS4_OK;
}
