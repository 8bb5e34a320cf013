/*
 * nfs42d's clients, sessions and slots: what pynfs asks of a server of NFSv4.1
 * (its checks of EXCHANGE_ID, CREATE_SESSION and SEQUENCE), said again here,
 * each against the server in this process.
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

static const struct talk_channel much;

/* --- clients -------------------------------------------------------------- */

START_TEST(a_client_is_confirmed_by_its_session)
{
    const EXCHANGE_ID4resok *res =
        &t.results[0].nfs_resop4_u.opexchange_id.EXCHANGE_ID4res_u.eir_resok4;
    uint64_t first;

    ck_assert_uint_eq(talk_exchange(&t, "c", 1, 0), NFS4_OK);
    ck_assert_uint_eq(res->eir_flags, EXCHGID4_FLAG_USE_NON_PNFS);
    first = t.client;
    /* unconfirmed: it gives way */
    ck_assert_uint_eq(talk_exchange(&t, "c", 1, 0), NFS4_OK);
    ck_assert_uint_ne(t.client, first);
    ck_assert_uint_eq(talk_create(&t, much), NFS4_OK);
    first = t.client;
    ck_assert_uint_eq(talk_exchange(&t, "c", 1, 0), NFS4_OK);
    ck_assert_uint_eq(t.client, first);
    ck_assert_uint_eq(res->eir_flags & EXCHGID4_FLAG_CONFIRMED_R,
                      EXCHGID4_FLAG_CONFIRMED_R);
}
END_TEST

START_TEST(a_client_that_began_anew_loses_its_session)
{
    uint8_t old[NFS4_SESSIONID_SIZE];

    talk_greet(&t, much);
    memcpy(old, t.session, sizeof(old));
    ck_assert_uint_eq(talk_exchange(&t, "a client", 2, 0), NFS4_OK);
    /* the old one lives until the new one is confirmed */
    talk_begin(&t, 1);
    talk_sequence(&t, 0, false);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    ck_assert_uint_eq(talk_create(&t, much), NFS4_OK);
    memcpy(t.session, old, sizeof(old));
    talk_begin(&t, 1);
    talk_sequence(&t, 0, false);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_BADSESSION);
}
END_TEST

START_TEST(updates_are_for_what_is_confirmed)
{
    const uint32_t update = EXCHGID4_FLAG_UPD_CONFIRMED_REC_A;

    ck_assert_uint_eq(talk_exchange(&t, "c", 1, update), NFS4ERR_NOENT);
    talk_greet(&t, much);
    ck_assert_uint_eq(talk_exchange(&t, "a client", 1, update), NFS4_OK);
    ck_assert_uint_eq(talk_exchange(&t, "a client", 2, update),
                      NFS4ERR_NOT_SAME);
    ck_assert_uint_eq(talk_exchange(&t, "c", 1, 0x2), NFS4_OK);
    ck_assert_uint_eq(talk_exchange(&t, "c", 1, 0x80), NFS4ERR_INVAL);
}
END_TEST

START_TEST(create_session_is_a_slot_of_its_own)
{
    uint8_t first[NFS4_SESSIONID_SIZE];
    const struct talk_channel small = {.response = 100};

    ck_assert_uint_eq(talk_exchange(&t, "c", 1, 0), NFS4_OK);
    ck_assert_uint_eq(talk_create(&t, much), NFS4_OK);
    memcpy(first, t.session, sizeof(first));
    t.create_sequence--; /* the same again: the same session */
    ck_assert_uint_eq(talk_create(&t, much), NFS4_OK);
    ck_assert_mem_eq(first, t.session, sizeof(first));
    t.create_sequence++;
    ck_assert_uint_eq(talk_create(&t, much), NFS4ERR_SEQ_MISORDERED);
    t.create_sequence--;
    ck_assert_uint_eq(talk_create(&t, small), NFS4ERR_TOOSMALL);
    t.client ^= 1u << 20;
    ck_assert_uint_eq(talk_create(&t, much), NFS4ERR_STALE_CLIENTID);
}
END_TEST

static uint32_t destroy_client(void)
{
    talk_begin(&t, 1);
    put32(&t.put, OP_DESTROY_CLIENTID);
    put64(&t.put, t.client);
    return talk_ask(&t);
}

static uint32_t destroy_session(void)
{
    talk_begin(&t, 1);
    put32(&t.put, OP_DESTROY_SESSION);
    put_fixed(&t.put, t.session, sizeof(t.session));
    return talk_ask(&t);
}

START_TEST(what_is_destroyed_is_gone)
{
    talk_greet(&t, much);
    ck_assert_uint_eq(destroy_client(), NFS4ERR_CLIENTID_BUSY);
    ck_assert_uint_eq(destroy_session(), NFS4_OK);
    ck_assert_uint_eq(destroy_session(), NFS4ERR_BADSESSION);
    ck_assert_uint_eq(destroy_client(), NFS4_OK);
    ck_assert_uint_eq(destroy_client(), NFS4ERR_STALE_CLIENTID);
}
END_TEST

