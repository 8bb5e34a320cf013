/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two things nfs42cp does: copy a file, and list what the server reports
 * of it.
 */
#ifndef CLIENT_COPY_H
#define CLIENT_COPY_H

#include "client_transfer.h"

enum outcome copy_file(const struct options *options);
enum outcome list_extents(const struct options *options);

/* What a copy did. */
struct told {
    uint64_t size, resumed, wire_bytes;
    double seconds;
    struct counts counts;
};

void tell_copy(const struct options *options, const struct told *told);

#endif /* CLIENT_COPY_H */
