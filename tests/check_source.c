/*
 * Sources that make no system calls: a table of extents, and a server's own
 * read that can say "no data here, this far".
 */
#include <readplus.h>
#include <readplus/reply.h>

#include <stdio.h>

#include "check_main.h"

#define DATA READPLUS_CONTENT_DATA
#define HOLE READPLUS_CONTENT_HOLE
#define SIZE 200000u

static uint64_t below(uint64_t n)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

/* ---- a table ------------------------------------------------------------- */

static enum readplus_error table(const struct readplus_extent *e, size_t count,
                                 uint64_t size, uint64_t offset,
                                 struct readplus_extent *found)
{
    struct readplus_source source;
    struct readplus_table t;
    enum readplus_error error =
        readplus_table_init(&t, e, count, size, &source);

    return error != READPLUS_OK ? error
                                : source.next(source.context, offset, found);
}

static void check_table(const struct readplus_extent *e, size_t count,
                        uint64_t offset, enum readplus_content content,
                        uint64_t lo, uint64_t hi)
{
    struct readplus_extent found;

    ck_assert_int_eq(table(e, count, 1000, offset, &found), READPLUS_OK);
    ck_assert_int_eq(found.content, content);
    ck_assert_uint_eq(found.offset, lo);
    ck_assert_uint_eq(found.length, hi - lo);
}

START_TEST(gaps_are_holes)
{
    static const struct readplus_extent e[] = {
        {DATA, 100, 50}, {DATA, 150, 0},  {HOLE, 160, 10},
        {DATA, 200, 10}, {DATA, 210, 90}, {DATA, 900, 500}};
    struct readplus_extent found;

    check_table(e, 6, 0, HOLE, 0, 100);
    check_table(e, 6, 99, HOLE, 0, 100);
    check_table(e, 6, 100, DATA, 100, 150);
    check_table(e, 6, 155, HOLE, 150, 200);
    check_table(e, 6, 165, HOLE, 150, 200);
    check_table(e, 6, 199, HOLE, 150, 200);
    check_table(e, 6, 205, DATA, 200, 210);
    check_table(e, 6, 210, DATA, 210, 300);
    check_table(e, 6, 300, HOLE, 300, 900);
    check_table(e, 6, 999, DATA, 900, 1400);
    check_table(NULL, 0, 5, HOLE, 0, 1000);
    ck_assert_int_eq(table(e, 6, 1000, 1000, &found), READPLUS_END);
}
END_TEST

START_TEST(bad_tables)
{
    static const struct readplus_extent order[] = {{DATA, 100, 50},
                                                   {DATA, 99, 1}};
    static const struct readplus_extent overlap[] = {{DATA, 100, 50},
                                                     {DATA, 149, 1}};
    static const struct readplus_extent range[] = {{DATA, 100, UINT64_MAX}};
    static const struct readplus_extent kind[] = {
        {(enum readplus_content)2, 100, 1}};
    struct readplus_extent found;

    ck_assert_int_eq(table(order, 2, 9, 0, &found), READPLUS_ERR_ORDER);
    ck_assert_int_eq(table(overlap, 2, 9, 0, &found), READPLUS_ERR_OVERLAP);
    ck_assert_int_eq(table(range, 1, 9, 0, &found), READPLUS_ERR_RANGE);
    ck_assert_int_eq(table(kind, 1, 9, 0, &found), READPLUS_ERR_INVAL);
    ck_assert_int_eq(table(NULL, 1, 9, 0, &found), READPLUS_ERR_INVAL);
}
END_TEST

START_TEST(whole_both_ways)
{
    static const struct readplus_extent e[] = {{DATA, 0, 4096},
                                               {DATA, 81920, 4096}};
    struct readplus_args args = {40960, 4096, {0, {0}}};
    struct readplus_segment segments[4];
    struct readplus_limits limits;
    struct readplus_source source;
    struct readplus_plan plan;
    struct readplus_table t;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    limits.flags = READPLUS_LIMIT_WHOLE;
    ck_assert_int_eq(readplus_table_init(&t, e, 2, 1 << 20, &source), 0);
    ck_assert_int_eq(
        readplus_plan_init(&plan, &args, 1 << 20, &limits, segments, 4), 0);
    ck_assert_int_eq(readplus_plan_fill(&plan, &source), 0);
    ck_assert_int_eq(readplus_plan_finish(&plan), 0);
    ck_assert_uint_eq(readplus_plan_count(&plan), 1);
    ck_assert_uint_eq(segments[0].offset, 4096);
    ck_assert_uint_eq(segments[0].length, 81920 - 4096);
}
END_TEST

