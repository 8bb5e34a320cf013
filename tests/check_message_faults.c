/*
 * No input makes the search for READ_PLUS leave its bounds, and what may not
 * be is refused where it stands: every prefix, every flipped bit, every field.
 */
#include "made_message.h"

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

/* Denials and failures that are cut. */
START_TEST(prefixes_of_a_denial)
{
    static const uint32_t words[4][6] = {{1, 0, 2, 3},       /* RPC_MISMATCH */
                                         {1, 1, 13},         /* AUTH_ERROR */
                                         {0, 0, 0, 2, 3, 4}, /* PROG_MISMATCH */
                                         {0, 0, 0, 5}};      /* SYSTEM_ERR */
    static const size_t counts[4] = {4, 3, 6, 4};
    struct readplus_message found;
    struct made m = {.len = 0};
    size_t i;

    word(&m, 7), word(&m, 1);
    for (i = 0; i < counts[_i]; i++)
        word(&m, words[_i][i]);
    ck_assert_int_eq(look_res(READPLUS_FRAMING_RPC, &m, &found), READPLUS_OK);
    ck_assert_int_eq(found.outcome, _i < 2 ? READPLUS_OUTCOME_DENIED
                                           : READPLUS_OUTCOME_FAILED);
    while (m.len-- > 0) {
        ck_assert_int_eq(look_res(READPLUS_FRAMING_RPC, &m, &found),
                         READPLUS_ERR_TRUNCATED);
        ck_assert_uint_eq(found.fault.at, m.len / 4 * 4);
    }
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
    ck_assert_uint_eq(found.fault.at, 0);
    ck_assert_int_eq(readplus_message_find_res(READPLUS_FRAMING_RPC, NULL, 1,
                                               out, PIECES, &found),
                     READPLUS_ERR_INVAL);
    ck_assert_uint_eq(found.fault.at, 0);
    ck_assert_int_eq(readplus_message_find_args(READPLUS_FRAMING_RECORD, &null,
                                                1, out, PIECES, &found),
                     READPLUS_ERR_INVAL);
    ck_assert_uint_eq(found.fault.at, 0);
    ck_assert_int_eq(readplus_message_find_res(READPLUS_FRAMING_RPC, NULL, 0,
                                               NULL, 0, &found),
                     READPLUS_ERR_TRUNCATED);
    ck_assert_uint_eq(found.fault.at, 0);
#if SIZE_MAX == UINT64_MAX /* pieces that no memory can hold */
    in[0] = (struct iovec){gathered, SIZE_MAX};
    in[1] = (struct iovec){gathered, 1};
    ck_assert_int_eq(readplus_message_find_res(READPLUS_FRAMING_RPC, in, 2, out,
                                               PIECES, &found),
                     READPLUS_ERR_INVAL);
    ck_assert_uint_eq(found.fault.at, 0);
#endif
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
    Suite *s = suite_create("message faults");
    TCase *tc = check_case(s, "refused");

    tcase_add_test(tc, values_that_may_not_be);
    tcase_add_test(tc, values_of_a_denial);
    tcase_add_loop_test(tc, prefixes_of_a_denial, 0, 4);
    tcase_add_loop_test(tc, values_of_a_call, 0, 6);
    tcase_add_test(tc, wrong_use);
    tcase_add_loop_test(tc, every_prefix, 0, 2);
    tcase_add_loop_test(tc, every_flipped_bit, 0, 6);
    return check_run(s);
}
