/*
 * A reply as a list of extents, taken in portions of a few entries: merged,
 * ascending, without gaps, and what a plain walk over the same elements makes
 * of them; a second reply that says the same adds nothing.
 */
#include "invariants.h"

#include "../transcript.h"

const size_t fuzz_params = FUZZ_PARAMS;

#define MOST 2048

/* A list that only grows. */
struct list {
    struct readplus_extent e[MOST / 4];
    size_t n;
};

static void list_add(struct list *l, enum readplus_content content,
                     uint64_t offset, uint64_t end)
{
    struct readplus_extent *last = l->n > 0 ? &l->e[l->n - 1] : NULL;

    if (last != NULL && last->content == content)
        last->length += end - offset;
    else
        l->e[l->n++] = (struct readplus_extent){content, offset, end - offset};
}

/* Returns where it ends. */
static uint64_t model(const struct fuzz_reply *r, const struct transcript *t,
                      struct list *l, bool *clipped)
{
    uint64_t next = r->args.offset, wanted = readplus_args_end(&r->args);
    size_t i;

    l->n = 0;
    *clipped = false;
    for (i = 0; i < t->count; i++) {
        const struct readplus_segment *s = &t->seen[i].segment;
        uint64_t lo = s->offset, hi = s->offset + s->length;

        if (r->options & FUZZ_CLIP) {
            *clipped = *clipped || hi > wanted;
            hi = hi < wanted ? hi : wanted;
        }
        if (hi <= next)
            continue;
        if (l->n > 0 || r->options & FUZZ_CLIP)
            lo = next;
        list_add(l, s->content, lo, hi);
        next = hi;
    }
    return next;
}

static void drain(struct readplus_extents *e,
                  const struct readplus_extent *array, struct list *l)
{
    size_t i;

    invariant_extents(e);
    for (i = 0; i < readplus_extents_count(e); i++)
        l->e[l->n++] = array[i];
    readplus_extents_drain(e);
}

/* One reply, in as many portions as it takes. */
static enum readplus_error add(const struct fuzz_reply *r,
                               const struct fuzz_cut *c,
                               struct readplus_extents *e,
                               const struct readplus_extent *array,
                               struct list *l)
{
    struct readplus_decoder decoder;
    enum readplus_error error;

    error = readplus_decoder_init(&decoder, &r->args, c->iov, c->n, r->flags);
    if (error != READPLUS_OK)
        return error;
    while ((error = readplus_extents_add(e, &decoder)) == READPLUS_ERR_LIMIT)
        drain(e, array, l);
    invariant_extents(e);
    return error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct list got, want;
    struct readplus_extent array[5];
    struct readplus_extents e;
    struct transcript t;
    struct fuzz_reply r;
    struct fuzz_cut c;
    enum readplus_error error;
    uint64_t next;
    bool clipped;

    if (!fuzz_reply_read(&r, data, size) || r.len > MOST)
        return 0;
    transcript_plain(&t, r.item, r.len, &r.args, r.flags);
    next = model(&r, &t, &want, &clipped);
    fuzz_cut_open(&c, r.item, r.len, r.cuts);
    HOLDS(readplus_extents_init(&e, r.args.offset, array, 1 + r.cuts % 5u,
                                r.options & FUZZ_CLIP ? READPLUS_EXTENTS_CLIP
                                                      : 0) == READPLUS_OK);
    got.n = 0;
    error = add(&r, &c, &e, array, &got);
    if (t.end == READPLUS_END || (r.flags & READPLUS_DECODE_TOLERANT &&
                                  t.fault.segment != READPLUS_NO_SEGMENT))
        HOLDS(error == READPLUS_OK);
    else
        HOLDS(error == t.end);
    HOLDS(readplus_extents_eof(&e) ==
          (t.end == READPLUS_END && t.eof && !clipped));
    HOLDS(readplus_extents_next(&e) == next);
    (void)add(&r, &c, &e, array, &got);
    HOLDS(readplus_extents_next(&e) == next);
    while (readplus_extents_finish(&e) == READPLUS_ERR_LIMIT)
        drain(&e, array, &got);
    drain(&e, array, &got);
    HOLDS(got.n == want.n);
    HOLDS(memcmp(got.e, want.e, got.n * sizeof(got.e[0])) == 0);
    fuzz_cut_close(&c);
    transcript_free(&t);
    return 0;
}
