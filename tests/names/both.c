/*
 * A server with an nfs4 .x of its own that includes and links ours too.
 * Compiled in either order of the includes (-DOURS_FIRST).
 */
#ifdef OURS_FIRST
#include <readplus/rpc.h>
#include "read_plus.h"
#else
#include "read_plus.h"
#include <readplus/rpc.h>
#endif

/* One hole, each with its own codec: 4 bytes more in theirs. */
int main(void)
{
    static data_info4 theirs = {.di_offset = 1, .di_length = 2};
    static readplus_data_info4 ours = {.di_offset = 1, .di_length = 2};

    if (xdr_sizeof((xdrproc_t)xdr_data_info4, &theirs) != 20)
        return 1;
    if (xdr_sizeof((xdrproc_t)xdr_readplus_data_info4, &ours) != 16)
        return 2;
    return NFS4ERR_IO == 5 && READPLUS_NFS4ERR_IO == 5 ? 0 : 3;
}
