/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An NFSv4.2 server with one file that does one thing wrong, or right but
 * seldom seen.
 *
 *     nfs42_odd WAY FILE [PORT]   serves FILE as /file; prints its port
 *     nfs42_odd --list            the ways
 *
 * It believes its client, has one connection at a time, and is good for
 * nothing but tests.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <rpc/rpc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nfs42/nfs42.h>

#include "nfs42_odd.h"

#define HELD_MAX 4
#define SLOTS 8

/* In a record whose first operation is SEQUENCE. */
#define XID_AT 4
#define SLOT_AT 68

static struct odd odd;
/* Replies that wait for others to overtake them. */
static struct bytes held[HELD_MAX];
static unsigned held_count;

void put32(struct bytes *bytes, uint32_t value)
{
    int i;

    for (i = 24; i >= 0; i -= 8)
        bytes->at[bytes->len++] = (uint8_t)(value >> i);
}

void put64(struct bytes *bytes, uint64_t value)
{
    put32(bytes, (uint32_t)(value >> 32));
    put32(bytes, (uint32_t)value);
}

/* --- operations ---------------------------------------------------------- */

/* Type, change, size, fileid; the bits of client_source.c and no others. */
static void getattr(struct bytes *bytes)
{
    put32(bytes, 2);
    put32(bytes, 1u << FATTR4_TYPE | 1u << FATTR4_CHANGE | 1u << FATTR4_SIZE |
                     1u << FATTR4_FILEID);
    put32(bytes, 0);
    put32(bytes, 28);
    put32(bytes, NF4REG);
    put64(bytes, 7);
    put64(bytes, odd.size);
    put64(bytes, 42);
}

static void read_data(const READ4args *args, struct bytes *bytes)
{
    size_t place;
    ssize_t got;

    put32(bytes, args->offset + args->count >= odd.size);
    place = bytes->len;
    put32(bytes, 0);
    got =
        pread(odd.fd, bytes->at + bytes->len, args->count, (off_t)args->offset);
    bytes->len = place;
    put32(bytes, got > 0 ? (uint32_t)got : 0);
    bytes->len += got > 0 ? (size_t)got : 0;
    while (bytes->len % 4 != 0)
        bytes->at[bytes->len++] = 0;
}

static void sequence(const SEQUENCE4args *args, struct bytes *bytes)
{
    memcpy(bytes->at + bytes->len, args->sa_sessionid, 16);
    bytes->len += 16;
    put32(bytes, args->sa_sequenceid);
    put32(bytes, args->sa_slotid);
    put32(bytes, SLOTS - 1);
    put32(bytes, SLOTS - 1);
    put32(bytes, 0);
}

static void exchange_id(struct bytes *bytes)
{
    put64(bytes, 1); /* clientid */
    put32(bytes, 1); /* sequenceid */
    put32(bytes, EXCHGID4_FLAG_USE_NON_PNFS);
    put32(bytes, SP4_NONE);
    put64(bytes, 0); /* server owner: minor, major */
    put32(bytes, 0);
    put32(bytes, 0); /* scope */
    put32(bytes, 0); /* implementation */
}

static void create_session(const CREATE_SESSION4args *args, struct bytes *bytes)
{
    channel_attrs4 fore = args->csa_fore_chan_attrs;
    int channel;

    memset(bytes->at + bytes->len, 's', 16);
    bytes->len += 16;
    put32(bytes, args->csa_sequence);
    put32(bytes, 0);
    for (channel = 0; channel < 2; channel++) {
        put32(bytes, 0);
        put32(bytes, fore.ca_maxrequestsize);
        put32(bytes, fore.ca_maxresponsesize);
        put32(bytes, fore.ca_maxresponsesize_cached);
        put32(bytes, fore.ca_maxoperations);
        put32(bytes, SLOTS);
        put32(bytes, 0);
    }
}

