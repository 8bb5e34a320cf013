/*
 * What the fuzz targets share: an assertion that aborts, so that every fuzzer
 * sees it; the tests' own helpers without Check; and the layout of an input
 * that holds a reply.  Nothing here knows which fuzzer runs it.
 */
#ifndef READPLUS_FUZZ_H
#define READPLUS_FUZZ_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readplus.h>

/* The interface of libFuzzer, which AFL++, honggfuzz and others know too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned seed);

/*
 * Bytes in front of the READ_PLUS4res in this target's inputs: FUZZ_PARAMS or
 * 0.  Every target that is linked with mutator.c says so.
 */
extern const size_t fuzz_params;

static inline void fuzz_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));

static inline void fuzz_fail(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    abort();
}

#define HOLDS(condition)                                                       \
    ((condition) ? (void)0                                                     \
                 : fuzz_fail("%s:%d: %s", __FILE__, __LINE__, #condition))

/* --- in place of tests/check_main.h, whose guard this takes --------------- */

#define READPLUS_TESTS_CHECK_MAIN_H
#define ck_assert(condition) HOLDS(condition)
#define ck_abort_msg fuzz_fail
#define ck_assert_uint_eq(a, b) HOLDS((uint64_t)(a) == (uint64_t)(b))
#define ck_assert_uint_lt(a, b) HOLDS((uint64_t)(a) < (uint64_t)(b))
#define ck_assert_uint_le(a, b) HOLDS((uint64_t)(a) <= (uint64_t)(b))
#define ck_assert_uint_gt(a, b) HOLDS((uint64_t)(a) > (uint64_t)(b))
#define ck_assert_int_eq(a, b) HOLDS((int64_t)(a) == (int64_t)(b))
#define ck_assert_int_ge(a, b) HOLDS((int64_t)(a) >= (int64_t)(b))
#define ck_assert_str_eq(a, b) HOLDS(strcmp(a, b) == 0)
#define ck_assert_ptr_null(p) HOLDS((p) == NULL)
#define ck_assert_ptr_nonnull(p) HOLDS((p) != NULL)
#define ck_assert_ptr_ne(a, b) HOLDS((a) != (b))
#define ck_assert_mem_eq(a, b, n) HOLDS((n) == 0 || memcmp(a, b, n) == 0)

/* A heap block of exactly len bytes: the next one is not ours to read. */
static inline uint8_t *exact_copy(const void *bytes, size_t len)
{
    uint8_t *copy = malloc(len);

    HOLDS(copy != NULL || len == 0);
    if (len > 0)
        memcpy(copy, bytes, len);
    return copy;
}

/* --- numbers from an input ------------------------------------------------ */

/* What is unread of an input that is read as numbers; 0 behind its end. */
struct script {
    const uint8_t *p;
    size_t left;
};

static inline uint64_t script_take(struct script *s, unsigned bytes)
{
    uint64_t v = 0;

    for (; bytes > 0; bytes--) {
        v <<= 8;
        if (s->left > 0) {
            v |= *s->p++;
            s->left--;
        }
    }
    return v;
}

static inline uint8_t script_8(struct script *s)
{
    return (uint8_t)script_take(s, 1);
}

static inline uint32_t script_32(struct script *s)
{
    return (uint32_t)script_take(s, 4);
}

/*
 * A length or an offset where it matters: mostly small, sometimes next to the
 * ends of what 32 or 64 bits hold, sometimes anything.
 */
static inline uint64_t script_size(struct script *s)
{
    uint8_t how = script_8(s);

    switch (how >> 5) {
    case 0:
    case 1:
    case 2:
        return how & 0x3f;
    case 3:
        return script_take(s, 2);
    case 4:
        return (uint64_t)UINT32_MAX + 16 - (how & 0x1f);
    case 5:
        return UINT64_MAX - (how & 0x1f);
    case 6:
        return (uint64_t)1 << (how & 0x1f);
    default:
        return script_take(s, 8);
    }
}

/* --- an input with a reply ------------------------------------------------ */

/*
 * 16 bytes, then the READ_PLUS4res to the end of the input:
 *
 *   0 rpa_offset 8 · 8 rpa_count 4 · 12 options 1 · 13 cuts 1 · 14 room 2
 */
#define FUZZ_PARAMS 16

#define FUZZ_FLAGS 0x07    /* READPLUS_DECODE_ flags as they are */
#define FUZZ_UNRANGED 0x08 /* the decoder is not told the request */
#define FUZZ_ZEROED 0x10   /* READPLUS_SCATTER_ZEROED */
#define FUZZ_SIZED 0x20    /* the stream is told the size */
#define FUZZ_AHEAD 0x40    /* the stream is lent a buffer */
#define FUZZ_CLIP 0x80     /* READPLUS_EXTENTS_CLIP */

struct fuzz_reply {
    struct readplus_args args;
    uint32_t flags;
    uint8_t options, cuts;
    uint16_t room;
    const uint8_t *item;
    size_t len;
};

/* False where the input is too short to be one. */
static inline bool fuzz_reply_read(struct fuzz_reply *r, const uint8_t *data,
                                   size_t size)
{
    struct script s = {data, size};

    if (size < FUZZ_PARAMS)
        return false;
    memset(r, 0, sizeof(*r));
    r->args.offset = script_take(&s, 8);
    r->args.count = script_32(&s);
    r->options = script_8(&s);
    r->flags = r->options & FUZZ_FLAGS;
    r->cuts = script_8(&s);
    r->room = (uint16_t)script_take(&s, 2);
    r->item = s.p;
    r->len = s.left;
    return true;
}

static inline const struct readplus_args *fuzz_args(const struct fuzz_reply *r)
{
    return r->options & FUZZ_UNRANGED ? NULL : &r->args;
}

/* --- cuts ----------------------------------------------------------------- */

#define FUZZ_CUTS 24

/* Bytes in up to FUZZ_CUTS heap blocks of exactly their lengths, some empty. */
struct fuzz_cut {
    struct iovec iov[FUZZ_CUTS];
    size_t n;
};

static inline uint32_t fuzz_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* The same seed makes the same cuts; 0 makes none. */
static inline void fuzz_cut_open(struct fuzz_cut *c, const uint8_t *bytes,
                                 size_t len, unsigned seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u;
    size_t piece;

    for (c->n = 0; c->n < FUZZ_CUTS; c->n++) {
        uint32_t dice = fuzz_random(&state);

        piece = dice % 3 == 0 ? dice / 4 % 3 : dice / 4 % 29;
        if (piece > len || seed == 0 || c->n + 1 == FUZZ_CUTS)
            piece = len;
        c->iov[c->n].iov_base = piece > 0 ? exact_copy(bytes, piece) : NULL;
        c->iov[c->n].iov_len = piece;
        bytes += piece;
        len -= piece;
        if (len == 0 && dice % 5 != 0)
            break;
    }
    if (c->n < FUZZ_CUTS)
        c->n++;
}

static inline void fuzz_cut_close(struct fuzz_cut *c)
{
    while (c->n > 0)
        free(c->iov[--c->n].iov_base);
}

#endif /* READPLUS_FUZZ_H */
