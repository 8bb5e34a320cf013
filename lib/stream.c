/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stream decoder: a machine that eats an item in pieces of any size.  Heads
 * and fill bytes pass through a small area, where the same judgement as in the
 * iterator reads them once they are there; file bytes pass through it only
 * where a piece brought them together with a head.  Never a wait, a read, an
 * allocation, or a byte written outside the request.
 */
#include <readplus/stream.h>

#include "delivery.h"
#include "element.h"

/* What comes next in the input. */
enum state {
    HEAD,    /* rp_status, rpr_eof, the count word */
    ELEMENT, /* the fields of an element, or the end */
    DATA,    /* bytes of a data element */
    PAD,     /* fill behind them */
    OVER     /* nothing: the item is complete or faulty */
};

#define STREAM_EVENTS 0x10000u /* no destination; beside the callers' flags */
#define SCATTER_FLAGS READPLUS_SCATTER_ZEROED
#define DECODE_FLAGS                                                           \
    (READPLUS_DECODE_TOLERANT | READPLUS_DECODE_ANY_PAD |                      \
     READPLUS_DECODE_TRAILING)

/* --- beginning ----------------------------------------------------------- */

static void begin(struct readplus_stream *stream,
                  const struct readplus_args *args, uint32_t flags)
{
    stream->decoder = (struct readplus_decoder){
        .cursor = {.pos = stream->own, .end = stream->own},
        .flags = flags & DECODE_FLAGS,
        .ranged = true,
        .args = *args,
        .expected = args->offset,
        .fault = {.segment = READPLUS_NO_SEGMENT},
    };
    stream->size = UINT64_MAX;
    stream->ahead = stream->own;
    stream->room = sizeof(stream->own);
    stream->direct = stream->behind = 0;
    stream->state = HEAD;
    stream->flags = flags;
    stream->pending = false;
}

enum readplus_error readplus_stream_init(struct readplus_stream *stream,
                                         const struct readplus_args *args,
                                         const struct iovec *iov, size_t pieces,
                                         uint32_t flags)
{
    if (args == NULL || (flags & ~(DECODE_FLAGS | SCATTER_FLAGS)) != 0 ||
        !delivery_init(&stream->delivery, args, iov, pieces))
        return READPLUS_ERR_INVAL;
    begin(stream, args, flags);
    return READPLUS_OK;
}

enum readplus_error readplus_stream_init_events(
    struct readplus_stream *stream, const struct readplus_args *args,
    uint32_t flags)
{
    if (args == NULL || (flags & ~DECODE_FLAGS) != 0)
        return READPLUS_ERR_INVAL;
    stream->delivery = (struct readplus_delivery){.room = args->count};
    begin(stream, args, flags | STREAM_EVENTS);
    return READPLUS_OK;
}

void readplus_stream_set_size(struct readplus_stream *stream, uint64_t size)
{
    stream->size = size;
}

void readplus_stream_set_ahead(struct readplus_stream *stream, void *buffer,
                               size_t len)
{
    if (len < sizeof(stream->own))
        return;
    stream->ahead = buffer;
    stream->room = len;
    stream->decoder.cursor.pos = stream->decoder.cursor.end = buffer;
}

/* --- one step: eat what is there, say what it was ------------------------- */

/* The input ended, or the item did; what `error` says stays. */
static enum readplus_error over(struct readplus_stream *stream,
                                enum readplus_error error)
{
    stream->state = OVER;
    return error;
}

/* Fields that are not all there yet are no fault: they will come. */
static enum readplus_error later(struct readplus_stream *stream,
                                 enum readplus_error error)
{
    struct readplus_fault *fault = &stream->decoder.fault;

    if (error != READPLUS_ERR_TRUNCATED)
        return over(stream, error);
    *fault = (struct readplus_fault){.segment = READPLUS_NO_SEGMENT};
    return READPLUS_END;
}

static enum readplus_error step_head(struct readplus_stream *stream)
{
    struct readplus_cursor start = stream->decoder.cursor;
    enum readplus_error error = decoder_head(&stream->decoder);

