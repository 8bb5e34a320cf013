/*
 * Writes the seed corpora: `seeds HOSTILE.TXT FINDS.TXT JSON.TXT FOLDER
 * [VECTORS]` makes FOLDER/KIND/ID for each kind of input there is, of every
 * row of the catalogue of hostile replies, of everything the fuzzers ever
 * found, of some JSON, and of the golden vectors, where VECTORS is the folder
 * that `readplus vectors corpus` wrote.  The same sources give the same files,
 * so no corpus is kept in the repository.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "fuzz.h"

#define TOP_SRCDIR "" /* paths are arguments here */
#include "../hostile.h"

static const char *folder;

static void write_seed(const char *kind, const char *id, const void *bytes,
                       size_t len)
{
    char path[1024];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, kind);
    (void)mkdir(path, 0777);
    snprintf(path, sizeof(path), "%s/%s/%s", folder, kind, id);
    f = fopen(path, "wb");
    if (f == NULL || fwrite(bytes, 1, len, f) != len || fclose(f) != 0)
        fuzz_fail("%s: cannot be written", path);
}

/* --- bytes put together --------------------------------------------------- */

struct seed {
    uint8_t *p;
    size_t len;
};

static void seed_add(struct seed *s, const void *bytes, size_t len)
{
    s->p = realloc(s->p, s->len + len + 1);
    HOLDS(s->p != NULL);
    if (len > 0)
        memcpy(s->p + s->len, bytes, len);
    s->len += len;
}

static void seed_word(struct seed *s, uint32_t v)
{
    uint8_t word[4] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16),
                       (uint8_t)(v >> 8), (uint8_t)v};

    seed_add(s, word, 4);
}

static void seed_close(struct seed *s, const char *kind, const char *id)
{
    write_seed(kind, id, s->p, s->len);
    free(s->p);
}

/* --- kinds ---------------------------------------------------------------- */

/* For the targets that read a reply with FUZZ_PARAMS in front. */
static void seed_reply(const struct hostile *row, const char *name,
                       unsigned options)
{
    struct seed s = {NULL, 0};
    char id[160];

    seed_word(&s, (uint32_t)(row->args.offset >> 32));
    seed_word(&s, (uint32_t)row->args.offset);
    seed_word(&s, row->args.count);
    if (!row->ranged)
        options |= FUZZ_UNRANGED;
    options |= row->flags;
    seed_word(&s, options << 24 | (options & 0xf0) << 16 | 64);
    seed_add(&s, row->item, row->len);
    snprintf(id, sizeof(id), "%s-%02x", name, options);
    seed_close(&s, "reply", id);
}

/* The COMPOUND4res {SEQUENCE, PUTFH, READ_PLUS} around the item. */
static void seed_compound(struct seed *s, const struct hostile *row)
{
    static const uint8_t zeros[36];

    seed_word(s, row->len >= 4 ? (uint32_t)row->item[2] << 8 | row->item[3]
                               : 0); /* its status, as far as it goes */
    seed_word(s, 2);
    seed_add(s, "tg\0\0", 4);
    seed_word(s, 3);
    seed_word(s, 53);
    seed_word(s, 0);
    seed_add(s, zeros, 36);
    seed_word(s, 22);
    seed_word(s, 0);
    seed_word(s, 68);
    seed_add(s, row->item, row->len);
}

/* framing, "res", cuts; then the message. */
static void seed_message(const struct hostile *row, uint8_t framing)
{
    static const uint8_t accepted[24] = {1, 2, 3, 4, 0, 0, 0, 1};
    uint8_t head[4] = {framing, 0, framing, 0};
    struct seed s = {NULL, 0}, inner = {NULL, 0};
    char id[32];

    seed_add(&s, head, 4);
    if (framing != 0)
        seed_add(&inner, accepted, sizeof(accepted));
    seed_compound(&inner, row);
    if (framing == 2)
        seed_word(&s, 0x80000000u | (uint32_t)inner.len);
    seed_add(&s, inner.p, inner.len);
    free(inner.p);
    snprintf(id, sizeof(id), "%s-%u", row->id, framing);
    seed_close(&s, "message", id);
}

/* The RPC call, AUTH_NONE twice, {SEQUENCE, PUTFH, READ_PLUS}. */
static void seed_call(void)
{
    static const uint32_t words[] = {
        0x01000000, /* framing RPC, a call */
        7,          0, 2,          100003, 4, 1, 0,      0,   0,
        0,                /* up to both auths */
        0,          2, 3, /* tag, minorversion, count */
        53,         0, 0,          0,      0, 1, 0,      0,   0, /* SEQUENCE */
        22,         4, 0x61626364,                               /* PUTFH */
        68,         0, 0,          0,      0, 0, 0x2000, 4096};
    struct seed s = {NULL, 0};
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        seed_word(&s, i == 0 ? words[i] | 1u << 16 : words[i]);
    seed_close(&s, "message", "call");
}

