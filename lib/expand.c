/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delivery in place.  All places are numbers in one row of bytes, whatever
 * pieces it is made of; the iterator reads elements at one place while file
 * bytes go to another, and the whole art is the order.  Never a write outside
 * the user's buffer, an allocation, or a second move of a byte.
 *
 * The pass forward.  An element is moved after the head of the next one was
 * read; a hole is zeroed after the data behind it was moved.  So all a move
 * may destroy is what is not yet read: whatever lies behind the head of the
 * next element.  That is the one condition, for each data element that another
 * follows:
 *
 *     content + end in the buffer  <=  reply + end of the next head
 *
 * Why READPLUS_EXPAND_FRONT and _BACK do for our own planner.  It splits off
 * a hole of h bytes between data only where the wire gets shorter: 20 for its
 * head, 16 for that of the next data and the fills p and q of both neighbours
 * are less than the zeros would be, h > 36 + p + q; at the end h > 20 + p.
 * (With linux-client up to p bytes of the hole go to the data before it, whose
 * fill they become.)  So behind a data element D and the head of the hole that
 * follows it, each head and fill still to come is paid for by a hole's length,
 * and the wire behind that head is no longer than the file behind D: as the
 * reply ends with the user's buffer or behind it, the condition holds.  A
 * budget may cut the last data and change its fill by up to 3 bytes; the 20
 * bytes by which the first hole overpays, its own head being passed, outweigh
 * that.  By the same sum the reply is never longer than one data element of
 * the whole range: 28 bytes, the count, and 3 of fill at most.
 */
#include <readplus/expand.h>

#include "delivery.h"
#include "element.h"

/* --- the row of bytes ---------------------------------------------------- */

/* A place in the row, and the piece it is in. */
struct spot {
    const struct iovec *iov;
    uint64_t start; /* where in the row that piece starts */
};

/* Goes to the piece that holds byte `at`; returns its address. */
static uint8_t *spot_at(struct spot *s, uint64_t at)
{
    while (at < s->start) {
        s->iov--;
        s->start -= s->iov->iov_len;
    }
    while (at - s->start >= s->iov->iov_len) {
        s->start += s->iov->iov_len;
        s->iov++;
    }
    return (uint8_t *)s->iov->iov_base + (at - s->start);
}

/* The bytes of that piece from `at` on. */
static uint64_t spot_rest(const struct spot *s, uint64_t at)
{
    return s->iov->iov_len - (at - s->start);
}

#define BATCH 4 /* more would read heads the cache does not yet have */

/* What a pass carries along. */
struct pass {
    const struct readplus_expansion *e;
    struct readplus_decoder decoder;
    uint64_t lo, hi; /* the file bytes that are delivered */
    uint64_t first;  /* where the first element lies in the file */
    uint64_t zeros;  /* bytes delivered that were holes */
    struct spot to, from;
    struct readplus_segment batch[BATCH]; /* elements read ahead */
};

static void move_down(struct pass *p, uint64_t to, uint64_t from,
                      uint64_t length)
{
    while (length > 0) {
        uint8_t *t = spot_at(&p->to, to);
        const uint8_t *f = spot_at(&p->from, from);
        uint64_t n = min64(spot_rest(&p->to, to), spot_rest(&p->from, from));

        n = min64(n, length);
        memmove(t, f, (size_t)n);
        to += n;
        from += n;
        length -= n;
    }
}

static void move_up(struct pass *p, uint64_t to, uint64_t from, uint64_t length)
{
    while (length > 0) {
        uint8_t *t = spot_at(&p->to, to + length - 1);
        const uint8_t *f = spot_at(&p->from, from + length - 1);
        uint64_t n =
            min64(to + length - p->to.start, from + length - p->from.start);

        n = min64(n, length);
        memmove(t - (n - 1), f - (n - 1), (size_t)n);
        length -= n;
    }
}

static void clear(struct pass *p, uint64_t to, uint64_t length)
{
    while (length > 0) {
        uint8_t *t = spot_at(&p->to, to);
        uint64_t n = min64(spot_rest(&p->to, to), length);

        memset(t, 0, (size_t)n);
        to += n;
        length -= n;
    }
}

/* --- one element --------------------------------------------------------- */

/* What an element brings, in numbers of the row. */
struct move {
    uint64_t to, length;
    uint64_t from; /* of data */
    uint64_t head; /* the end of the element's head */
    bool data;
};

