/*
 * The filter over bytes from a hostile peer, on memory and record streams:
 * each row of the catalogue by its number with the error, the byte and the
 * element that must be named; then any damage at all, where the fault must be
 * the one the core's decoder finds in the same bytes.  A stream gives each
 * byte once, so nothing can be fetched twice (D48).
 */
#include <stdio.h>

#include "check_rpc.h"

#define CAPACITY 8
#define ABSENT READPLUS_NO_SEGMENT

/* What a segment array holds before a decode: nothing that may be followed. */
static void poison(struct readplus_segment *segments)
{
    memset(segments, 0xd5, CAPACITY * sizeof(*segments));
}

/* After a failure nothing is owned and nothing is said. */
static void nothing_left(const struct readplus_rpc_res *res)
{
    ck_assert_uint_eq(res->count, 0);
    ck_assert_uint_eq(res->status, 0);
    ck_assert(!res->eof);
    ck_assert_ptr_null(res->blocks);
}

/* One decode of item[0, len): fragment 0 is a memory stream, at any address
 * (D42) and with nothing behind it. */
static struct readplus_rpc_res decode(const struct readplus_args *args,
                                      struct readplus_segment *segments,
                                      const uint8_t *item, size_t len,
                                      uint32_t fragment, void *buffer,
                                      size_t buffer_len)
{
    size_t skew = 1 + len % 3;
    uint8_t *exact = malloc(skew + len);
    struct readplus_rpc_res res;
    struct feed feed;
    bool_t good;
    XDR xdrs;

    ck_assert_ptr_nonnull(exact);
    memcpy(exact + skew, item, len);
    poison(segments);
    readplus_rpc_res_init(&res, args, segments, CAPACITY, buffer, buffer_len);
    res.count = 77; /* none of it may shine through */
    res.status = 77;
    res.eof = true;
    res.announced = 77;
    if (fragment > 0)
        rec_open(&xdrs, &feed, item, len, fragment, 1 + len);
    else
        xdrmem_create(&xdrs, (char *)exact + skew, (u_int)len, XDR_DECODE);
    good = readplus_rpc_res_xdr(&xdrs, &res);
    ck_assert_int_eq(good, res.fault.error == READPLUS_OK);
    if (!good)
        nothing_left(&res);
    if (fragment > 0)
        rec_close(&xdrs, &feed);
    else
        xdr_destroy(&xdrs);
    free(exact);
    return res;
}

/* --- the catalogue ------------------------------------------------------- */

struct row {
    const char *id;
    const char *hex; /* body of read_plus_res4; rp_status goes before it */
    enum readplus_error error;
    uint64_t at; /* in the item */
    uint32_t segment;
    uint32_t count; /* of a good one */
};

#define H(offset, length) "00000001" offset length
#define D(offset, length) "00000000" offset length
#define ZERO8 "0000000000000000"
#define ONE8 "0000000000000001"
#define MAX8 "ffffffffffffffff"

/* D01 to D03, D37, D38 and D41 are all_prefixes; D46 is every row on record
 * streams; D47 is status_alone; D51 is check_rpc_oom.c. */
