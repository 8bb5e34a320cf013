/*
 * The decoder's own promises, beyond what is wrong with a reply (that is
 * check_hostile.c): answers and questions, where the bytes of a segment are,
 * batches, arguments, inputs nobody expects.
 */
#include <sys/mman.h>

#include "pieces.h"
#include "transcript.h"

static struct readplus_args request(uint64_t offset, uint32_t count)
{
    return (struct readplus_args){.offset = offset, .count = count};
}

/* Data, hole, data with fill, nothing, hole: 12 + 20 + 20 + 24 + 16 + 20. */
static void mixed(struct bytes *b)
{
    put_head(b, 1, 5);
    put_data(b, 0, 4);
    put_hole(b, 4, 100);
    put_data(b, 104, 7);
    put_data(b, 111, 0);
    put_hole(b, 111, 9);
    ck_assert_uint_eq(b->len, 112);
}

/* --- beginning ----------------------------------------------------------- */

START_TEST(init_refuses)
{
    static const uint8_t status[4] = {0, 0, 0x27, 0x14};
    struct iovec good = piece_of(status, 4);
    struct iovec null = {NULL, 4}, null_byte = {NULL, 1};
    struct iovec endless[] = {piece_of(status, SIZE_MAX),
                              piece_of(status, SIZE_MAX)};
    const struct {
        const struct iovec *iov;
        size_t pieces;
        uint32_t flags;
    } rows[] = {
        {NULL, 1, 0},
        {&null, 1, 0},
        {&null_byte, 1, 0},
        {&good, 1, 8},
        {&good, 1, ~0u},
        {&good, 1, 0x80000000u},
#if SIZE_MAX == UINT64_MAX
        {endless, 2, 0}
#endif
    };
    struct readplus_decoder decoder;
    struct readplus_segment s;
    size_t i, n;

    (void)endless;
    for (i = 0; i < ARRAY_LEN(rows); i++) {
        expect_error(readplus_decoder_init(&decoder, NULL, rows[i].iov,
                                           rows[i].pieces, rows[i].flags),
                     READPLUS_ERR_INVAL);
        expect_fault(readplus_decoder_fault(&decoder), READPLUS_ERR_INVAL,
                     READPLUS_NO_SEGMENT, 0);
        expect_error(readplus_decoder_next(&decoder, &s), READPLUS_ERR_INVAL);
        expect_error(readplus_decoder_take(&decoder, &s, 1, &n),
                     READPLUS_ERR_INVAL);
    }
    expect_error(readplus_decoder_init(&decoder, NULL, &good, 1, 7),
                 READPLUS_OK);
    expect_error(readplus_decoder_init(&decoder, NULL, NULL, 0, 0),
                 READPLUS_ERR_TRUNCATED);
    expect_error(readplus_decoder_init_buffer(&decoder, NULL, NULL, 0, 0),
                 READPLUS_ERR_TRUNCATED);
    expect_error(readplus_decoder_init_buffer(&decoder, NULL, NULL, 1, 0),
                 READPLUS_ERR_INVAL);
}
END_TEST

/* Any 32 bits are a status. */
START_TEST(statuses_come_through)
{
    static const uint32_t statuses[] = {1, 5, 10004, 0x80000000u, UINT32_MAX};
    struct readplus_decoder decoder;
    struct readplus_segment s;
    struct bytes b;
    size_t i;

    for (i = 0; i < ARRAY_LEN(statuses); i++) {
        b.len = 0;
        put32(&b, statuses[i]);
        expect_error(
            readplus_decoder_init_buffer(&decoder, NULL, b.p, b.len, 0),
            READPLUS_OK);
        ck_assert_uint_eq(readplus_decoder_status(&decoder), statuses[i]);
        ck_assert(!readplus_decoder_eof(&decoder));
        expect_error(readplus_decoder_next(&decoder, &s), READPLUS_END);
        ck_assert_uint_eq(readplus_decoder_consumed(&decoder), 4);
    }
}
END_TEST

/* --- element by element -------------------------------------------------- */

