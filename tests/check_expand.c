/*
 * Delivery in place against a plain model of delivery: every small reply at
 * every place, large ones at random, with the row between two pages that
 * nobody may touch, in one piece and in many.
 */
#include "delivery.h"

static struct guard row;
static struct model model;

static void open_guards(void)
{
    guard_open(&row, 2 * REPLY_MOST);
}

static void close_guards(void)
{
    guard_close(&row);
}

/* Room to spare on both sides of what a case uses. */
struct lay {
    struct readplus_expansion e;
    struct iovec iov[64];
    uint8_t *bytes; /* the row */
    size_t len;
    uint8_t before[2 * REPLY_MOST]; /* what was there */
    enum { ONE, PAGES, SCATTERED } how;
    uint8_t *parts[64]; /* of SCATTERED */
};

/*
 * Lays out a row of len bytes with the reply and the user's buffer in it.  In
 * one piece, in pieces that follow each other, or in pieces of a heap block
 * each.
 */
static void lay_out(struct lay *l, const struct readplus_args *args,
                    const uint8_t *reply, size_t reply_len, size_t len,
                    size_t at, size_t content, size_t content_len,
                    uint32_t flags, uint64_t *seed)
{
    size_t i, used = 0, n = 1;

    l->bytes = guard_place(&row, len, below(seed, 2) == 0);
    l->len = len;
    memset(l->bytes, 0xee, len);
    if (flags & READPLUS_SCATTER_ZEROED)
        memset(l->bytes + content, 0, content_len);
    memcpy(l->bytes + at, reply, reply_len);
    memcpy(l->before, l->bytes, len);
    if (l->how != ONE)
        n = 1 + below(seed, 20);
    for (i = 0; i < n; i++) {
        size_t step = i + 1 == n || len == used
                          ? len - used
                          : below(seed, (uint32_t)(len - used) / 3 + 2);

        step = step < len - used ? step : len - used;
        l->iov[i] = (struct iovec){l->bytes + used, step};
        if (l->how == SCATTERED) {
            l->parts[i] = exact_copy(l->bytes + used, step);
            l->iov[i].iov_base = l->parts[i];
        }
        used += step;
    }
    l->e = (struct readplus_expansion){.args = *args,
                                       .iov = l->iov,
                                       .pieces = n,
                                       .reply = at,
                                       .reply_len = reply_len,
                                       .content = content,
                                       .content_len = content_len,
                                       .flags = flags};
}

/* Brings scattered pieces home and looks at everything that must not have
 * changed. */
static void lay_check(struct lay *l)
{
    size_t i, used = 0, c = (size_t)l->e.content;

    for (i = 0; l->how == SCATTERED && i < l->e.pieces; i++) {
        memcpy(l->bytes + used, l->parts[i], l->iov[i].iov_len);
        used += l->iov[i].iov_len;
        free(l->parts[i]);
    }
    guard_check(&row);
    MUST(memcmp(l->bytes, l->before, c) == 0);
    c += (size_t)l->e.content_len;
    MUST(memcmp(l->bytes + c, l->before + c, l->len - c) == 0);
}

/*
 * The least distance from the user's buffer to the reply with which a pass
 * forward works, from the segments alone.
 */
static int64_t least_distance(const struct reply *r, uint32_t count,
                              uint64_t room)
{
    uint64_t end =
        r->args.offset + (room < r->args.count ? room : r->args.count);
    int64_t least = INT64_MIN, at = 12;
    uint32_t i;

    for (i = 0; i + 1 < count; i++) {
        const struct readplus_segment *s = &r->segments[i];
        bool data = s->content == READPLUS_CONTENT_DATA;
        uint64_t lo = s->offset, hi = s->offset + s->length;

        at += data ? 16 + (int64_t)((s->length + 3) / 4 * 4) : 20;
        lo = lo > r->args.offset ? lo : r->args.offset;
        hi = hi < end ? hi : end;
        if (data && lo < hi) {
            int64_t d = (int64_t)(hi - r->args.offset) - at -
                        (s[1].content == READPLUS_CONTENT_DATA ? 16 : 20);

            least = d > least ? d : least;
        }
    }
    return least;
}

/* Expands, and holds the outcome against the model. */
static void expand_is_model(struct lay *l, const struct reply *r, bool room)
{
    struct readplus_result result = {.bytes = 99};
    enum readplus_error error = readplus_expand(&l->e, &result);

    if (room) {
        model_deliver(&model, &r->args, r->bytes, (size_t)l->e.reply_len,
                      l->e.content_len, l->e.flags);
        lay_check(l);
        model_check(&model, error, &result, l->bytes + l->e.content);
    } else {
        lay_check(l);
        MUST(error == READPLUS_ERR_NOSPACE);
        MUST(result.bytes == 99);
        MUST(memcmp(l->bytes, l->before, l->len) == 0);
    }
}