static const struct row rows[] = {
    {"D04", "00000002 00000000", READPLUS_ERR_BAD_BOOL, 4, ABSENT, 0},
    {"D05", "ffffffff 00000000", READPLUS_ERR_BAD_BOOL, 4, ABSENT, 0},
    {"D06", "00000001 00000000", READPLUS_OK, 0, ABSENT, 0},
    {"D07", "00000000 00000001", READPLUS_ERR_TRUNCATED, 12, 0, 0},
    {"D08", "00000000 07ffffff", READPLUS_ERR_LIMIT, 8, ABSENT, 0},
    {"D09", "00000000 08000000", READPLUS_ERR_LIMIT, 8, ABSENT, 0},
    {"D10", "00000000 ffffffff", READPLUS_ERR_LIMIT, 8, ABSENT, 0},
    {"D11", "00000000 00000002" H(ZERO8, ONE8), READPLUS_ERR_TRUNCATED, 32, 1,
     0},
    {"D12", "00000000 00000001 00000002", READPLUS_ERR_BAD_CONTENT, 12, 0, 0},
    {"D13", "00000000 00000001 ffffffff", READPLUS_ERR_BAD_CONTENT, 12, 0, 0},
    {"D14", "00000000 00000001 00000100", READPLUS_ERR_BAD_CONTENT, 12, 0, 0},
    {"D15", "00000000 00000004 00000007 00000007 00000007 00000007",
     READPLUS_ERR_BAD_CONTENT, 12, 0, 0},
    {"D16", "00000000 00000001" D(ZERO8, "ffffffff"), READPLUS_ERR_TRUNCATED,
     24, 0, 0},
    {"D17", "00000000 00000001" D(ZERO8, "fffffffd"), READPLUS_ERR_TRUNCATED,
     24, 0, 0},
    {"D18", "00000000 00000001" D(ZERO8, "80000000") "41424344",
     READPLUS_ERR_TRUNCATED, 24, 0, 0},
    {"D19", "00000000 00000001" D(ZERO8, "00000001") "41",
     READPLUS_ERR_TRUNCATED, 24, 0, 0},
    {"D20", "00000000 00000001" D(ZERO8, "00000001") "410000",
     READPLUS_ERR_TRUNCATED, 24, 0, 0},
    {"D21", "00000000 00000001" D(ZERO8, "00000001") "41010203",
     READPLUS_ERR_BAD_PAD, 29, 0, 0},
    {"D22", "00000000 00000001" D(ZERO8, "00000003") "41424301",
     READPLUS_ERR_BAD_PAD, 31, 0, 0},
    {"D23", "00000000 00000001" D(ZERO8, "00000000"), READPLUS_OK, 0, ABSENT,
     1},
    {"D24", "00000000 00000001" H(ZERO8, ZERO8), READPLUS_OK, 0, ABSENT, 1},
    {"D25", "00000000 00000001" H(MAX8, ONE8), READPLUS_ERR_RANGE, 16, 0, 0},
    {"D26", "00000000 00000001" H(MAX8, MAX8), READPLUS_ERR_RANGE, 16, 0, 0},
    {"D27", "00000000 00000001" D(MAX8, "00000001") "41000000",
     READPLUS_ERR_RANGE, 16, 0, 0},
    {"D28", "00000000 00000001" H("7fffffffffffffff", ONE8), READPLUS_OK, 0,
     ABSENT, 1},
    {"D29", "00000000 00000001" H("8000000000000000", ONE8), READPLUS_OK, 0,
     ABSENT, 1},
    {"D30", "00000000 00000001" H(ZERO8, MAX8), READPLUS_OK, 0, ABSENT, 1},
    {"D31", "00000000 00000002" H("0000000000000010", ONE8) H(ZERO8, ONE8),
     READPLUS_ERR_ORDER, 36, 1, 0},
    {"D32",
     "00000000 00000002" H(ZERO8, "0000000000000010")
         H("0000000000000008", ONE8),
     READPLUS_ERR_OVERLAP, 36, 1, 0},
    {"D33", "00000000 00000002" H(ZERO8, ONE8) H("0000000000000002", ONE8),
     READPLUS_ERR_GAP, 36, 1, 0},
    {"D34", "00000000 00000002" H(ZERO8, ONE8) H(ZERO8, ONE8),
     READPLUS_ERR_OVERLAP, 36, 1, 0},
    {"D35", "00000001 00000000 deadbeef", READPLUS_OK, 0, ABSENT, 0},
    {"D36", "00000001 00000000 de", READPLUS_OK, 0, ABSENT, 0},
    {"D39", "01000000 00000000", READPLUS_ERR_BAD_BOOL, 4, ABSENT, 0},
    {"D40", "00000000 00000001" D("0000000100000000", "00000004") "41424344",
     READPLUS_OK, 0, ABSENT, 1},
    {"D44",
     "00000000 00000009" H(ZERO8, ZERO8) H(ZERO8, ZERO8) H(ZERO8, ZERO8)
         H(ZERO8, ZERO8) H(ZERO8, ZERO8) H(ZERO8, ZERO8) H(ZERO8, ZERO8)
             H(ZERO8, ZERO8) H(ZERO8, ZERO8),
     READPLUS_ERR_LIMIT, 8, ABSENT, 0},
    {"D50",
     "00000000 00000002" D(ZERO8, "00000004") "41424344" D(ZERO8, "00000004"),
     READPLUS_ERR_OVERLAP, 36, 1, 0},
    {"D57", "00000001 00000000", READPLUS_OK, 0, ABSENT, 0},
};

