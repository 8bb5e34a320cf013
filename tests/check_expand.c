/*
 * Delivery in place against a plain model of delivery: every small reply at
 * every place, large ones at random, faulty ones, with the row between two
 * pages that nobody may touch, in one piece and in many.
 */
#include "lay.h"

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

    for (i = 0; i < 30000 / (int)check_slow(); i++) {
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

int main(void)
{
    Suite *s = suite_create("expand");
    TCase *tc = check_case(s, "replies");

    tcase_add_checked_fixture(tc, open_guards, close_guards);
    tcase_add_test(tc, every_small_reply_at_every_place);
    tcase_add_test(tc, every_reply_of_four_where_it_matters);
    tcase_add_test(tc, large_replies_at_random);
    tcase_add_test(tc, any_prefix_and_any_flipped_bit);
    return check_run(s);
}
