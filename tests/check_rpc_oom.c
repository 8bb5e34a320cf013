/*
 * The filter's memory: never more than twice what was received and 4096
 * bytes, at no moment; whichever allocation fails, once or from then on, the
 * fault says so, nothing is left, and the next try succeeds.  rpc.c is
 * compiled into this program with a malloc that counts, and reads from a
 * stream that has nothing but x_getbytes.
 */
#include <readplus.h>
#include <readplus/rpc.h>

#include "check_rpc.h"

static void *counting_malloc(size_t size);
static void counting_free(void *p);

#define malloc counting_malloc
#define free counting_free
#include "lib/rpc.c"
#undef malloc
#undef free

/* --- a malloc that counts ------------------------------------------------ */

static struct {
    size_t live;     /* bytes, as asked for */
    size_t received; /* from the stream, for the bound */
    unsigned calls;
    unsigned fail_at; /* the call that fails, from 1; 0: none */
    bool sticky;      /* and all after it */
} heap;

union head {
    size_t size;
    max_align_t align;
};

static void *counting_malloc(size_t size)
{
    union head *block;

    heap.calls++;
    if (heap.fail_at != 0 && (heap.calls == heap.fail_at ||
                              (heap.sticky && heap.calls > heap.fail_at)))
        return NULL;
    ck_assert_uint_le(heap.live + size, 2 * heap.received + 4096);
    block = malloc(sizeof(*block) + size);
    ck_assert_ptr_nonnull(block);
    block->size = size;
    heap.live += size;
    return block + 1;
}

static void counting_free(void *p)
{
    union head *block = (union head *)p - 1;

    heap.live -= block->size;
    free(block);
}

/* --- a stream with one operation ----------------------------------------- */

struct bytes {
    const uint8_t *pos, *end;
};

/* Like xdrrec it has used up what was there when it fails. */
static bool_t get_counted(XDR *xdrs, char *to, u_int n)
{
    struct bytes *b = xdrs->x_private;
    size_t there = (size_t)(b->end - b->pos), step = n < there ? n : there;

    memcpy(to, b->pos, step);
    b->pos += step;
    heap.received += step;
    return step == n;
}

static bool_t decode_counted(struct readplus_rpc_res *res, const uint8_t *item,
                             size_t len)
{
    static const struct xdr_ops ops = {.x_getbytes = get_counted};
    struct bytes b = {item, item + len};
    XDR xdrs = {.x_op = XDR_DECODE, .x_ops = &ops, .x_private = &b};

    heap.received = 0;
    heap.calls = 0;
    return readplus_rpc_res_xdr(&xdrs, res);
}

static void free_counted(struct readplus_rpc_res *res)
{
    xdr_free((xdrproc_t)readplus_rpc_res_xdr, res);
    ck_assert_uint_eq(heap.live, 0);
}

/* --- replies of awkward lengths ------------------------------------------ */

#define SEGMENTS 7

/* Around one chunk and two, and many. */
static const uint32_t lengths[SEGMENTS] = {
    1, FIRST_CHUNK, 0, FIRST_CHUNK + 1, 2 * FIRST_CHUNK + 1, 100000, 3};

struct big {
    struct readplus_segment segments[SEGMENTS];
    uint64_t length_at[SEGMENTS]; /* of the length words in the item */
    uint8_t *data, *wire;
    size_t size;
};

static void big_make(struct big *b)
{
    uint64_t offset = 10, size, at = READPLUS_RES_HEAD_SIZE;
    size_t i;

    b->data = malloc(1 << 17);
    ck_assert_ptr_nonnull(b->data);
    for (i = 0; i < 1 << 17; i++)
        b->data[i] = (uint8_t)(i * 7 + i / 251);
    for (i = 0; i < SEGMENTS; i++) {
        b->segments[i] =
            (struct readplus_segment){READPLUS_CONTENT_DATA, offset, lengths[i],
                                      lengths[i] > 0 ? b->data + offset : NULL};
        b->length_at[i] = at + 12;
        at += readplus_data_size(lengths[i]);
        offset += lengths[i];
    }
    ck_assert_int_eq(readplus_res_size(b->segments, SEGMENTS, &size),
                     READPLUS_OK);
    b->wire = malloc((size_t)size);
    ck_assert_int_eq(readplus_res_encode(0, true, b->segments, SEGMENTS,
                                         b->wire, (size_t)size, &b->size, NULL),
                     READPLUS_OK);
}

static void big_free(struct big *b)
{
    free(b->data);
    free(b->wire);
}

/* --- tests --------------------------------------------------------------- */

/* The element in which allocation n of a whole decode falls. */
static void no_memory_in_order(const struct big *b, struct readplus_fault f,
                               uint32_t *last)
{
    ck_assert_int_eq(f.error, READPLUS_ERR_NOMEM);
    ck_assert_uint_lt(f.segment, SEGMENTS);
    ck_assert_uint_ge(f.segment, *last);
    ck_assert_uint_le(f.segment, *last + 2);
    ck_assert_uint_eq(f.at, b->length_at[f.segment]);
    *last = f.segment;
}

