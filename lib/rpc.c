/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bridge to libtirpc, and the only file that sees <rpc/xdr.h>: a
 * READ_PLUS4res between a stream, segments, and the types rpcgen makes.  It
 * moves bytes with x_getbytes and x_putbytes alone, which every stream has and
 * which, unlike xdr_opaque's fill, share nothing between threads.  Never
 * memory sized by a number from the wire: it grows with the bytes that came.
 */
#include <stdlib.h>
#include <string.h>

#include <readplus/encode.h>
#include <readplus/rpc.h>

#include "rules.h"
#include "wire.h"

/* --- memory -------------------------------------------------------------- */

struct readplus_rpc_block {
    struct readplus_rpc_block *next;
    size_t len;
    uint8_t bytes[];
};

/* What is taken before a single byte of a segment has come. */
#define FIRST_CHUNK (4096 - sizeof(struct readplus_rpc_block))

/*
 * Puts a new block in front of the list.  len is at most FIRST_CHUNK or what
 * other blocks already hold, so the sum cannot wrap.
 */
static bool block_push(struct readplus_rpc_res *res, size_t len)
{
    struct readplus_rpc_block *block = malloc(sizeof(*block) + len);

    if (block == NULL)
        return false;
    block->next = res->blocks;
    block->len = len;
    res->blocks = block;
    return true;
}

/*
 * Makes one block of the len bytes in the blocks in front of `mark`, of which
 * the last received is the first.
 */
static bool blocks_join(struct readplus_rpc_res *res,
                        struct readplus_rpc_block *mark, size_t len)
{
    struct readplus_rpc_block *whole, *block;

    if (res->blocks->next == mark)
        return true;
    if (!block_push(res, len))
        return false;
    whole = res->blocks;
    while ((block = whole->next) != mark) {
        len -= block->len;
        memcpy(whole->bytes + len, block->bytes, block->len);
        whole->next = block->next;
        free(block);
    }
    return true;
}

/* Gives back what a decode took, and leaves no pointer to it. */
static void release(struct readplus_rpc_res *res)
{
    struct readplus_rpc_block *block;
    uint32_t i;

    if (res->blocks == NULL)
        return;
    for (i = 0; i < res->count; i++)
        res->segments[i].data = NULL;
    res->count = 0;
    while ((block = res->blocks) != NULL) {
        res->blocks = block->next;
        free(block);
    }
}

/* --- what became of it --------------------------------------------------- */

void readplus_rpc_res_init(struct readplus_rpc_res *res,
                           const struct readplus_args *args,
                           struct readplus_segment *segments, uint32_t capacity,
                           void *buffer, size_t buffer_len)
{
    *res = (struct readplus_rpc_res){
        .segments = segments,
        .capacity = capacity,
        .fault = {.segment = READPLUS_NO_SEGMENT},
        .asked = args != NULL ? args->offset : UINT64_MAX,
        .buffer = buffer,
        .buffer_len = buffer_len,
    };
}

/* Begins anew; also what a failure leaves. */
static void reset(struct readplus_rpc_res *res)
{
    release(res);
    res->status = 0;
    res->eof = false;
    res->count = 0;
}

/* False, for callers that fail; the fault says why. */
static bool fault(struct readplus_rpc_res *res, enum readplus_error error,
                  uint64_t at, uint32_t segment)
{
    res->fault = (struct readplus_fault){error, segment, at};
    return false;
}

/* --- decoding ------------------------------------------------------------ */

/* Where the walk through an item stands. */
struct walk {
    struct readplus_rpc_res *res;
    XDR *xdrs;
    uint64_t at;       /* item offset of the next byte */
    uint32_t segment;  /* the element it is in */
    uint64_t expected; /* offset the next element must have */
    uint64_t before;   /* offset of the element before it */
    size_t used;       /* of the caller's buffer */
};

static struct walk walk_begin(struct readplus_rpc_res *res, XDR *xdrs)
{
    reset(res);
    res->announced = 0;
    fault(res, READPLUS_OK, 0, READPLUS_NO_SEGMENT);
    return (struct walk){
        .res = res, .xdrs = xdrs, .segment = READPLUS_NO_SEGMENT};
}

static bool walk_fault(struct walk *w, enum readplus_error error, uint64_t at)
{
    reset(w->res);
    return fault(w->res, error, at, w->segment);
}

