/*
 * bench_codec's peers: the types and the code that rpcgen makes of the RFC,
 * over libtirpc and, in a module of its own (ntirpc_peer.c), over ntirpc.
 */
#include "codec.h"

#include <readplus/rpc.h>

#include <dlfcn.h>

static void content_set(struct readplus_read_plus_content *c,
                        const struct readplus_segment *s)
{
    memset(c, 0, sizeof(*c));
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

void rpcgen_set(void)
{
    struct readplus_read_plus_content *contents;
    struct readplus_read_plus_res4 *ok;
    size_t i;

    rpcgen_free(slot);
    slot->rpcgen = bench_memory(sizeof(*slot->rpcgen));
    contents = bench_memory(count * sizeof(*contents));
    for (i = 0; i < count; i++)
        content_set(&contents[i], &slot->segments[i]);
    slot->rpcgen->rp_status = READPLUS_NFS4_OK;
    ok = &slot->rpcgen->readplus_READ_PLUS4res_u.rp_resok4;
    ok->rpr_eof = TRUE;
    ok->rpr_contents.rpr_contents_len = (u_int)count;
    ok->rpr_contents.rpr_contents_val = contents;
}

void rpcgen_free(struct slot *s)
{
    if (s->rpcgen != NULL)
        free(s->rpcgen->readplus_READ_PLUS4res_u.rp_resok4.rpr_contents
                 .rpr_contents_val);
    free(s->rpcgen);
    s->rpcgen = NULL;
}

void encode_rpcgen(void)
{
    XDR xdrs;

    xdrmem_create(&xdrs, (char *)slot->out, (u_int)item_len, XDR_ENCODE);
    bench_must(xdr_readplus_READ_PLUS4res(&xdrs, slot->rpcgen),
               "rpcgen encodes");
}

void decode_rpcgen(void)
{
    struct readplus_READ_PLUS4res got;
    XDR xdrs;

    memset(&got, 0, sizeof(got));
    xdrmem_create(&xdrs, (char *)slot->item, (u_int)item_len, XDR_DECODE);
    bench_must(xdr_readplus_READ_PLUS4res(&xdrs, &got), "rpcgen decodes");
    xdr_free((xdrproc_t)xdr_readplus_READ_PLUS4res, (char *)&got);
}

static void (*peer_set)(const struct readplus_segment *s, size_t n);
static bool (*peer_encode)(void *to, size_t len);
static bool (*peer_decode)(const void *from, size_t len);

bool ntirpc_load(void)
{
    const char *name = getenv("NTIRPC_PEER");
    void *module;

    if (name == NULL)
        return false;
    /* Its names are its own, although libtirpc has the same. */
    module = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (module == NULL) {
        fprintf(stderr, "bench_codec: %s\n", dlerror());
        return false;
    }
    /* POSIX lets a data pointer be a function's, ISO C does not. */
    *(void **)&peer_set = dlsym(module, "peer_set");
    *(void **)&peer_encode = dlsym(module, "peer_encode");
    *(void **)&peer_decode = dlsym(module, "peer_decode");
    return peer_set != NULL && peer_encode != NULL && peer_decode != NULL;
}

void ntirpc_set(void)
{
    peer_set(slot->segments, count);
}

void encode_ntirpc(void)
{
    bench_must(peer_encode(slot->out, item_len), "ntirpc encodes");
}

void decode_ntirpc(void)
{
    bench_must(peer_decode(slot->item, item_len), "ntirpc decodes");
}
