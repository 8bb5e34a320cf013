/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole READ_PLUS4res in one piece, in one call.  Setting up a decoder costs
 * more than decoding the one element that most replies have; so the loop runs
 * first, and a decoder is made only for what it left, in the state it would
 * have been in, so that no input byte is looked at twice.
 */
#include <readplus/decode.h>

#include "element.h"
#include "plain.h"

/* What the loop left: elements from run.pos on, the first one's head in h if it
 * was fetched. */
struct rest {
    struct plain run;
    struct readplus_element h;
    size_t n; /* elements taken */
};

static enum readplus_error res_fail(struct readplus_res *res,
                                    enum readplus_error error, uint64_t at)
{
    res->fault = (struct readplus_fault){error, READPLUS_NO_SEGMENT, at};
    return error;
}

/* A decoder that has got as far; the rest is its business. */
static void rest_decoder(const struct rest *rest,
                         const struct readplus_args *args, const uint8_t *end,
                         size_t len, uint32_t flags,
                         const struct readplus_res *res,
                         struct readplus_decoder *decoder)
{
    memset(decoder, 0, sizeof(*decoder));
    decoder->fault =
        (struct readplus_fault){READPLUS_OK, READPLUS_NO_SEGMENT, 0};
    decoder->flags = flags;
    decoder->cursor =
        (struct readplus_cursor){rest->run.pos, end, NULL, 0, len, len};
    if (args != NULL) {
        decoder->ranged = true;
        decoder->args = *args;
    }
    decoder->expected = rest->run.expected;
    decoder->count = (uint32_t)res->count;
    decoder->left = decoder->count - (uint32_t)rest->n;
    decoder->eof = res->eof;
}

/* Takes what is left, with a decoder whose head is read. */
static enum readplus_error res_all(struct readplus_decoder *decoder,
                                   struct readplus_segment *segments,
                                   size_t capacity, size_t n,
                                   struct readplus_element *h,
                                   struct readplus_res *res)
{
    enum readplus_error error = decoder->fault.error;
    size_t want = decoder->count < capacity ? decoder->count : capacity;

    if (error == READPLUS_OK && n < want)
        error = readplus_decoder_take_on(decoder, segments, want, n, h, &n);
    if (error == READPLUS_OK)
        error = decoder->fault.error; /* behind elements that are good */
    if (error == READPLUS_OK && decoder->left > 0)
        error = READPLUS_ERR_LIMIT;
    else if (error == READPLUS_OK)
        error = decoder_end(decoder);
    *res = (struct readplus_res){.status = decoder->status,
                                 .eof = decoder->eof,
                                 .count = n,
                                 .size = cursor_at(&decoder->cursor),
                                 .fault = decoder->fault};
    return error == READPLUS_END ? READPLUS_OK : error;
}

static __attribute__((noinline)) enum readplus_error res_rest(
    struct rest *rest, const struct readplus_args *args, const uint8_t *end,
    size_t len, uint32_t flags, struct readplus_segment *segments,
    size_t capacity, struct readplus_res *res)
{
    struct readplus_decoder decoder;

    rest_decoder(rest, args, end, len, flags, res, &decoder);
    if (rest->n > 0)
        decoder.before = segments[rest->n - 1].offset;
    return res_all(&decoder, segments, capacity, rest->n, &rest->h, res);
}

/* An item whose head is not whole, or arguments that make no sense. */
static __attribute__((noinline)) enum readplus_error res_short(
    const struct readplus_args *args, const void *buffer, size_t len,
    uint32_t flags, struct readplus_segment *segments, size_t capacity,
    struct readplus_res *res)
{
    struct readplus_element h = {.at = 0};
    struct readplus_decoder decoder;
    enum readplus_error error =
        readplus_decoder_init_buffer(&decoder, args, buffer, len, flags);

    (void)error; /* is kept */
    return res_all(&decoder, segments, capacity, 0, &h, res);
}

/* A head without elements, of more bytes than a status has: another status
 * than NFS4_OK, or no boolean. */
static __attribute__((noinline)) enum readplus_error res_head(
    uint32_t status, uint32_t flags, struct readplus_res *res)
{
    *res =
        (struct readplus_res){.status = status, .size = READPLUS_STATUS_SIZE};
    if (status == 0) {
        res->size = READPLUS_RES_HEAD_SIZE;
        return res_fail(res, READPLUS_ERR_BAD_BOOL, READPLUS_STATUS_SIZE);
    }
    if ((flags & (READPLUS_DECODE_TRAILING | READPLUS_DECODE_TOLERANT)) == 0)
        return res_fail(res, READPLUS_ERR_TRAILING, READPLUS_STATUS_SIZE);
    return res_fail(res, READPLUS_OK, 0);
}

