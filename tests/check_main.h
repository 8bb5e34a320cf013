/*
 * What every check_<module>.c shares: one way to run a suite, and the input
 * copies that let ASan and valgrind see a single byte read too far.
 *
 *     int main(void)
 *     {
 *         Suite *s = suite_create("size");
 *         TCase *tc = check_case(s, "elements");
 *
 *         tcase_add_test(tc, hole_is_20_bytes);
 *         return check_run(s);
 *     }
 */
#ifndef READPLUS_TESTS_CHECK_MAIN_H
#define READPLUS_TESTS_CHECK_MAIN_H

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A case of suite s.  Check's own limit of 4 seconds is too short for
 * valgrind on a busy machine. */
static inline TCase *check_case(Suite *s, const char *name)
{
    TCase *tc = tcase_create(name);

    tcase_set_timeout(tc, 120);
    suite_add_tcase(s, tc);
    return tc;
}

/* What to divide the rounds of a long test by where everything is slow, under
 * valgrind and in emulation: those set READPLUS_SLOW. */
static inline unsigned check_slow(void)
{
    return getenv("READPLUS_SLOW") != NULL ? 20 : 1;
}

/* Runs the suite, prints Check's closing line and each failure, frees it all.
 * Returns main's exit status. */
static inline int check_run(Suite *s)
{
    SRunner *runner = srunner_create(s);
    int failed;

    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* A heap block of exactly len bytes with a copy of bytes in it: the next byte
 * is not ours to read.  Free it with free(). */
static inline uint8_t *exact_copy(const void *bytes, size_t len)
{
    uint8_t *copy = malloc(len);

    ck_assert_ptr_nonnull(copy);
    if (len > 0)
        memcpy(copy, bytes, len);
    return copy;
}

#endif
