/*
 * Delivery: copied by readplus_scatter, received in place by the stream in
 * random portions, rebuilt from the stream's events; all must bring what the
 * plain model of tests/delivery.h says, byte for byte, and touch nothing else.
 */
#include "invariants.h"

#include "../delivery.h"

const size_t fuzz_params = FUZZ_PARAMS;

#define MOST 2048
#define UNTOUCHED 0xee

/* What one way of delivery brought. */
struct brought {
    enum readplus_error error;
    struct readplus_result result;
    uint8_t bytes[REPLY_MOST];
    size_t fed; /* bytes of the item that were used */
};

static uint8_t background(const struct fuzz_reply *r)
{
    return r->options & FUZZ_ZEROED ? 0 : UNTOUCHED;
}

static uint32_t scatter_flags(const struct fuzz_reply *r)
{
    return r->options & FUZZ_ZEROED ? READPLUS_SCATTER_ZEROED : 0;
}

/* A destination of r->room bytes, in pieces. */
static void open_destination(const struct fuzz_reply *r, struct fuzz_cut *to)
{
    static uint8_t pattern[REPLY_MOST];

    memset(pattern, background(r), r->room);
    fuzz_cut_open(to, pattern, r->room, (unsigned)r->cuts * 7u);
}

/* All of it to b->bytes. */
static void close_destination(struct fuzz_cut *to, struct brought *b)
{
    size_t i, at = 0;

    for (i = 0; i < to->n; i++) {
        if (to->iov[i].iov_len > 0)
            memcpy(b->bytes + at, to->iov[i].iov_base, to->iov[i].iov_len);
        at += to->iov[i].iov_len;
    }
    fuzz_cut_close(to);
}

static void same_result(const struct brought *a, const struct brought *b)
{
    HOLDS(a->error == b->error);
    HOLDS(a->result.bytes == b->result.bytes);
    HOLDS(a->result.zero_bytes == b->result.zero_bytes);
    HOLDS(a->result.eof == b->result.eof);
    HOLDS(a->result.progress == b->result.progress);
    HOLDS(a->result.fault.error == b->result.fault.error);
    HOLDS(a->result.fault.at == b->result.fault.at);
    HOLDS(a->result.fault.segment == b->result.fault.segment);
    HOLDS(memcmp(a->bytes, b->bytes, (size_t)a->result.bytes) == 0);
}

/* --- copied --------------------------------------------------------------- */

static void scatter(const struct fuzz_reply *r, size_t len, unsigned cuts,
                    struct brought *b)
{
    struct readplus_decoder decoder;
    struct fuzz_cut from, to;
    enum readplus_error error;
    size_t i;

    fuzz_cut_open(&from, r->item, len, cuts);
    open_destination(r, &to);
    error =
        readplus_decoder_init(&decoder, &r->args, from.iov, from.n, r->flags);
    b->error =
        readplus_scatter(&decoder, to.iov, to.n, scatter_flags(r), &b->result);
    if (error != READPLUS_OK)
        HOLDS(b->error == error);
    invariant_decoder(&decoder);
    invariant_result(&b->result, &r->args, r->room);
    close_destination(&to, b);
    fuzz_cut_close(&from);
    for (i = (size_t)b->result.bytes; i < r->room; i++)
        HOLDS(b->bytes[i] == background(r));
}

/* --- received ------------------------------------------------------------- */

/* Puts up to `most` bytes of the item where the stream wants them. */
static size_t feed(const struct fuzz_reply *r, size_t at, size_t most,
                   const struct iovec *iov, size_t entries)
{
    size_t i, n, fed = 0;

    for (i = 0; i < entries && fed < most; i++) {
        n = iov[i].iov_len < most - fed ? iov[i].iov_len : most - fed;
        memcpy(iov[i].iov_base, r->item + at + fed, n);
        fed += n;
    }
    return fed;
}

static size_t wanted(const struct iovec *iov, size_t entries)
{
    size_t sum = 0, i;

    HOLDS(entries > 0);
    for (i = 0; i < entries; i++) {
        HOLDS(iov[i].iov_len > 0 && iov[i].iov_base != NULL);
        sum += iov[i].iov_len;
    }
    return sum;
}

/* One wait and one receive; false where there is no more of either. */
static bool receive(const struct fuzz_reply *r, struct readplus_stream *s,
                    uint64_t *state, size_t *fed, size_t *most)
{
    size_t capacity = 1 + fuzz_random(state) % 4, entries = 99, n;
    struct iovec iov[4];
    enum readplus_error error;

    error = readplus_stream_want(s, iov, capacity, &entries);
    invariant_stream(s);
    if (error == READPLUS_END)
        HOLDS(entries == 0);
    if (error == READPLUS_END || *fed == r->len)
        return false;
    HOLDS(error == READPLUS_OK && entries <= capacity);
    n = wanted(iov, entries);
    *most = *fed + n > *most ? *fed + n : *most;
    if (fuzz_random(state) % 2 == 0)
        n = 1 + fuzz_random(state) % n;
    n = n < r->len - *fed ? n : r->len - *fed;
    HOLDS(readplus_stream_advance(s, SIZE_MAX) == READPLUS_ERR_INVAL);
    n = feed(r, *fed, n, iov, entries);
    HOLDS(readplus_stream_advance(s, n) == READPLUS_OK);
    invariant_stream(s);
    *fed += n;
    return true;
}

