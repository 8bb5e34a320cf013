/*
 * Every file of up to so many extents whose lengths stand at the break-even
 * points of a hole, every budget, every policy: a plan keeps its budget, is
 * the size it says, calls nothing a hole that is not, makes progress where 28
 * bytes are given, says eof when it is there, and with more bytes never covers
 * less.
 */
#include <readplus/plan.h>

#include "exhaustive.h"

#define EXTENTS_MOST 6
#define CAPACITY 32
#define POLICIES 32 /* of flags */

static const uint64_t lengths[] = {1, 4, 19, 37, 42};
#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))
#define LETTERS (2 * LENGTHS)
#define FILE_MOST (EXTENTS_MOST * 42)

struct sparse {
    struct readplus_extent e[EXTENTS_MOST];
    unsigned count;
    uint64_t size;
    bool hole[FILE_MOST];
};

static void sparse_make(struct sparse *f, unsigned count, uint64_t letters)
{
    unsigned i;

    f->count = count;
    f->size = 0;
    for (i = 0; i < count; i++, letters /= LETTERS) {
        bool hole = letters % LETTERS >= LENGTHS;
        uint64_t length = lengths[letters % LENGTHS];

        f->e[i] = (struct readplus_extent){hole ? READPLUS_CONTENT_HOLE
                                                : READPLUS_CONTENT_DATA,
                                           f->size, length};
        memset(f->hole + f->size, hole, length);
        f->size += length;
    }
}

static void honest(const struct sparse *f, const struct readplus_plan *plan,
                   const struct readplus_segment *segments, uint64_t start)
{
    uint32_t i, count = readplus_plan_count(plan);
    uint64_t at = count > 0 ? segments[0].offset : start, k, wire;

    HOLDS(at <= start);
    for (i = 0; i < count; i++) {
        const struct readplus_segment *s = &segments[i];

        HOLDS(s->offset == at && s->length > 0);
        at += s->length;
        HOLDS(at <= f->size);
        for (k = s->offset; s->content == READPLUS_CONTENT_HOLE && k < at; k++)
            HOLDS(f->hole[k]);
    }
    HOLDS(at == readplus_plan_next(plan));
    HOLDS(readplus_res_size(segments, count, &wire) == READPLUS_OK);
    HOLDS(wire == readplus_plan_size(plan));
}

/* One plan; how far it covers the request. */
static uint64_t planned(const struct sparse *f,
                        const struct readplus_limits *limits, uint64_t start,
                        uint32_t wanted)
{
    struct readplus_args args = {.offset = start, .count = wanted};
    struct readplus_segment segments[CAPACITY];
    struct readplus_plan plan;
    enum readplus_error error;
    uint64_t end = start + wanted, far;
    unsigned i;

    HOLDS(readplus_plan_init(&plan, &args, f->size, limits, segments,
                             CAPACITY) == READPLUS_OK);
    for (i = 0; i < f->count; i++) {
        if (f->e[i].offset + f->e[i].length <= start)
            continue;
        error = readplus_plan_add(&plan, f->e[i].content, f->e[i].offset,
                                  f->e[i].length);
        if (error == READPLUS_END)
            break;
        HOLDS(error == READPLUS_OK);
    }
    error = readplus_plan_finish(&plan);
    if (error == READPLUS_ERR_NO_PROGRESS) {
        HOLDS(limits->maxcount < 28);
        return start;
    }
    HOLDS(error == READPLUS_OK);
    HOLDS(readplus_plan_size(&plan) <= limits->maxcount + READPLUS_STATUS_SIZE);
    HOLDS(limits->maxsegs == 0 ||
          readplus_plan_count(&plan) <= limits->maxsegs);
    honest(f, &plan, segments, start);
    far = readplus_plan_next(&plan);
    far = far < end ? far : end;
    HOLDS(readplus_plan_eof(&plan) == (far >= f->size));
    return far;
}

/* All budgets of one policy. */
static void budgets(const struct sparse *f, struct readplus_limits *limits,
                    uint64_t start, uint32_t wanted)
{
    uint64_t before = start, far, end = start + wanted;
    uint32_t most = (uint32_t)(8 + 24 * f->count + 42 * f->count + 24);

    end = end < f->size ? end : f->size;
    for (limits->maxcount = 8; limits->maxcount <= most; limits->maxcount++) {
        far = planned(f, limits, start, wanted);
        HOLDS(far >= before);
        HOLDS(limits->maxcount < 28 || start >= end || far > start);
        before = far;
    }
    HOLDS(limits->maxsegs != 0 || limits->flags & READPLUS_LIMIT_ONE ||
          start >= end || before == end);
}

void exhaust_plans(struct share *share, unsigned bound)
{
    struct readplus_limits limits;
    static struct sparse f;
    uint64_t files = 1, n, at = 0;
    unsigned count;
    uint32_t policy;

    HOLDS(bound <= EXTENTS_MOST);
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    for (count = 1; count <= bound; count++) {
        files *= LETTERS;
        for (n = 0; n < files; n++) {
            sparse_make(&f, count, n);
            for (policy = 0; policy < 2 * POLICIES; policy++) {
                if (!share_has(share, at++))
                    continue;
                limits.flags = policy % POLICIES;
                limits.maxsegs = policy / POLICIES * 2;
                limits.minhole = n % 2 ? 0 : 8;
                budgets(&f, &limits, 0, FILE_MOST);
                budgets(&f, &limits, f.size / 2, (uint32_t)f.size / 3 + 1);
            }
        }
    }
}
