/*
 * READ_PLUS is found inside COMPOUND, RPC and record marks wherever the bytes
 * are cut, what is there in its place is told apart, and no input makes the
 * search leave its bounds.
 */
#include <readplus/message.h>

#include "check_main.h"

/* --- a message, made word by word ---------------------------------------- */

struct made {
    uint8_t bytes[8192];
    size_t len;
    size_t item; /* where the item begins */
    size_t op[3], count;
};

static void word(struct made *m, uint32_t v)
{
    m->bytes[m->len++] = (uint8_t)(v >> 24);
    m->bytes[m->len++] = (uint8_t)(v >> 16);
    m->bytes[m->len++] = (uint8_t)(v >> 8);
    m->bytes[m->len++] = (uint8_t)v;
}

static void fill(struct made *m, size_t n, uint8_t byte)
{
    memset(m->bytes + m->len, byte, n);
    m->len += n;
}

static void opaque(struct made *m, uint32_t n)
{
    word(m, n);
    fill(m, n, 0xa5);
    fill(m, -n & 3u, 0);
}

static void rpc_reply(struct made *m, uint32_t verflen)
{
    word(m, 0x12345678); /* xid */
    word(m, 1);          /* REPLY */
    word(m, 0);          /* MSG_ACCEPTED */
    word(m, 6);          /* RPCSEC_GSS, say */
    opaque(m, verflen);
    word(m, 0); /* SUCCESS */
}

static void compound_res(struct made *m, uint32_t status, uint32_t taglen,
                         uint32_t count)
{
    word(m, status);
    opaque(m, taglen);
    m->count = m->len;
    word(m, count);
}

static void sequence_res(struct made *m, uint32_t status)
{
    m->op[0] = m->len;
    word(m, 53);
    word(m, status);
    if (status == 0)
        fill(m, 36, 0x5e);
}

static void putfh_res(struct made *m, uint32_t status)
{
    m->op[1] = m->len;
    word(m, 22);
    word(m, status);
}

/* One hole, and five bytes of data: spec.md's full_reply without its frame. */
static void item(struct made *m)
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

