/*
 * What a decoder said about some bytes, from its first answer to its last, so
 * that two ways of asking can be compared; and the same from a second decoder
 * written for the tests alone, as plainly as RFC 7863 reads.
 */
#ifndef READPLUS_TESTS_TRANSCRIPT_H
#define READPLUS_TESTS_TRANSCRIPT_H

#include "codec.h"

struct seen {
    struct readplus_segment segment;
    uint64_t at;  /* UINT64_MAX: was not asked */
    uint64_t sum; /* of its data bytes */
};

struct transcript {
    uint32_t status;
    bool eof;
    struct seen *seen;
    size_t count, room;
    enum readplus_error end;
    struct readplus_fault fault;
    uint64_t consumed; /* after READPLUS_END */
};

static inline void transcript_free(struct transcript *t)
{
    free(t->seen);
    *t = (struct transcript){0};
}

/* FNV-1a: enough to tell one run of bytes from another. */
static inline uint64_t sum_on(uint64_t sum, const uint8_t *p, size_t len)
{
    for (; len > 0; len--)
        sum = (sum ^ *p++) * 0x100000001b3u;
    return sum;
}

#define SUM_BEGIN 0xcbf29ce484222325u

static inline void transcript_add(struct transcript *t,
                                  const struct readplus_segment *segment,
                                  uint64_t at, uint64_t sum)
{
    if (t->count == t->room) {
        t->room = t->room * 2 + 16;
        t->seen = realloc(t->seen, t->room * sizeof(*t->seen));
        ck_assert_ptr_nonnull(t->seen);
    }
    t->seen[t->count++] = (struct seen){*segment, at, sum};
}

static inline void transcripts_same(const struct transcript *got,
                                    const struct transcript *want)
{
    size_t i;

    expect_error(got->end, want->end);
    expect_fault(got->fault, want->fault.error, want->fault.segment,
                 want->fault.at);
    ck_assert_uint_eq(got->status, want->status);
    ck_assert_int_eq(got->eof, want->eof);
    if (want->end == READPLUS_END)
        ck_assert_uint_eq(got->consumed, want->consumed);
    ck_assert_uint_eq(got->count, want->count);
    for (i = 0; i < want->count; i++) {
        const struct seen *g = &got->seen[i], *w = &want->seen[i];

        if (g->segment.content != w->segment.content ||
            g->segment.offset != w->segment.offset ||
            g->segment.length != w->segment.length || g->sum != w->sum ||
            (g->at != w->at && g->at != UINT64_MAX && w->at != UINT64_MAX))
            ck_abort_msg("segment %zu differs", i);
    }
}

/* --- the library's iterator ---------------------------------------------- */

/* The sum of a segment's bytes, by every question there is for them. */
static inline uint64_t segment_sum(const struct readplus_decoder *decoder,
                                   const struct readplus_segment *segment,
                                   bool last)
{
    size_t length = (size_t)segment->length;
    uint64_t sum = SUM_BEGIN;
    uint8_t *copy;

    if (segment->content != READPLUS_CONTENT_DATA || length == 0) {
        ck_assert_ptr_null(segment->data);
        return sum;
    }
    if (segment->data != NULL)
        sum = sum_on(sum, segment->data, length);
    if (!last) {
        ck_assert_ptr_nonnull(segment->data);
        return sum;
    }
    copy = malloc(length);
    expect_error(readplus_decoder_data_copy(decoder, segment, 0, copy, length),
                 READPLUS_OK);
    if (segment->data != NULL)
        ck_assert_mem_eq(copy, segment->data, length);
    sum = sum_on(SUM_BEGIN, copy, length);
    free(copy);
    return sum;
}

/* Takes all elements: one by one (batch 0), or up to 16 at once. */
static inline enum readplus_error transcript_take(
    struct transcript *t, struct readplus_decoder *decoder, size_t batch)
{
    struct readplus_segment s[16];
    enum readplus_error error;
    size_t n = 1, i;

