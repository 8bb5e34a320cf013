/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoder that builds a reply piece by piece in one buffer: room for file
 * bytes is handed out first, the header before them is written when it is
 * known how many came.  It keeps both budgets and computes eof; it never reads
 * a file, and what it refuses leaves the reply so far as good as it was.
 */
#include <readplus/encode.h>

#include "budget.h"
#include "checked.h"
#include "rules.h"
#include "wire.h"

enum encoder_state { ENCODER_READY, ENCODER_OPEN, ENCODER_FINISHED };

/* Between calls: room for what the budget still allows, all of it counted, and
 * part of it promised to the element that is open. */
/*@ predicate roomy(struct readplus_encoder *e) =
        \valid(e) && 12 <= e->size &&
        e->size + e->budget.xdr_bytes <= SIZE_MAX &&
        \valid(e->buffer + (0 .. e->size + e->budget.xdr_bytes - 1)) &&
        \separated(e, e->buffer + (0 .. e->size + e->budget.xdr_bytes - 1));
    predicate counted(struct readplus_encoder *e) =
        e->start <= e->covered && e->start <= e->wanted &&
        e->count + e->budget.segments <= UINT32_MAX &&
        (e->count == 0 ==> e->covered == e->start) &&
        e->budget.file_bytes == e->wanted - \min(e->covered, e->wanted);
    predicate promised(struct readplus_encoder *e) =
        e->state == ENCODER_OPEN ==> e->budget.segments > 0 &&
        0 < e->granted <= e->budget.file_bytes &&
        data_size(e->granted) <= e->budget.xdr_bytes;
    predicate building(struct readplus_encoder *e) =
        roomy(e) && counted(e) && promised(e);
    logic boolean follows(struct readplus_encoder *e) =
        e->count == 0 || (e->limits.flags & READPLUS_LIMIT_LINUX) == 0 ||
        e->size - 12 <= \min(e->covered - e->start + 16, UINT64_MAX); */

/*@ requires \valid(encoder) && \valid_read(args) && \valid_read(limits);
    requires \separated(encoder, args, limits,
                        (uint8_t *)buffer + (0 .. len - 1));
    requires buffer == \null || \valid((uint8_t *)buffer + (0 .. len - 1));
    assigns *encoder;
    ensures \result == (buffer == \null ? READPLUS_ERR_INVAL :
        len < 12 || limits->maxcount < 8 ? READPLUS_ERR_NOSPACE : 0);
    ensures \result == 0 ==> building(encoder) && encoder->count == 0 &&
        encoder->state == ENCODER_READY && encoder->start == args->offset &&
        encoder->buffer == buffer && encoder->size == 12 &&
        encoder->file_size == file_size && encoder->limits == *limits; */
enum readplus_error readplus_encoder_init(struct readplus_encoder *encoder,
                                          const struct readplus_args *args,
                                          uint64_t file_size,
                                          const struct readplus_limits *limits,
                                          void *buffer, size_t len)
{
    struct readplus_budget budget;
    enum readplus_error error;

    if (buffer == NULL)
        return READPLUS_ERR_INVAL;
    if (len < READPLUS_RES_HEAD_SIZE)
        return READPLUS_ERR_NOSPACE;
    error = budget_init(&budget, args, limits);
    if (error != READPLUS_OK)
        return error;
    budget.xdr_bytes = min64(budget.xdr_bytes, len - READPLUS_RES_HEAD_SIZE);
    *encoder = (struct readplus_encoder){
        .buffer = buffer,
        .size = READPLUS_RES_HEAD_SIZE,
        .start = args->offset,
        .wanted = readplus_args_end(args),
        .file_size = file_size,
        .covered = args->offset,
        .before = args->offset,
        .limits = *limits,
        .budget = budget,
        .state = ENCODER_READY,
    };
    return READPLUS_OK;
}

/* Whether one more element may follow those that are there. */
/*@ requires building(encoder);
    assigns \nothing;
    ensures \result == (follows(encoder) ? 0 : READPLUS_ERR_NOSPACE); */
static enum readplus_error may_follow(const struct readplus_encoder *encoder)
{
    uint64_t wire = encoder->size - READPLUS_RES_HEAD_SIZE;

    if (encoder->count > 0 && (encoder->limits.flags & READPLUS_LIMIT_LINUX) &&
        !rules_linux_may_follow(wire, encoder->covered - encoder->start))
        return READPLUS_ERR_NOSPACE;
    return READPLUS_OK;
}

/* What of the hole [*lo, *hi) is told: the request's part, and as much of the
 * rest as policy, lock and file allow. */