START_TEST(a_session_may_end_itself_last)
{
    talk_greet(&t, much);
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_DESTROY_SESSION);
    put_fixed(&t.put, t.session, sizeof(t.session));
    put32(&t.put, OP_PUTROOTFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_NOT_ONLY_OP);
    talk_begin(&t, 2);
    talk_sequence(&t, 0, true);
    put32(&t.put, OP_DESTROY_SESSION);
    put_fixed(&t.put, t.session, sizeof(t.session));
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    ck_assert_uint_eq(destroy_session(), NFS4ERR_BADSESSION);
}
END_TEST

/* A COMPOUND that ends the session it runs in, by ending its client. */
START_TEST(a_client_may_end_itself_in_the_middle)
{
    uint64_t next;

    talk_greet(&t, much);
    ck_assert_uint_eq(talk_exchange(&t, "a client", 2, 0), NFS4_OK);
    next = t.client;
    talk_begin(&t, 4);
    talk_sequence(&t, 0, true);
    put32(&t.put, OP_CREATE_SESSION);
    put64(&t.put, next);
    talk_words(&t, 1, 0, 0, 32768, 4096, 4096, 32, 4, 0, 0, 4096, 4096, 0, 2, 1,
               0, 0, 0);
    talk_words(&t, OP_PUTROOTFH, OP_GETFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_DEADSESSION);
    ck_assert_uint_eq(talk_status(&t, 1), NFS4_OK);
    ck_assert_uint_eq(talk_status(&t, 2), NFS4ERR_DEADSESSION);
}
END_TEST

/* --- slots ---------------------------------------------------------------- */

START_TEST(what_was_kept_is_said_again)
{
    uint8_t first[4096];
    size_t len;

    talk_greet(&t, much);
    talk_begin(&t, 3);
    talk_sequence(&t, 3, true);
    talk_words(&t, OP_PUTROOTFH, OP_GETFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    len = t.len;
    memcpy(first, t.bytes, len);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    ck_assert_uint_eq(t.len, len);
    ck_assert_mem_eq(t.bytes, first, len);
}
END_TEST

START_TEST(what_was_not_kept_is_not_done_again)
{
    talk_greet(&t, much);
    talk_begin(&t, 3);
    talk_sequence(&t, 3, false);
    talk_words(&t, OP_PUTROOTFH, OP_GETFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_RETRY_UNCACHED_REP);
    ck_assert_uint_eq(t.count, 2);
    ck_assert_uint_eq(talk_status(&t, 0), NFS4_OK);
    ck_assert_uint_eq(t.results[1].resop, OP_PUTROOTFH);
    /* a lone SEQUENCE always is */
    talk_begin(&t, 1);
    talk_sequence(&t, 3, false);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
}
END_TEST

START_TEST(another_request_is_no_retry)
{
    talk_greet(&t, much);
    talk_begin(&t, 2);
    talk_sequence(&t, 0, true);
    put32(&t.put, OP_PUTROOTFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    talk_begin(&t, 2);
    talk_slot(&t, 0, t.sequences[0], true);
    put32(&t.put, OP_GETFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_SEQ_FALSE_RETRY);
}
END_TEST

/* SEQUENCE alone, as it is said. */
static uint32_t sequence(uint32_t slot, uint32_t number)
{
    talk_begin(&t, 1);
    talk_slot(&t, slot, number, false);
    return talk_ask(&t);
}

START_TEST(numbers_come_one_after_the_other)
{
    talk_greet(&t, much);
    ck_assert_uint_eq(sequence(5, 0), NFS4ERR_SEQ_MISORDERED);
    ck_assert_uint_eq(sequence(5, 2), NFS4ERR_SEQ_MISORDERED);
    ck_assert_uint_eq(sequence(5, 1), NFS4_OK);
    ck_assert_uint_eq(sequence(5, 3), NFS4ERR_SEQ_MISORDERED);
    ck_assert_uint_eq(sequence(5, 2), NFS4_OK);
    ck_assert_uint_eq(sequence(5, 1), NFS4ERR_SEQ_MISORDERED);
    ck_assert_uint_eq(sequence(5, UINT32_MAX), NFS4ERR_SEQ_MISORDERED);
    ck_assert_uint_eq(sequence(5, 3), NFS4_OK);
}
END_TEST

START_TEST(slots_and_sessions_that_are_none)
{
    const struct talk_channel four = {.slots = 4};

    talk_greet(&t, four);
    ck_assert_uint_eq(sequence(4, 1), NFS4ERR_BADSLOT);
    ck_assert_uint_eq(sequence(UINT32_MAX, 1), NFS4ERR_BADSLOT);
    ck_assert_uint_eq(sequence(3, 1), NFS4_OK);
    talk_begin(&t, 1);
    put32(&t.put, OP_SEQUENCE);
    put_fixed(&t.put, t.session, sizeof(t.session));
    talk_words(&t, 2, 3, 2, 0);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_BAD_HIGH_SLOT);
    t.session[15] ^= 1;
    ck_assert_uint_eq(sequence(0, 9), NFS4ERR_BADSESSION);
    t.session[7] = 0xff;
    ck_assert_uint_eq(sequence(0, 9), NFS4ERR_BADSESSION);
}
END_TEST

/* --- places --------------------------------------------------------------- */

START_TEST(operations_have_their_places)
{
    talk_greet(&t, much);
    talk_begin(&t, 1);
    put32(&t.put, OP_PUTROOTFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_OP_NOT_IN_SESSION);
    talk_begin(&t, 2);
    talk_sequence(&t, 0, false);
    talk_slot(&t, 1, 1, false);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_SEQUENCE_POS);
    talk_begin(&t, 2);
    put32(&t.put, OP_DESTROY_CLIENTID);
    put64(&t.put, t.client);
    put32(&t.put, OP_PUTROOTFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_NOT_ONLY_OP);
    talk_begin(&t, 2);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_BIND_CONN_TO_SESSION);
    put_fixed(&t.put, t.session, sizeof(t.session));
    talk_words(&t, CDFC4_FORE, 0);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_NOT_ONLY_OP);
    talk_begin(&t, 0);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
}
END_TEST

