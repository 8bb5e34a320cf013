/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stream decoder: a READ_PLUS4res becomes file content, or events, while
 * it is still being received, and is never in memory as a whole.
 *
 *     while (readplus_stream_want(&s, iov, 8, &n) == READPLUS_OK &&
 *            (got = readv(fd, iov, n)) > 0)
 *         (void)readplus_stream_advance(&s, (size_t)got);
 *     error = readplus_stream_end(&s, &result);
 *
 * File bytes are received where they belong, holes are zeroed as they come by,
 * headers go through a small area of the stream's own.  The input may be split
 * anywhere, down to single bytes: what is delivered, what is refused, where
 * and in which element, are those of readplus_scatter over the same bytes.
 *
 * One thing differs: bytes of the destination behind result->bytes, but inside
 * the request, are unspecified, since an element is received before its end
 * can be judged.  Nothing outside the request is ever written.
 */
#ifndef READPLUS_STREAM_H
#define READPLUS_STREAM_H

#include <readplus/scatter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All fields are private; on the caller's stack, and it may not be moved. */
struct readplus_stream {
    struct readplus_decoder decoder; /* its cursor: what is in `ahead` */
    struct readplus_delivery delivery;
    struct readplus_element element; /* the data element at hand, */
    struct readplus_part part;       /* what of it is delivered, */
    uint64_t left;                   /* how many of its bytes are to come */
    uint64_t size;                   /* of the input; UINT64_MAX: unknown */
    uint8_t *ahead;                  /* where heads are received */
    size_t room;                     /* its size */
    size_t direct, behind;           /* wanted last: in place, in `ahead` */
    uint32_t state;
    uint32_t flags;
    bool pending;    /* events may be waiting */
    uint8_t own[36]; /* `ahead` until the caller lends a larger one */
};

/*
 * Begins to receive the reply to *args (copied) into iov[0, pieces), whose
 * first byte is the one at the request's offset.  At most the request's count
 * and at most the pieces' sum is delivered.  The array and what it refers to
 * are borrowed until readplus_stream_end.  Flags: READPLUS_DECODE_ and
 * READPLUS_SCATTER_ together.
 *
 * OK. READPLUS_ERR_INVAL: args is NULL, iov is NULL though pieces is not 0, or
 * a flag is unknown.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_stream_init(
    struct readplus_stream *stream, const struct readplus_args *args,
    const struct iovec *iov, size_t pieces, uint32_t flags);

/*
 * The same without a destination: the reply comes as events, see
 * readplus_stream_event.  Flags: READPLUS_DECODE_ only.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error
readplus_stream_init_events(struct readplus_stream *stream,
                            const struct readplus_args *args, uint32_t flags);

/*
 * Tells how long the input is, in bytes from rp_status on, for instance from
 * the record mark; before the first readplus_stream_want.  With it more can be
 * received at once, and bytes after the item are seen, and judged, as
 * readplus_scatter does.  Without it no byte after the item is ever wanted.
 */
READPLUS_API void readplus_stream_set_size(struct readplus_stream *stream,
                                           uint64_t size);

/*
 * Lends the stream buffer[0, len) for headers and what follows them, until
 * readplus_stream_end; before the first readplus_stream_want.  Many small
 * elements then take one call to receive instead of one each: with a size
 * known, 64 KiB is a good length.  In event mode file bytes come through this
 * buffer too.  A buffer of less than 36 bytes is not used.
 */
READPLUS_API void readplus_stream_set_ahead(struct readplus_stream *stream,
                                            void *buffer, size_t len);

/*
 * Where the next received bytes belong: *entries of iov[0, capacity) are set,
 * in the order in which they are to be filled, none empty.  Fewer bytes than
 * they hold may be received.  Without a known size they never ask for more
 * than a well-formed reply must still have, so a caller may wait for them.
 *
 * OK. READPLUS_END: nothing more is wanted, the item is complete or faulty;
 * readplus_stream_end says which.  *entries is then 0.  READPLUS_ERR_INVAL:
 * capacity is 0; READPLUS_ERR_STATE: events are waiting to be taken.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_stream_want(
    struct readplus_stream *stream, struct iovec *iov, size_t capacity,
    size_t *entries);

/*
 * Tells that `received` bytes were put where the last readplus_stream_want
 * said.  Zeroes the holes that came by: at most the request's count in one
 * call.  OK, also where the bytes turned out to be faulty (want then answers
 * END).  READPLUS_ERR_INVAL: received exceeds what was wanted; nothing changed.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_stream_advance(
    struct readplus_stream *stream, size_t received);

enum readplus_event_kind {
    READPLUS_EVENT_DATA_BEGIN = 0, /* a data element, its bytes to come */
    READPLUS_EVENT_DATA = 1,       /* some of its bytes */
    READPLUS_EVENT_HOLE = 2        /* a hole element */
};

/*
 * segment.offset and length say which bytes of the file; as the server sent
 * them, not clipped (readplus_segment_clip does that).  For
 * READPLUS_EVENT_DATA, segment.data points to them until the next call of
 * readplus_stream_want; else it is NULL.  Elements of length 0 come too.
 */
struct readplus_event {
    enum readplus_event_kind kind;
    struct readplus_segment segment;
};

/*
 * Takes the next event; to be called after each readplus_stream_advance until
 * it has no more.  The bytes of a data element are handed out before its end
 * is judged: only those counted in readplus_stream_end's result are good.
 *
 * OK. READPLUS_END: no more until more is received, or at all; *event
 * unchanged.  READPLUS_ERR_STATE: the stream has a destination.  Errors, which
 * stay: READPLUS_ERR_BAD_BOOL, BAD_PAD; BAD_CONTENT, RANGE, LATE_START, GAP,
 * ORDER, OVERLAP.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_stream_event(
    struct readplus_stream *stream, struct readplus_event *event);

/*
 * The input is over: the item is complete, the connection closed, or the
 * caller has had enough.  Returns and sets *result exactly as readplus_scatter
 * would have for the bytes received, a faulty head being an error even under
 * READPLUS_DECODE_TOLERANT.  In event mode the bytes are those of the request
 * that finished elements covered.  May be called more than once.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_stream_end(
    struct readplus_stream *stream, struct readplus_result *result);

/* rp_status and rpr_eof, once received (result->fault says if they were not);
 * 0 and false before. */
READPLUS_API uint32_t
readplus_stream_status(const struct readplus_stream *stream);
READPLUS_API bool readplus_stream_eof(const struct readplus_stream *stream);

/*
 * Bytes that were received with the item but come after it; *len is their
 * number.  Not none only where a size was set.  They lie in the area lent to
 * the stream, or in the stream.
 */
READPLUS_API const uint8_t *readplus_stream_rest(
    const struct readplus_stream *stream, size_t *len);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_STREAM_H */
