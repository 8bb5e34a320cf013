/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An item as JSON, out and in: the contract of `readplus decode --json` and
 * `readplus encode`, described in readplus(1).
 */
#ifndef JSON_ITEM_H
#define JSON_ITEM_H

#include <stdio.h>

#include "item.h"

/* The item as one object, its segments' bytes with `data`; no newline. */
void json_print_item(const struct item *item, bool data, FILE *to);

/* What an object describes; the fields that its type has are set. */
struct json_spec {
    enum item_type type;
    uint32_t status;
    bool eof;
    struct readplus_segment *segments; /* owned, their data too */
    size_t count;
    struct readplus_args args;
    struct readplus_seek_args seek_args;
    uint64_t seek_offset;
};

/*
 * Reads the object text[0, len).  Its type is `type` where the object does
 * not say it.  True, with *spec for
 * json_spec_free; false, with the reason in `why` and nothing to free.
 */
#define JSON_WHY_SIZE 256
bool json_read_spec(const char *text, size_t len, enum item_type type,
                    struct json_spec *spec, char why[JSON_WHY_SIZE]);

void json_spec_free(struct json_spec *spec);

#endif /* JSON_ITEM_H */