/* The count word has been read. */
static bool walk_count(struct walk *w, uint32_t count)
{
    w->res->announced = count;
    if (count > w->res->capacity)
        return walk_fault(w, READPLUS_ERR_LIMIT, w->at - 4);
    w->segment = 0;
    return true;
}

/* The element that began at `start` is good if it may lie there. */
static bool walk_place(struct walk *w, uint64_t start, uint64_t offset,
                       uint64_t length)
{
    enum readplus_error error =
        w->segment == 0 ? rules_first(offset, length, w->res->asked)
                        : rules_next(offset, length, w->expected, w->before);

    if (error != READPLUS_OK)
        return walk_fault(w, error, start + WIRE_OFFSET_AT);
    w->before = offset;
    w->expected = offset + length;
    return true;
}

/* The next n bytes, of an item that began at `at`. */
static bool get(struct walk *w, void *to, uint32_t n, uint64_t at)
{
    if (!XDR_GETBYTES(w->xdrs, to, n))
        return walk_fault(w, READPLUS_ERR_TRUNCATED, at);
    w->at += n;
    return true;
}

static bool get32(struct walk *w, uint32_t *v)
{
    uint8_t word[4];

    if (!get(w, word, sizeof(word), w->at))
        return false;
    *v = wire_load32(word);
    return true;
}

static bool get64(struct walk *w, uint64_t *v)
{
    uint8_t word[8];

    if (!get(w, word, sizeof(word), w->at))
        return false;
    *v = wire_load64(word);
    return true;
}

/* d_data into memory of our own, in chunks no larger than what has come. */
static bool get_owned(struct walk *w, uint32_t length, uint64_t at,
                      const uint8_t **data)
{
    struct readplus_rpc_res *res = w->res;
    struct readplus_rpc_block *mark = res->blocks;
    uint32_t got, want;

    for (got = 0; got < length; got += want) {
        want = got > 0 ? got : (uint32_t)FIRST_CHUNK;
        if (want > length - got)
            want = length - got;
        if (!block_push(res, want))
            return walk_fault(w, READPLUS_ERR_NOMEM, at);
        if (!get(w, res->blocks->bytes, want, at))
            return false;
    }
    if (!blocks_join(res, mark, length))
        return walk_fault(w, READPLUS_ERR_NOMEM, at);
    *data = res->blocks->bytes;
    return true;
}

/* d_data into the caller's buffer. */
static bool get_lent(struct walk *w, uint32_t length, uint64_t at,
                     const uint8_t **data)
{
    uint8_t *to = w->res->buffer + w->used;

    if (length > w->res->buffer_len - w->used)
        return walk_fault(w, READPLUS_ERR_NOSPACE, at);
    if (!get(w, to, length, at))
        return false;
    w->used += length;
    *data = to;
    return true;
}

/* d_data, of which the length word has been read, and its fill. */
static bool get_data(struct walk *w, uint32_t length, const uint8_t **data)
{
    uint64_t at = w->at - 4;
    unsigned i, pad = wire_pad(length);
    uint8_t fill[4] = {0};
    bool got;

    if (length == 0)
        return true;
    got = w->res->buffer != NULL ? get_lent(w, length, at, data)
                                 : get_owned(w, length, at, data);
    if (!got || (pad > 0 && !get(w, fill, pad, at)))
        return false;
    for (i = 0; i < pad; i++)
        if (fill[i] != 0)
            return walk_fault(w, READPLUS_ERR_BAD_PAD, w->at - pad + i);
    return true;
}

/* One read_plus_content. */
static bool get_element(struct walk *w, struct readplus_segment *segment)
{
    uint64_t start = w->at, offset, length;
    const uint8_t *data = NULL;
    uint32_t content, word;

    if (!get32(w, &content)) /* rpc_content */
        return false;
    if (content > READPLUS_CONTENT_HOLE)
        return walk_fault(w, READPLUS_ERR_BAD_CONTENT, start);
    if (!get64(w, &offset)) /* d_offset, di_offset */
        return false;
    if (content == READPLUS_CONTENT_HOLE) {
        if (!get64(w, &length)) /* di_length */
            return false;
    } else if (get32(w, &word)) { /* d_data's length word */
        length = word;
    } else {
        return false;
    }
    if (!walk_place(w, start, offset, length))
        return false;
    if (content == READPLUS_CONTENT_DATA && !get_data(w, word, &data))
        return false;
    *segment = (struct readplus_segment){(enum readplus_content)content, offset,
                                         length, data};
    return true;
}

