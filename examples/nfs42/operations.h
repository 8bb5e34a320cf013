/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operations of a COMPOUND.
 *
 * Each takes its arguments and fills in its result; the status it returns is
 * written by the caller, alone unless it is NFS4_OK.  Those marked RAW write
 * what follows their opcode themselves, status included.
 */
#ifndef NFS42_OPERATIONS_H
#define NFS42_OPERATIONS_H

#include "compound.h"

typedef nfsstat4 operation_run(struct compound *compound,
                               const nfs_argop4 *args, nfs_resop4 *res);

#define OPERATION_ALONE 0x1u  /* without a session; then the only one */
#define OPERATION_HANDLE 0x2u /* needs a current filehandle */
#define OPERATION_RAW 0x4u    /* writes its own result */

struct operation {
    const char *name;
    operation_run *run; /* NULL: answered with `refused` */
    uint32_t flags;
    nfsstat4 refused;
};

/* NULL: NFSv4.2 has no such operation. */
const struct operation *operation_find(uint32_t opcode);

/* ops_session.c */
operation_run op_sequence, op_exchange_id, op_create_session,
    op_destroy_session, op_destroy_clientid, op_bind_conn_to_session,
    op_reclaim_complete;
/* ops_files.c */
operation_run op_putrootfh, op_putfh, op_getfh, op_savefh, op_restorefh,
    op_getattr, op_access, op_lookup, op_lookupp, op_readlink, op_secinfo,
    op_secinfo_no_name, op_verify, op_nverify;
/* ops_open.c */
operation_run op_open, op_open_downgrade, op_close, op_test_stateid,
    op_free_stateid;
/* ops_readdir.c */
operation_run op_readdir;
/* ops_read.c */
operation_run op_read, op_read_plus, op_seek;

#endif /* NFS42_OPERATIONS_H */
