/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of spec'd sizes: parts, whole messages, what a session leaves
 * for a reply, presets and budgets.  Numbers in, numbers out; it never sees a
 * byte of a message.
 */
#include <readplus/size.h>

#include "budget.h"
#include "checked.h"
#include "wire.h"

/* COMPOUND4res: status, tag length, result count; the tag comes on top. */
#define COMPOUND_HEAD 12
/* An accepted reply: xid, REPLY, MSG_ACCEPTED, verifier flavor and length,
 * SUCCESS; the verifier's body comes on top (RFC 5531 section 9). */
#define RPC_HEAD 24

/*@ assigns \nothing;
    ensures \result == data_size(length); */
uint64_t readplus_data_size(uint32_t length)
{
    return wire_data_size(length);
}

/*@ assigns \nothing;
    ensures \result <= want;
    ensures \result == 0 || data_size(\result) <= room;
    ensures \result == \min(want, UINT32_MAX) ||
        data_size(\result + 1) > room; */
uint32_t readplus_data_fit(uint64_t room, uint64_t want)
{
    return wire_data_fit(room, want);
}

/* The elements [0, n) of a list, and their size. */
/*@ predicate sized(struct readplus_segment *s) =
        s->content == READPLUS_CONTENT_HOLE ||
        s->content == READPLUS_CONTENT_DATA && s->length <= UINT32_MAX;
    logic integer list_size(struct readplus_segment *s, integer n) =
        n <= 0 ? 0 : list_size(s, n - 1) +
        (s[n - 1].content == READPLUS_CONTENT_HOLE ? 20 :
         data_size(s[n - 1].length)); */

/*@ requires \valid(size) && \valid_read(segments + (0 .. count - 1));
    requires \separated(size, segments + (0 .. count - 1));
    assigns *size;
    ensures \result == 0 || \result == READPLUS_ERR_INVAL;
    ensures \result == 0 <==> count <= UINT32_MAX &&
        \forall integer k; 0 <= k < count ==> sized(segments + k);
    ensures *size == (\result != 0 ? \old(*size) :
        \min(12 + \old(list_size(segments, count)), UINT64_MAX)); */
enum readplus_error readplus_res_size(const struct readplus_segment *segments,
                                      size_t count, uint64_t *size)
{
    uint64_t sum = READPLUS_RES_HEAD_SIZE;
    size_t i;

    if (count > UINT32_MAX)
        return READPLUS_ERR_INVAL;
    /* 2^32 elements of at most 2^32 + 16 bytes may pass 2^64: saturate. */
    /*@ loop invariant 0 <= i <= count;
        loop invariant sum == \min(12 + list_size(segments, i), UINT64_MAX);
        loop invariant \forall integer k; 0 <= k < i ==> sized(segments + k);
        loop assigns i, sum;
        loop variant count - i; */
    for (i = 0; i < count; i++) {
        uint64_t part = READPLUS_HOLE_SIZE;

        if (segments[i].content == READPLUS_CONTENT_DATA) {
            if (segments[i].length > UINT32_MAX)
                return READPLUS_ERR_INVAL;
            part = wire_data_size((uint32_t)segments[i].length);
        } else if (segments[i].content != READPLUS_CONTENT_HOLE) {
            return READPLUS_ERR_INVAL;
        }
        sum = saturating_add64(sum, part);
    }
    *size = sum;
    return READPLUS_OK;
}

/*@ assigns \nothing;
    ensures \result == 12 + taglen + fill(taglen); */
uint64_t readplus_compound_size(uint32_t taglen)
{
    return COMPOUND_HEAD + (uint64_t)taglen + wire_pad(taglen);
}

/*@ assigns \nothing;
    ensures \result == 24 + verflen + fill(verflen); */
uint64_t readplus_rpc_size(uint32_t verflen)
{
    return RPC_HEAD + (uint64_t)verflen + wire_pad(verflen);
}

/*@ assigns \nothing;
    ensures \result == \min(UINT64_MAX, 24 + verflen + fill(verflen) + 12 +
        taglen + fill(taglen) + 44 + 8 + 4 + res_size); */
uint64_t readplus_message_size(uint32_t verflen, uint32_t taglen,
                               uint64_t res_size)
{
    uint64_t around = readplus_rpc_size(verflen) +
                      readplus_compound_size(taglen) +
                      READPLUS_SEQUENCE_RES_SIZE + READPLUS_PUTFH_RES_SIZE +
                      READPLUS_OPCODE_SIZE;

    return saturating_add64(around, res_size);
}

/* All beside the element that brings the data: holes, which may be empty. */
/*@ requires maxsegs > 0;
    assigns \nothing;
    ensures \result == 12 + 20 * (maxsegs - 1); */