static bool decode(XDR *xdrs, struct readplus_rpc_res *res)
{
    struct walk w = walk_begin(res, xdrs);
    uint32_t eof, count;

    if (!get32(&w, &res->status)) /* rp_status */
        return false;
    if (res->status != 0)
        return true;      /* void */
    if (!get32(&w, &eof)) /* rpr_eof */
        return false;
    if (eof > 1)
        return walk_fault(&w, READPLUS_ERR_BAD_BOOL, w.at - 4);
    res->eof = eof == 1;
    if (!get32(&w, &count) || !walk_count(&w, count)) /* rpr_contents<> */
        return false;
    for (; w.segment < count; w.segment++) {
        if (!get_element(&w, &res->segments[w.segment]))
            return false;
        res->count++;
    }
    return true;
}

/* --- encoding ------------------------------------------------------------ */

/*
 * Whether the item may be sent.  readplus_res_encode judges the segments: with
 * a buffer of no bytes what it says of a good item is that it has no room.
 */
static bool may_send(struct readplus_rpc_res *res)
{
    uint64_t size = 0;
    size_t none;

    if (readplus_res_encode(res->status, res->eof, res->segments, res->count,
                            NULL, 0, &none,
                            &res->fault) != READPLUS_ERR_NOSPACE)
        return false;
    if (res->count > 0 && res->segments[0].offset > res->asked)
        return fault(res, READPLUS_ERR_LATE_START,
                     READPLUS_RES_HEAD_SIZE + WIRE_OFFSET_AT, 0);
    if (readplus_res_size(res->segments, res->count, &size) != READPLUS_OK ||
        size > UINT32_MAX)
        return fault(res, READPLUS_ERR_NOSPACE, 0, READPLUS_NO_SEGMENT);
    fault(res, READPLUS_OK, 0, READPLUS_NO_SEGMENT);
    return true;
}

static bool put(struct walk *w, const void *from, uint32_t n)
{
    if (n > 0 && !XDR_PUTBYTES(w->xdrs, from, n))
        return fault(w->res, READPLUS_ERR_NOSPACE, w->at, w->segment);
    w->at += n;
    return true;
}

/* One read_plus_content. */
static bool put_element(struct walk *w, const struct readplus_segment *segment)
{
    static const uint8_t zeros[4];
    uint8_t head[READPLUS_HOLE_SIZE];
    uint32_t length = (uint32_t)segment->length;

    if (segment->content == READPLUS_CONTENT_HOLE) {
        wire_put_hole(head, segment->offset, segment->length);
        return put(w, head, READPLUS_HOLE_SIZE);
    }
    wire_put_data_head(head, segment->offset, length);
    return put(w, head, READPLUS_DATA_HEAD_SIZE) &&
           put(w, segment->data, length) && put(w, zeros, wire_pad(length));
}

static bool encode(XDR *xdrs, struct readplus_rpc_res *res)
{
    struct walk w = {.res = res, .xdrs = xdrs, .segment = READPLUS_NO_SEGMENT};
    uint8_t head[READPLUS_RES_HEAD_SIZE];

    if (!may_send(res))
        return false;
    if (res->status != 0) {
        wire_store32(head, res->status);
        return put(&w, head, READPLUS_STATUS_SIZE);
    }
    wire_put_res_head(head, res->eof, res->count);
    if (!put(&w, head, READPLUS_RES_HEAD_SIZE))
        return false;
    for (w.segment = 0; w.segment < res->count; w.segment++)
        if (!put_element(&w, &res->segments[w.segment]))
            return false;
    return true;
}

bool_t readplus_rpc_res_xdr(XDR *xdrs, struct readplus_rpc_res *res)
{
    switch (xdrs->x_op) {
    case XDR_ENCODE:
        return encode(xdrs, res);
    case XDR_DECODE:
        return decode(xdrs, res);
    case XDR_FREE:
        release(res);
        return TRUE;
    }
    return fault(res, READPLUS_ERR_INVAL, 0, READPLUS_NO_SEGMENT);
}

/* --- the generated types ------------------------------------------------- */