static size_t from_hex(const char *hex, uint8_t *out)
{
    size_t n = 0;

    for (; *hex != '\0'; hex++) {
        unsigned byte;

        if (*hex == ' ')
            continue;
        ck_assert_int_eq(sscanf(hex, "%2x", &byte), 1);
        out[n++] = (uint8_t)byte;
        hex++;
    }
    return n;
}

START_TEST(catalogue)
{
    const struct row *row = &rows[_i];
    uint8_t item[512] = {0}, buffer[64];
    struct readplus_segment segments[CAPACITY];
    size_t len = 4 + from_hex(row->hex, item + 4);
    uint32_t fragment;
    int lent;

    /* 0: memory; then records of fragments from 1 byte up; D46. */
    for (fragment = 0; fragment < 40; fragment++) {
        for (lent = 0; lent < 2; lent++) {
            bool too_long = row->id[1] == '1' && row->id[2] >= '6' &&
                            row->id[2] <= '8' && lent;
            struct readplus_rpc_res res =
                decode(NULL, segments, item, len, fragment,
                       lent ? buffer : NULL, sizeof(buffer));

            /* D16 to D18: a buffer is too small before bytes are missing. */
            fault_is(res.fault, too_long ? READPLUS_ERR_NOSPACE : row->error,
                     row->at, row->segment);
            ck_assert_uint_eq(res.count, row->count);
            xdr_free((xdrproc_t)readplus_rpc_res_xdr, &res);
        }
    }
}
END_TEST

/* D44: how many there are is told. */
START_TEST(needed_capacity_is_told)
{
    uint8_t item[12] = {0, 0, 0, 0, 0, 0, 0, 1, 7, 0xff, 0xff, 0xff};
    struct readplus_segment segments[CAPACITY];
    struct readplus_rpc_res res =
        decode(NULL, segments, item, sizeof(item), 0, NULL, 0);

    ck_assert_uint_eq(res.announced, 0x07ffffff);
}
END_TEST

/* D47: the void arm is four bytes, whatever follows. */
START_TEST(status_alone)
{
    uint8_t item[8] = {0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4};
    struct readplus_segment segments[CAPACITY];
    struct readplus_rpc_res res;
    XDR xdrs;

    readplus_rpc_res_init(&res, NULL, segments, CAPACITY, NULL, 0);
    xdrmem_create(&xdrs, (char *)item, sizeof(item), XDR_DECODE);
    ck_assert(readplus_rpc_res_xdr(&xdrs, &res));
    ck_assert_uint_eq(res.status, 0xdeadbeef);
    ck_assert_uint_eq(xdr_getpos(&xdrs), 4);
    res = decode(NULL, segments, (const uint8_t *)"\0\0\0\0", 4, 0, NULL, 0);
    fault_is(res.fault, READPLUS_ERR_TRUNCATED, 4, ABSENT);
}
END_TEST

/* D52 to D55: what lies outside the request comes as it is, to be clipped;
 * only what starts late is refused. */
