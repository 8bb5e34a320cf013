/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a planner's extents come from: a table a server has of its own, a
 * descriptor of a file, or a server's read that can answer "no data here, this
 * far".
 *
 * None of them ever calls data a hole, whatever writers do meanwhile: a hole
 * is what this very request was told by the file system, or the bytes it just
 * read.  What is a hole may be called data; that is legal and costs bytes only.
 *
 * All objects are the caller's, one for each request; any number of threads
 * may use the same descriptor at once, for no file position is moved that
 * anything here relies on.
 */
#ifndef READPLUS_SOURCE_H
#define READPLUS_SOURCE_H

#include <stddef.h>

#include <readplus/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a table of extents -------------------------------------------------- */

/* All fields are private. */
struct readplus_table {
    const struct readplus_extent *extents;
    size_t count;
    uint64_t file_size;
    size_t last;
};

/*
 * A file of file_size bytes whose data lies in extents[0, count), ascending
 * and apart; what lies in none of them is hole, and so is an entry that says
 * so itself.  Empty entries are allowed; what lies past the end of the file
 * is ignored.  Holes are told from end to end, so READPLUS_LIMIT_WHOLE reaches
 * both ways.  The array is borrowed; *source uses *table.
 *
 * OK. READPLUS_ERR_INVAL: an unknown content, or extents NULL though count is
 * not 0; READPLUS_ERR_RANGE, ORDER, OVERLAP: where an entry lies.  *table and
 * *source change on OK only.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_table_init(
    struct readplus_table *table, const struct readplus_extent *extents,
    size_t count, uint64_t file_size, struct readplus_source *source);

/* ---- bytes that were read ------------------------------------------------ */

/* A stretch of the file in memory, and the run found there last.  Private. */
struct readplus_image {
    uint8_t *bytes;
    uint64_t room;
    uint64_t offset; /* in the file, of bytes[0] */
    uint64_t length;
    uint64_t run, run_end; /* in the file */
    bool run_zero;
    bool run_open;  /* it may go on where more is read */
    uint32_t unit;  /* blocks of so many bytes are tested for zeros */
    uint32_t round; /* the planner rounds to multiples of it */
};

/* ---- a descriptor -------------------------------------------------------- */

/* What fstat() and the bytes said of a file.  Private. */
struct readplus_seen {
    uint64_t device, inode, size;
    int64_t ctime_sec, ctime_nsec;
    uint64_t next; /* where reading should be tried before a look-up */
    uint64_t data, data_end; /* a look-up found no hole in between */
    uint64_t debt; /* bytes that SEEK_HOLE walked, and no request asked for */
    uint64_t flags;
};

/*
 * What one request tells the next about the same open file: its size, and
 * where a look-up is not worth its time.  Zero it when the file is opened.
 * Any number of threads may share it, without a lock.  It saves a system call
 * or two, and never changes what an answer says: what rests on it is proved
 * anew, by an fstat() after the last read, and answered again without the
 * hint where it was wrong.  All fields are private.
 */
struct readplus_hint {
    uint32_t turn;
    uintptr_t words[sizeof(struct readplus_seen) / sizeof(uintptr_t)];
};

/* All fields are private. */
struct readplus_fd_source {
    struct readplus_image image;
    struct readplus_hint *hint;
    struct readplus_seen seen; /* before the first look-up and read */
    uint64_t wanted;           /* the request's end */
    uint64_t end;              /* of what is asked for and exists */
    uint64_t least;            /* the file was at least so long just now, and
                                  its last byte data */
    int fd;
    uint32_t flags;
    uint32_t looks; /* that may still be made */
    bool hinted;    /* `seen` is the hint's */
    bool seek;      /* a look-up is worth its time */
    bool past;      /* "no data from here on" was believed */
};

