/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing replies from a finished list of segments: as iovecs that refer to
 * the data, or copied into one buffer.  The list is judged by the decoder's
 * own rules, so that nothing is written that a strict decoder would refuse;
 * it is never clipped, merged or reordered.
 */
#include <readplus/encode.h>

#include "checked.h"
#include "rules.h"
#include "wire.h"

/* Where the list stands while it is walked. */
struct walk {
    uint64_t expected; /* offset the next segment must have */
    uint64_t before;   /* offset of the one before it */
};

/*@ requires count > 0 ==> \valid_read(segments);
    assigns \nothing;
    ensures \result.expected == \result.before ==
        (count > 0 ? segments->offset : 0); */
static struct walk walk_begin(const struct readplus_segment *segments,
                              size_t count)
{
    uint64_t first = count > 0 ? segments[0].offset : 0;

    return (struct walk){first, first};
}

/* One segment of the list: READPLUS_OK, and the walk goes on behind it. */
/*@ predicate sayable(struct readplus_segment *s) =
        s->content == READPLUS_CONTENT_HOLE ||
        s->content == READPLUS_CONTENT_DATA && s->length <= UINT32_MAX &&
        (s->length == 0 || s->data != \null); */
/*@ requires \valid(walk) && \valid_read(s) && \separated(walk, s);
    assigns *walk;
    ensures \result == READPLUS_ERR_INVAL <==> !sayable(s);
    ensures \let old = \old(*walk); sayable(s) ==> \result ==
        (s->offset + s->length > UINT64_MAX ? READPLUS_ERR_RANGE :
         s->offset == old.expected ? 0 :
         s->offset > old.expected ? READPLUS_ERR_GAP :
         s->offset < old.before ? READPLUS_ERR_ORDER : READPLUS_ERR_OVERLAP);
    ensures \result != 0 ==> *walk == \old(*walk);
    ensures \result == 0 ==> walk->before == s->offset &&
        walk->expected == s->offset + s->length; */
static inline enum readplus_error walk_on(struct walk *walk,
                                          const struct readplus_segment *s)
{
    enum readplus_error error;

    if (s->content == READPLUS_CONTENT_DATA) {
        if (s->length > UINT32_MAX || (s->data == NULL && s->length > 0))
            return READPLUS_ERR_INVAL;
    } else if (s->content != READPLUS_CONTENT_HOLE) {
        return READPLUS_ERR_INVAL;
    }
    error = rules_next(s->offset, s->length, walk->expected, walk->before);
    if (error != READPLUS_OK)
        return error;
    walk->before = s->offset;
    walk->expected = s->offset + s->length;
    return READPLUS_OK;
}

/* Why segment i, which should begin at `expected`, may not stand there. */
static enum readplus_error walk_why(const struct readplus_segment *segments,
                                    size_t i, uint64_t expected)
{
    struct walk walk = {expected, i > 0 ? segments[i - 1].offset : expected};

    return walk_on(&walk, &segments[i]);
}

/* Room for `count` segments, whatever they are. */
/*@ assigns \nothing;
    ensures \result == (count > UINT32_MAX ? READPLUS_ERR_LIMIT :
        scratch_len < 12 + 20 * count ? READPLUS_ERR_NOSPACE :
        capacity < 2 * count + 1 ? READPLUS_ERR_LIMIT : 0); */
static enum readplus_error iov_room(size_t count, size_t scratch_len,
                                    size_t capacity)
{
    if (count > UINT32_MAX)
        return READPLUS_ERR_LIMIT;
    /* READPLUS_IOV_SCRATCH and _ENTRIES, which wrap where size_t is short. */
    if (scratch_len <
        READPLUS_RES_HEAD_SIZE + READPLUS_HOLE_SIZE * (uint64_t)count)
        return READPLUS_ERR_NOSPACE;
    if (capacity < 2 * (uint64_t)count + 1)
        return READPLUS_ERR_LIMIT;
    return READPLUS_OK;
}

/* Headers that wait in scratch for their iovec: [run, p). */
struct iov_state {
    uint8_t *p, *run;
    struct iovec *next;
    uint64_t data; /* bytes referred to */
};

static inline void iov_data(struct iov_state *to, const uint8_t *data,
                            uint64_t length)
{
    to->next[0] = (struct iovec){to->run, (size_t)(to->p - to->run)};
    to->next[1] = (struct iovec){(void *)(uintptr_t)data, (size_t)length};
    to->next += 2;
    to->data += length;
    to->run = to->p;
    if ((length & 3) != 0) {
        wire_store32(to->p, 0); /* a head leaves 4 of its 20 bytes */
        to->p += wire_pad(length);
    }
}

