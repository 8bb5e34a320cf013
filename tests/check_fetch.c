/*
 * Each byte of the input is fetched at most once, so that a peer who writes
 * to it meanwhile (shared memory, RDMA) cannot have one value judged and
 * another one used.
 *
 * The decoder is compiled in here, with a memcpy that counts.  What it is
 * given as input is memory that may not be read at all: whoever looks at a
 * byte by any other way than memcpy dies.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static const uint8_t *forbidden; /* the input as the decoder knows it */
static uint8_t real[4096];       /* its bytes */
static unsigned fetched[4096];   /* how often each was copied */

static void *counted_copy(void *to, const void *from, size_t n)
{
    const uint8_t *p = from;
    uint8_t *q = to;

    if ((uintptr_t)p - (uintptr_t)forbidden >= sizeof(real))
        return memcpy(to, from, n);
    for (p = real + (p - forbidden); n > 0; n--) {
        fetched[p - real]++;
        *q++ = *p++;
    }
    return to;
}

#undef memcpy
#define memcpy counted_copy
#include "../lib/decode.c"
#include "../lib/decode_res.c"
#include "../lib/scatter.c"
#undef memcpy

#include "hostile.h"

static void forbid(void)
{
    void *p =
        mmap(NULL, sizeof(real), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(p, MAP_FAILED);
    forbidden = p;
}

static void allow(void)
{
    munmap((void *)(uintptr_t)forbidden, sizeof(real));
}

/* The input in pieces of `step` bytes. */
static size_t cut(struct iovec *iov, size_t len, size_t step)
{
    size_t n, at;

    memset(fetched, 0, sizeof(fetched));
    for (n = 0, at = 0; at < len; n++, at += step)
        iov[n] = piece_of(forbidden + at, len - at < step ? len - at : step);
    return n;
}

static void at_most_once(const struct hostile *row, unsigned once)
{
    size_t i;

    for (i = 0; i < row->len; i++)
        if (fetched[i] > once)
            ck_abort_msg("%s: byte %zu fetched %u times", row->id, i,
                         fetched[i]);
}

/* Twice over, since a refusal is to be repeated without another look. */
static void iterate(struct readplus_decoder *d, size_t batch)
{
    struct readplus_segment s[8];
    enum readplus_error error;
    size_t n, again;

    for (again = 0; again < 2; again++)
        do {
            error = batch == 0 ? readplus_decoder_next(d, s)
                               : readplus_decoder_take(d, s, batch, &n);
        } while (error == READPLUS_OK);
}

static void fetch_row(const struct hostile *row, size_t step)
{
    static struct iovec iov[4096];
    struct readplus_args args = row->args;
    struct readplus_result result;
    struct readplus_decoder d;
    uint8_t to[64];
    struct iovec whole = {to, sizeof(to)};
    size_t batch, n;

    for (batch = 0; batch <= 8; batch += 4) {
        n = cut(iov, row->len, step);
        if (readplus_decoder_init(&d, row->ranged ? &args : NULL, iov, n,
                                  row->flags) == READPLUS_OK)
            iterate(&d, batch);
        at_most_once(row, 1);
    }
    if (cut(iov, row->len, step) == 1) {
        struct readplus_segment s[8];
        struct readplus_res res;

        for (batch = 0; batch <= 8; batch++) {
            enum readplus_error error;

            (void)cut(iov, row->len, step);
            error = readplus_res_decode(row->ranged ? &args : NULL, forbidden,
                                        row->len, row->flags, s, batch, &res);
            ck_assert_int_le(error, READPLUS_OK);
            at_most_once(row, 1);
        }
    }
    n = cut(iov, row->len, step);
    args.count = row->args.count < 64 ? row->args.count : 64;
    if (readplus_decoder_init(&d, &args, iov, n, row->flags) == READPLUS_OK) {
        enum readplus_error error = readplus_scatter(&d, &whole, 1, 0, &result);

        ck_assert_int_le(error, READPLUS_OK);
        at_most_once(row, 1);
    }
}

START_TEST(fetched_once)
{
    struct hostile row = {0};
    FILE *f = hostile_open();
    size_t step, rows = 0;

    forbid();
    while (hostile_next(f, &row)) {
        if (row.elsewhere || row.len > sizeof(real))
            continue;
        memcpy(real, row.item, row.len);
        for (step = 1; step <= row.len + 1; step++)
            fetch_row(&row, step);
        rows++;
    }
    ck_assert_uint_gt(rows, 90);
    allow();
    fclose(f);
}
END_TEST

/* Headers and fill are looked at, file bytes are not. */
START_TEST(nothing_else_is_fetched)
{
    struct readplus_decoder d;
    struct readplus_segment s[4];
    struct bytes b;
    size_t i, n;

    put_head(&b, 1, 3);
    put_data(&b, 0, 10);   /* 12: data at 28..37, fill 38, 39 */
    put_data(&b, 10, 8);   /* 40: data at 56..63 */
    put_hole(&b, 18, 100); /* 64 */
    forbid();
    memcpy(real, b.p, b.len);
    memset(fetched, 0, sizeof(fetched));
    expect_error(readplus_decoder_init_buffer(&d, NULL, forbidden, b.len, 0),
                 READPLUS_OK);
    expect_error(readplus_decoder_take(&d, s, 4, &n), READPLUS_OK);
    ck_assert_uint_eq(n, 3);
    for (i = 0; i < b.len; i++)
        ck_assert_uint_eq(fetched[i],
                          !((i >= 28 && i < 38) || (i >= 56 && i < 64)));
    allow();
}
END_TEST

/* The counting itself: this test would notice a second look. */
START_TEST(a_second_look_is_counted)
{
    uint8_t byte;

    forbid();
    memset(fetched, 0, sizeof(fetched));
    counted_copy(&byte, forbidden + 7, 1);
    counted_copy(&byte, forbidden + 7, 1);
    ck_assert_uint_eq(fetched[7], 2);
    allow();
}
END_TEST

/* --- a part of the input -------------------------------------------------- */

/* Not exported, but compiled in here: an item that stands inside the pieces,
 * and none that does not. */
START_TEST(parts)
{
    static const uint8_t bytes[] = {9, 9, 0, 0, 0, 0, 0, 0, 0,
                                    1, 0, 0, 0, 0, 9, 9, 9};
    struct iovec iov[] = {piece_of(bytes, 7), piece_of(bytes + 7, 10)};
    struct iovec null = {NULL, 4};
    static const struct {
        uint64_t from, size;
        enum readplus_error error;
    } rows[] = {{2, 12, READPLUS_OK},
                {2, 11, READPLUS_ERR_TRUNCATED},
                {2, 15, READPLUS_ERR_TRAILING},
                {2, UINT64_MAX, READPLUS_ERR_TRAILING}, /* the rest */
                {17, UINT64_MAX, READPLUS_ERR_TRUNCATED},
                {17, 0, READPLUS_ERR_TRUNCATED},
                {2, 16, READPLUS_ERR_INVAL},
                {18, 0, READPLUS_ERR_INVAL},
                {18, UINT64_MAX, READPLUS_ERR_INVAL},
                {2, UINT64_MAX - 1, READPLUS_ERR_INVAL}}; /* wraps */
    struct readplus_decoder decoder;
    struct readplus_segment s;
    size_t i;

    for (i = 0; i < ARRAY_LEN(rows); i++) {
        enum readplus_error error = readplus_decoder_init_part(
            &decoder, NULL, iov, 2, rows[i].from, rows[i].size, 0);

        if (error == READPLUS_OK)
            error = readplus_decoder_next(&decoder, &s);
        if (error != (rows[i].error ? rows[i].error : READPLUS_END))
            ck_abort_msg("row %zu: %d", i, error);
    }
    expect_error(readplus_decoder_init_part(&decoder, NULL, &null, 1, 0, 0, 0),
                 READPLUS_ERR_INVAL);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fetch");
    TCase *tc = check_case(s, "once");

    tcase_add_test(tc, fetched_once);
    tcase_add_test(tc, nothing_else_is_fetched);
    tcase_add_test(tc, a_second_look_is_counted);
    tcase_add_test(tc, parts);
    return check_run(s);
}