    if (error != READPLUS_OK) {
        stream->decoder.cursor = start;
        return later(stream, error);
    }
    stream->state = ELEMENT;
    return READPLUS_OK;
}

/* No more elements: does the input go on? */
static enum readplus_error step_end(struct readplus_stream *stream)
{
    if (stream->size != UINT64_MAX)
        stream->decoder.cursor.size = stream->size;
    return over(stream, decoder_end(&stream->decoder));
}

/* The fields of the next element, judged; *c passes them. */
static enum readplus_error element_judged(struct readplus_decoder *decoder,
                                          struct readplus_cursor *c,
                                          struct readplus_element *h)
{
    enum readplus_error error;

    if (cursor_here(c) >= READPLUS_HOLE_SIZE) {
        h->content = wire_load32(c->pos);
        h->offset = wire_load64(c->pos + WIRE_OFFSET_AT);
        h->length = h->content == READPLUS_CONTENT_HOLE
                        ? wire_load64(c->pos + WIRE_LENGTH_AT)
                        : wire_load32(c->pos + WIRE_LENGTH_AT);
        error = element_whole(decoder, c, h);
    } else {
        error = element_fields(decoder, c, h);
    }
    return error != READPLUS_OK ? error : element_placed(decoder, h);
}

static enum readplus_error step_element(struct readplus_stream *stream,
                                        struct readplus_event *event)
{
    struct readplus_decoder *decoder = &stream->decoder;
    struct readplus_cursor c = decoder->cursor;
    enum readplus_error error;
    struct readplus_element h;

    error = element_judged(decoder, &c, &h);
    if (error != READPLUS_OK)
        return later(stream, error);
    decoder->cursor = c;
    event->segment = (struct readplus_segment){(enum readplus_content)h.content,
                                               h.offset, h.length, NULL};
    stream->part =
        delivery_part(&stream->delivery, &decoder->args, h.offset, h.length);
    if (h.content == READPLUS_CONTENT_HOLE) {
        element_done(decoder, &h);
        delivery_add(&stream->delivery, READPLUS_CONTENT_HOLE, h.length,
                     &stream->part);
        event->kind = READPLUS_EVENT_HOLE;
        return READPLUS_OK;
    }
    stream->element = h;
    stream->left = h.length;
    stream->state = h.length > 0 ? DATA : PAD;
    event->kind = READPLUS_EVENT_DATA_BEGIN;
    return READPLUS_OK;
}

static enum readplus_error step_data(struct readplus_stream *stream,
                                     struct readplus_event *event)
{
    struct readplus_cursor *c = &stream->decoder.cursor;
    uint64_t done = stream->element.length - stream->left;
    size_t n = (size_t)min64(cursor_here(c), stream->left);

    if (n == 0)
        return READPLUS_END;
    *event = (struct readplus_event){
        READPLUS_EVENT_DATA,
        {READPLUS_CONTENT_DATA, stream->element.offset + done, n, c->pos}};
    c->pos += n;
    stream->left -= n;
    if (stream->left == 0)
        stream->state = PAD;
    return READPLUS_OK;
}

static enum readplus_error step_pad(struct readplus_stream *stream)
{
    struct readplus_decoder *decoder = &stream->decoder;
    unsigned pad = wire_pad(stream->element.length);
    enum readplus_error error;

    if (cursor_here(&decoder->cursor) < pad)
        return READPLUS_END;
    error = element_pad(decoder, &decoder->cursor, pad);
    if (error != READPLUS_OK)
        return over(stream, error);
    element_done(decoder, &stream->element);
    delivery_add(&stream->delivery, READPLUS_CONTENT_DATA,
                 stream->element.length, &stream->part);
    stream->state = ELEMENT;
    return READPLUS_OK;
}

/* The next event that the bytes at hand make; READPLUS_END: there is none. */
static enum readplus_error step(struct readplus_stream *stream,
                                struct readplus_event *event)
{
    enum readplus_error error = READPLUS_OK;

