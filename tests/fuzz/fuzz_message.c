/*
 * The locator of READ_PLUS inside COMPOUND, RPC and records: the same answer
 * in one block and in pieces, all it hands out inside the input, one record at
 * a time, and every cut record refused with the word that more will help.
 *
 * Input: framing 1 · 0 res, 1 args 1 · cuts 1 · capacity 1 · the message.
 */
#include "invariants.h"

#define HEAD 4
#define MOST 2048
#define ENTRIES 600

struct asked {
    enum readplus_framing framing;
    bool args;
    uint8_t cuts, capacity;
};

static enum readplus_error find(const struct asked *a, const struct iovec *iov,
                                size_t pieces, struct iovec *out,
                                size_t capacity, struct readplus_message *m)
{
    memset(m, 0xee, sizeof(*m));
    return a->args ? readplus_message_find_args(a->framing, iov, pieces, out,
                                                capacity, m)
                   : readplus_message_find_res(a->framing, iov, pieces, out,
                                               capacity, m);
}

/* The item's bytes, to `to`; returns how many. */
static size_t gather(const struct iovec *out, size_t n, uint8_t *to)
{
    size_t i, len = 0;

    for (i = 0; i < n; i++) {
        HOLDS(out[i].iov_len > 0 && out[i].iov_len <= MOST - len);
        memcpy(to + len, out[i].iov_base, out[i].iov_len);
        len += out[i].iov_len;
    }
    return len;
}

static void same(const struct readplus_message *a,
                 const struct readplus_message *b)
{
    HOLDS(a->outcome == b->outcome && a->xid == b->xid);
    HOLDS(a->code == b->code && a->auth == b->auth);
    HOLDS(a->low == b->low && a->high == b->high);
    HOLDS(a->program == b->program && a->version == b->version);
    HOLDS(a->procedure == b->procedure);
    HOLDS(a->minorversion == b->minorversion && a->status == b->status);
    HOLDS(a->opcode == b->opcode && a->op_status == b->op_status);
    HOLDS(a->behind == b->behind && a->at == b->at && a->size == b->size);
    HOLDS(a->consumed == b->consumed && a->more == b->more);
    HOLDS(a->fault.error == b->fault.error && a->fault.at == b->fault.at);
}

/* Law 10: in pieces, and in too few iovecs. */
static void in_pieces(const struct asked *a, const uint8_t *bytes, size_t len,
                      enum readplus_error error,
                      const struct readplus_message *want, const uint8_t *item,
                      size_t item_len)
{
    struct iovec out[ENTRIES];
    static uint8_t copy[MOST];
    struct readplus_message m;
    struct fuzz_cut c;

    fuzz_cut_open(&c, bytes, len, a->cuts);
    HOLDS(find(a, c.iov, c.n, out, ENTRIES, &m) == error);
    invariant_message(&m, error, len);
    same(&m, want);
    if (error == READPLUS_OK && m.outcome == READPLUS_OUTCOME_ITEM) {
        HOLDS(gather(out, m.entries, copy) == item_len);
        HOLDS(item_len == 0 || memcmp(copy, item, item_len) == 0);
        if (m.entries > a->capacity)
            HOLDS(find(a, c.iov, c.n, out, a->capacity, &m) ==
                  READPLUS_ERR_LIMIT);
    }
    fuzz_cut_close(&c);
}

/* A record is the same whatever follows it, and needs all of itself. */
static void one_record(const struct asked *a, const uint8_t *bytes,
                       const struct readplus_message *want)
{
    struct iovec out[ENTRIES];
    size_t len = (size_t)want->consumed;
    size_t cut = ((size_t)a->cuts * 37 + a->capacity) % len;
    uint8_t *copy = exact_copy(bytes, len);
    struct iovec whole = {copy, len}, part = {copy, cut};
    struct readplus_message m;

    HOLDS(find(a, &whole, 1, out, ENTRIES, &m) == READPLUS_OK);
    same(&m, want);
    HOLDS(find(a, &part, 1, out, ENTRIES, &m) == READPLUS_ERR_TRUNCATED);
    HOLDS(m.more);
    invariant_message(&m, READPLUS_ERR_TRUNCATED, cut);
    free(copy);
}

/* What was found goes on to the decoder. */
static void decode(const struct asked *a, const struct iovec *out,
                   const struct readplus_message *m, const uint8_t *item,
                   size_t len)
{
    struct readplus_decoder decoder;
    struct readplus_segment s;
    struct readplus_args args;
    uint32_t flags = m->behind > 0 ? READPLUS_DECODE_TRAILING : 0;

    if (a->args) {
        (void)!readplus_args_decode(item, len, READPLUS_DECODE_TRAILING, &args,
                                    NULL);
        return;
    }
    if (readplus_decoder_init(&decoder, NULL, out, m->entries, flags) !=
        READPLUS_OK)
        return;
    while (readplus_decoder_next(&decoder, &s) == READPLUS_OK)
        invariant_decoder(&decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct iovec out[ENTRIES];
    static uint8_t item[MOST];
    struct readplus_message m;
    enum readplus_error error;
    struct asked a;
    struct iovec iov;
    size_t len = 0, i;

    if (size < HEAD || size > MOST)
        return 0;
    a = (struct asked){(enum readplus_framing)(data[0] % 3), data[1] & 1,
                       data[2], data[3]};
    iov = (struct iovec){(void *)(uintptr_t)(data + HEAD), size - HEAD};
    error = find(&a, &iov, 1, out, ENTRIES, &m);
    invariant_message(&m, error, iov.iov_len);
    HOLDS(error != READPLUS_ERR_LIMIT && error != READPLUS_ERR_INVAL);
    if (error == READPLUS_OK && m.outcome == READPLUS_OUTCOME_ITEM) {
        len = gather(out, m.entries, item);
        HOLDS(len == m.size);
        for (i = 0; i < m.entries; i++) {
            const uint8_t *p = out[i].iov_base;

            HOLDS(p >= data + HEAD && p < data + size);
            HOLDS(out[i].iov_len <= (size_t)(data + size - p));
        }
        decode(&a, out, &m, item, len);
    }
    in_pieces(&a, data + HEAD, size - HEAD, error, &m, item, len);
    if (error == READPLUS_OK && a.framing == READPLUS_FRAMING_RECORD)
        one_record(&a, data + HEAD, &m);
    return 0;
}