static void segments_are_model(struct lay *l, const struct reply *r,
                               size_t capacity)
{
    struct readplus_result result = {.bytes = 99};
    struct readplus_segment segments[64];
    enum readplus_error error =
        readplus_expand_segments(&l->e, segments, capacity, &result);

    lay_check(l);
    if (error == READPLUS_ERR_LIMIT) {
        MUST(capacity < r->count);
        MUST(result.bytes == 99);
        MUST(memcmp(l->bytes, l->before, l->len) == 0);
        return;
    }
    model_deliver(&model, &r->args, r->bytes, (size_t)l->e.reply_len,
                  l->e.content_len, l->e.flags);
    model_check(&model, error, &result, l->bytes + l->e.content);
}

/* One reply with the reply and the user's buffer where they are told. */
static void try_both(const struct reply *r, size_t len, size_t at,
                     size_t content, size_t content_len, uint32_t flags,
                     uint64_t *seed)
{
    int64_t distance = (int64_t)at - (int64_t)content;
    int64_t least = least_distance(r, r->count, content_len);
    int64_t behind = (int64_t)len - (int64_t)(content + content_len), need;
    static struct lay l;
    uint64_t slack;

    l.how = below(seed, 4) == 0 ? SCATTERED : below(seed, 2) == 0 ? PAGES : ONE;
    lay_out(&l, &r->args, r->bytes, r->len, len, at, content, content_len,
            flags, seed);
    MUST(readplus_expand_slack(&l.e, &slack) == READPLUS_OK);
    need =
        least == INT64_MIN ? 0 : least + (int64_t)r->len - (int64_t)content_len;
    MUST(slack == (uint64_t)(need > 0 ? need : 0));
    if (at + r->len == len && behind >= 0)
        MUST((distance >= least) == ((uint64_t)behind >= slack));
    expand_is_model(&l, r, distance >= least);
    lay_out(&l, &r->args, r->bytes, r->len, len, at, content, content_len,
            flags, seed);
    segments_are_model(&l, r, r->count);
}

/* Every sequence of up to `most` elements with these lengths, by number. */
static bool small_reply(struct reply *r, uint32_t number, uint32_t most)
{
    static const uint64_t lengths[] = {0, 1, 4, 22, 45};
    const uint32_t choices = 2 * sizeof(lengths) / sizeof(lengths[0]);
    uint64_t at = 100;
    uint32_t i;

    r->count = 0;
    for (i = 0; i < most && number > 0; i++) {
        uint32_t k = (number - 1) % choices;

        number = (number - 1) / choices;
        r->segments[r->count++] = (struct readplus_segment){
            k % 2 == 0 ? READPLUS_CONTENT_DATA : READPLUS_CONTENT_HOLE, at,
            lengths[k / 2], NULL};
        at += lengths[k / 2];
    }
    r->args =
        (struct readplus_args){.offset = 100, .count = (uint32_t)(at - 100)};
    if (number > 0)
        return false;
    reply_encode(r, true);
    return true;
}

START_TEST(every_small_reply_at_every_place)
{
    static struct reply r;
    uint64_t seed = 1;
    uint32_t i;

    for (i = 0; small_reply(&r, i, 3); i++) {
        size_t count = r.args.count, len = 30 + count + r.len, at;

        for (at = 0; at + r.len <= len; at++)
            try_both(&r, len, at, 30, count, 0, &seed);
    }
}
END_TEST

/* Longer ones where it matters: one byte too far in front, just right, at the
 * head of the row, and where one would receive them. */
START_TEST(every_reply_of_four_where_it_matters)
{
    static struct reply r;
    uint64_t seed = 2;
    uint32_t i;

    for (i = 10 + 10 * 10 + 10 * 10 * 10; small_reply(&r, i, 4); i++) {
        size_t count = r.args.count, content = r.len + 50, at;
        size_t len = content + count + r.len;
        int64_t least = least_distance(&r, r.count, count);

        if (least != INT64_MIN) {
            at = (size_t)((int64_t)content + least);
            try_both(&r, len, at, content, count, 0, &seed);
            try_both(&r, len, at - 1, content, count, 0, &seed);
        }
        try_both(&r, len, 0, content, count, 0, &seed);
        if (r.len <= count + 31)
            try_both(&r, len, content + (count + 3) / 4 * 4 - r.len, content,
                     count, 0, &seed);
    }
}
END_TEST

