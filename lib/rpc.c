/*
 * The bridge to libtirpc, and the only file that sees <rpc/xdr.h>.
 */
#include <readplus/rpc.h>
