/*
 * The planner, fed by a source that lies and changes its mind: whatever it is
 * told, a hole is planned only where this very request was told of one (Law
 * 9), the Laws of progress, eof, budgets and room hold (3 to 5), what comes out
 * encodes to the size that was foretold and passes the strict decoder and the
 * rules of Linux's client (6), and a file that shrinks takes back what lies
 * behind its end.
 */
#include "invariants.h"

#define SEGMENTS 40
#define ANSWERS 64
#define ENCODED 8192

/* What the source said, and where the planner took it to hold. */
struct answer {
    bool hole;
    uint64_t lo, hi;
};

struct liar {
    struct script in;
    struct readplus_args args;
    struct answer said[ANSWERS];
    size_t n;
    bool lied; /* an answer that breaks the contract */
    enum readplus_error error;
};

struct setup {
    struct readplus_args args;
    struct readplus_limits limits;
    uint64_t file_size;
    uint32_t capacity;
    struct script answers;
};

struct outcome {
    struct readplus_segment s[SEGMENTS];
    struct readplus_plan plan;
    enum readplus_error filled, error;
    uint64_t covered; /* bytes of the request */
};

/* --- the source ----------------------------------------------------------- */

static enum readplus_error refuse(struct liar *l, uint8_t how)
{
    static const enum readplus_error errors[] = {READPLUS_END, READPLUS_ERR_IO,
                                                 READPLUS_ERR_CHANGED,
                                                 READPLUS_ERR_SOURCE};

    l->error = errors[how % 4];
    return l->error;
}

static enum readplus_error answer(void *context, uint64_t offset,
                                  struct readplus_extent *e)
{
    struct liar *l = context;
    uint8_t how = script_8(&l->in);
    uint64_t before = how & 0x20 ? script_size(&l->in) : 0, end;

    if (l->in.left == 0 || l->n == ANSWERS || how >= 0xf8)
        return refuse(l, how);
    e->content = how & 1 ? READPLUS_CONTENT_HOLE : READPLUS_CONTENT_DATA;
    e->offset = before > offset ? 0 : offset - before;
    e->length = script_size(&l->in);
    if (how < 0xe0 && e->length <= before)
        e->length += before + 1;
    if (how >= 0xf0)
        e->offset = script_size(&l->in);
    if (how == 0xf7)
        e->content = (enum readplus_content)2;
    end = e->offset + e->length;
    if (e->offset > offset || end < e->offset || end <= offset ||
        e->content > READPLUS_CONTENT_HOLE) {
        l->lied = true;
        return READPLUS_OK;
    }
    l->said[l->n].hole = e->content == READPLUS_CONTENT_HOLE;
    l->said[l->n].lo = l->n == 0 ? e->offset : offset;
    l->said[l->n++].hi = end;
    return READPLUS_OK;
}

/* Every byte of the hole was called one. */
static void promised(const struct liar *l, const struct readplus_segment *s)
{
    uint64_t at = s->offset;
    size_t i;

    for (i = 0; i < l->n && at < s->offset + s->length; i++)
        if (l->said[i].hole && l->said[i].lo <= at && at < l->said[i].hi)
            at = l->said[i].hi;
    HOLDS(at >= s->offset + s->length);
}

/* --- what a plan must be -------------------------------------------------- */

static uint64_t end_of(const struct setup *t)
{
    uint64_t end = readplus_args_end(&t->args);

    return end < t->file_size ? end : t->file_size;
}

static void check_segment(const struct setup *t, const struct liar *l,
                          const struct readplus_segment *s)
{
    uint64_t lo = t->args.offset, hi = readplus_args_end(&t->args);

    HOLDS(s->data == NULL);
    HOLDS(s->offset + s->length <= t->file_size);
    if (s->content == READPLUS_CONTENT_HOLE) {
        HOLDS(!(t->limits.flags & READPLUS_LIMIT_NO_HOLES));
        promised(l, s);
        if (t->limits.flags & READPLUS_LIMIT_WHOLE) {
            lo = lo < t->limits.hole_lo ? lo : t->limits.hole_lo;
            hi = hi > t->limits.hole_hi ? hi : t->limits.hole_hi;
        }
    }
    HOLDS(s->offset >= lo && s->offset + s->length <= hi);
}

static void check_linux(const struct setup *t, const struct outcome *o)
{
    uint32_t i, n = readplus_plan_count(&o->plan);
    uint64_t wire = 0;

    if (!(t->limits.flags & READPLUS_LIMIT_LINUX))
        return;
    for (i = 0; i < n; i++) {
        const struct readplus_segment *s = &o->s[i];

        wire += s->content == READPLUS_CONTENT_HOLE
                    ? READPLUS_HOLE_SIZE
                    : readplus_data_size((uint32_t)s->length);
        if (i + 1 < n)
            HOLDS(wire <= 16 + s->offset + s->length - t->args.offset);
        if (s->offset < t->args.offset)
            HOLDS(s->offset + s->length <= readplus_args_end(&t->args));
    }
    HOLDS(wire <= readplus_data_size(t->args.count));
}

/* Law 6: it encodes to its size and is accepted. */
static void check_encoded(const struct setup *t, struct outcome *o)
{
    static uint8_t zeros[ENCODED], bytes[ENCODED];
    uint32_t i, n = readplus_plan_count(&o->plan);
    struct readplus_decoder d;
    struct readplus_segment s;
    enum readplus_error error;
    uint64_t size = readplus_plan_size(&o->plan), foretold = 0;
    size_t used = 0;

    HOLDS(readplus_res_size(o->s, n, &foretold) == READPLUS_OK);
    HOLDS(foretold == size);
    HOLDS(size - 4 <= t->limits.maxcount);
    if (size > ENCODED)
        return;
    for (i = 0; i < n; i++)
        if (o->s[i].content == READPLUS_CONTENT_DATA)
            o->s[i].data = zeros;
    HOLDS(readplus_res_encode(0, readplus_plan_eof(&o->plan), o->s, n, bytes,
                              sizeof(bytes), &used, NULL) == READPLUS_OK);
    HOLDS(used == size);
    for (i = 0; i < n; i++)
        o->s[i].data = NULL;
    HOLDS(readplus_decoder_init_buffer(&d, &t->args, bytes, used, 0) ==
          READPLUS_OK);
    while ((error = readplus_decoder_next(&d, &s)) == READPLUS_OK)
        ;
    HOLDS(error == READPLUS_END);
}

