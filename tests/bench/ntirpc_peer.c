/*
 * rpcgen's code over ntirpc, nfs-ganesha's fork of libtirpc: a module that
 * bench.sh builds, with the generated read_plus_xdr.c in it, and bench_codec
 * loads, since the names in it are libtirpc's too.
 */
#include <rpc/types.h>
#include <rpc/xdr.h>
#include <rpc/xdr_inline.h>

/* rpcgen's bound of an array without one is too large for ntirpc. */
#define xdr_array(xdrs, array, n, bound, size, element)                        \
    (xdr_array)(xdrs, array, n, UINT32_MAX / (size), size, element)

#include "read_plus_xdr.c" /* its routines are inline in the header above */

#include <readplus/segment.h>

#include <stdlib.h>
#include <string.h>

static struct readplus_read_plus_content *contents;
static struct readplus_READ_PLUS4res res;

void peer_set(const struct readplus_segment *s, size_t n);
bool peer_encode(void *to, size_t len);
bool peer_decode(const void *from, size_t len);

void peer_set(const struct readplus_segment *s, size_t n)
{
    size_t i;

    contents = realloc(contents, n * sizeof(*contents));
    if (contents == NULL)
        abort();
    memset(contents, 0, n * sizeof(*contents));
    for (i = 0; i < n; i++, s++) {
        struct readplus_read_plus_content *c = &contents[i];

        if (s->content == READPLUS_CONTENT_HOLE) {
            c->rpc_content = READPLUS_NFS4_CONTENT_HOLE;
            c->readplus_read_plus_content_u.rpc_hole.di_offset = s->offset;
            c->readplus_read_plus_content_u.rpc_hole.di_length = s->length;
        } else {
            c->rpc_content = READPLUS_NFS4_CONTENT_DATA;
            c->readplus_read_plus_content_u.rpc_data.d_offset = s->offset;
            c->readplus_read_plus_content_u.rpc_data.d_data.d_data_len =
                (u_int)s->length;
            c->readplus_read_plus_content_u.rpc_data.d_data.d_data_val =
                (char *)(uintptr_t)s->data;
        }
    }
    res.rp_status = READPLUS_NFS4_OK;
    res.readplus_READ_PLUS4res_u.rp_resok4.rpr_eof = TRUE;
    res.readplus_READ_PLUS4res_u.rp_resok4.rpr_contents.rpr_contents_len =
        (u_int)n;
    res.readplus_READ_PLUS4res_u.rp_resok4.rpr_contents.rpr_contents_val =
        contents;
}

bool peer_encode(void *to, size_t len)
{
    XDR xdrs;

    xdrmem_ncreate(&xdrs, to, (u_int)len, XDR_ENCODE);
    return xdr_readplus_READ_PLUS4res(&xdrs, &res);
}

bool peer_decode(const void *from, size_t len)
{
    struct readplus_READ_PLUS4res got;
    bool good;
    XDR xdrs;

    memset(&got, 0, sizeof(got));
    xdrmem_ncreate(&xdrs, (char *)(uintptr_t)from, (u_int)len, XDR_DECODE);
    good = xdr_readplus_READ_PLUS4res(&xdrs, &got);
    xdr_free((xdrproc_t)xdr_readplus_READ_PLUS4res, &got);
    return good;
}