/* A result, from its opcode on; its status. */
static uint32_t operate(const nfs_argop4 *op, struct bytes *bytes)
{
    const READ_PLUS4args *plus = &op->nfs_argop4_u.opread_plus;
    bool unknown = op->argop == OP_READ_PLUS && is(&odd, "illegal");

    put32(bytes, unknown ? OP_ILLEGAL : (uint32_t)op->argop);
    if (unknown) {
        put32(bytes, NFS4ERR_OP_ILLEGAL);
        return NFS4ERR_OP_ILLEGAL;
    }
    if (op->argop == OP_READ_PLUS)
        return put_item(
            &odd,
            &(struct readplus_args){plus->rpa_offset, plus->rpa_count, {0}},
            bytes);
    put32(bytes, NFS4_OK);
    if (op->argop == OP_SEQUENCE)
        sequence(&op->nfs_argop4_u.opsequence, bytes);
    else if (op->argop == OP_EXCHANGE_ID)
        exchange_id(bytes);
    else if (op->argop == OP_CREATE_SESSION)
        create_session(&op->nfs_argop4_u.opcreate_session, bytes);
    else if (op->argop == OP_GETFH)
        put32(bytes, 4), put32(bytes, 1);
    else if (op->argop == OP_GETATTR)
        getattr(bytes);
    else if (op->argop == OP_READ)
        read_data(&op->nfs_argop4_u.opread, bytes);
    else if (op->argop == OP_OPEN) /* stateid ... no delegation */
        memset(bytes->at + bytes->len, 0, 52), bytes->len += 52;
    else if (op->argop == OP_CLOSE)
        memset(bytes->at + bytes->len, 0, 16), bytes->len += 16;
    return NFS4_OK;
}

/* --- calls --------------------------------------------------------------- */

/* Passes over the head of a call; the number of its operations. */
static uint32_t call_head(XDR *xdr, uint32_t *xid)
{
    uint32_t count = 0, minor;
    struct rpc_msg message;
    char cred[MAX_AUTH_BYTES], verf[MAX_AUTH_BYTES];
    char *tag = NULL;
    u_int len;

    memset(&message, 0, sizeof(message));
    message.rm_call.cb_cred.oa_base = cred;
    message.rm_call.cb_verf.oa_base = verf;
    if (!xdr_callmsg(xdr, &message) ||
        !xdr_bytes(xdr, &tag, &len, NFS42_MAX_TAG) || !xdr_u_int(xdr, &minor) ||
        !xdr_u_int(xdr, &count))
        fprintf(stderr, "nfs42_odd: a call that makes no sense\n");
    free(tag);
    *xid = message.rm_xid;
    return count;
}

static void reply_head(struct bytes *bytes, uint32_t xid)
{
    bytes->len = 0;
    put32(bytes, 0); /* the mark */
    put32(bytes, xid);
    put32(bytes, REPLY);
    put32(bytes, MSG_ACCEPTED);
    put64(bytes, 0); /* verifier: AUTH_NONE */
    put32(bytes, SUCCESS);
}

/* Of a reply to READ_PLUS in five a word is wrong. */
static void spoil(struct bytes *bytes)
{
    if (!now_and_then(&odd, 5))
        return;
    if (is(&odd, "xid"))
        bytes->at[XID_AT] ^= 1;
    if (is(&odd, "slot"))
        bytes->at[SLOT_AT + 3] ^= 1;
}