    while (error == READPLUS_OK) {
        switch ((enum state)stream->state) {
        case HEAD:
            error = step_head(stream);
            break;
        case ELEMENT:
            if (stream->decoder.left > 0)
                return step_element(stream, event);
            return step_end(stream);
        case DATA:
            return step_data(stream, event);
        case PAD:
            error = step_pad(stream);
            break;
        default: /* OVER */
            error = stream->decoder.fault.error;
            return error == READPLUS_OK ? READPLUS_END : error;
        }
    }
    return error;
}

/* --- a destination ------------------------------------------------------- */

/* Writes the next `length` bytes of the destination: these, or zeros. */
static void fill(struct readplus_delivery *d, const uint8_t *bytes,
                 uint64_t length, bool write)
{
    while (length > 0) {
        uint8_t *to;
        size_t here = delivery_here(d, &to);
        size_t n = (size_t)min64(here, length);

        if (bytes != NULL) {
            memcpy(to, bytes, n);
            bytes += n;
        } else if (write) {
            memset(to, 0, n);
        }
        d->used += n;
        length -= n;
    }
}

/* Delivers what an event brought. */
static void apply(struct readplus_stream *stream,
                  const struct readplus_event *event)
{
    const struct readplus_part *part = &stream->part;
    struct readplus_delivery *d = &stream->delivery;

    if (event->kind == READPLUS_EVENT_HOLE) {
        fill(d, NULL, part->length, !(stream->flags & READPLUS_SCATTER_ZEROED));
    } else if (event->kind == READPLUS_EVENT_DATA) {
        uint64_t from = event->segment.offset - stream->element.offset;
        uint64_t lo = max64(from, part->skip);
        uint64_t hi =
            min64(from + event->segment.length, part->skip + part->length);

        if (lo < hi)
            fill(d, event->segment.data + (lo - from), hi - lo, true);
    }
}

/* --- receiving ----------------------------------------------------------- */

/* The least number of bytes that the item must still have, if it is good. */
static uint64_t least(const struct readplus_stream *stream)
{
    const struct readplus_cursor *c = &stream->decoder.cursor;
    uint64_t bytes = (uint64_t)READPLUS_DATA_HEAD_SIZE * stream->decoder.left;
    size_t here = cursor_here(c);

    switch ((enum state)stream->state) {
    case HEAD: /* a status other than NFS4_OK stands alone */
        bytes = here < READPLUS_STATUS_SIZE ? READPLUS_STATUS_SIZE
                                            : READPLUS_RES_HEAD_SIZE;
        break;
    case ELEMENT:
        if (here >= 4 && wire_load32(c->pos) == READPLUS_CONTENT_HOLE)
            bytes += READPLUS_HOLE_SIZE - READPLUS_DATA_HEAD_SIZE;
        break;
    case DATA:
    case PAD:
        bytes += stream->left + wire_pad(stream->element.length) -
                 READPLUS_DATA_HEAD_SIZE;
        break;
    default: /* OVER */
        return 0;
    }
    return bytes - here;
}

/* Wants file bytes where they belong; returns the entries that takes. */
static size_t want_direct(struct readplus_stream *stream, struct iovec *iov,
                          size_t capacity, uint64_t most)
{
    uint64_t done = stream->element.length - stream->left, end, left;
    struct readplus_delivery *d = &stream->delivery;
    const struct readplus_part *part = &stream->part;
    size_t n = 0, skip = d->used, i;

    end = part->skip + part->length;
    if ((stream->flags & STREAM_EVENTS) || stream->state != DATA ||
        done < part->skip || done >= end)
        return 0;
    left = min64(end - done, most);
    for (i = 0; left > 0 && n < capacity; i++, skip = 0) {
        size_t len = (size_t)min64(d->iov[i].iov_len - skip, left);

        if (len == 0)
            continue;
        iov[n++] = (struct iovec){(uint8_t *)d->iov[i].iov_base + skip, len};
        stream->direct += len;
        left -= len;
    }
    return n;
}

/* Makes the area ready for at least one more byte behind what is in it. */
static uint64_t ahead_room(struct readplus_stream *stream)
{
    struct readplus_cursor *c = &stream->decoder.cursor;
    size_t here = cursor_here(c);

    if (c->pos != stream->ahead) {
        memmove(stream->ahead, c->pos, here);
        c->pos = stream->ahead;
        c->end = c->pos + here;
    }
    return stream->room - here;
}