START_TEST(answers_on_the_way)
{
    static const uint64_t ats[] = {12, 32, 52, 76, 92};
    static const uint64_t ends[] = {32, 52, 76, 92, 112};
    struct readplus_args args = request(0, 120);
    struct readplus_decoder decoder;
    struct readplus_segment s;
    struct iovec iov;
    struct bytes b;
    size_t i, n;

    mixed(&b);
    memset(&decoder, 0xa5, sizeof(decoder));
    expect_error(readplus_decoder_init_buffer(&decoder, &args, b.p, b.len, 0),
                 READPLUS_OK);
    ck_assert_uint_eq(readplus_decoder_status(&decoder), 0);
    ck_assert_uint_eq(readplus_decoder_at(&decoder), 0);
    ck_assert(readplus_decoder_eof(&decoder));
    ck_assert_uint_eq(readplus_decoder_consumed(&decoder), 12);
    for (i = 0; i < 5; i++) {
        expect_error(readplus_decoder_next(&decoder, &s), READPLUS_OK);
        ck_assert_uint_eq(readplus_decoder_at(&decoder), ats[i]);
        ck_assert_uint_eq(readplus_decoder_consumed(&decoder), ends[i]);
        expect_error(readplus_decoder_data_iov(&decoder, &s, &iov, 1, &n),
                     READPLUS_OK);
        if (s.content == READPLUS_CONTENT_DATA && s.length > 0) {
            ck_assert_ptr_eq(s.data, b.p + ats[i] + 16);
            ck_assert_ptr_eq(iov.iov_base, s.data);
            ck_assert_uint_eq(iov.iov_len, s.length);
        } else {
            ck_assert_ptr_null(s.data);
            ck_assert_uint_eq(n, 0);
        }
        expect_fault(readplus_decoder_fault(&decoder), READPLUS_OK,
                     READPLUS_NO_SEGMENT, 0);
    }
    expect_error(readplus_decoder_next(&decoder, &s), READPLUS_END);
    ck_assert_uint_eq(readplus_decoder_at(&decoder), 92);
    expect_fault(readplus_decoder_fault(&decoder), READPLUS_OK,
                 READPLUS_NO_SEGMENT, 0);
}
END_TEST

/* At p + 1, p + 2, ...: the same, with nothing behind the last byte. */
START_TEST(unaligned)
{
    struct transcript got, want;
    struct iovec whole;
    struct bytes b;
    uint8_t *block;

    mixed(&b);
    transcript_plain(&want, b.p, b.len, NULL, 0);
    block = malloc(b.len + (size_t)_i);
    memcpy(block + _i, b.p, b.len);
    whole = piece_of(block + _i, b.len);
    transcript_of(&got, &whole, 1, NULL, 0, 0);
    transcripts_same(&got, &want);
    transcript_free(&got);
    transcript_of(&got, &whole, 1, NULL, 0, 3);
    transcripts_same(&got, &want);
    transcript_free(&got);
    transcript_free(&want);
    free(block);
}
END_TEST

/* More than 2^32 bytes: nothing but the bytes of the headers is looked at, so
 * the pages need not be there. */
START_TEST(huge_input)
{
#if SIZE_MAX > UINT32_MAX
    size_t len = ((size_t)1 << 32) + 4096;
    uint8_t *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct readplus_decoder decoder;
    struct readplus_segment s;
    struct bytes b;

    ck_assert_ptr_ne(p, MAP_FAILED);
    put_head(&b, 0, 2);
    put32(&b, 0);
    put64(&b, 5);
    put32(&b, UINT32_MAX);
    memcpy(p, b.p, b.len);
    b.len = 0;
    put_hole(&b, 5 + (uint64_t)UINT32_MAX, 7);
    memcpy(p + 28 + ((size_t)1 << 32), b.p, b.len);
    expect_error(readplus_decoder_init_buffer(&decoder, NULL, p, len,
                                              READPLUS_DECODE_TRAILING),
                 READPLUS_OK);
    expect_error(readplus_decoder_next(&decoder, &s), READPLUS_OK);
    ck_assert_uint_eq(s.length, UINT32_MAX);
    ck_assert_ptr_eq(s.data, p + 28);
    expect_error(readplus_decoder_next(&decoder, &s), READPLUS_OK);
    ck_assert_uint_eq(s.length, 7);
    ck_assert_uint_eq(readplus_decoder_at(&decoder), 28 + (1ull << 32));
    expect_error(readplus_decoder_next(&decoder, &s), READPLUS_END);
    ck_assert_uint_eq(readplus_decoder_consumed(&decoder), 48 + (1ull << 32));
    munmap(p, len);
#endif
}
END_TEST