static void answer(uint8_t *call, size_t len, struct bytes *bytes)
{
    uint32_t count, done = 0, status = 0, xid;
    bool reads = false;
    size_t status_at;
    XDR xdr;

    xdrmem_create(&xdr, (char *)call, (u_int)len, XDR_DECODE);
    count = call_head(&xdr, &xid);
    reply_head(bytes, xid);
    status_at = bytes->len;
    put32(bytes, 0);
    put32(bytes, 0); /* tag */
    put32(bytes, 0);
    while (done < count && status == 0) {
        nfs_argop4 op;

        memset(&op, 0, sizeof(op));
        if (!xdr_nfs_argop4(&xdr, &op))
            break;
        status = operate(&op, bytes);
        reads = op.argop == OP_READ_PLUS;
        xdr_free((xdrproc_t)xdr_nfs_argop4, &op);
        done++;
    }
    len = bytes->len;
    bytes->len = status_at;
    put32(bytes, status);
    put32(bytes, 0);
    put32(bytes, done);
    bytes->len = len;
    if (reads)
        spoil(bytes);
}

/* --- records ------------------------------------------------------------- */

static bool put(int fd, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        ssize_t got = send(fd, bytes, len, MSG_NOSIGNAL);

        if (got <= 0)
            return false;
        bytes += got;
        len -= (size_t)got;
    }
    return true;
}

/* The record in fragments of so many bytes, empty ones among them. */
static bool send_fragments(int fd, const struct bytes *bytes, size_t fragment)
{
    size_t at = 4, len;

    while (at < bytes->len) {
        uint32_t marks[2] = {0, 0};

        len = bytes->len - at < fragment ? bytes->len - at : fragment;
        marks[1] =
            htonl((uint32_t)len | (at + len == bytes->len ? 0x80000000u : 0));
        if (!put(fd, (uint8_t *)marks, sizeof(marks)) ||
            !put(fd, bytes->at + at, len))
            return false;
        at += len;
    }
    return true;
}

static bool send_reply(int fd, struct bytes *bytes)
{
    size_t len = bytes->len;

    if (is(&odd, "mute"))
        return true;
    if (is(&odd, "fragments") || is(&odd, "fragments-rest"))
        return send_fragments(fd, bytes, 1000);
    bytes->len = 0;
    put32(bytes, (uint32_t)(len - 4) | 0x80000000u);
    if (is(&odd, "hang-up") && now_and_then(&odd, 4) && len > 2000) {
        (void)put(fd, bytes->at, len / 2);
        return false;
    }
    return put(fd, bytes->at, len);
}

/* No more calls are there to be read. */
static bool quiet(int fd)
{
    int there = 0;

    usleep(1000);
    return ioctl(fd, FIONREAD, &there) != 0 || there == 0;
}

static bool exactly(int fd, uint8_t *bytes, size_t len)
{
    return recv(fd, bytes, len, MSG_WAITALL) == (ssize_t)len;
}

static void serve(int fd)
{
    static uint8_t call[65536];
    uint32_t mark;

    held_count = 0;
    while (exactly(fd, (uint8_t *)&mark, 4)) {
        size_t len = ntohl(mark) & 0x7fffffff;

        if (len > sizeof(call) || !exactly(fd, call, len))
            break;
        answer(call, len, &held[held_count++]);
        /* Held back only where the oddity is to answer in another order. */
        if (is(&odd, "backwards") && held_count < HELD_MAX && !quiet(fd))
            continue;
        while (held_count > 0)
            if (!send_reply(fd, &held[--held_count]))
                return;
    }
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0), fd, one = 1;
    struct stat st;

    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list_ways();
        return 0;
    }
    odd.way = argc >= 3 ? argv[1] : "";
    odd.fd = argc >= 3 ? open(argv[2], O_RDONLY) : -1;
    address.sin_port = argc == 4 ? htons((uint16_t)atoi(argv[3])) : 0;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (odd.fd < 0 || fstat(odd.fd, &st) != 0 ||
        bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(listener, 8) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &len) != 0) {
        perror("nfs42_odd WAY FILE");
        return 2;
    }
    odd.size = (uint64_t)st.st_size;
    printf("%u\n", (unsigned)ntohs(address.sin_port));
    fflush(stdout);
    while ((fd = accept(listener, NULL, NULL)) >= 0) {
        serve(fd);
        close(fd);
    }
    return 1;
}
