/*
 * nfs42d's open files, their stateids, and what is read: READ, READ_PLUS, SEEK.
 */
#include "nfs42_talk.h"

static struct talk t;
static const struct talk_channel much;
static const stateid4 none; /* the anonymous stateid */

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

static void shell(const char *command)
{
    char line[256];

    snprintf(line, sizeof(line), "cd '%s' && %s", t.folder, command);
    ck_assert_int_eq(system(line), 0);
}

/* --- open files ----------------------------------------------------------- */

static uint32_t read_open(const char *name, const stateid4 *stateid)
{
    talk_begin(&t, 4);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_LOOKUP, name);
    talk_read(&t, OP_READ, stateid, 0, 5);
    return talk_ask(&t);
}

static uint32_t close_file(const char *name, const stateid4 *stateid)
{
    talk_begin(&t, 4);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_LOOKUP, name);
    talk_words(&t, OP_CLOSE, 0);
    talk_stateid(&t, stateid);
    return talk_ask(&t);
}

START_TEST(stateids_have_their_time)
{
    stateid4 first = talk_opened(&t, "a"), second, wrong;

    ck_assert_uint_eq(first.seqid, 1);
    ck_assert_uint_eq(read_open("a", &first), NFS4_OK);
    second = talk_opened(&t, "a"); /* the same owner: the same open */
    ck_assert_uint_eq(second.seqid, 2);
    ck_assert_mem_eq(first.other, second.other, sizeof(first.other));
    ck_assert_uint_eq(read_open("a", &first), NFS4ERR_OLD_STATEID);
    wrong = second;
    wrong.seqid = 3;
    ck_assert_uint_eq(read_open("a", &wrong), NFS4ERR_BAD_STATEID);
    wrong.seqid = 0; /* whichever it is */
    ck_assert_uint_eq(read_open("a", &wrong), NFS4_OK);
    wrong.other[11] ^= 1;
    ck_assert_uint_eq(read_open("a", &wrong), NFS4ERR_BAD_STATEID);
    ck_assert_uint_eq(read_open("d", &second), NFS4ERR_BAD_STATEID);
    wrong = none;
    wrong.seqid = 7;
    ck_assert_uint_eq(read_open("a", &wrong), NFS4ERR_BAD_STATEID);
    ck_assert_uint_eq(close_file("a", &second), NFS4_OK);
    ck_assert_uint_eq(read_open("a", &second), NFS4ERR_BAD_STATEID);
    ck_assert_uint_eq(close_file("a", &second), NFS4ERR_BAD_STATEID);
}
END_TEST

START_TEST(an_open_file_is_read_without_its_name)
{
    stateid4 stateid = talk_opened(&t, "a");
    uint8_t handle[HANDLE_SIZE];

    ck_assert(talk_lookup(&t, "a", handle));
    shell("rm export/a");
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    talk_putfh(&t, handle);
    talk_read(&t, OP_READ_PLUS, &stateid, 0, 5);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    ck_assert_mem_eq(t.rest + 28, "begin", 5);
}
END_TEST

static uint32_t open_with(uint32_t access, uint32_t deny, const char *owner)
{
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    talk_words(&t, OP_PUTROOTFH, OP_OPEN, 0, access, deny);
    put64(&t.put, t.client);
    put_opaque(&t.put, owner, strlen(owner));
    talk_words(&t, OPEN4_NOCREATE, CLAIM_NULL);
    put_opaque(&t.put, "a", 1);
    return talk_ask(&t);
}

START_TEST(only_reading_is_opened)
{
    ck_assert_uint_eq(open_with(2, 0, "o"), NFS4ERR_ROFS);
    ck_assert_uint_eq(open_with(3, 0, "o"), NFS4ERR_ROFS);
    ck_assert_uint_eq(open_with(0, 0, "o"), NFS4ERR_INVAL);
    ck_assert_uint_eq(open_with(1, 4, "o"), NFS4ERR_INVAL);
    ck_assert_uint_eq(open_with(1, OPEN4_SHARE_DENY_WRITE, "o"), NFS4_OK);
    ck_assert_uint_eq(open_with(1, OPEN4_SHARE_DENY_READ, "p"),
                      NFS4ERR_SHARE_DENIED);
    ck_assert_uint_eq(open_with(1, OPEN4_SHARE_DENY_READ, "o"), NFS4_OK);
    ck_assert_uint_eq(open_with(1, 0, "p"), NFS4ERR_SHARE_DENIED);
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_open(&t, CLAIM_NULL, "d");
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_ISDIR);
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_open(&t, CLAIM_NULL, "link");
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_SYMLINK);
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_open(&t, CLAIM_NULL, "fifo"); /* and it does not wait for a writer */
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_WRONG_TYPE);
}
END_TEST

static uint32_t open_claim(const uint8_t *handle, uint32_t claim)
{
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    talk_putfh(&t, handle);
    talk_open(&t, claim, NULL);
    return talk_ask(&t);
}