static void finish(const struct fuzz_reply *r, struct readplus_stream *s,
                   uint64_t room, struct brought *b)
{
    struct readplus_result again;
    const uint8_t *rest;
    size_t len = 0;

    b->error = readplus_stream_end(s, &b->result);
    invariant_stream(s);
    invariant_result(&b->result, &r->args, room);
    HOLDS(readplus_stream_end(s, &again) == b->error);
    HOLDS(again.bytes == b->result.bytes && again.eof == b->result.eof);
    rest = readplus_stream_rest(s, &len);
    HOLDS(len <= b->fed);
    HOLDS(len == 0 || memcmp(rest, r->item + b->fed - len, len) == 0);
    HOLDS(len == 0 || r->options & FUZZ_SIZED);
}

static void stream_options(const struct fuzz_reply *r,
                           struct readplus_stream *s, uint8_t **ahead)
{
    size_t len = 36 + r->cuts;

    *ahead = NULL;
    if (r->options & FUZZ_SIZED)
        readplus_stream_set_size(s, r->len);
    if (!(r->options & FUZZ_AHEAD))
        return;
    *ahead = malloc(len);
    HOLDS(*ahead != NULL);
    readplus_stream_set_ahead(s, *ahead, len);
}

/* *most becomes how far into the input it ever wanted to see. */
static void stream(const struct fuzz_reply *r, struct brought *b, size_t *most)
{
    uint64_t state = (uint64_t)r->cuts << 8 | r->room;
    struct readplus_stream s;
    struct fuzz_cut to;
    uint8_t *ahead;

    open_destination(r, &to);
    HOLDS(readplus_stream_init(&s, &r->args, to.iov, to.n,
                               r->flags | scatter_flags(r)) == READPLUS_OK);
    stream_options(r, &s, &ahead);
    for (b->fed = *most = 0; receive(r, &s, &state, &b->fed, most);)
        ;
    finish(r, &s, r->room, b);
    close_destination(&to, b);
    free(ahead);
}

/* --- events --------------------------------------------------------------- */

/* The element that is being told. */
struct told {
    struct readplus_segment element;
    uint64_t next;
};

/* Data comes in order and inside the element that began last. */
static void event(const struct fuzz_reply *r, const struct readplus_event *e,
                  struct told *told, struct brought *b)
{
    struct readplus_segment s = e->segment;

    invariant_segment(&s);
    if (e->kind == READPLUS_EVENT_DATA) {
        HOLDS(s.offset == told->next && s.length > 0 && s.data != NULL);
        HOLDS(s.offset + s.length <=
              told->element.offset + told->element.length);
        told->next += s.length;
    } else {
        HOLDS(s.data == NULL);
        HOLDS((s.content == READPLUS_CONTENT_HOLE) ==
              (e->kind == READPLUS_EVENT_HOLE));
        told->element = s;
        told->next = s.offset;
    }
    if (e->kind == READPLUS_EVENT_DATA_BEGIN ||
        !readplus_segment_clip(&s, &r->args))
        return;
    s.offset -= r->args.offset;
    if (s.data != NULL)
        memcpy(b->bytes + s.offset, s.data, (size_t)s.length);
    else
        memset(b->bytes + s.offset, 0, (size_t)s.length);
}

static void events(const struct fuzz_reply *r, struct brought *b)
{
    uint64_t state = (uint64_t)r->room << 8 | r->cuts;
    struct readplus_event e;
    struct told told = {{READPLUS_CONTENT_DATA, 0, 0, NULL}, 0};
    struct readplus_stream s;
    enum readplus_error error;
    uint8_t *ahead;
    size_t most = 0;

    HOLDS(readplus_stream_init_events(&s, &r->args, r->flags) == READPLUS_OK);
    stream_options(r, &s, &ahead);
    for (b->fed = 0; receive(r, &s, &state, &b->fed, &most);) {
        while ((error = readplus_stream_event(&s, &e)) == READPLUS_OK) {
            invariant_stream(&s);
            event(r, &e, &told, b);
        }
        if (error != READPLUS_END)
            HOLDS(readplus_stream_event(&s, &e) == error);
    }
    finish(r, &s, r->args.count, b);
    free(ahead);
}

/* ------------------------------------------------------------------------- */

/* The model counts byte by byte, in numbers that do not wrap. */
static bool has_model(const struct fuzz_reply *r)
{
    return r->args.count <= REPLY_MOST &&
           r->args.offset <= UINT64_MAX - r->args.count;
}

static void model(const struct fuzz_reply *r, size_t len, uint64_t room,
                  struct brought *b)
{
    static struct model m;

    model_deliver(&m, &r->args, r->item, len, room, r->flags);
    b->error = m.error;
    b->result = m.result;
    memcpy(b->bytes, m.bytes, (size_t)m.result.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct brought got, want;
    struct fuzz_reply r;
    size_t most;

    if (!fuzz_reply_read(&r, data, size) || r.len > MOST)
        return 0;
    if (r.room > REPLY_MOST)
        r.room = REPLY_MOST;
    scatter(&r, r.len, r.cuts, &want);
    if (has_model(&r)) {
        model(&r, r.len, r.room, &got);
        same_result(&want, &got);
    }
    stream(&r, &got, &most);
    if (r.options & FUZZ_SIZED)
        HOLDS(most <= r.len);
    else
        scatter(&r, got.fed, 0, &want);
    same_result(&got, &want);
    if (!(r.options & FUZZ_SIZED) && want.error == READPLUS_OK &&
        want.result.fault.error == READPLUS_OK)
        HOLDS(most <= got.fed);
    if (!has_model(&r))
        return 0;
    events(&r, &got);
    model(&r, r.options & FUZZ_SIZED ? r.len : got.fed, r.args.count, &want);
    same_result(&got, &want);
    return 0;
}