enum readplus_error readplus_stream_want(struct readplus_stream *stream,
                                         struct iovec *iov, size_t capacity,
                                         size_t *entries)
{
    uint64_t most = least(stream), len;
    size_t n;

    if (capacity == 0)
        return READPLUS_ERR_INVAL;
    if (stream->pending)
        return READPLUS_ERR_STATE;
    if (stream->size != UINT64_MAX && most > 0)
        most = stream->size - stream->decoder.cursor.size;
    stream->direct = stream->behind = 0;
    n = want_direct(stream, iov, capacity, most);
    most -= stream->direct;
    /* An entry is left only where all those file bytes have theirs. */
    if (n < capacity && most > 0) {
        len = min64(ahead_room(stream), most);
        stream->behind = (size_t)len;
        iov[n++] = (struct iovec){
            (uint8_t *)(uintptr_t)stream->decoder.cursor.end, (size_t)len};
    }
    *entries = n;
    return n > 0 ? READPLUS_OK : READPLUS_END;
}

/* `n` bytes came straight to where they belong. */
static void advance_direct(struct readplus_stream *stream, size_t n)
{
    fill(&stream->delivery, NULL, n, false);
    stream->left -= n;
    if (stream->left == 0)
        stream->state = PAD;
}

enum readplus_error readplus_stream_advance(struct readplus_stream *stream,
                                            size_t received)
{
    struct readplus_cursor *c = &stream->decoder.cursor;
    struct readplus_event event;
    size_t direct = received < stream->direct ? received : stream->direct;

    if (received - direct > stream->behind)
        return READPLUS_ERR_INVAL;
    if (direct > 0)
        advance_direct(stream, direct);
    c->end += received - direct;
    c->end_at += received;
    c->size = c->end_at;
    stream->direct = stream->behind = 0;
    if (stream->flags & STREAM_EVENTS)
        stream->pending = true;
    else
        while (step(stream, &event) == READPLUS_OK)
            apply(stream, &event);
    return READPLUS_OK;
}

enum readplus_error readplus_stream_event(struct readplus_stream *stream,
                                          struct readplus_event *event)
{
    enum readplus_error error;

    if (!(stream->flags & STREAM_EVENTS))
        return READPLUS_ERR_STATE;
    error = step(stream, event);
    stream->pending = error == READPLUS_OK;
    return error;
}

/* --- the end ------------------------------------------------------------- */

/* The input ended in the middle: names what is cut. */
static enum readplus_error cut(struct readplus_stream *stream)
{
    struct readplus_decoder *decoder = &stream->decoder;
    struct readplus_element h;

    if (stream->state == HEAD)
        return decoder_head(decoder);
    if (stream->state == ELEMENT)
        return element_judged(decoder, &decoder->cursor, &h);
    return element_cut(decoder, &stream->element);
}

enum readplus_error readplus_stream_end(struct readplus_stream *stream,
                                        struct readplus_result *result)
{
    struct readplus_event event;
    enum readplus_error error;

    do
        error = step(stream, &event);
    while (error == READPLUS_OK);
    if (stream->state != OVER)
        error = over(stream, cut(stream));
    error = delivery_end(&stream->delivery, &stream->decoder, error);
    *result = stream->delivery.result;
    return error;
}

uint32_t readplus_stream_status(const struct readplus_stream *stream)
{
    return stream->decoder.status;
}

bool readplus_stream_eof(const struct readplus_stream *stream)
{
    return stream->decoder.eof;
}

const uint8_t *readplus_stream_rest(const struct readplus_stream *stream,
                                    size_t *len)
{
    const struct readplus_cursor *c = &stream->decoder.cursor;
    bool whole = stream->state == OVER &&
                 (stream->decoder.fault.error == READPLUS_OK ||
                  stream->decoder.fault.error == READPLUS_ERR_TRAILING);

    *len = whole ? cursor_here(c) : 0;
    return c->pos;
}
