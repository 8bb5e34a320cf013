/*
 * What holds of each object of the library between any two calls, whatever
 * the calls were given.  These look at private fields, which nobody else may:
 * a target calls them after every step, so that a wrong state is seen where it
 * comes to be and not where it does harm.
 */
#ifndef READPLUS_FUZZ_INVARIANTS_H
#define READPLUS_FUZZ_INVARIANTS_H

#include "fuzz.h"

/* --- decoding ------------------------------------------------------------- */

static inline void invariant_fault(const struct readplus_fault *fault)
{
    HOLDS(fault->error <= READPLUS_OK);
    HOLDS(strcmp(readplus_error_name(fault->error), "READPLUS_ERR_UNKNOWN"));
    if (fault->error == READPLUS_OK) {
        HOLDS(fault->segment == READPLUS_NO_SEGMENT);
        HOLDS(fault->at == 0);
    }
}

static inline void invariant_cursor(const struct readplus_cursor *c)
{
    uint64_t here;

    HOLDS(c->pos != NULL && c->end != NULL && c->pos <= c->end);
    here = (uint64_t)(c->end - c->pos);
    HOLDS(here <= c->end_at);
    HOLDS(c->end_at - here <= c->size);
}

static inline void invariant_decoder(const struct readplus_decoder *d)
{
    struct readplus_fault fault = readplus_decoder_fault(d);

    invariant_fault(&fault);
    if (fault.error == READPLUS_ERR_INVAL)
        return;
    invariant_cursor(&d->cursor);
    HOLDS(fault.at <= d->cursor.size);
    HOLDS(d->left <= d->count);
    HOLDS(d->status == 0 || d->count == 0);
    HOLDS(d->status == 0 || !d->eof);
    HOLDS(readplus_decoder_consumed(d) <= d->cursor.size);
    HOLDS(readplus_decoder_at(d) <= readplus_decoder_consumed(d));
    if (d->left < d->count)
        HOLDS(d->before <= d->expected);
    if (fault.error != READPLUS_OK && fault.segment != READPLUS_NO_SEGMENT)
        HOLDS(fault.segment == d->count - d->left);
}

/* One that a decoder handed out. */
static inline void invariant_segment(const struct readplus_segment *s)
{
    HOLDS(s->content == READPLUS_CONTENT_DATA ||
          s->content == READPLUS_CONTENT_HOLE);
    HOLDS(s->length <= UINT64_MAX - s->offset);
    if (s->content == READPLUS_CONTENT_DATA)
        HOLDS(s->length <= UINT32_MAX);
    if (s->content == READPLUS_CONTENT_HOLE || s->length == 0)
        HOLDS(s->data == NULL);
}

/* --- delivering ----------------------------------------------------------- */

static inline void invariant_result(const struct readplus_result *r,
                                    const struct readplus_args *args,
                                    uint64_t room)
{
    invariant_fault(&r->fault);
    HOLDS(r->bytes <= room && r->bytes <= args->count);
    HOLDS(r->bytes <= UINT64_MAX - args->offset);
    HOLDS(r->zero_bytes <= r->bytes);
    HOLDS(!r->eof || r->fault.error == READPLUS_OK);
    HOLDS(r->progress || (r->bytes == 0 && !r->eof));
}

static inline void invariant_delivery(const struct readplus_delivery *d,
                                      const struct readplus_args *args)
{
    HOLDS(d->room <= args->count);
    HOLDS(d->result.bytes <= args->count - d->room);
    HOLDS(d->result.zero_bytes <= d->result.bytes);
    HOLDS(d->result.bytes <= d->covered && d->covered <= args->count);
}

static inline void invariant_stream(const struct readplus_stream *s)
{
    const struct readplus_cursor *c = &s->decoder.cursor;

    invariant_fault(&s->decoder.fault);
    invariant_delivery(&s->delivery, &s->decoder.args);
    HOLDS(s->room >= sizeof(s->own));
    HOLDS(s->ahead <= c->pos && c->pos <= c->end);
    HOLDS(c->end <= s->ahead + s->room);
    HOLDS(s->behind <= (size_t)(s->ahead + s->room - c->end));
    if (s->state == 2 || s->state == 3) { /* inside a data element */
        HOLDS(s->left <= s->element.length);
        HOLDS(s->part.length <= s->part.inside);
        HOLDS(s->part.skip <= s->element.length);
        HOLDS(s->part.inside <= s->element.length - s->part.skip);
    }
    HOLDS(s->decoder.left <= s->decoder.count);
}

static inline void invariant_extents(const struct readplus_extents *e)
{
    size_t i;

    HOLDS(e->count <= e->capacity);
    for (i = 0; i < e->count; i++) {
        HOLDS(e->array[i].length > 0);
        HOLDS(e->array[i].length <= UINT64_MAX - e->array[i].offset);
        if (i == 0)
            continue;
        HOLDS(e->array[i].content != e->array[i - 1].content);
        HOLDS(e->array[i].offset ==
              e->array[i - 1].offset + e->array[i - 1].length);
    }
    HOLDS(e->open.length <= UINT64_MAX - e->open.offset);
}

/* --- encoding and planning ------------------------------------------------ */

static inline void invariant_encoder(const struct readplus_encoder *e,
                                     size_t len)
{
    HOLDS(e->size >= READPLUS_RES_HEAD_SIZE && e->size <= len);
    HOLDS(e->size % 4 == 0);
    HOLDS(e->size - 4 <= e->limits.maxcount);
    HOLDS(e->budget.xdr_bytes <= len - e->size);
    HOLDS(e->before <= e->covered);
    HOLDS(e->count == 0 || e->covered > e->start);
    HOLDS(e->limits.maxsegs == 0 || e->count <= e->limits.maxsegs);
    HOLDS(e->state <= 2);
    if (e->state == 1) {
        HOLDS(e->granted > 0);
        HOLDS(readplus_data_size(e->granted) <= e->budget.xdr_bytes);
    }
}

static inline void invariant_plan(const struct readplus_plan *p)
{
    uint64_t wire = 0;
    uint32_t i;

    HOLDS(p->count <= p->capacity);
    HOLDS(p->wire <= p->room);
    HOLDS(p->start <= p->end && p->start <= p->covered);
    for (i = 0; i < p->count; i++) {
        const struct readplus_segment *s = &p->segments[i];

        invariant_segment(s);
        HOLDS(s->length > 0);
        if (i > 0)
            HOLDS(s->offset == s[-1].offset + s[-1].length);
        wire += s->content == READPLUS_CONTENT_HOLE
                    ? READPLUS_HOLE_SIZE
                    : readplus_data_size((uint32_t)s->length);
    }
    HOLDS(wire == p->wire);
    if (p->count > 0)
        HOLDS(p->covered == p->segments[p->count - 1].offset +
                                p->segments[p->count - 1].length);
}

/* --- locating ------------------------------------------------------------- */

static inline void invariant_message(const struct readplus_message *m,
                                     enum readplus_error error, uint64_t len)
{
    invariant_fault(&m->fault);
    HOLDS(m->outcome <= READPLUS_OUTCOME_OTHER);
    HOLDS(m->consumed <= len);
    HOLDS(m->fault.at <= len);
    HOLDS(m->fault.segment == READPLUS_NO_SEGMENT);
    if (error != READPLUS_OK && error != READPLUS_ERR_LIMIT)
        HOLDS(m->fault.error == error);
    if (error != READPLUS_OK || m->outcome != READPLUS_OUTCOME_ITEM)
        return;
    HOLDS(m->at <= len && m->size <= len - m->at);
}

#endif /* READPLUS_FUZZ_INVARIANTS_H */
