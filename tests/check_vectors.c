/*
 * The library against the catalogue of tests/vectors, which a script wrote
 * that knows nothing of it: every profile, in one piece and in many, the
 * encoders byte for byte, and the planner on the budget family.
 */
#include <stdarg.h>
#include <stdio.h>

#include "examples/readplus/vector_check.h"
#include "check_main.h"

static struct catalogue catalogue;

__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

void complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

START_TEST(has_all_it_should)
{
    size_t by_class[CLASSES] = {0}, i;

    for (i = 0; i < catalogue.count; i++)
        by_class[catalogue.vectors[i].class]++;
    ck_assert_uint_gt(catalogue.count, 800);
    ck_assert_uint_gt(by_class[CLASS_VALID], 300);
    ck_assert_uint_gt(by_class[CLASS_INVALID], 300);
    ck_assert_uint_gt(by_class[CLASS_POLICY], 50);
}
END_TEST

/* Sizes and checksums are what the fields add up to. */
START_TEST(sums_are_right)
{
    struct vector_wire wire;
    size_t i;

    for (i = 0; i < catalogue.count; i++) {
        const struct vector *v = &catalogue.vectors[i];

        ck_assert(vector_wire_init(&wire, v));
        ck_assert_msg(wire.size == v->size, "%s: size", v->name);
        ck_assert_msg(vector_wire_crc(&wire) == v->crc, "%s: crc", v->name);
        vector_wire_free(&wire);
    }
}
END_TEST

static void all_decode(size_t piece)
{
    char why[VECTOR_WHY_SIZE];
    size_t i, failed = 0;

    for (i = 0; i < catalogue.count; i++) {
        const struct vector *v = &catalogue.vectors[i];

        if (piece != VECTOR_WHOLE && v->size > 200000)
            continue;
        if (!vector_decodes(v, piece, why)) {
            fprintf(stderr, "%s (pieces of %zu): %s\n", v->name, piece, why);
            failed++;
        }
    }
    ck_assert_uint_eq(failed, 0);
}

START_TEST(decodes_whole)
{
    all_decode(VECTOR_WHOLE);
}
END_TEST

START_TEST(decodes_in_pieces)
{
    static const size_t pieces[] = {1, 3, 4, 7, 16, 29};

    all_decode(pieces[_i]);
}
END_TEST

START_TEST(encodes)
{
    char why[VECTOR_WHY_SIZE];
    size_t i, failed = 0;

    for (i = 0; i < catalogue.count; i++)
        if (!vector_encodes(&catalogue.vectors[i], why)) {
            fprintf(stderr, "%s: %s\n", catalogue.vectors[i].name, why);
            failed++;
        }
    ck_assert_uint_eq(failed, 0);
}
END_TEST

/* --- the budget family ----------------------------------------------------- */

static const struct readplus_extent layout[] = {
    {READPLUS_CONTENT_DATA, 0, 9},      {READPLUS_CONTENT_HOLE, 9, 4096},
    {READPLUS_CONTENT_DATA, 4105, 30},  {READPLUS_CONTENT_HOLE, 4135, 8192},
    {READPLUS_CONTENT_DATA, 12327, 50},
};
#define LAYOUT (sizeof(layout) / sizeof(layout[0]))
#define FILE_SIZE 12377

static uint8_t file[FILE_SIZE];

static void make_file(void)
{
    size_t i;

    for (i = 0; i < LAYOUT; i++)
        if (layout[i].content == READPLUS_CONTENT_DATA)
            vector_file_fill(file + layout[i].offset, layout[i].offset,
                             (size_t)layout[i].length);
}

