/*
 * Each rule of a client's judgement, with what real servers did to need it
 * (their replies themselves are in check_captures.c).
 */
#include <readplus/judge.h>

#include "check_main.h"

#define ERR(name) READPLUS_ERR_##name
#define FINDING(name) READPLUS_FINDING_##name
#define ACTION(name) READPLUS_ACTION_##name

/* A file of 1 MiB on a fresh server, read 64 KiB at a time. */
#define SIZE (1u << 20)
#define COUNT (64u << 10)

static struct readplus_server server;
static struct readplus_judge judge;

static void fresh(void)
{
    readplus_server_init(&server);
    readplus_judge_init(&judge, &server, SIZE);
}

static struct readplus_verdict answered(uint64_t offset,
                                        struct readplus_answer answer)
{
    struct readplus_args args = {.offset = offset, .count = COUNT};

    return readplus_judge_answer(&judge, &args, &answer);
}

static void expect(struct readplus_verdict verdict,
                   enum readplus_finding finding, enum readplus_action action,
                   uint64_t next)
{
    ck_assert_int_eq(verdict.finding, finding);
    ck_assert_int_eq(verdict.action, action);
    ck_assert_uint_eq(verdict.next, next);
}

#define OK(n) ((struct readplus_answer){.bytes = (n)})
#define LAST(n) ((struct readplus_answer){.bytes = (n), .eof = true})
#define STATUS(s) ((struct readplus_answer){.status = (s)})
#define FAULT(e) ((struct readplus_answer){.error = (e)})
#define BY_READ(n, e)                                                          \
    ((struct readplus_answer){.bytes = (n), .eof = (e), .read = true})

/* Linux from 6.2 on: one data element, all that was asked. */
START_TEST(whole)
{
    struct readplus_verdict v;

    fresh();
    v = answered(0, OK(COUNT));
    expect(v, FINDING(WHOLE), ACTION(CONTINUE), COUNT);
    ck_assert_uint_eq(v.left, 0);
    ck_assert(!readplus_judge_use_read(&judge));
    expect(answered(SIZE - COUNT, LAST(COUNT)), FINDING(EOF), ACTION(DONE),
           SIZE);
}
END_TEST

/* Replies cut to one or three elements, as the proxy sent them. */
START_TEST(cut_short)
{
    struct readplus_verdict v;

    fresh();
    v = answered(0, OK(COUNT - 1));
    expect(v, FINDING(SHORT), ACTION(CONTINUE), COUNT - 1);
    ck_assert_uint_eq(v.left, 1);
    v = answered(4096, OK(8192));
    expect(v, FINDING(SHORT), ACTION(CONTINUE), 4096 + 8192);
    ck_assert_uint_eq(v.left, COUNT - 8192);
}
END_TEST

/* A commercial server's hole, far longer than the request, used whole. */
START_TEST(hole_beyond)
{
    struct readplus_verdict v;

    fresh();
    v = answered(0, OK(UINT64_C(1) << 40));
    expect(v, FINDING(WHOLE), ACTION(CONTINUE), UINT64_C(1) << 40);
    /* nfsd 5.10, file truncated between two look-ups: almost 2^64. */
    v = answered(4096, OK(UINT64_MAX));
    expect(v, FINDING(WHOLE), ACTION(CONTINUE), UINT64_MAX);
}
END_TEST

/* Nothing behind the end: nfsd's and chimera's empty array with eof. */
START_TEST(at_the_end)
{
    fresh();
    expect(answered(SIZE, LAST(0)), FINDING(EOF), ACTION(DONE), SIZE);
    expect(answered(UINT64_MAX, LAST(0)), FINDING(EOF), ACTION(DONE),
           UINT64_MAX);
    readplus_judge_set_size(&judge, 0); /* not known, or empty */
    expect(answered(0, LAST(0)), FINDING(EOF), ACTION(DONE), 0);
}
END_TEST

/* nfs-ganesha: one zero-length DATA and eof, every file looks empty. */
START_TEST(empty_too_early)
{
    struct readplus_verdict v;

    fresh();
    v = answered(0, LAST(0));
    expect(v, FINDING(IMPLAUSIBLE), ACTION(READ_FILE), 0);
    ck_assert(v.first);
    ck_assert(readplus_judge_use_read(&judge));
    ck_assert(!server.use_read);
    /* The other calls in flight come to the same and count once. */
    v = answered(COUNT, LAST(0));
    expect(v, FINDING(IMPLAUSIBLE), ACTION(READ_FILE), COUNT);
    ck_assert(!v.first);
    ck_assert_uint_eq(server.doubted, 1);
    /* READ tells the truth: here a file that was truncated. */
    expect(answered(0, BY_READ(100, true)), FINDING(EOF), ACTION(DONE), 100);
}
END_TEST

