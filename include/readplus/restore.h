/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replies into a file, holes kept: data is written where it belongs, a hole is
 * not written at all where the file is known to be zero there, and punched (or,
 * where the file system cannot, overwritten with zeros) where it is not.  The
 * file gets its size at the end.  An edge: system calls on the descriptor, and
 * nothing else; when to fsync and what to rename stays with the caller.
 *
 *     readplus_restore_init(&restore, fd, 0);
 *     per reply:  readplus_restore_reply(&restore, &decoder, &result);
 *                 the next request begins at its offset + result.bytes
 *     at the end: readplus_restore_finish(&restore, size);
 *
 * Who receives with readplus/stream.h in event mode gives each event's segment
 * to readplus_restore_segment.
 */
#ifndef READPLUS_RESTORE_H
#define READPLUS_RESTORE_H

#include <readplus/scatter.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Data that is all zeros is treated as a hole too, in blocks of
 * READPLUS_RESTORE_BLOCK bytes at multiples of it in the file.
 */
#define READPLUS_RESTORE_SPARSE 0x1u
/*
 * Holes count inside the request only.  Without it they count as far as the
 * server says that they reach (RFC 7862 section 15.10.3), which saves the
 * requests for the rest; it holds until the file's change attribute moves.
 */
#define READPLUS_RESTORE_CLIP 0x2u

#define READPLUS_RESTORE_BLOCK 4096

/* What was just done: data written, or a hole made sure of. */
typedef void readplus_restore_progress(void *context,
                                       const struct readplus_extent *done);

/*
 * All fields are private; on the caller's stack.  One object belongs to one
 * thread; several may work on one descriptor at once if no byte is theirs
 * together.
 */
struct readplus_restore {
    int fd;
    int error; /* errno of the failure */
    uint32_t flags;
    bool no_punch;                 /* the file system cannot */
    uint64_t dirty;                /* from here on the file reads as zeros */
    uint64_t hole_begin, hole_end; /* the last run of holes */
    uint64_t next;
    readplus_restore_progress *progress;
    void *context;
};

/*
 * Begins to restore into the regular file `fd`, which must be open for
 * writing, and stays the caller's.  It may have any content; if it is empty
 * no hole ever costs a system call.
 *
 * OK. READPLUS_ERR_INVAL: an unknown flag, or fd is open with O_APPEND, under
 * which Linux appends whatever the offset.  READPLUS_ERR_ACCESS: not open for
 * writing. READPLUS_ERR_ISDIR, READPLUS_ERR_WRONG_TYPE: no regular file.
 * READPLUS_ERR_IO: see readplus_restore_errno.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_restore_init(
    struct readplus_restore *restore, int fd, uint32_t flags);

/* Calls progress(context, ...) after each piece that was done; NULL: no more. */
READPLUS_API void readplus_restore_set_progress(
    struct readplus_restore *restore, readplus_restore_progress *progress,
    void *context);

/*
 * Restores all remaining segments of the decoder, which must have been given
 * the request's arguments and not have handed out a segment yet.
 *
 * As with readplus_scatter, *result says what came of it; but result->bytes
 * may exceed the request's count, by what a hole reaches further, and
 * result->eof is made false by clipping at the end of the request only.  Where
 * a hole reaches past the request, eof does not say how long the file is.
 *
 * OK, and a decoder's errors: as for readplus_scatter.  READPLUS_ERR_IO: the
 * file could not be written, see readplus_restore_errno; result->bytes counts
 * the segments done before, and what comes behind them is unspecified.  The
 * same reply, or the same request, may be tried again.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_restore_reply(
    struct readplus_restore *restore, struct readplus_decoder *decoder,
    struct readplus_result *result);

/*
 * Restores one segment, or the bytes of one that have arrived, clipped to
 * *args as above; with args NULL not at all.  OK, also where nothing is left
 * of it. READPLUS_ERR_INVAL: data is NULL though not empty. READPLUS_ERR_IO.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_restore_segment(
    struct readplus_restore *restore, const struct readplus_args *args,
    const struct readplus_segment *segment);

/* One past the last byte of the segment restored last, or 0. */
READPLUS_API uint64_t
readplus_restore_next(const struct readplus_restore *restore);

/*
 * Gives the file its size, bytes: that of the attributes, or where those are
 * not known the end of the last segment of a reply with eof.  OK, or
 * READPLUS_ERR_IO.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_restore_finish(
    struct readplus_restore *restore, uint64_t size);

/*
 * The errno behind the last READPLUS_ERR_IO: ENOSPC, EDQUOT, EFBIG, EIO and
 * the like; 0 where there was none.
 */
READPLUS_API int readplus_restore_errno(const struct readplus_restore *restore);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_RESTORE_H */
