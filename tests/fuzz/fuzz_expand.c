/*
 * Delivery in place, at every place where the reply may lie in the row: where
 * the pass forward does it, it brings what copying brings; where it refuses,
 * nothing was touched; the slack it asks for is what it needs and no less; the
 * way through an array of segments always serves; and nothing outside the
 * user's buffer is ever written.
 */
#include "invariants.h"

const size_t fuzz_params = FUZZ_PARAMS;

#define MOST 1024
#define ROOM 2048
#define ROW (2 * ROOM + 2 * MOST + 64)
#define CANARY 0xc5
#define SEGMENTS 64

/* Where in the row things are, and what was there before. */
struct layout {
    size_t row, content, reply;
    uint8_t before[ROW], after[ROW];
};

struct brought {
    enum readplus_error error;
    struct readplus_result result;
};

static uint32_t flags_of(const struct fuzz_reply *r)
{
    return r->flags | (r->options & FUZZ_ZEROED ? READPLUS_SCATTER_ZEROED : 0u);
}

static void scatter(const struct fuzz_reply *r, uint8_t *bytes,
                    struct brought *b)
{
    struct iovec to = {bytes, r->room};
    struct readplus_decoder decoder;
    enum readplus_error error;

    memset(bytes, 0, r->room);
    error = readplus_decoder_init_buffer(&decoder, &r->args, r->item, r->len,
                                         r->flags);
    b->error = readplus_scatter(&decoder, &to, 1, 0, &b->result);
    HOLDS(error == READPLUS_OK || error == b->error);
}

/* Readies the row: canaries, the user's buffer, the reply over it. */
static void lay(const struct fuzz_reply *r, struct layout *l)
{
    HOLDS(l->row <= ROW && r->len <= l->row - l->reply);
    memset(l->before, CANARY, l->row);
    if (r->options & FUZZ_ZEROED)
        memset(l->before + l->content, 0, r->room);
    if (r->len > 0)
        memcpy(l->before + l->reply, r->item, r->len);
}

static struct readplus_expansion expansion(const struct fuzz_reply *r,
                                           const struct layout *l,
                                           const struct fuzz_cut *row)
{
    return (struct readplus_expansion){.args = r->args,
                                       .iov = row->iov,
                                       .pieces = row->n,
                                       .reply = l->reply,
                                       .reply_len = r->len,
                                       .content = l->content,
                                       .content_len = r->room,
                                       .flags = flags_of(r)};
}

static void gather(const struct fuzz_cut *row, uint8_t *to)
{
    size_t i;

    for (i = 0; i < row->n; i++) {
        if (row->iov[i].iov_len > 0)
            memcpy(to, row->iov[i].iov_base, row->iov[i].iov_len);
        to += row->iov[i].iov_len;
    }
}

static void check(const struct fuzz_reply *r, const struct layout *l,
                  const struct brought *got, const struct brought *want,
                  const uint8_t *bytes)
{
    size_t end = l->content + r->room;

    HOLDS(got->error == want->error);
    HOLDS(memcmp(&got->result.fault, &want->result.fault,
                 sizeof(got->result.fault)) == 0);
    HOLDS(got->result.bytes == want->result.bytes);
    HOLDS(got->result.zero_bytes == want->result.zero_bytes);
    HOLDS(got->result.eof == want->result.eof);
    HOLDS(got->result.progress == want->result.progress);
    HOLDS(memcmp(l->after + l->content, bytes, (size_t)want->result.bytes) ==
          0);
    HOLDS(memcmp(l->after, l->before, l->content) == 0);
    HOLDS(memcmp(l->after + end, l->before + end, l->row - end) == 0);
}

/* The pass forward; READPLUS_ERR_NOSPACE is handed on. */
static enum readplus_error forward(const struct fuzz_reply *r, struct layout *l,
                                   struct brought *want, const uint8_t *bytes)
{
    struct readplus_expansion e;
    struct brought got;
    struct fuzz_cut row;