/* One data segment behind the result's head; entries are counted. */
static inline size_t iov_one_data(const struct readplus_segment *s,
                                  uint8_t *head, struct iovec *iov)
{
    uint8_t *p = head + READPLUS_RES_HEAD_SIZE;
    size_t length = (size_t)s->length;

    wire_put_data_head(p, s->offset, (uint32_t)length);
    p += READPLUS_DATA_HEAD_SIZE;
    iov[0] = (struct iovec){head, (size_t)(p - head)};
    if (length == 0)
        return 1;
    iov[1] = (struct iovec){(void *)(uintptr_t)s->data, length};
    if ((length & 3) == 0)
        return 2;
    wire_store32(p, 0);
    iov[2] = (struct iovec){p, wire_pad(length)};
    return 3;
}

/*
 * A reply of one segment, as most are: what the loop below does, in so few
 * registers that none has to be saved.
 */
static __attribute__((noinline)) enum readplus_error iov_one(
    bool eof, const struct readplus_segment *s, uint8_t *head,
    struct iovec *iov, size_t *entries, uint64_t *size)
{
    const size_t hole = READPLUS_RES_HEAD_SIZE + READPLUS_HOLE_SIZE;
    struct walk walk = walk_begin(s, 1);
    enum readplus_error error = walk_on(&walk, s);

    if (error != READPLUS_OK)
        return error;
    wire_put_res_head(head, eof, 1);
    if (s->content == READPLUS_CONTENT_DATA) {
        *size = READPLUS_RES_HEAD_SIZE + wire_data_size((uint32_t)s->length);
        *entries = iov_one_data(s, head, iov);
        return READPLUS_OK;
    }
    wire_put_hole(head + READPLUS_RES_HEAD_SIZE, s->offset, s->length);
    iov[0] = (struct iovec){head, hole};
    *size = hole;
    *entries = 1;
    return READPLUS_OK;
}

enum readplus_error readplus_encode_iov(bool eof,
                                        const struct readplus_segment *segments,
                                        size_t count, void *scratch,
                                        size_t scratch_len, struct iovec *iov,
                                        size_t capacity, size_t *entries,
                                        uint64_t *size)
{
    enum readplus_error error = iov_room(count, scratch_len, capacity);
    uint64_t expected = count > 0 ? segments[0].offset : 0, end;
    struct iov_state to = {.p = scratch, .run = scratch, .next = iov};
    const struct readplus_segment *s = segments, *stop = segments;

    if (error != READPLUS_OK)
        return error;
    if (count == 1)
        return iov_one(eof, segments, scratch, iov, entries, size);
    if (count > 0) /* segments may be NULL */
        stop += count;
    wire_put_res_head(to.p, eof, (uint32_t)count);
    to.p += READPLUS_RES_HEAD_SIZE;
    /* walk_on's judgement, in the form that costs least; it names faults. */
    for (; s < stop; s++, expected = end) {
        uint64_t offset = s->offset, length = s->length;

        if (offset != expected || !checked_add64(offset, length, &end))
            break;
        if (s->content == READPLUS_CONTENT_HOLE) {
            wire_put_hole(to.p, offset, length);
            to.p += READPLUS_HOLE_SIZE;
            continue;
        }
        if (s->content != READPLUS_CONTENT_DATA || length > UINT32_MAX ||
            (s->data == NULL && length > 0))
            break;
        wire_put_data_head(to.p, offset, (uint32_t)length);
        to.p += READPLUS_DATA_HEAD_SIZE;
        if (length > 0)
            iov_data(&to, s->data, length);
    }
    if (s < stop)
        return walk_why(segments, (size_t)(s - segments), expected);
    if (to.p > to.run)
        *to.next++ = (struct iovec){to.run, (size_t)(to.p - to.run)};
    *entries = (size_t)(to.next - iov);
    *size = saturating_add64(to.data, (uint64_t)(to.p - (uint8_t *)scratch));
    return READPLUS_OK;
}

/*
 * The size of the item, or the first segment that may not stand in it.  *near:
 * whether data of any segment is in buffer[0, len), which needs a closer look.
 */
static enum readplus_error res_check(const struct readplus_segment *segments,
                                     size_t count, const uint8_t *buffer,
                                     size_t len, uint64_t *size, bool *near,
                                     struct readplus_fault *fault)
{
    uintptr_t lo = (uintptr_t)buffer, hi = lo + len;
    struct walk walk = walk_begin(segments, count);
    uint64_t at = READPLUS_RES_HEAD_SIZE;
    size_t i;

    for (i = 0; i < count; i++) {
        const struct readplus_segment *s = &segments[i];
        uint64_t part = READPLUS_HOLE_SIZE;
        enum readplus_error error = walk_on(&walk, s);

        if (error == READPLUS_OK && s->content == READPLUS_CONTENT_DATA) {
            uintptr_t data = (uintptr_t)s->data;

            part = wire_data_size((uint32_t)s->length);
            if (s->length > 0 && data < hi && data + s->length > lo)
                *near = true;
        }
        if (error != READPLUS_OK) {
            if (readplus_error_is_rfc(error))
                at += WIRE_OFFSET_AT;
            *fault = (struct readplus_fault){error, (uint32_t)i, at};
            return error;
        }
        at = saturating_add64(at, part); /* then more than any buffer */
    }
    *size = at;
    return READPLUS_OK;
}