/* Random tables give the plan that pushing their bytes one by one gives. */
START_TEST(random_tables)
{
    struct readplus_extent e[50], found;
    struct readplus_source source;
    struct readplus_table t;
    static bool data[3000];
    size_t count, i, round;
    uint64_t at;

    for (round = 0; round < 3000 / check_slow(); round++) {
        memset(data, 0, sizeof(data));
        for (count = 0, at = 0; count < 50 && at < 2500; count++) {
            at += below(3) ? below(60) : 0;
            e[count] =
                (struct readplus_extent){below(4) ? DATA : HOLE, at, below(50)};
            for (i = 0; i < e[count].length; i++, at++)
                data[at] = e[count].content == DATA;
        }
        ck_assert_int_eq(readplus_table_init(&t, e, count, 2700, &source), 0);
        for (i = 0; i < 20; i++) {
            uint64_t offset = below(2700), k;

            (void)source.next(source.context, offset, &found);
            if (found.offset > offset || found.offset + found.length <= offset)
                ck_abort_msg("round %zu: wrong place", round);
            for (k = found.offset; k < found.offset + found.length; k++)
                if (data[k] != (found.content == DATA))
                    ck_abort_msg("round %zu: wrong content", round);
        }
    }
}
END_TEST

/* ---- a read that knows its holes ----------------------------------------- */

/* A file in memory; holes are what is marked, in pieces of `grain`. */
struct store {
    uint8_t bytes[SIZE];
    bool hole[SIZE];
    size_t grain;
    uint64_t fails_at; /* EIO from here on */
    bool no_length;    /* answers holes of no length */
    uint64_t size, size_later;
};

static struct store store;

static enum readplus_error store_read(void *context, uint64_t offset,
                                      void *buffer, size_t len, size_t *got,
                                      uint64_t *hole)
{
    const struct store *s = context;
    uint64_t end = offset;

    ck_assert(*got == 0 && *hole == 0 && len > 0);
    if (offset >= s->size)
        return READPLUS_END;
    if (offset >= s->fails_at)
        return READPLUS_ERR_IO;
    while (end < s->size && s->hole[end] == s->hole[offset] &&
           end < s->fails_at && (s->hole[end] || end - offset < len) &&
           end - offset < s->grain)
        end++;
    if (s->hole[offset]) {
        *hole = s->no_length ? 0 : end - offset;
        return READPLUS_OK;
    }
    memcpy(buffer, s->bytes + offset, end - offset);
    *got = end - offset;
    return READPLUS_OK;
}

static enum readplus_error store_size(void *context, uint64_t *size)
{
    struct store *s = context;

    *size = s->size;
    if (s->size_later != 0)
        s->size = s->size_later;
    return READPLUS_OK;
}

static const struct readplus_reader reader = {store_read, store_size, &store};

static void fill_store(uint64_t most)
{
    uint64_t at = 0, length;
    bool hole = false;

    while (at < SIZE) {
        length = 1 + below(most);
        if (length > SIZE - at)
            length = SIZE - at;
        memset(store.hole + at, hole, length);
        memset(store.bytes + at, hole || below(4) == 0 ? 0 : 'x', length);
        at += length;
        hole = !hole;
    }
    store.size = SIZE;
    store.size_later = 0;
    store.grain = 1 + below(100000);
    store.fails_at = UINT64_MAX;
    store.no_length = false;
}

static enum readplus_error ask(uint64_t offset, uint32_t count, uint32_t flags,
                               uint32_t minhole, size_t len,
                               struct readplus_reply *reply,
                               struct readplus_result *result)
{
    static uint8_t got[SIZE];
    struct readplus_args args = {offset, count, {0, {0}}};
    struct iovec to = {got, count};
    struct readplus_decoder decoder;
    struct readplus_limits limits;
    enum readplus_error error;
    uint8_t *buffer;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    limits.flags = flags;
    limits.minhole = minhole;
    if (len == 0)
        len = readplus_reply_buffer(count, &limits);
    buffer = malloc(len);
    ck_assert_ptr_nonnull(buffer);
    memset(buffer, 0xee, len); /* what was never written shows */
    error = readplus_reply_reader(reply, &reader, &args, &limits, buffer, len);
    if (readplus_decoder_init(&decoder, &args, reply->iov, reply->entries, 0) ||
        readplus_scatter(&decoder, &to, 1, 0, result))
        ck_abort_msg("not a good reply");
    if (memcmp(got, store.bytes + (offset < SIZE ? offset : 0),
               result->bytes) != 0)
        ck_abort_msg("wrong bytes: %llu+%u flags %#x minhole %u",
                     (unsigned long long)offset, count, flags, minhole);
    free(buffer);
    return error;
}