    lay(r, l);
    fuzz_cut_open(&row, l->before, l->row, r->cuts);
    e = expansion(r, l, &row);
    got.error = readplus_expand(&e, &got.result);
    gather(&row, l->after);
    fuzz_cut_close(&row);
    if (got.error == READPLUS_ERR_NOSPACE)
        HOLDS(memcmp(l->after, l->before, l->row) == 0);
    else
        check(r, l, &got, want, bytes);
    return got.error;
}

static size_t good_elements(const struct fuzz_reply *r)
{
    struct readplus_decoder decoder;
    struct readplus_segment s;
    size_t n = 0;

    if (readplus_decoder_init_buffer(&decoder, &r->args, r->item, r->len,
                                     r->flags) != READPLUS_OK)
        return 0;
    while (readplus_decoder_next(&decoder, &s) == READPLUS_OK)
        n++;
    return n;
}

/* Any order, in an array that is long enough, or is not. */
static void segments(const struct fuzz_reply *r, struct layout *l,
                     struct brought *want, const uint8_t *bytes)
{
    struct readplus_segment s[SEGMENTS];
    size_t capacity = r->cuts % 4 == 0 ? r->cuts / 4 % 4u : SEGMENTS;
    struct readplus_expansion e;
    struct brought got;
    struct fuzz_cut row;

    lay(r, l);
    fuzz_cut_open(&row, l->before, l->row, r->cuts);
    e = expansion(r, l, &row);
    got.error = readplus_expand_segments(&e, capacity > 0 ? s : NULL, capacity,
                                         &got.result);
    gather(&row, l->after);
    fuzz_cut_close(&row);
    HOLDS((got.error == READPLUS_ERR_LIMIT) == (good_elements(r) > capacity));
    if (got.error == READPLUS_ERR_LIMIT)
        HOLDS(memcmp(l->after, l->before, l->row) == 0);
    else
        check(r, l, &got, want, bytes);
}

/* The reply at the very end of a row with this much behind the buffer. */
static void place_last(const struct fuzz_reply *r, struct layout *l,
                       size_t slack)
{
    l->content = r->len;
    l->row = l->content + r->room + slack;
    l->reply = l->row - r->len;
}

static void slack(const struct fuzz_reply *r, struct layout *l,
                  struct brought *want, const uint8_t *bytes)
{
    struct readplus_expansion e;
    struct fuzz_cut row;
    uint64_t need = 0;

    lay(r, l);
    fuzz_cut_open(&row, l->before, l->row, r->cuts);
    e = expansion(r, l, &row);
    HOLDS(readplus_expand_slack(&e, &need) == READPLUS_OK);
    fuzz_cut_close(&row);
    HOLDS(need <= r->len);
    place_last(r, l, (size_t)need);
    HOLDS(forward(r, l, want, bytes) == want->error);
    if (need == 0)
        return;
    place_last(r, l, (size_t)need - 1);
    HOLDS(forward(r, l, want, bytes) == READPLUS_ERR_NOSPACE);
}

/* As the header describes it, or anywhere. */
static void place(const struct fuzz_reply *r, struct layout *l)
{
    uint64_t reply;

    l->content = READPLUS_EXPAND_FRONT;
    l->row = READPLUS_EXPAND_FRONT + r->room + READPLUS_EXPAND_BACK;
    if (r->cuts % 3 == 0 &&
        readplus_expand_place(r->room, r->len, &reply) == READPLUS_OK) {
        l->reply = (size_t)reply;
        return;
    }
    l->content = r->cuts % 32u;
    l->reply = (r->cuts * 31u + r->room) % (r->room + 40u);
    l->row = l->content + r->room;
    if (l->row < l->reply + r->len)
        l->row = l->reply + r->len;
    l->row += r->cuts % 5u;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct layout l;
    static uint8_t bytes[ROOM];
    struct brought want;
    struct fuzz_reply r;

    if (!fuzz_reply_read(&r, data, size) || r.len > MOST)
        return 0;
    r.room %= ROOM;
    scatter(&r, bytes, &want);
    place(&r, &l);
    (void)forward(&r, &l, &want, bytes);
    segments(&r, &l, &want, bytes);
    slack(&r, &l, &want, bytes);
    return 0;
}