static void good_reply(struct made *m, enum readplus_framing framing,
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

static void good_call(struct made *m, enum readplus_framing framing,
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
static void marked(struct made *m, size_t each)
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
static size_t cut(const uint8_t *bytes, size_t len, size_t each)
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

static enum readplus_error look(find *f, enum readplus_framing framing,
                                const struct made *m, size_t each,
                                struct readplus_message *found)
{
    uint8_t *copy = exact_copy(m->bytes, m->len);
    enum readplus_error error =
        f(framing, in, cut(copy, m->len, each), out, PIECES, found);
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

static enum readplus_error look_res(enum readplus_framing framing,
                                    const struct made *m,
                                    struct readplus_message *found)
{
    return look(readplus_message_find_res, framing, m, 0, found);
}

static const uint32_t lengths[] = {0, 1, 2, 3, 4, 5, 63, 399, 400};
#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

START_TEST(any_tag_and_verifier)
{
    enum readplus_framing framing = (enum readplus_framing)_i;
    struct readplus_message found;
    struct made m;
    size_t v, t;

    for (v = 0; v < LENGTHS; v++) {
        for (t = 0; t < LENGTHS; t++) {
            good_reply(&m, framing, lengths[v], lengths[t] * 7);
            if (framing == READPLUS_FRAMING_RECORD)
                marked(&m, 0);
            ck_assert_int_eq(look_res(framing, &m, &found), READPLUS_OK);
            ck_assert_int_eq(found.outcome, READPLUS_OUTCOME_ITEM);
            ck_assert_uint_eq(found.at, m.item);
            ck_assert_uint_eq(found.size, ITEM_SIZE);
            ck_assert_mem_eq(gathered + ITEM_SIZE - 8, "hello\0\0", 8);
            memset(gathered, 0, sizeof(gathered));
            ck_assert_uint_eq(found.consumed, m.len);
            ck_assert_uint_eq(found.behind, 0);
            ck_assert_uint_eq(found.opcode, 68);
            ck_assert_uint_eq(found.xid, framing == READPLUS_FRAMING_COMPOUND
                                             ? 0
                                             : 0x12345678);
        }
    }
}
END_TEST

START_TEST(call_of_any_shape)
{
    enum readplus_framing framing = (enum readplus_framing)_i;
    static const uint32_t handles[] = {0, 1, 28, 127, 128};
    struct readplus_message found;
    struct made m;
    size_t v, h;

    for (v = 0; v < LENGTHS; v++) {
        for (h = 0; h < 5; h++) {
            good_call(&m, framing, lengths[v], lengths[v] * 3, handles[h]);
            if (framing == READPLUS_FRAMING_RECORD)
                marked(&m, 17);
            ck_assert_int_eq(
                look(readplus_message_find_args, framing, &m, 0, &found),
                READPLUS_OK);
            ck_assert_int_eq(found.outcome, READPLUS_OUTCOME_ITEM);
            ck_assert_uint_eq(found.at, m.item);
            ck_assert_uint_eq(found.size, 28);
            ck_assert_uint_eq(found.minorversion, 2);
            ck_assert_uint_eq(found.consumed, m.len);
        }
    }
}
END_TEST

/* Fragments and pieces of every size, down to one byte, against each other. */
START_TEST(cut_anywhere)
{
    struct readplus_message found;
    struct made m;
    size_t fragment, piece;

    for (fragment = 1; fragment < 160; fragment++) {
        good_reply(&m, READPLUS_FRAMING_RECORD, 5, 3);
        marked(&m, fragment);
        for (piece = 1; piece < 24; piece++) {
            ck_assert_int_eq(look(readplus_message_find_res,
                                  READPLUS_FRAMING_RECORD, &m, piece, &found),
                             READPLUS_OK);
            ck_assert_uint_eq(found.at, m.item);
            ck_assert_uint_eq(found.size, ITEM_SIZE);
            ck_assert_mem_eq(gathered + ITEM_SIZE - 8, "hello\0\0", 8);
            memset(gathered, 0, sizeof(gathered));
            ck_assert_uint_eq(found.consumed, m.len);
        }
    }
}
END_TEST

/* Fragments of no bytes are legal, at the end too. */
START_TEST(empty_fragments)
{
    struct readplus_message found;
    struct made plain, m = {.len = 0};
    size_t i;

    good_reply(&plain, READPLUS_FRAMING_RECORD, 0, 0);
    for (i = 0; i < plain.len; i++) {
        word(&m, 0);
        word(&m, 1);
        if (i == plain.item)
            m.item = m.len;
        m.bytes[m.len++] = plain.bytes[i];
    }
    word(&m, 0x80000000u);
    ck_assert_int_eq(look_res(READPLUS_FRAMING_RECORD, &m, &found),
                     READPLUS_OK);
    ck_assert_uint_eq(found.at, m.item);
    ck_assert_uint_eq(found.consumed, m.len);
}
END_TEST

START_TEST(next_record_is_left_alone)
{
    struct readplus_message found;
    struct made m;
    size_t first;

    good_reply(&m, READPLUS_FRAMING_RECORD, 0, 0);
    marked(&m, 40);
    first = m.len;
    fill(&m, 5, 0xff);
    ck_assert_int_eq(look_res(READPLUS_FRAMING_RECORD, &m, &found),
                     READPLUS_OK);
    ck_assert_uint_eq(found.consumed, first);
    ck_assert_uint_eq(found.size, ITEM_SIZE);
}
END_TEST

START_TEST(operations_behind)
{
    struct readplus_message found;
    struct made m = {.len = 0};

    compound_res(&m, 0, 0, 5);
    sequence_res(&m, 0);
    putfh_res(&m, 0);
    item(&m);
    fill(&m, 16, 1);
    ck_assert_int_eq(look_res(READPLUS_FRAMING_COMPOUND, &m, &found),
                     READPLUS_OK);
    ck_assert_uint_eq(found.behind, 2);
    ck_assert_uint_eq(found.size, ITEM_SIZE + 16);
}
END_TEST

START_TEST(too_few_entries)
{
    struct readplus_message found;
    struct made m;
    size_t need, capacity;

    good_reply(&m, READPLUS_FRAMING_RECORD, 0, 0);
    marked(&m, 10);
    ck_assert_int_eq(look_res(READPLUS_FRAMING_RECORD, &m, &found),
                     READPLUS_OK);
    need = found.entries;
    ck_assert_uint_gt(need, 5);
    for (capacity = 0; capacity < need; capacity++) {
        struct iovec *exact = malloc(capacity * sizeof(*exact) + 1);

        ck_assert_int_eq(readplus_message_find_res(READPLUS_FRAMING_RECORD, in,
                                                   cut(m.bytes, m.len, 0),
                                                   exact, capacity, &found),
                         READPLUS_ERR_LIMIT);
        ck_assert_uint_eq(found.entries, need);
        ck_assert_uint_eq(found.consumed, m.len);
        free(exact);
    }
}
END_TEST

/* --- in place of the item ------------------------------------------------ */

START_TEST(denied)
{
    struct readplus_message found;
    struct made m = {.len = 0};

    word(&m, 7), word(&m, 1), word(&m, 1); /* xid, REPLY, MSG_DENIED */
    word(&m, 1), word(&m, 13);             /* AUTH_ERROR, CREDPROBLEM */
    ck_assert_int_eq(look_res(READPLUS_FRAMING_RPC, &m, &found), READPLUS_OK);
    ck_assert_int_eq(found.outcome, READPLUS_OUTCOME_DENIED);
    ck_assert_uint_eq(found.xid, 7);
    ck_assert_uint_eq(found.code, READPLUS_RPC_AUTH_ERROR);
    ck_assert_uint_eq(found.auth, 13);
    ck_assert_uint_eq(found.entries, 0);

    m.len = 12;
    word(&m, 0), word(&m, 2), word(&m, 3); /* RPC_MISMATCH, low, high */
    marked(&m, 5);
    ck_assert_int_eq(look_res(READPLUS_FRAMING_RECORD, &m, &found),
                     READPLUS_OK);
    ck_assert_int_eq(found.outcome, READPLUS_OUTCOME_DENIED);
    ck_assert_uint_eq(found.code, READPLUS_RPC_MISMATCH);
    ck_assert_uint_eq(found.low, 2);
    ck_assert_uint_eq(found.high, 3);
    ck_assert_uint_eq(found.consumed, m.len);
}
END_TEST

START_TEST(failed)
{
    struct readplus_message found;
    struct made m = {.len = 0};
    uint32_t code = (uint32_t)_i;

    rpc_reply(&m, 8);
    m.len -= 4;
    word(&m, code);
    if (code == READPLUS_RPC_PROG_MISMATCH)
        word(&m, 3), word(&m, 5);
    ck_assert_int_eq(look_res(READPLUS_FRAMING_RPC, &m, &found), READPLUS_OK);
    ck_assert_int_eq(found.outcome, READPLUS_OUTCOME_FAILED);
    ck_assert_uint_eq(found.code, code);
    if (code == READPLUS_RPC_PROG_MISMATCH) {
        ck_assert_uint_eq(found.low, 3);
        ck_assert_uint_eq(found.high, 5);
    }
}
END_TEST

START_TEST(earlier_operation_failed)
{
    struct readplus_message found;
    struct made m = {.len = 0};

    compound_res(&m, 10052, 0, 1);
    sequence_res(&m, 10052); /* NFS4ERR_BADSESSION */
    ck_assert_int_eq(look_res(READPLUS_FRAMING_COMPOUND, &m, &found),
                     READPLUS_OK);
    ck_assert_int_eq(found.outcome, READPLUS_OUTCOME_EARLIER);
    ck_assert_uint_eq(found.opcode, 53);
    ck_assert_uint_eq(found.op_status, 10052);
    ck_assert_uint_eq(found.status, 10052);

    m.len = 0;
    compound_res(&m, 70, 3, 2);
    sequence_res(&m, 0);
    putfh_res(&m, 70); /* NFS4ERR_STALE */
    ck_assert_int_eq(look_res(READPLUS_FRAMING_COMPOUND, &m, &found),
                     READPLUS_OK);
    ck_assert_int_eq(found.outcome, READPLUS_OUTCOME_EARLIER);
    ck_assert_uint_eq(found.opcode, 22);
    ck_assert_uint_eq(found.op_status, 70);

    m.len = 0; /* a server to which READ_PLUS is no operation */
    compound_res(&m, 10044, 0, 3);
    sequence_res(&m, 0);
    putfh_res(&m, 0);
    word(&m, 10044), word(&m, 10044);
    ck_assert_int_eq(look_res(READPLUS_FRAMING_COMPOUND, &m, &found),
                     READPLUS_OK);
    ck_assert_int_eq(found.outcome, READPLUS_OUTCOME_EARLIER);
    ck_assert_uint_eq(found.opcode, 10044);
}
END_TEST

START_TEST(no_operation_at_all)
{
    struct readplus_message found;
    struct made m = {.len = 0};

    compound_res(&m, 10021, 0, 0); /* NFS4ERR_MINOR_VERS_MISMATCH */
    ck_assert_int_eq(look_res(READPLUS_FRAMING_COMPOUND, &m, &found),
                     READPLUS_OK);
    ck_assert_int_eq(found.outcome, READPLUS_OUTCOME_COMPOUND);
    ck_assert_uint_eq(found.status, 10021);
}
END_TEST

START_TEST(something_else)
{
    struct readplus_message found;
    struct made m = {.len = 0};

    compound_res(&m, 0, 0, 3);
    sequence_res(&m, 0);
    putfh_res(&m, 0);
    word(&m, 25), word(&m, 0); /* READ */
    ck_assert_int_eq(look_res(READPLUS_FRAMING_COMPOUND, &m, &found),
                     READPLUS_OK);
    ck_assert_int_eq(found.outcome, READPLUS_OUTCOME_OTHER);
    ck_assert_uint_eq(found.opcode, 25);

    good_call(&m, READPLUS_FRAMING_RPC, 0, 0, 0);
    m.bytes[23] = 0; /* the NULL procedure */
    m.len = 24 + 16;
    ck_assert_int_eq(
        look(readplus_message_find_args, READPLUS_FRAMING_RPC, &m, 0, &found),
        READPLUS_OK);
    ck_assert_int_eq(found.outcome, READPLUS_OUTCOME_OTHER);
    ck_assert_uint_eq(found.procedure, 0);
    ck_assert_uint_eq(found.program, 100003);

    good_call(&m, READPLUS_FRAMING_COMPOUND, 0, 0, 0);
    m.bytes[m.count + 3] = 2; /* two operations only */
    ck_assert_int_eq(look(readplus_message_find_args, READPLUS_FRAMING_COMPOUND,
                          &m, 0, &found),
                     READPLUS_OK);
    ck_assert_int_eq(found.outcome, READPLUS_OUTCOME_OTHER);
}
END_TEST

/* --- what is refused ----------------------------------------------------- */

static void refused(struct made *m, size_t at, uint8_t value,
                    enum readplus_error error, uint64_t fault_at)
{
    struct readplus_message found;
    struct made bad = *m;

    bad.bytes[at] = value;
    ck_assert_int_eq(look_res(READPLUS_FRAMING_RPC, &bad, &found), error);
    ck_assert_uint_eq(found.fault.at, fault_at);
    ck_assert(!found.more);
    marked(&bad, 0);
    ck_assert_int_eq(look_res(READPLUS_FRAMING_RECORD, &bad, &found), error);
    ck_assert_uint_eq(found.fault.at, fault_at + 4);
    marked(&bad, 0); /* a mark too many is a message too */
    ck_assert(look_res(READPLUS_FRAMING_RECORD, &bad, &found) < 0);
}

START_TEST(values_that_may_not_be)
{
    struct made m;

    good_reply(&m, READPLUS_FRAMING_RPC, 5, 2);
    refused(&m, 7, 0, READPLUS_ERR_BAD_MESSAGE, 4);   /* a CALL */
    refused(&m, 7, 2, READPLUS_ERR_BAD_MESSAGE, 4);   /* no msg_type */
    refused(&m, 11, 2, READPLUS_ERR_BAD_MESSAGE, 8);  /* no reply_stat */
    refused(&m, 18, 2, READPLUS_ERR_BAD_MESSAGE, 16); /* verifier of 517 */
    refused(&m, 25, 1, READPLUS_ERR_BAD_PAD, 25);     /* behind it */
    refused(&m, 27, 1, READPLUS_ERR_BAD_PAD, 27);
    refused(&m, 31, 6, READPLUS_ERR_BAD_MESSAGE, 28); /* no accept_stat */
    refused(&m, 28, 1, READPLUS_ERR_BAD_MESSAGE, 28);
    refused(&m, 42, 1, READPLUS_ERR_BAD_PAD, 42); /* behind the tag */
    ck_assert_uint_eq(m.count, 44);
    refused(&m, m.count + 3, 0, READPLUS_ERR_BAD_MESSAGE, m.count);
    refused(&m, m.count + 3, 1, READPLUS_ERR_BAD_MESSAGE, m.count);
    refused(&m, m.count + 3, 2, READPLUS_ERR_BAD_MESSAGE, m.count);
    /* An operation failed, and others were tried after it. */
    refused(&m, m.op[0] + 7, 1, READPLUS_ERR_BAD_MESSAGE, m.count);
    refused(&m, m.op[1] + 7, 1, READPLUS_ERR_BAD_MESSAGE, m.count);
    /* Lengths that the message cannot hold. */
    refused(&m, 36, 0xff, READPLUS_ERR_TRUNCATED, 40);
}
END_TEST

START_TEST(values_of_a_denial)
{
    struct readplus_message found;
    struct made m = {.len = 0};

    word(&m, 7), word(&m, 1), word(&m, 1), word(&m, 2); /* no reject_stat */
    ck_assert_int_eq(look_res(READPLUS_FRAMING_RPC, &m, &found),
                     READPLUS_ERR_BAD_MESSAGE);
    ck_assert_uint_eq(found.fault.at, 12);
}
END_TEST

START_TEST(values_of_a_call)
{
    static const struct {
        size_t at;
        uint8_t value;
        uint64_t fault;
        enum readplus_error error;
    } bad[] = {
        {7, 1, 4, READPLUS_ERR_BAD_MESSAGE},       /* a REPLY */
        {11, 3, 8, READPLUS_ERR_BAD_MESSAGE},      /* RPC version 3 */
        {30, 2, 28, READPLUS_ERR_BAD_MESSAGE},     /* credential of 513 */
        {35, 9, 35, READPLUS_ERR_BAD_PAD},         /* behind it */
        {42, 2, 40, READPLUS_ERR_BAD_MESSAGE},     /* verifier of 513 */
        {103, 129, 100, READPLUS_ERR_BAD_MESSAGE}, /* a handle of 129 */
    };
    struct readplus_message found;
    struct made m;

    good_call(&m, READPLUS_FRAMING_RPC, 1, 0, 4);
    m.bytes[bad[_i].at] = bad[_i].value;
    ck_assert_int_eq(
        look(readplus_message_find_args, READPLUS_FRAMING_RPC, &m, 0, &found),
        bad[_i].error);
    ck_assert_uint_eq(found.fault.at, bad[_i].fault);
}
END_TEST

START_TEST(wrong_use)
{
    struct readplus_message found;
    struct iovec null = {NULL, 1};

    ck_assert_int_eq(readplus_message_find_res((enum readplus_framing)3, NULL,
                                               0, out, PIECES, &found),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_message_find_res(READPLUS_FRAMING_RPC, NULL, 1,
                                               out, PIECES, &found),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_message_find_args(READPLUS_FRAMING_RECORD, &null,
                                                1, out, PIECES, &found),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_message_find_res(READPLUS_FRAMING_RPC, NULL, 0,
                                               NULL, 0, &found),
                     READPLUS_ERR_TRUNCATED);
    ck_assert_uint_eq(found.fault.at, 0);
}
END_TEST

/* --- every prefix, every flipped bit ------------------------------------- */

/*
 * A prefix of a record is never good and always asks for more; one of a bare
 * message is good from the item's first byte on, since only a decoder knows
 * where the item ends.
 */
START_TEST(every_prefix)
{
    find *f = _i == 0 ? readplus_message_find_res : readplus_message_find_args;
    struct readplus_message found;
    struct made whole, m;
    size_t each;

    if (_i == 0)
        good_reply(&whole, READPLUS_FRAMING_RPC, 6, 5);
    else
        good_call(&whole, READPLUS_FRAMING_RPC, 6, 5, 7);
    for (m = whole; m.len-- > 0;) {
        enum readplus_error error =
            look(f, READPLUS_FRAMING_RPC, &m, 3, &found);

        if (m.len > m.item) {
            ck_assert_int_eq(error, READPLUS_OK);
            ck_assert_uint_eq(found.size, m.len - m.item);
            continue;
        }
        ck_assert_int_eq(error, READPLUS_ERR_TRUNCATED);
        ck_assert(!found.more);
    }
    for (each = 0; each < 60; each += 1 + each / 3) {
        m = whole;
        marked(&m, each);
        while (m.len-- > 0) {
            ck_assert_int_eq(look(f, READPLUS_FRAMING_RECORD, &m, 0, &found),
                             READPLUS_ERR_TRUNCATED);
            ck_assert(found.more);
        }
    }
}
END_TEST

/* The least that holds for any input: in bounds, and told in our words. */
static void sane(find *f, enum readplus_framing framing, const struct made *m)
{
    struct readplus_message found;
    enum readplus_error error = look(f, framing, m, 0, &found);

    if (error == READPLUS_OK) {
        ck_assert_uint_le(found.consumed, m->len);
        ck_assert_uint_le(found.at + found.size, m->len);
        ck_assert((found.outcome == READPLUS_OUTCOME_ITEM) ==
                  (found.entries > 0));
        return;
    }
    ck_assert(error == READPLUS_ERR_TRUNCATED ||
              error == READPLUS_ERR_BAD_PAD ||
              error == READPLUS_ERR_BAD_MESSAGE);
}

START_TEST(every_flipped_bit)
{
    enum readplus_framing framing = (enum readplus_framing)(_i / 2);
    find *f =
        _i % 2 == 0 ? readplus_message_find_res : readplus_message_find_args;
    struct made m;
    size_t bit;

    if (_i % 2 == 0)
        good_reply(&m, framing, 6, 5);
    else
        good_call(&m, framing, 6, 5, 7);
    if (framing == READPLUS_FRAMING_RECORD)
        marked(&m, 30);
    for (bit = 0; bit < 8 * m.len; bit++) {
        m.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        sane(f, framing, &m);
        m.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("message");
    TCase *tc = check_case(s, "found");

    tcase_add_loop_test(tc, any_tag_and_verifier, 0, 3);
    tcase_add_loop_test(tc, call_of_any_shape, 0, 3);
    tcase_add_test(tc, cut_anywhere);
    tcase_add_test(tc, empty_fragments);
    tcase_add_test(tc, next_record_is_left_alone);
    tcase_add_test(tc, operations_behind);
    tcase_add_test(tc, too_few_entries);
    tc = check_case(s, "instead");
    tcase_add_test(tc, denied);
    tcase_add_loop_test(tc, failed, 1, 6);
    tcase_add_test(tc, earlier_operation_failed);
    tcase_add_test(tc, no_operation_at_all);
    tcase_add_test(tc, something_else);
    tc = check_case(s, "refused");
    tcase_add_test(tc, values_that_may_not_be);
    tcase_add_test(tc, values_of_a_denial);
    tcase_add_loop_test(tc, values_of_a_call, 0, 6);
    tcase_add_test(tc, wrong_use);
    tcase_add_loop_test(tc, every_prefix, 0, 2);
    tcase_add_loop_test(tc, every_flipped_bit, 0, 6);
    return check_run(s);
}
