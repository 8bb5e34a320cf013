/*
 * The encoder under any order of calls, legal or not: whatever it finishes, a
 * strict decoder accepts, and it keeps budgets, policies and the rules of the
 * Linux preset; whatever it refuses changes nothing.
 */
#include "encoder.h"
#include "transcript.h"

/* A file, a request and limits that are close to each other. */
static void random_setup(struct setup *t, uint64_t *rng)
{
    static const uint32_t flags[] = {
        0,
        0,
        READPLUS_LIMIT_WHOLE,
        READPLUS_LIMIT_LINUX,
        READPLUS_LIMIT_LINUX | READPLUS_LIMIT_WHOLE,
        READPLUS_LIMIT_NO_HOLES,
    };

    setup_init(t, rng_below(rng, 200), (uint32_t)rng_below(rng, 300),
               rng_below(rng, 400), flags[rng_below(rng, ARRAY_LEN(flags))]);
    if (rng_below(rng, 8) == 0) {
        t->args.offset += UINT64_MAX - 300;
        t->file_size += UINT64_MAX - 400;
    }
    if (rng_below(rng, 2) == 0)
        t->limits.maxcount = 8 + (uint32_t)rng_below(rng, 300);
    if (rng_below(rng, 3) == 0)
        t->limits.maxsegs = (uint32_t)rng_below(rng, 5);
    if (rng_below(rng, 3) == 0) {
        t->limits.hole_lo = t->args.offset / 2;
        t->limits.hole_hi = readplus_args_end(&t->args) + 7;
    }
    if (rng_below(rng, 3) == 0)
        t->len = 12 + rng_below(rng, 200);
}

/* Mostly where the next element must begin. */
static uint64_t random_place(const struct setup *t, uint64_t *rng)
{
    uint64_t next = readplus_encoder_next(&t->encoder);

    switch (rng_below(rng, 8)) {
    case 0:
        return next + rng_below(rng, 10);
    case 1:
        return next - rng_below(rng, next < 10 ? next + 1 : 10);
    case 2:
        return rng_next(rng);
    default:
        return next;
    }
}

static enum readplus_error random_call(struct setup *t, uint64_t *rng)
{
    uint64_t place = random_place(t, rng);
    uint64_t length = rng_below(rng, rng_below(rng, 300) + 1);
    uint32_t granted = 0;

    if (rng_below(rng, 12) == 0)
        length = rng_next(rng);
    switch (rng_below(rng, 8)) {
    case 0:
        return readplus_encoder_data_commit(&t->encoder, (uint32_t)length);
    case 1:
    case 2:
    case 3:
        return hole(t, place, length);
    default:
        return data(t, place, length, (uint32_t)rng_below(rng, 500), &granted);
    }
}

/* Law 6: the two rules of the Linux client, from its side. */
static void linux_is_safe(const struct setup *t, const struct transcript *r,
                          size_t len)
{
    uint64_t wire = 0, covered = 0,
             room = 16 + ((uint64_t)t->args.count + 3) / 4 * 4;
    size_t i;

    ck_assert_uint_le(len - 12, room);
    for (i = 0; i < r->count; i++) {
        const struct readplus_segment *s = &r->seen[i].segment;

        if (i > 0)
            ck_assert_uint_le(wire, 16 + covered);
        wire += s->content == READPLUS_CONTENT_HOLE
                    ? 20
                    : 16 + (s->length + 3) / 4 * 4;
        covered = s->offset + s->length - t->args.offset;
        ck_assert(s->offset >= t->args.offset ||
                  s->offset + s->length <= readplus_args_end(&t->args));
    }
}

/* One element: where it may lie, and what is in it. */
static void element_is_right(const struct setup *t, const struct seen *seen,
                             const uint8_t *bytes)
{
    const struct readplus_segment *s = &seen->segment;
    uint64_t end = s->offset + s->length, asked = readplus_args_end(&t->args);
    uint32_t i;

    ck_assert_uint_gt(s->length, 0);
    ck_assert_uint_le(end, t->file_size);
    if (s->content == READPLUS_CONTENT_HOLE) {
        ck_assert(!(t->limits.flags & READPLUS_LIMIT_NO_HOLES));
        if (!(t->limits.flags & READPLUS_LIMIT_WHOLE))
            ck_assert(s->offset >= t->args.offset && end <= asked);
        ck_assert(s->offset >= t->args.offset ||
                  s->offset >= t->limits.hole_lo);
        ck_assert(end <= asked || end <= t->limits.hole_hi);
        ck_assert(end > t->args.offset && s->offset < asked);
        return;
    }
    ck_assert(s->offset >= t->args.offset && end <= asked);
    for (i = 0; i < s->length; i++)
        if (bytes[seen->at + 16 + i] != file_byte(s->offset + i))
            ck_abort_msg("byte %u of %u", i, (unsigned)s->length);
}

