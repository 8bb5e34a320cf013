/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one table of operations: what is done, what is refused, and how.  What
 * is not in it does not exist in NFSv4.2.
 */
#include "operations.h"

#define DO(opcode, run, flags) [OP_##opcode] = {#opcode, run, flags, NFS4_OK}
#define NO(opcode, status) [OP_##opcode] = {#opcode, NULL, 0, NFS4ERR_##status}
#define ALONE OPERATION_ALONE
#define HANDLE OPERATION_HANDLE
#define RAW OPERATION_RAW

static const struct operation table[] = {
    DO(ACCESS, op_access, HANDLE),
    DO(CLOSE, op_close, HANDLE),
    NO(COMMIT, ROFS),
    NO(CREATE, ROFS),
    NO(DELEGPURGE, NOTSUPP),
    NO(DELEGRETURN, NOTSUPP),
    DO(GETATTR, op_getattr, HANDLE),
    DO(GETFH, op_getfh, HANDLE),
    NO(LINK, ROFS),
    NO(LOCK, NOTSUPP),
    NO(LOCKT, NOTSUPP),
    NO(LOCKU, NOTSUPP),
    DO(LOOKUP, op_lookup, HANDLE),
    DO(LOOKUPP, op_lookupp, HANDLE),
    DO(NVERIFY, op_nverify, HANDLE),
    DO(OPEN, op_open, HANDLE),
    NO(OPENATTR, NOTSUPP),
    NO(OPEN_CONFIRM, NOTSUPP),
    DO(OPEN_DOWNGRADE, op_open_downgrade, HANDLE),
    DO(PUTFH, op_putfh, 0),
    DO(PUTPUBFH, op_putrootfh, 0),
    DO(PUTROOTFH, op_putrootfh, 0),
    DO(READ, op_read, HANDLE | RAW),
    DO(READDIR, op_readdir, HANDLE | RAW),
    DO(READLINK, op_readlink, HANDLE),
    NO(REMOVE, ROFS),
    NO(RENAME, ROFS),
    NO(RENEW, NOTSUPP),
    DO(RESTOREFH, op_restorefh, 0),
    DO(SAVEFH, op_savefh, HANDLE),
    DO(SECINFO, op_secinfo, HANDLE),
    NO(SETATTR, ROFS),
    NO(SETCLIENTID, NOTSUPP),
    NO(SETCLIENTID_CONFIRM, NOTSUPP),
    DO(VERIFY, op_verify, HANDLE),
    NO(WRITE, ROFS),
    NO(RELEASE_LOCKOWNER, NOTSUPP),
    NO(BACKCHANNEL_CTL, NOTSUPP),
    DO(BIND_CONN_TO_SESSION, op_bind_conn_to_session, ALONE),
    DO(EXCHANGE_ID, op_exchange_id, ALONE),
    DO(CREATE_SESSION, op_create_session, ALONE),
    DO(DESTROY_SESSION, op_destroy_session, ALONE),
    DO(FREE_STATEID, op_free_stateid, 0),
    NO(GET_DIR_DELEGATION, NOTSUPP),
    NO(GETDEVICEINFO, NOTSUPP),
    NO(GETDEVICELIST, NOTSUPP),
    NO(LAYOUTCOMMIT, NOTSUPP),
    NO(LAYOUTGET, NOTSUPP),
    NO(LAYOUTRETURN, NOTSUPP),
    DO(SECINFO_NO_NAME, op_secinfo_no_name, HANDLE),
    DO(SEQUENCE, op_sequence, 0),
    NO(SET_SSV, NOTSUPP),
    DO(TEST_STATEID, op_test_stateid, 0),
    NO(WANT_DELEGATION, NOTSUPP),
    DO(DESTROY_CLIENTID, op_destroy_clientid, ALONE),
    DO(RECLAIM_COMPLETE, op_reclaim_complete, 0),
    NO(ALLOCATE, ROFS),
    NO(COPY, ROFS),
    NO(COPY_NOTIFY, NOTSUPP),
    NO(DEALLOCATE, ROFS),
    NO(IO_ADVISE, NOTSUPP),
    NO(LAYOUTERROR, NOTSUPP),
    NO(LAYOUTSTATS, NOTSUPP),
    NO(OFFLOAD_CANCEL, NOTSUPP),
    NO(OFFLOAD_STATUS, NOTSUPP),
    DO(READ_PLUS, op_read_plus, HANDLE | RAW),
    DO(SEEK, op_seek, HANDLE),
    NO(WRITE_SAME, ROFS),
    NO(CLONE, ROFS),
    NO(GETXATTR, NOTSUPP),
    NO(SETXATTR, ROFS),
    NO(LISTXATTRS, NOTSUPP),
    NO(REMOVEXATTR, ROFS),
};

const struct operation *operation_find(uint32_t opcode)
{
    if (opcode >= sizeof(table) / sizeof(table[0]) ||
        table[opcode].name == NULL)
        return NULL;
    return &table[opcode];
}
