/*
 * A server and a client that use libtirpc: the filter where clnt_call and
 * svc_sendreply want an xdrproc_t, here over a record stream between the two
 * ends of a socket pair.
 *
 *     cc 10-rpc.c $(pkg-config --cflags --libs libreadplus-rpc)
 */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <readplus/rpc.h>

static int read_socket(void *handle, void *to, int room)
{
    ssize_t n = read(*(int *)handle, to, (size_t)room);

    return n > 0 ? (int)n : -1; /* the end is a failure to libtirpc */
}

static int write_socket(void *handle, void *from, int n)
{
    return (int)write(*(int *)handle, from, (size_t)n);
}

/* The server answers READ_PLUS(0, 1 GiB): five bytes, and nothing up to the
 * end of the file. */
static bool serve(int fd)
{
    struct readplus_segment segments[] = {
        {READPLUS_CONTENT_DATA, 0, 5, (const uint8_t *)"hello"},
        {READPLUS_CONTENT_HOLE, 5, (1 << 30) - 5, NULL}};
    struct readplus_rpc_res res;
    bool sent;
    XDR xdrs;

    readplus_rpc_res_init(&res, NULL, segments, 2, NULL, 0);
    res.count = 2;
    res.eof = true;
    xdrrec_create(&xdrs, 0, 0, &fd, read_socket, write_socket);
    xdrs.x_op = XDR_ENCODE;
    sent = readplus_rpc_res_xdr(&xdrs, &res) && xdrrec_endofrecord(&xdrs, TRUE);
    xdr_destroy(&xdrs);
    return sent;
}

static void print(const struct readplus_rpc_res *res)
{
    uint32_t i;

    for (i = 0; i < res->count; i++) {
        const struct readplus_segment *s = &res->segments[i];

        printf("%s at %llu, %llu bytes\n",
               s->content == READPLUS_CONTENT_HOLE ? "hole" : "data",
               (unsigned long long)s->offset, (unsigned long long)s->length);
    }
    printf("status %u, eof %d\n", res->status, res->eof);
}

/* The client takes at most 8 elements; their bytes are malloc's, until
 * xdr_free. */
static bool ask(int fd)
{
    struct readplus_args args = {.offset = 0, .count = 1 << 30};
    struct readplus_segment segments[8];
    struct readplus_rpc_res res;
    bool got;
    XDR xdrs;

    readplus_rpc_res_init(&res, &args, segments, 8, NULL, 0);
    xdrrec_create(&xdrs, 0, 0, &fd, read_socket, write_socket);
    xdrs.x_op = XDR_DECODE;
    got = xdrrec_skiprecord(&xdrs) && readplus_rpc_res_xdr(&xdrs, &res);
    if (got)
        print(&res);
    else
        printf("%s at byte %llu\n", readplus_error_text(res.fault.error),
               (unsigned long long)res.fault.at);
    xdr_free((xdrproc_t)readplus_rpc_res_xdr, &res);
    xdr_destroy(&xdrs);
    return got;
}

int main(void)
{
    int fds[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) {
        perror("socketpair");
        return 1;
    }
    return serve(fds[0]) && ask(fds[1]) ? 0 : 1;
}