static inline uint64_t element_size(const struct readplus_segment *s)
{
    return s->content == READPLUS_CONTENT_DATA
               ? wire_data_size((uint32_t)s->length)
               : READPLUS_HOLE_SIZE;
}

static inline unsigned head_size(const struct readplus_segment *s)
{
    return s->content == READPLUS_CONTENT_DATA ? READPLUS_DATA_HEAD_SIZE
                                               : READPLUS_HOLE_SIZE;
}

/* What the element that stands at `at` in the row brings. */
static inline void element_move(struct move *m, const struct pass *p,
                                const struct readplus_segment *s, uint64_t at)
{
    uint64_t lo = max64(s->offset, p->lo);
    uint64_t hi = min64(s->offset + s->length, p->hi);

    m->data = s->content == READPLUS_CONTENT_DATA;
    m->head = at + head_size(s);
    m->length = lo < hi ? hi - lo : 0;
    m->to = p->e->content + (lo - p->lo);
    m->from = m->head + (lo - s->offset);
}

/* A hole, or data of which nothing is delivered, is no data to be moved. */
static inline bool moves(const struct move *m)
{
    return m->data && m->length > 0;
}

static void put_data(struct pass *p, const struct move *m)
{
    if (m->to < m->from)
        move_down(p, m->to, m->from, m->length);
    else if (m->to > m->from)
        move_up(p, m->to, m->from, m->length);
}

/* Zeroes a part of the user's buffer; where it was zero, what the reply
 * covered of it. */
static void put_hole(struct pass *p, uint64_t to, uint64_t length)
{
    const struct readplus_expansion *e = p->e;
    uint64_t end = to + length;

    p->zeros += length;
    if (e->flags & READPLUS_SCATTER_ZEROED) {
        to = max64(to, e->reply);
        end = min64(end, e->reply + e->reply_len);
    }
    if (to < end)
        clear(p, to, end - to);
}

/* --- beginning and end --------------------------------------------------- */

#define ROW_MOST ((UINT64_C(1) << 62) - 1) /* so that differences are signed */

static bool inside(uint64_t at, uint64_t length, uint64_t row)
{
    return at <= row && length <= row - at;
}

/* READPLUS_ERR_INVAL where *e makes no sense, else READPLUS_OK, and *error is
 * what the head of the reply says. */
static enum readplus_error begin(struct pass *p,
                                 const struct readplus_expansion *e,
                                 enum readplus_error *error)
{
    uint64_t row = 0;
    size_t i;

    for (i = 0; e->iov != NULL && i < e->pieces; i++)
        row = saturating_add64(row, e->iov[i].iov_len);
    if (row > ROW_MOST || !inside(e->reply, e->reply_len, row) ||
        !inside(e->content, e->content_len, row))
        return READPLUS_ERR_INVAL;
    p->e = e;
    p->to = p->from = (struct spot){.iov = e->iov};
    p->lo = p->first = e->args.offset;
    p->zeros = 0;
    p->hi = min64(readplus_args_end(&e->args),
                  saturating_add64(p->lo, e->content_len));
    *error = readplus_decoder_init_part(&p->decoder, &e->args, e->iov,
                                        e->pieces, e->reply, e->reply_len,
                                        e->flags & ~READPLUS_SCATTER_ZEROED);
    return *error == READPLUS_ERR_INVAL ? READPLUS_ERR_INVAL : READPLUS_OK;
}

/* Sums up: elements follow each other, so where the first began and where the
 * next would have to begin says it all. */
static enum readplus_error finish(struct pass *p, enum readplus_error error,
                                  struct readplus_result *result)
{
    uint64_t end = p->decoder.expected;
    uint64_t asked = min64(end, readplus_args_end(&p->e->args));
    struct readplus_delivery d = {.covered = asked > p->lo ? asked - p->lo : 0};

    d.result.bytes = min64(d.covered, p->hi - p->lo);
    d.result.zero_bytes = p->zeros;
    d.clipped = end - p->first != d.result.bytes;
    error = delivery_end(&d, &p->decoder, error);
    *result = d.result;
    return error;
}

/* --- the pass forward ---------------------------------------------------- */

#define NO_OVERRUN INT64_MIN

/*
 * How far a pass forward over this reply runs into what is not read yet: the
 * most by which content ends beyond the next head, less than 0 where there is
 * room to spare.
 */
