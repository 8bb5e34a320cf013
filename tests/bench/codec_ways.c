/*
 * bench_codec's contestants of this house: the library, and straight-line code
 * that does the work and nothing else, its floor.  A floor is called as the
 * library is, through a pointer, and answers what the library answers.
 */
#include "codec.h"

/* ---- encoders ------------------------------------------------------------- */

typedef enum readplus_error encode_iov_t(bool, const struct readplus_segment *,
                                         size_t, void *, size_t, struct iovec *,
                                         size_t, size_t *, uint64_t *);

/* The same call for both, so that neither is inlined or bound more tightly. */
static inline void encode_iov(encode_iov_t *volatile *encode)
{
    uint64_t size;

    bench_must((*encode)(true, slot->segments, count, slot->scratch,
                         READPLUS_IOV_SCRATCH(count), slot->iov,
                         READPLUS_IOV_ENTRIES(count), &entries,
                         &size) == READPLUS_OK &&
                   size == item_len,
               "encode_iov");
}

void encode_ours_iov(void)
{
    static encode_iov_t *volatile ours = readplus_encode_iov;

    encode_iov(&ours);
}

static inline void put32(uint8_t *p, uint32_t v)
{
    v = __builtin_bswap32(v);
    memcpy(p, &v, 4);
}

static inline void put64(uint8_t *p, uint64_t v)
{
    v = __builtin_bswap64(v);
    memcpy(p, &v, 8);
}

static inline uint8_t *put_head(uint8_t *p, bool eof, size_t n)
{
    put32(p, 0);
    put32(p + 4, eof);
    put32(p + 8, (uint32_t)n);
    return p + 12;
}

/* Nothing is checked; lengths are multiples of 4. */
static enum readplus_error floor_iov(bool eof, const struct readplus_segment *s,
                                     size_t n, void *scratch,
                                     size_t scratch_len, struct iovec *to,
                                     size_t capacity, size_t *used,
                                     uint64_t *size)
{
    uint8_t *head = scratch, *p = put_head(head, eof, n), *run = head;
    uint64_t data = 0;
    size_t i, k = 0;

    (void)scratch_len;
    (void)capacity;
    for (i = 0; i < n; i++, s++) {
        put32(p, s->content);
        put64(p + 4, s->offset);
        if (s->content == READPLUS_CONTENT_HOLE) {
            put64(p + 12, s->length);
            p += 20;
        } else {
            put32(p + 12, (uint32_t)s->length);
            p += 16;
            to[k++] = (struct iovec){run, (size_t)(p - run)};
            to[k++] = (struct iovec){(void *)(uintptr_t)s->data, s->length};
            data += s->length;
            run = p;
        }
    }
    if (p > run)
        to[k++] = (struct iovec){run, (size_t)(p - run)};
    *used = k;
    *size = data + (uint64_t)(p - head);
    return READPLUS_OK;
}

void encode_floor_iov(void)
{
    static encode_iov_t *volatile straight = floor_iov;

    encode_iov(&straight);
}

static void encode_into_out(const struct readplus_segment *segments)
{
    size_t size;

    bench_must(readplus_res_encode(0, true, segments, count, slot->out,
                                   item_len, &size, NULL) == READPLUS_OK,
               "res_encode");
}

void encode_ours_copy(void)
{
    encode_into_out(slot->segments);
}

/* The payload alone, in the same pieces, to the same places: a copying encoder
 * has no choice of either. */
void encode_memcpy(void)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (slot->segments[i].content == READPLUS_CONTENT_DATA)
            memcpy((uint8_t *)(uintptr_t)slot->placed[i].data,
                   slot->segments[i].data, slot->segments[i].length);
}

/* Headers around data that is where it belongs. */
void encode_ours_placed(void)
{
    encode_into_out(slot->placed);
}

void encode_floor_placed(void)
{
    uint8_t *p = put_head(slot->out, true, count);
    const struct readplus_segment *s = slot->placed;
    size_t i;

    for (i = 0; i < count; i++, s++) {
        put32(p, s->content);
        put64(p + 4, s->offset);
        if (s->content == READPLUS_CONTENT_HOLE) {
            put64(p + 12, s->length);
            p += 20;
        } else {
            put32(p + 12, (uint32_t)s->length);
            p += 16 + s->length;
        }
    }
}

/* ---- decoders ------------------------------------------------------------- */

typedef enum readplus_error res_decode_t(const struct readplus_args *,
                                         const void *, size_t, uint32_t,
                                         struct readplus_segment *, size_t,
                                         struct readplus_res *);