/* A COMPOUND for fuzz_nfs42: flags, operations, then words.  Four letters in
 * them are put in the server's place, see there. */
static void seed_nfs42(const char *id, uint8_t flags, uint8_t ops,
                       const uint32_t *words, size_t n)
{
    uint8_t head[5] = {1, flags, ops, (uint8_t)(4 * n >> 8), (uint8_t)(4 * n)};
    struct seed s = {NULL, 0};
    size_t i;

    seed_add(&s, head, 5);
    for (i = 0; i < n; i++)
        seed_word(&s, words[i]);
    seed_close(&s, "nfs42", id);
}

#define RP42 0x52503432, 0x01000000, 0, 0, 0, 0, 0 /* a handle, of file 1 */
#define RP40 0x52503432, 0, 0, 0, 0, 0, 0          /* and of the root */
#define SID 0x53494421, 0, 0, 0
#define SES 0x53455321, 0, 0, 0
#define CLI 0x434c4921, 0
#define NFS42(id, flags, ops, ...)                                             \
    do {                                                                       \
        static const uint32_t words[] = {__VA_ARGS__};                         \
        seed_nfs42(id, flags, ops, words, sizeof(words) / 4);                  \
    } while (0)

/* Every operation nfs42d does, most behind a good SEQUENCE. */
static void seeds_nfs42(void)
{
    NFS42("read-plus", 1, 2, 22, 28, RP42, 68, SID, 0, 0, 4096);
    NFS42("read", 7, 2, 22, 28, RP42, 25, SID, 0, 0, 4096);
    NFS42("read-twice", 3, 3, 22, 28, RP42, 68, 0, 0, 0, 0, 0, 0, 4096, 68, SID,
          0, 4096, 65536);
    NFS42("seek", 1, 2, 22, 28, RP42, 69, SID, 0, 0, 1);
    NFS42("open", 1, 5, 24, 18, 0, 1, 0, CLI, 1, 0x62000000, 0, 0, 1,
          0x61000000, 10, 21, 0, 0, 0, 1, 0, 1, 0, 4, 0, 0, 0, 0, 1);
    NFS42("open-fh", 1, 3, 22, 28, RP42, 18, 0, 1, 0, CLI, 0, 0, 4, 55, 2, SID,
          0, 0, 0, 0);
    NFS42("close", 1, 3, 22, 28, RP42, 4, 0, SID, 45, SID);
    NFS42("getattr", 1, 4, 24, 9, 3, 0xffffffff, 0xffffffff, 0xffffffff, 3, 63,
          10);
    NFS42("lookup", 1, 6, 24, 15, 1, 0x64000000, 15, 1, 0x62000000, 10, 16, 10);
    NFS42("readdir", 1, 2, 22, 28, RP40, 26, 0, 0, 0, 0, 512, 4096, 2,
          0x0018091a, 0x00b0a23a);
    NFS42("readlink", 1, 3, 24, 15, 4, 0x6c696e6b, 27);
    NFS42("save", 1, 4, 24, 32, 15, 1, 0x61000000, 31);
    NFS42("verify", 1, 3, 24, 37, 1, 2, 4, 2, 17, 1, 2, 4, 2);
    NFS42("secinfo", 1, 4, 24, 33, 1, 0x61000000, 24, 52, 0);
    NFS42("sequence", 5, 0, 0);
    NFS42("exchange", 0, 1, 42, 1, 2, 4, 0x6f746865, 0x101, 1, 1, 0, 1, 0, 0);
    NFS42("new-client", 3, 2, 42, 9, 9, 4, 0x66757a7a, 0, 0, 0, 43, CLI, 2, 0,
          0, 32768, 4096, 4096, 32, 4, 0, 0, 4096, 4096, 0, 2, 1, 0, 0, 1, 0);
    NFS42("session", 0, 1, 43, CLI, 2, 0, 0, 32768, 4096, 4096, 32, 4, 0, 0,
          4096, 4096, 0, 2, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0);
    NFS42("bind", 0, 1, 41, SES, 3, 0);
    NFS42("destroy", 1, 1, 44, SES);
    NFS42("destroy-client", 0, 1, 57, CLI);
    NFS42("write", 1, 2, 24, 38, SID, 0, 0, 0, 0);
    NFS42("outside", 1, 2, 22, 28, 0x52503432, 0x04000000, 0, 0, 0, 0, 0, 25, 0,
          0, 0, 0, 0, 0, 100);
}

static void seed_hex(const struct hostile *row)
{
    char *text = malloc(2 * row->len + 16);
    size_t i, len = 0;

    HOLDS(text != NULL);
    if (row->len < 8192) {
        len = (size_t)sprintf(text, "0x");
        for (i = 0; i < row->len; i++)
            len += (size_t)sprintf(text + len, "%02x", row->item[i]);
        write_seed("hex", row->id, text, len);
    }
    free(text);
}