    ck_assert_uint_le(batch, ARRAY_LEN(s));
    for (;;) {
        if (batch == 0)
            error = readplus_decoder_next(decoder, s);
        else
            error = readplus_decoder_take(decoder, s, batch, &n);
        if (error != READPLUS_OK) {
            ck_assert(batch == 0 || n == 0);
            return error;
        }
        ck_assert_uint_gt(n, 0);
        ck_assert_uint_le(n, batch == 0 ? 1 : batch);
        for (i = 0; i < n; i++)
            transcript_add(
                t, &s[i], i + 1 < n ? UINT64_MAX : readplus_decoder_at(decoder),
                segment_sum(decoder, &s[i], i + 1 == n));
    }
}

/* The call for a whole item says the same, with room for its elements or not. */
static inline void transcript_whole(const struct transcript *t,
                                    const struct iovec *item,
                                    const struct readplus_args *args,
                                    uint32_t flags)
{
    struct readplus_segment *s = calloc(t->count + 1, sizeof(*s));
    struct readplus_res res;
    size_t room, i;

    ck_assert_ptr_nonnull(s);
    for (room = 0; room <= t->count + 1; room += room < 4 ? 1 : room / 3) {
        bool all =
            room > t->count || (room == t->count && t->end == READPLUS_END);
        enum readplus_error error = readplus_res_decode(args, item->iov_base,
                                                        item->iov_len, flags, s,
                                                        room, &res),
                            want =
                                t->end == READPLUS_END ? READPLUS_OK : t->end;

        ck_assert_uint_eq(res.status, t->status);
        ck_assert_int_eq(res.eof, t->eof);
        ck_assert_uint_eq(res.count, room < t->count ? room : t->count);
        /* A fault behind a full array may have been seen, or not. */
        if (all || error != READPLUS_ERR_LIMIT)
            expect_error(error, room < t->count ? READPLUS_ERR_LIMIT : want);
        if (all)
            expect_fault(res.fault, t->fault.error, t->fault.segment,
                         t->fault.at);
        if (all && want == READPLUS_OK)
            ck_assert_uint_eq(res.size, t->consumed);
        for (i = 0; i < res.count; i++) {
            ck_assert_int_eq(s[i].content, t->seen[i].segment.content);
            ck_assert_uint_eq(s[i].offset, t->seen[i].segment.offset);
            ck_assert_uint_eq(s[i].length, t->seen[i].segment.length);
            ck_assert(s[i].data == t->seen[i].segment.data);
        }
    }
    free(s);
}

/* What the iterator says; afterwards it says its last word again. */
static inline void transcript_of(struct transcript *t, const struct iovec *iov,
                                 size_t pieces,
                                 const struct readplus_args *args,
                                 uint32_t flags, size_t batch)
{
    struct readplus_segment s, stale;
    struct readplus_decoder decoder;
    size_t n = 77;

    *t = (struct transcript){0};
    memset(&decoder, 0xff, sizeof(decoder)); /* whatever was there before */
    t->end = readplus_decoder_init(&decoder, args, iov, pieces, flags);
    t->status = readplus_decoder_status(&decoder);
    t->eof = readplus_decoder_eof(&decoder);
    if (t->end == READPLUS_OK)
        t->end = transcript_take(t, &decoder, batch);
    t->fault = readplus_decoder_fault(&decoder);
    t->consumed = readplus_decoder_consumed(&decoder);
    memset(&s, 0xee, sizeof(s));
    memcpy(&stale, &s, sizeof(s));
    expect_error(readplus_decoder_next(&decoder, &s), t->end);
    expect_error(readplus_decoder_take(&decoder, &s, 1, &n), t->end);
    ck_assert_uint_eq(n, 0);
    ck_assert_mem_eq(&s, &stale, sizeof(s));
    if (pieces == 1)
        transcript_whole(t, iov, args, flags);
}

/* --- the plain one ------------------------------------------------------- */

struct plain {
    const uint8_t *p;
    size_t len, at;
};

static inline bool plain_word(struct plain *in, size_t bytes, uint64_t *v)
{
    size_t i;

    if (in->len - in->at < bytes)
        return false;
    for (i = 0, *v = 0; i < bytes; i++)
        *v = *v << 8 | in->p[in->at++];
    return true;
}

static inline enum readplus_error plain_fail(struct transcript *t,
                                             enum readplus_error error,
                                             uint64_t at, uint64_t segment)
{
    t->fault = (struct readplus_fault){error, (uint32_t)segment, at};
    return error;
}

