/*
 * The writers that are given whole lists, fed with lists of every kind: what
 * they accept has the size that was foretold, the same bytes by both of them,
 * spends a budget of exactly that size to the last byte, and decodes to the
 * same segments; what they refuse writes nothing.  Arguments and SEEK too.
 */
#include "invariants.h"

#include "../transcript.h"

#define SEGMENTS 12
#define MOST 4096
#define CANARY 0xc5

struct list {
    struct readplus_segment s[SEGMENTS];
    size_t n;
    uint32_t status;
    bool eof;
};

static uint8_t file[MOST];

static void segment_read(struct script *in, uint64_t *next,
                         struct readplus_segment *s)
{
    uint8_t how = script_8(in);

    s->content = how & 1 ? READPLUS_CONTENT_HOLE : READPLUS_CONTENT_DATA;
    s->offset = how & 0x70 ? *next : script_size(in);
    s->length = script_size(in);
    s->data = NULL;
    if (s->content == READPLUS_CONTENT_DATA) {
        s->length = how & 0x80 && how & 2 ? s->length : s->length % 300;
        s->data = how & 0x80 && how & 4 ? NULL : file + (how & 0x0f);
        if (s->length > MOST - 16 && s->length <= UINT32_MAX)
            s->length = MOST - 16;
    }
    if ((how & 0xf8) == 0xf8)
        s->content = (enum readplus_content)(script_8(in) % 4);
    *next = s->offset + s->length;
}

static void list_read(struct script *in, struct list *l)
{
    uint8_t how = script_8(in);
    uint64_t next = script_size(in);

    l->n = how % (SEGMENTS + 1);
    l->eof = how & 0x80;
    l->status = how & 0x40 && how & 0x20 ? script_32(in) : 0;
    for (next = script_size(in), how = 0; how < l->n; how++)
        segment_read(in, &next, &l->s[how]);
}

static bool all_canaries(const uint8_t *p, size_t len)
{
    while (len > 0)
        if (p[--len] != CANARY)
            return false;
    return true;
}

static enum readplus_error encode(const struct list *l, uint8_t *to,
                                  size_t room, size_t *size,
                                  struct readplus_fault *fault)
{
    memset(to, CANARY, room);
    return readplus_res_encode(l->status, l->eof, l->s, l->n, to, room, size,
                               fault);
}

/* With headers in scratch and data by reference: the same bytes. */
static void encode_iov(const struct list *l, enum readplus_error want,
                       const uint8_t *bytes, size_t size)
{
    size_t scratch_len = READPLUS_IOV_SCRATCH(l->n), entries = 0, i, at = 0;
    uint8_t *scratch = malloc(scratch_len);
    struct iovec *iov = calloc(READPLUS_IOV_ENTRIES(l->n), sizeof(*iov));
    enum readplus_error error;
    uint64_t total = 0;

    HOLDS(scratch != NULL && iov != NULL);
    error = readplus_encode_iov(l->eof, l->s, l->n, scratch, scratch_len, iov,
                                READPLUS_IOV_ENTRIES(l->n), &entries, &total);
    HOLDS(error == want || want == READPLUS_ERR_NOSPACE);
    for (i = 0; want == READPLUS_OK && i < entries; i++) {
        HOLDS(iov[i].iov_len <= size - at);
        HOLDS(memcmp(iov[i].iov_base, bytes + at, iov[i].iov_len) == 0);
        at += iov[i].iov_len;
    }
    HOLDS(at == size || want != READPLUS_OK);
    HOLDS(total == size || want != READPLUS_OK);
    if (l->n > 0 && scratch_len > 0)
        HOLDS(readplus_encode_iov(l->eof, l->s, l->n, scratch, scratch_len - 1,
                                  iov, READPLUS_IOV_ENTRIES(l->n), &entries,
                                  &total) == READPLUS_ERR_NOSPACE);
    free(scratch);
    free(iov);
}

/* A budget of exactly these bytes takes exactly these segments. */
static void spend(const struct list *l, size_t size)
{
    struct readplus_args args = {.offset = 0, .count = UINT32_MAX};
    struct readplus_budget b;
    struct readplus_limits limits;
    uint32_t granted;
    size_t i;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    limits.maxcount = (uint32_t)size - READPLUS_STATUS_SIZE;
    HOLDS(readplus_budget_init(&b, &args, &limits) == READPLUS_OK);
    for (i = 0; i < l->n; i++) {
        const struct readplus_segment *s = &l->s[i];

        if (s->length == 0 || s->length > b.file_bytes)
            return;
        if (s->content == READPLUS_CONTENT_HOLE) {
            HOLDS(readplus_budget_hole(&b, s->length) == READPLUS_OK);
            continue;
        }
        HOLDS(readplus_budget_data(&b, s->length, &granted) == READPLUS_OK);
        HOLDS(granted == s->length);
    }
    HOLDS(b.xdr_bytes == 0);
    HOLDS(readplus_budget_hole(&b, 0) == READPLUS_ERR_NOSPACE);
}