/*
 * The file behind fd, for one request.  By default (`scan`) the bytes are
 * read into buffer[0, len) and aligned blocks of limits->minhole bytes that
 * are all zero are holes; at most one SEEK_DATA (none where the file looks
 * dense, the request is short, or *hint advises against it) finds a hole at
 * the beginning, which is then not read.  With READPLUS_LIMIT_EXACT such
 * blocks are holes only where SEEK_DATA says so: one call for each run of
 * zeros, none where *hint knows of data.  Where the run begins with zeros that
 * are stored, SEEK_HOLE tells how many, bounded as below: without a hint it is
 * not called, and a hole behind them in the same run is data too.  With
 * READPLUS_LIMIT_WHOLE holes reach forward beyond the request, as one more
 * SEEK_DATA tells.
 *
 * Where the buffer is shorter than the range, the source ends where the buffer
 * does.  limits are those of the plan; hint may be NULL; fd, hint and buffer
 * are borrowed, *source uses *fd_source.
 *
 * OK. READPLUS_ERR_ISDIR, SYMLINK, WRONG_TYPE: fd is no regular file;
 * READPLUS_ERR_INVAL: it is no descriptor; READPLUS_ERR_IO.  The source itself
 * answers READPLUS_ERR_ACCESS where fd may not be read, READPLUS_ERR_IO.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_fd_source_init(
    struct readplus_fd_source *fd_source, int fd,
    const struct readplus_args *args, const struct readplus_limits *limits,
    struct readplus_hint *hint, void *buffer, size_t len,
    struct readplus_source *source);

/*
 * The same by look-ups alone, for those who send the bytes without reading
 * them: SEEK_DATA and SEEK_HOLE tell extents, as under READPLUS_LIMIT_EXACT,
 * and data is never looked at.  The cost is bounded: by a number of look-ups
 * that grows with the request (one for 64 KiB, and eight), and, as SEEK_HOLE
 * walks all extents up to the next hole, by *hint, which remembers where that
 * is, and how far the walks went: no further than 64 MiB and one walk beyond
 * what requests have asked for.  Where SEEK_HOLE may not be called, as without
 * a hint, what follows the first data is data.  Errors as above;
 * readplus_fd_source_data answers NULL.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error
readplus_fd_source_init_look(struct readplus_fd_source *fd_source, int fd,
                             const struct readplus_args *args,
                             const struct readplus_limits *limits,
                             struct readplus_hint *hint,
                             struct readplus_source *source);

/* The size of the file, in bytes, as it was found first: for the plan. */
READPLUS_API uint64_t
readplus_fd_source_size(const struct readplus_fd_source *fd_source);

/*
 * Asks for the size once more, after the last look-up and read: give it to
 * readplus_plan_resize.  (Where a look-up just found data behind the request,
 * *file_size is the least the file can have then; that decides the same.)
 *
 * OK. READPLUS_ERR_CHANGED: the file was changed in a way that makes a look-up
 * unsure, or the hint was wrong; begin anew, without the hint, and with `look`
 * false in readplus_fd_source_look.  READPLUS_ERR_ISDIR, SYMLINK, WRONG_TYPE,
 * IO.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error readplus_fd_source_settle(
    struct readplus_fd_source *fd_source, uint64_t *file_size);

/* Whether SEEK_DATA may be used to find holes that need not be read. */
READPLUS_API void readplus_fd_source_look(struct readplus_fd_source *fd_source,
                                          bool look);

/*
 * Where the bytes of a planned data segment are: in the buffer of
 * readplus_fd_source_init.  NULL where they are not.
 */
READPLUS_API const uint8_t *readplus_fd_source_data(
    const struct readplus_fd_source *fd_source, uint64_t offset,
    uint64_t length);

/* ---- a server's own read ------------------------------------------------- */

/*
 * How a server with a file system of its own reads one file.
 *
 * read() says what lies at `offset`, for at most len > 0 bytes:
 *   READPLUS_OK, *got > 0    so many bytes of data are now in the buffer
 *   READPLUS_OK, *got 0      no data here, for *hole > 0 bytes (which may reach
 *                            beyond len): all of them read as zeros
 *   READPLUS_END             the end of the file
 *   an error                 what was read before it stays good
 * *got and *hole are 0 before the call.  size() gives the file's size; it is
 * asked first and last.
 */
struct readplus_reader {
    enum readplus_error (*read)(void *context, uint64_t offset, void *buffer,
                                size_t len, size_t *got, uint64_t *hole);
    enum readplus_error (*size)(void *context, uint64_t *file_size);
    void *context;
};

/* All fields are private. */
struct readplus_reader_source {
    struct readplus_image image;
    struct readplus_reader reader;
    uint64_t end; /* of what is asked for and exists */
    uint64_t file_size;
    uint32_t flags;
};

/*
 * The file behind *reader (copied), for one request.  Data goes to buffer[0,
 * len); blocks of zeros in it become holes too, but under
 * READPLUS_LIMIT_EXACT.  Holes at the beginning take no room in the buffer.
 * Where the buffer is shorter than the rest, the source ends there.
 *
 * OK, or what size() answered.  The source answers READPLUS_ERR_SOURCE where
 * read() breaks the rules above, as with a hole of no length.
 */
READPLUS_MUST_CHECK READPLUS_API enum readplus_error
readplus_reader_source_init(struct readplus_reader_source *reader_source,
                            const struct readplus_reader *reader,
                            const struct readplus_args *args,
                            const struct readplus_limits *limits, void *buffer,
                            size_t len, struct readplus_source *source);

/* The size of the file, in bytes, as it was told first: for the plan. */
READPLUS_API uint64_t
readplus_reader_source_size(const struct readplus_reader_source *reader_source);

/* Where the bytes of a planned data segment are; NULL where they are not. */
READPLUS_API const uint8_t *readplus_reader_source_data(
    const struct readplus_reader_source *reader_source, uint64_t offset,
    uint64_t length);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_SOURCE_H */