START_TEST(reader_random)
{
    static const uint32_t units[] = {0, 24, 64, 100, 512, 4096, 5000, 65536};
    struct readplus_reply reply;
    struct readplus_result result;
    int i;

    for (i = 0; i < 20000 / (int)check_slow(); i++) {
        uint64_t offset = below(SIZE + 10);
        uint32_t count = (uint32_t)below(below(SIZE) + 1);
        uint32_t flags = (uint32_t)below(32), minhole = units[below(8)];
        enum readplus_error error;
        size_t len = below(3) ? 0 : READPLUS_REPLY_BUFFER_MIN + below(SIZE);

        if (i % 100 == 0)
            fill_store(i % 300 == 0 ? 100 : i % 200 == 0 ? 5000 : 60000);
        error = ask(offset, count, flags, minhole, len, &reply, &result);
        if (error != READPLUS_OK)
            ck_abort_msg("%s: %llu+%u flags %#x minhole %u buffer %zu",
                         readplus_error_name(error), (unsigned long long)offset,
                         count, flags, minhole, len);
        if (!result.progress || (count > 0 && offset < SIZE && !result.bytes))
            ck_abort_msg("no progress");
        if (len == 0 && result.bytes < count && offset + result.bytes < SIZE &&
            reply.count < 1000)
            ck_abort_msg("short for no reason");
    }
}
END_TEST

START_TEST(reader_faults)
{
    struct readplus_reply reply;
    struct readplus_result result;

    fill_store(60000);
    memset(store.hole, 0, SIZE);
    memset(store.bytes, 'x', SIZE);
    store.fails_at = 50001;
    ck_assert_int_eq(ask(0, 100000, 0, 4096, 0, &reply, &result), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, 50001);
    ck_assert(!reply.eof);
    ck_assert_int_eq(ask(50001, 100000, 0, 4096, 0, &reply, &result),
                     READPLUS_ERR_IO);
    ck_assert_uint_eq(reply.status, 5);
    ck_assert_uint_eq(reply.size, 4);
    store.fails_at = UINT64_MAX;
    memset(store.hole, 1, SIZE);
    memset(store.bytes, 0, SIZE);
    store.no_length = true;
    ck_assert_int_eq(ask(0, 100000, 0, 4096, 0, &reply, &result),
                     READPLUS_ERR_SOURCE);
    ck_assert_uint_eq(reply.status, 10006);
    store.no_length = false;
    store.size_later = 3; /* cut meanwhile: three zeros, never read */
    ck_assert_int_eq(ask(0, 100000, 0, 4096, 0, &reply, &result), READPLUS_OK);
    ck_assert_uint_eq(result.bytes, 3);
    ck_assert(reply.eof);
}
END_TEST

/* ---- readers that go wrong ------------------------------------------------ */

/* Answers of a reader, made up. */
struct odd {
    uint64_t sizes[2]; /* told in turn */
    unsigned asked;
    enum readplus_error size_error, read_error;
    size_t got;
    uint64_t hole;
};

static enum readplus_error odd_size(void *context, uint64_t *size)
{
    struct odd *o = context;

    *size = o->sizes[o->asked++ % 2];
    return o->size_error;
}

static enum readplus_error odd_read(void *context, uint64_t offset,
                                    void *buffer, size_t len, size_t *got,
                                    uint64_t *hole)
{
    const struct odd *o = context;

    (void)offset;
    memset(buffer, 'x', len < o->got ? len : o->got);
    if (o->got >= 40 && len >= 40)
        memset((uint8_t *)buffer + 20, 0, 20); /* a run of zeros at the end */
    *got = o->got;
    *hole = o->hole;
    return o->read_error;
}

