/*
 * What servers in the field are known to answer (read in their sources, not
 * captured; those are in check_captures.c), made here byte by byte, and what a
 * client then does, whether it copies or restores.
 */
#include <readplus.h>
#include <readplus/restore.h>

#include "guard.h"

#define K 1024u
#define SIZE (100 * K) /* of the file */

/* A reply, word by word. */
struct peer {
    uint8_t bytes[16 * K];
    size_t len;
};

static void word(struct peer *p, uint32_t v)
{
    p->bytes[p->len++] = (uint8_t)(v >> 24);
    p->bytes[p->len++] = (uint8_t)(v >> 16);
    p->bytes[p->len++] = (uint8_t)(v >> 8);
    p->bytes[p->len++] = (uint8_t)v;
}

static void head(struct peer *p, uint32_t eof, uint32_t count)
{
    p->len = 0;
    word(p, 0), word(p, eof), word(p, count);
}

static void place(struct peer *p, uint32_t content, uint64_t offset)
{
    word(p, content);
    word(p, (uint32_t)(offset >> 32)), word(p, (uint32_t)offset);
}

static void hole(struct peer *p, uint64_t offset, uint64_t length)
{
    place(p, 1, offset);
    word(p, (uint32_t)(length >> 32)), word(p, (uint32_t)length);
}

static void data(struct peer *p, uint64_t offset, uint32_t length)
{
    place(p, 0, offset);
    word(p, length);
    memset(p->bytes + p->len, 0xda, length);
    p->len += length;
    memset(p->bytes + p->len, 0, -length & 3u);
    p->len += -length & 3u;
}

/* --- a client ------------------------------------------------------------ */

static struct readplus_server server;
static struct readplus_judge judge;

static struct readplus_verdict judged(const struct readplus_args *args,
                                      const struct readplus_decoder *decoder,
                                      enum readplus_error error,
                                      const struct readplus_result *result)
{
    struct readplus_answer answer = {
        .status = readplus_decoder_status(decoder),
        .bytes = result->bytes,
        .eof = result->eof,
        .error = error != READPLUS_OK ? error : result->fault.error};

    readplus_server_init(&server);
    readplus_judge_init(&judge, &server, SIZE);
    return readplus_judge_answer(&judge, args, &answer);
}

static struct readplus_verdict copying(const struct peer *p, uint64_t offset,
                                       uint32_t count)
{
    struct readplus_args args = {.offset = offset, .count = count};
    struct guarded in = guarded_copy(p->bytes, p->len, true);
    struct guarded out = guarded_new(count, true);
    struct iovec to = {out.bytes, out.len};
    struct readplus_decoder decoder;
    struct readplus_result result = {.bytes = 0};
    enum readplus_error error =
        readplus_decoder_init_buffer(&decoder, &args, in.bytes, in.len, 0);

    if (error == READPLUS_OK)
        error = readplus_scatter(&decoder, &to, 1, 0, &result);
    guarded_free(&in);
    guarded_free(&out);
    return judged(&args, &decoder, error, &result);
}

static struct readplus_verdict restoring(const struct peer *p, uint64_t offset,
                                         uint32_t count)
{
    struct readplus_args args = {.offset = offset, .count = count};
    struct readplus_restore restore;
    struct readplus_decoder decoder;
    struct readplus_result result = {.bytes = 0};
    int fd = memfd_create("peer", 0);
    enum readplus_error error = readplus_restore_init(&restore, fd, 0);

    ck_assert_int_eq(error, READPLUS_OK);
    error = readplus_decoder_init_buffer(&decoder, &args, p->bytes, p->len, 0);
    if (error == READPLUS_OK)
        error = readplus_restore_reply(&restore, &decoder, &result);
    close(fd);
    return judged(&args, &decoder, error, &result);
}