/* Does this element lie right behind the one before it? */
static inline enum readplus_error plain_place(const struct transcript *t,
                                              const struct readplus_segment *s,
                                              const struct readplus_args *args)
{
    const struct readplus_segment *before;

    if (s->offset + s->length < s->offset)
        return READPLUS_ERR_RANGE;
    if (t->count == 0)
        return args != NULL && s->offset > args->offset
                   ? READPLUS_ERR_LATE_START
                   : READPLUS_OK;
    before = &t->seen[t->count - 1].segment;
    if (s->offset == before->offset + before->length)
        return READPLUS_OK;
    if (s->offset > before->offset + before->length)
        return READPLUS_ERR_GAP;
    return s->offset < before->offset ? READPLUS_ERR_ORDER
                                      : READPLUS_ERR_OVERLAP;
}

static inline enum readplus_error plain_element(
    struct transcript *t, struct plain *in, const struct readplus_args *args,
    uint32_t flags)
{
    struct readplus_segment s = {READPLUS_CONTENT_DATA, 0, 0, NULL};
    uint64_t start = in->at, content, sum = SUM_BEGIN;
    enum readplus_error error;

    if (!plain_word(in, 4, &content))
        return plain_fail(t, READPLUS_ERR_TRUNCATED, start, t->count);
    if (content != 0 && content != 1)
        return plain_fail(t, READPLUS_ERR_BAD_CONTENT, start, t->count);
    s.content = (enum readplus_content)content;
    if (!plain_word(in, 8, &s.offset))
        return plain_fail(t, READPLUS_ERR_TRUNCATED, start + 4, t->count);
    if (!plain_word(in, content == 0 ? 4 : 8, &s.length))
        return plain_fail(t, READPLUS_ERR_TRUNCATED, start + 12, t->count);
    error = plain_place(t, &s, args);
    if (error != READPLUS_OK)
        return plain_fail(t, error, start + 4, t->count);
    if (content == 0) {
        if ((s.length + 3) / 4 * 4 > in->len - in->at)
            return plain_fail(t, READPLUS_ERR_TRUNCATED, start + 12, t->count);
        s.data = in->p + in->at;
        sum = sum_on(sum, s.data, (size_t)s.length);
        in->at += (size_t)s.length;
        for (; in->at % 4 != 0; in->at++)
            if (in->p[in->at] != 0 && !(flags & READPLUS_DECODE_ANY_PAD))
                return plain_fail(t, READPLUS_ERR_BAD_PAD, in->at, t->count);
    }
    transcript_add(t, &s, start, sum);
    return READPLUS_OK;
}

static inline enum readplus_error plain_item(struct transcript *t,
                                             struct plain *in,
                                             const struct readplus_args *args,
                                             uint32_t flags)
{
    uint64_t word, eof, elements = 0, none = READPLUS_NO_SEGMENT;
    enum readplus_error error;

    if (!plain_word(in, 4, &word))
        return plain_fail(t, READPLUS_ERR_TRUNCATED, 0, none);
    t->status = (uint32_t)word;
    if (word == 0) {
        if (!plain_word(in, 4, &eof))
            return plain_fail(t, READPLUS_ERR_TRUNCATED, 4, none);
        if (eof > 1)
            return plain_fail(t, READPLUS_ERR_BAD_BOOL, 4, none);
        if (!plain_word(in, 4, &elements))
            return plain_fail(t, READPLUS_ERR_TRUNCATED, 8, none);
        t->eof = eof == 1;
    }
    for (; elements > 0; elements--) {
        error = plain_element(t, in, args, flags);
        if (error != READPLUS_OK)
            return error;
    }
    t->consumed = in->at;
    if (in->at < in->len &&
        !(flags & (READPLUS_DECODE_TRAILING | READPLUS_DECODE_TOLERANT)))
        return plain_fail(t, READPLUS_ERR_TRAILING, in->at, none);
    return READPLUS_END;
}

/* What is to be said; segments' data point into p. */
static inline void transcript_plain(struct transcript *t, const uint8_t *p,
                                    size_t len,
                                    const struct readplus_args *args,
                                    uint32_t flags)
{
    struct plain in = {p, len, 0};

    *t = (struct transcript){.fault = {.segment = READPLUS_NO_SEGMENT}};
    t->end = plain_item(t, &in, args, flags);
}

#endif
