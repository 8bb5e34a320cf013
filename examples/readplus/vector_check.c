/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library's decoders held to the catalogue: profile by profile, the
 * verdict and its place, the segments handed out, and the file bytes
 * delivered, with what lies behind them in the buffer left alone.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vector_check.h"

/* What one look at a vector works with. */
struct look {
    const struct vector *vector;
    const struct vector_expect *expect;
    enum vector_profile profile;
    const struct iovec *iov; /* all of it */
    size_t pieces;
    struct iovec *item; /* of a message: the item, once it was found */
    size_t item_pieces;
    uint64_t base; /* where the item begins */
    bool more;     /* bytes may follow it */
    char *why;
};

static bool differ(struct look *look, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool differ(struct look *look, const char *format, ...)
{
    int used = snprintf(look->why, VECTOR_WHY_SIZE,
                        "%s: ", vector_profile_name(look->profile));
    va_list args;

    va_start(args, format);
    vsnprintf(look->why + used, (size_t)(VECTOR_WHY_SIZE - used), format, args);
    va_end(args);
    return false;
}

static bool same_number(struct look *look, const char *what, uint64_t got,
                        uint64_t want)
{
    return got == want ||
           differ(look, "%s is %" PRIu64 ", not %" PRIu64, what, got, want);
}

static bool same_fault(struct look *look, struct readplus_fault fault,
                       uint64_t base)
{
    const struct vector_expect *expect = look->expect;

    if (fault.error != expect->error)
        return differ(look, "%s, not %s", vector_error_name(fault.error),
                      vector_error_name(expect->error));
    return expect->error == READPLUS_OK ||
           (same_number(look, "the fault's place", fault.at + base,
                        expect->at) &&
            same_number(look, "the fault's segment", fault.segment,
                        expect->segment));
}

static uint32_t flags_of(const struct look *look)
{
    static const uint32_t flags[PROFILES] = {
        READPLUS_DECODE_STRICT, READPLUS_DECODE_TOLERANT,
        READPLUS_DECODE_ANY_PAD, READPLUS_DECODE_TRAILING};

    return flags[look->profile] | (look->more ? READPLUS_DECODE_TRAILING : 0);
}

static bool takes_trailing(const struct look *look)
{
    return look->more || look->profile == PROFILE_TOLERANT ||
           look->profile == PROFILE_TRAILING;
}

/* --- READ_PLUS4res --------------------------------------------------------- */

static enum readplus_error begin(const struct look *look,
                                 struct readplus_decoder *decoder)
{
    return readplus_decoder_init(
        decoder, look->vector->asked ? &look->vector->ask : NULL, look->item,
        look->item_pieces, flags_of(look));
}

static bool same_data(struct look *look, const struct readplus_decoder *decoder,
                      const struct readplus_segment *got,
                      const struct vector_segment *want)
{
    uint8_t block[4096];
    uint64_t done, step, i;

    for (done = 0; done < got->length; done += step) {
        step = got->length - done < sizeof(block) ? got->length - done
                                                  : sizeof(block);
        if (readplus_decoder_data_copy(decoder, got, done, block,
                                       (size_t)step) != READPLUS_OK)
            return differ(look, "its bytes cannot be copied");
        for (i = 0; i < step; i++)
            if (block[i] != (want->bytes != NULL
                                 ? want->bytes[done + i]
                                 : vector_file_byte(got->offset + done + i)))
                return differ(look, "other file bytes at %" PRIu64,
                              got->offset + done + i);
    }
    return true;
}

/* The segments, as far as they are handed out. */
static bool same_segments(struct look *look, struct readplus_decoder *decoder)
{
    const struct vector *vector = look->vector;
    struct readplus_segment got;
    uint64_t n;
    size_t i;

    for (i = 0; i < vector->segment_count; i++) {
        const struct vector_segment *want = &vector->segments[i];

        for (n = 0; n < want->repeat; n++) {
            if (readplus_decoder_next(decoder, &got) != READPLUS_OK)
                return differ(look, "segment %zu is missing", i);
            if (got.content != want->content || got.length != want->length ||
                got.offset != want->offset + n * want->length)
                return differ(look, "segment %zu is another", i);
            if (vector->size <= VECTOR_LARGE &&
                got.content == READPLUS_CONTENT_DATA &&
                !same_data(look, decoder, &got, want))
                return false;
        }
    }
    return true;
}

static bool same_iteration(struct look *look)
{
    const struct vector *vector = look->vector;
    struct readplus_decoder decoder;
    struct readplus_segment segment;
    enum readplus_error error = begin(look, &decoder);

    if (error == READPLUS_OK) {
        if (!same_number(look, "status", readplus_decoder_status(&decoder),
                         vector->status) ||
            !same_number(look, "eof", readplus_decoder_eof(&decoder),
                         vector->has_eof && vector->eof) ||
            !same_segments(look, &decoder))
            return false;
        /* A laxer profile may find more behind them. */
        do
            error = readplus_decoder_next(&decoder, &segment);
        while (error == READPLUS_OK && look->profile != PROFILE_STRICT);
        if (error == READPLUS_OK)
            return differ(look, "one segment too many");
    }
    return same_fault(look, readplus_decoder_fault(&decoder), look->base);
}

/* --- delivery -------------------------------------------------------------- */

#define GUARD 64
#define UNTOUCHED 0xee

/* A buffer for what is delivered; or, over and over, one for very much. */
struct target {
    uint8_t *block;
    size_t len, pieces;
    struct iovec *iov;
};

static bool target_init(struct target *target, const struct look *look)
{
    uint64_t bytes = look->expect->bytes;
    size_t i;

    target->len = bytes < VECTOR_LARGE ? (size_t)bytes : (size_t)VECTOR_LARGE;
    target->len += GUARD;
    target->pieces = (size_t)(bytes / target->len) + 1;
    target->block = malloc(target->len);
    target->iov = calloc(target->pieces, sizeof(*target->iov));
    if (target->block == NULL || target->iov == NULL)
        return false;
    memset(target->block, UNTOUCHED, target->len);
    for (i = 0; i < target->pieces; i++)
        target->iov[i] = (struct iovec){target->block, target->len};
    return true;
}

static bool same_target(struct look *look, const struct target *target)
{
    size_t bytes = (size_t)look->expect->bytes, i;

    if (target->pieces > 1)
        return true;
    if (crc32_of(0, target->block, bytes) != look->expect->crc)
        return differ(look, "other bytes are delivered");
    for (i = bytes; i < target->len; i++)
        if (target->block[i] != UNTOUCHED)
            return differ(look, "byte %zu behind those delivered was touched",
                          i - bytes);
    return true;
}

static bool same_result(struct look *look, const struct readplus_result *result)
{
    const struct vector_expect *expect = look->expect;
    bool judged = result->fault.error == READPLUS_OK;

    return same_number(look, "bytes", result->bytes, expect->bytes) &&
           same_number(look, "zeros", result->zero_bytes, expect->zeros) &&
           same_number(look, "eof delivered", result->eof, expect->eof) &&
           same_fault(look, result->fault, look->base) &&
           (!judged ||
            same_number(look, "progress", result->progress, !expect->stuck));
}

static bool same_delivery(struct look *look)
{
    struct target target = {NULL, 0, 0, NULL};
    struct readplus_result result;
    struct readplus_decoder decoder;
    enum readplus_error error, want;
    bool good = false;

    if (!target_init(&target, look)) {
        differ(look, "out of memory");
    } else {
        error = begin(look, &decoder);
        want = look->expect->error;
        if (error == READPLUS_OK && look->profile == PROFILE_TOLERANT)
            want = READPLUS_OK;
        error =
            readplus_scatter(&decoder, target.iov, target.pieces, 0, &result);
        good = error == want
                   ? same_result(look, &result) && same_target(look, &target)
                   : differ(look, "delivery says %s", vector_error_name(error));
    }
    free(target.block);
    free(target.iov);
    return good;
}

/* --- arguments and SEEK ---------------------------------------------------- */

static bool same_args(struct look *look, uint64_t offset, uint32_t number,
                      const struct readplus_stateid *stateid)
{
    const struct vector *vector = look->vector;

    return same_number(look, "offset", offset, vector->offset) &&
           same_number(look, "count or what", number, vector->number) &&
           same_number(look, "seqid", stateid->seqid, vector->stateid.seqid) &&
           (memcmp(stateid->other, vector->stateid.other,
                   READPLUS_OTHER_SIZE) == 0 ||
            differ(look, "another stateid"));
}

static bool same_seek_res(struct look *look,
                          const struct readplus_seek_res *res)
{
    const struct vector *vector = look->vector;

    return same_number(look, "status", res->status, vector->status) &&
           (res->status != 0 ||
            (same_number(look, "eof", res->eof, vector->eof) &&
             same_number(look, "offset", res->offset, vector->offset)));
}

/* An item of fixed form, in one piece. */
static bool same_fixed(struct look *look, bool seek, bool answer,
                       const uint8_t *bytes, size_t len)
{
    struct readplus_fault fault = {READPLUS_OK, READPLUS_NO_SEGMENT, 0};
    struct readplus_args args = {0};
    struct readplus_seek_args seek_args = {0};
    struct readplus_seek_res res = {0};
    bool more = takes_trailing(look);
    enum readplus_error error;
    size_t size;

    if (answer)
        error = readplus_seek_res_decode(bytes, len, more, &res, &size, &fault);
    else if (seek)
        error = readplus_seek_args_decode(bytes, len, more, &seek_args, &fault);
    else
        error = readplus_args_decode(
            bytes, len, more ? READPLUS_DECODE_TRAILING : 0, &args, &fault);
    if (error != READPLUS_OK)
        return same_fault(look, fault, look->base);
    if (look->expect->error != READPLUS_OK)
        return differ(look, "OK, not %s",
                      vector_error_name(look->expect->error));
    if (answer)
        return same_seek_res(look, &res);
    if (seek)
        return same_args(look, seek_args.offset, seek_args.what,
                         &seek_args.stateid);
    return same_args(look, args.offset, args.count, &args.stateid);
}

/* The pieces' bytes in one block that the caller frees. */
static uint8_t *joined(const struct iovec *iov, size_t pieces, size_t *len)
{
    uint8_t *bytes;
    size_t i;

    for (*len = 0, i = 0; i < pieces; i++)
        *len += iov[i].iov_len;
    bytes = malloc(*len > 0 ? *len : 1);
    for (*len = 0, i = 0; bytes != NULL && i < pieces; i++) {
        if (iov[i].iov_len > 0)
            memcpy(bytes + *len, iov[i].iov_base, iov[i].iov_len);
        *len += iov[i].iov_len;
    }
    return bytes;
}

static bool same_item(struct look *look, bool seek, bool answer)
{
    uint8_t *bytes;
    size_t len;
    bool good;

    if (!seek && answer)
        return same_iteration(look) &&
               (!look->expect->delivers || same_delivery(look));
    bytes = joined(look->item, look->item_pieces, &len);
    if (bytes == NULL)
        return differ(look, "out of memory");
    good = same_fixed(look, seek, answer, bytes, len);
    free(bytes);
    return good;
}

/* --- what stands around the item ------------------------------------------- */

/* An item behind its opcode. */
static bool same_operation(struct look *look, bool seek, bool answer)
{
    static const uint8_t codes[2] = {68, 69};
    struct readplus_fault fault = {READPLUS_OK, READPLUS_NO_SEGMENT, 0};
    struct iovec rest;
    uint8_t *bytes;
    size_t len;
    bool good;

    bytes = joined(look->iov, look->pieces, &len);
    if (bytes == NULL)
        return differ(look, "out of memory");
    if (len < READPLUS_OPCODE_SIZE)
        fault.error = READPLUS_ERR_TRUNCATED;
    else if (memcmp(bytes, "\0\0", 3) != 0 || bytes[3] != codes[seek])
        fault.error = READPLUS_ERR_BAD_MESSAGE;
    if (fault.error != READPLUS_OK) {
        good = same_fault(look, fault, 0);
    } else {
        rest = (struct iovec){bytes + READPLUS_OPCODE_SIZE,
                              len - READPLUS_OPCODE_SIZE};
        look->item = &rest;
        look->item_pieces = 1;
        look->base = READPLUS_OPCODE_SIZE;
        good = same_item(look, seek, answer);
    }
    free(bytes);
    return good;
}

static bool same_outcome(struct look *look,
                         const struct readplus_message *message)
{
    static const char *const outcomes[] = {"item",     "denied",  "failed",
                                           "compound", "earlier", "other"};

    return strcmp(outcomes[message->outcome], look->vector->found) == 0 ||
           differ(look, "found: %s, not %s", outcomes[message->outcome],
                  look->vector->found);
}

static bool same_message(struct look *look, enum readplus_framing framing,
                         bool answer)
{
    /* Marks and pieces cut the item at most so often. */
    size_t room = look->pieces + (size_t)look->vector->size / 4 + 1;
    struct iovec *out = calloc(room, sizeof(*out));
    struct readplus_message found;
    enum readplus_error error;
    bool good;

    if (out == NULL)
        return differ(look, "out of memory");
    error = answer ? readplus_message_find_res(framing, look->iov, look->pieces,
                                               out, room, &found)
                   : readplus_message_find_args(
                         framing, look->iov, look->pieces, out, room, &found);
    if (error != READPLUS_OK || look->vector->found == NULL) {
        good = same_fault(look, found.fault, 0);
    } else {
        good = same_outcome(look, &found);
        if (good && found.outcome == READPLUS_OUTCOME_ITEM) {
            look->item = out;
            look->item_pieces = found.entries;
            look->base = found.at;
            look->more = found.behind != 0;
            good = same_number(look, "the item's place", found.at,
                               look->vector->item_at) &&
                   same_number(look, "operations behind", found.behind,
                               look->vector->behind) &&
                   same_item(look, false, answer);
        }
    }
    free(out);
    return good;
}

static bool same_any(struct look *look)
{
    enum vector_type type = look->vector->type;
    bool answer = type % 2 == 1;

    look->item = (struct iovec *)(uintptr_t)look->iov;
    look->item_pieces = look->pieces;
    if (type == VECTOR_ARGS || type == VECTOR_RES)
        return same_item(look, false, answer);
    if (type == VECTOR_SEEK_ARGS || type == VECTOR_SEEK_RES)
        return same_item(look, true, answer);
    if (type < VECTOR_COMPOUND_ARGS)
        return same_operation(look, type >= VECTOR_SEEK_ARGOP, answer);
    return same_message(
        look, (enum readplus_framing)((type - VECTOR_COMPOUND_ARGS) / 2),
        answer);
}

/* --- pieces ---------------------------------------------------------------- */

/* The block as pieces of so many bytes, empty ones between. */
static struct iovec *cut(const uint8_t *bytes, size_t len, size_t piece,
                         size_t *pieces)
{
    size_t step = piece == VECTOR_WHOLE ? len : piece, at, n = 0;
    size_t room = piece == VECTOR_WHOLE ? 1 : 2 * (len / piece + 1);
    struct iovec *iov = calloc(room, sizeof(*iov));

    for (at = 0; iov != NULL && at < len; at += step) {
        if (step > len - at)
            step = len - at;
        iov[n++] = (struct iovec){(void *)(uintptr_t)(bytes + at), step};
        if (piece != VECTOR_WHOLE && n < room)
            n++;
    }
    *pieces = n;
    return iov;
}

bool vector_decodes(const struct vector *vector, size_t piece,
                    char why[VECTOR_WHY_SIZE])
{
    bool large = vector->size > VECTOR_LARGE, good = true;
    struct vector_wire wire = {0};
    uint8_t *bytes = large ? NULL : vector_bytes(vector);
    struct iovec *iov = NULL;
    struct look look = {.vector = vector, .why = why};
    int profile;

    if (large) {
        good = vector_wire_init(&wire, vector);
        look.iov = wire.iov;
        look.pieces = wire.pieces;
    } else if (bytes != NULL) {
        look.iov = iov = cut(bytes, (size_t)vector->size, piece, &look.pieces);
    }
    if (!good || (!large && iov == NULL)) {
        snprintf(why, VECTOR_WHY_SIZE, "its fields are not its size");
        good = false;
    }
    for (profile = 0; good && profile < PROFILES; profile++) {
        look.profile = (enum vector_profile)profile;
        look.expect = &vector->expect[profile];
        look.base = 0;
        look.more = false;
        /* Gigabytes are delivered once. */
        good = (large && profile != PROFILE_STRICT) || same_any(&look);
    }
    if (large)
        vector_wire_free(&wire);
    free(iov);
    free(bytes);
    return good;
}
