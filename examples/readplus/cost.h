/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What carrying a whole file costs on the wire, without carrying it: requests
 * and bytes of results, opcodes included (nfs_resop4).
 */
#ifndef COST_H
#define COST_H

#include "layout.h"

struct cost {
    uint64_t requests;
    uint64_t bytes; /* UINT64_MAX where that many or more */
};

/* By READ, each reply as long as count and the limit of its result allow. */
struct cost cost_read(uint64_t size, uint32_t count, uint32_t maxcount);

/*
 * By READ_PLUS, as the planner answers requests of `count` bytes, at least 1,
 * to a client that keeps all of a hole.  `layout` is what becomes data; a
 * whole hole reaches beyond its request as far as `exact` has no data, for a
 * server does not read what it is not asked for.  False: no memory.
 */
bool cost_read_plus(const struct layout *layout, const struct layout *exact,
                    uint32_t count, const struct readplus_limits *limits,
                    struct cost *cost);

#endif /* COST_H */
