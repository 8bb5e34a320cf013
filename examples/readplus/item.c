/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One item of the protocol, decoded.  The library judges; here its verdict is
 * put into one shape for all types.  Nothing is printed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "item.h"

static const struct {
    const char *name, *option;
} types[ITEM_TYPES] = {
    [ITEM_RES] = {"READ_PLUS4res", "res"},
    [ITEM_RESOP] = {"nfs_resop4", "resop"},
    [ITEM_ARGS] = {"READ_PLUS4args", "args"},
    [ITEM_SEEK_ARGS] = {"SEEK4args", "seek-args"},
    [ITEM_SEEK_RES] = {"SEEK4res", "seek-res"},
};

const char *item_type_name(enum item_type type)
{
    return types[type].name;
}

enum item_type item_type_option(const char *word)
{
    int type = 0;

    while (type < ITEM_TYPES && strcmp(word, types[type].option) != 0)
        type++;
    return (enum item_type)type;
}

enum item_type item_type_named(const char *name)
{
    int type = 0;

    while (type < ITEM_TYPES && strcmp(name, types[type].name) != 0)
        type++;
    return (enum item_type)type;
}

uint32_t item_word(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
           (uint32_t)bytes[2] << 8 | bytes[3];
}

static void set_fault(struct item *item, enum readplus_error error, uint64_t at)
{
    item->fault.error = error;
    item->fault.segment = READPLUS_NO_SEGMENT;
    item->fault.at = at;
}

static enum readplus_error begin(const struct item *item,
                                 struct readplus_decoder *decoder)
{
    return readplus_decoder_init_buffer(
        decoder, item->range, item->bytes + item->skip, item->len - item->skip,
        item->tolerant ? READPLUS_DECODE_TOLERANT : READPLUS_DECODE_STRICT);
}

void item_walk_init(struct item_walk *walk, const struct item *item)
{
    walk->item = item;
    /* item_decode has judged it; a failure repeats itself below. */
    if (begin(item, &walk->decoder) != READPLUS_OK)
        return;
}

bool item_walk_next(struct item_walk *walk, struct readplus_segment *segment,
                    uint64_t *at)
{
    if (!walk->item->has_eof ||
        readplus_decoder_next(&walk->decoder, segment) != READPLUS_OK)
        return false;
    *at = walk->item->skip + readplus_decoder_at(&walk->decoder);
    return true;
}

/* Whether a well-formed result brings neither a byte that was asked for nor
 * the end of the file; one byte of it is enough to see that. */
static bool is_stuck(const struct item *item, bool brought)
{
    struct readplus_decoder decoder;
    struct readplus_result result;
    uint8_t byte;
    const struct iovec iov = {&byte, 1};

    if (item->range == NULL)
        return !item->eof && !brought;
    return begin(item, &decoder) == READPLUS_OK &&
           readplus_scatter(&decoder, &iov, 1, 0, &result) == READPLUS_OK &&
           !result.progress;
}

/* The segments, to the end or the first fault. */
static void judge_segments(struct item *item, struct readplus_decoder *decoder)
{
    struct readplus_segment segment;
    bool brought = false;
    enum readplus_error error;

    for (;;) {
        item->size = item->skip + readplus_decoder_consumed(decoder);
        error = readplus_decoder_next(decoder, &segment);
        if (error != READPLUS_OK)
            break;
        brought = brought || segment.length > 0;
    }
    if (error == READPLUS_END) {
        item->trailing = item->len - item->size;
        item->stuck = item->has_eof && is_stuck(item, brought);
    }
}

static void decode_res(struct item *item)
{
    struct readplus_decoder decoder;
    enum readplus_error error = begin(item, &decoder);

    if (item->len - item->skip >= 4) {
        item->has_status = true;
        item->status = item_word(item->bytes + item->skip);
    }
    if (error == READPLUS_OK) {
        item->has_eof = item->status == 0;
        item->eof = readplus_decoder_eof(&decoder);
        judge_segments(item, &decoder);
    }
    item->fault = readplus_decoder_fault(&decoder);
    item->fault.at += item->skip;
    /* A tolerant reader takes a short read, which is not the end. */
    if (item->tolerant && item->fault.error != READPLUS_OK)
        item->eof = false;
}