/* Many elements, holes past both ends, buffers shorter than the reply, bytes
 * behind the item. */
START_TEST(large_replies_at_random)
{
    static const uint32_t flags[] = {0, READPLUS_DECODE_TOLERANT,
                                     READPLUS_DECODE_TRAILING,
                                     READPLUS_SCATTER_ZEROED};
    static struct reply r;
    uint64_t seed = 3;
    int i;

    for (i = 0; i < 30000; i++) {
        size_t room, front, len, at;

        reply_random(&r, &seed, 60);
        if (below(&seed, 3) > 0)
            r.args.count = below(&seed, 2000);
        if (below(&seed, 8) == 0)
            r.len += below(&seed, 9);
        room = below(&seed, 4) == 0 ? below(&seed, 2100) : r.args.count;
        front = below(&seed, 60);
        len = front + room + r.len + below(&seed, 50);
        at = below(&seed, (uint32_t)(len - r.len) + 1);
        try_both(&r, len, at, front, room, flags[below(&seed, 4)], &seed);
    }
}
END_TEST

/* --- faults -------------------------------------------------------------- */

/* A reply that may be faulty: refused with nothing touched for want of room,
 * or delivered as the model says; with a segment array always the latter. */
static void try_faulty(const struct reply *r, size_t reply_len, uint32_t flags,
                       uint64_t *seed)
{
    size_t count = r->args.count, front = below(seed, 40);
    size_t len = front + count + r->len + 40;
    size_t at = below(seed, (uint32_t)(len - reply_len) + 1);
    struct readplus_result result;
    enum readplus_error error;
    static struct lay l;

    l.how = below(seed, 4) == 0 ? SCATTERED : below(seed, 2) == 0 ? PAGES : ONE;
    lay_out(&l, &r->args, r->bytes, reply_len, len, at, front, count, flags,
            seed);
    error = readplus_expand(&l.e, &result);
    lay_check(&l);
    model_deliver(&model, &r->args, r->bytes, reply_len, count, flags);
    if (error == READPLUS_ERR_NOSPACE)
        MUST(memcmp(l.bytes, l.before, l.len) == 0);
    else
        model_check(&model, error, &result, l.bytes + l.e.content);
    lay_out(&l, &r->args, r->bytes, reply_len, len, at, front, count, flags,
            seed);
    segments_are_model(&l, r, 64);
}

START_TEST(any_prefix_and_any_flipped_bit)
{
    static const uint32_t flags[] = {
        0, 0, READPLUS_DECODE_TOLERANT, READPLUS_DECODE_ANY_PAD,
        READPLUS_DECODE_TRAILING | READPLUS_SCATTER_ZEROED};
    static struct reply r;
    uint64_t seed = 4;
    size_t i;
    int k;

    for (k = 0; k < 25; k++) {
        reply_random(&r, &seed, 5);
        for (i = 0; i <= r.len; i++)
            try_faulty(&r, i, flags[below(&seed, 5)], &seed);
        for (i = 0; i < 8 * r.len; i++) {
            r.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
            try_faulty(&r, r.len, flags[below(&seed, 5)], &seed);
            r.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        }
    }
}
END_TEST

/* --- where to receive ---------------------------------------------------- */

/* Bytes that may not be written: a single data element of any length, placed
 * as documented, is delivered without one store. */
START_TEST(data_in_its_place_is_not_touched)
{
    static struct reply r;
    struct readplus_result result;
    struct readplus_expansion e;
    struct iovec iov;
    uint32_t n;

    for (n = 1; n < 4200; n = n < 20 ? n + 1 : n * 3 + 1) {
        r.args = (struct readplus_args){.offset = 8, .count = n};
        r.count = 1;
        r.segments[0] =
            (struct readplus_segment){READPLUS_CONTENT_DATA, 8, n, NULL};
        reply_encode(&r, true);
        iov.iov_len = READPLUS_EXPAND_FRONT + n + READPLUS_EXPAND_BACK;
        iov.iov_base = guard_place(&row, iov.iov_len, n % 2 == 0);
        e = (struct readplus_expansion){.args = r.args,
                                        .iov = &iov,
                                        .pieces = 1,
                                        .reply_len = r.len,
                                        .content = READPLUS_EXPAND_FRONT,
                                        .content_len = n};
        ck_assert_int_eq(readplus_expand_place(n, r.len, &e.reply),
                         READPLUS_OK);
        ck_assert_uint_eq(e.reply, 0);
        memcpy(row.at, r.bytes, r.len);
        ck_assert_int_eq(mprotect(row.pages, row.size, PROT_READ), 0);
        ck_assert_int_eq(readplus_expand(&e, &result), READPLUS_OK);
        ck_assert_uint_eq(result.bytes, n);
        ck_assert(result.eof);
        ck_assert_int_eq(mprotect(row.pages, row.size, PROT_READ | PROT_WRITE),
                         0);
        ck_assert_mem_eq(row.at + e.content, r.segments[0].data, n);
        guard_check(&row);
    }
}
END_TEST