/* --- batches ------------------------------------------------------------- */

START_TEST(batches_of_no_room)
{
    struct readplus_decoder decoder;
    struct readplus_segment s;
    struct bytes b;
    size_t n = 77;

    mixed(&b);
    expect_error(readplus_decoder_init_buffer(&decoder, NULL, b.p, b.len, 0),
                 READPLUS_OK);
    expect_error(readplus_decoder_take(&decoder, NULL, 0, &n), READPLUS_OK);
    ck_assert_uint_eq(n, 0);
    ck_assert_uint_eq(readplus_decoder_consumed(&decoder), 12);
    for (n = 0; n < 5; n++)
        expect_error(readplus_decoder_next(&decoder, &s), READPLUS_OK);
    expect_error(readplus_decoder_take(&decoder, NULL, 0, &n), READPLUS_END);
    ck_assert_uint_eq(n, 0);
}
END_TEST

/* Good elements come first, the fault with the next call, and stays. */
START_TEST(batches_and_faults)
{
    struct readplus_segment s[8];
    struct readplus_decoder decoder;
    struct bytes b;
    size_t n = 77;

    mixed(&b);
    b.p[b.len - 20 + 3] = 2; /* rpc_content of the last element */
    expect_error(readplus_decoder_init_buffer(&decoder, NULL, b.p, b.len, 0),
                 READPLUS_OK);
    expect_error(readplus_decoder_take(&decoder, s, 8, &n), READPLUS_OK);
    ck_assert_uint_eq(n, 4);
    expect_error(readplus_decoder_take(&decoder, s, 8, &n),
                 READPLUS_ERR_BAD_CONTENT);
    ck_assert_uint_eq(n, 0);
    expect_fault(readplus_decoder_fault(&decoder), READPLUS_ERR_BAD_CONTENT, 4,
                 92);
    b.p[b.len - 20 + 3] = 1; /* it is not looked at again */
    expect_error(readplus_decoder_next(&decoder, s), READPLUS_ERR_BAD_CONTENT);
}
END_TEST

/* --- where the bytes are ------------------------------------------------- */

START_TEST(data_before_anything_was_handed_out)
{
    struct readplus_segment s = {READPLUS_CONTENT_DATA, 0, 4, NULL};
    struct readplus_decoder decoder;
    struct iovec iov[1];
    struct bytes b;
    size_t n = 77;

    mixed(&b);
    expect_error(readplus_decoder_init_buffer(&decoder, NULL, b.p, b.len, 0),
                 READPLUS_OK);
    expect_error(readplus_decoder_data_iov(&decoder, &s, iov, 1, &n),
                 READPLUS_ERR_STATE);
    expect_error(readplus_decoder_data_copy(&decoder, &s, 0, &b, 1),
                 READPLUS_ERR_STATE);
    ck_assert_uint_eq(n, 77);
}
END_TEST

/* The third element of mixed(), 7 bytes at 68, in pieces of _i bytes. */
static void take_three(struct readplus_decoder *decoder, const struct pieces *p,
                       struct readplus_segment *s)
{
    int i;

    expect_error(readplus_decoder_init(decoder, NULL, p->iov, p->n, 0),
                 READPLUS_OK);
    for (i = 0; i < 3; i++)
        expect_error(readplus_decoder_next(decoder, s), READPLUS_OK);
    ck_assert_uint_eq(s->length, 7);
}