START_TEST(what_was_open_is_reclaimed)
{
    uint8_t handle[HANDLE_SIZE];

    ck_assert(talk_lookup(&t, "a", handle));
    ck_assert_uint_eq(open_claim(handle, CLAIM_PREVIOUS), NFS4ERR_NO_GRACE);
    talk_forget(&t);
    talk_stop(&t);
    talk_start(&t);
    talk_begin(&t, 1);
    talk_sequence(&t, 0, false);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_BADSESSION);
    ck_assert_uint_eq(talk_create(&t, much), NFS4ERR_STALE_CLIENTID);
    ck_assert_uint_eq(talk_exchange(&t, "a client", 1, 0), NFS4_OK);
    ck_assert_uint_eq(talk_create(&t, much), NFS4_OK);
    ck_assert_uint_eq(open_claim(handle, CLAIM_FH), NFS4ERR_GRACE);
    ck_assert_uint_eq(open_claim(handle, CLAIM_PREVIOUS), NFS4_OK);
    talk_reclaim_complete(&t);
    ck_assert_uint_eq(open_claim(handle, CLAIM_PREVIOUS), NFS4ERR_NO_GRACE);
    ck_assert_uint_eq(open_claim(handle, CLAIM_FH), NFS4_OK);
    talk_begin(&t, 2);
    talk_sequence(&t, 0, true);
    talk_words(&t, OP_RECLAIM_COMPLETE, 0);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_COMPLETE_ALREADY);
}
END_TEST

/* OPEN and READ in one COMPOUND, by the current stateid. */
START_TEST(the_current_stateid)
{
    const stateid4 current = {1, {0}};

    talk_begin(&t, 5);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_open(&t, CLAIM_NULL, "a");
    talk_read(&t, OP_READ, &current, 0, 5);
    talk_words(&t, OP_CLOSE, 0);
    talk_stateid(&t, &current);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    ck_assert_uint_eq(read_open("a", &current), NFS4ERR_BAD_STATEID);
}
END_TEST

/* --- what is read --------------------------------------------------------- */

START_TEST(read_plus_tells_of_holes)
{
    stateid4 stateid = talk_opened(&t, "a");
    const uint32_t want[] = {0, 1, 2, 0, 0, 0, 4096, 0x62656769,
                             /* "begi" */};
    size_t i;

    talk_begin(&t, 4);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_LOOKUP, "a");
    talk_read(&t, OP_READ_PLUS, &stateid, 0, 200000);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
        ck_assert_uint_eq(put_load32(t.rest + 4 * i), want[i]);
    ck_assert_uint_eq(put_load32(t.rest + 28 + 4096), NFS4_CONTENT_HOLE);
    ck_assert_uint_eq(put_load32(t.rest + 28 + 4096 + 16), 100000 - 4096);
    t.server.options.read_plus = false;
    talk_begin(&t, 4);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_LOOKUP, "a");
    talk_read(&t, OP_READ_PLUS, &stateid, 0, 200000);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_NOTSUPP);
}
END_TEST

START_TEST(only_files_are_read)
{
    ck_assert_uint_eq(read_open("d", &none), NFS4ERR_ISDIR);
    ck_assert_uint_eq(read_open("link", &none), NFS4ERR_SYMLINK);
    ck_assert_uint_eq(read_open("fifo", &none), NFS4ERR_WRONG_TYPE);
}
END_TEST

/* SEEK for what, from offset: the status, and *at. */
static uint32_t seek(uint64_t offset, uint32_t what, uint64_t *at)
{
    const seek_res4 *res = &t.results[3].nfs_resop4_u.opseek.SEEK4res_u.resok4;
    uint32_t status;

    talk_begin(&t, 4);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_LOOKUP, "a");
    put32(&t.put, OP_SEEK);
    talk_stateid(&t, &none);
    put64(&t.put, offset);
    put32(&t.put, what);
    status = talk_ask(&t);
    *at = status == NFS4_OK ? res->sr_offset : 0;
    return status;
}

START_TEST(seek_finds_what_lies_there)
{
    uint64_t at;

    ck_assert_uint_eq(seek(0, NFS4_CONTENT_DATA, &at), NFS4_OK);
    ck_assert_uint_eq(at, 0);
    ck_assert_uint_eq(seek(0, NFS4_CONTENT_HOLE, &at), NFS4_OK);
    ck_assert_uint_ge(at, 5);
    ck_assert_uint_eq(seek(100000, NFS4_CONTENT_DATA, &at), NFS4ERR_NXIO);
    ck_assert_uint_eq(seek(0, 2, &at), NFS4ERR_UNION_NOTSUPP);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nfs42_open");
    TCase *tc;

    tc = check_case(s, "open files");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, stateids_have_their_time);
    tcase_add_test(tc, an_open_file_is_read_without_its_name);
    tcase_add_test(tc, only_reading_is_opened);
    tcase_add_test(tc, what_was_open_is_reclaimed);
    tcase_add_test(tc, the_current_stateid);
    tc = check_case(s, "reading");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, read_plus_tells_of_holes);
    tcase_add_test(tc, only_files_are_read);
    tcase_add_test(tc, seek_finds_what_lies_there);
    return check_run(s);
}