/* A server's reply within maxcount, or the status it answers with. */
static size_t reply(const struct readplus_args *args, uint32_t maxcount,
                    uint8_t *out, size_t room)
{
    struct readplus_segment segments[8];
    struct readplus_limits limits;
    struct readplus_plan plan;
    enum readplus_error error;
    size_t size = 0, i;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    limits.maxcount = maxcount;
    limits.minhole = 0;
    error = readplus_plan_init(&plan, args, FILE_SIZE, &limits, segments, 8);
    for (i = 0; error == READPLUS_OK && i < LAYOUT; i++)
        error = readplus_plan_add(&plan, layout[i].content, layout[i].offset,
                                  layout[i].length);
    if (error >= 0)
        error = readplus_plan_finish(&plan);
    if (error != READPLUS_OK) {
        ck_assert_int_eq(readplus_res_encode(readplus_error_nfsstat(error),
                                             false, NULL, 0, out, room, &size,
                                             NULL),
                         READPLUS_OK);
        return size;
    }
    for (i = 0; i < readplus_plan_count(&plan); i++)
        if (segments[i].content == READPLUS_CONTENT_DATA)
            segments[i].data = file + segments[i].offset;
    ck_assert_int_eq(readplus_res_encode(0, readplus_plan_eof(&plan), segments,
                                         readplus_plan_count(&plan), out, room,
                                         &size, NULL),
                     READPLUS_OK);
    return size;
}

START_TEST(plans_each_budget)
{
    uint8_t out[256], *bytes;
    uint32_t maxcount;
    char name[32];

    make_file();
    for (maxcount = 0; maxcount <= 200; maxcount++) {
        const struct vector *v;

        snprintf(name, sizeof(name), "budget_%03u", maxcount);
        v = catalogue_find(&catalogue, name);
        ck_assert_ptr_nonnull(v);
        bytes = vector_bytes(v);
        ck_assert_ptr_nonnull(bytes);
        ck_assert_msg(reply(&v->ask, maxcount, out, sizeof(out)) == v->size &&
                          memcmp(out, bytes, (size_t)v->size) == 0,
                      "%s: the planner makes another reply", name);
        free(bytes);
    }
}
END_TEST

/* The largest reply that any session allows. */
START_TEST(plans_the_largest)
{
    const struct vector *v = catalogue_find(&catalogue, "large_data_session");
    struct readplus_session session = {UINT32_MAX, UINT32_MAX, false, 88, 0};
    struct readplus_segment segment;
    struct readplus_limits limits;
    struct readplus_plan plan;

    ck_assert_ptr_nonnull(v);
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    ck_assert_int_eq(readplus_session_maxcount(&session, &limits.maxcount),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_plan_init(&plan, &v->ask,
                                        v->ask.offset + v->ask.count, &limits,
                                        &segment, 1),
                     READPLUS_OK);
    ck_assert_int_ge(readplus_plan_add(&plan, READPLUS_CONTENT_DATA,
                                       v->ask.offset, v->ask.count),
                     0);
    ck_assert_int_eq(readplus_plan_finish(&plan), READPLUS_OK);
    ck_assert_uint_eq(readplus_plan_size(&plan), v->size);
    ck_assert_uint_eq(segment.length, v->segments[0].length);
    ck_assert(readplus_plan_eof(&plan));
    ck_assert_uint_le(readplus_message_size(0, 0, v->size), UINT32_MAX);
    ck_assert_uint_gt(readplus_message_size(0, 0, v->size + 4), UINT32_MAX);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("vectors");
    TCase *tc = check_case(s, "catalogue");
    int status;

    if (!catalogue_read(&catalogue, VECTORS_DIR))
        return EXIT_FAILURE;
    printf("%zu vectors\n", catalogue.count);
    tcase_add_test(tc, has_all_it_should);
    tcase_add_test(tc, sums_are_right);
    tcase_add_test(tc, decodes_whole);
    tcase_add_loop_test(tc, decodes_in_pieces, 0, 6);
    tcase_add_test(tc, encodes);
    tcase_add_test(tc, plans_each_budget);
    tcase_add_test(tc, plans_the_largest);
    status = check_run(s);
    catalogue_free(&catalogue);
    return status;
}