/* The elements, once the head is read: res->eof and res->count say what it
 * says. */
static __attribute__((noinline)) enum readplus_error res_many(
    const struct readplus_args *args, const uint8_t *p, size_t len,
    uint32_t flags, struct readplus_segment *segments, size_t capacity,
    struct readplus_res *res)
{
    struct rest rest;

    rest.run.pos = p + READPLUS_RES_HEAD_SIZE;
    rest.run.expected = args != NULL ? args->offset : 0;
    rest.n = plain_run(&rest.run, p + len, segments,
                       res->count < capacity ? res->count : capacity, &rest.h);
    if (rest.n < res->count || rest.run.pos != p + len)
        return res_rest(&rest, args, p + len, len, flags, segments, capacity,
                        res);
    res->status = 0;
    res->size = len;
    res->fault = (struct readplus_fault){READPLUS_OK, READPLUS_NO_SEGMENT, 0};
    return READPLUS_OK;
}

/* One element that is not plain, or does not end the item; its head is *h. */
static __attribute__((noinline)) enum readplus_error res_one_rest(
    const struct readplus_args *args, const uint8_t *p, size_t len,
    uint32_t flags, struct readplus_segment *segment,
    const struct readplus_element *h, struct readplus_res *res)
{
    struct rest rest = {.h = *h, .n = 0};

    rest.run.pos = p + READPLUS_RES_HEAD_SIZE;
    rest.run.expected = args != NULL ? args->offset : 0;
    return res_rest(&rest, args, p + len, len, flags, segment, 1, res);
}

/*
 * The commonest reply: one element that fills the item.  plain_run for it
 * alone, in so few registers that hardly one has to be saved.
 */
static inline enum readplus_error res_one(const struct readplus_args *args,
                                          const uint8_t *p, size_t len,
                                          uint32_t flags,
                                          struct readplus_segment *segment,
                                          struct readplus_res *res)
{
    const uint8_t *head = p + READPLUS_RES_HEAD_SIZE, *data = NULL;
    uint32_t content = wire_load32(head);
    uint64_t offset = wire_load64(head + WIRE_OFFSET_AT), length, size;

    if (content == READPLUS_CONTENT_HOLE) {
        length = wire_load64(head + WIRE_LENGTH_AT);
        size = READPLUS_RES_HEAD_SIZE + READPLUS_HOLE_SIZE;
    } else {
        length = wire_load32(head + WIRE_LENGTH_AT);
        data = head + READPLUS_DATA_HEAD_SIZE;
        size = READPLUS_RES_HEAD_SIZE + READPLUS_DATA_HEAD_SIZE + length;
    }
    if (content > READPLUS_CONTENT_HOLE || size != len || (len & 3) != 0 ||
        offset != (args != NULL ? args->offset : 0) ||
        length > UINT64_MAX - offset) {
        struct readplus_element h = {1, offset, length, content};

        return res_one_rest(args, p, len, flags, segment, &h, res);
    }
    *segment = (struct readplus_segment){(enum readplus_content)content, offset,
                                         length, data};
    res->status = 0;
    res->size = len;
    res->fault = (struct readplus_fault){READPLUS_OK, READPLUS_NO_SEGMENT, 0};
    return READPLUS_OK;
}

enum readplus_error readplus_res_decode(const struct readplus_args *args,
                                        const void *buffer, size_t len,
                                        uint32_t flags,
                                        struct readplus_segment *segments,
                                        size_t capacity,
                                        struct readplus_res *res)
{
    const uint8_t *p = buffer;
    uint32_t status, eof;

    if (len < READPLUS_RES_HEAD_SIZE || p == NULL ||
        (flags & ~DECODE_FLAGS) != 0)
        return res_short(args, buffer, len, flags, segments, capacity, res);
    status = wire_load32(p);  /* rp_status */
    eof = wire_load32(p + 4); /* rpr_eof */
    if (status != 0 || eof > 1)
        return res_head(status, flags, res);
    res->eof = eof == 1;
    res->count = wire_load32(p + 8); /* rpr_contents<> */
    if (res->count == 1 && capacity > 0 &&
        len >= READPLUS_RES_HEAD_SIZE + READPLUS_HOLE_SIZE)
        return res_one(args, p, len, flags, segments, res);
    return res_many(args, p, len, flags, segments, capacity, res);
}