/*
 * Data may stand at its final place already, or clear of the item; anything
 * between would be overwritten before it is read.
 */
static enum readplus_error res_overlap(const struct readplus_segment *segments,
                                       size_t count, const uint8_t *buffer,
                                       size_t size,
                                       struct readplus_fault *fault)
{
    uintptr_t lo = (uintptr_t)buffer, hi = lo + size;
    size_t i, at = READPLUS_RES_HEAD_SIZE;

    for (i = 0; i < count; i++) {
        const struct readplus_segment *s = &segments[i];
        uintptr_t data = (uintptr_t)s->data;

        if (s->content == READPLUS_CONTENT_HOLE) {
            at += READPLUS_HOLE_SIZE;
            continue;
        }
        if (s->length > 0 && data < hi && data + s->length > lo &&
            data != lo + at + READPLUS_DATA_HEAD_SIZE) {
            *fault =
                (struct readplus_fault){READPLUS_ERR_INVAL, (uint32_t)i, at};
            return READPLUS_ERR_INVAL;
        }
        at += (size_t)wire_data_size((uint32_t)s->length);
    }
    return READPLUS_OK;
}

static void res_write(bool eof, const struct readplus_segment *segments,
                      size_t count, uint8_t *p)
{
    size_t i;

    wire_put_res_head(p, eof, (uint32_t)count);
    p += READPLUS_RES_HEAD_SIZE;
    for (i = 0; i < count; i++) {
        const struct readplus_segment *s = &segments[i];
        size_t length = (size_t)s->length;

        if (s->content == READPLUS_CONTENT_HOLE) {
            wire_put_hole(p, s->offset, s->length);
            p += READPLUS_HOLE_SIZE;
            continue;
        }
        wire_put_data_head(p, s->offset, (uint32_t)length);
        p += READPLUS_DATA_HEAD_SIZE;
        if (length > 0 && s->data != p)
            memcpy(p, s->data, length);
        p += length;
        if ((length & 3) != 0) { /* a call less where there is no fill */
            memset(p, 0, wire_pad(length));
            p += wire_pad(length);
        }
    }
}

/*@ requires \valid(buffer + (0 .. len - 1)) && \valid(size) && \valid(fault);
    requires \separated(size, fault, buffer + (0 .. 3));
    assigns *size, *fault, buffer[0 .. 3];
    ensures \result == (count > 0 ? READPLUS_ERR_INVAL :
        len < 4 ? READPLUS_ERR_NOSPACE : 0);
    ensures \result == 0 ==> be32(buffer) == status && *size == 4 &&
        *fault == \old(*fault);
    ensures \result != 0 ==> *size == \old(*size) && \forall integer k;
        0 <= k < 4 ==> buffer[k] == \old(buffer[k]); */
static enum readplus_error status_encode(uint32_t status, size_t count,
                                         uint8_t *buffer, size_t len,
                                         size_t *size,
                                         struct readplus_fault *fault)
{
    enum readplus_error error = READPLUS_OK;

    if (count > 0)
        error = READPLUS_ERR_INVAL;
    else if (len < READPLUS_STATUS_SIZE)
        error = READPLUS_ERR_NOSPACE;
    if (error != READPLUS_OK) {
        *fault = (struct readplus_fault){error, READPLUS_NO_SEGMENT, 0};
        return error;
    }
    wire_store32(buffer, status);
    *size = READPLUS_STATUS_SIZE;
    return READPLUS_OK;
}

enum readplus_error readplus_res_encode(uint32_t status, bool eof,
                                        const struct readplus_segment *segments,
                                        size_t count, void *buffer, size_t len,
                                        size_t *size,
                                        struct readplus_fault *fault)
{
    struct readplus_fault ignored;
    enum readplus_error error;
    bool near = false;
    uint64_t need;

    if (fault == NULL)
        fault = &ignored;
    *fault = (struct readplus_fault){READPLUS_OK, READPLUS_NO_SEGMENT, 0};
    if (status != 0)
        return status_encode(status, count, buffer, len, size, fault);
    if (count > UINT32_MAX) {
        fault->error = READPLUS_ERR_LIMIT;
        return READPLUS_ERR_LIMIT;
    }
    error = res_check(segments, count, buffer, len, &need, &near, fault);
    if (error != READPLUS_OK)
        return error;
    if (need > len) {
        fault->error = READPLUS_ERR_NOSPACE;
        return READPLUS_ERR_NOSPACE;
    }
    if (near)
        error = res_overlap(segments, count, buffer, (size_t)need, fault);
    if (error != READPLUS_OK)
        return error;
    res_write(eof, segments, count, buffer);
    *size = (size_t)need;
    return READPLUS_OK;
}