static inline void decode_batch(res_decode_t *volatile *decode)
{
    struct readplus_res got;

    bench_must((*decode)(NULL, slot->item, item_len, 0, slot->taken, count,
                         &got) == READPLUS_OK &&
                   got.count == count && got.eof,
               "res_decode");
}

void decode_ours_batch(void)
{
    static res_decode_t *volatile ours = readplus_res_decode;

    decode_batch(&ours);
}

void decode_ours_each(void)
{
    struct readplus_decoder decoder;
    struct readplus_segment *s = slot->taken;
    enum readplus_error error;

    bench_must(readplus_decoder_init_buffer(&decoder, NULL, slot->item,
                                            item_len, 0) == READPLUS_OK,
               "decoder_init");
    while ((error = readplus_decoder_next(&decoder, s)) == READPLUS_OK)
        s++;
    bench_must(error == READPLUS_END, "decoder_next");
}

static inline uint32_t get32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, 4);
    return __builtin_bswap32(v);
}

static inline uint64_t get64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, 8);
    return __builtin_bswap64(v);
}

/* Believes everything, the count too. */
static enum readplus_error floor_decode(const struct readplus_args *args,
                                        const void *buffer, size_t len,
                                        uint32_t flags,
                                        struct readplus_segment *s,
                                        size_t capacity,
                                        struct readplus_res *res)
{
    const uint8_t *p = buffer;
    size_t n = get32(p + 8), i;

    (void)args;
    (void)len;
    (void)flags;
    (void)capacity;
    res->status = get32(p);
    res->eof = get32(p + 4) == 1;
    for (i = 0, p += 12; i < n; i++) {
        uint32_t content = get32(p);
        uint64_t offset = get64(p + 4), length;
        const uint8_t *data = NULL;

        if (content == 1) {
            length = get64(p + 12);
            p += 20;
        } else {
            length = get32(p + 12);
            data = p + 16;
            p = data + ((length + 3) & ~(uint64_t)3);
        }
        s[i] = (struct readplus_segment){(enum readplus_content)content, offset,
                                         length, data};
    }
    res->count = n;
    res->size = (uint64_t)(p - (const uint8_t *)buffer);
    return READPLUS_OK;
}

void decode_floor(void)
{
    static res_decode_t *volatile straight = floor_decode;

    decode_batch(&straight);
}

/* ---- delivery ------------------------------------------------------------- */

static void delivered(enum readplus_error error,
                      const struct readplus_result *result)
{
    bench_must(error == READPLUS_OK && result->bytes == range && result->eof,
               "not delivered");
}

static struct readplus_args args_of_all(void)
{
    return (struct readplus_args){.offset = 0, .count = range};
}

void deliver_scatter(void)
{
    struct readplus_args args = args_of_all();
    struct iovec to = {slot->row + FRONT, range};
    struct readplus_decoder decoder;
    struct readplus_result result;

    bench_must(readplus_decoder_init_buffer(&decoder, &args, slot->item,
                                            item_len, 0) == READPLUS_OK,
               "decoder_init");
    delivered(readplus_scatter(&decoder, &to, 1, 0, &result), &result);
}

/* A memcpy stands for what receives the reply; so it does for the stream. */
void deliver_expand(void)
{
    struct iovec row = {slot->row, FRONT + range + READPLUS_EXPAND_BACK};
    struct readplus_expansion e = {.args = args_of_all(),
                                   .iov = &row,
                                   .pieces = 1,
                                   .reply_len = item_len,
                                   .content = FRONT,
                                   .content_len = range};
    struct readplus_result result;

    bench_must(readplus_expand_place(range, item_len, &e.reply) == READPLUS_OK,
               "no place");
    memcpy(slot->row + e.reply, slot->item, item_len);
    delivered(readplus_expand_segments(&e, slot->taken, count, &result),
              &result);
}

void deliver_stream(void)
{
    struct readplus_args args = args_of_all();
    struct iovec to = {slot->row + FRONT, range}, iov[2];
    struct readplus_result result;
    struct readplus_stream s;
    size_t at = 0, n, i;

    bench_must(readplus_stream_init(&s, &args, &to, 1, 0) == READPLUS_OK,
               "stream_init");
    while (readplus_stream_want(&s, iov, 2, &n) == READPLUS_OK) {
        size_t got = 0;

        for (i = 0; i < n; i++) {
            memcpy(iov[i].iov_base, slot->item + at + got, iov[i].iov_len);
            got += iov[i].iov_len;
        }
        at += got;
        bench_must(readplus_stream_advance(&s, got) == READPLUS_OK, "advance");
    }
    delivered(readplus_stream_end(&s, &result), &result);
}

/* The whole content, at once. */
void deliver_memcpy(void)
{
    memcpy(slot->row + FRONT, slot->file, range);
}
