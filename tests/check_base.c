/*
 * Names and groups: every value has one of each, the version says the same
 * thing everywhere it is said, and the names of the statuses are those of
 * xdr/read_plus.x.
 */
#include <stdio.h>

#include "codec.h"
#include "config.h"

/* Every enumerator, the group it is in, and what a server answers. */
static const struct row {
    enum readplus_error error;
    const char *name;
    int group;
    uint32_t nfsstat;
} rows[] = {
    {READPLUS_OK, "READPLUS_OK", 0, 0},
    {READPLUS_END, "READPLUS_END", 0, 0},
    {READPLUS_ERR_INVAL, "READPLUS_ERR_INVAL", 1, 10006},
    {READPLUS_ERR_STATE, "READPLUS_ERR_STATE", 1, 10006},
    {READPLUS_ERR_NOSPACE, "READPLUS_ERR_NOSPACE", 2, 10066},
    {READPLUS_ERR_LIMIT, "READPLUS_ERR_LIMIT", 2, 10066},
    {READPLUS_ERR_NO_PROGRESS, "READPLUS_ERR_NO_PROGRESS", 2, 10066},
    {READPLUS_ERR_NOMEM, "READPLUS_ERR_NOMEM", 2, 10008},
    {READPLUS_ERR_TRUNCATED, "READPLUS_ERR_TRUNCATED", 3, 10036},
    {READPLUS_ERR_BAD_BOOL, "READPLUS_ERR_BAD_BOOL", 3, 10036},
    {READPLUS_ERR_BAD_PAD, "READPLUS_ERR_BAD_PAD", 3, 10036},
    {READPLUS_ERR_TRAILING, "READPLUS_ERR_TRAILING", 3, 10036},
    {READPLUS_ERR_BAD_MESSAGE, "READPLUS_ERR_BAD_MESSAGE", 3, 10036},
    {READPLUS_ERR_BAD_CONTENT, "READPLUS_ERR_BAD_CONTENT", 4, 10090},
    {READPLUS_ERR_RANGE, "READPLUS_ERR_RANGE", 4, 22},
    {READPLUS_ERR_LATE_START, "READPLUS_ERR_LATE_START", 4, 10006},
    {READPLUS_ERR_GAP, "READPLUS_ERR_GAP", 4, 10006},
    {READPLUS_ERR_ORDER, "READPLUS_ERR_ORDER", 4, 10006},
    {READPLUS_ERR_OVERLAP, "READPLUS_ERR_OVERLAP", 4, 10006},
    {READPLUS_ERR_SOURCE, "READPLUS_ERR_SOURCE", 5, 10006},
    {READPLUS_ERR_IO, "READPLUS_ERR_IO", 5, 5},
    {READPLUS_ERR_ISDIR, "READPLUS_ERR_ISDIR", 5, 21},
    {READPLUS_ERR_SYMLINK, "READPLUS_ERR_SYMLINK", 5, 10029},
    {READPLUS_ERR_WRONG_TYPE, "READPLUS_ERR_WRONG_TYPE", 5, 10083},
    {READPLUS_ERR_ACCESS, "READPLUS_ERR_ACCESS", 5, 13},
    {READPLUS_ERR_CHANGED, "READPLUS_ERR_CHANGED", 5, 10008},
};

static bool in_group(enum readplus_error error, int group)
{
    switch (group) {
    case 1:
        return readplus_error_is_caller(error);
    case 2:
        return readplus_error_is_room(error);
    case 3:
        return readplus_error_is_xdr(error);
    case 4:
        return readplus_error_is_rfc(error);
    default:
        return readplus_error_is_source(error);
    }
}

START_TEST(version_is_configures)
{
    ck_assert_str_eq(readplus_version(), PACKAGE_VERSION);
    ck_assert_str_eq(READPLUS_VERSION, PACKAGE_VERSION);
}
END_TEST

START_TEST(version_is_its_numbers)
{
    char text[32];

    snprintf(text, sizeof(text), "%d.%d.%d", READPLUS_VERSION_MAJOR,
             READPLUS_VERSION_MINOR, READPLUS_VERSION_PATCH);
    ck_assert_str_eq(readplus_version(), text);
}
END_TEST

START_TEST(errors_have_name_group_and_status)
{
    const struct row *row = &rows[_i];
    int group;

    ck_assert_str_eq(readplus_error_name(row->error), row->name);
    ck_assert_uint_eq(readplus_error_nfsstat(row->error), row->nfsstat);
    for (group = 1; group <= 5; group++)
        ck_assert_int_eq(in_group(row->error, group), group == row->group);
}
END_TEST

