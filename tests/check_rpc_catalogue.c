/*
 * Each reply of tests/hostile.txt through the XDR filter, on memory and on
 * record streams of any fragments: the fault that the row names, at its byte
 * and element, or the segments that the tests' own decoder finds.
 *
 * The filter differs where a stream must: it is always strict about fill, a
 * COMPOUND may go on behind the item, and a count word beyond the caller's
 * array is refused before any element is read.
 */
#include "check_rpc.h"
#include "hostile.h"

#include "transcript.h"

#define CAPACITY 70000

static struct readplus_segment segments[CAPACITY];

static void same_segments(const struct readplus_rpc_res *res,
                          const struct transcript *t)
{
    size_t i;

    ck_assert_uint_eq(res->count, t->count);
    for (i = 0; i < t->count; i++) {
        const struct readplus_segment *s = &segments[i];
        uint64_t sum = SUM_BEGIN;

        if (s->content == READPLUS_CONTENT_DATA && s->length > 0)
            sum = sum_on(sum, s->data, (size_t)s->length);
        if (s->content != t->seen[i].segment.content ||
            s->offset != t->seen[i].segment.offset ||
            s->length != t->seen[i].segment.length || sum != t->seen[i].sum)
            ck_abort_msg("segment %zu differs", i);
    }
}

/* What the row says, as far as the filter can know it. */
static struct readplus_fault named(const struct hostile *row,
                                   const struct transcript *t)
{
    struct readplus_fault fault = {READPLUS_OK, READPLUS_NO_SEGMENT, 0};

    if (row->len >= 12 && load32(row->item) == 0 &&
        load32(row->item + 4) <= 1 && load32(row->item + 8) > CAPACITY) {
        fault.error = READPLUS_ERR_LIMIT;
        fault.at = 8;
        return fault;
    }
    if (row->flags != 0)
        return t->fault;
    return row->fault.error == READPLUS_ERR_TRAILING ? fault : row->fault;
}

/* Fragments of 0 bytes: a memory stream, with nothing behind the item. */
static void filter(const struct hostile *row, const struct transcript *t,
                   uint32_t fragment)
{
    struct readplus_fault want = named(row, t);
    struct readplus_rpc_res res;
    struct feed feed;
    bool good;
    XDR xdrs;

    readplus_rpc_res_init(&res, row->ranged ? &row->args : NULL, segments,
                          CAPACITY, NULL, 0);
    if (fragment > 0)
        rec_open(&xdrs, &feed, row->item, row->len, fragment, 1 + row->len);
    else
        xdrmem_create(&xdrs, (char *)row->item, (u_int)row->len, XDR_DECODE);
    good = readplus_rpc_res_xdr(&xdrs, &res);
    ck_assert_msg(good == (want.error == READPLUS_OK), "%s: %s", row->id,
                  readplus_error_name(res.fault.error));
    fault_is(res.fault, want.error, want.at, want.segment);
    if (good) {
        same_segments(&res, t);
        ck_assert_uint_eq(res.status, t->status);
        if (fragment == 0)
            ck_assert_uint_eq(xdr_getpos(&xdrs), t->consumed);
    } else {
        ck_assert_uint_eq(res.count, 0);
        ck_assert_ptr_null(res.blocks);
    }
    if (fragment > 0)
        rec_close(&xdrs, &feed);
    else
        xdr_destroy(&xdrs);
    xdr_free((xdrproc_t)readplus_rpc_res_xdr, &res);
}

START_TEST(rows_by_the_filter)
{
    struct hostile row = {0};
    FILE *f = hostile_open();
    size_t rows = 0;

    while (hostile_next(f, &row)) {
        struct transcript t;
        uint32_t fragment;

        if (row.elsewhere)
            continue;
        transcript_plain(&t, row.item, row.len, row.ranged ? &row.args : NULL,
                         READPLUS_DECODE_TRAILING);
        for (fragment = 0; fragment < 40 && row.len < 4096; fragment++)
            filter(&row, &t, fragment);
        filter(&row, &t, 0);
        filter(&row, &t, 1000);
        transcript_free(&t);
        rows++;
    }
    fclose(f);
    ck_assert_uint_gt(rows, 95);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rpc catalogue");
    TCase *tc = check_case(s, "rows");

    tcase_add_test(tc, rows_by_the_filter);
    return check_run(s);
}
