/*
 * nfs42d's smaller operations: attributes and their comparison, ACCESS, saved
 * handles, SECINFO, and what is said about stateids.
 */
#include "nfs42_talk.h"

static struct talk t;
static const struct talk_channel much;

static void begin(void)
{
    talk_world(&t);
    talk_start(&t);
    talk_greet(&t, much);
}

static void end(void)
{
    talk_end(&t);
}

/* --- attributes ----------------------------------------------------------- */

START_TEST(attributes_come_in_the_order_of_their_bits)
{
    const fattr4 *got =
        &t.results[3]
             .nfs_resop4_u.opgetattr.GETATTR4res_u.resok4.obj_attributes;
    const uint8_t *at;

    talk_begin(&t, 4);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_LOOKUP, "a");
    /* type, size, an attribute that is not known (12), mode; a fourth word */
    talk_words(&t, OP_GETATTR, 4, 1u << 1 | 1u << 4 | 1u << 12, 1u << 1, 0,
               UINT32_MAX);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    ck_assert_uint_eq(got->attrmask.bitmap4_len, 2);
    ck_assert_uint_eq(got->attrmask.bitmap4_val[0], 1u << 1 | 1u << 4);
    ck_assert_uint_eq(got->attrmask.bitmap4_val[1], 1u << 1);
    ck_assert_uint_eq(got->attr_vals.attrlist4_len, 16);
    at = (const uint8_t *)got->attr_vals.attrlist4_val;
    ck_assert_uint_eq(put_load32(at), NF4REG);
    ck_assert_uint_eq(put_load32(at + 4), 0);
    ck_assert_uint_eq(put_load32(at + 8), 100000);
    ck_assert_uint_eq(put_load32(at + 12), 0644);
}
END_TEST

/* VERIFY or NVERIFY the root's type, and one attribute more in word 0. */
static uint32_t verify(uint32_t op, uint32_t more, uint32_t type)
{
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    talk_words(&t, OP_PUTROOTFH, op, 1, 1u << FATTR4_TYPE | more, 4, type);
    return talk_ask(&t);
}

START_TEST(attributes_are_compared)
{
    ck_assert_uint_eq(verify(OP_VERIFY, 0, NF4DIR), NFS4_OK);
    ck_assert_uint_eq(verify(OP_VERIFY, 0, NF4REG), NFS4ERR_NOT_SAME);
    ck_assert_uint_eq(verify(OP_NVERIFY, 0, NF4DIR), NFS4ERR_SAME);
    ck_assert_uint_eq(verify(OP_NVERIFY, 0, NF4REG), NFS4_OK);
    ck_assert_uint_eq(verify(OP_VERIFY, 1u << FATTR4_RDATTR_ERROR, NF4DIR),
                      NFS4ERR_INVAL);
    ck_assert_uint_eq(verify(OP_VERIFY, 1u << 12, NF4DIR), NFS4ERR_ATTRNOTSUPP);
}
END_TEST

START_TEST(access_is_never_to_write)
{
    const ACCESS4resok *res =
        &t.results[2].nfs_resop4_u.opaccess.ACCESS4res_u.resok4;

    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    talk_words(&t, OP_PUTROOTFH, OP_ACCESS, 0xff);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    ck_assert_uint_eq(res->supported, 0x3f);
    ck_assert_uint_eq(res->access, ACCESS4_READ | ACCESS4_LOOKUP);
}
END_TEST

/* --- handles of a COMPOUND ------------------------------------------------ */

START_TEST(handles_are_saved_and_restored)
{
    talk_begin(&t, 8);
    talk_sequence(&t, 0, false);
    talk_words(&t, OP_PUTROOTFH, OP_GETFH, OP_SAVEFH);
    talk_name(&t, OP_LOOKUP, "a");
    talk_words(&t, OP_RESTOREFH, OP_GETFH, OP_LOOKUPP);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_NOENT);
    ck_assert_mem_eq(
        t.results[2].nfs_resop4_u.opgetfh.GETFH4res_u.resok4.object.nfs_fh4_val,
        t.results[6].nfs_resop4_u.opgetfh.GETFH4res_u.resok4.object.nfs_fh4_val,
        HANDLE_SIZE);
    talk_begin(&t, 2);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_RESTOREFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_NOFILEHANDLE);
    talk_begin(&t, 2);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_GETFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_NOFILEHANDLE);
}
END_TEST

