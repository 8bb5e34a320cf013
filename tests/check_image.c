/*
 * The private headers under the sources that read: runs of zeros against a
 * plain look at each byte, what an image has, and a hint of which a writer
 * makes whatever a reader could meet.
 */
#include <readplus/source.h>

#include "check_main.h"

/* Somebody else gets in right behind the load of this number. */
static int loads, intrude_at;
static void (*intrude)(uint32_t *turn);
static uint32_t *turn_word;

static void loaded(void)
{
    if (intrude != NULL && loads++ == intrude_at)
        intrude(turn_word);
}

/* hint.h is compiled here with this for the compiler's own. */
#define __atomic_load_n(word, order)                                           \
    ({                                                                         \
        __typeof__(*(word)) value = *(word);                                   \
        loaded();                                                              \
        value;                                                                 \
    })
#include "../lib/hint.h"
#undef __atomic_load_n
#include "../lib/image.h"

/* ---- zeros --------------------------------------------------------------- */

static size_t plain_count(const uint8_t *p, size_t n)
{
    size_t i = 0;

    while (i < n && p[i] == 0)
        i++;
    return i;
}

START_TEST(zeros_of_every_length)
{
    size_t n, at;

    for (n = 0; n < 300; n++) {
        uint8_t *p = calloc(n + 1, 1);

        ck_assert_ptr_nonnull(p);
        p[n] = 1; /* behind it */
        if (!zeros_all(p, n) || zeros_count(p, n) != n)
            ck_abort_msg("%zu zeros are none", n);
        for (at = 0; at < n; at++) {
            p[at] = 0x80;
            if (zeros_all(p, n) || zeros_count(p, n) != plain_count(p, n))
                ck_abort_msg("byte %zu of %zu", at, n);
            p[at] = 0;
        }
        free(p);
    }
}
END_TEST

/* ---- an image ------------------------------------------------------------ */

static void check_run_at(struct readplus_image *image, uint64_t offset,
                         enum readplus_content content, uint64_t length)
{
    struct readplus_extent extent;

    image_run(image, offset, &extent);
    ck_assert_int_eq(extent.content, content);
    ck_assert_uint_eq(extent.offset, offset);
    ck_assert_uint_eq(extent.length, length);
}

START_TEST(runs_in_any_order)
{
    static uint8_t bytes[3 * 4096];
    struct readplus_limits limits;
    struct readplus_image image;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    limits.minhole = 4096;
    memset(bytes, 0, sizeof(bytes));
    memset(bytes + 4096, 'x', 4096);
    image = image_make(bytes, sizeof(bytes), &limits);
    image.offset = 8192;
    image.length = sizeof(bytes);
    check_run_at(&image, 16384, READPLUS_CONTENT_HOLE, 4096);
    check_run_at(&image, 8192, READPLUS_CONTENT_HOLE, 4096); /* before it */
    check_run_at(&image, 8193, READPLUS_CONTENT_HOLE, 4095); /* inside */
    check_run_at(&image, 12288, READPLUS_CONTENT_DATA, 4096);
}
END_TEST

START_TEST(data_of_an_image)
{
    static uint8_t bytes[64];
    struct readplus_image image = {
        .bytes = bytes, .offset = 100, .length = sizeof(bytes)};

    ck_assert_ptr_eq(image_data(&image, 100, 64), bytes);
    ck_assert_ptr_eq(image_data(&image, 110, 54), bytes + 10);
    ck_assert_ptr_eq(image_data(&image, 164, 0), bytes + 64);
    ck_assert_ptr_null(image_data(&image, 99, 1));
    ck_assert_ptr_null(image_data(&image, 165, 0));
    ck_assert_ptr_null(image_data(&image, UINT64_MAX, 0));
    ck_assert_ptr_null(image_data(&image, 100, 65));
    ck_assert_ptr_null(image_data(&image, 163, 2));
    ck_assert_ptr_null(image_data(&image, 163, UINT64_MAX));
}
END_TEST

/* ---- a hint -------------------------------------------------------------- */

static const struct readplus_seen first = {.size = 1, .next = 11},
                                  second = {.size = 2, .next = 22};

static void begin_writing(uint32_t *turn)
{
    *turn += 1;
}

static void write_whole(uint32_t *turn)
{
    struct readplus_hint *hint = (struct readplus_hint *)(void *)turn;
    void (*once)(uint32_t *) = intrude;

    intrude = NULL;
    hint_keep(hint, &second);
    intrude = once;
}

static void hint_set(struct readplus_hint *hint)
{
    intrude = NULL;
    memset(hint, 0, sizeof(*hint));
    hint_keep(hint, &first);
    ck_assert_uint_eq(hint->turn, 2);
    turn_word = &hint->turn;
    ck_assert_ptr_eq(turn_word, hint);
    loads = 0;
}

START_TEST(no_hint)
{
    struct readplus_hint hint = {0, {0}};
    struct readplus_seen seen;

    intrude = NULL;
    hint_keep(NULL, &first);
    ck_assert(!hint_load(NULL, &seen));
    ck_assert(!hint_load(&hint, &seen));
    hint_set(&hint);
    ck_assert(hint_load(&hint, &seen));
    ck_assert_mem_eq(&seen, &first, sizeof(seen));
}
END_TEST

/* A reader gets the old record or none, wherever a writer comes in between;
 * while one writes, none. */
START_TEST(hint_read_while_written)
{
    struct readplus_hint hint;
    struct readplus_seen seen;
    int last = (int)HINT_WORDS + 1, at;

    for (at = 0; at <= last; at++) {
        hint_set(&hint);
        intrude_at = at;
        intrude = write_whole;
        ck_assert(hint_load(&hint, &seen) == (at == last));
        if (at == last)
            ck_assert_mem_eq(&seen, &first, sizeof(seen));
        ck_assert(hint_load(&hint, &seen));
        ck_assert_mem_eq(&seen, &second, sizeof(seen));
        hint_set(&hint);
        intrude_at = at;
        intrude = begin_writing;
        ck_assert(hint_load(&hint, &seen) == (at == last));
        ck_assert(!hint_load(&hint, &seen));
    }
}
END_TEST

/* One writer at a time; the other goes away. */
START_TEST(hint_written_while_written)
{
    struct readplus_hint hint, kept;
    struct readplus_seen seen;

    hint_set(&hint);
    intrude_at = 0;
    intrude = write_whole;
    hint_keep(&hint, &first);
    ck_assert_uint_eq(hint.turn, 4);
    ck_assert(hint_load(&hint, &seen));
    ck_assert_mem_eq(&seen, &second, sizeof(seen));
    hint_set(&hint);
    hint.turn = 3;
    kept = hint;
    hint_keep(&hint, &second);
    ck_assert_mem_eq(&hint, &kept, sizeof(kept));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("image");
    TCase *tc = check_case(s, "what was read");

    tcase_add_test(tc, zeros_of_every_length);
    tcase_add_test(tc, runs_in_any_order);
    tcase_add_test(tc, data_of_an_image);
    tcase_add_test(tc, no_hint);
    tcase_add_test(tc, hint_read_while_written);
    tcase_add_test(tc, hint_written_while_written);
    return check_run(s);
}
