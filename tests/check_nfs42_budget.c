/*
 * nfs42d's reply budgets and other limits of a session, after pynfs's checks of
 * them: what just fits, what does not, and what is kept of it.
 */
#include "nfs42_talk.h"

static struct talk t;

static void begin(void)
{
    talk_world(&t);
    talk_start(&t);
}

static void end(void)
{
    talk_end(&t);
}

static uint32_t destroy_session(void)
{
    talk_begin(&t, 1);
    put32(&t.put, OP_DESTROY_SESSION);
    put_fixed(&t.put, t.session, sizeof(t.session));
    return talk_ask(&t);
}

/* SEQUENCE, PUTROOTFH and as many GETFH as said. */
static uint32_t many_handles(uint32_t n, bool keep)
{
    uint32_t i;

    talk_begin(&t, 2 + n);
    talk_sequence(&t, 0, keep);
    put32(&t.put, OP_PUTROOTFH);
    for (i = 0; i < n; i++)
        put32(&t.put, OP_GETFH);
    return talk_ask(&t);
}

START_TEST(too_many_operations)
{
    const struct talk_channel eight = {.ops = 8};

    talk_greet(&t, eight);
    ck_assert_uint_eq(many_handles(6, false), NFS4_OK);
    ck_assert_uint_eq(many_handles(7, false), NFS4ERR_TOO_MANY_OPS);
    t.sequences[0]--; /* the slot was not used */
    ck_assert_uint_eq(many_handles(6, false), NFS4_OK);
    ck_assert_uint_eq(many_handles(500, false), NFS4ERR_TOO_MANY_OPS);
}
END_TEST

START_TEST(a_request_too_big)
{
    const struct talk_channel small = {.request = 256};
    char name[200];

    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    talk_greet(&t, small);
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_LOOKUP, name);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_REQ_TOO_BIG);
}
END_TEST

/* Every limit around where a reply begins to fit, to the byte. */
START_TEST(a_reply_that_just_fits)
{
    struct talk_channel c = {.response = 2000, .cached = 2000};
    size_t size;

    talk_greet(&t, c);
    ck_assert_uint_eq(many_handles(20, false), NFS4_OK);
    size = t.len - 4;
    for (c.response = (uint32_t)size - 90; c.response < size + 9;
         c.response++) {
        ck_assert_uint_eq(talk_create(&t, c), NFS4_OK);
        if (c.response >= size) {
            ck_assert_uint_eq(many_handles(20, false), NFS4_OK);
            ck_assert_uint_eq(t.count, 22);
        } else {
            ck_assert_uint_eq(many_handles(20, false), NFS4ERR_REP_TOO_BIG);
            ck_assert_uint_eq(talk_status(&t, t.count - 1),
                              NFS4ERR_REP_TOO_BIG);
        }
        ck_assert_uint_le(t.len - 4, c.response);
        ck_assert_uint_eq(destroy_session(), NFS4_OK);
    }
}
END_TEST

START_TEST(a_reply_too_big_to_keep)
{
    struct talk_channel c = {.cached = 700};
    uint8_t first[4096];
    size_t len;

    talk_greet(&t, c);
    ck_assert_uint_eq(many_handles(40, false), NFS4_OK);
    ck_assert_uint_eq(many_handles(40, true), NFS4ERR_REP_TOO_BIG_TO_CACHE);
    ck_assert_uint_le(t.len - 4, 700);
    len = t.len;
    memcpy(first, t.bytes, len);
    /* and that is what is kept */
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_REP_TOO_BIG_TO_CACHE);
    ck_assert_uint_eq(t.len, len);
    ck_assert_mem_eq(t.bytes, first, len);
    /* not even SEQUENCE fits */
    c.cached = 10;
    ck_assert_uint_eq(talk_create(&t, c), NFS4_OK);
    ck_assert_uint_eq(many_handles(1, true), NFS4ERR_REP_TOO_BIG_TO_CACHE);
    ck_assert_uint_eq(t.count, 1);
    t.sequences[0]--;
    ck_assert_uint_eq(many_handles(1, false), NFS4_OK);
}
END_TEST

/* READ and READ_PLUS are cut to what fits, and use it all. */
START_TEST(reading_fits_every_budget)
{
    static const stateid4 none;
    struct talk_channel c = {0};
    uint8_t handle[HANDLE_SIZE];
    char bytes[2000];
    uint32_t op;

    memset(bytes, 'x', sizeof(bytes));
    bytes[sizeof(bytes) - 1] = '\0';
    talk_write(&t, "export/full", bytes, 0);
    talk_greet(&t, c);
    ck_assert(talk_lookup(&t, "full", handle));
    for (c.response = 512; c.response < 560; c.response++) {
        ck_assert_uint_eq(talk_create(&t, c), NFS4_OK);
        for (op = OP_READ; op <= OP_READ_PLUS; op += OP_READ_PLUS - OP_READ) {
            talk_begin(&t, 3);
            talk_sequence(&t, 0, false);
            talk_putfh(&t, handle);
            talk_read(&t, op, &none, 0, 1900);
            ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
            ck_assert_uint_le(t.len - 4, c.response);
            ck_assert_uint_gt(t.len - 4, c.response - 4);
        }
        ck_assert_uint_eq(destroy_session(), NFS4_OK);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nfs42_budget");
    TCase *tc;

    tc = check_case(s, "budgets");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, too_many_operations);
    tcase_add_test(tc, a_request_too_big);
    tcase_add_test(tc, a_reply_that_just_fits);
    tcase_add_test(tc, a_reply_too_big_to_keep);
    tcase_add_test(tc, reading_fits_every_budget);
    return check_run(s);
}