START_TEST(secinfo_takes_the_handle_away)
{
    const SECINFO4resok *res =
        &t.results[2].nfs_resop4_u.opsecinfo.SECINFO4res_u.resok4;

    talk_begin(&t, 4);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_SECINFO, "a");
    put32(&t.put, OP_GETFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_NOFILEHANDLE);
    ck_assert_uint_eq(res->SECINFO4resok_len, 2);
    ck_assert_uint_eq(res->SECINFO4resok_val[0].flavor, AUTH_SYS);
    talk_begin(&t, 4);
    talk_sequence(&t, 0, false);
    talk_words(&t, OP_PUTROOTFH, OP_SECINFO_NO_NAME, SECINFO_STYLE4_CURRENT_FH,
               OP_GETFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_NOFILEHANDLE);
    ck_assert_uint_eq(talk_status(&t, 2), NFS4_OK);
}
END_TEST

/* --- stateids ------------------------------------------------------------- */

START_TEST(stateids_are_told_apart)
{
    const TEST_STATEID4resok *res =
        &t.results[1].nfs_resop4_u.optest_stateid.TEST_STATEID4res_u.tsr_resok4;
    stateid4 old = talk_opened(&t, "a"), now = talk_opened(&t, "a");
    stateid4 wrong = now;

    wrong.other[0] ^= 1;
    talk_begin(&t, 2);
    talk_sequence(&t, 0, false);
    talk_words(&t, OP_TEST_STATEID, 3);
    talk_stateid(&t, &now);
    talk_stateid(&t, &old);
    talk_stateid(&t, &wrong);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    ck_assert_uint_eq(res->tsr_status_codes.tsr_status_codes_len, 3);
    ck_assert_uint_eq(res->tsr_status_codes.tsr_status_codes_val[0], NFS4_OK);
    ck_assert_uint_eq(res->tsr_status_codes.tsr_status_codes_val[1],
                      NFS4ERR_OLD_STATEID);
    ck_assert_uint_eq(res->tsr_status_codes.tsr_status_codes_val[2],
                      NFS4ERR_BAD_STATEID);
    talk_begin(&t, 2);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_FREE_STATEID);
    talk_stateid(&t, &now);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_LOCKS_HELD);
}
END_TEST

static uint32_t downgrade(const stateid4 *stateid, uint32_t access,
                          uint32_t deny)
{
    talk_begin(&t, 4);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_LOOKUP, "a");
    put32(&t.put, OP_OPEN_DOWNGRADE);
    talk_stateid(&t, stateid);
    talk_words(&t, 0, access, deny);
    return talk_ask(&t);
}

START_TEST(opens_are_downgraded_never_up)
{
    stateid4 stateid = talk_opened(&t, "a");

    ck_assert_uint_eq(downgrade(&stateid, OPEN4_SHARE_ACCESS_BOTH, 0),
                      NFS4ERR_INVAL);
    ck_assert_uint_eq(
        downgrade(&stateid, OPEN4_SHARE_ACCESS_READ, OPEN4_SHARE_DENY_READ),
        NFS4ERR_INVAL);
    ck_assert_uint_eq(downgrade(&stateid, OPEN4_SHARE_ACCESS_READ, 0), NFS4_OK);
    ck_assert_uint_eq(downgrade(&stateid, OPEN4_SHARE_ACCESS_READ, 0),
                      NFS4ERR_OLD_STATEID);
}
END_TEST

/* Another client's stateid is none, though it knows every bit of it. */
START_TEST(stateids_are_their_clients)
{
    stateid4 stateid = talk_opened(&t, "a");

    ck_assert_uint_eq(talk_exchange(&t, "another", 1, 0), NFS4_OK);
    ck_assert_uint_eq(talk_create(&t, much), NFS4_OK);
    talk_reclaim_complete(&t);
    talk_begin(&t, 4);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_LOOKUP, "a");
    talk_read(&t, OP_READ_PLUS, &stateid, 0, 10);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_BAD_STATEID);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nfs42_operations");
    TCase *tc = check_case(s, "attributes");

    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, attributes_come_in_the_order_of_their_bits);
    tcase_add_test(tc, attributes_are_compared);
    tcase_add_test(tc, access_is_never_to_write);
    tc = check_case(s, "handles");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, handles_are_saved_and_restored);
    tcase_add_test(tc, secinfo_takes_the_handle_away);
    tc = check_case(s, "stateids");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, stateids_are_told_apart);
    tcase_add_test(tc, opens_are_downgraded_never_up);
    tcase_add_test(tc, stateids_are_their_clients);
    return check_run(s);
}
