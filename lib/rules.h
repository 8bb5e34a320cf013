/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a segment may lie (RFC 7862 section 15.10.3): the one judgement that
 * decoders, encoders and the planner share.  It looks at numbers only, never
 * at bytes.
 */
#ifndef READPLUS_LIB_RULES_H
#define READPLUS_LIB_RULES_H

#include <readplus/base.h>

#include "checked.h"

/*
 * A segment must begin where the one before it ended (`expected`); `before`
 * is where that one began.  Called once they differ, to name the fault.
 */
/*@ assigns \nothing;
    ensures \result == (offset > expected ? READPLUS_ERR_GAP :
        offset < before ? READPLUS_ERR_ORDER : READPLUS_ERR_OVERLAP); */
static inline enum readplus_error rules_misplaced(uint64_t offset,
                                                  uint64_t expected,
                                                  uint64_t before)
{
    if (offset > expected)
        return READPLUS_ERR_GAP;
    return offset < before ? READPLUS_ERR_ORDER : READPLUS_ERR_OVERLAP;
}

/* READPLUS_OK where a segment after another one may lie here. */
/*@ assigns \nothing;
    ensures \result == (offset + length > UINT64_MAX ? READPLUS_ERR_RANGE :
        offset == expected ? 0 : offset > expected ? READPLUS_ERR_GAP :
        offset < before ? READPLUS_ERR_ORDER : READPLUS_ERR_OVERLAP); */
static inline enum readplus_error rules_next(uint64_t offset, uint64_t length,
                                             uint64_t expected, uint64_t before)
{
    if (length > UINT64_MAX - offset)
        return READPLUS_ERR_RANGE;
    if (offset != expected)
        return rules_misplaced(offset, expected, before);
    return READPLUS_OK;
}

/* READPLUS_OK where the first segment may lie here. */
/*@ assigns \nothing;
    ensures \result == (offset + length > UINT64_MAX ? READPLUS_ERR_RANGE :
        offset > asked ? READPLUS_ERR_LATE_START : 0); */
static inline enum readplus_error rules_first(uint64_t offset, uint64_t length,
                                              uint64_t asked)
{
    if (length > UINT64_MAX - offset)
        return READPLUS_ERR_RANGE;
    if (offset > asked)
        return READPLUS_ERR_LATE_START;
    return READPLUS_OK;
}

/*
 * What a Linux client needs of an element that another one follows, so that
 * expanding the reply in its receive buffer never overwrites bytes it has not
 * moved yet: `wire` bytes of elements against `covered` file bytes, both up
 * to the end of that element.
 */
/*@ assigns \nothing;
    ensures \result <==> wire <= \min(covered + 16, UINT64_MAX); */
static inline bool rules_linux_may_follow(uint64_t wire, uint64_t covered)
{
    return wire <= saturating_add64(covered, 16);
}

#endif /* READPLUS_LIB_RULES_H */