START_TEST(request_range)
{
    struct readplus_segment in = {READPLUS_CONTENT_HOLE, 100, 1ull << 62, NULL};
    struct readplus_args args = {.offset = 200, .count = 8};
    struct readplus_segment segments[CAPACITY];
    struct readplus_rpc_res res;
    uint8_t item[32];
    size_t size;

    ck_assert_int_eq(
        readplus_res_encode(0, false, &in, 1, item, sizeof(item), &size, NULL),
        READPLUS_OK);
    res = decode(&args, segments, item, size, 0, NULL, 0);
    ck_assert_uint_eq(res.count, 1);
    segments_equal(segments, &in, 1);
    ck_assert(readplus_segment_clip(&segments[0], &args));
    ck_assert_uint_eq(segments[0].length, 8);
    args.offset = 99;
    res = decode(&args, segments, item, size, 3, NULL, 0);
    fault_is(res.fault, READPLUS_ERR_LATE_START, 16, 0);
}
END_TEST

/* D45: a MiB of empty elements is taken in one pass. */
START_TEST(many_empty_elements)
{
    const uint32_t count = 65536;
    struct readplus_segment *segments = calloc(count, sizeof(*segments));
    size_t size = 12 + 16 * (size_t)count;
    uint8_t *item = calloc(1, size);
    struct readplus_rpc_res res;
    XDR xdrs;

    ck_assert(segments != NULL && item != NULL);
    store32(item + 8, count);
    readplus_rpc_res_init(&res, NULL, segments, count, NULL, 0);
    xdrmem_create(&xdrs, (char *)item, (u_int)size, XDR_DECODE);
    ck_assert(readplus_rpc_res_xdr(&xdrs, &res));
    ck_assert_uint_eq(res.count, count);
    ck_assert_ptr_null(res.blocks);
    res.capacity = count - 1;
    ck_assert(xdr_setpos(&xdrs, 0));
    ck_assert(!readplus_rpc_res_xdr(&xdrs, &res));
    fault_is(res.fault, READPLUS_ERR_LIMIT, 8, ABSENT);
    free(item);
    free(segments);
}
END_TEST

/* An object that failed is as good as new. */
START_TEST(object_is_used_again)
{
    static const uint8_t bad[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9};
    static const uint8_t status[4] = {0, 0, 0x27, 0x14};
    struct readplus_segment segments[CAPACITY];
    struct readplus_rpc_res res;
    XDR xdrs;

    readplus_rpc_res_init(&res, NULL, segments, CAPACITY, NULL, 0);
    xdrmem_create(&xdrs, (char *)(uintptr_t)bad, sizeof(bad), XDR_DECODE);
    ck_assert(!readplus_rpc_res_xdr(&xdrs, &res));
    fault_is(res.fault, READPLUS_ERR_LIMIT, 8, ABSENT);
    ck_assert_uint_eq(res.announced, 9);
    xdrmem_create(&xdrs, (char *)(uintptr_t)status, sizeof(status), XDR_DECODE);
    ck_assert(readplus_rpc_res_xdr(&xdrs, &res));
    fault_is(res.fault, READPLUS_OK, 0, ABSENT);
    ck_assert_uint_eq(res.status, 10004);
    ck_assert_uint_eq(res.announced, 0);
}
END_TEST

/* The caller's buffer: to the byte. */
START_TEST(buffer_is_a_bound)
{
    struct readplus_segment in[2] = {
        {READPLUS_CONTENT_DATA, 0, 5, (const uint8_t *)"hello"},
        {READPLUS_CONTENT_DATA, 5, 3, (const uint8_t *)"abc"}};
    struct readplus_segment segments[CAPACITY];
    struct readplus_rpc_res res;
    uint8_t item[64], *buffer = exact_copy("????????", 8);
    size_t size;

    ck_assert_int_eq(
        readplus_res_encode(0, true, in, 2, item, sizeof(item), &size, NULL),
        READPLUS_OK);
    res = decode(NULL, segments, item, size, 0, buffer, 8);
    ck_assert_uint_eq(res.count, 2);
    ck_assert_ptr_eq(segments[0].data, buffer);
    ck_assert_mem_eq(buffer, "helloabc", 8);
    res = decode(NULL, segments, item, size, 0, buffer, 7);
    fault_is(res.fault, READPLUS_ERR_NOSPACE, 48, 1);
    res = decode(NULL, segments, item, size, 0, buffer, 4);
    fault_is(res.fault, READPLUS_ERR_NOSPACE, 24, 0);
    free(buffer);
}
END_TEST

