/*
 * READ_PLUS is found inside COMPOUND, RPC and record marks wherever the bytes
 * are cut, and what is there in its place is told apart.
 */
#include <readplus/size.h>

#include "made_message.h"

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
            ck_assert_uint_eq(found.behind, 0);
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

/* What is found is what a decoder takes, and as long as the sizes say. */
START_TEST(decodes)
{
    struct readplus_args args = {.offset = 0, .count = 8192};
    size_t fragment;

    for (fragment = 0; fragment < 70; fragment++) {
        struct readplus_message found;
        struct readplus_decoder decoder;
        struct readplus_segment segment;
        struct made m;
        uint8_t bytes[5];

        good_reply(&m, READPLUS_FRAMING_RECORD, 4, 7);
        ck_assert_uint_eq(m.len, readplus_message_size(4, 7, ITEM_SIZE));
        marked(&m, fragment);
        ck_assert_int_eq(readplus_message_find_res(READPLUS_FRAMING_RECORD, in,
                                                   cut(m.bytes, m.len, 0), out,
                                                   PIECES, &found),
                         READPLUS_OK);
        ck_assert_int_eq(readplus_decoder_init(&decoder, &args, out,
                                               found.entries,
                                               READPLUS_DECODE_STRICT),
                         READPLUS_OK);
        ck_assert(readplus_decoder_eof(&decoder));
        ck_assert_int_eq(readplus_decoder_next(&decoder, &segment),
                         READPLUS_OK);
        ck_assert_int_eq(segment.content, READPLUS_CONTENT_HOLE);
        ck_assert_uint_eq(segment.length, 4096);
        ck_assert_int_eq(readplus_decoder_next(&decoder, &segment),
                         READPLUS_OK);
        ck_assert_int_eq(
            readplus_decoder_data_copy(&decoder, &segment, 0, bytes, 5),
            READPLUS_OK);
        ck_assert_mem_eq(bytes, "hello", 5);
        ck_assert_int_eq(readplus_decoder_next(&decoder, &segment),
                         READPLUS_END);
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

    good_call(&m, READPLUS_FRAMING_COMPOUND, 0, 0, 0);
    m.bytes[m.count + 3] = 6;
    ck_assert_int_eq(look(readplus_message_find_args, READPLUS_FRAMING_COMPOUND,
                          &m, 0, &found),
                     READPLUS_OK);
    ck_assert_uint_eq(found.behind, 3);
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
    for (capacity = 0; capacity <= need; capacity++) {
        struct iovec *exact = malloc(capacity * sizeof(*exact) + 1);

        ck_assert_int_eq(readplus_message_find_res(READPLUS_FRAMING_RECORD, in,
                                                   cut(m.bytes, m.len, 0),
                                                   exact, capacity, &found),
                         capacity < need ? READPLUS_ERR_LIMIT : READPLUS_OK);
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

int main(void)
{
    Suite *s = suite_create("message");
    TCase *tc = check_case(s, "found");

    tcase_add_loop_test(tc, any_tag_and_verifier, 0, 3);
    tcase_add_loop_test(tc, call_of_any_shape, 0, 3);
    tcase_add_test(tc, cut_anywhere);
    tcase_add_test(tc, decodes);
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
    return check_run(s);
}