static void check(const struct setup *t, const struct liar *l,
                  struct outcome *o)
{
    uint64_t wanted = readplus_args_end(&t->args), end = end_of(t);
    uint64_t next = readplus_plan_next(&o->plan);
    uint32_t i, n = readplus_plan_count(&o->plan);

    invariant_plan(&o->plan);
    for (i = 0; i < n; i++)
        check_segment(t, l, &o->s[i]);
    if (n > 0)
        HOLDS(o->s[0].offset <= t->args.offset);
    HOLDS(n <= t->capacity);
    HOLDS(t->limits.maxsegs == 0 || n <= t->limits.maxsegs);
    HOLDS(readplus_plan_eof(&o->plan) ==
          ((next < wanted ? next : wanted) >= t->file_size));
    check_linux(t, o);
    check_encoded(t, o);
    o->covered = (next < end ? next : end) - t->args.offset;
    if (end <= t->args.offset)
        o->covered = 0;
}

/* Law 3: where it covers nothing it must say why. */
static void check_progress(const struct setup *t, const struct liar *l,
                           const struct outcome *o)
{
    bool work = end_of(t) > t->args.offset;

    if (o->error == READPLUS_OK)
        HOLDS(o->covered > 0 || !work);
    else if (o->error == READPLUS_ERR_NO_PROGRESS)
        HOLDS(t->limits.maxcount < READPLUS_MAXCOUNT_MIN || t->capacity == 0);
    else
        HOLDS(o->error == READPLUS_ERR_SOURCE && l->n == 0 && work);
    if (l->lied)
        HOLDS(o->filled == READPLUS_ERR_SOURCE);
    else if (o->filled != READPLUS_OK)
        HOLDS(o->filled == l->error);
}

/* The file turned out to have another size. */
static void resize(struct setup *t, const struct liar *l, struct outcome *o,
                   uint64_t size)
{
    uint64_t before = readplus_plan_next(&o->plan);
    enum readplus_error error = readplus_plan_resize(&o->plan, size);

    t->file_size = size;
    if (error == READPLUS_ERR_NO_PROGRESS)
        return;
    HOLDS(error == READPLUS_OK);
    HOLDS(readplus_plan_next(&o->plan) <= before);
    check(t, l, o);
}

static bool run(const struct setup *t, struct liar *l, struct outcome *o)
{
    struct readplus_source source = {answer, l};
    enum readplus_error error;

    memset(l, 0, sizeof(*l));
    l->in = t->answers;
    error = readplus_plan_init(&o->plan, &t->args, t->file_size, &t->limits,
                               o->s, t->capacity);
    if (error != READPLUS_OK) {
        HOLDS(t->limits.maxcount < READPLUS_BODY_HEAD_SIZE ||
              t->limits.hole_lo > t->limits.hole_hi);
        return false;
    }
    invariant_plan(&o->plan);
    o->filled = readplus_plan_fill(&o->plan, &source);
    invariant_plan(&o->plan);
    o->error = readplus_plan_finish(&o->plan);
    HOLDS(readplus_plan_finish(&o->plan) == READPLUS_ERR_STATE);
    HOLDS(readplus_plan_add(&o->plan, READPLUS_CONTENT_HOLE, 0, 1) ==
          READPLUS_ERR_STATE);
    check(t, l, o);
    check_progress(t, l, o);
    return true;
}

static void setup_read(struct script *in, struct setup *t)
{
    uint8_t how = script_8(in);

    memset(t, 0, sizeof(*t));
    readplus_limits_init(&t->limits, (enum readplus_preset)(how % 6));
    how = script_8(in);
    if (how & 0x01)
        t->limits.maxcount = (uint32_t)script_size(in) % 400;
    if (how & 0x02)
        t->limits.maxsegs = script_8(in) % 6;
    if (how & 0x04)
        t->limits.minhole = script_8(in) & 0x3f;
    if (how & 0x08)
        t->limits.flags ^= script_8(in) & 0x1f;
    if (how & 0x10) {
        t->limits.hole_lo = script_size(in);
        t->limits.hole_hi = script_size(in);
    }
    t->capacity = how & 0x20 ? script_8(in) % 4 : SEGMENTS;
    t->args.offset = script_size(in);
    t->args.count = (uint32_t)script_size(in);
    t->file_size = how & 0x40 ? script_size(in)
                              : t->args.offset + script_take(in, 2) % 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct script in = {data, size};
    struct outcome one, more; /* as on a stack: nothing in them is set */
    static struct liar l;
    struct setup t, wide;
    uint64_t other;

    setup_read(&in, &t);
    other = script_size(&in);
    t.answers = in;
    if (!run(&t, &l, &one))
        return 0;
    /* Law 5: a larger budget never covers less. */
    wide = t;
    wide.limits.maxcount += 1 + (uint32_t)(other & 0x3f);
    if (wide.limits.maxcount > t.limits.maxcount && run(&wide, &l, &more))
        HOLDS(more.covered >= one.covered);
    (void)run(&t, &l, &one); /* its answers, once more */
    resize(&t, &l, &one, other);
    return 0;
}