/* No two alike, no full stop, nothing empty. */
START_TEST(errors_have_a_sentence)
{
    const char *text = readplus_error_text(rows[_i].error);
    size_t i;

    ck_assert_uint_gt(strlen(text), 3);
    ck_assert_int_ne(text[strlen(text) - 1], '.');
    for (i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].error != rows[_i].error)
            ck_assert_str_ne(text, readplus_error_text(rows[i].error));
}
END_TEST

/* base.h and this file know the same enumerators. */
START_TEST(no_enumerator_is_forgotten)
{
    FILE *f = fopen(TOP_SRCDIR "/include/readplus/base.h", "r");
    char line[256], name[64];
    size_t found = 0;
    int value;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof(line), f) != NULL) {
        if (sscanf(line, " READPLUS_%40[A-Z_] = %d", name, &value) != 2)
            continue;
        ck_assert_uint_lt(found, ARRAY_LEN(rows));
        ck_assert_str_eq(rows[found].name + strlen("READPLUS_"), name);
        ck_assert_int_eq(rows[found].error, value);
        found++;
    }
    fclose(f);
    ck_assert_uint_eq(found, ARRAY_LEN(rows));
}
END_TEST

/* Any number may come from a caller; the groups never overlap. */
START_TEST(other_numbers_are_unknown)
{
    int value, group, groups;
    size_t i;

    for (value = -200; value <= 200; value++) {
        enum readplus_error error = (enum readplus_error)value;

        for (group = 1, groups = 0; group <= 5; group++)
            groups += in_group(error, group);
        ck_assert_int_eq(groups, value < 0 && value > -50);
        for (i = 0; i < ARRAY_LEN(rows) && rows[i].error != error; i++)
            ;
        if (i < ARRAY_LEN(rows))
            continue;
        ck_assert_str_eq(readplus_error_name(error), "READPLUS_ERR_UNKNOWN");
        ck_assert_uint_gt(strlen(readplus_error_text(error)), 3);
        ck_assert_uint_eq(readplus_error_nfsstat(error), 10006);
    }
}
END_TEST

/* nfsstat4 of the .x, line by line; nothing more, nothing less. */
START_TEST(statuses_have_the_names_of_the_x)
{
    FILE *f = fopen(TOP_SRCDIR "/xdr/read_plus.x", "r");
    char line[256], name[64];
    uint32_t status, named = 0, known = 0;
    bool inside = false;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof(line), f) != NULL) {
        if (strncmp(line, "enum ", 5) == 0)
            inside = strncmp(line, "enum nfsstat4 ", 14) == 0;
        if (!inside || sscanf(line, " %63[A-Z0-9_] = %u", name, &status) != 2)
            continue;
        ck_assert_ptr_nonnull(readplus_nfsstat_name(status));
        ck_assert_str_eq(readplus_nfsstat_name(status), name);
        known++;
    }
    fclose(f);
    for (status = 0; status < 20000; status++)
        named += readplus_nfsstat_name(status) != NULL;
    ck_assert_uint_gt(known, 100);
    ck_assert_uint_eq(named, known);
}
END_TEST

START_TEST(other_statuses_have_no_name)
{
    static const uint32_t none[] = {3,     99,        10000,      10002,
                                    10073, 10097,     0x7fffffff, 0x80000000,
                                    20001, UINT32_MAX};
    size_t i;

    for (i = 0; i < ARRAY_LEN(none); i++)
        ck_assert_ptr_null(readplus_nfsstat_name(none[i]));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("base");
    TCase *tc = check_case(s, "version");

    tcase_add_test(tc, version_is_configures);
    tcase_add_test(tc, version_is_its_numbers);
    tc = check_case(s, "errors");
    tcase_add_loop_test(tc, errors_have_name_group_and_status, 0,
                        (int)ARRAY_LEN(rows));
    tcase_add_loop_test(tc, errors_have_a_sentence, 0, (int)ARRAY_LEN(rows));
    tcase_add_test(tc, no_enumerator_is_forgotten);
    tcase_add_test(tc, other_numbers_are_unknown);
    tc = check_case(s, "statuses");
    tcase_add_test(tc, statuses_have_the_names_of_the_x);
    tcase_add_test(tc, other_statuses_have_no_name);
    return check_run(s);
}