static int64_t overrun(struct pass *p)
{
    uint64_t at = p->e->reply + READPLUS_RES_HEAD_SIZE, end = 0;
    int64_t most = NO_OVERRUN;
    bool moved = false;
    struct move m;
    size_t n, i;

    while (readplus_decoder_take(&p->decoder, p->batch, BATCH, &n) ==
           READPLUS_OK) {
        for (i = 0; i < n; i++) {
            element_move(&m, p, &p->batch[i], at);
            if (moved && (int64_t)end - (int64_t)m.head > most)
                most = (int64_t)end - (int64_t)m.head;
            moved = moves(&m);
            end = m.to + m.length; /* of what was moved last */
            at += element_size(&p->batch[i]);
        }
    }
    return most;
}

enum readplus_error readplus_expand_slack(const struct readplus_expansion *e,
                                          uint64_t *slack)
{
    enum readplus_error error;
    int64_t over, spare;
    struct pass p;

    if (begin(&p, e, &error) != READPLUS_OK)
        return READPLUS_ERR_INVAL;
    over = overrun(&p);
    /* Moved to the end of the row, the reply would end this far behind the
     * buffer's end for every byte of slack less. */
    spare = (int64_t)(e->content + e->content_len) -
            (int64_t)(e->reply + e->reply_len);
    *slack = over == NO_OVERRUN || over <= spare ? 0 : (uint64_t)(over - spare);
    return READPLUS_OK;
}

/*
 * Memory is slow.  While data is moved and a hole behind it zeroed, it may
 * bring what stands behind the hole's head, as a rule data that is moved next;
 * to be that and as much again, asked for before the move, was found to do
 * best (tests/bench/bench_deliver, cold).
 */
#define FETCH_MOST 8192

static void fetch(struct pass *p, uint64_t from, uint64_t most)
{
    uint64_t end = p->e->reply + p->e->reply_len, n, i;
    const uint8_t *f;

    if (from >= end)
        return;
    f = spot_at(&p->from, from);
    n = min64(min64(spot_rest(&p->from, from), end - from), most);
    for (i = 0; i < n; i += 64)
        __builtin_prefetch(f + i);
}

/* What waits until the next head was read, or the next data was moved. */
struct waiting {
    struct move data;     /* of no length where none waits */
    uint64_t hole, zeros; /* a run of holes in front of it */
};

static void put_waiting(struct pass *p, struct waiting *w, uint64_t next)
{
    if (w->zeros > 0)
        fetch(p, next, w->zeros < FETCH_MOST / 2 ? 2 * w->zeros : FETCH_MOST);
    put_data(p, &w->data);
    put_hole(p, w->hole, w->zeros);
    w->hole = w->data.to + w->data.length;
    w->zeros = 0;
    w->data.length = 0;
}

/* Puts these elements in place, of which the first stands at `at`. */
static void put_all(struct pass *p, const struct readplus_segment *segments,
                    size_t count, uint64_t at)
{
    struct move m;
    size_t i;

    for (i = 0; i < count; i++)
        at += element_size(&segments[i]);
    /* What goes up may lie on nothing but what goes up further on, ... */
    for (i = count; i > 0; i--) {
        at -= element_size(&segments[i - 1]);
        element_move(&m, p, &segments[i - 1], at);
        if (moves(&m) && m.to > m.from)
            put_data(p, &m);
    }
    /* ... and what goes down on what goes down before it. */
    for (i = 0; i < count; i++) {
        element_move(&m, p, &segments[i], at);
        at += element_size(&segments[i]);
        if (moves(&m) && m.to < m.from)
            put_data(p, &m);
        else if (!m.data)
            put_hole(p, m.to, m.length);
    }
}

/* Where elements go when they are taken: to the caller's array, one behind
 * the other, or each batch over the last one. */
struct list {
    struct readplus_segment *segments;
    size_t capacity, count;
    bool keep;
};

static enum readplus_error list_more(struct list *l,
                                     struct readplus_decoder *decoder,
                                     size_t most, size_t *n)
{
    enum readplus_error error;

    if (!l->keep)
        l->count = 0;
    if (most > l->capacity - l->count)
        most = l->capacity - l->count;
    error = readplus_decoder_take(decoder, l->segments + l->count, most, n);
    l->count += *n;
    return error;
}

/*
 * What waits cannot be moved before what is not yet read is; so all the rest
 * is read, and put in place in another order.  `next` is the element behind
 * the waiting one, `at` where it stands.
 */