/*@ logic integer cut_hi(struct readplus_encoder *e, integer hi) =
        \min(\min(hi, (e->limits.flags & READPLUS_LIMIT_WHOLE) != 0 ?
            \max(e->wanted, e->limits.hole_hi) : e->wanted), e->file_size);
    logic integer cut_lo(struct readplus_encoder *e, integer lo, integer hi) =
        \max(lo, (e->limits.flags & READPLUS_LIMIT_WHOLE) != 0 &&
            ((e->limits.flags & READPLUS_LIMIT_LINUX) == 0 ||
             cut_hi(e, hi) <= e->wanted) ?
            \min(e->start, e->limits.hole_lo) : e->start); */
/*@ requires \valid_read(encoder) && \valid(lo) && \valid(hi);
    requires \separated(encoder, lo, hi);
    assigns *lo, *hi;
    ensures *hi == cut_hi(encoder, \old(*hi));
    ensures *lo == cut_lo(encoder, \old(*lo), \old(*hi)); */
static void hole_cut(const struct readplus_encoder *encoder, uint64_t *lo,
                     uint64_t *hi)
{
    uint64_t first = encoder->start, last = encoder->wanted;

    if (encoder->limits.flags & READPLUS_LIMIT_WHOLE) {
        first = min64(first, encoder->limits.hole_lo);
        last = max64(last, encoder->limits.hole_hi);
    }
    *lo = max64(*lo, first);
    *hi = min64(min64(*hi, last), encoder->file_size);
    /* Linux takes a hole that overruns it on both sides for no bytes. */
    if ((encoder->limits.flags & READPLUS_LIMIT_LINUX) && *hi > encoder->wanted)
        *lo = max64(*lo, encoder->start);
}

/*@ logic integer inside(struct readplus_encoder *e, integer lo, integer hi) =
        \min(cut_hi(e, hi), e->wanted) - \max(cut_lo(e, lo, hi), e->start);
    logic integer placed(struct readplus_encoder *e, integer offset,
                         integer length) =
        offset + length > UINT64_MAX ? READPLUS_ERR_RANGE :
        e->count == 0 ? (offset > e->start ? READPLUS_ERR_LATE_START : 0) :
        offset == e->covered ? 0 : offset > e->covered ? READPLUS_ERR_GAP :
        offset < e->before ? READPLUS_ERR_ORDER : READPLUS_ERR_OVERLAP;
    logic integer hole_error(struct readplus_encoder *e, integer offset,
                             integer length) =
        e->state != ENCODER_READY ? READPLUS_ERR_STATE :
        (e->limits.flags & READPLUS_LIMIT_NO_HOLES) != 0 ? READPLUS_ERR_INVAL :
        placed(e, offset, length) != 0 ? placed(e, offset, length) :
        inside(e, offset, offset + length) <= 0 ? 0 :
        !follows(e) || e->budget.xdr_bytes < 20 ? READPLUS_ERR_NOSPACE :
        e->budget.segments == 0 ? READPLUS_ERR_LIMIT : 0; */

/*@ requires building(encoder);
    assigns *encoder, encoder->buffer[encoder->size .. encoder->size + 19];
    ensures building(encoder) && encoder->buffer == \old(encoder->buffer);
    ensures \result == \old(hole_error(encoder, offset, length));
    ensures \result != 0 || \old(inside(encoder, offset, offset + length)) <= 0
        ==> *encoder == \old(*encoder) && \forall integer k; 0 <= k < 20 ==>
        \let p = encoder->buffer + encoder->size; p[k] == \old(p[k]);
    ensures \result == 0 && \old(inside(encoder, offset, offset + length)) > 0
        ==> \let p = \old(encoder->buffer + encoder->size);
        encoder->size == \old(encoder->size) + 20 && be32(p) == 1 &&
        be64(p + 4) == \old(cut_lo(encoder, offset, offset + length)) &&
        be64(p + 4) + be64(p + 12) == \old(cut_hi(encoder, offset + length)) &&
        encoder->covered == be64(p + 4) + be64(p + 12) &&
        encoder->before == be64(p + 4); */
enum readplus_error readplus_encoder_hole(struct readplus_encoder *encoder,
                                          uint64_t offset, uint64_t length)
{
    uint64_t lo = offset, hi, inside_lo, inside_hi;
    enum readplus_error error;

    if (encoder->state != ENCODER_READY)
        return READPLUS_ERR_STATE;
    if (encoder->limits.flags & READPLUS_LIMIT_NO_HOLES)
        return READPLUS_ERR_INVAL;
    error = encoder->count == 0
                ? rules_first(offset, length, encoder->start)
                : rules_next(offset, length, encoder->covered, encoder->before);
    if (error != READPLUS_OK)
        return error;
    hi = offset + length;
    hole_cut(encoder, &lo, &hi);
    inside_lo = max64(lo, encoder->start);
    inside_hi = min64(hi, encoder->wanted);
    if (inside_lo >= inside_hi)
        return READPLUS_OK;
    error = may_follow(encoder);
    if (error == READPLUS_OK)
        error = budget_hole(&encoder->budget, inside_hi - inside_lo);
    if (error != READPLUS_OK)
        return error;
    wire_put_hole(encoder->buffer + encoder->size, lo, hi - lo);
    encoder->size += READPLUS_HOLE_SIZE;
    encoder->before = lo;
    encoder->covered = hi;
    encoder->count++;
    return READPLUS_OK;
}

