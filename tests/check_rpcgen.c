/*
 * Against the codec that rpcgen makes of the same types: the same bytes both
 * ways for everything that is well formed, on memory and record streams, and
 * for anything else the same verdict, but for what the generated decoder does
 * not look at (tests/vectors/rpcgen_accepts lists it).
 */
#include "check_rpc.h"

#define RUNS 300
#define CAPACITY REPLY_SEGMENTS

static const xdrproc_t generated = (xdrproc_t)xdr_readplus_READ_PLUS4res;

/* --- both ways ----------------------------------------------------------- */

static void export_reply(struct reply *r, readplus_read_plus_content *contents,
                         readplus_READ_PLUS4res *to)
{
    struct readplus_rpc_res res;

    readplus_rpc_res_init(&res, NULL, r->segments, r->count, NULL, 0);
    res.status = r->status;
    res.eof = r->eof;
    res.count = r->count;
    ck_assert_int_eq(readplus_rpc_res_export(&res, contents, r->count, to),
                     READPLUS_OK);
}

static void import_equals(const readplus_READ_PLUS4res *from,
                          const struct reply *r)
{
    struct readplus_segment segments[REPLY_SEGMENTS];
    struct readplus_rpc_res res;

    readplus_rpc_res_init(&res, NULL, segments, r->count, NULL, 0);
    ck_assert_int_eq(readplus_rpc_res_import(&res, from), READPLUS_OK);
    ck_assert_uint_eq(res.status, r->status);
    ck_assert_int_eq(res.eof, r->status == 0 && r->eof);
    ck_assert_uint_eq(res.count, r->count);
    segments_equal(segments, r->segments, r->count);
}

/* The generated codec writes what the core does ... */
static void generated_writes(struct reply *r, uint32_t buffer)
{
    readplus_read_plus_content contents[REPLY_SEGMENTS];
    uint8_t out[2 * sizeof(r->wire)];
    struct sink sink = {out, 0, sizeof(out)};
    readplus_READ_PLUS4res to;
    XDR xdrs;

    export_reply(r, contents, &to);
    import_equals(&to, r);
    ck_assert_uint_eq(xdr_sizeof(generated, &to), r->size);
    xdrmem_create(&xdrs, (char *)out, sizeof(out), XDR_ENCODE);
    ck_assert(xdr_readplus_READ_PLUS4res(&xdrs, &to));
    ck_assert_uint_eq(xdr_getpos(&xdrs), r->size);
    ck_assert_mem_eq(out, r->wire, r->size);
    xdr_destroy(&xdrs);

    xdrrec_create(&xdrs, buffer, 0, &sink, NULL, sink_write);
    xdrs.x_op = XDR_ENCODE;
    ck_assert(xdr_readplus_READ_PLUS4res(&xdrs, &to));
    ck_assert(xdrrec_endofrecord(&xdrs, TRUE));
    xdr_destroy(&xdrs);
    sink_join(&sink);
    ck_assert_uint_eq(sink.len, r->size);
    ck_assert_mem_eq(out, r->wire, r->size);
}

/* ... and reads what the core wrote. */
static void generated_reads(struct reply *r, uint32_t fragment, uint64_t seed)
{
    readplus_READ_PLUS4res from;
    struct feed feed;
    XDR xdrs;

    memset(&from, 0, sizeof(from));
    xdrmem_create(&xdrs, (char *)r->wire, (u_int)r->size, XDR_DECODE);
    ck_assert(xdr_readplus_READ_PLUS4res(&xdrs, &from));
    import_equals(&from, r);
    xdr_free(generated, &from);

    memset(&from, 0, sizeof(from));
    rec_open(&xdrs, &feed, r->wire, r->size, fragment, seed);
    ck_assert(xdr_readplus_READ_PLUS4res(&xdrs, &from));
    import_equals(&from, r);
    xdr_free(generated, &from);
    rec_close(&xdrs, &feed);
}

START_TEST(same_bytes_both_ways)
{
    uint64_t seed = 0x5851f42d4c957f2du;
    struct reply r;
    int i;

    for (i = 0; i < RUNS; i++) {
        reply_random(&r, &seed);
        generated_writes(&r, 100 + random_below(&seed, 2000));
        generated_reads(&r, 1 + random_below(&seed, i % 2 == 0 ? 1 : 900),
                        seed);
    }
}
END_TEST

/* --- arguments and SEEK -------------------------------------------------- */

static void same_fixed(xdrproc_t proc, void *object, const uint8_t *bytes,
                       size_t size)
{
    uint8_t out[32] = {0};
    XDR xdrs;

    ck_assert_uint_eq(xdr_sizeof(proc, object), size);
    xdrmem_create(&xdrs, (char *)out, sizeof(out), XDR_ENCODE);
    ck_assert(proc(&xdrs, object));
    ck_assert_uint_eq(xdr_getpos(&xdrs), size);
    ck_assert_mem_eq(out, bytes, size);
    xdr_destroy(&xdrs);
}

