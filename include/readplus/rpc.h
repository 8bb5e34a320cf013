/*
 * For users of libtirpc only: the types of READ_PLUS and SEEK as rpcgen makes
 * them from xdr/read_plus.x.  Link libreadplus-rpc.
 *
 * In C every name of RFC 7863 carries a prefix (readplus_data4,
 * READPLUS_NFS4_OK, xdr_readplus_data4), so that a program with an nfs4 .x of
 * its own can use both, in either order.  A program that has none may include
 * <readplus/names.h> after this header and write the RFC's names.
 */
#ifndef READPLUS_RPC_H
#define READPLUS_RPC_H

#include <readplus/base.h>
#include <readplus/read_plus.h>

#endif
