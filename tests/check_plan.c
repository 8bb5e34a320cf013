/*
 * The planner against a model that holds a small file as one byte a byte:
 * every layout of a few runs, every budget.  What is checked there is what the
 * Laws say; how good a plan is, is measured against the best there can be.
 */
#include <readplus.h>

#include <stdio.h>

#include "check_main.h"

/* ck_assert() makes a system call each time; these run by the million. */
#define HOLDS(what) ((what) ? (void)0 : ck_abort_msg("%s", #what))

#define CAPACITY 64
#define FILE_MAX 2048

/* A file: which bytes lie in a hole, and what is asked of it. */
struct model {
    bool hole[FILE_MAX + 1];
    uint64_t size;
    struct readplus_args args;
    struct readplus_limits limits;
    uint32_t capacity;
};

struct answer {
    struct readplus_segment segments[CAPACITY];
    enum readplus_error error;
    uint32_t count;
    uint64_t size, next;
    bool eof;
};

static uint64_t rnd(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t below(uint64_t n)
{
    return rnd() % n;
}

static void lay(struct model *m, bool hole, uint64_t length)
{
    while (length-- > 0)
        m->hole[m->size++] = hole;
}

static void model_init(struct model *m)
{
    memset(m, 0, sizeof(*m));
    readplus_limits_init(&m->limits, READPLUS_PRESET_DEFAULT);
    m->limits.minhole = 0;
    m->capacity = CAPACITY;
}

static uint64_t model_end(const struct model *m)
{
    uint64_t end = readplus_args_end(&m->args);

    if (end > m->size)
        end = m->size;
    return end > m->args.offset ? end : m->args.offset;
}

/* The run that holds `at`, at most `most` bytes of it. */
static uint64_t run_length(const struct model *m, uint64_t at, uint64_t most)
{
    uint64_t end = at;

    while (end < m->size && m->hole[end] == m->hole[at] && end - at < most)
        end++;
    return end - at;
}

/* Plans with extents of at most `most` bytes. */
static void plan_model(const struct model *m, uint64_t most, struct answer *a)
{
    struct readplus_plan plan;
    enum readplus_error error;
    uint64_t at = 0;

    a->error = readplus_plan_init(&plan, &m->args, m->size, &m->limits,
                                  a->segments, m->capacity);
    HOLDS(a->error == READPLUS_OK);
    memset(a->segments, 0, sizeof(a->segments));
    for (error = READPLUS_OK; error == READPLUS_OK && at < m->size;) {
        uint64_t length = run_length(m, at, most);

        error = readplus_plan_add(
            &plan, m->hole[at] ? READPLUS_CONTENT_HOLE : READPLUS_CONTENT_DATA,
            at, length);
        at += length;
    }
    HOLDS(error == READPLUS_OK || error == READPLUS_END);
    a->error = readplus_plan_finish(&plan);
    a->count = readplus_plan_count(&plan);
    a->size = readplus_plan_size(&plan);
    a->next = readplus_plan_next(&plan);
    a->eof = readplus_plan_eof(&plan);
}

/* One segment: it says nothing that is not so. */
static void check_segment(const struct model *m,
                          const struct readplus_segment *s)
{
    uint64_t lo = m->args.offset, hi = model_end(m), i;

    HOLDS(s->length > 0);
    HOLDS(s->offset + s->length <= m->size);
    if (s->content == READPLUS_CONTENT_DATA ||
        !(m->limits.flags & READPLUS_LIMIT_WHOLE)) {
        HOLDS(s->offset >= lo);
        HOLDS(s->offset + s->length <= hi);
    } else {
        HOLDS(s->offset >= lo || s->offset >= m->limits.hole_lo);
        HOLDS(s->offset + s->length <= hi ||
              s->offset + s->length <= m->limits.hole_hi);
        HOLDS(s->offset < hi && s->offset + s->length > lo);
    }
    if (s->content == READPLUS_CONTENT_DATA)
        return;
    for (i = s->offset; i < s->offset + s->length; i++)
        HOLDS(m->hole[i]);
}

static void check_linux(const struct model *m, const struct answer *a)
{
    uint64_t wire = 0, covered, fill = (uint64_t)(-m->args.count & 3u);
    uint32_t i;

    for (i = 0; i < a->count; i++) {
        const struct readplus_segment *s = &a->segments[i];

        wire += s->content == READPLUS_CONTENT_DATA
                    ? readplus_data_size((uint32_t)s->length)
                    : READPLUS_HOLE_SIZE;
        covered = s->offset + s->length - m->args.offset;
        if (i + 1 < a->count)
            HOLDS(wire <= 16 + covered);
        if (s->content == READPLUS_CONTENT_HOLE)
            HOLDS(s->offset >= m->args.offset ||
                  s->offset + s->length <= readplus_args_end(&m->args));
    }
    HOLDS(wire <= 16 + m->args.count + fill);
}

/* Everything that holds of any plan. */
static void check_answer(const struct model *m, const struct answer *a)
{
    uint64_t start = m->args.offset, end = model_end(m), at = start, size;
    uint64_t wanted = readplus_args_end(&m->args);
    uint64_t most = m->limits.maxsegs == 0 ? m->capacity : m->limits.maxsegs;
    uint32_t i;

    if (m->limits.maxcount >= 28 && m->capacity > 0)
        HOLDS(a->error == READPLUS_OK);
    for (i = 0; i < a->count; i++) {
        const struct readplus_segment *s = &a->segments[i];

        HOLDS(i == 0 ? s->offset <= start : s->offset == at);
        check_segment(m, s);
        at = s->offset + s->length;
    }
    HOLDS(a->next == at);
    HOLDS(a->count <= most);
    HOLDS(readplus_res_size(a->segments, a->count, &size) == 0);
    HOLDS(a->size == size);
    if (m->limits.maxcount != UINT32_MAX)
        HOLDS(size - 4 <= m->limits.maxcount);
    HOLDS(a->eof == ((at < wanted ? at : wanted) >= m->size));
    if (a->error == READPLUS_OK && end > start)
        HOLDS(at > start);
    if (m->limits.maxcount == UINT32_MAX && most == CAPACITY)
        HOLDS(at >= end);
    if (m->limits.flags & READPLUS_LIMIT_LINUX)
        check_linux(m, a);
}

static uint64_t covered(const struct model *m, const struct answer *a)
{
    uint64_t end = model_end(m);

    return (a->next < end ? a->next : end) - m->args.offset;
}

/* Every budget up to what the whole answer takes: more never covers less. */
static void check_budgets(struct model *m)
{
    struct readplus_limits limits = m->limits;
    struct answer whole, a;
    uint64_t before = 0;
    uint32_t maxcount;

    plan_model(m, FILE_MAX, &whole);
    check_answer(m, &whole);
    for (maxcount = 8; maxcount + 4 <= whole.size; maxcount++) {
        m->limits.maxcount = maxcount;
        plan_model(m, FILE_MAX, &a);
        check_answer(m, &a);
        HOLDS(covered(m, &a) >= before);
        before = covered(m, &a);
    }
    m->limits = limits;
    HOLDS(before == covered(m, &whole));
}

/* ---- all small layouts --------------------------------------------------- */

static const uint8_t lengths[] = {0, 1, 4, 7, 23, 25, 37, 39, 42, 44};
#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* Layout number n of `runs` runs; false where there is no such layout. */
static bool layout(struct model *m, unsigned n, unsigned runs)
{
    unsigned i;

    m->size = 0;
    for (i = 0; i < runs; i++) {
        lay(m, (i & 1) != 0, lengths[n % LENGTHS]);
        n /= LENGTHS;
    }
    m->args.offset = 0;
    m->args.count = (uint32_t)m->size;
    return n == 0;
}

static void every_layout(uint32_t flags, uint32_t minhole, unsigned step)
{
    struct model m;
    unsigned n;

    model_init(&m);
    m.limits.flags = flags;
    m.limits.minhole = minhole;
    step *= check_slow();
    for (n = 0; layout(&m, n, 5); n += step)
        check_budgets(&m);
}

START_TEST(layouts_default)
{
    every_layout(0, 0, 1);
}
END_TEST

START_TEST(layouts_linux)
{
    every_layout(READPLUS_LIMIT_LINUX, 0, 1);
}
END_TEST

START_TEST(layouts_minhole)
{
    every_layout(0, 5, 3);
    every_layout(READPLUS_LIMIT_LINUX, 24, 3);
}
END_TEST

START_TEST(layouts_one)
{
    every_layout(READPLUS_LIMIT_ONE, 0, 3);
    every_layout(READPLUS_LIMIT_NO_HOLES, 0, 3);
}
END_TEST

/* ---- against the best there can be --------------------------------------- */

/*
 * least[n]: the fewest bytes of elements that cover the first n bytes.  State
 * 0 to 3: in a data element of that length modulo 4; 4: in a hole.
 */
static void find_best(const struct model *m, uint32_t *least)
{
    uint32_t now[5], next[5], best = 0;
    uint64_t at;
    int i;

    memset(now, 0x7f, sizeof(now));
    least[0] = 0;
    for (at = 0; at < m->size; at++) {
        for (i = 0; i < 4; i++)
            next[i] = now[(i + 3) & 3] + (i == 1 ? 4 : 0);
        if (best + 20 < next[1])
            next[1] = best + 20;
        next[4] = now[4] < best + 20 ? now[4] : best + 20;
        if (!m->hole[at])
            next[4] = 0x7f7f7f7f;
        for (i = 0, best = next[4]; i < 4; i++)
            best = next[i] < best ? next[i] : best;
        least[at + 1] = best;
        memcpy(now, next, sizeof(now));
    }
}

/* How many bytes of room more than the best this plan needs to cover as much,
 * for the worst budget. */
static uint32_t behind_best(struct model *m)
{
    static uint32_t least[FILE_MAX + 1];
    uint32_t maxcount, worst = 0, room;
    struct answer a;
    uint64_t n = 0;

    find_best(m, least);
    for (maxcount = 8; n < m->size; maxcount++) {
        m->limits.maxcount = maxcount;
        plan_model(m, FILE_MAX, &a);
        /* What is covered from here on was not with one byte less. */
        for (room = maxcount - 8; n < a.next; n++)
            if (room - least[n + 1] > worst)
                worst = room - least[n + 1];
    }
    return worst;
}

/* Every `step`th layout of so many runs: how far off plan.h says they are. */
static void check_best(unsigned runs, unsigned step)
{
    struct model m;
    uint32_t worst = 0, behind;
    unsigned n = 1, i, number;

    step *= runs > 3 ? check_slow() : 1;
    for (i = 0; i < runs; i++)
        n *= LENGTHS;
    for (number = 0; number < n; number += step) {
        model_init(&m);
        layout(&m, number, runs);
        behind = behind_best(&m);
        worst = behind > worst ? behind : worst;
    }
    printf("%u runs: at most %u bytes behind the best\n", runs, worst);
    fflush(stdout);
    ck_assert_uint_eq(worst, runs < 3 ? 0 : 20);
}

START_TEST(near_the_best)
{
    check_best(1, 1);
    check_best(2, 1);
    check_best(3, 1);
    check_best(5, 7);
    check_best(7, 7001);
}
END_TEST

/* Many holes that are just worth it, or just not. */
START_TEST(near_the_best_for_long)
{
    struct model m;
    uint32_t worst = 0, behind;
    int i, run;

    for (i = 0; i < 300 / (int)check_slow(); i++) {
        model_init(&m);
        for (run = 0; run < 50; run++)
            lay(&m, (run & 1) != 0, run & 1 ? 36 + below(8) : 1 + below(7));
        m.args.count = (uint32_t)m.size;
        behind = behind_best(&m);
        worst = behind > worst ? behind : worst;
    }
    printf("25 holes: at most %u bytes behind the best\n", worst);
    fflush(stdout);
    ck_assert_uint_le(worst, 20 + 4 * 25);
}
END_TEST

/* Not by memcmp: the bytes between the members are anybody's. */
static bool same_segments(const struct answer *a, const struct answer *b)
{
    const struct readplus_segment *x = a->segments, *y = b->segments;
    uint32_t i;

    for (i = 0; i < b->count; i++)
        if (x[i].content != y[i].content || x[i].offset != y[i].offset ||
            x[i].length != y[i].length || x[i].data != y[i].data)
            return false;
    return true;
}

/* Anything goes: the answer is legal, and the same however it is told. */
START_TEST(random_layouts)
{
    struct answer whole, parts;
    struct model m;
    int i;

    for (i = 0; i < 200000 / (int)check_slow(); i++) {
        uint64_t most = below(4) == 0 ? 400 : 60;

        model_init(&m);
        while (m.size < 1000)
            lay(&m, below(2) != 0, below(most));
        m.args.offset = below(4) == 0 ? 0 : below(m.size + 5);
        m.args.count = (uint32_t)below(1200);
        m.limits.flags = (uint32_t)below(32);
        m.limits.minhole = below(2) ? 0 : (uint32_t)below(below(100) + 1);
        m.limits.maxsegs = below(2) ? 0 : (uint32_t)below(6);
        m.limits.maxcount = 8 + (uint32_t)below(1200);
        if (m.limits.flags & READPLUS_LIMIT_WHOLE && below(2)) {
            m.limits.hole_lo = below(m.size);
            m.limits.hole_hi = m.limits.hole_lo + below(300);
        }
        m.capacity = below(4) ? CAPACITY : (uint32_t)below(4);
        plan_model(&m, FILE_MAX, &whole);
        check_answer(&m, &whole);
        plan_model(&m, 1 + below(40), &parts);
        check_answer(&m, &parts);
        /* Of a whole hole, what follows the request may stay untold. */
        if (m.limits.flags & READPLUS_LIMIT_WHOLE)
            continue;
        HOLDS(parts.error == whole.error && parts.count == whole.count);
        HOLDS(parts.next == whole.next && parts.eof == whole.eof);
        HOLDS(same_segments(&parts, &whole));
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("plan");
    TCase *tc = check_case(s, "layouts");

    tcase_add_test(tc, layouts_default);
    tcase_add_test(tc, layouts_linux);
    tcase_add_test(tc, layouts_minhole);
    tcase_add_test(tc, layouts_one);
    tcase_add_test(tc, random_layouts);
    tcase_add_test(tc, near_the_best);
    tcase_add_test(tc, near_the_best_for_long);
    return check_run(s);
}
