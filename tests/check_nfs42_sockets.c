/*
 * nfs42d behind sockets, and peers that mean no good or are gone: whatever one
 * of them does, the others are served, and in the end nothing is left of it.
 * The server is the program itself.
 */
#include "nfs42_program.h"

/* --- records -------------------------------------------------------------- */

START_TEST(records_that_are_too_long_end_at_their_mark)
{
    static const uint32_t marks[] = {0xffffffff, 0x7fffffff, 0x80010001,
                                     0x00010001};
    unsigned long before = resident();
    size_t i;
    int fd;

    for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        fd = reach();
        send_word(fd, marks[i]);
        ck_assert(ended(fd));
        close(fd);
        still_served();
    }
    grew_less_than(4096, before);
}
END_TEST

START_TEST(records_come_in_any_pieces)
{
    uint8_t pieces[8192];
    size_t len, i, at = 0;
    int fd = t.fd;

    talk_begin(&t, 2);
    talk_sequence(&t, 1, true);
    put32(&t.put, OP_PUTROOTFH);
    len = t.put.len - 4;
    for (i = 0; i < len; i++) { /* fragments of one byte, and of none */
        put_store32(pieces + at, 0);
        put_store32(pieces + at + 4, 1 | (i + 1 == len ? 0x80000000u : 0));
        pieces[at + 8] = t.call[4 + i];
        at += 9;
    }
    for (i = 0; i < at; i += 7)
        ck_assert_int_gt(
            send(fd, pieces + i, at - i < 7 ? at - i : 7, MSG_NOSIGNAL), 0);
    ck_assert(talk_receive(fd, t.bytes, 4));
    len = put_load32(t.bytes) & 0x7fffffffu;
    ck_assert(talk_receive(fd, t.bytes + 4, len));
    ck_assert_uint_eq(put_load32(t.bytes + 28), NFS4_OK);
    still_served();
}
END_TEST

START_TEST(what_is_no_call_ends_the_connection)
{
    static const uint32_t reply[] = {0x8000000c, 1, 1, 0};
    size_t i;
    int fd = reach();

    for (i = 0; i < 4; i++)
        send_word(fd, reply[i]);
    ck_assert(ended(fd));
    close(fd);
    fd = reach();
    send_word(fd, 0x80000000); /* an empty record */
    ck_assert(ended(fd));
    close(fd);
    fd = reach(); /* nothing but marks */
    for (i = 0; i < 20000; i++)
        if (send(fd, "\0\0\0\0", 4, MSG_NOSIGNAL) < 0)
            break;
    ck_assert(ended(fd));
    close(fd);
    still_served();
}
END_TEST

/* --- many ----------------------------------------------------------------- */

#define MANY 1000

START_TEST(a_thousand_half_open_connections)
{
    static int fds[MANY];
    struct rlimit limit;
    unsigned long before = resident();
    size_t i;

    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    for (i = 0; i < MANY; i++) {
        fds[i] = reach();
        send_word(fds[i], 0x80000100); /* and 256 bytes that never come */
        if (i % 50 == 0)
            still_served();
    }
    still_served();
    grew_less_than(32 * 1024, before);
    for (i = 0; i < MANY; i++)
        close(fds[i]);
    still_served();
}
END_TEST

/* More than there is room for: the good one is not who must go. */
START_TEST(strangers_give_way)
{
    static int fds[1500];
    struct rlimit limit;
    size_t i, n = 1500;

    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < 1600)
        n = limit.rlim_max - 100;
    for (i = 0; i < n; i++)
        fds[i] = reach();
    still_served();
    for (i = 0; i < n; i++)
        close(fds[i]);
    still_served();
}
END_TEST

#define FULL (8u << 20) /* more than a socket keeps */

/* --- slow ----------------------------------------------------------------- */

/* Asks for FULL bytes, `n` times, and takes nothing. */
static int slow_reader(unsigned n)
{
    static const stateid4 none;
    uint8_t handle[HANDLE_SIZE];
    int fd = reach_as(true), good = t.fd;
    unsigned i;

    ck_assert(talk_lookup(&t, "full", handle));
    t.fd = fd;
    for (i = 0; i < n; i++) {
        talk_begin(&t, 3);
        talk_sequence(&t, 20 + i, false);
        talk_putfh(&t, handle);
        talk_read(&t, OP_READ_PLUS, &none, 0, FULL);
        put_store32(t.call, 0x80000000u | (uint32_t)(t.put.len - 4));
        ck_assert_int_eq(send(fd, t.call, t.put.len, MSG_NOSIGNAL),
                         (ssize_t)t.put.len);
    }
    t.fd = good;
    return fd;
}

static void full_file(void)
{
    char path[160], *bytes = malloc(FULL);
    FILE *f;

    ck_assert_ptr_nonnull(bytes);
    snprintf(path, sizeof(path), "%s/full", t.export);
    f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    memset(bytes, 'x', FULL);
    ck_assert_uint_eq(fwrite(bytes, 1, FULL, f), FULL);
    ck_assert_int_eq(fclose(f), 0);
    free(bytes);
}