static void decode(const struct list *l, const uint8_t *bytes, size_t size)
{
    struct transcript t, plain;
    struct iovec iov = piece_of(bytes, size);
    size_t i;

    transcript_plain(&plain, bytes, size, NULL, 0);
    transcript_of(&t, &iov, 1, NULL, 0, 0);
    transcripts_same(&t, &plain);
    HOLDS(t.end == READPLUS_END && t.consumed == size);
    HOLDS(t.status == l->status && t.count == l->n);
    HOLDS(t.eof == (l->eof && l->status == 0));
    for (i = 0; i < l->n; i++) {
        const struct readplus_segment *a = &t.seen[i].segment, *b = &l->s[i];

        HOLDS(a->content == b->content);
        HOLDS(a->offset == b->offset && a->length == b->length);
        HOLDS(a->data == NULL ||
              memcmp(a->data, b->data, (size_t)a->length) == 0);
    }
    transcript_free(&t);
    transcript_free(&plain);
}

static void lists(const struct list *l)
{
    struct readplus_fault fault = {READPLUS_OK, 0, 0};
    enum readplus_error error;
    uint8_t *exact = malloc(MOST);
    uint64_t foretold = 0;
    size_t size = 0;

    error = encode(l, exact, MOST, &size, &fault);
    if (error != READPLUS_OK) {
        invariant_fault(&fault);
        HOLDS(fault.error == error);
        HOLDS(all_canaries(exact, MOST));
        if (l->status == 0)
            encode_iov(l, error, NULL, 0);
        free(exact);
        return;
    }
    free(exact);
    exact = malloc(size);
    HOLDS(encode(l, exact, size - 1, &size, NULL) == READPLUS_ERR_NOSPACE);
    HOLDS(all_canaries(exact, size - 1));
    HOLDS(encode(l, exact, size, &size, NULL) == READPLUS_OK);
    decode(l, exact, size);
    if (l->status == 0) {
        HOLDS(readplus_res_size(l->s, l->n, &foretold) == READPLUS_OK);
        HOLDS(foretold == size);
        encode_iov(l, error, exact, size);
        spend(l, size);
    }
    free(exact);
}

/* The items of fixed size, there and back. */
static void fixed(struct script *in)
{
    struct readplus_args args = {.offset = script_size(in)}, args_back;
    struct readplus_seek_args seek, seek_back;
    struct readplus_seek_res res, res_back;
    uint8_t bytes[READPLUS_ARGS_SIZE];
    size_t size = 0, used = 0;

    args.count = script_32(in);
    args.stateid.seqid = script_32(in);
    HOLDS(readplus_args_encode(&args, bytes, sizeof(bytes)) == READPLUS_OK);
    HOLDS(readplus_args_decode(bytes, sizeof(bytes), 0, &args_back, NULL) ==
          READPLUS_OK);
    HOLDS(args_back.offset == args.offset && args_back.count == args.count);
    HOLDS(args_back.stateid.seqid == args.stateid.seqid);
    memset(&seek, 0, sizeof(seek));
    seek.offset = script_size(in);
    seek.what = script_8(in) % 3;
    if (readplus_seek_args_encode(&seek, bytes, sizeof(bytes)) == READPLUS_OK) {
        HOLDS(readplus_seek_args_decode(bytes, sizeof(bytes), false, &seek_back,
                                        NULL) == READPLUS_OK);
        HOLDS(seek_back.offset == seek.offset && seek_back.what == seek.what);
    } else {
        HOLDS(seek.what == 2);
    }
    res = (struct readplus_seek_res){script_8(in), script_8(in) & 1,
                                     script_size(in)};
    HOLDS(readplus_seek_res_encode(&res, bytes, sizeof(bytes), &size) ==
          READPLUS_OK);
    HOLDS(readplus_seek_res_decode(bytes, size, false, &res_back, &used,
                                   NULL) == READPLUS_OK);
    HOLDS(used == size && res_back.status == res.status);
    if (res.status == 0)
        HOLDS(res_back.eof == res.eof && res_back.offset == res.offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct script in = {data, size};
    struct list l;
    size_t i;

    for (i = 0; i < sizeof(file); i++)
        file[i] = (uint8_t)(1 + i % 251);
    memset(&l, 0, sizeof(l));
    list_read(&in, &l);
    lists(&l);
    fixed(&in);
    return 0;
}
