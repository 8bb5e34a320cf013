/*
 * As much of the Check library as these tests use, in one header and without
 * a fork: for builds in which a library that was compiled otherwise gets in
 * the way (MemorySanitizer), or is not there (other machines).  Found before
 * the real one with -Itests/plain.  The first failure ends the program.
 */
#ifndef READPLUS_TESTS_PLAIN_CHECK_H
#define READPLUS_TESTS_PLAIN_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tcase {
    struct {
        void (*run)(int);
        const char *name;
        int from, to;
    } tests[64];
    size_t count;
    struct tcase *next;
} TCase;

typedef struct suite {
    const char *name;
    TCase *first;
    int checks;
} Suite, SRunner;

#define CK_NORMAL 0
#define START_TEST(name)                                                       \
    static void name(int _i)                                                   \
    {                                                                          \
        (void)_i;
#define END_TEST }

#define ck_abort_msg(...)                                                      \
    (fprintf(stderr, "%s:%d:%s: ", __FILE__, __LINE__, __func__),              \
     fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))
#define ck_assert_msg(condition, ...)                                          \
    ((condition) ? (void)0 : (void)ck_abort_msg(__VA_ARGS__))
#define ck_assert(condition) ck_assert_msg(condition, "%s", #condition)

#define ck_number(type, format, a, op, b)                                      \
    do {                                                                       \
        type ck_a = (a), ck_b = (b);                                           \
        ck_assert_msg(ck_a op ck_b, "%s %s %s: %" format ", %" format, #a,     \
                      #op, #b, ck_a, ck_b);                                    \
    } while (0)
#define ck_int(a, op, b) ck_number(intmax_t, "jd", a, op, b)
#define ck_uint(a, op, b) ck_number(uintmax_t, "ju", a, op, b)
#define ck_assert_int_eq(a, b) ck_int(a, ==, b)
#define ck_assert_int_ne(a, b) ck_int(a, !=, b)
#define ck_assert_int_ge(a, b) ck_int(a, >=, b)
#define ck_assert_int_gt(a, b) ck_int(a, >, b)
#define ck_assert_int_le(a, b) ck_int(a, <=, b)
#define ck_assert_uint_eq(a, b) ck_uint(a, ==, b)
#define ck_assert_uint_ne(a, b) ck_uint(a, !=, b)
#define ck_assert_uint_ge(a, b) ck_uint(a, >=, b)
#define ck_assert_uint_gt(a, b) ck_uint(a, >, b)
#define ck_assert_uint_le(a, b) ck_uint(a, <=, b)
#define ck_assert_uint_lt(a, b) ck_uint(a, <, b)

#define ck_assert_ptr_eq(a, b) ck_assert((const void *)(a) == (b))
#define ck_assert_ptr_ne(a, b) ck_assert((const void *)(a) != (b))
#define ck_assert_ptr_null(a) ck_assert((a) == NULL)
#define ck_assert_ptr_nonnull(a) ck_assert((a) != NULL)
#define ck_assert_mem_eq(a, b, n) ck_assert(memcmp(a, b, n) == 0)
#define ck_assert_str_eq(a, b)                                                 \
    ck_assert_msg(strcmp(a, b) == 0, "%s %s: %s, %s", #a, #b, a, b)
#define ck_assert_str_ne(a, b) ck_assert(strcmp(a, b) != 0)

static inline Suite *suite_create(const char *name)
{
    Suite *s = calloc(1, sizeof(*s));

    ck_assert_ptr_nonnull(s);
    s->name = name;
    return s;
}

static inline TCase *tcase_create(const char *name)
{
    TCase *tc = calloc(1, sizeof(*tc));

    (void)name;
    ck_assert_ptr_nonnull(tc);
    return tc;
}

static inline void tcase_set_timeout(TCase *tc, double seconds)
{
    (void)tc;
    (void)seconds;
}

static inline void suite_add_tcase(Suite *s, TCase *tc)
{
    TCase **end = &s->first;

    while (*end != NULL)
        end = &(*end)->next;
    *end = tc;
}

static inline void tcase_add(TCase *tc, void (*run)(int), const char *name,
                             int from, int to)
{
    ck_assert_uint_lt(tc->count, 64);
    tc->tests[tc->count].run = run;
    tc->tests[tc->count].name = name;
    tc->tests[tc->count].from = from;
    tc->tests[tc->count++].to = to;
}

#define tcase_add_test(tc, run) tcase_add(tc, run, #run, 0, 1)
#define tcase_add_loop_test(tc, run, from, to)                                 \
    tcase_add(tc, run, #run, from, to)

static inline SRunner *srunner_create(Suite *s)
{
    return s;
}

static inline void srunner_run_all(SRunner *s, int mode)
{
    const TCase *tc;
    size_t i;
    int k;

    (void)mode;
    for (tc = s->first; tc != NULL; tc = tc->next)
        for (i = 0; i < tc->count; i++)
            for (k = tc->tests[i].from; k < tc->tests[i].to; k++, s->checks++)
                tc->tests[i].run(k);
    printf("Running suite(s): %s\n100%%: Checks: %d, Failures: 0, Errors: 0\n",
           s->name, s->checks);
}

static inline int srunner_ntests_failed(const SRunner *s)
{
    return s->checks == 0;
}

static inline void srunner_free(SRunner *s)
{
    while (s->first != NULL) {
        TCase *next = s->first->next;

        free(s->first);
        s->first = next;
    }
    free(s);
}

#endif