/* ... and so does the next file, and the one after it: enough. */
START_TEST(empty_again_and_again)
{
    uint32_t i;

    fresh();
    for (i = 1; i < READPLUS_PATIENCE; i++) {
        readplus_judge_init(&judge, &server, SIZE);
        expect(answered(0, LAST(0)), FINDING(IMPLAUSIBLE), ACTION(READ_FILE),
               0);
    }
    readplus_judge_init(&judge, &server, SIZE);
    ck_assert(!readplus_judge_use_read(&judge));
    expect(answered(0, LAST(0)), FINDING(IMPLAUSIBLE), ACTION(READ_SERVER), 0);
    readplus_judge_init(&judge, &server, SIZE);
    ck_assert(readplus_judge_use_read(&judge));
    /* Trusted again by the caller, it is doubted from the beginning. */
    server.use_read = false;
    expect(answered(0, LAST(0)), FINDING(IMPLAUSIBLE), ACTION(READ_FILE), 0);
}
END_TEST

/* How many doubted files in a row it takes from here. */
static uint32_t files_to_despair(void)
{
    uint32_t files = 0;

    while (!server.use_read) {
        readplus_judge_init(&judge, &server, SIZE);
        (void)answered(0, LAST(0));
        ck_assert_uint_lt(files++, 100);
    }
    return files;
}

/* Only a READ_PLUS that brings bytes restores trust, and it does so wholly. */
START_TEST(what_restores_trust)
{
    fresh();
    server.patience = 5;
    ck_assert_uint_eq(files_to_despair(), 5);
    server.use_read = false; /* by the caller */
    ck_assert_uint_eq(files_to_despair(), 5);

    fresh();
    server.patience = 5;
    (void)answered(0, LAST(0));
    (void)answered(0, BY_READ(SIZE, true));
    ck_assert_uint_eq(files_to_despair(), 4);

    fresh();
    server.patience = 5;
    (void)answered(0, LAST(0));
    (void)answered(SIZE, LAST(0));
    ck_assert_uint_eq(files_to_despair(), 4);

    fresh();
    server.patience = 5;
    (void)answered(0, LAST(0));
    (void)answered(0, OK(1));
    ck_assert_uint_eq(files_to_despair(), 5);
}
END_TEST

/* A server that answers well in between is not given up. */
START_TEST(good_in_between)
{
    uint32_t i;

    fresh();
    for (i = 0; i < 4 * READPLUS_PATIENCE; i++) {
        readplus_judge_init(&judge, &server, SIZE);
        expect(answered(0, LAST(0)), FINDING(IMPLAUSIBLE), ACTION(READ_FILE),
               0);
        readplus_judge_init(&judge, &server, SIZE);
        expect(answered(0, OK(1)), FINDING(SHORT), ACTION(CONTINUE), 1);
    }
    ck_assert(!server.use_read);
}
END_TEST

/* nfsd before 2020-12 kept eof on a reply that it had cut short. */
START_TEST(eof_with_bytes_too_early)
{
    fresh();
    expect(answered(0, LAST(4096)), FINDING(SHORT), ACTION(CONTINUE), 4096);
    expect(answered(0, LAST(COUNT)), FINDING(WHOLE), ACTION(CONTINUE), COUNT);
    ck_assert(!readplus_judge_use_read(&judge));
    /* Where the file did shrink, the next answer is empty, and READ decides. */
    expect(answered(4096, LAST(0)), FINDING(IMPLAUSIBLE), ACTION(READ_FILE),
           4096);
    expect(answered(4096, BY_READ(0, true)), FINDING(EOF), ACTION(DONE), 4096);
}
END_TEST

