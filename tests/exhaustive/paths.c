/*
 * One item through every way a reply is delivered: an iterator over one buffer
 * or over pieces, the call for a whole item, copied, as a stream, in place,
 * and by the XDR filter.  All must name the same fault at the same byte and
 * bring the same bytes, and the tests' own plain decoder must say so too.
 */
#include <readplus/expand.h>
#include <readplus/stream.h>

#include "exhaustive.h"

#include "../transcript.h"

#define COUNT 16 /* bytes asked for */
#define PIECES (EXHAUSTIVE_MOST + 1)

static const struct readplus_args args = {.offset = 0, .count = COUNT};

/* What the iterator made of the item in one buffer, and copying it. */
struct answer {
    struct readplus_segment segments[EXHAUSTIVE_ELEMENTS];
    struct readplus_fault fault;
    struct readplus_result result;
    enum readplus_error error; /* of delivery */
    uint32_t count;
    uint8_t bytes[COUNT];
};

static void same_fault(struct readplus_fault a, struct readplus_fault b)
{
    HOLDS(a.error == b.error && a.at == b.at && a.segment == b.segment);
}

static void same_delivery(const struct answer *want, enum readplus_error error,
                          const struct readplus_result *result,
                          const uint8_t *bytes)
{
    HOLDS(error == want->error);
    HOLDS(result->bytes == want->result.bytes);
    HOLDS(result->zero_bytes == want->result.zero_bytes);
    HOLDS(result->eof == want->result.eof);
    HOLDS(result->progress == want->result.progress);
    same_fault(result->fault, want->result.fault);
    HOLDS(memcmp(bytes, want->bytes, (size_t)result->bytes) == 0);
}

static void one_buffer(struct answer *a, const uint8_t *item, size_t len,
                       uint32_t flags)
{
    struct iovec to = {a->bytes, COUNT};
    struct readplus_decoder decoder;
    enum readplus_error error;

    error = readplus_decoder_init_buffer(&decoder, &args, item, len, flags);
    for (a->count = 0; error == READPLUS_OK;) {
        error = readplus_decoder_next(&decoder, &a->segments[a->count]);
        a->count += error == READPLUS_OK;
    }
    a->fault = readplus_decoder_fault(&decoder);
    (void)!readplus_decoder_init_buffer(&decoder, &args, item, len, flags);
    a->error = readplus_scatter(&decoder, &to, 1, 0, &a->result);
    same_fault(a->result.fault, a->fault);
}

/* A decoder of which no line is the library's. */
static void plain(const struct answer *want, const uint8_t *item, size_t len,
                  uint32_t flags)
{
    struct transcript t;
    size_t i;

    transcript_plain(&t, item, len, &args, flags);
    same_fault(t.fault, want->fault);
    HOLDS(t.count == want->count);
    for (i = 0; i < t.count; i++)
        HOLDS(t.seen[i].segment.content == want->segments[i].content &&
              t.seen[i].segment.offset == want->segments[i].offset &&
              t.seen[i].segment.length == want->segments[i].length);
    transcript_free(&t);
}

static void whole_item(const struct answer *want, const uint8_t *item,
                       size_t len, uint32_t flags)
{
    struct readplus_segment s[EXHAUSTIVE_ELEMENTS];
    struct readplus_res res;
    enum readplus_error error = readplus_res_decode(&args, item, len, flags, s,
                                                    EXHAUSTIVE_ELEMENTS, &res);
    uint32_t i;

    HOLDS(error == want->fault.error);
    same_fault(res.fault, want->fault);
    HOLDS(res.count == want->count);
    for (i = 0; i < want->count; i++)
        HOLDS(s[i].content == want->segments[i].content &&
              s[i].offset == want->segments[i].offset &&
              s[i].length == want->segments[i].length &&
              s[i].data == want->segments[i].data);
}

/* In pieces of `step` bytes, to a destination in two. */
static void pieces(const struct answer *want, const uint8_t *item, size_t len,
                   size_t step, uint32_t flags)
{
    struct iovec iov[PIECES], to[2];
    struct readplus_decoder decoder;
    struct readplus_result result;
    struct readplus_segment s;
    uint8_t bytes[COUNT];
    enum readplus_error error;
    size_t n, at;
    uint32_t count;

    for (n = 0, at = 0; at < len; n++, at += iov[n - 1].iov_len)
        iov[n] = (struct iovec){(void *)(uintptr_t)(item + at),
                                step < len - at ? step : len - at};
    error = readplus_decoder_init(&decoder, &args, iov, n, flags);
    for (count = 0; error == READPLUS_OK; count++) {
        error = readplus_decoder_next(&decoder, &s);
        if (error != READPLUS_OK)
            break;
        HOLDS(count < want->count);
        HOLDS(s.content == want->segments[count].content &&
              s.offset == want->segments[count].offset &&
              s.length == want->segments[count].length);
    }
    HOLDS(count == want->count);
    same_fault(readplus_decoder_fault(&decoder), want->fault);
    to[0] = (struct iovec){bytes, step < COUNT ? step : COUNT};
    to[1] = (struct iovec){bytes + to[0].iov_len, COUNT - to[0].iov_len};
    (void)!readplus_decoder_init(&decoder, &args, iov, n, flags);
    error = readplus_scatter(&decoder, to, 2, 0, &result);
    same_delivery(want, error, &result, bytes);
}