static enum readplus_error out_of_order(struct pass *p, struct list *l,
                                        struct waiting *w, size_t next,
                                        uint64_t at)
{
    const struct readplus_segment *rest = &l->segments[next - 1];
    enum readplus_error error;
    size_t n;

    do
        error = list_more(l, &p->decoder, l->capacity, &n);
    while (error == READPLUS_OK);
    put_all(p, rest, l->count - (next - 1), at - element_size(rest));
    put_hole(p, w->hole, w->zeros);
    return error;
}

/* Puts the elements in place as the iterator hands them out. */
static enum readplus_error forward(struct pass *p, struct list *l)
{
    struct waiting w = {.hole = p->e->content};
    uint64_t at = p->e->reply + READPLUS_RES_HEAD_SIZE;
    const struct readplus_segment *s, *end;
    enum readplus_error error;
    size_t n;

    while ((error = list_more(l, &p->decoder, BATCH, &n)) == READPLUS_OK) {
        end = l->segments + l->count;
        if (at == p->e->reply + READPLUS_RES_HEAD_SIZE)
            p->first = (end - n)->offset;
        for (s = end - n; s < end; s++) {
            uint64_t head = at + head_size(s), size = element_size(s);

            if (moves(&w.data) && w.data.to + w.data.length > head)
                return l->keep ? out_of_order(p, l, &w,
                                              (size_t)(s - l->segments), at)
                               : READPLUS_ERR_NOSPACE; /* it changed */
            if (moves(&w.data))
                put_waiting(p, &w, at + size);
            element_move(&w.data, p, s, at);
            at += size;
            w.zeros += w.data.data ? 0 : w.data.length;
        }
    }
    if (moves(&w.data))
        put_waiting(p, &w, at);
    put_hole(p, w.hole, w.zeros);
    return error;
}

enum readplus_error readplus_expand(const struct readplus_expansion *e,
                                    struct readplus_result *result)
{
    enum readplus_error error;
    struct pass p;
    struct list l = {p.batch, BATCH, 0, false};

    if (begin(&p, e, &error) != READPLUS_OK)
        return READPLUS_ERR_INVAL;
    if (overrun(&p) > 0)
        return READPLUS_ERR_NOSPACE;
    (void)begin(&p, e, &error);
    if (error == READPLUS_OK)
        error = forward(&p, &l);
    return finish(&p, error, result);
}

/* --- with an array ------------------------------------------------------- */

/* The count word says that not all may have room, or there is no array: reads
 * them all before anything is moved. */
static enum readplus_error backward(struct pass *p, struct list *l)
{
    struct readplus_segment more;
    enum readplus_error error = READPLUS_OK;
    size_t n;

    while (error == READPLUS_OK && l->count < l->capacity)
        error = list_more(l, &p->decoder, l->capacity, &n);
    if (error == READPLUS_OK)
        error = readplus_decoder_next(&p->decoder, &more);
    if (error == READPLUS_OK)
        return READPLUS_ERR_LIMIT;
    if (l->count > 0)
        p->first = l->segments[0].offset;
    put_all(p, l->segments, l->count, p->e->reply + READPLUS_RES_HEAD_SIZE);
    return error;
}

enum readplus_error readplus_expand_segments(const struct readplus_expansion *e,
                                             struct readplus_segment *segments,
                                             size_t capacity,
                                             struct readplus_result *result)
{
    struct list l = {segments, capacity, 0, true};
    enum readplus_error error;
    struct pass p;

    if (begin(&p, e, &error) != READPLUS_OK)
        return READPLUS_ERR_INVAL;
    if (error == READPLUS_OK)
        error = capacity == 0 || p.decoder.count > capacity ? backward(&p, &l)
                                                            : forward(&p, &l);
    if (error == READPLUS_ERR_LIMIT)
        return error;
    return finish(&p, error, result);
}

/* --- where to receive ---------------------------------------------------- */

enum readplus_error readplus_expand_place(uint64_t content_len,
                                          uint64_t reply_len, uint64_t *reply)
{
    uint64_t end;

    if (!checked_add64(content_len, READPLUS_EXPAND_FRONT, &end) ||
        !checked_add64(end, wire_pad(content_len), &end) || reply_len > end)
        return READPLUS_ERR_NOSPACE;
    *reply = end - reply_len;
    return READPLUS_OK;
}
