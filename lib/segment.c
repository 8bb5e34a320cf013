/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cutting a segment to the range a client asked for.  Both ends are cut
 * independently: a hole may overrun a request on both sides at once.
 */
#include <stddef.h>

#include <readplus/segment.h>

#include "checked.h"

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