START_TEST(what_is_refused)
{
    static const struct {
        uint32_t op, status, result;
    } cases[] = {
        {OP_WRITE, NFS4ERR_ROFS, OP_WRITE},
        {OP_CREATE, NFS4ERR_ROFS, OP_CREATE},
        {OP_REMOVE, NFS4ERR_ROFS, OP_REMOVE},
        {OP_DEALLOCATE, NFS4ERR_ROFS, OP_DEALLOCATE},
        {OP_LOCK, NFS4ERR_NOTSUPP, OP_LOCK},
        {OP_LAYOUTGET, NFS4ERR_NOTSUPP, OP_LAYOUTGET},
        {OP_SETCLIENTID, NFS4ERR_NOTSUPP, OP_SETCLIENTID},
        {0, NFS4ERR_OP_ILLEGAL, OP_ILLEGAL},
        {2, NFS4ERR_OP_ILLEGAL, OP_ILLEGAL},
        {76, NFS4ERR_OP_ILLEGAL, OP_ILLEGAL},
        {OP_ILLEGAL, NFS4ERR_OP_ILLEGAL, OP_ILLEGAL},
        {UINT32_MAX, NFS4ERR_OP_ILLEGAL, OP_ILLEGAL},
    };
    size_t i;

    talk_greet(&t, much);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        talk_begin(&t, 3);
        talk_sequence(&t, 0, false);
        talk_words(&t, OP_PUTROOTFH, cases[i].op);
        ck_assert_uint_eq(talk_ask(&t), cases[i].status);
        ck_assert_uint_eq(t.count, 3);
        ck_assert_uint_eq(t.results[2].resop, cases[i].result);
    }
    talk_begin(&t, 2);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_ACCESS); /* and no word behind it */
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_BADXDR);
}
END_TEST

START_TEST(rpc_around_it)
{
    talk_header(&t, NFS4_PROGRAM, NFS_V4, NFSPROC4_NULL);
    talk_ask(&t);
    ck_assert_uint_eq(t.accept_stat, SUCCESS);
    talk_header(&t, NFS4_PROGRAM, 3, NFSPROC4_NULL);
    talk_ask(&t);
    ck_assert_uint_eq(t.accept_stat, PROG_MISMATCH);
    talk_header(&t, 100005, NFS_V4, 0);
    talk_ask(&t);
    ck_assert_uint_eq(t.accept_stat, PROG_UNAVAIL);
    talk_header(&t, NFS4_PROGRAM, NFS_V4, 2);
    talk_ask(&t);
    ck_assert_uint_eq(t.accept_stat, PROC_UNAVAIL);
    talk_header(&t, NFS4_PROGRAM, NFS_V4, NFSPROC4_COMPOUND);
    talk_ask(&t);
    ck_assert_uint_eq(t.accept_stat, GARBAGE_ARGS);
    talk_header(&t, NFS4_PROGRAM, NFS_V4, NFSPROC4_COMPOUND);
    talk_words(&t, 0, 1, 1, OP_PUTROOTFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_MINOR_VERS_MISMATCH);
    ck_assert_uint_eq(t.count, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nfs42_session");
    TCase *tc;

    tc = check_case(s, "clients");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, a_client_is_confirmed_by_its_session);
    tcase_add_test(tc, a_client_that_began_anew_loses_its_session);
    tcase_add_test(tc, updates_are_for_what_is_confirmed);
    tcase_add_test(tc, create_session_is_a_slot_of_its_own);
    tcase_add_test(tc, what_is_destroyed_is_gone);
    tcase_add_test(tc, a_session_may_end_itself_last);
    tcase_add_test(tc, a_client_may_end_itself_in_the_middle);
    tc = check_case(s, "slots");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, what_was_kept_is_said_again);
    tcase_add_test(tc, what_was_not_kept_is_not_done_again);
    tcase_add_test(tc, another_request_is_no_retry);
    tcase_add_test(tc, numbers_come_one_after_the_other);
    tcase_add_test(tc, slots_and_sessions_that_are_none);
    tc = check_case(s, "places");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, operations_have_their_places);
    tcase_add_test(tc, what_is_refused);
    tcase_add_test(tc, rpc_around_it);
    return check_run(s);
}
