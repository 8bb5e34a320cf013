/*
 * The catalogue of hostile replies once more, received as a stream in pieces
 * of any length, and expanded in the memory it lies in: the same fault at the
 * same byte, the same bytes delivered, as by copying.
 */
#include <readplus/expand.h>
#include <readplus/stream.h>

#include "brought.h"
#include "hostile.h"

#define SHORT 256

/* What must come is worked out by the tests' own decoder. */
static void expected(struct delivery *d, const struct hostile *row)
{
    struct transcript t;

    transcript_plain(&t, row->item, row->len, &row->args, row->flags);
    delivery_plain(d, &t, &row->args, row->args.count, row->flags, false);
    ck_assert_uint_eq(d->result.bytes, row->delivered_len);
    transcript_free(&t);
}

/* Bytes behind those delivered may be anything here. */
static void same(const struct delivery *got, const struct hostile *row)
{
    struct delivery want;

    expected(&want, row);
    deliveries_same(got, &want, row->delivered_len);
    delivery_free(&want);
}

/* --- received ------------------------------------------------------------ */

/* Puts the next bytes where they are wanted; how many. */
static size_t receive(const struct iovec *iov, size_t n, const uint8_t *from,
                      size_t most)
{
    size_t i, done = 0;

    for (i = 0; i < n && done < most; i++) {
        size_t len =
            iov[i].iov_len < most - done ? iov[i].iov_len : most - done;

        ck_assert_uint_gt(iov[i].iov_len, 0);
        memcpy(iov[i].iov_base, from + done, len);
        done += len;
    }
    return done;
}

static void stream(const struct hostile *row, size_t step, bool ahead)
{
    struct delivery got = {.image = malloc(row->args.count)};
    struct iovec to = {got.image, row->args.count}, iov[4];
    uint8_t lent[100];
    struct readplus_stream s;
    size_t at = 0, n, len;

    expect_error(readplus_stream_init(&s, &row->args, &to, 1, row->flags),
                 READPLUS_OK);
    readplus_stream_set_size(&s, row->len);
    if (ahead)
        readplus_stream_set_ahead(&s, lent, sizeof(lent));
    while (at < row->len &&
           readplus_stream_want(&s, iov, 1 + step % 4, &n) == READPLUS_OK) {
        len = receive(iov, n, row->item + at,
                      step < row->len - at ? step : row->len - at);
        expect_error(readplus_stream_advance(&s, len), READPLUS_OK);
        at += len;
    }
    got.error = readplus_stream_end(&s, &got.result);
    same(&got, row);
    delivery_free(&got);
}

/* --- in place ------------------------------------------------------------ */

/* A row no longer than the reply needs, in one piece or two; `spare` bytes in
 * front of all.  The reply is at its very end. */
static void expand(const struct hostile *row, uint64_t slack, size_t spare,
                   size_t cut)
{
    size_t count = row->args.count, behind = count + (size_t)slack;
    size_t front = spare + (row->len > behind ? row->len - behind : 0);
    size_t len = front + behind;
    uint8_t *memory = malloc(len);
    struct iovec iov[2] = {
        {memory, cut < len ? cut : len},
        {memory + (cut < len ? cut : len), len - (cut < len ? cut : len)}};
    struct readplus_expansion e = {row->args, iov,   2,     len - row->len,
                                   row->len,  front, count, row->flags};
    struct delivery got = {.image = memory + front};

    memset(memory, UNTOUCHED, len);
    memcpy(memory + len - row->len, row->item, row->len);
    got.error = readplus_expand(&e, &got.result);
    same(&got, row);
    free(memory);
}

static void expand_apart(const struct hostile *row)
{
    size_t count = row->args.count, len = row->len + count;
    struct readplus_segment *segments =
        calloc(row->good + 8, sizeof(*segments));
    uint8_t *memory = malloc(len);
    struct iovec iov = {memory, len};
    struct readplus_expansion e = {row->args, &iov,     1,     0,
                                   row->len,  row->len, count, row->flags};
    struct delivery got = {.image = memory + row->len};

    memcpy(memory, row->item, row->len);
    got.error =
        readplus_expand_segments(&e, segments, row->good + 8, &got.result);
    same(&got, row);
    free(memory);
    free(segments);
}

/* The slack is asked for where buffer and reply lie apart. */
static void in_place(const struct hostile *row)
{
    size_t count = row->args.count;
    struct iovec iov[2] = {{exact_copy(row->item, row->len), row->len},
                           {malloc(count), count}};
    struct readplus_expansion e = {row->args, iov,      2,     0,
                                   row->len,  row->len, count, row->flags};
    uint64_t slack = 77;

    expect_error(readplus_expand_slack(&e, &slack), READPLUS_OK);
    free(iov[0].iov_base);
    free(iov[1].iov_base);
    expand(row, slack, 0, 0);
    expand(row, slack, 0, row->len / 2);
    expand(row, slack + 9, 40, 11);
    expand_apart(row);
}

/* --- rows ---------------------------------------------------------------- */

static void received(const struct hostile *row)
{
    size_t step;

    for (step = 1; step <= row->len + 1 && row->len <= SHORT; step++) {
        stream(row, step, false);
        stream(row, step, true);
    }
    if (row->len > SHORT)
        stream(row, 1000, true);
}

/* Rows without a request deliver nothing, in whatever way. */
static void each_row(void (*run)(const struct hostile *))
{
    struct hostile row = {0};
    FILE *f = hostile_open();
    size_t rows = 0;

    while (hostile_next(f, &row)) {
        if (row.elsewhere || !row.ranged)
            continue;
        run(&row);
        rows++;
    }
    fclose(f);
    ck_assert_uint_gt(rows, 90);
}

START_TEST(rows_received)
{
    each_row(received);
}
END_TEST

START_TEST(rows_in_place)
{
    each_row(in_place);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("hostile paths");
    TCase *tc = check_case(s, "rows");

    tcase_add_test(tc, rows_received);
    tcase_add_test(tc, rows_in_place);
    return check_run(s);
}