/* Where a data element may begin: exactly where the last one ended, and never
 * before the request. */
/*@ requires \valid_read(encoder) && (encoder->count == 0 ==>
        encoder->covered == encoder->start);
    assigns \nothing;
    ensures \result == (offset == encoder->covered ? 0 :
        encoder->count == 0 && offset > encoder->start ?
            READPLUS_ERR_LATE_START :
        offset > encoder->covered ? READPLUS_ERR_GAP :
        offset < encoder->before ? READPLUS_ERR_ORDER : READPLUS_ERR_OVERLAP);
 */
static enum readplus_error data_placed(const struct readplus_encoder *encoder,
                                       uint64_t offset)
{
    if (offset == encoder->covered)
        return READPLUS_OK;
    if (encoder->count == 0 && offset > encoder->start)
        return READPLUS_ERR_LATE_START;
    return rules_misplaced(offset, encoder->covered, encoder->before);
}

/*@ logic integer data_want(struct readplus_encoder *e, integer want) =
        \max(0, \min(want, \min(e->wanted, e->file_size) - e->covered));
    logic integer data_error(struct readplus_encoder *e, integer offset,
                             integer want) =
        e->state != ENCODER_READY ? READPLUS_ERR_STATE :
        offset != e->covered ? (e->count == 0 && offset > e->start ?
            READPLUS_ERR_LATE_START : offset > e->covered ? READPLUS_ERR_GAP :
            offset < e->before ? READPLUS_ERR_ORDER : READPLUS_ERR_OVERLAP) :
        data_want(e, want) == 0 ? 0 :
        !follows(e) || e->budget.xdr_bytes < 20 ? READPLUS_ERR_NOSPACE :
        e->budget.segments == 0 ? READPLUS_ERR_LIMIT : 0; */

/*@ requires building(encoder) && \valid(destination) && \valid(granted);
    requires \separated(encoder, destination, granted);
    assigns encoder->state, encoder->granted, *destination, *granted;
    ensures building(encoder);
    ensures \result == \old(data_error(encoder, offset, want));
    ensures \result != 0 ==> *encoder == \old(*encoder) &&
        *destination == \old(*destination) && *granted == \old(*granted);
    ensures \result == 0 ==> *granted == encoder->granted &&
        \let most = \old(data_want(encoder, want));
        encoder->state == (most > 0 ? ENCODER_OPEN : ENCODER_READY) &&
        *destination ==
            encoder->buffer + encoder->size + (most > 0 ? 16 : 0) &&
        (most > 0 <==> *granted > 0) && *granted <= most &&
        (*granted == most || *granted == UINT32_MAX ||
         data_size(*granted + 1) > encoder->budget.xdr_bytes); */
enum readplus_error readplus_encoder_data_begin(
    struct readplus_encoder *encoder, uint64_t offset, uint64_t want,
    uint8_t **destination, uint32_t *granted)
{
    struct readplus_budget trial = encoder->budget;
    uint64_t end = min64(encoder->wanted, encoder->file_size);
    enum readplus_error error;
    uint32_t got;

    if (encoder->state != ENCODER_READY)
        return READPLUS_ERR_STATE;
    error = data_placed(encoder, offset);
    if (error != READPLUS_OK)
        return error;
    want = offset < end ? min64(want, end - offset) : 0;
    if (want > 0) {
        error = may_follow(encoder);
        if (error != READPLUS_OK)
            return error;
    }
    error = budget_data(&trial, want, &got);
    if (error != READPLUS_OK)
        return error;
    if (got > 0)
        encoder->state = ENCODER_OPEN;
    encoder->granted = got;
    *granted = got;
    *destination = encoder->buffer + encoder->size +
                   (got > 0 ? READPLUS_DATA_HEAD_SIZE : 0);
    return READPLUS_OK;
}