static void reply_is_right(const struct setup *t, size_t len)
{
    struct iovec whole = {exact_copy(t->buffer, len), len};
    uint64_t asked = readplus_args_end(&t->args);
    uint64_t reached = readplus_encoder_next(&t->encoder);
    struct transcript r;
    size_t i;

    transcript_of(&r, &whole, 1, &t->args, 0, 0);
    expect_error(r.end, READPLUS_END);
    ck_assert_uint_le(len, t->len);
    ck_assert_uint_le(len - 4, t->limits.maxcount);
    ck_assert(t->limits.maxsegs == 0 || r.count <= t->limits.maxsegs);
    for (i = 0; i < r.count; i++)
        element_is_right(t, &r.seen[i], t->buffer);
    if (r.count > 0)
        ck_assert_uint_eq(r.seen[r.count - 1].segment.offset +
                              r.seen[r.count - 1].segment.length,
                          reached);
    /* law 4 */
    ck_assert_int_eq(r.eof,
                     (reached < asked ? reached : asked) >= t->file_size);
    /* law 3 */
    ck_assert(r.count > 0 || r.eof || t->args.count == 0 ||
              t->args.offset == asked);
    if (t->limits.flags & READPLUS_LIMIT_LINUX)
        linux_is_safe(t, &r, len);
    transcript_free(&r);
    free(whole.iov_base);
}

/* One reply; returns whether there was one. */
static bool random_reply(uint64_t *rng)
{
    struct readplus_encoder before;
    uint8_t bytes[BUFFER];
    enum readplus_error error;
    struct setup t;
    size_t len = 77, calls;

    random_setup(&t, rng);
    expect_error(start(&t), READPLUS_OK);
    for (calls = rng_below(rng, 12); calls > 0; calls--) {
        memcpy(&before, &t.encoder, sizeof(before));
        memcpy(bytes, t.buffer, t.encoder.size);
        error = random_call(&t, rng);
        if (memcmp(bytes, t.buffer, before.size) != 0 ||
            (error != READPLUS_OK &&
             memcmp(&before, &t.encoder, sizeof(before)) != 0))
            ck_abort_msg("%s changed something", readplus_error_name(error));
    }
    error = readplus_encoder_finish(&t.encoder, &len);
    if (error == READPLUS_OK)
        reply_is_right(&t, len);
    else
        expect_error(error, READPLUS_ERR_NO_PROGRESS);
    free(t.buffer);
    return error == READPLUS_OK;
}

START_TEST(any_order_of_calls)
{
    uint64_t rng = (uint64_t)_i * 104729;
    int round, good = 0;

    for (round = 0; round < 1500; round++)
        good += random_reply(&rng);
    ck_assert_int_gt(good, 700);
}
END_TEST

/* Law 5, for all maxcounts: what is covered grows with them. */
static uint64_t covered_with(uint32_t maxcount, uint64_t rng)
{
    uint64_t place, length;
    uint32_t granted;
    struct setup t;

    setup_init(&t, 0, 400, 400, 0);
    t.limits.maxcount = maxcount;
    expect_error(start(&t), READPLUS_OK);
    for (place = 0; place < 400; place += length) {
        length = 1 + rng_below(&rng, 60);
        if (rng_below(&rng, 2) == 0) {
            if (hole(&t, place, length) != READPLUS_OK)
                break;
        } else if (data(&t, place, length, 60, &granted) != READPLUS_OK ||
                   readplus_encoder_next(&t.encoder) < place + length) {
            break;
        }
    }
    place = readplus_encoder_next(&t.encoder);
    free(t.buffer);
    return place < 400 ? place : 400;
}

START_TEST(more_room_covers_more)
{
    uint64_t before = 0, now;
    uint32_t maxcount;

    for (maxcount = 28; maxcount < 500; maxcount++, before = now) {
        now = covered_with(maxcount, (uint64_t)_i);
        ck_assert_uint_ge(now, before);
        ck_assert_uint_gt(now, 0);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("encoder at random");
    TCase *tc = check_case(s, "laws");

    tcase_add_loop_test(tc, any_order_of_calls, 0, 16);
    tcase_add_loop_test(tc, more_room_covers_more, 0, 10);
    return check_run(s);
}