static void fail_everywhere(bool sticky)
{
    struct readplus_segment segments[SEGMENTS];
    struct readplus_rpc_res res;
    struct big b;
    unsigned n, total;
    uint32_t last = 0;

    big_make(&b);
    readplus_rpc_res_init(&res, NULL, segments, SEGMENTS, NULL, 0);
    ck_assert(decode_counted(&res, b.wire, b.size));
    total = heap.calls;
    /* 1, 1, 0, 2 and one to join them, 3 and one, 6 and one, 1 */
    ck_assert_uint_eq(total, 17);
    for (n = 1; n <= total; n++) {
        heap.fail_at = n;
        heap.sticky = sticky;
        ck_assert(!decode_counted(&res, b.wire, b.size));
        no_memory_in_order(&b, res.fault, &last);
        ck_assert_uint_eq(heap.live, 0);
        ck_assert_ptr_null(res.blocks);
        ck_assert_uint_eq(res.count, 0);
        heap.fail_at = 0;
        ck_assert(decode_counted(&res, b.wire, b.size));
        ck_assert_uint_eq(res.count, SEGMENTS);
        segments_equal(res.segments, b.segments, SEGMENTS);
    }
    ck_assert_uint_eq(last, SEGMENTS - 1);
    free_counted(&res);
    free_counted(&res);
    big_free(&b);
}

START_TEST(one_failure_anywhere)
{
    fail_everywhere(false);
}
END_TEST

START_TEST(failures_from_anywhere_on)
{
    fail_everywhere(true);
}
END_TEST

/* counting_malloc holds every call to the bound; here for a reply cut at any
 * byte, which leaves nothing. */
START_TEST(bound_holds_for_every_prefix)
{
    struct readplus_segment segments[SEGMENTS];
    struct readplus_rpc_res res;
    struct big b;
    size_t len;

    big_make(&b);
    readplus_rpc_res_init(&res, NULL, segments, SEGMENTS, NULL, 0);
    for (len = 0; len < b.size; len += len < 20000 ? 1 : 997) {
        ck_assert(!decode_counted(&res, b.wire, len));
        ck_assert_int_eq(res.fault.error, READPLUS_ERR_TRUNCATED);
        ck_assert_uint_eq(heap.live, 0);
    }
    big_free(&b);
}
END_TEST

/* Lengths of 2 and 4 GiB in front of 0 to 64 KiB: what is taken follows what
 * came, and a count word takes nothing at all. */
START_TEST(lengths_from_the_wire_take_nothing)
{
    static const uint32_t claims[] = {0x7fffffff, 0x80000000, 0xfffffffd,
                                      0xffffffff};
    struct readplus_segment segments[1];
    uint8_t *item = calloc(1, 28 + 65536);
    struct readplus_rpc_res res;
    size_t len, i;

    ck_assert_ptr_nonnull(item);
    readplus_rpc_res_init(&res, NULL, segments, 1, NULL, 0);
    item[11] = 1;
    for (i = 0; i < 4; i++) {
        store32(item + 24, claims[i]);
        for (len = 28; len <= 28 + 65536; len += 509) {
            ck_assert(!decode_counted(&res, item, len));
            fault_is(res.fault, READPLUS_ERR_TRUNCATED, 24, 0);
            ck_assert_uint_eq(heap.live, 0);
        }
    }
    store32(item + 8, 0xffffffff);
    ck_assert(!decode_counted(&res, item, 28));
    ck_assert_uint_eq(heap.calls, 0);
    free(item);
}
END_TEST

/* The least data for the most bookkeeping: one byte an element. */
START_TEST(bound_holds_for_single_bytes)
{
    enum { MANY = 5000 };
    struct readplus_segment *segments = calloc(MANY, sizeof(*segments));
    uint8_t *wire = malloc(12 + 20 * MANY);
    struct readplus_rpc_res res;
    size_t size;
    uint32_t i;

    for (i = 0; i < MANY; i++)
        segments[i] = (struct readplus_segment){READPLUS_CONTENT_DATA, i, 1,
                                                (const uint8_t *)"x"};
    ck_assert_int_eq(readplus_res_encode(0, true, segments, MANY, wire,
                                         12 + 20 * MANY, &size, NULL),
                     READPLUS_OK);
    readplus_rpc_res_init(&res, NULL, segments, MANY, NULL, 0);
    ck_assert(decode_counted(&res, wire, size));
    ck_assert_uint_eq(res.count, MANY);
    free_counted(&res);
    free(segments);
    free(wire);
}
END_TEST

/* A buffer of the caller's, and holes, take none. */
START_TEST(lent_buffer_takes_none)
{
    struct readplus_segment segments[SEGMENTS];
    struct readplus_rpc_res res;
    struct big b;
    uint8_t *buffer;

    big_make(&b);
    buffer = malloc(b.size);
    readplus_rpc_res_init(&res, NULL, segments, SEGMENTS, buffer, b.size);
    ck_assert(decode_counted(&res, b.wire, b.size));
    ck_assert_uint_eq(heap.calls, 0);
    segments_equal(segments, b.segments, SEGMENTS);
    free(buffer);
    big_free(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rpc_oom");
    TCase *tc = check_case(s, "memory");

    tcase_add_test(tc, one_failure_anywhere);
    tcase_add_test(tc, failures_from_anywhere_on);
    tcase_add_test(tc, bound_holds_for_every_prefix);
    tcase_add_test(tc, lengths_from_the_wire_take_nothing);
    tcase_add_test(tc, bound_holds_for_single_bytes);
    tcase_add_test(tc, lent_buffer_takes_none);
    return check_run(s);
}
