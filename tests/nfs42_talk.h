/*
 * A client of nfs42d for tests: it says what it is told to say, right or
 * wrong, to a server in the same process (call_answer) or behind a socket, and
 * takes the replies apart.
 *
 *     talk_begin(t, 3);                     how many operations follow
 *     talk_sequence(t, slot, true);         the next one of that slot
 *     talk_words(t, OP_PUTROOTFH, OP_GETFH);
 *     ck_assert_uint_eq(talk_ask(t), NFS4_OK);
 *     ... t->results[2].nfs_resop4_u.opgetfh ...
 */
#ifndef NFS42_TALK_H
#define NFS42_TALK_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"

#include "call.h"
#include "handle.h"
#include "tree.h"

#define TALK_ROOM (9u << 20)

struct talk {
    char folder[64]; /* world/export is what is exported */
    char export[80], key[80];
    struct server server;
    int fd; /* of a socket instead; or -1 */
    struct reply made;
    uint8_t *call, *bytes; /* both with the record mark */
    struct put put;
    size_t len; /* of the reply, with its mark */
    uint32_t xid;
    /* what the reply said */
    uint32_t accept_stat, count;
    nfs_resop4 results[NFS42_MAX_OPS];
    const uint8_t *rest; /* behind the first READ_PLUS or READDIR */
    /* what the client has */
    uint64_t client;
    uint32_t create_sequence;
    uint8_t session[NFS4_SESSIONID_SIZE];
    uint32_t sequences[64];
};

/* --- the call ------------------------------------------------------------- */

static inline void talk_header(struct talk *t, uint32_t program,
                               uint32_t version, uint32_t procedure)
{
    const uint32_t words[] = {++t->xid, CALL,      RPC_MSG_VERSION,
                              program,  version,   procedure,
                              AUTH_SYS, 20,        0,
                              0,        0,         0,
                              0,        AUTH_NONE, 0};
    size_t i;

    t->put = (struct put){t->call, 4, TALK_ROOM, false};
    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        put32(&t->put, words[i]);
}

static inline void talk_begin(struct talk *t, uint32_t ops)
{
    talk_header(t, NFS4_PROGRAM, NFS_V4, NFSPROC4_COMPOUND);
    put32(&t->put, 0); /* tag */
    put32(&t->put, 2); /* minorversion */
    put32(&t->put, ops);
}

static inline void talk_add(struct talk *t, const uint32_t *words, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        put32(&t->put, words[i]);
}

