/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a server allows itself in a reply, by the words of --policy.
 */
#ifndef POLICY_H
#define POLICY_H

#include <readplus.h>

#include "program.h"

/*
 * *limits from words joined by commas; their order does not matter:
 *   default, linux-client, rdma, single-data, single   at most one preset
 *   clip or whole, scan or exact                       at most one of each
 *   minhole=N, maxsegs=N                               over the preset's
 * Anything else is wrong use, said so through argp.
 */
void policy_parse(const char *text, struct readplus_limits *limits,
                  const struct argp_state *state);

#define POLICY_HELP                                                            \
    "What the server sends as holes: words joined by commas. A preset "        \
    "(default, linux-client, rdma, single-data, single); clip or whole; scan " \
    "or exact; minhole=N; maxsegs=N"

#endif /* POLICY_H */
