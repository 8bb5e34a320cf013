/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OPEN, for reading, and what goes with its stateids.
 *
 * Nothing that a client loses in a restart could have been taken by another:
 * nobody writes.  So there is no time in which new opens must wait, and a
 * reclaim is granted like any other open.
 */
#include <fcntl.h>
#include <unistd.h>

#include "attributes.h"
#include "operations.h"
#include "tree.h"

/* What is asked for must be reading. */
static nfsstat4 judge(const struct compound *compound, const OPEN4args *in)
{
    const uint32_t access = in->share_access & OPEN4_SHARE_ACCESS_BOTH;

    if (access == 0 || in->share_deny > OPEN4_SHARE_DENY_BOTH)
        return NFS4ERR_INVAL;
    if (in->openhow.opentype != OPEN4_NOCREATE)
        return NFS4ERR_ROFS;
    if (access & OPEN4_SHARE_ACCESS_WRITE)
        return NFS4ERR_ROFS;
    switch (in->openhow.openflag4_u.claim.claim) {
    case CLAIM_NULL:
    case CLAIM_FH:
        return compound->session->client->reclaim_complete ? NFS4_OK
                                                           : NFS4ERR_GRACE;
    case CLAIM_PREVIOUS:
        if (compound->session->client->reclaim_complete ||
            seconds_now() - compound->server->started > (time_t)LEASE_SECONDS)
            return NFS4ERR_NO_GRACE;
        return NFS4_OK;
    case CLAIM_DELEGATE_CUR:
    case CLAIM_DELEGATE_PREV:
    case CLAIM_DELEG_CUR_FH:
    case CLAIM_DELEG_PREV_FH:
        return NFS4ERR_NOTSUPP; /* no delegation was ever given */
    default:
        return NFS4ERR_BADXDR;
    }
}

/* The file: named in the current folder, or current itself. */
static nfsstat4 find(struct compound *compound, const OPEN4args *in,
                     struct file_id *id, change_info4 *change)
{
    const open_claim4 *claim = &in->openhow.openflag4_u.claim;
    struct statx st;
    nfsstat4 status;
    int fd;

    *id = compound->current.id;
    status = compound_fd(compound, &fd);
    if (status == NFS4_OK)
        status = tree_stat(fd, &st);
    if (status != NFS4_OK)
        return status;
    change->before = change->after = attributes_change(&st);
    if (claim->claim == CLAIM_NULL)
        status = compound_lookup(compound, &claim->open_claim4_u.file, id, &st);
    if (status != NFS4_OK)
        return status;
    switch (st.stx_mode & S_IFMT) {
    case S_IFREG:
        return NFS4_OK;
    case S_IFDIR:
        return NFS4ERR_ISDIR;
    case S_IFLNK:
        return NFS4ERR_SYMLINK;
    default:
        return NFS4ERR_WRONG_TYPE;
    }
}

nfsstat4 op_open(struct compound *compound, const nfs_argop4 *args,
                 nfs_resop4 *result)
{
    const OPEN4args *in = &args->nfs_argop4_u.opopen;
    OPEN4resok *res = &result->nfs_resop4_u.opopen.OPEN4res_u.resok4;
    struct file_id id;
    nfsstat4 status;
    int fd;

    if (compound_room(compound) < 64)
        return compound->too_big; /* found out before anything changes */
    status = judge(compound, in);
    if (status == NFS4_OK)
        status = find(compound, in, &id, &res->cinfo);
    if (status == NFS4_OK)
        status = tree_get(compound->server->tree, &id, O_RDONLY, &fd);
    if (status == NFS4_OK)
        status = opens_add(compound->server, compound->session->client, in, &id,
                           fd, &res->stateid);
    if (status != NFS4_OK)
        return status;
    res->delegation = OPEN_DELEGATE_NONE;
    compound_set(compound, &id);
    compound->current.stateid = res->stateid;
    compound->current.has_stateid = true;
    return NFS4_OK;
}

nfsstat4 op_open_downgrade(struct compound *compound, const nfs_argop4 *args,
                           nfs_resop4 *result)
{
    const OPEN_DOWNGRADE4args *in = &args->nfs_argop4_u.opopen_downgrade;
    stateid4 *res =
        &result->nfs_resop4_u.opopen_downgrade.STATEID4res_u.stateid;
    struct open_file *open;
    nfsstat4 status;

    if (compound_room(compound) < 24)
        return compound->too_big;
    status = compound_open(compound, &in->open_stateid, &open);
    if (status == NFS4_OK)
        status = opens_downgrade(compound->server, open,
                                 in->share_access & OPEN4_SHARE_ACCESS_BOTH,
                                 in->share_deny, res);
    if (status != NFS4_OK)
        return status;
    compound->current.stateid = *res;
    compound->current.has_stateid = true;
    return NFS4_OK;
}

nfsstat4 op_close(struct compound *compound, const nfs_argop4 *args,
                  nfs_resop4 *result)
{
    stateid4 *res = &result->nfs_resop4_u.opclose.STATEID4res_u.stateid;
    struct open_file *open;
    nfsstat4 status;

    if (compound_room(compound) < 24)
        return compound->too_big;
    status = compound_open(compound, &args->nfs_argop4_u.opclose.open_stateid,
                           &open);
    if (status != NFS4_OK)
        return status;
    opens_close(compound->server, open);
    /* One that nobody can use (RFC 8881 section 18.2.4). */
    res->seqid = NFS4_UINT32_MAX;
    compound->current.stateid = *res;
    compound->current.has_stateid = true;
    return NFS4_OK;
}

nfsstat4 op_test_stateid(struct compound *compound, const nfs_argop4 *args,
                         nfs_resop4 *result)
{
    const TEST_STATEID4args *in = &args->nfs_argop4_u.optest_stateid;
    TEST_STATEID4resok *res =
        &result->nfs_resop4_u.optest_stateid.TEST_STATEID4res_u.tsr_resok4;
    static nfsstat4 answers[NFS42_MAX_STATEIDS];
    struct open_file *open;
    u_int i;

    for (i = 0; i < in->ts_stateids.ts_stateids_len; i++)
        answers[i] = opens_find(compound->server, compound->session->client,
                                &in->ts_stateids.ts_stateids_val[i], &open);
    res->tsr_status_codes.tsr_status_codes_len = i;
    res->tsr_status_codes.tsr_status_codes_val = answers;
    return NFS4_OK;
}

/* For locks, which there are none of; an open file is closed instead. */
nfsstat4 op_free_stateid(struct compound *compound, const nfs_argop4 *args,
                         nfs_resop4 *res)
{
    struct open_file *open;
    nfsstat4 status;

    (void)res;
    status = opens_find(compound->server, compound->session->client,
                        &args->nfs_argop4_u.opfree_stateid.fsa_stateid, &open);
    return status == NFS4_OK ? NFS4ERR_LOCKS_HELD : status;
}
