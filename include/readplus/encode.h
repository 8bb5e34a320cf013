/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Three ways to write a READ_PLUS4res, and READ_PLUS4args.
 *
 *   the encoder         piece by piece into one buffer, file bytes read
 *                       straight to their final place, budgets and eof kept
 *   readplus_encode_iov a list of segments as iovecs for one sendmsg: headers
 *                       in the caller's scratch, data by reference
 *   readplus_res_encode exactly what it is given, copied (proxies, vectors)
 *
 * All speak whole items, rp_status included (RFC 7862 section 15.10.2).
 */
#ifndef READPLUS_ENCODE_H
#define READPLUS_ENCODE_H

#include <sys/uio.h>

#include <readplus/size.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All fields are private; on the caller's stack.  The buffer must outlive it. */
struct readplus_encoder {
    uint8_t *buffer;
    size_t size;     /* of the item so far */
    uint64_t start;  /* rpa_offset */
    uint64_t wanted; /* the request's end */
    uint64_t file_size;
    uint64_t covered; /* one past the last byte of the last element */
    uint64_t before;  /* where the last element began */
    struct readplus_limits limits;
    struct readplus_budget budget;
    uint32_t count;
    uint32_t granted; /* of the data element that is open */
    uint32_t state;
};

/*
 * Begins a reply to *args about a file of file_size bytes in buffer[0, len).
 * The elements are bounded by len and by limits->maxcount, whichever is less.
 * *args and *limits are copied; the buffer is borrowed.
 *
 * OK. READPLUS_ERR_INVAL: buffer is NULL.  READPLUS_ERR_NOSPACE: not even an
 * empty result fits (len below 12, or maxcount below 8).  On failure nothing
 * was written and *encoder may not be used.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_encoder_init(
    struct readplus_encoder *encoder, const struct readplus_args *args,
    uint64_t file_size, const struct readplus_limits *limits, void *buffer,
    size_t len);

/*
 * Adds a hole.  It must begin where the last element ended, the first one at
 * or before the request's offset.  What lies outside the request is cut off
 * (under READPLUS_LIMIT_WHOLE: only what lies outside the lock), past the end
 * of the file always; a hole of which nothing is left is OK and adds nothing.
 *
 * OK. READPLUS_ERR_NOSPACE, READPLUS_ERR_LIMIT: no room; the reply so far
 * stays good and can be finished.  READPLUS_ERR_INVAL: the limits allow no
 * holes. READPLUS_ERR_RANGE, LATE_START, GAP, ORDER, OVERLAP: where it lies.
 * READPLUS_ERR_STATE: a data element is open, or the reply is finished.
 * Failures change nothing.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_encoder_hole(
    struct readplus_encoder *encoder, uint64_t offset, uint64_t length);

/*
 * Opens a data element at `offset`, which must be where the last element
 * ended (the first one: the request's offset), for up to `want` bytes.
 * *destination becomes the place in the buffer for them and *granted their
 * number: want, cut to the request, the file and the room; fill is counted.
 * Between this call and readplus_encoder_data_commit the caller writes there.
 *
 * OK; *granted is 0, and nothing is open, only where want is 0 or offset is
 * at the end of the request or file.  Failures as for readplus_encoder_hole;
 * they change nothing.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error
readplus_encoder_data_begin(struct readplus_encoder *encoder, uint64_t offset,
                            uint64_t want, uint8_t **destination,
                            uint32_t *granted);

/*
 * Closes the open data element with the `filled` bytes that were written; a
 * short read makes it shorter, 0 withdraws it.  OK. READPLUS_ERR_INVAL: filled
 * exceeds what was granted; READPLUS_ERR_STATE: none is open.  Failures change
 * nothing.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error
readplus_encoder_data_commit(struct readplus_encoder *encoder, uint32_t filled);

/*
 * Corrects the file's size, as it was found after the last look-up or read,
 * for eof.  Elements already added are not taken back: a caller who finds the
 * file shorter than readplus_encoder_next must begin the reply anew, and
 * readplus_encoder_finish refuses until he does.
 */
READPLUS_API void readplus_encoder_set_file_size(
    struct readplus_encoder *encoder, uint64_t file_size);

/* Where the next element must begin. */
READPLUS_API uint64_t
readplus_encoder_next(const struct readplus_encoder *encoder);

/*
 * Completes the reply: rpr_eof is computed, the element count is filled in,
 * *len becomes the item's length in bytes.
 *
 * OK. READPLUS_ERR_NO_PROGRESS: the reply would say nothing although the
 * request begins before the end of the file and asks for some bytes; where
 * room was the cause a server answers NFS4ERR_REP_TOO_BIG. READPLUS_ERR_STATE:
 * a data element is open, or the reply is finished.  READPLUS_ERR_CHANGED: an
 * element lies past the corrected file size.  Failures change nothing.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_encoder_finish(
    struct readplus_encoder *encoder, size_t *len);

/*
 * What readplus_encode_iov needs for `count` segments: bytes of scratch and
 * iovec entries.
 */
#define READPLUS_IOV_SCRATCH(count) (12 + 20 * (size_t)(count))
#define READPLUS_IOV_ENTRIES(count) (2 * (size_t)(count) + 1)

/*
 * Writes the READ_PLUS4res with NFS4_OK, this eof and these segments as
 * iovecs: nothing is copied, headers and fill go to scratch, data is referred
 * to where segments[i].data points.  Scratch, data and iov must stay until
 * the iovecs were sent.
 *
 * OK: *entries is the number of iovecs, *size their total in bytes.
 * READPLUS_ERR_NOSPACE: scratch_len is below READPLUS_IOV_SCRATCH(count);
 * READPLUS_ERR_LIMIT: capacity is below READPLUS_IOV_ENTRIES(count), or count
 * exceeds UINT32_MAX; neither then wrote anything.  The rest as for
 * readplus_res_encode; scratch and iov then hold nothing of use.  *entries
 * and *size change on OK only.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_encode_iov(
    bool eof, const struct readplus_segment *segments, size_t count,
    void *scratch, size_t scratch_len, struct iovec *iov, size_t capacity,
    size_t *entries, uint64_t *size);

/*
 * Writes the READ_PLUS4res with this status, eof and these segments to
 * buffer[0, len).  It is exactly what it is given, if a strict decoder would
 * accept it: no clipping, no merging, empty segments kept, eof as told.  With
 * a status other than NFS4_OK (0) only the status is written, and count must
 * be 0.  A segment's data may already stand at its final place in the buffer
 * (it is then left there); else it must not overlap the bytes to be written.
 *
 * OK: *size bytes were written.  READPLUS_ERR_NOSPACE: they are more than len.
 * READPLUS_ERR_INVAL: an unknown content, data longer than UINT32_MAX, data
 * NULL though not empty, data that overlaps, segments with a status.
 * READPLUS_ERR_LIMIT: more than UINT32_MAX segments. READPLUS_ERR_RANGE, GAP,
 * ORDER, OVERLAP: where a segment lies.  Failures write nothing; *fault, if
 * not NULL, then says which segment, and where in the item it would stand.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_res_encode(
    uint32_t status, bool eof, const struct readplus_segment *segments,
    size_t count, void *buffer, size_t len, size_t *size,
    struct readplus_fault *fault);

/*
 * Writes READ_PLUS4args, READPLUS_ARGS_SIZE bytes (section 15.10.1).  OK, or
 * READPLUS_ERR_NOSPACE where len is less; then nothing was written.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_args_encode(
    const struct readplus_args *args, void *buffer, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_ENCODE_H */
