/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One COMPOUND (RFC 8881 section 16.2) on its way out, and the one that comes
 * back, operation by operation, with the types that rpcgen makes of
 * xdr/nfs42.x.
 */
#ifndef CLIENT_CALL_H
#define CLIENT_CALL_H

#include <rpc/rpc.h>

#include "client_wire.h"
#include <nfs42/nfs42.h>

/* Room for a call: no path component or handle makes it larger. */
#define CALL_ROOM (16 << 10)
/* Room for a reply that is taken apart by rpcgen's routines. */
#define REPLY_ROOM (128 << 10)

struct call {
    XDR xdr;
    bool good;                 /* everything fitted */
    uint32_t ops;              /* so far */
    u_int count_at;            /* where their number goes */
    uint8_t record[CALL_ROOM]; /* the mark's place, then the call */
};

/* Begins a call with the user's AUTH_SYS credential. */
void call_begin(struct call *call, uint32_t xid);

void call_add(struct call *call, const nfs_argop4 *op);

/* False: the connection failed, or the call has no room. */
bool call_send(struct call *call, struct wire *wire);

struct reply {
    XDR xdr;
    nfsstat4 status; /* of the COMPOUND */
    uint32_t ops;    /* results that are still to be taken */
    const char *failure;
};

/*
 * Begins to take bytes[0, len) apart.  False: they are no accepted reply to
 * the call `xid`, and reply->failure says why not.
 */
bool reply_begin(struct reply *reply, void *bytes, size_t len, uint32_t xid);

/*
 * Takes the next result, which must be one of `op`.  Only its status counts
 * where that is not NFS4_OK.  False: it is none.  To be given back with
 * result_free.
 */
bool reply_take(struct reply *reply, nfs_opnum4 op, nfs_resop4 *result);

void result_free(nfs_resop4 *result);

/* The status of a result, whichever it is of. */
nfsstat4 result_status(const nfs_resop4 *result);

/* The xid of a reply; false where it has none. */
bool reply_xid(const uint8_t *bytes, size_t len, uint32_t *xid);

#endif /* CLIENT_CALL_H */
