/*
 * What a delivery must bring, worked out byte by byte from a transcript: which
 * bytes of the request the reply covers, from its first on without a gap.
 */
#ifndef READPLUS_TESTS_BROUGHT_H
#define READPLUS_TESTS_BROUGHT_H

#include "transcript.h"

/* What undelivered bytes of a destination hold. */
#define UNTOUCHED 0xee

struct delivery {
    enum readplus_error error;
    struct readplus_result result;
    uint8_t *image; /* of room bytes */
};

static inline void delivery_free(struct delivery *d)
{
    free(d->image);
}

/* The element that covers this place of the file, or NULL. */
static inline const struct readplus_segment *segment_at(
    const struct transcript *t, uint64_t place)
{
    size_t i;

    for (i = 0; i < t->count; i++) {
        const struct readplus_segment *s = &t->seen[i].segment;

        if (place >= s->offset && place - s->offset < s->length)
            return s;
    }
    return NULL;
}

/* Does the whole element lie in the first `room` bytes of the request? */
static inline bool segment_within(const struct readplus_segment *s,
                                  const struct readplus_args *args,
                                  uint64_t room)
{
    return s->length == 0 ||
           (s->offset >= args->offset && s->offset - args->offset <= room &&
            s->length <= room - (s->offset - args->offset));
}

/* t: of transcript_plain, so that its segments have their data. */
static inline void delivery_plain(struct delivery *d,
                                  const struct transcript *t,
                                  const struct readplus_args *args, size_t room,
                                  uint32_t flags, bool zeroed)
{
    bool head = t->fault.error != READPLUS_OK &&
                t->fault.segment == READPLUS_NO_SEGMENT;
    uint64_t i, able = room < args->count ? room : args->count;
    const struct readplus_segment *s;

    *d = (struct delivery){.image = malloc(room)};
    memset(d->image, UNTOUCHED, room);
    d->result.fault = t->fault;
    if (t->end != READPLUS_END && (head || !(flags & READPLUS_DECODE_TOLERANT)))
        d->error = t->end;
    d->result.eof = t->eof && t->end == READPLUS_END;
    for (i = 0; i < t->count; i++)
        if (!segment_within(&t->seen[i].segment, args, able))
            d->result.eof = false;
    for (i = 0; i < able && i <= UINT64_MAX - args->offset; i++) {
        s = segment_at(t, args->offset + i);
        if (s == NULL)
            break;
        if (s->content == READPLUS_CONTENT_DATA)
            d->image[i] = s->data[args->offset + i - s->offset];
        else if (!zeroed)
            d->image[i] = 0;
        d->result.zero_bytes += s->content == READPLUS_CONTENT_HOLE;
    }
    d->result.bytes = i;
    d->result.progress = (args->count > 0 && segment_at(t, args->offset)) ||
                         d->result.eof || t->status != 0 || args->count == 0;
}

static inline void deliveries_same(const struct delivery *got,
                                   const struct delivery *want, size_t room)
{
    const struct readplus_result *g = &got->result, *w = &want->result;

    /* Once for all: an assertion takes longer than a small delivery. */
    if (got->error == want->error && g->fault.error == w->fault.error &&
        g->fault.segment == w->fault.segment && g->fault.at == w->fault.at &&
        g->bytes == w->bytes && g->zero_bytes == w->zero_bytes &&
        g->eof == w->eof && g->progress == w->progress &&
        memcmp(got->image, want->image, room) == 0)
        return;
    expect_error(got->error, want->error);
    expect_fault(g->fault, w->fault.error, w->fault.segment, w->fault.at);
    ck_assert_uint_eq(g->bytes, w->bytes);
    ck_assert_uint_eq(g->zero_bytes, w->zero_bytes);
    ck_assert_int_eq(g->eof, w->eof);
    ck_assert_int_eq(g->progress, w->progress);
    ck_assert_mem_eq(got->image, want->image, room);
}

/* The library's scatter into `room` bytes cut in pieces of `step`. */
static inline void delivery_of(struct delivery *d, const struct iovec *iov,
                               size_t pieces, const struct readplus_args *args,
                               size_t room, size_t step, uint32_t flags,
                               bool zeroed)
{
    struct iovec *to = calloc(room / step + 1, sizeof(*to));
    struct readplus_decoder decoder;
    size_t n, at;

    *d = (struct delivery){.image = malloc(room)};
    memset(d->image, UNTOUCHED, room);
    for (n = 0, at = 0; at < room; n++, at += to[n - 1].iov_len) {
        size_t len = room - at < step ? room - at : step;

        to[n] = (struct iovec){malloc(len), len};
        memset(to[n].iov_base, UNTOUCHED, len);
    }
    d->error = readplus_decoder_init(&decoder, args, iov, pieces, flags);
    memset(&d->result, 0xff, sizeof(d->result));
    d->error = readplus_scatter(
        &decoder, to, n, zeroed ? READPLUS_SCATTER_ZEROED : 0, &d->result);
    while (n-- > 0) {
        at -= to[n].iov_len;
        memcpy(d->image + at, to[n].iov_base, to[n].iov_len);
        free(to[n].iov_base);
    }
    free(to);
}

#endif