/* One read_plus_content: as get_element, from memory. */
static bool import_element(struct walk *w,
                           const readplus_read_plus_content *from,
                           struct readplus_segment *segment)
{
    const readplus_data4 *data = &from->readplus_read_plus_content_u.rpc_data;
    const readplus_data_info4 *hole =
        &from->readplus_read_plus_content_u.rpc_hole;
    uint32_t length = data->d_data.d_data_len;
    uint64_t start = w->at;

    if (from->rpc_content == READPLUS_NFS4_CONTENT_HOLE) {
        *segment = (struct readplus_segment){
            READPLUS_CONTENT_HOLE, hole->di_offset, hole->di_length, NULL};
        w->at += READPLUS_HOLE_SIZE;
    } else if (from->rpc_content == READPLUS_NFS4_CONTENT_DATA) {
        *segment = (struct readplus_segment){READPLUS_CONTENT_DATA,
                                             data->d_offset, length, NULL};
        if (length > 0)
            segment->data = (const uint8_t *)data->d_data.d_data_val;
        if (length > 0 && segment->data == NULL)
            return walk_fault(w, READPLUS_ERR_INVAL, start);
        w->at += wire_data_size(length);
    } else {
        return walk_fault(w, READPLUS_ERR_BAD_CONTENT, start);
    }
    return walk_place(w, start, segment->offset, segment->length);
}

static bool import(struct walk *w, const readplus_read_plus_res4 *from)
{
    uint32_t count = from->rpr_contents.rpr_contents_len;
    const readplus_read_plus_content *contents =
        from->rpr_contents.rpr_contents_val;

    if (from->rpr_eof != FALSE && from->rpr_eof != TRUE)
        return walk_fault(w, READPLUS_ERR_BAD_BOOL, READPLUS_STATUS_SIZE);
    w->res->eof = from->rpr_eof == TRUE;
    w->at = READPLUS_RES_HEAD_SIZE;
    if (count > 0 && contents == NULL)
        return walk_fault(w, READPLUS_ERR_INVAL, w->at - 4);
    if (!walk_count(w, count))
        return false;
    for (; w->segment < count; w->segment++) {
        if (!import_element(w, &contents[w->segment],
                            &w->res->segments[w->segment]))
            return false;
        w->res->count++;
    }
    return true;
}

enum readplus_error readplus_rpc_res_import(struct readplus_rpc_res *res,
                                            const readplus_READ_PLUS4res *from)
{
    struct walk w = walk_begin(res, NULL);

    res->status = (uint32_t)from->rp_status;
    if (res->status == 0)
        import(&w, &from->readplus_READ_PLUS4res_u.rp_resok4);
    return res->fault.error;
}

static void export_element(const struct readplus_segment *segment,
                           readplus_read_plus_content *to)
{
    readplus_data4 *data = &to->readplus_read_plus_content_u.rpc_data;
    readplus_data_info4 *hole = &to->readplus_read_plus_content_u.rpc_hole;

    if (segment->content == READPLUS_CONTENT_HOLE) {
        to->rpc_content = READPLUS_NFS4_CONTENT_HOLE;
        hole->di_offset = segment->offset;
        hole->di_length = segment->length;
        return;
    }
    to->rpc_content = READPLUS_NFS4_CONTENT_DATA;
    data->d_offset = segment->offset;
    data->d_data.d_data_len = (uint32_t)segment->length;
    data->d_data.d_data_val = (char *)(uintptr_t)segment->data;
}

enum readplus_error readplus_rpc_res_export(
    struct readplus_rpc_res *res, readplus_read_plus_content *contents,
    uint32_t capacity, readplus_READ_PLUS4res *to)
{
    readplus_read_plus_res4 *ok = &to->readplus_READ_PLUS4res_u.rp_resok4;
    uint32_t i;

    if (may_send(res) && res->count > capacity)
        fault(res, READPLUS_ERR_LIMIT, READPLUS_BODY_HEAD_SIZE,
              READPLUS_NO_SEGMENT);
    if (res->fault.error != READPLUS_OK)
        return res->fault.error;
    to->rp_status = (readplus_nfsstat4)res->status;
    if (res->status != 0)
        return READPLUS_OK;
    for (i = 0; i < res->count; i++)
        export_element(&res->segments[i], &contents[i]);
    ok->rpr_eof = res->eof ? TRUE : FALSE;
    ok->rpr_contents.rpr_contents_len = res->count;
    ok->rpr_contents.rpr_contents_val = contents;
    return READPLUS_OK;
}
