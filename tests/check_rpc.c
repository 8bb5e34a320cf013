/*
 * The filter over well-formed replies: the same bytes as the core's, the same
 * size by xdr_sizeof, the same segments back, on memory, record and stdio
 * streams; what encoding refuses, and what freeing leaves.
 */
#include <pthread.h>
#include <stdio.h>

#include "check_rpc.h"

#define RUNS 400

/* The filter as libtirpc takes it. */
static const xdrproc_t filter = (xdrproc_t)readplus_rpc_res_xdr;

/* A result to be sent. */
static struct readplus_rpc_res sending(struct reply *r)
{
    struct readplus_rpc_res res;

    readplus_rpc_res_init(&res, NULL, r->segments, r->count, NULL, 0);
    res.status = r->status;
    res.eof = r->eof;
    res.count = r->count;
    return res;
}

static void got_equals(const struct readplus_rpc_res *res,
                       const struct reply *r)
{
    ck_assert_uint_eq(res->status, r->status);
    ck_assert_int_eq(res->eof, r->status == 0 && r->eof);
    ck_assert_uint_eq(res->count, r->count);
    ck_assert_uint_eq(res->announced, r->count);
    segments_equal(res->segments, r->segments, r->count);
    fault_is(res->fault, READPLUS_OK, 0, READPLUS_NO_SEGMENT);
}

/* Decodes twice, to a buffer and to memory of its own. */
static void decode_from(void (*open)(XDR *, void *),
                        void (*close)(XDR *, void *), void *context,
                        const struct reply *r)
{
    struct readplus_segment segments[REPLY_SEGMENTS];
    static _Thread_local uint8_t buffer[REPLY_BYTES];
    struct readplus_rpc_res res;
    int owned;
    XDR xdrs;

    for (owned = 0; owned < 2; owned++) {
        readplus_rpc_res_init(&res, NULL, segments, REPLY_SEGMENTS,
                              owned ? NULL : buffer, owned ? 0 : REPLY_BYTES);
        open(&xdrs, context);
        ck_assert(readplus_rpc_res_xdr(&xdrs, &res));
        close(&xdrs, context);
        got_equals(&res, r);
        xdr_free(filter, &res);
        xdr_free(filter, &res);
        ck_assert_ptr_null(res.blocks);
    }
}

/* --- streams ------------------------------------------------------------- */

struct source {
    struct reply *r;
    uint8_t *exact;
    uint32_t fragment;
    uint64_t seed;
    struct feed feed;
    FILE *file;
};

static void mem_open(XDR *xdrs, void *context)
{
    struct source *s = context;

    s->exact = exact_copy(s->r->wire, s->r->size);
    xdrmem_create(xdrs, (char *)s->exact, (u_int)s->r->size, XDR_DECODE);
}

static void mem_close(XDR *xdrs, void *context)
{
    struct source *s = context;

    ck_assert_uint_eq(xdr_getpos(xdrs), s->r->size);
    xdr_destroy(xdrs);
    free(s->exact);
}

static void record_open(XDR *xdrs, void *context)
{
    struct source *s = context;

    rec_open(xdrs, &s->feed, s->r->wire, s->r->size, s->fragment, s->seed);
}

static void record_close(XDR *xdrs, void *context)
{
    struct source *s = context;

    ck_assert(xdrrec_eof(xdrs));
    rec_close(xdrs, &s->feed);
}

static void stdio_open(XDR *xdrs, void *context)
{
    struct source *s = context;

    s->file = fmemopen(s->r->wire, s->r->size, "r");
    ck_assert_ptr_nonnull(s->file);
    xdrstdio_create(xdrs, s->file, XDR_DECODE);
}

static void stdio_close(XDR *xdrs, void *context)
{
    struct source *s = context;

    xdr_destroy(xdrs);
    fclose(s->file);
}

