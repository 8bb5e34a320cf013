/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cutting a segment to the range a client asked for.  Both ends are cut
 * independently: a hole may overrun a request on both sides at once.
 */
#include <stddef.h>

#include <readplus/segment.h>

#include "checked.h"

/*@ logic integer end(struct readplus_args *a) =
        \min(a->offset + a->count, UINT64_MAX); */

/*@ requires \valid(segment) && \valid_read(args) && \separated(segment, args);
    requires segment->offset + segment->length <= UINT64_MAX;
    requires segment->data == \null || segment->length <= SIZE_MAX &&
        \valid_read(segment->data + (0 .. segment->length - 1));
    assigns segment->offset, segment->length, segment->data;
    ensures \let lo = \max(\old(segment->offset), args->offset);
        \let hi = \min(\old(segment->offset + segment->length), end(args));
        (\result <==> lo < hi) &&
        segment->length == (lo < hi ? hi - lo : 0) &&
        segment->offset == (lo < hi ? lo : \min(lo, end(args))) &&
        (lo >= hi || \old(segment->data) == \null ?
            segment->data == \null :
            segment->data == \old(segment->data) +
                (lo - \old(segment->offset)));
    ensures args->offset <= segment->offset <= end(args); */
bool readplus_segment_clip(struct readplus_segment *segment,
                           const struct readplus_args *args)
{
    uint64_t end = saturating_add64(segment->offset, segment->length);
    uint64_t lo = max64(segment->offset, args->offset);
    uint64_t hi = min64(end, readplus_args_end(args));

    if (lo >= hi) {
        segment->offset = min64(lo, readplus_args_end(args));
        segment->length = 0;
        segment->data = NULL;
        return false;
    }
    if (segment->data != NULL)
        segment->data += lo - segment->offset;
    segment->offset = lo;
    segment->length = hi - lo;
    return true;
}