START_TEST(arguments_and_seek_alike)
{
    static const readplus_stateid4 stateid = {0xa1b2c3d4, "abcdefghijk"};
    readplus_READ_PLUS4args read = {stateid, 0x0102030405060708u, 0x090a0b0c};
    readplus_SEEK4args seek = {stateid, 0x1112131415161718u,
                               READPLUS_NFS4_CONTENT_HOLE};
    readplus_SEEK4res found = {.sa_status = READPLUS_NFS4_OK};
    struct readplus_args args = {.offset = read.rpa_offset,
                                 .count = read.rpa_count};
    struct readplus_seek_args seek_args = {.offset = seek.sa_offset,
                                           .what = READPLUS_CONTENT_HOLE};
    struct readplus_seek_res res = {.eof = true, .offset = 77};
    uint8_t bytes[32];
    size_t size;

    args.stateid.seqid = seek_args.stateid.seqid = stateid.seqid;
    memcpy(args.stateid.other, stateid.other, 12);
    memcpy(seek_args.stateid.other, stateid.other, 12);
    ck_assert_int_eq(readplus_args_encode(&args, bytes, sizeof(bytes)),
                     READPLUS_OK);
    same_fixed((xdrproc_t)xdr_readplus_READ_PLUS4args, &read, bytes, 28);
    ck_assert_int_eq(
        readplus_seek_args_encode(&seek_args, bytes, sizeof(bytes)),
        READPLUS_OK);
    same_fixed((xdrproc_t)xdr_readplus_SEEK4args, &seek, bytes, 28);

    found.readplus_SEEK4res_u.resok4.sr_eof = TRUE;
    found.readplus_SEEK4res_u.resok4.sr_offset = 77;
    ck_assert_int_eq(
        readplus_seek_res_encode(&res, bytes, sizeof(bytes), &size),
        READPLUS_OK);
    same_fixed((xdrproc_t)xdr_readplus_SEEK4res, &found, bytes, 16);
    res.status = 6;
    found.sa_status = READPLUS_NFS4ERR_NXIO;
    ck_assert_int_eq(
        readplus_seek_res_encode(&res, bytes, sizeof(bytes), &size),
        READPLUS_OK);
    same_fixed((xdrproc_t)xdr_readplus_SEEK4res, &found, bytes, 4);
}
END_TEST

/* --- verdicts ------------------------------------------------------------ */

/* The generated decoder's verdict; *used becomes what it consumed. */
static bool generated_accepts(const uint8_t *item, size_t len, uint32_t *used)
{
    uint8_t *exact = exact_copy(item, len);
    readplus_READ_PLUS4res from;
    bool accepts;
    XDR xdrs;

    memset(&from, 0, sizeof(from));
    xdrmem_create(&xdrs, (char *)exact, (u_int)len, XDR_DECODE);
    accepts = xdr_readplus_READ_PLUS4res(&xdrs, &from);
    *used = xdr_getpos(&xdrs);
    xdr_free(generated, &from);
    free(exact);
    return accepts;
}

static struct readplus_fault our_verdict(const uint8_t *item, size_t len,
                                         uint32_t *used)
{
    struct readplus_segment segments[CAPACITY];
    uint8_t *exact = exact_copy(item, len);
    struct readplus_rpc_res res;
    XDR xdrs;

    readplus_rpc_res_init(&res, NULL, segments, CAPACITY, NULL, 0);
    xdrmem_create(&xdrs, (char *)exact, (u_int)len, XDR_DECODE);
    ck_assert_int_eq(readplus_rpc_res_xdr(&xdrs, &res),
                     res.fault.error == READPLUS_OK);
    *used = xdr_getpos(&xdrs);
    xdr_free((xdrproc_t)readplus_rpc_res_xdr, &res);
    free(exact);
    return res.fault;
}

/* What rpcgen's decoder does not look at. */
static bool is_lenience(enum readplus_error error)
{
    return error == READPLUS_ERR_BAD_BOOL || error == READPLUS_ERR_BAD_PAD ||
           error == READPLUS_ERR_LIMIT || readplus_error_is_rfc(error);
}

START_TEST(verdicts_agree)
{
    static const uint32_t words[] = {0, 1,           2,           3,          4,
                                     5, 0x80000000u, 0xfffffffdu, 0xffffffffu};
    uint64_t seed = 0xd1342543de82ef95u;
    uint32_t ours, theirs, kinds[4] = {0};
    struct reply r;
    int i;

    for (i = 0; i < 8000; i++) {
        struct readplus_fault fault;
        size_t len;

        do {
            reply_random(&r, &seed);
        } while (r.size > 300);
        len = random_below(&seed, 4) == 0
                  ? random_below(&seed, (uint32_t)r.size + 1)
                  : r.size;
        if (random_below(&seed, 4) != 0)
            store32(r.wire + random_below(&seed, (uint32_t)r.size / 4) * 4,
                    words[random_below(&seed, 9)]);
        fault = our_verdict(r.wire, len, &ours);
        if (!is_safe(r.wire, len)) {
            ck_assert_int_ne(fault.error, READPLUS_OK);
            kinds[0]++;
        } else if (!generated_accepts(r.wire, len, &theirs)) {
            ck_assert_int_ne(fault.error, READPLUS_OK);
            kinds[1]++;
        } else if (fault.error != READPLUS_OK) {
            ck_assert(is_lenience(fault.error));
            kinds[2]++;
        } else {
            ck_assert_uint_eq(ours, theirs);
            kinds[3]++;
        }
    }
    for (i = 0; i < 4; i++) /* each was really met */
        ck_assert_uint_gt(kinds[i], 100);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rpcgen");
    TCase *tc = check_case(s, "alike");

    tcase_add_test(tc, same_bytes_both_ways);
    tcase_add_test(tc, arguments_and_seek_alike);
    tc = check_case(s, "verdicts");
    tcase_add_test(tc, verdicts_agree);
    return check_run(s);
}
