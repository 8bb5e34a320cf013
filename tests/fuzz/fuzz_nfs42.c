/*
 * nfs42d's requests: RPC header, COMPOUND and every operation, into the server
 * itself (examples/nfs42, its sockets apart).  Each input meets a new server
 * with one session and one open file.  Whatever comes: a reply is whole XDR
 * within what the session allows, its pieces are its size, and nothing of the
 * files outside the export is ever in one.
 *
 * Input: 1 byte, how.  Even: an RPC call.  Odd: COMPOUNDs, each flags 1 (bit 0:
 * behind a good SEQUENCE, bit 1: to be kept, bit 2: asked twice), number of
 * operations 1, length 2, operations.  In these four letters stand for what an
 * input cannot know: "RP42", a handle of 28 bytes; "SID!", a stateid of 16;
 * "SES!", a session's id of 16; "CLI!", a client's of 8.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

#include "call.h"
#include "handle.h"
#include "log.h"
#include "tree.h"

#define SECRET "what lies outside"
#define MOST 65536
#define FILES 5

static char outside[64], export[80];
static struct file_id files[FILES]; /* the last is not in the export */

static void make_file(const char *folder, const char *name, const char *bytes,
                      off_t size)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    f = fopen(path, "w");
    HOLDS(f != NULL);
    HOLDS(fputs(bytes, f) >= 0);
    HOLDS(fclose(f) == 0);
    HOLDS(size == 0 || truncate(path, size) == 0);
}

static struct file_id id_of_path(const char *path)
{
    struct file_id id;
    struct statx st;

    HOLDS(statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW,
                STATX_BASIC_STATS | STATX_BTIME, &st) == 0);
    id.ino = st.stx_ino;
    id.birth =
        st.stx_mask & STATX_BTIME
            ? (uint64_t)st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec
            : 0;
    return id;
}

static void remove_world(void)
{
    static const char *const names[] = {"export/d/b",  "export/d", "export/a",
                                        "export/link", "export",   "secret",
                                        "key"};
    char path[128];
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", outside, names[i]);
        remove(path);
    }
    rmdir(outside);
}

static void make_world(void)
{
    static const char *const seen[FILES] = {"export", "export/a", "export/d",
                                            "export/link", "secret"};
    char path[128];
    size_t i;

    snprintf(outside, sizeof(outside), "/tmp/fuzz-nfs42.XXXXXX");
    HOLDS(mkdtemp(outside) != NULL);
    atexit(remove_world);
    snprintf(export, sizeof(export), "%s/export", outside);
    HOLDS(mkdir(export, 0700) == 0);
    make_file(outside, "secret", SECRET, 0);
    make_file(outside, "key", "0123456789abcdef", 0);
    make_file(export, "a", "begin", 20000);
    snprintf(path, sizeof(path), "%s/d", export);
    HOLDS(mkdir(path, 0700) == 0);
    make_file(path, "b", "inner", 0);
    snprintf(path, sizeof(path), "%s/link", export);
    HOLDS(symlink("../secret", path) == 0);
    for (i = 0; i < FILES; i++) {
        snprintf(path, sizeof(path), "%s/%s", outside, seen[i]);
        files[i] = id_of_path(path);
    }
}

/* --- a conversation ------------------------------------------------------- */

struct talk {
    struct server server;
    struct reply reply;
    uint8_t call[MOST];
    struct put put; /* the call */
    uint8_t session[NFS4_SESSIONID_SIZE];
    uint8_t stateid[16];
    uint64_t client;
    uint32_t sequence;
};

/* Where a reply's COMPOUND begins: mark, and an accepted reply's header. */
#define BODY 28

static void judge(struct talk *t)
{
    struct iovec iov[1024];
    size_t n = call_pieces(&t->reply, iov, 1024), i, sum = 0;
    uint64_t size = reply_size(&t->reply);

    for (i = 0; i < n; i++) {
        sum += iov[i].iov_len;
        if (iov[i].iov_len >= sizeof(SECRET) - 1)
            HOLDS(memmem(iov[i].iov_base, iov[i].iov_len, SECRET,
                         sizeof(SECRET) - 1) == NULL);
    }
    HOLDS(sum == size + 4 && size % 4 == 0);
    HOLDS(size <= server_max_response(&t->server));
    reply_fold(&t->reply);
    HOLDS(t->reply.put.len == sum);
    HOLDS((put_load32(t->reply.put.bytes) & 0x7fffffffu) == size);
}

/* Sends what is in t->put; true where there is a reply. */
static bool ask(struct talk *t)
{
    uint8_t *copy = exact_copy(t->call, t->put.len);
    bool known, answered;

    answered =
        call_answer(&t->server, "fuzz", copy, t->put.len, &t->reply, &known);
    if (answered)
        judge(t);
    free(copy);
    return answered;
}

static void begin_call(struct talk *t, uint32_t ops)
{
    static const uint32_t header[] = {1, 0, 2, 100003, 4, 1, 0, 0, 0, 0, 0, 2};
    size_t i;

    t->put = (struct put){t->call, 0, sizeof(t->call), false};
    for (i = 0; i < sizeof(header) / sizeof(header[0]); i++)
        put32(&t->put, header[i]);
    put32(&t->put, ops);
}

