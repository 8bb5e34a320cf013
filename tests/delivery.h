/*
 * What the tests of delivery share: memory between two pages that nobody may
 * touch, replies made at random, and a model of delivery so plain that it can
 * be read at a glance: no cursor, no pieces, no cleverness, and no line of the
 * library's.
 */
#ifndef READPLUS_TESTS_DELIVERY_H
#define READPLUS_TESTS_DELIVERY_H

#include <readplus.h>

#include <sys/mman.h>
#include <unistd.h>

#include "check_main.h"

/* An assertion for the insides of long loops: Check notes each of its own
 * down, whether it holds or not. */
#define MUST(condition)                                                        \
    ((condition) ? (void)0                                                     \
                 : ck_abort_msg("%s:%d: %s", __FILE__, __LINE__, #condition))

/* --- memory between two pages that nobody may touch ---------------------- */

#define CANARY 0xc5

struct guard {
    uint8_t *pages; /* those that may be touched */
    size_t size;
    uint8_t *at; /* the buffer in them */
    size_t len;
};

static inline void guard_open(struct guard *g, size_t most)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = (most + page) / page * page;
    uint8_t *p = mmap(NULL, size + 2 * page, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert(p != MAP_FAILED);
    ck_assert_int_eq(mprotect(p + page, size, PROT_READ | PROT_WRITE), 0);
    *g = (struct guard){p + page, size, NULL, 0};
}

static inline void guard_close(struct guard *g)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    munmap(g->pages - page, g->size + 2 * page);
}

/* A buffer of len bytes that touches the page in front or the one behind;
 * what is left on the other side holds canaries. */
static inline uint8_t *guard_place(struct guard *g, size_t len, bool behind)
{
    MUST(len <= g->size);
    memset(g->pages, CANARY, g->size);
    g->at = behind ? g->pages + (g->size - len) : g->pages;
    g->len = len;
    return g->at;
}

static inline void guard_check(const struct guard *g)
{
    const uint8_t *p;

    for (p = g->pages; p < g->at; p++)
        MUST(*p == CANARY);
    for (p = g->at + g->len; p < g->pages + g->size; p++)
        MUST(*p == CANARY);
}

/* --- numbers at random --------------------------------------------------- */

static inline uint32_t rnd(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* 0 .. n - 1 */
static inline uint32_t below(uint64_t *seed, uint32_t n)
{
    return rnd(seed) % n;
}

/* --- replies ------------------------------------------------------------- */

#define REPLY_MOST 8192

struct reply {
    struct readplus_args args;
    size_t len;
    size_t items; /* bytes that are the item, the rest follows it */
    uint32_t count;
    struct readplus_segment segments[64];
    uint8_t bytes[REPLY_MOST];
};

/* File byte x where it is not zero: never zero, so holes show. */
static inline uint8_t file_byte(uint64_t x)
{
    return (uint8_t)(1 + x * 7 % 251);
}

/* Encodes r->segments, whose data it makes up; for a request r->args. */
static inline void reply_encode(struct reply *r, bool eof)
{
    static uint8_t file[REPLY_MOST];
    uint32_t i;
    size_t used = 0;

    for (i = 0; i < r->count; i++) {
        struct readplus_segment *s = &r->segments[i];
        uint64_t k;

        s->data = NULL;
        if (s->content == READPLUS_CONTENT_HOLE || s->length == 0)
            continue;
        MUST(s->length <= sizeof(file) - used);
        s->data = file + used;
        for (k = 0; k < s->length; k++)
            file[used++] = file_byte(s->offset + k);
    }
    MUST(readplus_res_encode(0, eof, r->segments, r->count, r->bytes,
                             sizeof(r->bytes), &r->len, NULL) == READPLUS_OK);
    r->items = r->len;
}

/* A well-formed reply, up to `most` elements, holes often past both ends. */
static inline void reply_random(struct reply *r, uint64_t *seed, uint32_t most)
{
    uint64_t at, early = below(seed, 3) == 0 ? below(seed, 40) : 0;
    uint32_t i, reach = below(seed, 4) == 0 ? 80 : 12;

    r->args = (struct readplus_args){.offset = 100 + below(seed, 50),
                                     .count = below(seed, 200)};
    r->count = below(seed, most + 1);
    at = r->args.offset - early;
    for (i = 0; i < r->count; i++) {
        uint64_t length = below(seed, 8) == 0 ? 0 : 1 + below(seed, reach);

        r->segments[i] = (struct readplus_segment){
            below(seed, 2) == 0 ? READPLUS_CONTENT_DATA : READPLUS_CONTENT_HOLE,
            at, length, NULL};
        at += length;
    }
    reply_encode(r, below(seed, 2) == 0);
}

/* --- the model ----------------------------------------------------------- */

struct model {
    enum readplus_error error;
    struct readplus_result result;
    uint8_t bytes[REPLY_MOST]; /* result.bytes of them */
};

static inline uint64_t word_at(const uint8_t *b, size_t at, unsigned size)
{
    uint64_t v = 0;

    while (size-- > 0)
        v = v << 8 | b[at++];
    return v;
}

struct model_place {
    const uint8_t *b;
    size_t len, at;
    uint64_t expected, before;
    uint32_t segment;
};

static inline bool model_fault(struct model *m, enum readplus_error error,
                               uint32_t segment, uint64_t at)
{
    m->error = error;
    m->result.fault = (struct readplus_fault){error, segment, at};
    return false;
}

/* Where an element lies badly, by the words of RFC 7862 section 15.10.3. */
static inline enum readplus_error model_lies(const struct model_place *p,
                                             const struct readplus_args *args,
                                             uint64_t offset, uint64_t length)
{
    if (offset + length < offset)
        return READPLUS_ERR_RANGE;
    if (p->segment == 0)
        return offset > args->offset ? READPLUS_ERR_LATE_START : READPLUS_OK;
    if (offset > p->expected)
        return READPLUS_ERR_GAP;
    if (offset < p->before)
        return READPLUS_ERR_ORDER;
    return offset < p->expected ? READPLUS_ERR_OVERLAP : READPLUS_OK;
}

/* The part of a good element that is asked for and has room. */
static inline void model_put(struct model *m, const struct readplus_args *args,
                             uint64_t room, uint64_t offset, uint64_t length,
                             const uint8_t *data, uint64_t *covered)
{
    uint64_t end = args->offset + args->count, x;

    for (x = offset; x < offset + length; x++) {
        if (x >= end) {
            m->result.eof = false;
            break;
        }
        if (x < args->offset) {
            m->result.eof = false;
            if (args->offset - x > 1000) /* holes of any length come here */
                x = args->offset - 1;
            continue;
        }
        ++*covered;
        if (x - args->offset >= room) {
            m->result.eof = false;
            continue;
        }
        m->bytes[m->result.bytes++] = data != NULL ? data[x - offset] : 0;
        m->result.zero_bytes += data == NULL;
    }
}

static inline bool model_element(struct model *m, struct model_place *p,
                                 const struct readplus_args *args,
                                 uint64_t room, uint32_t flags,
                                 uint64_t *covered)
{
    size_t at = p->at, left = p->len - at, pad, k;
    uint32_t n = p->segment;
    uint64_t content, offset, length;
    enum readplus_error lies;

    if (left < 4)
        return model_fault(m, READPLUS_ERR_TRUNCATED, n, at);
    content = word_at(p->b, at, 4);
    if (content > 1)
        return model_fault(m, READPLUS_ERR_BAD_CONTENT, n, at);
    if (left < 12)
        return model_fault(m, READPLUS_ERR_TRUNCATED, n, at + 4);
    offset = word_at(p->b, at + 4, 8);
    if (left < (content == 0 ? 16u : 20u))
        return model_fault(m, READPLUS_ERR_TRUNCATED, n, at + 12);
    length = word_at(p->b, at + 12, content == 0 ? 4 : 8);
    lies = model_lies(p, args, offset, length);
    if (lies != READPLUS_OK)
        return model_fault(m, lies, n, at + 4);
    p->at += content == 0 ? 16 : 20;
    if (content == 0) {
        pad = (4 - length % 4) % 4;
        if (length + pad > p->len - p->at)
            return model_fault(m, READPLUS_ERR_TRUNCATED, n, at + 12);
        p->at += (size_t)length + pad;
        for (k = p->at - pad; k < p->at; k++)
            if (p->b[k] != 0 && !(flags & READPLUS_DECODE_ANY_PAD))
                return model_fault(m, READPLUS_ERR_BAD_PAD, n, k);
    }
    model_put(m, args, room, offset, length,
              content == 0 ? p->b + at + 16 : NULL, covered);
    p->expected = offset + length;
    p->before = offset;
    p->segment++;
    return true;
}

static inline bool model_head(struct model *m, const uint8_t *b, size_t len,
                              uint32_t *status, uint32_t *count)
{
    const uint32_t none = READPLUS_NO_SEGMENT;
    uint64_t eof;

    if (len < 4)
        return model_fault(m, READPLUS_ERR_TRUNCATED, none, 0);
    *status = (uint32_t)word_at(b, 0, 4);
    if (*status != 0)
        return true;
    if (len < 8)
        return model_fault(m, READPLUS_ERR_TRUNCATED, none, 4);
    eof = word_at(b, 4, 4);
    if (eof > 1)
        return model_fault(m, READPLUS_ERR_BAD_BOOL, none, 4);
    m->result.eof = eof == 1;
    if (len < 12)
        return model_fault(m, READPLUS_ERR_TRUNCATED, none, 8);
    *count = (uint32_t)word_at(b, 8, 4);
    return true;
}

/* What delivery of b[0, len) into `room` bytes must give. */
static inline void model_deliver(struct model *m,
                                 const struct readplus_args *args,
                                 const uint8_t *b, size_t len, uint64_t room,
                                 uint32_t flags)
{
    struct model_place p = {.b = b, .len = len};
    uint32_t status = 0, count = 0;
    uint64_t covered = 0;
    bool tolerant = (flags & READPLUS_DECODE_TOLERANT) != 0;

    m->error = READPLUS_OK;
    m->result = (struct readplus_result){.bytes = 0};
    m->result.fault.segment = READPLUS_NO_SEGMENT;
    if (model_head(m, b, len, &status, &count)) {
        p.at = status == 0 ? 12 : 4;
        while (p.segment < count &&
               model_element(m, &p, args, room, flags, &covered))
            ;
        if (m->error == READPLUS_OK && p.at < len && !tolerant &&
            !(flags & READPLUS_DECODE_TRAILING))
            model_fault(m, READPLUS_ERR_TRAILING, READPLUS_NO_SEGMENT, p.at);
        else if (tolerant)
            m->error = READPLUS_OK;
    }
    if (m->result.fault.error != READPLUS_OK)
        m->result.eof = false;
    m->result.progress =
        covered > 0 || m->result.eof || status != 0 || args->count == 0;
}

/* The result is the model's, and so are the bytes. */
static inline void model_check(const struct model *m, enum readplus_error error,
                               const struct readplus_result *r,
                               const uint8_t *bytes)
{
    MUST(error == m->error);
    MUST(r->fault.error == m->result.fault.error);
    MUST(r->fault.at == m->result.fault.at);
    MUST(r->fault.segment == m->result.fault.segment);
    MUST(r->bytes == m->result.bytes);
    MUST(r->zero_bytes == m->result.zero_bytes);
    MUST(r->eof == m->result.eof);
    MUST(r->progress == m->result.progress);
    if (bytes != NULL)
        MUST(memcmp(bytes, m->bytes, (size_t)m->result.bytes) == 0);
}

#endif /* READPLUS_TESTS_DELIVERY_H */