static void every_stream_gives_the_segments(uint64_t seed, int runs)
{
    struct reply r;
    struct source s = {.r = &r};

    for (; runs > 0; runs--) {
        reply_random(&r, &seed);
        decode_from(mem_open, mem_close, &s, &r);
        s.seed = seed;
        s.fragment = 1 + random_below(&seed, runs % 2 == 0 ? 1 : 900);
        decode_from(record_open, record_close, &s, &r);
        decode_from(stdio_open, stdio_close, &s, &r);
    }
}

START_TEST(streams_give_the_segments)
{
    every_stream_gives_the_segments(0x9e3779b97f4a7c15u, RUNS);
}
END_TEST

static void *thread_main(void *context)
{
    every_stream_gives_the_segments(*(uint64_t *)context, RUNS / 8);
    return NULL;
}

START_TEST(threads_share_nothing)
{
    uint64_t seeds[4] = {1, 2, 3, 4};
    pthread_t threads[4];
    int i;

    for (i = 0; i < 4; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, thread_main, &seeds[i]), 0);
    for (i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

/* --- encoding ------------------------------------------------------------ */

static void encode_mem(struct reply *r)
{
    struct readplus_rpc_res res = sending(r);
    uint8_t *out = exact_copy(r->wire, r->size);
    XDR xdrs;

    memset(out, 0xa5, r->size);
    xdrmem_create(&xdrs, (char *)out, (u_int)r->size, XDR_ENCODE);
    ck_assert(readplus_rpc_res_xdr(&xdrs, &res));
    ck_assert_uint_eq(xdr_getpos(&xdrs), r->size);
    ck_assert_mem_eq(out, r->wire, r->size);
    xdr_destroy(&xdrs);
    free(out);
}

static void encode_rec(struct reply *r, uint32_t buffer)
{
    struct readplus_rpc_res res = sending(r);
    uint8_t out[2 * sizeof(r->wire)];
    struct sink sink = {out, 0, sizeof(out)};
    XDR xdrs;

    xdrrec_create(&xdrs, buffer, 0, &sink, NULL, sink_write);
    xdrs.x_op = XDR_ENCODE;
    ck_assert(readplus_rpc_res_xdr(&xdrs, &res));
    ck_assert(xdrrec_endofrecord(&xdrs, TRUE));
    xdr_destroy(&xdrs);
    sink_join(&sink);
    ck_assert_uint_eq(sink.len, r->size);
    ck_assert_mem_eq(out, r->wire, r->size);
}

START_TEST(bytes_are_the_cores)
{
    uint64_t seed = 0x2545f4914f6cdd1du;
    struct reply r;
    int i;

    for (i = 0; i < RUNS; i++) {
        struct readplus_rpc_res res;

        reply_random(&r, &seed);
        res = sending(&r);
        ck_assert_uint_eq(xdr_sizeof(filter, &res), r.size);
        encode_mem(&r);
        encode_rec(&r, 100 + random_below(&seed, 2000));
    }
}
END_TEST

/* Every length of stream that is too short: where what did not fit begins. */
START_TEST(full_stream_is_no_space)
{
    struct reply r = {
        .segments = {{READPLUS_CONTENT_DATA, 7, 5, (const uint8_t *)"hello"},
                     {READPLUS_CONTENT_HOLE, 12, 9, NULL}},
        .count = 2};
    struct readplus_rpc_res res;
    uint8_t out[64];
    u_int len;
    XDR xdrs;

    reply_encode(&r);
    ck_assert_uint_eq(r.size, 56);
    for (len = 0; len < r.size; len++) {
        uint64_t at = len < 12 ? 0 : len < 28 ? 12 : len < 33 ? 28 : 33;

        res = sending(&r);
        xdrmem_create(&xdrs, (char *)out, len, XDR_ENCODE);
        ck_assert(!readplus_rpc_res_xdr(&xdrs, &res));
        fault_is(res.fault, READPLUS_ERR_NOSPACE, len < 36 ? at : 36,
                 len < 12   ? READPLUS_NO_SEGMENT
                 : len < 36 ? 0
                            : 1);
        xdr_destroy(&xdrs);
    }
}
END_TEST

static void refused(struct readplus_rpc_res *res, enum readplus_error error,
                    uint64_t at, uint32_t segment)
{
    readplus_READ_PLUS4res generated;
    readplus_read_plus_content contents[4];
    uint8_t out[128];
    XDR xdrs;

    memset(out, 0xa5, sizeof(out));
    memset(&generated, 0x5a, sizeof(generated));
    xdrmem_create(&xdrs, (char *)out, sizeof(out), XDR_ENCODE);
    ck_assert(!readplus_rpc_res_xdr(&xdrs, res));
    fault_is(res->fault, error, at, segment);
    ck_assert_uint_eq(xdr_getpos(&xdrs), 0);
    ck_assert_uint_eq(out[0], 0xa5);
    ck_assert_uint_eq(xdr_sizeof(filter, res), 0);
    ck_assert_int_eq(readplus_rpc_res_export(res, contents, 4, &generated),
                     error);
    fault_is(res->fault, error, at, segment);
    ck_assert_uint_eq((uint32_t)generated.rp_status, 0x5a5a5a5a);
    xdr_destroy(&xdrs);
}

/* Two segments, the second as given. */
static void refused_second(struct readplus_segment second,
                           enum readplus_error error, uint64_t at)
{
    struct readplus_segment segments[2] = {
        {READPLUS_CONTENT_HOLE, 100, 10, NULL}, second};
    struct readplus_rpc_res res;

    readplus_rpc_res_init(&res, NULL, segments, 2, NULL, 0);
    res.count = 2;
    refused(&res, error, at, 1);
}

#define SEGMENT(...) ((struct readplus_segment){__VA_ARGS__})

START_TEST(refusals_name_the_segment)
{
    static const uint8_t byte[1];

    refused_second(SEGMENT(READPLUS_CONTENT_HOLE, 111, 1, NULL),
                   READPLUS_ERR_GAP, 36);
    refused_second(SEGMENT(READPLUS_CONTENT_HOLE, 109, 1, NULL),
                   READPLUS_ERR_OVERLAP, 36);
    refused_second(SEGMENT(READPLUS_CONTENT_HOLE, 99, 1, NULL),
                   READPLUS_ERR_ORDER, 36);
    refused_second(SEGMENT(READPLUS_CONTENT_HOLE, 110, UINT64_MAX, NULL),
                   READPLUS_ERR_RANGE, 36);
    refused_second(SEGMENT((enum readplus_content)2, 110, 1, NULL),
                   READPLUS_ERR_INVAL, 32);
    refused_second(SEGMENT(READPLUS_CONTENT_DATA, 110, 1, NULL),
                   READPLUS_ERR_INVAL, 32);
    refused_second(SEGMENT(READPLUS_CONTENT_DATA, 110, 1ull << 32, byte),
                   READPLUS_ERR_INVAL, 32);
}
END_TEST

START_TEST(late_start_is_refused)
{
    struct readplus_args args = {.offset = 99, .count = 50};
    struct readplus_segment hole = {READPLUS_CONTENT_HOLE, 100, 10, NULL};
    struct readplus_rpc_res res;

    readplus_rpc_res_init(&res, &args, &hole, 1, NULL, 0);
    res.count = 1;
    refused(&res, READPLUS_ERR_LATE_START, 16, 0);
    hole.offset = 99;
    ck_assert_uint_eq(xdr_sizeof(filter, &res), 32);
}
END_TEST

START_TEST(status_with_segments_is_refused)
{
    struct readplus_segment hole = {READPLUS_CONTENT_HOLE, 0, 10, NULL};
    struct readplus_rpc_res res;

    readplus_rpc_res_init(&res, NULL, &hole, 1, NULL, 0);
    res.count = 1;
    res.status = 10004;
    refused(&res, READPLUS_ERR_INVAL, 0, READPLUS_NO_SEGMENT);
}
END_TEST

/* libtirpc counts bytes in 32 bits: 2^32 of them are refused, not written as
 * if they were none.  The data is never looked at. */
START_TEST(over_4_gib_is_refused)
{
    static const uint8_t byte[1];
    struct readplus_segment segments[2] = {
        {READPLUS_CONTENT_DATA, 0, UINT32_MAX - 31, byte},
        {READPLUS_CONTENT_DATA, UINT32_MAX - 31, 0, NULL}};
    struct readplus_rpc_res res;

    readplus_rpc_res_init(&res, NULL, segments, 2, NULL, 0);
    res.count = 1;
    ck_assert_uint_eq(xdr_sizeof(filter, &res), UINT32_MAX - 3);
    res.count = 2;
    refused(&res, READPLUS_ERR_NOSPACE, 0, READPLUS_NO_SEGMENT);
}
END_TEST

START_TEST(unknown_operation_is_refused)
{
    struct readplus_rpc_res res;
    uint8_t out[16] = {0};
    XDR xdrs;

    readplus_rpc_res_init(&res, NULL, NULL, 0, NULL, 0);
    xdrmem_create(&xdrs, (char *)out, sizeof(out), (enum xdr_op)3);
    ck_assert(!readplus_rpc_res_xdr(&xdrs, &res));
    fault_is(res.fault, READPLUS_ERR_INVAL, 0, READPLUS_NO_SEGMENT);
    ck_assert_uint_eq(xdr_getpos(&xdrs), 0);
}
END_TEST

/* --- freeing ------------------------------------------------------------- */

static void decode_mem(struct readplus_rpc_res *res, struct reply *r)
{
    XDR xdrs;

    xdrmem_create(&xdrs, (char *)r->wire, (u_int)r->size, XDR_DECODE);
    ck_assert(readplus_rpc_res_xdr(&xdrs, res));
}

START_TEST(free_leaves_no_pointer)
{
    struct readplus_segment segments[3];
    struct reply r = {
        .segments = {{READPLUS_CONTENT_DATA, 0, 5, (const uint8_t *)"hello"},
                     {READPLUS_CONTENT_HOLE, 5, 9, NULL},
                     {READPLUS_CONTENT_DATA, 14, 3, (const uint8_t *)"abc"}},
        .count = 3};
    struct readplus_rpc_res res;

    reply_encode(&r);
    readplus_rpc_res_init(&res, NULL, segments, 3, NULL, 0);
    decode_mem(&res, &r);
    decode_mem(&res, &r); /* frees what the first one took */
    ck_assert_ptr_nonnull(segments[0].data);
    xdr_free(filter, &res);
    ck_assert_uint_eq(res.count, 0);
    ck_assert_ptr_null(segments[0].data);
    ck_assert_ptr_null(segments[2].data);
    ck_assert_ptr_null(res.blocks);
    xdr_free(filter, &res);
}
END_TEST

/* After encoding there is nothing of ours to free, and nothing is touched. */
START_TEST(free_leaves_the_callers_alone)
{
    struct reply r = {
        .segments = {{READPLUS_CONTENT_DATA, 0, 5, (const uint8_t *)"hello"}},
        .count = 1};
    struct readplus_rpc_res res = sending(&r);

    ck_assert_uint_eq(xdr_sizeof(filter, &res), 36);
    xdr_free(filter, &res);
    ck_assert_uint_eq(res.count, 1);
    ck_assert_ptr_nonnull(r.segments[0].data);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rpc");
    TCase *tc = check_case(s, "good");

    tcase_add_test(tc, streams_give_the_segments);
    tcase_add_test(tc, threads_share_nothing);
    tcase_add_test(tc, bytes_are_the_cores);
    tc = check_case(s, "refused");
    tcase_add_test(tc, full_stream_is_no_space);
    tcase_add_test(tc, refusals_name_the_segment);
    tcase_add_test(tc, late_start_is_refused);
    tcase_add_test(tc, status_with_segments_is_refused);
    tcase_add_test(tc, over_4_gib_is_refused);
    tcase_add_test(tc, unknown_operation_is_refused);
    tc = check_case(s, "freed");
    tcase_add_test(tc, free_leaves_no_pointer);
    tcase_add_test(tc, free_leaves_the_callers_alone);
    return check_run(s);
}
