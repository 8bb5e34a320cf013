/*
 * What rpcgen makes of xdr/read_plus.x as a decoder that `readplus vectors
 * test-decoder' can ask: an item on standard input, its type in READPLUS_TYPE,
 * what it says as JSON on standard output.  It knows no faults, so that it
 * names none; what it would allocate is limited.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <readplus/rpc.h>

static char input[1 << 20];

static const char *truth(bool_t value)
{
    return value ? "true" : "false";
}

static void refuse(XDR *xdrs)
{
    printf("{\"error\":{\"name\":\"refused\",\"at\":%u,\"segment\":null}}\n",
           xdr_getpos(xdrs));
}

static void put_content(const readplus_read_plus_content *content)
{
    const readplus_data_info4 *hole =
        &content->readplus_read_plus_content_u.rpc_hole;
    const readplus_data4 *data =
        &content->readplus_read_plus_content_u.rpc_data;

    if (content->rpc_content == READPLUS_NFS4_CONTENT_DATA)
        printf("{\"content\":\"data\",\"offset\":%" PRIu64 ",\"length\":%u}",
               (uint64_t)data->d_offset, data->d_data.d_data_len);
    else if (content->rpc_content == READPLUS_NFS4_CONTENT_HOLE)
        printf("{\"content\":\"hole\",\"offset\":%" PRIu64
               ",\"length\":%" PRIu64 "}",
               (uint64_t)hole->di_offset, (uint64_t)hole->di_length);
    else
        printf("{\"content\":\"%d\"}", content->rpc_content);
}

static void res(XDR *xdrs)
{
    readplus_READ_PLUS4res r;
    readplus_read_plus_res4 *ok = &r.readplus_READ_PLUS4res_u.rp_resok4;
    u_int i;

    memset(&r, 0, sizeof(r));
    if (!xdr_readplus_READ_PLUS4res(xdrs, &r)) {
        refuse(xdrs);
        return;
    }
    printf("{\"error\":null,\"status\":%" PRIu32, (uint32_t)r.rp_status);
    if (r.rp_status == READPLUS_NFS4_OK) {
        printf(",\"eof\":%s,\"segments\":[", truth(ok->rpr_eof));
        for (i = 0; i < ok->rpr_contents.rpr_contents_len; i++) {
            fputs(i > 0 ? "," : "", stdout);
            put_content(&ok->rpr_contents.rpr_contents_val[i]);
        }
        putchar(']');
    }
    puts("}");
}

static void args(XDR *xdrs)
{
    readplus_READ_PLUS4args a;

    if (xdr_readplus_READ_PLUS4args(xdrs, &a))
        printf("{\"error\":null,\"rpa_offset\":%" PRIu64
               ",\"rpa_count\":%" PRIu32 "}\n",
               (uint64_t)a.rpa_offset, (uint32_t)a.rpa_count);
    else
        refuse(xdrs);
}

static void seek_args(XDR *xdrs)
{
    readplus_SEEK4args a;

    if (xdr_readplus_SEEK4args(xdrs, &a))
        printf("{\"error\":null,\"sa_offset\":%" PRIu64
               ",\"sa_what\":\"%s\"}\n",
               (uint64_t)a.sa_offset,
               a.sa_what == READPLUS_NFS4_CONTENT_DATA ? "data" : "hole");
    else
        refuse(xdrs);
}

static void seek_res(XDR *xdrs)
{
    readplus_SEEK4res r;

    if (xdr_readplus_SEEK4res(xdrs, &r))
        printf("{\"error\":null,\"status\":%" PRIu32
               ",\"sr_eof\":%s,\"sr_offset\":%" PRIu64 "}\n",
               (uint32_t)r.sa_status,
               truth(r.readplus_SEEK4res_u.resok4.sr_eof),
               (uint64_t)r.readplus_SEEK4res_u.resok4.sr_offset);
    else
        refuse(xdrs);
}

int main(void)
{
    const struct rlimit limit = {256u << 20, 256u << 20};
    const char *type = getenv("READPLUS_TYPE");
    size_t len = fread(input, 1, sizeof(input), stdin);
    size_t skip = 0;
    XDR xdrs;

    setrlimit(RLIMIT_AS, &limit);
    if (type != NULL && strcmp(type, "resop") == 0) {
        /* Of nfs_resop4 there is READ_PLUS only. */
        if (len < 4 || memcmp(input, "\0\0\0\104", 4) != 0) {
            puts("{\"error\":{\"name\":\"refused\",\"at\":0}}");
            return 0;
        }
        skip = 4;
    }
    xdrmem_create(&xdrs, input + skip, (u_int)(len - skip), XDR_DECODE);
    if (type != NULL && strcmp(type, "args") == 0)
        args(&xdrs);
    else if (type != NULL && strcmp(type, "seek-args") == 0)
        seek_args(&xdrs);
    else if (type != NULL && strcmp(type, "seek-res") == 0)
        seek_res(&xdrs);
    else
        res(&xdrs);
    return 0;
}