/* nfs-ganesha on a large file: zero-length DATA, eof FALSE, for ever. */
START_TEST(no_progress)
{
    uint32_t i;

    fresh();
    for (i = 1; i < READPLUS_PATIENCE; i++)
        expect(answered(0, OK(0)), FINDING(IDLE), ACTION(RETRY), 0);
    expect(answered(0, OK(0)), FINDING(IDLE), ACTION(READ_FILE), 0);
    ck_assert(readplus_judge_use_read(&judge));
    /* One that was in flight when the file turned to READ. */
    expect(answered(COUNT, OK(0)), FINDING(IDLE), ACTION(READ_FILE), COUNT);
    /* READ does no better. */
    for (i = 1; i < READPLUS_PATIENCE; i++)
        expect(answered(0, BY_READ(0, false)), FINDING(IDLE), ACTION(RETRY), 0);
    expect(answered(0, BY_READ(0, false)), FINDING(IDLE), ACTION(FAIL), 0);
    expect(answered(0, BY_READ(0, false)), FINDING(IDLE), ACTION(FAIL), 0);
}
END_TEST

START_TEST(progress_in_between)
{
    uint32_t i;

    fresh();
    server.patience = 2;
    for (i = 0; i < 10; i++) {
        expect(answered(0, OK(0)), FINDING(IDLE), ACTION(RETRY), 0);
        expect(answered(0, OK(1)), FINDING(SHORT), ACTION(CONTINUE), 1);
    }
    ck_assert(!readplus_judge_use_read(&judge));
}
END_TEST

/* Whatever turned a file to READ, READ is given all the patience there is. */
START_TEST(patience_begins_anew)
{
    uint32_t i;

    fresh();
    server.patience = 6;
    for (i = 1; i < 6; i++)
        expect(answered(0, OK(0)), FINDING(IDLE), ACTION(RETRY), 0);
    (void)answered(0, STATUS(_i == 0 ? 10004 : 10066));
    for (i = 1; i < 6; i++)
        expect(answered(0, BY_READ(0, false)), FINDING(IDLE), ACTION(RETRY), 0);
    expect(answered(0, BY_READ(0, false)), FINDING(IDLE), ACTION(FAIL), 0);
}
END_TEST

/* One byte was asked for, and did not come. */
START_TEST(no_progress_by_one)
{
    struct readplus_args args = {.offset = 0, .count = 1};
    struct readplus_answer answer = OK(0);

    fresh();
    expect(readplus_judge_answer(&judge, &args, &answer), FINDING(IDLE),
           ACTION(RETRY), 0);
}
END_TEST

START_TEST(patience_of_one)
{
    fresh();
    server.patience = 1;
    expect(answered(0, OK(0)), FINDING(IDLE), ACTION(READ_SERVER), 0);
    expect(answered(0, BY_READ(0, false)), FINDING(IDLE), ACTION(FAIL), 0);
}
END_TEST

/* A request for nothing brings nothing. */
START_TEST(count_zero)
{
    struct readplus_args args = {.offset = 0, .count = 0};
    struct readplus_answer answer = OK(0);

    fresh();
    expect(readplus_judge_answer(&judge, &args, &answer), FINDING(WHOLE),
           ACTION(CONTINUE), 0);
}
END_TEST

/* Linux --off: what the proxy's client saw, with 16 calls in flight. */
START_TEST(not_supported_in_flight)
{
    struct readplus_verdict v;
    struct readplus_judge other;
    uint64_t i;

    fresh();
    readplus_judge_init(&other, &server, 1);
    v = answered(0, STATUS(_i == 0 ? 10004 : 10044));
    expect(v, FINDING(NOTSUPP), ACTION(READ_SERVER), 0);
    ck_assert(v.first);
    for (i = 1; i < 16; i++) {
        v = answered(i * COUNT, STATUS(10004));
        expect(v, FINDING(NOTSUPP), ACTION(READ_SERVER), i * COUNT);
        ck_assert(!v.first);
        ck_assert_uint_eq(v.left, COUNT);
    }
    ck_assert(readplus_judge_use_read(&judge));
    ck_assert(readplus_judge_use_read(&other));
    /* A good one that was sent before is used. */
    expect(answered(0, OK(COUNT)), FINDING(WHOLE), ACTION(CONTINUE), COUNT);
    /* A faulty one is asked again by READ, for every file. */
    expect(answered(0, FAULT(ERR(GAP))), FINDING(IMPLAUSIBLE),
           ACTION(READ_SERVER), 0);
    ck_assert(readplus_judge_use_read(&judge));
}
END_TEST