static void add_sequence(struct talk *t, bool keep)
{
    put32(&t->put, OP_SEQUENCE);
    put_fixed(&t->put, t->session, sizeof(t->session));
    put32(&t->put, ++t->sequence);
    put32(&t->put, 0);
    put32(&t->put, 0);
    put32(&t->put, keep);
}

static void add_words(struct talk *t, const uint32_t *words, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        put32(&t->put, words[i]);
}

static const uint8_t *result(const struct talk *t, size_t at)
{
    HOLDS(put_load32(t->reply.put.bytes + BODY) == NFS4_OK);
    HOLDS(t->reply.put.len > at);
    return t->reply.put.bytes + at;
}

static void greet(struct talk *t)
{
    static const uint32_t exchange[] = {OP_EXCHANGE_ID, 1, 2,        4,
                                        0x66757a7a,     0, SP4_NONE, 0};
    static const uint32_t channels[] = {
        0, 0, 32768, 20000, 4096, 32, 4, 0, 0, 4096, 4096, 0, 2, 1, 0, 0, 0};
    const uint8_t *at;

    begin_call(t, 1);
    add_words(t, exchange, 8);
    HOLDS(ask(t));
    at = result(t, BODY + 20);
    t->client = (uint64_t)put_load32(at) << 32 | put_load32(at + 4);
    begin_call(t, 1);
    put32(&t->put, OP_CREATE_SESSION);
    put64(&t->put, t->client);
    put32(&t->put, put_load32(at + 8));
    add_words(t, channels, 17);
    HOLDS(ask(t));
    memcpy(t->session, result(t, BODY + 20), sizeof(t->session));
    begin_call(t, 2);
    add_sequence(t, false);
    put32(&t->put, OP_RECLAIM_COMPLETE);
    put32(&t->put, 0);
    HOLDS(ask(t));
}

static void open_file(struct talk *t)
{
    static const uint32_t words[] = {OP_PUTROOTFH, OP_OPEN, 0, 1, 0};
    static const uint32_t rest[] = {1, 0x61000000, 0, 0, 1, 0x61000000};

    begin_call(t, 3);
    add_sequence(t, false);
    add_words(t, words, 5);
    put64(&t->put, t->client);
    add_words(t, rest, 6);
    HOLDS(ask(t));
    memcpy(t->stateid, result(t, BODY + 12 + 44 + 8 + 8), 16);
}

/* --- what the fuzzer says ------------------------------------------------- */

/* Puts what only the server can know where the input asks for it. */
static void fill_in(struct talk *t, uint8_t *bytes, size_t len)
{
    uint8_t handle[HANDLE_SIZE], client[8];
    struct put put = {client, 0, sizeof(client), false};
    size_t i;

    put64(&put, t->client);
    for (i = 0; i + 4 <= len; i++) {
        if (memcmp(bytes + i, "RP42", 4) == 0 && len - i >= HANDLE_SIZE) {
            handle_make(&t->server, &files[bytes[i + 4] % FILES], handle);
            memcpy(bytes + i, handle, HANDLE_SIZE);
            i += HANDLE_SIZE - 1;
        } else if (memcmp(bytes + i, "SID!", 4) == 0 && len - i >= 16) {
            memcpy(bytes + i, t->stateid, 16);
        } else if (memcmp(bytes + i, "SES!", 4) == 0 && len - i >= 16) {
            memcpy(bytes + i, t->session, 16);
        } else if (memcmp(bytes + i, "CLI!", 4) == 0 && len - i >= 8) {
            memcpy(bytes + i, client, 8);
        }
    }
}

static void compounds(struct talk *t, const uint8_t *data, size_t size)
{
    size_t len, at;

    while (size >= 4) {
        uint8_t flags = data[0];

        len = (size_t)data[2] << 8 | data[3];
        if (len > size - 4)
            len = size - 4;
        begin_call(t, data[1] + (flags & 1u));
        if (flags & 1)
            add_sequence(t, flags & 2);
        at = t->put.len;
        if (len > sizeof(t->call) - at)
            return;
        memcpy(t->call + at, data + 4, len);
        fill_in(t, t->call + at, len);
        t->put.len += len;
        ask(t);
        if (flags & 4)
            ask(t);
        data += 4 + len;
        size -= 4 + len;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct talk t;
    static char key[80];
    struct options options = {.export_dir = export,
                              .key_file = key,
                              .max_read = 16384,
                              .read_plus = true};

    if (outside[0] == '\0')
        make_world();
    /* A fuzzer learns the secret from memmem(), and says it itself. */
    if (size < 1 || size > 8192 ||
        memmem(data, size, SECRET, sizeof(SECRET) - 1) != NULL)
        return 0;
    snprintf(key, sizeof(key), "%s/key", outside);
    options.json_log = getenv("FUZZ_NFS42_LOG"); /* for who wonders */
    readplus_limits_init(&options.limits, READPLUS_PRESET_DEFAULT);
    memset(&t, 0, sizeof(t));
    HOLDS(server_open(&t.server, &options));
    t.reply.put.room = call_reply_room(&t.server);
    t.reply.put.bytes = malloc(t.reply.put.room);
    HOLDS(t.reply.put.bytes != NULL);
    greet(&t);
    open_file(&t);
    if (data[0] % 2 != 0) {
        compounds(&t, data + 1, size - 1);
    } else {
        memcpy(t.call, data + 1, size - 1);
        t.put.len = size - 1;
        ask(&t);
    }
    server_close(&t.server);
    free(t.reply.put.bytes);
    return 0;
}
