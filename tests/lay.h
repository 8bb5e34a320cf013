/*
 * What the tests of delivery in place share: a row of memory with a reply and
 * a user's buffer in it, and what expansion must make of it.
 */
#ifndef READPLUS_TESTS_LAY_H
#define READPLUS_TESTS_LAY_H

#include "delivery.h"

static struct guard row;
static struct model model;

static inline void open_guards(void)
{
    guard_open(&row, 2 * REPLY_MOST);
}

static inline void close_guards(void)
{
    guard_close(&row);
}

/* Room to spare on both sides of what a case uses. */
struct lay {
    struct readplus_expansion e;
    struct iovec iov[64];
    uint8_t *bytes; /* the row */
    size_t len;
    uint8_t before[2 * REPLY_MOST]; /* what was there */
    enum { ONE, PAGES, SCATTERED } how;
    uint8_t *parts[64]; /* of SCATTERED */
};

/*
 * Lays out a row of len bytes with the reply and the user's buffer in it.  In
 * one piece, in pieces that follow each other, or in pieces of a heap block
 * each.
 */
static inline void lay_out(struct lay *l, const struct readplus_args *args,
                           const uint8_t *reply, size_t reply_len, size_t len,
                           size_t at, size_t content, size_t content_len,
                           uint32_t flags, uint64_t *seed)
{
    size_t i, used = 0, n = 1;

    l->bytes = guard_place(&row, len, below(seed, 2) == 0);
    l->len = len;
    memset(l->bytes, 0xee, len);
    if (flags & READPLUS_SCATTER_ZEROED)
        memset(l->bytes + content, 0, content_len);
    memcpy(l->bytes + at, reply, reply_len);
    memcpy(l->before, l->bytes, len);
    if (l->how != ONE)
        n = 1 + below(seed, 20);
    for (i = 0; i < n; i++) {
        size_t step = i + 1 == n || len == used
                          ? len - used
                          : below(seed, (uint32_t)(len - used) / 3 + 2);

        step = step < len - used ? step : len - used;
        l->iov[i] = (struct iovec){l->bytes + used, step};
        if (l->how == SCATTERED) {
            l->parts[i] = exact_copy(l->bytes + used, step);
            l->iov[i].iov_base = l->parts[i];
        }
        used += step;
    }
    l->e = (struct readplus_expansion){.args = *args,
                                       .iov = l->iov,
                                       .pieces = n,
                                       .reply = at,
                                       .reply_len = reply_len,
                                       .content = content,
                                       .content_len = content_len,
                                       .flags = flags};
}

/* Brings scattered pieces home and looks at everything that must not have
 * changed. */
static inline void lay_check(struct lay *l)
{
    size_t i, used = 0, c = (size_t)l->e.content;

    for (i = 0; l->how == SCATTERED && i < l->e.pieces; i++) {
        memcpy(l->bytes + used, l->parts[i], l->iov[i].iov_len);
        used += l->iov[i].iov_len;
        free(l->parts[i]);
    }
    guard_check(&row);
    MUST(memcmp(l->bytes, l->before, c) == 0);
    c += (size_t)l->e.content_len;
    MUST(memcmp(l->bytes + c, l->before + c, l->len - c) == 0);
}

/* Expands, and holds the outcome against the model. */
static inline void expand_is_model(struct lay *l, const struct reply *r,
                                   bool room)
{
    struct readplus_result result = {.bytes = 99};
    enum readplus_error error = readplus_expand(&l->e, &result);

    if (room) {
        model_deliver(&model, &r->args, r->bytes, (size_t)l->e.reply_len,
                      l->e.content_len, l->e.flags);
        lay_check(l);
        model_check(&model, error, &result, l->bytes + l->e.content);
    } else {
        lay_check(l);
        MUST(error == READPLUS_ERR_NOSPACE);
        MUST(result.bytes == 99);
        MUST(memcmp(l->bytes, l->before, l->len) == 0);
    }
}

static inline void segments_are_model(struct lay *l, const struct reply *r,
                                      size_t capacity)
{
    struct readplus_result result = {.bytes = 99};
    struct readplus_segment segments[64];
    enum readplus_error error =
        readplus_expand_segments(&l->e, segments, capacity, &result);

    lay_check(l);
    if (error == READPLUS_ERR_LIMIT) {
        MUST(capacity < r->count);
        MUST(result.bytes == 99);
        MUST(memcmp(l->bytes, l->before, l->len) == 0);
        return;
    }
    model_deliver(&model, &r->args, r->bytes, (size_t)l->e.reply_len,
                  l->e.content_len, l->e.flags);
    model_check(&model, error, &result, l->bytes + l->e.content);
}

#endif /* READPLUS_TESTS_LAY_H */
