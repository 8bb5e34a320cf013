/*
 * Three decoders of the same bytes: the core's, the filter of readplus/rpc.h,
 * and the one rpcgen makes, guarded.  The first two agree to the byte of the
 * fault; the third agrees on everything well formed, and on the rest but for
 * the table in rpcgen_guard.h.  What is accepted, rpcgen's encoder writes back
 * the same.
 */
#include "invariants.h"
#include "rpcgen_guard.h"

const size_t fuzz_params = FUZZ_PARAMS;

#define MOST 1024
#define CAPACITY 64

/* The core's verdict on the item and what may follow it. */
static struct readplus_fault core(const struct fuzz_reply *r,
                                  struct readplus_segment *segments,
                                  uint32_t *count, uint64_t *used)
{
    struct readplus_decoder decoder;
    enum readplus_error error;

    error = readplus_decoder_init_buffer(&decoder, fuzz_args(r), r->item,
                                         r->len, READPLUS_DECODE_TRAILING);
    for (*count = 0; error == READPLUS_OK && *count < CAPACITY;) {
        error = readplus_decoder_next(&decoder, &segments[*count]);
        *count += error == READPLUS_OK;
    }
    *used = readplus_decoder_consumed(&decoder);
    return readplus_decoder_fault(&decoder);
}

static void same_segments(const struct readplus_segment *a,
                          const struct readplus_segment *b, uint32_t count)
{
    uint32_t i;

    for (i = 0; i < count; i++) {
        HOLDS(a[i].content == b[i].content);
        HOLDS(a[i].offset == b[i].offset && a[i].length == b[i].length);
        HOLDS((a[i].data == NULL) == (b[i].data == NULL));
        HOLDS(a[i].data == NULL ||
              memcmp(a[i].data, b[i].data, (size_t)a[i].length) == 0);
    }
}

/*
 * The filter says the same, but for what only it knows: too small an array at
 * the count word, and too small a buffer at a length word, whether or not the
 * bytes it speaks of are there.
 */
static void same_fault(const struct fuzz_reply *r, struct readplus_fault fault,
                       struct readplus_fault want)
{
    if (fault.error == READPLUS_ERR_LIMIT) {
        HOLDS(fault.at == 8 && fault.segment == READPLUS_NO_SEGMENT);
        return;
    }
    if (fault.error == READPLUS_ERR_NOSPACE)
        HOLDS(r->cuts & 1 && want.error == READPLUS_ERR_TRUNCATED);
    else
        HOLDS(fault.error == want.error);
    HOLDS(fault.at == want.at && fault.segment == want.segment);
}

/* The bridge's filter, with the caller's buffer or with memory of its own. */
static struct readplus_fault filter(const struct fuzz_reply *r,
                                    struct readplus_fault want,
                                    const struct readplus_segment *segments,
                                    uint32_t count, uint64_t used)
{
    struct readplus_segment ours[CAPACITY];
    static uint8_t buffer[MOST];
    struct readplus_rpc_res res;
    struct readplus_fault fault;
    XDR xdrs;

    readplus_rpc_res_init(&res, fuzz_args(r), ours, CAPACITY,
                          r->cuts & 1 ? buffer : NULL,
                          r->cuts & 1 ? sizeof(buffer) : 0);
    xdrmem_create(&xdrs, (char *)(uintptr_t)r->item, (u_int)r->len, XDR_DECODE);
    HOLDS(readplus_rpc_res_xdr(&xdrs, &res) ==
          (res.fault.error == READPLUS_OK));
    fault = res.fault;
    if (fault.error == READPLUS_OK) {
        HOLDS(res.count == count);
        HOLDS(xdr_getpos(&xdrs) == used);
        same_segments(ours, segments, count);
    } else {
        HOLDS(res.count == 0 && res.blocks == NULL);
    }
    same_fault(r, fault, want);
    xdr_destroy(&xdrs);
    xdr_free((xdrproc_t)readplus_rpc_res_xdr, &res);
    return fault;
}

/* Imported, the same segments; encoded, the same bytes. */
static void there_and_back(const struct fuzz_reply *r,
                           readplus_READ_PLUS4res *from, size_t used,
                           const struct readplus_segment *segments,
                           uint32_t count)
{
    struct readplus_segment ours[CAPACITY];
    static readplus_read_plus_content contents[CAPACITY];
    static uint8_t out[MOST];
    readplus_READ_PLUS4res to;
    struct readplus_rpc_res res;
    XDR xdrs;

    readplus_rpc_res_init(&res, fuzz_args(r), ours, CAPACITY, NULL, 0);
    HOLDS(readplus_rpc_res_import(&res, from) == READPLUS_OK);
    HOLDS(res.count == count);
    same_segments(ours, segments, count);
    HOLDS(readplus_rpc_res_export(&res, contents, CAPACITY, &to) ==
          READPLUS_OK);
    HOLDS(xdr_sizeof((xdrproc_t)xdr_readplus_READ_PLUS4res, &to) == used);
    xdrmem_create(&xdrs, (char *)out, sizeof(out), XDR_ENCODE);
    HOLDS(xdr_readplus_READ_PLUS4res(&xdrs, &to));
    HOLDS(xdr_getpos(&xdrs) == used && memcmp(out, r->item, used) == 0);
    xdr_destroy(&xdrs);
    memset(out, 0xa5, used);
    xdrmem_create(&xdrs, (char *)out, sizeof(out), XDR_ENCODE);
    HOLDS(readplus_rpc_res_xdr(&xdrs, &res));
    HOLDS(xdr_getpos(&xdrs) == used && memcmp(out, r->item, used) == 0);
    xdr_destroy(&xdrs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct readplus_segment segments[CAPACITY];
    readplus_READ_PLUS4res from;
    struct readplus_fault fault;
    struct fuzz_reply r;
    uint64_t used;
    uint32_t count;
    size_t theirs = 0;

    if (!fuzz_reply_read(&r, data, size) || r.len > MOST)
        return 0;
    fault = core(&r, segments, &count, &used);
    fault = filter(&r, fault, segments, count, used);
    if (!guard_covers(r.item, r.len)) {
        HOLDS(fault.error != READPLUS_OK);
        return 0;
    }
    if (guard_decode(r.item, r.len, &from, &theirs)) {
        HOLDS(fault.error == READPLUS_OK || guard_intended(fault.error));
        if (fault.error == READPLUS_OK) {
            HOLDS(theirs == used);
            there_and_back(&r, &from, theirs, segments, count);
        }
    } else {
        HOLDS(fault.error != READPLUS_OK);
    }
    guard_free(&from);
    return 0;
}
