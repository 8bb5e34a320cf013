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
 * a hole only where the wire gets shorter: a hole of h bytes between data
 * replaces (20 of its own head, 16 of the next data's, fill p and q of both)
 * by less than it saves, hence h > 36 + p, and h > 16 + q a fortiori; at the
 * end h > 20 + p.  With linux-client up to 3 bytes of the hole go to the data
 * before it, whose fill they are.  So behind a data element D and the head of
 * the next, a hole, each head and each fill still to come is paid for by a
 * hole's length, and the wire behind that head is no longer than the file
 * behind D: with the reply's end at or behind the buffer's, the condition
 * holds.  By the same sum the reply is never longer than one data element of
 * the whole range, 28 + count + 3 bytes at most.  A budget may cut the last
 * data, and change its fill by 3 bytes: the first hole's own head, which is
 * not behind itself, outweighs that.
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

/* What a pass carries along. */
struct pass {
    const struct readplus_expansion *e;
    struct readplus_decoder decoder;
    struct readplus_delivery delivery;
    struct spot to, from;
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

/* A hole, or data, of which nothing is delivered, is no data to be moved. */
static bool moves(const struct move *m)
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

    if (e->flags & READPLUS_SCATTER_ZEROED) {
        to = max64(to, e->reply);
        end = min64(end, e->reply + e->reply_len);
    }
    if (to < end)
        clear(p, to, end - to);
}

/* Takes the next element.  `to` follows from what came before: what is
 * delivered never has a gap. */
static enum readplus_error next_move(struct pass *p, struct move *m)
{
    struct readplus_delivery *d = &p->delivery;
    struct readplus_segment s;
    struct readplus_part part;
    enum readplus_error error = readplus_decoder_next(&p->decoder, &s);

    if (error != READPLUS_OK)
        return error;
    part = delivery_part(d, &p->e->args, s.offset, s.length);
    m->data = s.content == READPLUS_CONTENT_DATA;
    m->to = p->e->content + d->result.bytes;
    m->length = part.length;
    m->head = p->e->reply + p->decoder.at +
              (m->data ? READPLUS_DATA_HEAD_SIZE : READPLUS_HOLE_SIZE);
    m->from = m->head + part.skip;
    delivery_add(d, s.content, s.length, &part);
    return READPLUS_OK;
}

/* --- beginning ----------------------------------------------------------- */

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
    p->delivery = (struct readplus_delivery){
        .room = min64(e->args.count, e->content_len)};
    *error = readplus_decoder_init_part(&p->decoder, &e->args, e->iov,
                                        e->pieces, e->reply, e->reply_len,
                                        e->flags & ~READPLUS_SCATTER_ZEROED);
    return *error == READPLUS_ERR_INVAL ? READPLUS_ERR_INVAL : READPLUS_OK;
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
    struct move now = {.data = false}, next;
    int64_t most = NO_OVERRUN;

    while (next_move(p, &next) == READPLUS_OK) {
        if (moves(&now)) {
            int64_t over = (int64_t)(now.to + now.length) - (int64_t)next.head;

            most = over > most ? over : most;
        }
        now = next;
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

enum readplus_error readplus_expand(const struct readplus_expansion *e,
                                    struct readplus_result *result)
{
    struct move now = {.data = false}, next;
    uint64_t hole = e->content, zeros = 0;
    enum readplus_error error;
    struct pass p;

    if (begin(&p, e, &error) != READPLUS_OK)
        return READPLUS_ERR_INVAL;
    if (overrun(&p) > 0)
        return READPLUS_ERR_NOSPACE;
    (void)begin(&p, e, &error);
    while (error == READPLUS_OK) {
        error = next_move(&p, &next);
        if (moves(&now)) {
            put_data(&p, &now);
            put_hole(&p, hole, zeros);
            hole = now.to + now.length;
            zeros = 0;
        } else {
            zeros += now.length;
        }
        now = next;
    }
    put_hole(&p, hole, zeros);
    error = delivery_end(&p.delivery, &p.decoder, error);
    *result = p.delivery.result;
    return error;
}

/* --- any order ----------------------------------------------------------- */

static uint64_t element_size(const struct readplus_segment *s)
{
    return s->content == READPLUS_CONTENT_DATA
               ? wire_data_size((uint32_t)s->length)
               : READPLUS_HOLE_SIZE;
}

/* What the element that stands at `at` of the item brings. */
static struct move segment_move(const struct pass *p,
                                const struct readplus_segment *s, uint64_t at)
{
    const struct readplus_expansion *e = p->e;
    struct readplus_args window = {
        .offset = e->args.offset,
        .count = (uint32_t)min64(e->args.count, e->content_len)};
    struct readplus_segment in = {s->content, s->offset, s->length, NULL};
    struct move m = {.data = s->content == READPLUS_CONTENT_DATA};

    if (readplus_segment_clip(&in, &window)) {
        m.to = e->content + (in.offset - window.offset);
        m.from =
            e->reply + at + READPLUS_DATA_HEAD_SIZE + (in.offset - s->offset);
        m.length = in.length;
    }
    return m;
}

/* Takes the reply apart; READPLUS_ERR_LIMIT, or what ended it. */
static enum readplus_error take_apart(struct pass *p,
                                      struct readplus_segment *segments,
                                      size_t capacity, size_t *count)
{
    enum readplus_error error = READPLUS_OK;
    struct readplus_segment s;

    for (*count = 0; error == READPLUS_OK;) {
        error = readplus_decoder_next(&p->decoder, &s);
        if (error != READPLUS_OK)
            break;
        if (*count == capacity)
            return READPLUS_ERR_LIMIT;
        segments[(*count)++] = s;
    }
    return error;
}

static void put_all(struct pass *p, const struct readplus_segment *segments,
                    size_t count)
{
    uint64_t at = READPLUS_RES_HEAD_SIZE;
    struct move m;
    size_t i;

    for (i = 0; i < count; i++)
        at += element_size(&segments[i]);
    /* What goes up may lie on nothing but what goes up further on, ... */
    for (i = count; i > 0; i--) {
        at -= element_size(&segments[i - 1]);
        m = segment_move(p, &segments[i - 1], at);
        if (moves(&m) && m.to > m.from)
            put_data(p, &m);
    }
    /* ... and what goes down on what goes down before it. */
    for (i = 0; i < count; i++) {
        m = segment_move(p, &segments[i], at);
        if (!m.data)
            put_hole(p, m.to, m.length);
        else if (m.to < m.from)
            put_data(p, &m);
        at += element_size(&segments[i]);
    }
}

enum readplus_error readplus_expand_segments(const struct readplus_expansion *e,
                                             struct readplus_segment *segments,
                                             size_t capacity,
                                             struct readplus_result *result)
{
    enum readplus_error error;
    size_t count = 0, i;
    struct pass p;

    if (begin(&p, e, &error) != READPLUS_OK)
        return READPLUS_ERR_INVAL;
    if (error == READPLUS_OK)
        error = take_apart(&p, segments, capacity, &count);
    if (error == READPLUS_ERR_LIMIT)
        return error;
    for (i = 0; i < count; i++) {
        const struct readplus_segment *s = &segments[i];
        struct readplus_part part =
            delivery_part(&p.delivery, &e->args, s->offset, s->length);

        delivery_add(&p.delivery, s->content, s->length, &part);
    }
    put_all(&p, segments, count);
    error = delivery_end(&p.delivery, &p.decoder, error);
    *result = p.delivery.result;
    return error;
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