/* A session sized for READ is 16 bytes short of a READ_PLUS. */
START_TEST(too_big)
{
    fresh();
    expect(answered(COUNT, STATUS(10066)), FINDING(TOO_BIG), ACTION(READ_FILE),
           COUNT);
    ck_assert_uint_eq(server.doubted, 0);
    fresh();
    expect(answered(0, STATUS(10067)), FINDING(TOO_BIG), ACTION(READ_FILE), 0);
}
END_TEST

/* What READ would have met as well is not READ_PLUS's fault. */
START_TEST(other_status)
{
    static const uint32_t statuses[] = {5,     13,    22,    10008, 10013,
                                        10025, 10052, 10090, 70,    0xffffffff};

    fresh();
    expect(answered(0, STATUS(statuses[_i])), FINDING(STATUS), ACTION(STATUS),
           0);
    ck_assert(!readplus_judge_use_read(&judge));
}
END_TEST

START_TEST(status_of_a_read)
{
    struct readplus_answer answer = {.status = 10004, .read = true};

    fresh();
    expect(answered(0, answer), FINDING(STATUS), ACTION(STATUS), 0);
    ck_assert(!server.use_read);
}
END_TEST

/* Every fault that a decoder can find in a reply. */
static const enum readplus_error faults[] = {
    ERR(TRUNCATED),   ERR(BAD_BOOL), ERR(BAD_PAD),    ERR(TRAILING),
    ERR(BAD_MESSAGE), ERR(RANGE),    ERR(LATE_START), ERR(BAD_CONTENT),
    ERR(GAP),         ERR(ORDER),    ERR(OVERLAP)};

START_TEST(faulty)
{
    struct readplus_answer answer = FAULT(faults[_i]);
    struct readplus_verdict v;

    fresh();
    answer.bytes = 512; /* the good ones before it */
    v = answered(1024, answer);
    expect(v, FINDING(IMPLAUSIBLE), ACTION(READ_FILE), 1536);
    ck_assert_uint_eq(v.left, COUNT - 512);
    ck_assert(readplus_judge_use_read(&judge));
    ck_assert_uint_eq(server.doubted, 1);
    answer.read = true; /* no third way to ask */
    expect(answered(0, answer), FINDING(IMPLAUSIBLE), ACTION(FAIL), 512);
}
END_TEST

/* A full disk or a wrong call says nothing about the server. */
START_TEST(own_failure)
{
    static const enum readplus_error own[] = {ERR(INVAL), ERR(STATE),
                                              ERR(NOSPACE), ERR(IO)};

    fresh();
    expect(answered(0, FAULT(own[_i])), FINDING(LOCAL), ACTION(FAIL), 0);
    ck_assert(!readplus_judge_use_read(&judge));
    ck_assert_uint_eq(server.doubted, 0);
}
END_TEST

/* Another chance, by the caller: after a server was updated, say. */
START_TEST(trusted_again)
{
    fresh();
    (void)answered(0, STATUS(10004));
    server.use_read = false;
    ck_assert(!readplus_judge_use_read(&judge));
    expect(answered(0, OK(COUNT)), FINDING(WHOLE), ACTION(CONTINUE), COUNT);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("judge");
    TCase *tc = check_case(s, "use it");

    tcase_add_test(tc, whole);
    tcase_add_test(tc, cut_short);
    tcase_add_test(tc, hole_beyond);
    tcase_add_test(tc, at_the_end);
    tcase_add_test(tc, count_zero);
    tc = check_case(s, "doubt it");
    tcase_add_test(tc, empty_too_early);
    tcase_add_test(tc, empty_again_and_again);
    tcase_add_test(tc, what_restores_trust);
    tcase_add_test(tc, good_in_between);
    tcase_add_test(tc, eof_with_bytes_too_early);
    tcase_add_loop_test(tc, faulty, 0,
                        (int)(sizeof(faults) / sizeof(faults[0])));
    tc = check_case(s, "no progress");
    tcase_add_test(tc, no_progress);
    tcase_add_test(tc, progress_in_between);
    tcase_add_loop_test(tc, patience_begins_anew, 0, 2);
    tcase_add_test(tc, no_progress_by_one);
    tcase_add_test(tc, patience_of_one);
    tc = check_case(s, "status");
    tcase_add_loop_test(tc, not_supported_in_flight, 0, 2);
    tcase_add_test(tc, too_big);
    tcase_add_loop_test(tc, other_status, 0, 10);
    tcase_add_test(tc, status_of_a_read);
    tcase_add_loop_test(tc, own_failure, 0, 4);
    tcase_add_test(tc, trusted_again);
    return check_run(s);
}