static uint64_t reserve_other(uint32_t maxsegs)
{
    return READPLUS_RES_HEAD_SIZE +
           READPLUS_HOLE_SIZE * (uint64_t)(maxsegs - 1);
}

/*@ assigns \nothing;
    ensures \result == (maxsegs == 0 ? 12 + 20 * count :
        12 + 20 * (maxsegs - 1) + \max(data_size(count), 20)); */
uint64_t readplus_reserve_size(uint32_t count, uint32_t maxsegs)
{
    /* Nothing takes more for each byte than an element that brings one. */
    if (maxsegs == 0)
        return READPLUS_RES_HEAD_SIZE + READPLUS_HOLE_SIZE * (uint64_t)count;
    return reserve_other(maxsegs) +
           max64(wire_data_size(count), READPLUS_HOLE_SIZE);
}

uint32_t readplus_reserve_count(uint64_t res_size, uint32_t maxsegs)
{
    if (maxsegs > 0)
        return res_size < reserve_other(maxsegs)
                   ? 0
                   : wire_data_fit(res_size - reserve_other(maxsegs),
                                   UINT32_MAX);
    if (res_size < READPLUS_RES_HEAD_SIZE)
        return 0;
    return (uint32_t)min64(
        (res_size - READPLUS_RES_HEAD_SIZE) / READPLUS_HOLE_SIZE, UINT32_MAX);
}

/* What is left of `limit` for the opcode and the result. */
/*@ requires \valid_read(session);
    assigns \nothing;
    ensures \result == \max(0, limit - (session->encoded + session->reserved));
 */
static uint64_t session_left(const struct readplus_session *session,
                             uint64_t limit)
{
    uint64_t spent = saturating_add64(session->encoded, session->reserved);

    return limit > spent ? limit - spent : 0;
}

/*@ requires \valid_read(session) && \valid(maxcount);
    requires \separated(session, maxcount);
    assigns *maxcount;
    ensures \let left = \old((session->cachethis ?
            \min(session->ca_maxresponsesize,
                 session->ca_maxresponsesize_cached) :
            session->ca_maxresponsesize) - session->encoded -
            session->reserved);
        \result == (left >= 8 ? 0 : READPLUS_ERR_NOSPACE) &&
        *maxcount == (left >= 8 ? left - 8 : \old(*maxcount)); */
enum readplus_error readplus_session_maxcount(
    const struct readplus_session *session, uint32_t *maxcount)
{
    uint32_t limit = session->ca_maxresponsesize;
    uint64_t left;

    if (session->cachethis && session->ca_maxresponsesize_cached < limit)
        limit = session->ca_maxresponsesize_cached;
    left = session_left(session, limit);
    if (left < READPLUS_OPCODE_SIZE + READPLUS_STATUS_SIZE)
        return READPLUS_ERR_NOSPACE;
    *maxcount = (uint32_t)(left - READPLUS_OPCODE_SIZE - READPLUS_STATUS_SIZE);
    return READPLUS_OK;
}

uint32_t readplus_session_nfsstat(const struct readplus_session *session)
{
    uint64_t left = session_left(session, session->ca_maxresponsesize);
    uint64_t useful =
        READPLUS_OPCODE_SIZE + READPLUS_STATUS_SIZE + READPLUS_MAXCOUNT_MIN;

    return session->cachethis && left >= useful ? 10067u : 10066u;
}

void readplus_limits_init(struct readplus_limits *limits,
                          enum readplus_preset preset)
{
    *limits = (struct readplus_limits){
        .maxcount = UINT32_MAX, .minhole = 4096, .hole_hi = UINT64_MAX};
    switch (preset) {
    case READPLUS_PRESET_LINUX_CLIENT:
        limits->flags = READPLUS_LIMIT_LINUX;
        break;
    case READPLUS_PRESET_RDMA:
        limits->maxsegs = 2;
        break;
    case READPLUS_PRESET_SINGLE_DATA:
        limits->maxsegs = 1;
        limits->flags = READPLUS_LIMIT_NO_HOLES;
        break;
    case READPLUS_PRESET_SINGLE:
        limits->maxsegs = 1;
        limits->flags = READPLUS_LIMIT_ONE;
        break;
    case READPLUS_PRESET_DEFAULT:
        break;
    }
}

/* The three below: as in budget.h. */
enum readplus_error readplus_budget_init(struct readplus_budget *budget,
                                         const struct readplus_args *args,
                                         const struct readplus_limits *limits)
{
    return budget_init(budget, args, limits);
}

enum readplus_error readplus_budget_hole(struct readplus_budget *budget,
                                         uint64_t inside)
{
    return budget_hole(budget, inside);
}

enum readplus_error readplus_budget_data(struct readplus_budget *budget,
                                         uint64_t want, uint32_t *granted)
{
    return budget_data(budget, want, granted);
}