static void expect_bytes(const struct iovec *iov, size_t n)
{
    size_t i, k, at = 0;

    for (i = 0; i < n; i++) {
        ck_assert_uint_gt(iov[i].iov_len, 0);
        for (k = 0; k < iov[i].iov_len; k++)
            ck_assert_uint_eq(((const uint8_t *)iov[i].iov_base)[k],
                              file_byte(104 + at++));
    }
    ck_assert_uint_eq(at, 7);
}

START_TEST(data_in_pieces_as_iovecs)
{
    struct readplus_decoder decoder;
    size_t first = (size_t)(68 / _i), last = (size_t)(74 / _i);
    size_t pieces = last - first + 1, n, capacity;
    struct readplus_segment s;
    struct pieces p;
    struct bytes b;

    mixed(&b);
    p = pieces_each(b.p, b.len, (size_t)_i, _i % 3 == 0);
    take_three(&decoder, &p, &s);
    ck_assert_int_eq(s.data == NULL, pieces > 1);
    for (capacity = 0; capacity <= 8; capacity++) {
        struct iovec iov[8] = {{NULL, 0}};

        n = 77;
        expect_error(readplus_decoder_data_iov(&decoder, &s, iov, capacity, &n),
                     capacity < pieces ? READPLUS_ERR_LIMIT : READPLUS_OK);
        ck_assert_uint_eq(n, pieces);
        if (capacity >= pieces)
            expect_bytes(iov, n);
        else
            ck_assert_ptr_null(iov[capacity].iov_base);
    }
    pieces_free(&p);
}
END_TEST

START_TEST(data_in_pieces_copied)
{
    struct readplus_decoder decoder;
    struct readplus_segment s, other;
    uint64_t skip, length, k;
    uint8_t out[16];
    size_t n = 77;
    struct pieces p;
    struct bytes b;

    mixed(&b);
    p = pieces_each(b.p, b.len, (size_t)_i, false);
    take_three(&decoder, &p, &s);
    for (skip = 0; skip <= 9; skip++)
        for (length = 0; length <= 9; length++) {
            memset(out, 0xee, sizeof(out));
            expect_error(readplus_decoder_data_copy(&decoder, &s, skip, out,
                                                    (size_t)length),
                         skip + length <= 7 ? READPLUS_OK : READPLUS_ERR_INVAL);
            for (k = 0; k < sizeof(out); k++)
                ck_assert_uint_eq(out[k], skip + length <= 7 && k < length
                                              ? file_byte(104 + skip + k)
                                              : 0xee);
        }
    expect_error(readplus_decoder_data_copy(&decoder, &s, UINT64_MAX, out, 1),
                 READPLUS_ERR_INVAL);
    expect_error(readplus_decoder_data_copy(&decoder, &s, 1, out, SIZE_MAX),
                 READPLUS_ERR_INVAL);
    other = s;
    other.offset++;
    expect_error(readplus_decoder_data_copy(&decoder, &other, 0, out, 1),
                 READPLUS_ERR_INVAL);
    other = s;
    other.length--;
    expect_error(readplus_decoder_data_copy(&decoder, &other, 0, out, 1),
                 READPLUS_ERR_INVAL);
    expect_error(readplus_decoder_data_iov(&decoder, &other, NULL, 0, &n),
                 READPLUS_ERR_INVAL);
    ck_assert_uint_eq(n, 77);
    pieces_free(&p);
}
END_TEST

START_TEST(holes_have_no_bytes)
{
    struct readplus_decoder decoder;
    struct readplus_segment s;
    struct iovec iov[1];
    struct bytes b;
    uint8_t out[4];
    size_t n = 77;

    put_head(&b, 0, 1);
    put_hole(&b, 0, 9);
    expect_error(readplus_decoder_init_buffer(&decoder, NULL, b.p, b.len, 0),
                 READPLUS_OK);
    expect_error(readplus_decoder_next(&decoder, &s), READPLUS_OK);
    expect_error(readplus_decoder_data_iov(&decoder, &s, iov, 1, &n),
                 READPLUS_OK);
    ck_assert_uint_eq(n, 0);
    expect_error(readplus_decoder_data_copy(&decoder, &s, 0, out, 1),
                 READPLUS_ERR_INVAL);
}
END_TEST

