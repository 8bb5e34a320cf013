/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop over elements that need no second look, for whoever has a reply in
 * one piece, or a piece of it.  It is the decoders' whole cost on good input,
 * so nothing is in it that such input does not need.
 */
#ifndef READPLUS_LIB_PLAIN_H
#define READPLUS_LIB_PLAIN_H

#include "element.h"

/* Every flag a decoder knows. */
#define DECODE_FLAGS                                                           \
    (READPLUS_DECODE_TOLERANT | READPLUS_DECODE_ANY_PAD |                      \
     READPLUS_DECODE_TRAILING)

struct plain {
    const uint8_t *pos;  /* where the next element begins */
    const uint8_t *last; /* where the last one did, if any was taken */
    uint64_t expected;   /* the offset the next one must have */
};

/*
 * Takes elements while they are plain, at most `want`, and returns how many.
 * Plain is: head whole before `end`, known content, exactly where it must be,
 * data and all before `end`, no fill.  Where it stops early, h->at is 0 if the
 * next head was not fetched, else *h holds it.
 */
/*@ requires \valid(run) && \valid(h) && \valid(segments + (0 .. want - 1));
    requires \separated(run, h, segments + (0 .. want - 1));
    requires 0 <= end - run->pos <= SIZE_MAX;
    requires end == run->pos + (end - run->pos);
    requires shows(end, place(run->pos), place(run->pos) + (end - run->pos));
    assigns *run, *h, segments[0 .. want - 1];
    ensures \result <= want && 0 <= end - run->pos && h->at <= 1;
    ensures end == run->pos + (end - run->pos); */
static inline size_t plain_run(struct plain *run, const uint8_t *end,
                               struct readplus_segment *segments, size_t want,
                               struct readplus_element *h)
{
    const uint8_t *p = run->pos, *last = p;
    uint64_t expected = run->expected;
    size_t n = 0;

    h->at = 0;
    /*@ loop invariant 0 <= n <= want && 0 <= end - p <= end - run->pos;
        loop invariant end == p + (end - p) && h->at == 0;
        loop assigns n, p, last, expected, *h, segments[0 .. want - 1];
        loop variant want - n; */
    while (n < want && (size_t)(end - p) >= READPLUS_HOLE_SIZE) {
        uint32_t content = wire_load32(p);
        uint64_t offset = wire_load64(p + 4), length;
        const uint8_t *data = NULL, *next = p + READPLUS_HOLE_SIZE;

        if (content == READPLUS_CONTENT_HOLE) {
            length = wire_load64(p + 12);
        } else {
            length = wire_load32(p + 12);
            next = p + READPLUS_DATA_HEAD_SIZE;
            if (content != READPLUS_CONTENT_DATA || (length & 3) != 0 ||
                length > (size_t)(end - next)) {
                *h = (struct readplus_element){1, offset, length, content};
                break;
            }
            data = length > 0 ? next : NULL;
            next += length;
        }
        if (offset != expected || length > UINT64_MAX - offset) {
            *h = (struct readplus_element){1, offset, length, content};
            break;
        }
        segments[n++] = (struct readplus_segment){
            (enum readplus_content)content, offset, length, data};
        expected += length;
        last = p;
        p = next;
    }
    *run = (struct plain){p, last, expected};
    return n;
}

/*
 * The rest of a batch after its plain elements: n were taken, the next head is
 * in *h.  In decode.c.
 */
enum readplus_error readplus_decoder_take_on(struct readplus_decoder *decoder,
                                             struct readplus_segment *segments,
                                             size_t capacity, size_t n,
                                             struct readplus_element *h,
                                             size_t *taken);

#endif /* READPLUS_LIB_PLAIN_H */
