/*
 * The peer of bench_ends: what a server and a client are that use the types
 * and the code rpcgen makes of the RFC.  Segments are found by SEEK_DATA and
 * SEEK_HOLE and read one by one, as the first READ_PLUS servers did.
 */
#include "ends.h"

#include <readplus/rpc.h>

#include <sys/stat.h>

#define CONTENTS_MAX 4096

static size_t read_range(int fd, uint8_t *to, uint64_t from, uint64_t end)
{
    ssize_t got = pread(fd, to, (size_t)(end - from), (off_t)from);

    if (got != (ssize_t)(end - from))
        bench_die("pread");
    return (size_t)got;
}

/* One segment that begins at `at`; where it ends. */
static uint64_t find_segment(int fd, uint64_t at, uint64_t end,
                             uint8_t *file_bytes,
                             struct readplus_read_plus_content *c)
{
    off_t data = lseek(fd, (off_t)at, SEEK_DATA), hole;
    uint64_t stop = end;

    if (data != (off_t)at) {
        if (data >= 0)
            stop = shorter(stop, (uint64_t)data);
        c->rpc_content = READPLUS_NFS4_CONTENT_HOLE;
        c->readplus_read_plus_content_u.rpc_hole.di_offset = at;
        c->readplus_read_plus_content_u.rpc_hole.di_length = stop - at;
        return stop;
    }
    hole = lseek(fd, (off_t)at, SEEK_HOLE);
    if (hole >= 0)
        stop = shorter(stop, (uint64_t)hole);
    c->rpc_content = READPLUS_NFS4_CONTENT_DATA;
    c->readplus_read_plus_content_u.rpc_data.d_offset = at;
    c->readplus_read_plus_content_u.rpc_data.d_data.d_data_len =
        (u_int)read_range(fd, file_bytes, at, stop);
    c->readplus_read_plus_content_u.rpc_data.d_data.d_data_val =
        (char *)file_bytes;
    return stop;
}

size_t rpcgen_reply(int fd, const struct call *call, uint8_t *file_bytes,
                    uint8_t *buffer, size_t len)
{
    static __thread struct readplus_read_plus_content contents[CONTENTS_MAX];
    struct readplus_READ_PLUS4res res;
    uint64_t at = call->offset, end = at + call->count;
    struct stat st;
    u_int n = 0;
    XDR xdrs;

    if (fstat(fd, &st))
        bench_die("fstat");
    end = shorter(end, (uint64_t)st.st_size);
    while (at < end && n < CONTENTS_MAX)
        at = find_segment(fd, at, end, file_bytes + (at - call->offset),
                          &contents[n++]);
    res.rp_status = READPLUS_NFS4_OK;
    res.readplus_READ_PLUS4res_u.rp_resok4.rpr_eof = at >= (uint64_t)st.st_size;
    res.readplus_READ_PLUS4res_u.rp_resok4.rpr_contents.rpr_contents_len = n;
    res.readplus_READ_PLUS4res_u.rp_resok4.rpr_contents.rpr_contents_val =
        contents;
    xdrmem_create(&xdrs, (char *)buffer, (u_int)len, XDR_ENCODE);
    bench_must(xdr_readplus_READ_PLUS4res(&xdrs, &res), "rpcgen encodes");
    return xdr_getpos(&xdrs);
}

size_t rpcgen_deliver(const struct call *call, uint8_t *reply, size_t len,
                      uint8_t *to, bool *eof)
{
    struct readplus_READ_PLUS4res res;
    struct readplus_read_plus_content *c;
    size_t done = 0;
    XDR xdrs;
    u_int i;

    memset(&res, 0, sizeof(res));
    xdrmem_create(&xdrs, (char *)reply, (u_int)len, XDR_DECODE);
    bench_must(xdr_readplus_READ_PLUS4res(&xdrs, &res) && res.rp_status == 0,
               "rpcgen decodes");
    *eof = res.readplus_READ_PLUS4res_u.rp_resok4.rpr_eof;
    c = res.readplus_READ_PLUS4res_u.rp_resok4.rpr_contents.rpr_contents_val;
    for (i = 0;
         i <
         res.readplus_READ_PLUS4res_u.rp_resok4.rpr_contents.rpr_contents_len;
         i++, c++) {
        bool hole = c->rpc_content == READPLUS_NFS4_CONTENT_HOLE;
        struct readplus_data4 *d = &c->readplus_read_plus_content_u.rpc_data;
        size_t n =
            hole ? (size_t)c->readplus_read_plus_content_u.rpc_hole.di_length
                 : d->d_data.d_data_len;

        bench_must(n <= call->count - done, "rpcgen's reply is too long");
        if (hole)
            memset(to + done, 0, n);
        else
            memcpy(to + done, d->d_data.d_data_val, n);
        done += n;
    }
    xdr_free((xdrproc_t)xdr_readplus_READ_PLUS4res, (char *)&res);
    return done;
}