#define talk_words(t, ...)                                                     \
    talk_add(t, (const uint32_t[]){__VA_ARGS__},                               \
             sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static inline void talk_slot(struct talk *t, uint32_t slot, uint32_t sequence,
                             bool keep)
{
    put32(&t->put, OP_SEQUENCE);
    put_fixed(&t->put, t->session, sizeof(t->session));
    talk_words(t, sequence, slot, slot, keep);
}

static inline void talk_sequence(struct talk *t, uint32_t slot, bool keep)
{
    talk_slot(t, slot, ++t->sequences[slot], keep);
}

static inline void talk_name(struct talk *t, uint32_t op, const char *name)
{
    put32(&t->put, op);
    put_opaque(&t->put, name, strlen(name));
}

static inline void talk_putfh(struct talk *t, const void *handle)
{
    put32(&t->put, OP_PUTFH);
    put_opaque(&t->put, handle, HANDLE_SIZE);
}

static inline void talk_stateid(struct talk *t, const stateid4 *stateid)
{
    put32(&t->put, stateid->seqid);
    put_fixed(&t->put, stateid->other, sizeof(stateid->other));
}

/* READ or READ_PLUS. */
static inline void talk_read(struct talk *t, uint32_t op,
                             const stateid4 *stateid, uint64_t offset,
                             uint32_t count)
{
    put32(&t->put, op);
    talk_stateid(t, stateid);
    put64(&t->put, offset);
    put32(&t->put, count);
}

/* OPEN for reading, by name where there is one, else of the current file. */
static inline void talk_open(struct talk *t, uint32_t claim, const char *name)
{
    talk_words(t, OP_OPEN, 0, OPEN4_SHARE_ACCESS_READ, 0);
    put64(&t->put, t->client);
    put_opaque(&t->put, "owner", 5);
    talk_words(t, OPEN4_NOCREATE, claim);
    if (claim == CLAIM_NULL)
        put_opaque(&t->put, name, strlen(name));
    if (claim == CLAIM_PREVIOUS)
        put32(&t->put, OPEN_DELEGATE_NONE);
}

/* --- the reply ------------------------------------------------------------ */

static inline bool talk_receive(int fd, uint8_t *bytes, size_t len)
{
    ssize_t n;

    for (; len > 0; bytes += n, len -= (size_t)n) {
        n = recv(fd, bytes, len, 0);
        if (n <= 0)
            return false;
    }
    return true;
}

static inline bool talk_over_socket(struct talk *t)
{
    size_t size;

    put_store32(t->call, 0x80000000u | (uint32_t)(t->put.len - 4));
    if (send(t->fd, t->call, t->put.len, MSG_NOSIGNAL) != (ssize_t)t->put.len ||
        !talk_receive(t->fd, t->bytes, 4))
        return false;
    size = put_load32(t->bytes) & 0x7fffffffu;
    ck_assert_uint_le(size, TALK_ROOM - 4);
    t->len = size + 4;
    return talk_receive(t->fd, t->bytes + 4, size);
}

static inline bool talk_in_process(struct talk *t)
{
    uint8_t *copy = exact_copy(t->call + 4, t->put.len - 4);
    struct iovec iov[1024];
    size_t n, i;
    bool known;

    if (!call_answer(&t->server, "test", copy, t->put.len - 4, &t->made,
                     &known)) {
        free(copy);
        return false;
    }
    free(copy);
    t->len = 0;
    n = call_pieces(&t->made, iov, 1024);
    for (i = 0; i < n; i++) {
        memcpy(t->bytes + t->len, iov[i].iov_base, iov[i].iov_len);
        t->len += iov[i].iov_len;
    }
    ck_assert_uint_eq(put_load32(t->bytes), 0x80000000u | (t->len - 4));
    return true;
}

static inline void talk_forget(struct talk *t)
{
    uint32_t i;

    for (i = 0; i < t->count; i++)
        xdr_free((xdrproc_t)xdr_nfs_resop4, (char *)&t->results[i]);
    memset(t->results, 0, sizeof(t->results));
    t->count = 0;
}

/* READ_PLUS's and READDIR's results are left as bytes. */
static inline void talk_results(struct talk *t, XDR *xdr, uint32_t count)
{
    t->rest = NULL;
    for (t->count = 0; t->count < count; t->count++) {
        nfs_resop4 *res = &t->results[t->count];

        ck_assert(xdr_nfs_resop4(xdr, res));
        if ((res->resop == OP_READ_PLUS || res->resop == OP_READDIR) &&
            res->nfs_resop4_u.opstatus.status == NFS4_OK) {
            t->rest = t->bytes + 4 + xdr_getpos(xdr) - 4;
            t->count++;
            return;
        }
    }
    ck_assert_uint_eq(xdr_getpos(xdr), t->len - 4);
}

/*
 * Sends the call; the status of the COMPOUND.  UINT32_MAX: the connection
 * ended, or RPC refused (t->accept_stat).
 */
static inline uint32_t talk_ask(struct talk *t)
{
    uint32_t status, count, taglen;
    XDR xdr;

    talk_forget(t);
    t->accept_stat = UINT32_MAX;
    if (!(t->fd >= 0 ? talk_over_socket(t) : talk_in_process(t)))
        return UINT32_MAX;
    ck_assert_uint_eq(put_load32(t->bytes + 8), REPLY);
    if (put_load32(t->bytes + 12) != MSG_ACCEPTED)
        return UINT32_MAX;
    t->accept_stat = put_load32(t->bytes + 24);
    if (t->accept_stat != SUCCESS || t->len <= 28)
        return UINT32_MAX;
    xdrmem_create(&xdr, (char *)t->bytes + 4, (u_int)t->len - 4, XDR_DECODE);
    ck_assert(xdr_setpos(&xdr, 24));
    ck_assert(xdr_uint32_t(&xdr, &status) && xdr_uint32_t(&xdr, &taglen));
    ck_assert_uint_eq(taglen, 0);
    ck_assert(xdr_uint32_t(&xdr, &count));
    ck_assert_uint_le(count, NFS42_MAX_OPS);
    talk_results(t, &xdr, count);
    return status;
}

/* Of one operation of the last reply. */
static inline uint32_t talk_status(const struct talk *t, uint32_t i)
{
    ck_assert_uint_lt(i, t->count);
    return t->results[i].nfs_resop4_u.opstatus.status;
}

/* --- becoming a client ---------------------------------------------------- */

static inline uint32_t talk_exchange(struct talk *t, const char *owner,
                                     uint64_t verifier, uint32_t flags)
{
    EXCHANGE_ID4resok *res;
    uint32_t status;

    talk_begin(t, 1);
    put32(&t->put, OP_EXCHANGE_ID);
    put64(&t->put, verifier);
    put_opaque(&t->put, owner, strlen(owner));
    talk_words(t, flags, SP4_NONE, 0);
    status = talk_ask(t);
    if (status != NFS4_OK)
        return status;
    res =
        &t->results[0].nfs_resop4_u.opexchange_id.EXCHANGE_ID4res_u.eir_resok4;
    t->client = res->eir_clientid;
    t->create_sequence = res->eir_sequenceid;
    return status;
}

/* What a session is to allow; the defaults ask for much. */
struct talk_channel {
    uint32_t request, response, cached, ops, slots;
};

static inline uint32_t talk_create(struct talk *t, struct talk_channel c)
{
    uint32_t status;

    talk_begin(t, 1);
    put32(&t->put, OP_CREATE_SESSION);
    put64(&t->put, t->client);
    talk_words(t, t->create_sequence, 0);
    talk_words(t, 0, c.request ? c.request : 65536,
               c.response ? c.response : 16u << 20, c.cached ? c.cached : 8192,
               c.ops ? c.ops : 64, c.slots ? c.slots : 64, 0);
    talk_words(t, 0, 4096, 4096, 0, 2, 1, 0);
    talk_words(t, 0, 0);
    status = talk_ask(t);
    if (status != NFS4_OK)
        return status;
    t->create_sequence++;
    memcpy(t->session,
           t->results[0]
               .nfs_resop4_u.opcreate_session.CREATE_SESSION4res_u.csr_resok4
               .csr_sessionid,
           sizeof(t->session));
    memset(t->sequences, 0, sizeof(t->sequences));
    return status;
}

static inline void talk_reclaim_complete(struct talk *t)
{
    talk_begin(t, 2);
    talk_sequence(t, 0, true);
    talk_words(t, OP_RECLAIM_COMPLETE, 0);
    ck_assert_uint_eq(talk_ask(t), NFS4_OK);
}

/* A client with a session, ready to open files. */
static inline void talk_greet(struct talk *t, struct talk_channel c)
{
    ck_assert_uint_eq(talk_exchange(t, "a client", 1, 0), NFS4_OK);
    ck_assert_uint_eq(talk_create(t, c), NFS4_OK);
    talk_reclaim_complete(t);
}

/* --- a world -------------------------------------------------------------- */

static inline void talk_write(const struct talk *t, const char *name,
                              const char *bytes, off_t size)
{
    char path[160];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", t->folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
    if (size > 0)
        ck_assert_int_eq(ftruncate(fd, size), 0);
    close(fd);
}

static inline void talk_mkdir(const struct talk *t, const char *name)
{
    char path[160];

    snprintf(path, sizeof(path), "%s/%s", t->folder, name);
    ck_assert_int_eq(mkdir(path, 0755), 0);
}

/* export/a (sparse), d/e/f, link to ../secret, fifo; secret beside it. */
static inline void talk_world(struct talk *t)
{
    const char *tmp = getenv("TMPDIR");
    char path[160];

    memset(t, 0, sizeof(*t));
    t->fd = -1;
    snprintf(t->folder, sizeof(t->folder), "%.40s/nfs42.XXXXXX",
             tmp != NULL ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(t->folder));
    snprintf(t->export, sizeof(t->export), "%s/export", t->folder);
    snprintf(t->key, sizeof(t->key), "%s/key", t->folder);
    talk_mkdir(t, "export");
    talk_mkdir(t, "export/d");
    talk_mkdir(t, "export/d/e");
    talk_write(t, "secret", "secret", 0);
    talk_write(t, "export/a", "begin", 100000);
    talk_write(t, "export/d/e/f", "deep", 0);
    snprintf(path, sizeof(path), "%s/link", t->export);
    ck_assert_int_eq(symlink("../secret", path), 0);
    snprintf(path, sizeof(path), "%s/up", t->export);
    ck_assert_int_eq(symlink("..", path), 0);
    snprintf(path, sizeof(path), "%s/fifo", t->export);
    ck_assert_int_eq(mkfifo(path, 0644), 0);
    t->call = malloc(TALK_ROOM);
    t->bytes = malloc(TALK_ROOM);
    ck_assert(t->call != NULL && t->bytes != NULL);
}

static inline void talk_start(struct talk *t)
{
    struct options options = {.export_dir = t->export,
                              .key_file = t->key,
                              .max_read = 1u << 20,
                              .read_plus = true};

    readplus_limits_init(&options.limits, READPLUS_PRESET_DEFAULT);
    ck_assert(server_open(&t->server, &options));
    t->made.put.room = call_reply_room(&t->server);
    t->made.put.bytes = malloc(t->made.put.room);
    ck_assert_ptr_nonnull(t->made.put.bytes);
}

static inline void talk_stop(struct talk *t)
{
    server_close(&t->server);
    free(t->made.put.bytes);
    memset(&t->made, 0, sizeof(t->made));
}

static inline void talk_end(struct talk *t)
{
    char command[128];

    talk_forget(t);
    if (t->made.put.bytes != NULL)
        talk_stop(t);
    if (t->fd >= 0)
        close(t->fd);
    free(t->call);
    free(t->bytes);
    snprintf(command, sizeof(command), "rm -rf '%s'", t->folder);
    ck_assert_int_eq(system(command), 0);
}

/* The handle of a path from the root, "d/e/f"; false: there is none. */
static inline bool talk_lookup(struct talk *t, const char *path,
                               uint8_t handle[HANDLE_SIZE])
{
    char copy[160], *rest = copy, *name;
    uint32_t names = 1, slashes = 0;
    const char *c;

    for (c = path; *c != '\0'; c++)
        slashes += *c == '/';
    names += slashes;
    snprintf(copy, sizeof(copy), "%s", path);
    talk_begin(t, names + 3);
    talk_sequence(t, 0, false);
    put32(&t->put, OP_PUTROOTFH);
    while ((name = strsep(&rest, "/")) != NULL)
        talk_name(t, OP_LOOKUP, name);
    put32(&t->put, OP_GETFH);
    if (talk_ask(t) != NFS4_OK)
        return false;
    memcpy(handle,
           t->results[names + 2]
               .nfs_resop4_u.opgetfh.GETFH4res_u.resok4.object.nfs_fh4_val,
           HANDLE_SIZE);
    return true;
}

/* Opens a file of the root. */
static inline stateid4 talk_opened(struct talk *t, const char *name)
{
    talk_begin(t, 3);
    talk_sequence(t, 0, false);
    put32(&t->put, OP_PUTROOTFH);
    talk_open(t, CLAIM_NULL, name);
    ck_assert_uint_eq(talk_ask(t), NFS4_OK);
    return t->results[2].nfs_resop4_u.opopen.OPEN4res_u.resok4.stateid;
}

#endif /* NFS42_TALK_H */
