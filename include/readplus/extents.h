/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reply as a list of extents: what is data and what is a hole, without the
 * bytes.  No file byte is looked at, copied or zeroed.  One list runs on from
 * reply to reply, so that an extent which three replies told in pieces comes
 * out as one, and it is handed over in as many portions as the caller's array
 * makes of it.
 */
#ifndef READPLUS_EXTENTS_H
#define READPLUS_EXTENTS_H

#include <readplus/decode.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Only what lies inside the requests.  Without it holes (and data) count as
 * far as the server says they reach, before the first request and behind each
 * (RFC 7862 section 15.10.3), and the next request begins after them.
 */
#define READPLUS_EXTENTS_CLIP 0x1u

/* All fields are private; on the caller's stack. */
struct readplus_extents {
    struct readplus_extent *array;
    size_t capacity;
    size_t count;
    struct readplus_extent open; /* may still grow */
    struct readplus_extent held; /* taken from the reply, not in `open` yet */
    uint64_t next;
    uint32_t flags;
    bool cut; /* something of the reply at hand was clipped */
    bool eof;
};

/*
 * Begins an empty list that will start at `offset`, the first request's.  The
 * array is borrowed.  OK. READPLUS_ERR_INVAL: no array, capacity 0, or an
 * unknown flag.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_extents_init(
    struct readplus_extents *extents, uint64_t offset,
    struct readplus_extent *array, size_t capacity, uint32_t flags);

/*
 * Takes what is left of a decoder, which must have been given its request.
 * Extents come in ascending order without gaps; neighbours of one content are
 * merged, empty ones left out.  What earlier replies covered is not told
 * again, even where this one tells it otherwise.
 *
 * OK: the reply is used up; with another status than NFS4_OK it adds nothing.
 * READPLUS_ERR_LIMIT: the array is full; use what is in it, call
 * readplus_extents_drain and then this again with the same decoder: nothing
 * is lost or told twice.  A decoder's error, with the good extents before it
 * in the list; under READPLUS_DECODE_TOLERANT a fault behind the head is OK.
 * READPLUS_ERR_INVAL: the decoder has no request, or one that begins after
 * readplus_extents_next; the list is unchanged.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_extents_add(
    struct readplus_extents *extents, struct readplus_decoder *decoder);

/*
 * Closes the last extent, which until then may grow and is not in the array.
 * OK, or READPLUS_ERR_LIMIT: drain and call again.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_extents_finish(
    struct readplus_extents *extents);

/* How many extents of the caller's array are set. */
READPLUS_API size_t
readplus_extents_count(const struct readplus_extents *extents);

/* Forgets those in the array; the list goes on behind them. */
READPLUS_API void readplus_extents_drain(struct readplus_extents *extents);

/*
 * One past the last byte covered: where the next request begins.  A request
 * that this did not move brought nothing.
 */
READPLUS_API uint64_t
readplus_extents_next(const struct readplus_extents *extents);

/*
 * The last reply used up said that the file ends in it; false where some of
 * it was clipped at the end, or a fault ended it.
 */
READPLUS_API bool readplus_extents_eof(const struct readplus_extents *extents);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_EXTENTS_H */
