/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spending a reply's budgets.  Inline, because encoder and planner do it for
 * each element; size.c exports the same functions.  A call that refuses
 * changes nothing.
 */
#ifndef READPLUS_LIB_BUDGET_H
#define READPLUS_LIB_BUDGET_H

#include <readplus/size.h>

#include "wire.h"

/*@ requires \valid(budget) && \valid_read(args) && \valid_read(limits);
    requires \separated(budget, args, limits);
    assigns *budget;
    ensures \result == (limits->maxcount >= 8 ? 0 : READPLUS_ERR_NOSPACE);
    ensures \result != 0 ==> *budget == \old(*budget);
    ensures \result == 0 ==> budget->xdr_bytes ==
        ((limits->flags & READPLUS_LIMIT_LINUX) == 0 ? limits->maxcount - 8 :
         \min(limits->maxcount - 8, data_size(args->count)));
    ensures \result == 0 ==> budget->file_bytes ==
        \min(args->count, UINT64_MAX - args->offset);
    ensures \result == 0 ==> budget->segments ==
        (limits->maxsegs == 0 ? UINT32_MAX : limits->maxsegs); */
static inline enum readplus_error budget_init(
    struct readplus_budget *budget, const struct readplus_args *args,
    const struct readplus_limits *limits)
{
    uint64_t xdr = limits->maxcount;

    if (xdr < READPLUS_BODY_HEAD_SIZE)
        return READPLUS_ERR_NOSPACE;
    xdr -= READPLUS_BODY_HEAD_SIZE;
    if (limits->flags & READPLUS_LIMIT_LINUX) {
        /* Its reply room: one data header and the bytes it asked for. */
        uint64_t room = wire_data_size(args->count);

        if (xdr > room)
            xdr = room;
    }
    budget->xdr_bytes = xdr;
    budget->file_bytes = readplus_args_end(args) - args->offset;
    budget->segments = limits->maxsegs != 0 ? limits->maxsegs : UINT32_MAX;
    return READPLUS_OK;
}

/*@ requires \valid(budget);
    assigns *budget;
    ensures \result == (inside > \old(budget->file_bytes) ? READPLUS_ERR_INVAL :
        \old(budget->xdr_bytes) < 20 ? READPLUS_ERR_NOSPACE :
        \old(budget->segments) == 0 ? READPLUS_ERR_LIMIT : 0);
    ensures \result != 0 ==> *budget == \old(*budget);
    ensures \result == 0 ==>
        budget->file_bytes == \old(budget->file_bytes) - inside &&
        budget->xdr_bytes == \old(budget->xdr_bytes) - 20 &&
        budget->segments == \old(budget->segments) - 1; */
static inline enum readplus_error budget_hole(struct readplus_budget *budget,
                                              uint64_t inside)
{
    if (inside > budget->file_bytes)
        return READPLUS_ERR_INVAL;
    if (budget->xdr_bytes < READPLUS_HOLE_SIZE)
        return READPLUS_ERR_NOSPACE;
    if (budget->segments == 0)
        return READPLUS_ERR_LIMIT;
    budget->xdr_bytes -= READPLUS_HOLE_SIZE;
    budget->file_bytes -= inside;
    budget->segments--;
    return READPLUS_OK;
}

/*@ requires \valid(budget) && \valid(granted) && \separated(budget, granted);
    assigns *budget, *granted;
    ensures \result == (\min(want, \old(budget->file_bytes)) == 0 ? 0 :
        \old(budget->xdr_bytes) < 20 ? READPLUS_ERR_NOSPACE :
        \old(budget->segments) == 0 ? READPLUS_ERR_LIMIT : 0);
    ensures \result != 0 || *granted == 0 ==> *budget == \old(*budget);
    ensures \result != 0 ==> *granted == \old(*granted);
    ensures \result == 0 ==>
        *granted <= \min(want, \old(budget->file_bytes)) &&
        (*granted == 0 ==> \min(want, \old(budget->file_bytes)) == 0) &&
        (*granted == \min(want, \old(budget->file_bytes)) ||
         *granted == UINT32_MAX ||
         data_size(*granted + 1) > \old(budget->xdr_bytes));
    ensures \result == 0 && *granted > 0 ==>
        budget->file_bytes == \old(budget->file_bytes) - *granted &&
        budget->xdr_bytes == \old(budget->xdr_bytes) - data_size(*granted) &&
        budget->segments == \old(budget->segments) - 1; */
static inline enum readplus_error budget_data(struct readplus_budget *budget,
                                              uint64_t want, uint32_t *granted)
{
    uint32_t fit;

    if (want > budget->file_bytes)
        want = budget->file_bytes;
    if (want == 0) {
        *granted = 0;
        return READPLUS_OK;
    }
    fit = wire_data_fit(budget->xdr_bytes, want);
    if (fit == 0)
        return READPLUS_ERR_NOSPACE;
    if (budget->segments == 0)
        return READPLUS_ERR_LIMIT;
    budget->xdr_bytes -= wire_data_size(fit);
    budget->file_bytes -= fit;
    budget->segments--;
    *granted = fit;
    return READPLUS_OK;
}

#endif /* READPLUS_LIB_BUDGET_H */