static enum readplus_error ask_odd(struct odd *o, uint32_t count,
                                   struct readplus_reply *reply)
{
    struct readplus_reader odd = {odd_read, odd_size, o};
    struct readplus_args args = {100, count, {0, {0}}};
    static uint8_t buffer[READPLUS_REPLY_BUFFER_MIN + 10000];
    struct readplus_limits limits;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    limits.minhole = 0;
    return readplus_reply_reader(reply, &odd, &args, &limits, buffer,
                                 sizeof(buffer));
}

START_TEST(odd_readers)
{
    struct odd size_fails = {{1000, 1000}, 0, READPLUS_ERR_IO, 0, 10, 0};
    struct odd too_much = {{1000, 1000}, 0, 0, 0, 101, 0};
    struct odd grows = {{100, 1000}, 0, 0, 0, 10, 0};
    struct odd ends = {{1000, 1000}, 0, 0, READPLUS_END, 0, 0};
    struct readplus_limits limits;
    struct readplus_reply reply;
    static uint8_t buffer[100];
    struct readplus_args args = {0, 1, {0, {0}}};

    ck_assert_int_eq(ask_odd(&size_fails, 100, &reply), READPLUS_ERR_IO);
    ck_assert_uint_eq(reply.status, 5);
    ck_assert_uint_eq(size_fails.asked, 1);
    ck_assert_int_eq(ask_odd(&too_much, 100, &reply), READPLUS_ERR_SOURCE);
    ck_assert_uint_eq(reply.status, 10006);
    /* Empty before, bytes behind, each time. */
    ck_assert_int_eq(ask_odd(&grows, 100, &reply), READPLUS_ERR_CHANGED);
    ck_assert_uint_eq(reply.status, 10008);
    ck_assert_uint_eq(grows.asked, 16);
    /* No byte, though the size says there are some. */
    ck_assert_int_eq(ask_odd(&ends, 100, &reply), READPLUS_ERR_CHANGED);
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    ck_assert_int_eq(readplus_reply_reader(&reply, &reader, &args, &limits,
                                           buffer, sizeof(buffer)),
                     READPLUS_ERR_INVAL);
}
END_TEST

/* Runs in the bytes of one read, a hole of no use, questions out of turn. */
START_TEST(reader_asked_out_of_turn)
{
    struct odd o = {{1000, 1000}, 0, 0, 0, 40, 0};
    struct readplus_reader odd = {odd_read, odd_size, &o};
    struct readplus_args args = {0, 900, {0, {0}}};
    static uint8_t buffer[1000];
    struct readplus_reader_source from;
    struct readplus_limits limits;
    struct readplus_source source;
    struct readplus_extent e;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    limits.minhole = 0;
    ck_assert_int_eq(readplus_reader_source_init(&from, &odd, &args, &limits,
                                                 buffer, sizeof(buffer),
                                                 &source),
                     READPLUS_OK);
    ck_assert_ptr_null(readplus_reader_source_data(&from, 0, 1));
    ck_assert_int_eq(source.next(source.context, 900, &e), READPLUS_END);
    ck_assert_int_eq(source.next(source.context, 0, &e), READPLUS_OK);
    ck_assert(e.content == DATA && e.offset == 0 && e.length == 20);
    ck_assert_int_eq(source.next(source.context, 20, &e), READPLUS_OK);
    ck_assert(e.content == HOLE && e.offset == 20 && e.length == 20);
    ck_assert_int_eq(source.next(source.context, 41, &e), READPLUS_END);
    ck_assert_int_eq(source.next(source.context, 40, &e), READPLUS_OK);
    ck_assert(e.content == DATA && e.offset == 40 && e.length == 20);
    ck_assert_mem_eq(readplus_reader_source_data(&from, 40, 5), "xxxxx", 5);
    ck_assert_ptr_null(readplus_reader_source_data(&from, 79, 2));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("source");
    TCase *tc = check_case(s, "source");

    tcase_add_test(tc, gaps_are_holes);
    tcase_add_test(tc, bad_tables);
    tcase_add_test(tc, whole_both_ways);
    tcase_add_test(tc, random_tables);
    tcase_add_test(tc, reader_random);
    tcase_add_test(tc, reader_faults);
    tcase_add_test(tc, odd_readers);
    tcase_add_test(tc, reader_asked_out_of_turn);
    return check_run(s);
}