static void stream(const struct answer *want, const uint8_t *item, size_t len,
                   size_t step, uint32_t flags)
{
    uint8_t bytes[COUNT], ahead[40];
    struct iovec to = {bytes, COUNT}, iov;
    struct readplus_stream s;
    struct readplus_result result;
    enum readplus_error error;
    size_t at = 0, n, entries;

    HOLDS(readplus_stream_init(&s, &args, &to, 1, flags) == READPLUS_OK);
    readplus_stream_set_size(&s, len);
    if (step % 2 == 0)
        readplus_stream_set_ahead(&s, ahead, sizeof(ahead));
    while (at < len &&
           readplus_stream_want(&s, &iov, 1, &entries) == READPLUS_OK) {
        n = step < len - at ? step : len - at;
        n = n < iov.iov_len ? n : iov.iov_len;
        memcpy(iov.iov_base, item + at, n);
        at += n;
        HOLDS(readplus_stream_advance(&s, n) == READPLUS_OK);
    }
    error = readplus_stream_end(&s, &result);
    same_delivery(want, error, &result, bytes);
}

/* Received behind the user's bytes, with as much room as it asks for and no
 * more; with an array, and without. */
static void in_place(const struct answer *want, const uint8_t *item, size_t len,
                     uint32_t flags, bool array)
{
    struct readplus_segment segments[EXHAUSTIVE_ELEMENTS];
    uint8_t apart[COUNT], memory[2 * EXHAUSTIVE_MOST + COUNT + 256];
    struct iovec iov[2] = {{(void *)(uintptr_t)item, len}, {apart, COUNT}};
    struct readplus_expansion e = {args, iov, 2, 0, len, len, COUNT, flags};
    struct readplus_result result;
    enum readplus_error error;
    uint64_t slack;
    size_t behind, front;

    HOLDS(readplus_expand_slack(&e, &slack) == READPLUS_OK);
    behind = COUNT + (size_t)slack;
    front = len > behind ? len - behind : 0;
    HOLDS(front + behind <= sizeof(memory));
    memcpy(memory + front + behind - len, item, len);
    iov[0] = (struct iovec){memory, front + behind};
    e.pieces = 1;
    e.reply = front + behind - len;
    e.content = front;
    error = array ? readplus_expand_segments(&e, segments, EXHAUSTIVE_ELEMENTS,
                                             &result)
                  : readplus_expand(&e, &result);
    same_delivery(want, error, &result, memory + front);
}

/* The filter asks for room before it looks at bytes. */
static void filter(const struct answer *want, const uint8_t *item, size_t len)
{
    struct readplus_segment s[EXHAUSTIVE_ELEMENTS];
    struct readplus_rpc_res res;
    uint32_t i;
    XDR xdrs;

    readplus_rpc_res_init(&res, &args, s, EXHAUSTIVE_ELEMENTS, NULL, 0);
    xdrmem_create(&xdrs, (char *)(uintptr_t)item, (u_int)len, XDR_DECODE);
    HOLDS(readplus_rpc_res_xdr(&xdrs, &res) ==
          (res.fault.error == READPLUS_OK));
    if (res.fault.error == READPLUS_ERR_LIMIT) {
        HOLDS(res.fault.at == 8 && want->fault.error != READPLUS_OK);
    } else if (want->fault.error == READPLUS_ERR_TRAILING) {
        HOLDS(res.fault.error == READPLUS_OK); /* a COMPOUND goes on there */
        HOLDS(xdr_getpos(&xdrs) == want->fault.at);
    } else {
        same_fault(res.fault, want->fault);
    }
    if (res.fault.error == READPLUS_OK) {
        HOLDS(res.count == want->count);
        for (i = 0; i < res.count; i++)
            HOLDS(s[i].content == want->segments[i].content &&
                  s[i].offset == want->segments[i].offset &&
                  s[i].length == want->segments[i].length &&
                  (s[i].length == 0 || s[i].content != READPLUS_CONTENT_DATA ||
                   memcmp(s[i].data, want->segments[i].data,
                          (size_t)s[i].length) == 0));
    } else {
        HOLDS(res.count == 0 && res.blocks == NULL);
    }
    xdr_destroy(&xdrs);
    xdr_free((xdrproc_t)readplus_rpc_res_xdr, &res);
}

void paths_agree(const uint8_t *item, size_t len)
{
    static const uint32_t profiles[] = {0, READPLUS_DECODE_TOLERANT};
    static const size_t steps[] = {1, 2, 3, 5, EXHAUSTIVE_MOST};
    struct answer want;
    size_t i, k;

    for (i = 0; i < 2; i++) {
        one_buffer(&want, item, len, profiles[i]);
        plain(&want, item, len, profiles[i]);
        whole_item(&want, item, len, profiles[i]);
        for (k = 0; k < 5; k++) {
            pieces(&want, item, len, steps[k], profiles[i]);
            stream(&want, item, len, steps[k], profiles[i]);
        }
        in_place(&want, item, len, profiles[i], false);
        in_place(&want, item, len, profiles[i], true);
        if (profiles[i] == 0)
            filter(&want, item, len);
    }
}
