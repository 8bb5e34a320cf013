/*
 * What the tests of message share: messages made word by word, and one way to
 * look for the item in them that checks what holds for every input.
 */
#ifndef READPLUS_TESTS_MADE_MESSAGE_H
#define READPLUS_TESTS_MADE_MESSAGE_H

#include <readplus/message.h>

#include "guard.h"

/* --- a message, made word by word ---------------------------------------- */

struct made {
    uint8_t bytes[8192];
    size_t len;
    size_t item; /* where the item begins */
    size_t op[3], count;
};

static inline void word(struct made *m, uint32_t v)
{
    m->bytes[m->len++] = (uint8_t)(v >> 24);
    m->bytes[m->len++] = (uint8_t)(v >> 16);
    m->bytes[m->len++] = (uint8_t)(v >> 8);
    m->bytes[m->len++] = (uint8_t)v;
}

static inline void fill(struct made *m, size_t n, uint8_t byte)
{
    memset(m->bytes + m->len, byte, n);
    m->len += n;
}

static inline void opaque(struct made *m, uint32_t n)
{
    word(m, n);
    fill(m, n, 0xa5);
    fill(m, -n & 3u, 0);
}

static inline void rpc_reply(struct made *m, uint32_t verflen)
{
    word(m, 0x12345678); /* xid */
    word(m, 1);          /* REPLY */
    word(m, 0);          /* MSG_ACCEPTED */
    word(m, 6);          /* RPCSEC_GSS, say */
    opaque(m, verflen);
    word(m, 0); /* SUCCESS */
}

static inline void compound_res(struct made *m, uint32_t status,
                                uint32_t taglen, uint32_t count)
{
    word(m, status);
    opaque(m, taglen);
    m->count = m->len;
    word(m, count);
}

static inline void sequence_res(struct made *m, uint32_t status)
{
    m->op[0] = m->len;
    word(m, 53);
    word(m, status);
    if (status == 0)
        fill(m, 36, 0x5e);
}

static inline void putfh_res(struct made *m, uint32_t status)
{
    m->op[1] = m->len;
    word(m, 22);
    word(m, status);
}

/* One hole, and five bytes of data: spec.md's full_reply without its frame. */
static inline void item(struct made *m)
{
    static const uint8_t bytes[] = {
        0, 0, 0, 0, 0,   0,   0,   1,   0,   0, 0,  2, /* head */
        0, 0, 0, 1, 0,   0,   0,   0,   0,   0, 0,  0,
        0, 0, 0, 0, 0,   0,   16,  0, /* hole */
        0, 0, 0, 0, 0,   0,   0,   0,   0,   0, 16, 0,
        0, 0, 0, 5, 'h', 'e', 'l', 'l', 'o', 0, 0,  0};

    m->op[2] = m->len;
    word(m, 68);
    m->item = m->len;
    memcpy(m->bytes + m->len, bytes, sizeof(bytes));
    m->len += sizeof(bytes);
}

#define ITEM_SIZE 56

static inline void good_reply(struct made *m, enum readplus_framing framing,
                              uint32_t verflen, uint32_t taglen)
{
    *m = (struct made){.len = 0};
    if (framing != READPLUS_FRAMING_COMPOUND)
        rpc_reply(m, verflen);
    compound_res(m, 0, taglen, 3);
    sequence_res(m, 0);
    putfh_res(m, 0);
    item(m);
}

static inline void good_call(struct made *m, enum readplus_framing framing,
                             uint32_t authlen, uint32_t taglen, uint32_t fhlen)
{
    *m = (struct made){.len = 0};
    if (framing != READPLUS_FRAMING_COMPOUND) {
        word(m, 0x87654321); /* xid */
        word(m, 0);          /* CALL */
        word(m, 2);
        word(m, 100003);
        word(m, 4);
        word(m, 1);
        word(m, 1); /* AUTH_SYS */
        opaque(m, authlen);
        word(m, 0);
        opaque(m, authlen);
    }
    opaque(m, taglen);
    word(m, 2); /* minorversion */
    m->count = m->len;
    word(m, 3);
    word(m, 53);
    fill(m, 32, 0x11);
    word(m, 22);
    opaque(m, fhlen);
    word(m, 68);
    m->item = m->len;
    fill(m, 28, 0x77);
}

/* Marks a message as a record whose fragments have `each` bytes; 0: one. */
static inline void marked(struct made *m, size_t each)
{
    struct made out = {.len = 0};
    size_t at = 0;

    while (at < m->len) {
        size_t n = each == 0 || each > m->len - at ? m->len - at : each;

        word(&out, (uint32_t)n | (at + n == m->len ? 0x80000000u : 0));
        if (at <= m->item && m->item < at + n)
            out.item = out.len + m->item - at;
        memcpy(out.bytes + out.len, m->bytes + at, n);
        out.len += n;
        at += n;
    }
    *m = out;
}

/* --- looking ------------------------------------------------------------- */

#define PIECES 8192

static struct iovec in[PIECES], out[PIECES];
static uint8_t gathered[ITEM_SIZE];

/* Cuts bytes into pieces of `each` bytes (0: one piece), an empty one first. */
static inline size_t cut(const uint8_t *bytes, size_t len, size_t each)
{
    size_t n = 0, at = 0;

    in[n++] = (struct iovec){NULL, 0};
    while (at < len) {
        size_t take = each == 0 || each > len - at ? len - at : each;

        in[n++] = (struct iovec){(void *)(uintptr_t)(bytes + at), take};
        at += take;
    }
    return n;
}

typedef enum readplus_error find(enum readplus_framing, const struct iovec *,
                                 size_t, struct iovec *, size_t,
                                 struct readplus_message *);

/* The same pieces, with nothing behind them that may be touched. */
static inline const struct iovec *at_the_edge(const struct iovec *pieces,
                                              size_t count)
{
    static struct guarded edge;
    size_t size = count * sizeof(*pieces);

    if (edge.bytes == NULL)
        edge = guarded_new(PIECES * sizeof(*pieces), true);
    return memcpy(edge.bytes + edge.len - size, pieces, size);
}

static inline enum readplus_error look(find *f, enum readplus_framing framing,
                                       const struct made *m, size_t each,
                                       struct readplus_message *found)
{
    uint8_t *copy = exact_copy(m->bytes, m->len);
    size_t pieces = cut(copy, m->len, each);
    enum readplus_error error =
        f(framing, at_the_edge(in, pieces), pieces, out, PIECES, found);
    size_t i, at = 0;

    for (i = 0; error == READPLUS_OK && i < found->entries; i++) {
        const uint8_t *base = out[i].iov_base;

        ck_assert_uint_gt(out[i].iov_len, 0);
        ck_assert(base >= copy && base + out[i].iov_len <= copy + m->len);
        if (at + out[i].iov_len <= sizeof(gathered))
            memcpy(gathered + at, base, out[i].iov_len);
        at += out[i].iov_len;
    }
    if (error == READPLUS_OK) {
        ck_assert_uint_eq(at, found->size);
        ck_assert_int_eq(found->fault.error, READPLUS_OK);
    } else {
        ck_assert_int_eq(found->fault.error, error);
    }
    ck_assert_uint_eq(found->fault.segment, READPLUS_NO_SEGMENT);
    ck_assert_uint_le(found->fault.at, m->len);
    free(copy);
    return error;
}

static inline enum readplus_error look_res(enum readplus_framing framing,
                                           const struct made *m,
                                           struct readplus_message *found)
{
    return look(readplus_message_find_res, framing, m, 0, found);
}

#endif
