/*
 * The decoder, strict and tolerant: element by element, in batches and over
 * pieces it says the same, and what the plain decoder of tests/transcript.h
 * says; what it accepts is encoded to the same bytes; no proper prefix passes.
 */
#include "invariants.h"

#include "../transcript.h"

const size_t fuzz_params = FUZZ_PARAMS;

#define MOST 4096

/* Every data byte where the iovecs say it is. */
static void data_in_pieces(const struct readplus_decoder *decoder,
                           const struct readplus_segment *s)
{
    struct iovec iov[FUZZ_CUTS];
    size_t entries = 0, i, sum = 0;
    uint8_t byte;

    if (s->content != READPLUS_CONTENT_DATA)
        return;
    HOLDS(readplus_decoder_data_iov(decoder, s, iov, FUZZ_CUTS, &entries) ==
          READPLUS_OK);
    for (i = 0; i < entries; i++) {
        HOLDS(iov[i].iov_len > 0);
        HOLDS(readplus_decoder_data_copy(decoder, s, sum, &byte, 1) ==
              READPLUS_OK);
        HOLDS(byte == *(const uint8_t *)iov[i].iov_base);
        sum += iov[i].iov_len;
    }
    HOLDS(sum == s->length);
    HOLDS((s->data != NULL) == (entries == 1));
    HOLDS(readplus_decoder_data_copy(decoder, s, sum, &byte, 1) ==
          READPLUS_ERR_INVAL);
    if (entries > 0)
        HOLDS(readplus_decoder_data_iov(decoder, s, iov, entries - 1,
                                        &entries) == READPLUS_ERR_LIMIT);
}

/* Step by step, looking inside after each. */
static void walk(const struct fuzz_reply *r, const struct fuzz_cut *c)
{
    struct readplus_decoder decoder;
    struct readplus_segment s;
    enum readplus_error error;

    error =
        readplus_decoder_init(&decoder, fuzz_args(r), c->iov, c->n, r->flags);
    invariant_decoder(&decoder);
    while (error == READPLUS_OK) {
        error = readplus_decoder_next(&decoder, &s);
        invariant_decoder(&decoder);
        if (error != READPLUS_OK)
            break;
        invariant_segment(&s);
        data_in_pieces(&decoder, &s);
    }
    HOLDS(error == READPLUS_END ||
          readplus_decoder_fault(&decoder).error == error);
}

/* Law 1: what is accepted encodes to the same bytes. */
static void encode_back(const struct fuzz_reply *r, const struct transcript *t)
{
    struct readplus_segment *segments;
    uint8_t *out = malloc((size_t)t->consumed);
    uint64_t size = 4;
    size_t i, used = 0;

    segments = calloc(t->count + 1, sizeof(*segments));
    HOLDS(segments != NULL && out != NULL);
    for (i = 0; i < t->count; i++)
        segments[i] = t->seen[i].segment;
    if (t->status == 0)
        HOLDS(readplus_res_size(segments, t->count, &size) == READPLUS_OK);
    HOLDS(size == t->consumed);
    HOLDS(readplus_res_encode(t->status, t->eof, segments, t->count, out,
                              (size_t)t->consumed, &used, NULL) == READPLUS_OK);
    HOLDS(used == t->consumed && memcmp(out, r->item, used) == 0);
    free(segments);
    free(out);
}

/* Law 7: no proper prefix of a good item passes. */
static void prefix(const struct fuzz_reply *r, const struct transcript *whole)
{
    size_t len = ((size_t)r->room * 257 + r->cuts) % (size_t)whole->consumed;
    uint8_t *copy = exact_copy(r->item, len);
    struct iovec iov = {copy, len};
    struct transcript t, want;

    transcript_plain(&want, copy, len, fuzz_args(r), r->flags);
    transcript_of(&t, &iov, 1, fuzz_args(r), r->flags, 0);
    transcripts_same(&t, &want);
    HOLDS(t.end == READPLUS_ERR_TRUNCATED);
    HOLDS(t.count <= whole->count);
    transcript_free(&t);
    transcript_free(&want);
    free(copy);
}

static void same(const struct fuzz_reply *r, const struct iovec *iov,
                 size_t pieces, size_t batch, const struct transcript *want)
{
    struct transcript t;

    transcript_of(&t, iov, pieces, fuzz_args(r), r->flags, batch);
    transcripts_same(&t, want);
    transcript_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct transcript want;
    struct fuzz_reply r;
    struct fuzz_cut c;
    struct iovec whole;

    if (!fuzz_reply_read(&r, data, size) || r.len > MOST)
        return 0;
    whole = piece_of(r.item, r.len);
    transcript_plain(&want, r.item, r.len, fuzz_args(&r), r.flags);
    same(&r, &whole, 1, 0, &want);
    same(&r, &whole, 1, 1 + r.cuts % 16u, &want);
    fuzz_cut_open(&c, r.item, r.len, r.cuts);
    walk(&r, &c);
    same(&r, c.iov, c.n, 0, &want);
    same(&r, c.iov, c.n, 1 + r.room % 16u, &want);
    fuzz_cut_close(&c);
    if (want.end == READPLUS_END && !(r.flags & READPLUS_DECODE_ANY_PAD))
        encode_back(&r, &want);
    if (want.end == READPLUS_END)
        prefix(&r, &want);
    transcript_free(&want);
    return 0;
}
