/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nouns of READ_PLUS in memory: what a client asks for (READ_PLUS4args)
 * and one piece of the answer, a segment (read_plus_content), with the one
 * piece of arithmetic both sides need, clipping.
 */
#ifndef READPLUS_SEGMENT_H
#define READPLUS_SEGMENT_H

#include <readplus/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* data_content4 (RFC 7863).  NFSv4.2 has no other values. */
enum readplus_content { READPLUS_CONTENT_DATA = 0, READPLUS_CONTENT_HOLE = 1 };

/* stateid4 (RFC 7863): carried, never looked into. */
#define READPLUS_OTHER_SIZE 12

struct readplus_stateid {
    uint32_t seqid;
    uint8_t other[READPLUS_OTHER_SIZE];
};

/*
 * READ_PLUS4args (RFC 7862 section 15.10.1).  The stateid comes last so that
 * a caller with no use for it writes { offset, count }.
 */
struct readplus_args {
    uint64_t offset; /* rpa_offset, bytes; any value is valid */
    uint32_t count;  /* rpa_count, file bytes asked for; not a wire size */
    struct readplus_stateid stateid; /* rpa_stateid */
};

/*
 * One read_plus_content (RFC 7862 section 15.10.2).  offset and length are in
 * file bytes; their sum never exceeds 2^64 - 1.  data belongs to somebody
 * else: to the caller when encoding, to the received buffer when decoding,
 * and must stay there as long as the segment is used.  data is NULL for a
 * hole, for length 0, and where a decoder met bytes that are not in one piece.
 */
struct readplus_segment {
    enum readplus_content content;
    uint64_t offset;
    uint64_t length; /* of a data segment: at most UINT32_MAX */
    const uint8_t *data;
};

/*
 * A piece of a file without its bytes: what a source knows of a file, and what
 * a listing of its holes says.  In file bytes; offset + length is at most
 * 2^64 - 1.
 */
struct readplus_extent {
    enum readplus_content content;
    uint64_t offset, length;
};

/*
 * The end of the range asked for: offset + count, or UINT64_MAX where the sum
 * would not fit (spec: such a request reaches every possible end of file).
 */
/*@ requires \valid_read(args);
    assigns \nothing;
    ensures \result == \min(args->offset + args->count, UINT64_MAX); */
static inline uint64_t readplus_args_end(const struct readplus_args *args)
{
    return args->count > UINT64_MAX - args->offset ? UINT64_MAX
                                                   : args->offset + args->count;
}

/*
 * Cuts *segment, at both ends independently, to the part inside the range of
 * *args; data moves along.  A hole may legally begin before and end after the
 * request (section 15.10.3).  Returns true when something is left; false,
 * with length 0, data NULL and offset within the range, when nothing is.
 */
READPLUS_API bool readplus_segment_clip(struct readplus_segment *segment,
                                        const struct readplus_args *args);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_SEGMENT_H */