static void decode_resop(struct item *item)
{
    if (item->len < READPLUS_OPCODE_SIZE) {
        set_fault(item, READPLUS_ERR_TRUNCATED, 0);
        return;
    }
    if (item_word(item->bytes) != OP_READ_PLUS) {
        set_fault(item, READPLUS_ERR_BAD_MESSAGE, 0);
        return;
    }
    item->skip = READPLUS_OPCODE_SIZE;
    decode_res(item);
}

/* For the types whose decoders hand out everything at once. */
static void close_body(struct item *item, enum readplus_error error,
                       size_t size)
{
    item->has_body = error == READPLUS_OK;
    if (!item->has_body)
        return;
    item->size = size;
    if (item->tolerant)
        item->trailing = item->len - size;
    else if (item->len > size)
        set_fault(item, READPLUS_ERR_TRAILING, size);
}

static void decode_args(struct item *item)
{
    close_body(item,
               readplus_args_decode(item->bytes, item->len,
                                    READPLUS_DECODE_TRAILING, &item->args,
                                    &item->fault),
               READPLUS_ARGS_SIZE);
}

static void decode_seek_args(struct item *item)
{
    close_body(item,
               readplus_seek_args_decode(item->bytes, item->len, true,
                                         &item->seek_args, &item->fault),
               READPLUS_SEEK_ARGS_SIZE);
}

static void decode_seek_res(struct item *item)
{
    struct readplus_seek_res res;
    size_t size = 0;
    enum readplus_error error = readplus_seek_res_decode(
        item->bytes, item->len, true, &res, &size, &item->fault);

    if (item->len >= 4) {
        item->has_status = true;
        item->status = item_word(item->bytes);
    }
    if (error == READPLUS_OK && res.status == 0) {
        item->has_eof = true;
        item->eof = res.eof;
        item->seek_offset = res.offset;
    }
    close_body(item, error, size);
}

void item_decode(struct item *item, enum item_type type, const uint8_t *bytes,
                 size_t len, const struct readplus_args *range, bool tolerant)
{
    memset(item, 0, sizeof(*item));
    item->type = type;
    item->bytes = bytes;
    item->len = len;
    item->range = range;
    item->tolerant = tolerant;
    set_fault(item, READPLUS_OK, 0);
    if (type == ITEM_RES)
        decode_res(item);
    else if (type == ITEM_RESOP)
        decode_resop(item);
    else if (type == ITEM_ARGS)
        decode_args(item);
    else if (type == ITEM_SEEK_ARGS)
        decode_seek_args(item);
    else
        decode_seek_res(item);
}

/* The number that stands where the fault is, for those errors whose `at` is
 * that of a whole number.  Returns its width in bytes, or 0. */
static size_t found_number(const struct item *item, uint64_t *number)
{
    enum readplus_error error = item->fault.error;
    const uint8_t *bytes = item->bytes + item->fault.at;

    if (error == READPLUS_ERR_BAD_BOOL || error == READPLUS_ERR_BAD_CONTENT) {
        *number = item_word(bytes);
        return 4;
    }
    if (readplus_error_is_rfc(error)) {
        *number = (uint64_t)item_word(bytes) << 32 | item_word(bytes + 4);
        return 8;
    }
    return 0;
}

void item_message(const struct item *item, char message[ITEM_MESSAGE_SIZE])
{
    const struct readplus_fault *fault = &item->fault;
    const char *why = readplus_error_text(fault->error);
    char place[64] = "", found[64] = "";
    uint64_t number;

    if (item->type == ITEM_RESOP && item->skip == 0 && item->len >= 4)
        why = "the opcode is not OP_READ_PLUS (68)";
    if (fault->segment != READPLUS_NO_SEGMENT)
        snprintf(place, sizeof(place), "segment %" PRIu32 ", ", fault->segment);
    if (found_number(item, &number) > 0)
        snprintf(found, sizeof(found), ": found %" PRIu64, number);
    else if (fault->error == READPLUS_ERR_TRUNCATED)
        snprintf(found, sizeof(found), ": the input ends at byte %zu",
                 item->len);
    snprintf(message, ITEM_MESSAGE_SIZE, "%s%s at byte %" PRIu64 ": %s%s",
             place, item_type_name(item->type), fault->at, why, found);
}