START_TEST(place_says_what_does_not_fit)
{
    uint64_t at = 7;

    ck_assert_int_eq(readplus_expand_place(4, 33, &at), READPLUS_ERR_NOSPACE);
    ck_assert_int_eq(readplus_expand_place(UINT64_MAX, 33, &at),
                     READPLUS_ERR_NOSPACE);
    ck_assert_int_eq(readplus_expand_place(UINT64_MAX - 28, 33, &at),
                     READPLUS_ERR_NOSPACE);
    ck_assert_uint_eq(at, 7);
    ck_assert_int_eq(readplus_expand_place(4, 32, &at), READPLUS_OK);
    ck_assert_uint_eq(at, 0);
    ck_assert_int_eq(readplus_expand_place(5, 32, &at), READPLUS_OK);
    ck_assert_uint_eq(at, 4);
    ck_assert_int_eq(readplus_expand_place(0, 0, &at), READPLUS_OK);
    ck_assert_uint_eq(at, 28);
}
END_TEST

/* A file of `pieces` extents, planned into r. */
static void plan_random(struct reply *r, const struct readplus_limits *limits,
                        uint64_t *seed)
{
    static const uint32_t reaches[] = {8, 45, 60, 120};
    uint32_t i, reach = reaches[below(seed, 4)];
    struct readplus_plan plan;
    uint64_t at = 100, lengths[64];
    enum readplus_error error = READPLUS_OK;

    for (i = 0; i < 60; i++)
        at += lengths[i] = 1 + below(seed, reach);
    r->args = (struct readplus_args){.offset = 100 + below(seed, 30),
                                     .count = 1 + below(seed, 3000)};
    MUST(readplus_plan_init(&plan, &r->args, at, limits, r->segments, 64) ==
         READPLUS_OK);
    for (i = 0, at = 100; i < 60 && error == READPLUS_OK; at += lengths[i++])
        error = readplus_plan_add(
            &plan, i % 2 == 0 ? READPLUS_CONTENT_DATA : READPLUS_CONTENT_HOLE,
            at, lengths[i]);
    MUST(error >= 0);
    MUST(readplus_plan_finish(&plan) == READPLUS_OK);
    r->count = readplus_plan_count(&plan);
    reply_encode(r, readplus_plan_eof(&plan));
}

/* The bound of readplus/expand.h: whatever our planner says fits in place. */
START_TEST(our_own_replies_need_31_bytes)
{
    static const enum readplus_preset presets[] = {
        READPLUS_PRESET_LINUX_CLIENT, READPLUS_PRESET_DEFAULT,
        READPLUS_PRESET_RDMA, READPLUS_PRESET_SINGLE_DATA,
        READPLUS_PRESET_SINGLE};
    static struct reply r;
    static struct lay l;
    uint64_t seed = 5, at;
    int i;

    for (i = 0; i < 40000; i++) {
        struct readplus_limits limits;
        size_t count;

        readplus_limits_init(&limits, presets[below(&seed, 5)]);
        limits.minhole = below(&seed, 3) == 0 ? 16 : 0;
        if (below(&seed, 2) == 0)
            limits.maxcount = 28 + below(&seed, 2000);
        if (limits.flags & READPLUS_LIMIT_LINUX && below(&seed, 2) == 0)
            limits.flags |= READPLUS_LIMIT_WHOLE;
        plan_random(&r, &limits, &seed);
        count = r.args.count;
        MUST(readplus_expand_place(count, r.len, &at) == READPLUS_OK);
        l.how = ONE;
        lay_out(&l, &r.args, r.bytes, r.len, count + 31, (size_t)at, 28, count,
                0, &seed);
        expand_is_model(&l, &r, true);
    }
}
END_TEST

/* Where the buffer is known to be zero, and the reply did not lie, no hole is
 * written: the lie stays visible. */