/* A fault in the next element takes nothing away from the last one. */
START_TEST(data_of_the_last_good_element)
{
    struct readplus_decoder decoder;
    struct readplus_segment s, next;
    struct iovec iov[8];
    struct pieces p;
    struct bytes b;
    size_t n;

    put_head(&b, 0, 2);
    put_data(&b, 104, 7);
    put_data(&b, 111, 5);
    b.p[b.len - 1] = 1; /* fill */
    p = pieces_each(b.p, b.len, 3, false);
    expect_error(readplus_decoder_init(&decoder, NULL, p.iov, p.n, 0),
                 READPLUS_OK);
    expect_error(readplus_decoder_next(&decoder, &s), READPLUS_OK);
    expect_error(readplus_decoder_next(&decoder, &next), READPLUS_ERR_BAD_PAD);
    expect_error(readplus_decoder_data_iov(&decoder, &s, iov, 8, &n),
                 READPLUS_OK);
    expect_bytes(iov, n);
    pieces_free(&p);
}
END_TEST

/* --- READ_PLUS4args ------------------------------------------------------ */

START_TEST(arguments)
{
    struct readplus_args args, stale;
    static const uint64_t starts[] = {0, 4, 16, 24, 28};
    struct readplus_fault fault;
    struct bytes b = {.len = 0};
    size_t len, i, field;

    put32(&b, 0x80000001u);
    for (i = 0; i < 12; i++)
        put8(&b, (uint8_t)(200 + i));
    put64(&b, UINT64_MAX - 1);
    put32(&b, 0xfffefdfcu);
    put32(&b, 0xdeadbeefu);
    memset(&stale, 0xee, sizeof(stale));
    for (len = 0; len <= 32; len++) {
        uint8_t *block = exact_copy(b.p, len);
        enum readplus_error want = len < 28    ? READPLUS_ERR_TRUNCATED
                                   : len == 28 ? READPLUS_OK
                                               : READPLUS_ERR_TRAILING;

        for (field = 0; field < 4 && starts[field + 1] <= len; field++)
            ;
        memcpy(&args, &stale, sizeof(args));
        expect_error(readplus_args_decode(block, len, 0, &args, &fault), want);
        expect_error(readplus_args_decode(block, len, 0, &args, NULL), want);
        if (want != READPLUS_OK) {
            expect_fault(fault, want, READPLUS_NO_SEGMENT, starts[field]);
            ck_assert_mem_eq(&args, &stale, sizeof(args));
        }
        expect_error(readplus_args_decode(block, len, READPLUS_DECODE_TRAILING,
                                          &args, &fault),
                     len < 28 ? want : READPLUS_OK);
        if (len >= 28) {
            ck_assert_uint_eq(args.offset, UINT64_MAX - 1);
            ck_assert_uint_eq(args.count, 0xfffefdfcu);
            ck_assert_uint_eq(args.stateid.seqid, 0x80000001u);
            ck_assert_mem_eq(args.stateid.other, b.p + 4, 12);
        }
        free(block);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("decode");
    TCase *tc = check_case(s, "beginning");

    tcase_add_test(tc, init_refuses);
    tcase_add_test(tc, statuses_come_through);
    tc = check_case(s, "elements");
    tcase_add_test(tc, answers_on_the_way);
    tcase_add_loop_test(tc, unaligned, 0, 8);
    tcase_add_test(tc, huge_input);
    tc = check_case(s, "batches");
    tcase_add_test(tc, batches_of_no_room);
    tcase_add_test(tc, batches_and_faults);
    tc = check_case(s, "bytes");
    tcase_add_test(tc, data_before_anything_was_handed_out);
    tcase_add_loop_test(tc, data_in_pieces_as_iovecs, 1, 30);
    tcase_add_loop_test(tc, data_in_pieces_copied, 1, 30);
    tcase_add_test(tc, holes_have_no_bytes);
    tcase_add_test(tc, data_of_the_last_good_element);
    tc = check_case(s, "arguments");
    tcase_add_test(tc, arguments);
    return check_run(s);
}