#define EXPECT(verdict, what, doing, where)                                    \
    do {                                                                       \
        struct readplus_verdict v_ = (verdict);                                \
        ck_assert_int_eq(v_.finding, READPLUS_FINDING_##what);                 \
        ck_assert_int_eq(v_.action, READPLUS_ACTION_##doing);                  \
        ck_assert_uint_eq(v_.next, where);                                     \
    } while (0)

/* --- servers ------------------------------------------------------------- */

/* nfsd 5.10 as released: the last hole not cut, eof taken from its end. */
START_TEST(nfsd_5_10_hole_to_the_end)
{
    struct peer p;

    head(&p, 1, 2);
    data(&p, 0, 4 * K);
    hole(&p, 4 * K, 96 * K);
    EXPECT(copying(&p, 0, 8 * K), WHOLE, CONTINUE, 8 * K);
    EXPECT(restoring(&p, 0, 8 * K), EOF, DONE, SIZE);
}
END_TEST

/* The same, truncated between its two look-ups. */
START_TEST(nfsd_5_10_endless_hole)
{
    struct peer p;

    head(&p, 0, 1);
    hole(&p, 4 * K, UINT64_MAX - 4 * K);
    EXPECT(copying(&p, 4 * K, 8 * K), WHOLE, CONTINUE, 12 * K);
    EXPECT(restoring(&p, 4 * K, 8 * K), WHOLE, CONTINUE, UINT64_MAX);
    head(&p, 1, 0); /* what follows there */
    EXPECT(restoring(&p, UINT64_MAX, 8 * K), EOF, DONE, UINT64_MAX);
}
END_TEST

/* nfsd before 2020-12: eof TRUE on a reply that it had cut short. */
START_TEST(nfsd_5_10_eof_when_cut)
{
    struct peer p;

    head(&p, 1, 1);
    data(&p, 0, 4 * K);
    EXPECT(copying(&p, 0, SIZE), SHORT, CONTINUE, 4 * K);
    EXPECT(restoring(&p, 0, SIZE), SHORT, CONTINUE, 4 * K);
}
END_TEST

/* chimera and nfsd at the end: an empty array.  reffs: one empty DATA. */
START_TEST(at_the_end)
{
    struct peer p;

    head(&p, 1, 0);
    EXPECT(copying(&p, SIZE, K), EOF, DONE, SIZE);
    head(&p, 1, 1);
    data(&p, SIZE, 0);
    EXPECT(copying(&p, SIZE, K), EOF, DONE, SIZE);
    EXPECT(restoring(&p, SIZE, K), EOF, DONE, SIZE);
}
END_TEST

/* chimera and reffs: one element, whatever was asked. */
START_TEST(one_element)
{
    struct peer p;

    head(&p, 0, 1);
    hole(&p, 8 * K, 4 * K);
    EXPECT(copying(&p, 8 * K, 64 * K), SHORT, CONTINUE, 12 * K);
    EXPECT(restoring(&p, 8 * K, 64 * K), SHORT, CONTINUE, 12 * K);
}
END_TEST

/* GPFS behind ganesha: a hole of no bytes, alone or among others. */
START_TEST(empty_hole)
{
    struct peer p;

    head(&p, 0, 1);
    hole(&p, 0, 0);
    EXPECT(copying(&p, 0, K), IDLE, RETRY, 0);
    head(&p, 0, 3);
    data(&p, 0, 512);
    hole(&p, 512, 0);
    data(&p, 512, 512);
    EXPECT(copying(&p, 0, K), WHOLE, CONTINUE, K);
    EXPECT(restoring(&p, 0, K), WHOLE, CONTINUE, K);
}
END_TEST

/* A commercial server: a hole far past the request (it crashed a client). */
START_TEST(hole_far_beyond)
{
    struct peer p;

    head(&p, 0, 2);
    data(&p, 0, 100);
    hole(&p, 100, UINT64_C(1) << 40);
    EXPECT(copying(&p, 0, 4 * K), WHOLE, CONTINUE, 4 * K);
    EXPECT(restoring(&p, 0, 4 * K), WHOLE, CONTINUE, 100 + (UINT64_C(1) << 40));
}
END_TEST

/* Before 2014-04-24 a hole was 2, and 1 something that is gone. */
START_TEST(old_dialect_of_holes)
{
    struct peer p;

    head(&p, 0, 2);
    data(&p, 0, K);
    hole(&p, K, K);
    p.bytes[p.len - 17] = 2;
    EXPECT(copying(&p, 0, 4 * K), IMPLAUSIBLE, READ_FILE, K);
    EXPECT(restoring(&p, 0, 4 * K), IMPLAUSIBLE, READ_FILE, K);
}
END_TEST

/* Before 2014-05-01 data4 had d_allocated in front of its length. */
START_TEST(old_dialect_of_data)
{
    struct peer p;

    head(&p, 1, 1);
    place(&p, 0, 0);
    word(&p, 1); /* d_allocated TRUE */
    word(&p, 4 * K);
    memset(p.bytes + p.len, 0xda, 4 * K);
    p.len += 4 * K;
    EXPECT(copying(&p, 0, 4 * K), IMPLAUSIBLE, READ_FILE, 0);
}
END_TEST

/* What rpcgen's decoders take and the RFC forbids: padding, bool, gap. */
START_TEST(lax_encoders)
{
    struct peer p;

    head(&p, 1, 1);
    data(&p, 0, 5);
    p.bytes[p.len - 1] = 0xee;
    EXPECT(copying(&p, 0, K), IMPLAUSIBLE, READ_FILE, 0);
    head(&p, 7, 0);
    EXPECT(copying(&p, 0, K), IMPLAUSIBLE, READ_FILE, 0);
    head(&p, 0, 2);
    data(&p, 0, 512);
    hole(&p, K, K);
    EXPECT(copying(&p, 0, 4 * K), IMPLAUSIBLE, READ_FILE, 512);
}
END_TEST

/* A server behind the times, and one that cannot fit its reply. */
START_TEST(by_status)
{
    struct peer p = {.len = 0};

    word(&p, 10004);
    EXPECT(copying(&p, K, K), NOTSUPP, READ_SERVER, K);
    p.len = 0;
    word(&p, 10066);
    EXPECT(copying(&p, K, K), TOO_BIG, READ_FILE, K);
    p.len = 0;
    word(&p, 10008); /* NFS4ERR_DELAY */
    EXPECT(copying(&p, K, K), STATUS, STATUS, K);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("peers");
    TCase *tc = check_case(s, "servers");

    tcase_add_test(tc, nfsd_5_10_hole_to_the_end);
    tcase_add_test(tc, nfsd_5_10_endless_hole);
    tcase_add_test(tc, nfsd_5_10_eof_when_cut);
    tcase_add_test(tc, at_the_end);
    tcase_add_test(tc, one_element);
    tcase_add_test(tc, empty_hole);
    tcase_add_test(tc, hole_far_beyond);
    tcase_add_test(tc, old_dialect_of_holes);
    tcase_add_test(tc, old_dialect_of_data);
    tcase_add_test(tc, lax_encoders);
    tcase_add_test(tc, by_status);
    return check_run(s);
}