START_TEST(zeroed_holes_are_written_where_the_reply_lay)
{
    static struct reply r = {.args = {.offset = 0, .count = 300}, .count = 2};
    struct readplus_result result;
    struct readplus_expansion e;
    struct iovec iov;
    size_t at, i;

    r.segments[0] =
        (struct readplus_segment){READPLUS_CONTENT_HOLE, 0, 290, NULL};
    r.segments[1] =
        (struct readplus_segment){READPLUS_CONTENT_DATA, 290, 10, NULL};
    reply_encode(&r, true);
    for (at = 0; at + r.len <= 300; at += 20) {
        iov = (struct iovec){guard_place(&row, 300, at % 40 == 0), 300};
        e = (struct readplus_expansion){.args = r.args,
                                        .iov = &iov,
                                        .pieces = 1,
                                        .reply = at,
                                        .reply_len = r.len,
                                        .content_len = 300,
                                        .flags = READPLUS_SCATTER_ZEROED};
        memset(row.at, 0xee, 300);
        memcpy(row.at + at, r.bytes, r.len);
        ck_assert_int_eq(readplus_expand(&e, &result), READPLUS_OK);
        ck_assert_uint_eq(result.zero_bytes, 290);
        for (i = 0; i < 290; i++)
            MUST(row.at[i] == (i >= at && i < at + r.len ? 0 : 0xee));
        ck_assert_mem_eq(row.at + 290, r.segments[1].data, 10);
        guard_check(&row);
    }
}
END_TEST

/* --- wrong use ----------------------------------------------------------- */

START_TEST(wrong_use_is_refused)
{
    static uint8_t bytes[64];
    struct iovec iov = {bytes, sizeof(bytes)};
    struct readplus_expansion good = {.args = {.offset = 0, .count = 20},
                                      .iov = &iov,
                                      .pieces = 1,
                                      .reply = 0,
                                      .reply_len = 12,
                                      .content = 44,
                                      .content_len = 20},
                              e = good;
    struct readplus_result result = {.bytes = 99};
    uint64_t slack = 99;
    int i;

    ck_assert_int_eq(readplus_expand_slack(&good, &slack), READPLUS_OK);
    ck_assert_uint_eq(slack, 0);
    slack = 99;
    for (i = 0; i < (SIZE_MAX > UINT32_MAX ? 7 : 6); i++, e = good) {
        struct iovec huge[2] = {iov, {bytes, SIZE_MAX}};
        struct iovec nowhere = {NULL, 64};

        switch (i) {
        case 0:
            e.iov = NULL;
            break;
        case 1:
            e.reply_len = 65;
            break;
        case 2:
            e.reply = 65;
            break;
        case 3:
            e.content = UINT64_MAX;
            break;
        case 4:
            e.flags = 0x8u;
            break;
        case 5:
            e.iov = &nowhere;
            break;
        case 6: /* its sum passes 2^64 */
            e.iov = huge;
            e.pieces = 2;
            break;
        }
        ck_assert_int_eq(readplus_expand(&e, &result), READPLUS_ERR_INVAL);
        ck_assert_int_eq(readplus_expand_slack(&e, &slack), READPLUS_ERR_INVAL);
        ck_assert_int_eq(readplus_expand_segments(&e, NULL, 0, &result),
                         READPLUS_ERR_INVAL);
        ck_assert_uint_eq(result.bytes, 99);
        ck_assert_uint_eq(slack, 99);
    }
}
END_TEST

START_TEST(too_few_segments_touch_nothing)
{
    static struct reply r;
    static struct lay l;
    uint64_t seed = 6;
    int i;

    for (i = 0; i < 2000; i++) {
        reply_random(&r, &seed, 20);
        if (r.count == 0)
            continue;
        l.how = PAGES;
        lay_out(&l, &r.args, r.bytes, r.len, r.len + r.args.count, 0, r.len,
                r.args.count, 0, &seed);
        segments_are_model(&l, &r, below(&seed, r.count));
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("expand");
    TCase *tc = check_case(s, "replies");

    tcase_add_checked_fixture(tc, open_guards, close_guards);
    tcase_add_test(tc, every_small_reply_at_every_place);
    tcase_add_test(tc, every_reply_of_four_where_it_matters);
    tcase_add_test(tc, large_replies_at_random);
    tcase_add_test(tc, any_prefix_and_any_flipped_bit);
    tc = check_case(s, "places");
    tcase_add_checked_fixture(tc, open_guards, close_guards);
    tcase_add_test(tc, data_in_its_place_is_not_touched);
    tcase_add_test(tc, place_says_what_does_not_fit);
    tcase_add_test(tc, our_own_replies_need_31_bytes);
    tcase_add_test(tc, zeroed_holes_are_written_where_the_reply_lay);
    tc = check_case(s, "wrong use");
    tcase_add_checked_fixture(tc, open_guards, close_guards);
    tcase_add_test(tc, wrong_use_is_refused);
    tcase_add_test(tc, too_few_segments_touch_nothing);
    return check_run(s);
}