/* A line of text a seed. */
static void seed_lines(const char *path, const char *kind)
{
    static char line[65536];
    FILE *f = fopen(path, "r");
    char id[16];
    size_t n = 0;

    if (f == NULL)
        fuzz_fail("%s: cannot be read", path);
    while (fgets(line, sizeof(line), f) != NULL) {
        snprintf(id, sizeof(id), "J%02zu", n++);
        write_seed(kind, id, line, strcspn(line, "\n"));
    }
    fclose(f);
}

/* For the targets that read numbers: any bytes are an input. */
static void seed_script(void)
{
    uint64_t state = 1;
    uint8_t bytes[256];
    char id[16];
    size_t i, k;

    for (k = 0; k < 48; k++) {
        for (i = 0; i < sizeof(bytes); i++) {
            bytes[i] = (uint8_t)fuzz_random(&state);
            if (fuzz_random(&state) % 2 == 0)
                bytes[i] &= 0x1f; /* small numbers and early choices */
        }
        snprintf(id, sizeof(id), "R%02zu", k);
        write_seed("script", id, bytes, 16 + 5 * k);
    }
}

/* KIND ID HEX a line: what was found once. */
static void seed_finds(const char *path)
{
    FILE *f = fopen(path, "r");
    static char line[65536], kind[32], id[32], hex[65536];

    if (f == NULL)
        fuzz_fail("%s: cannot be read", path);
    while (fgets(line, sizeof(line), f) != NULL) {
        uint8_t *block = NULL;
        size_t len = 0;

        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (sscanf(line, "%31s %31s %65535s", kind, id, hex) != 3)
            fuzz_fail("%s: %s", path, line);
        hostile_hex(&block, &len, hex);
        write_seed(kind, id, block, len);
        free(block);
    }
    fclose(f);
}

/* One golden vector; `sub` is the folder that `readplus vectors corpus` put
 * it in. */
static void seed_vector(const char *sub, const char *name, const uint8_t *bytes,
                        size_t len)
{
    static const char *const framings[] = {"compound", "rpc", "record"};
    struct hostile row = {.len = len, .ranged = true, .args = {.count = 4096}};
    uint8_t head[4] = {0, 0, 0, 64};
    struct seed s;
    char id[128];

    snprintf(id, sizeof(id), "%.120s", name);
    row.item = (uint8_t *)(uintptr_t)bytes;
    if (strcmp(sub, "res") == 0) {
        write_seed("item", id, bytes, len);
        seed_reply(&row, id, 0);
    }
    for (head[0] = 0; head[0] < 3; head[0]++) {
        if (strcmp(sub, framings[head[0]]) != 0)
            continue;
        for (head[1] = 0; head[1] < 2; head[1]++) {
            s = (struct seed){NULL, 0};
            seed_add(&s, head, 4);
            seed_add(&s, bytes, len);
            snprintf(id, sizeof(id), "%.118s-%u", name, head[1]);
            seed_close(&s, "message", id);
        }
    }
}

static void seed_vectors(const char *corpus, const char *sub)
{
    static uint8_t bytes[65536];
    char path[1024];
    struct dirent *entry;
    DIR *dir;
    FILE *f;
    size_t len;

    snprintf(path, sizeof(path), "%s/%s", corpus, sub);
    dir = opendir(path);
    if (dir == NULL)
        fuzz_fail("%s: cannot be read", path);
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s/%s", corpus, sub, entry->d_name);
        f = fopen(path, "rb");
        if (f == NULL)
            fuzz_fail("%s: cannot be read", path);
        len = fread(bytes, 1, sizeof(bytes), f);
        fclose(f);
        seed_vector(sub, entry->d_name, bytes, len);
    }
    closedir(dir);
}

int main(int argc, char **argv)
{
    struct hostile row = {.len = 0};
    uint8_t framing;
    FILE *f;

    if (argc != 5 && argc != 6) {
        puts("usage: seeds HOSTILE.TXT FINDS.TXT JSON.TXT FOLDER [VECTORS]");
        return argc == 1 ? 0 : 2;
    }
    folder = argv[4];
    (void)mkdir(folder, 0777);
    f = fopen(argv[1], "r");
    if (f == NULL)
        fuzz_fail("%s: cannot be read", argv[1]);
    while (hostile_next(f, &row)) {
        if (row.elsewhere || row.len > 4096)
            continue;
        seed_reply(&row, row.id, 0);
        seed_reply(&row, row.id, FUZZ_SIZED | FUZZ_AHEAD);
        write_seed("item", row.id, row.item, row.len);
        seed_hex(&row);
        for (framing = 0; framing < 3; framing++)
            seed_message(&row, framing);
    }
    fclose(f);
    seed_call();
    seeds_nfs42();
    seed_lines(argv[3], "json");
    seed_script();
    seed_finds(argv[2]);
    if (argc == 6) {
        seed_vectors(argv[5], "res");
        seed_vectors(argv[5], "compound");
        seed_vectors(argv[5], "rpc");
        seed_vectors(argv[5], "record");
    }
    return 0;
}