/* One reply, whole. */
static bool takes_it_all(int fd)
{
    uint32_t size;

    if (!talk_receive(fd, t.bytes, 4))
        return false;
    size = put_load32(t.bytes) & 0x7fffffffu;
    ck_assert_uint_gt(size, FULL);
    return talk_receive(fd, t.bytes + 4, size) && t.bytes[size - 100] == 'x';
}

START_TEST(slow_readers_wait_alone)
{
    int fds[6], i, n = heavy() ? 2 : 6;

    full_file();
    for (i = 0; i < n; i++) {
        fds[i] = slow_reader(1);
        still_served();
    }
    for (i = 0; i < n; i++) { /* and get all of it in the end */
        ck_assert(takes_it_all(fds[i]));
        close(fds[i]);
    }
    still_served();
}
END_TEST

/* What waits for them is bounded for all of them together. */
START_TEST(what_waits_is_bounded)
{
    static int fds[60];
    unsigned long before = resident();
    size_t i, n = heavy() ? 15 : 60;

    full_file();
    for (i = 0; i < n; i++) {
        fds[i] = slow_reader(2);
        if (i % 10 == 0)
            still_served();
    }
    still_served();
    grew_less_than(100 * 1024, before);
    /* the last one still gets its replies: older ones had to go */
    ck_assert(takes_it_all(fds[n - 1]));
    ck_assert(!takes_it_all(fds[0]));
    for (i = 0; i < n; i++)
        close(fds[i]);
    still_served();
}
END_TEST

/* --- slots, by several connections ---------------------------------------- */

START_TEST(a_retry_comes_over_another_connection)
{
    uint8_t first[4096];
    size_t len;

    talk_begin(&t, 3);
    talk_sequence(&t, 2, true);
    talk_words(&t, OP_PUTROOTFH, OP_GETFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    len = t.len;
    memcpy(first, t.bytes, len);
    close(t.fd);
    t.fd = reach();
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    ck_assert_mem_eq(first, t.bytes, len);
    talk_begin(&t, 1);
    talk_slot(&t, 2, t.sequences[2] + 5, true);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_SEQ_MISORDERED);
    still_served();
}
END_TEST

/* --- kill -9 -------------------------------------------------------------- */

START_TEST(killed_and_started_again)
{
    static const stateid4 none;
    uint8_t handle[HANDLE_SIZE];
    int status;

    ck_assert(talk_lookup(&t, "d/e/f", handle));
    ck_assert_int_eq(kill(server, SIGKILL), 0);
    ck_assert_int_eq(waitpid(server, &status, 0), server);
    start(); /* at the same port, at once */
    close(t.fd);
    t.fd = reach();
    talk_begin(&t, 1);
    talk_sequence(&t, 0, false);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_BADSESSION);
    talk_greet(&t, much);
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    talk_putfh(&t, handle);
    talk_read(&t, OP_READ, &none, 0, 4);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
}
END_TEST

/* --- privileges ----------------------------------------------------------- */

START_TEST(privileges_are_dropped)
{
    char path[160], line[128];
    unsigned real = 0, effective = 0;
    uint8_t handle[HANDLE_SIZE];
    FILE *f;

    if (geteuid() != 0)
        return;
    stop();
    user = "nobody";
    start();
    close(t.fd);
    t.fd = reach();
    talk_greet(&t, much);
    snprintf(path, sizeof(path), "/proc/%d/status", (int)server);
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof(line), f) != NULL)
        if (sscanf(line, "Uid: %u %u", &real, &effective) == 2)
            break;
    fclose(f);
    ck_assert_uint_ne(real, 0);
    ck_assert_uint_ne(effective, 0);
    /* what others may not read is not read, whoever asks */
    snprintf(path, sizeof(path), "%s/a", t.export);
    ck_assert_int_eq(chmod(path, 0600), 0);
    ck_assert(talk_lookup(&t, "a", handle));
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    talk_putfh(&t, handle);
    talk_open(&t, CLAIM_FH, NULL);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_ACCESS);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nfs42_sockets");
    TCase *tc = check_case(s, "sockets");

    signal(SIGPIPE, SIG_IGN);
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, records_that_are_too_long_end_at_their_mark);
    tcase_add_test(tc, records_come_in_any_pieces);
    tcase_add_test(tc, what_is_no_call_ends_the_connection);
    tcase_add_test(tc, a_thousand_half_open_connections);
    tcase_add_test(tc, strangers_give_way);
    tcase_add_test(tc, slow_readers_wait_alone);
    tcase_add_test(tc, what_waits_is_bounded);
    tcase_add_test(tc, a_retry_comes_over_another_connection);
    tcase_add_test(tc, killed_and_started_again);
    tcase_add_test(tc, privileges_are_dropped);
    return check_run(s);
}