/* --- any damage ---------------------------------------------------------- */

/* The core's word on the same bytes, in one buffer, up to our capacity. */
static struct readplus_fault core_fault(const struct readplus_args *args,
                                        const uint8_t *item, size_t len)
{
    struct readplus_segment segment;
    struct readplus_decoder decoder;
    enum readplus_error error = readplus_decoder_init_buffer(
        &decoder, args, item, len, READPLUS_DECODE_TRAILING);

    if (error == READPLUS_OK && len >= 12 && decoder.status == 0 &&
        decoder.count > CAPACITY)
        return (struct readplus_fault){READPLUS_ERR_LIMIT, ABSENT, 8};
    while (error == READPLUS_OK)
        error = readplus_decoder_next(&decoder, &segment);
    return readplus_decoder_fault(&decoder);
}

static void same_fault(const struct readplus_args *args, const uint8_t *item,
                       size_t len, uint32_t fragment)
{
    uint8_t *exact = exact_copy(item, len);
    struct readplus_fault core = core_fault(args, exact, len);
    struct readplus_segment segments[CAPACITY];
    static uint8_t buffer[REPLY_BYTES];
    struct readplus_rpc_res res =
        decode(args, segments, item, len, fragment, NULL, 0);

    fault_is(res.fault, core.error, core.at, core.segment);
    xdr_free((xdrproc_t)readplus_rpc_res_xdr, &res);
    res = decode(args, segments, item, len, fragment, buffer, sizeof(buffer));
    /* Too long for the buffer is seen before it is seen to be cut. */
    if (res.fault.error == READPLUS_ERR_NOSPACE &&
        core.error == READPLUS_ERR_TRUNCATED)
        core.error = READPLUS_ERR_NOSPACE;
    fault_is(res.fault, core.error, core.at, core.segment);
    free(exact);
}

/* A few short segments, so that damage hits headers. */
static void reply_small(struct reply *r, uint64_t *seed)
{
    do {
        reply_random(r, seed);
    } while (r->count > CAPACITY || r->size > 400);
}

START_TEST(all_prefixes)
{
    uint64_t seed = 0x1234567890abcdefu;
    struct reply r;
    size_t len;
    int i;

    for (i = 0; i < 40; i++) {
        reply_small(&r, &seed);
        for (len = 0; len <= r.size; len++)
            same_fault(NULL, r.wire, len, (uint32_t)i % 7);
    }
}
END_TEST

START_TEST(any_damage)
{
    static const uint32_t words[] = {0, 1,           2,           3,          4,
                                     5, 0x80000000u, 0xfffffffdu, 0xffffffffu};
    struct readplus_args args = {.offset = 0x40000000u, .count = 100};
    uint64_t seed = 0xfeedfacecafebeefu;
    struct reply r;
    int i, damage;

    for (i = 0; i < 6000; i++) {
        reply_small(&r, &seed);
        for (damage = 1 + i % 3; damage > 0; damage--) {
            size_t at = random_below(&seed, (uint32_t)r.size);

            if (random_below(&seed, 2) == 0)
                r.wire[at] ^= (uint8_t)(1u << random_below(&seed, 8));
            else
                store32(r.wire + at / 4 * 4, words[random_below(&seed, 9)]);
        }
        same_fault(i % 2 == 0 ? &args : NULL, r.wire, r.size, (uint32_t)i % 5);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rpc_hostile");
    TCase *tc = check_case(s, "catalogue");

    tcase_add_loop_test(tc, catalogue, 0, sizeof(rows) / sizeof(rows[0]));
    tcase_add_test(tc, needed_capacity_is_told);
    tcase_add_test(tc, status_alone);
    tcase_add_test(tc, request_range);
    tcase_add_test(tc, many_empty_elements);
    tcase_add_test(tc, object_is_used_again);
    tcase_add_test(tc, buffer_is_a_bound);
    tc = check_case(s, "damage");
    tcase_add_test(tc, all_prefixes);
    tcase_add_test(tc, any_damage);
    return check_run(s);
}