/*@ requires building(encoder);
    assigns *encoder, encoder->buffer[encoder->size .. encoder->size + 15],
        encoder->buffer[encoder->size + 16 + filled ..
                        encoder->size + data_size(filled) - 1];
    ensures roomy(encoder) && counted(encoder) && promised(encoder);
    ensures encoder->buffer == \old(encoder->buffer);
    ensures \result == (\old(encoder->state) != ENCODER_OPEN ?
        READPLUS_ERR_STATE :
        filled > \old(encoder->granted) ? READPLUS_ERR_INVAL : 0);
    ensures \result != 0 ==> *encoder == \old(*encoder);
    ensures \result != 0 || filled == 0 ==> \forall integer k;
        \let p = \old(encoder->buffer + encoder->size);
        0 <= k < data_size(filled) ==> p[k] == \old(p[k]);
    ensures \result == 0 ==> encoder->state == ENCODER_READY;
    ensures \result == 0 && filled == 0 ==>
        encoder->size == \old(encoder->size) &&
        encoder->covered == \old(encoder->covered) &&
        encoder->count == \old(encoder->count) &&
        encoder->budget == \old(encoder->budget);
    ensures \result == 0 && filled > 0 ==>
        \let p = \old(encoder->buffer + encoder->size);
        be32(p) == 0 && be64(p + 4) == \old(encoder->covered) &&
        be32(p + 12) == filled &&
        blank(p + 16 + filled, fill(filled)) &&
        encoder->size == \old(encoder->size) + data_size(filled) &&
        encoder->covered == \old(encoder->covered) + filled &&
        encoder->before == \old(encoder->covered) &&
        encoder->count == \old(encoder->count) + 1; */
enum readplus_error readplus_encoder_data_commit(
    struct readplus_encoder *encoder, uint32_t filled)
{
    uint8_t *p = encoder->buffer + encoder->size;
    uint32_t got;

    if (encoder->state != ENCODER_OPEN)
        return READPLUS_ERR_STATE;
    if (filled > encoder->granted)
        return READPLUS_ERR_INVAL;
    encoder->state = ENCODER_READY;
    if (filled == 0)
        return READPLUS_OK;
    /*@ assert fits: data_size(filled) <= encoder->budget.xdr_bytes; */
    /* No more than data_begin found room for: it fits, got is filled. */
    (void)budget_data(&encoder->budget, filled, &got);
    /*@ assert got == filled; */
    wire_put_data_head(p, encoder->covered, filled);
    wire_put_fill(p + READPLUS_DATA_HEAD_SIZE + filled, filled);
    encoder->size += (size_t)wire_data_size(filled);
    encoder->before = encoder->covered;
    encoder->covered += filled;
    encoder->count++;
    return READPLUS_OK;
}

/*@ requires building(encoder);
    assigns encoder->file_size;
    ensures building(encoder) && encoder->file_size == file_size; */
void readplus_encoder_set_file_size(struct readplus_encoder *encoder,
                                    uint64_t file_size)
{
    encoder->file_size = file_size;
}

/*@ requires \valid_read(encoder);
    assigns \nothing;
    ensures \result == encoder->covered; */
uint64_t readplus_encoder_next(const struct readplus_encoder *encoder)
{
    return encoder->covered;
}

/*@ requires building(encoder) && \valid(len);
    requires \separated(encoder, len, encoder->buffer + (0 .. 11));
    assigns encoder->state, *len, encoder->buffer[0 .. 11];
    ensures building(encoder);
    ensures \let reached = \min(encoder->covered, encoder->wanted);
        \result == (\old(encoder->state) != ENCODER_READY ? READPLUS_ERR_STATE :
            encoder->count > 0 && encoder->covered > encoder->file_size ?
            READPLUS_ERR_CHANGED :
            encoder->count == 0 && reached < encoder->file_size &&
            encoder->wanted > encoder->start ? READPLUS_ERR_NO_PROGRESS : 0);
    ensures \let p = encoder->buffer; \result == 0 ==> *len == encoder->size &&
        be32(p) == 0 && be32(p + 8) == encoder->count && be32(p + 4) ==
        (\min(encoder->covered, encoder->wanted) >= encoder->file_size ? 1 : 0);
    ensures \result != 0 ==> *len == \old(*len) &&
        encoder->state == \old(encoder->state) && \forall integer k;
        0 <= k < 12 ==> encoder->buffer[k] == \old(encoder->buffer[k]); */
enum readplus_error readplus_encoder_finish(struct readplus_encoder *encoder,
                                            size_t *len)
{
    uint64_t reached = min64(encoder->covered, encoder->wanted);
    bool eof = reached >= encoder->file_size;

    if (encoder->state != ENCODER_READY)
        return READPLUS_ERR_STATE;
    if (encoder->count > 0 && encoder->covered > encoder->file_size)
        return READPLUS_ERR_CHANGED;
    if (encoder->count == 0 && !eof && encoder->wanted > encoder->start)
        return READPLUS_ERR_NO_PROGRESS;
    wire_put_res_head(encoder->buffer, eof, encoder->count);
    encoder->state = ENCODER_FINISHED;
    *len = encoder->size;
    return READPLUS_OK;
}
