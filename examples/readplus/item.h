/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One item of the protocol, decoded: what `readplus decode` prints, whether
 * as JSON or as a listing.  The bytes stay the caller's and must outlive it.
 */
#ifndef ITEM_H
#define ITEM_H

#include <readplus.h>

enum item_type {
    ITEM_RES,
    ITEM_RESOP,
    ITEM_ARGS,
    ITEM_SEEK_ARGS,
    ITEM_SEEK_RES,
    ITEM_TYPES /* their number */
};

/* The RFC's name, such as "READ_PLUS4res". */
const char *item_type_name(enum item_type type);

/* Finds a type by its option word (res, resop, args, seek-args, seek-res) or
 * by the RFC's name; ITEM_TYPES where neither is known. */
enum item_type item_type_option(const char *word);
enum item_type item_type_named(const char *name);

#define OP_READ_PLUS 68 /* nfs_opnum4 */

struct item {
    enum item_type type;
    const uint8_t *bytes;
    size_t len;
    size_t skip; /* bytes before the READ_PLUS4res: an opcode, or 0 */
    bool tolerant;
    const struct readplus_args *range; /* what was asked for, or NULL */

    bool has_status, has_eof, has_body;
    uint32_t status;
    bool eof;
    struct readplus_args args;           /* ITEM_ARGS with has_body */
    struct readplus_seek_args seek_args; /* ITEM_SEEK_ARGS with has_body */
    uint64_t seek_offset;                /* ITEM_SEEK_RES with has_eof */

    uint64_t size;     /* bytes that were found good */
    uint64_t trailing; /* bytes after a good item, where they are allowed */
    bool stuck;        /* well formed, brings nothing, and is not the end */
    struct readplus_fault fault; /* `at` counts from the item's first byte */
};

/*
 * Decodes bytes[0, len) as one item.  The result is in *item; a fault is in
 * item->fault.  range (may be NULL) is borrowed.
 */
void item_decode(struct item *item, enum item_type type, const uint8_t *bytes,
                 size_t len, const struct readplus_args *range, bool tolerant);

/* Goes through the good segments of a result, again if need be. */
struct item_walk {
    const struct item *item;
    struct readplus_decoder decoder;
};

void item_walk_init(struct item_walk *walk, const struct item *item);

/* The next segment and its offset in the item; false where there is none. */
bool item_walk_next(struct item_walk *walk, struct readplus_segment *segment,
                    uint64_t *at);

/* What, where and why, in one line: the fault of this item. */
#define ITEM_MESSAGE_SIZE 256
void item_message(const struct item *item, char message[ITEM_MESSAGE_SIZE]);

/* The big-endian word at bytes[0, 4). */
uint32_t item_word(const uint8_t *bytes);

#endif /* ITEM_H */
