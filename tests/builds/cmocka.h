/* SPDX-License-Identifier: Apache-2.0
 * The part of CMocka that tests without a device use, for builds for which the system has no
 * CMocka: 32 bits, another C library. A failing test prints where and exits. */
#ifndef CLG_TESTS_BUILDS_CMOCKA_H
#define CLG_TESTS_BUILDS_CMOCKA_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);
struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

/* One for all files of a program: the linker merges weak definitions. */
__attribute__((weak)) jmp_buf cmocka_skipped;

#define cmocka_unit_test(f) \
    { #f, f, NULL, NULL, NULL }
#define cmocka_unit_test_setup_teardown(f, setup, teardown) \
    { #f, f, setup, teardown, NULL }
#define cmocka_unit_test_prestate(f, state) \
    { #f, f, NULL, NULL, state }

#define print_message(...) (void)printf(__VA_ARGS__)
#define print_error(...) (void)fprintf(stderr, __VA_ARGS__)

#define fail_msg(...)                                   \
    do {                                                \
        fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
        fprintf(stderr, __VA_ARGS__);                   \
        fprintf(stderr, "\n");                          \
        fflush(NULL);                                   \
        _Exit(1);                                       \
    } while (0)
#define fail() fail_msg("failed")
#define _fail(file, line)                               \
    do {                                                \
        fprintf(stderr, "%s:%d: failed\n", file, line); \
        fflush(NULL);                                   \
        _Exit(1);                                       \
    } while (0)
#define skip() longjmp(cmocka_skipped, 1)

#define assert_true(x)                  \
    do {                                \
        if (!(x))                       \
            fail_msg("not so: %s", #x); \
    } while (0)
#define assert_false(x) assert_true(!(x))
#define assert_null(x) assert_true((x) == NULL)
#define assert_non_null(x) assert_true((x) != NULL)
#define assert_ptr_equal(x, y) assert_true((const void *)(x) == (const void *)(y))
#define assert_ptr_not_equal(x, y) assert_true((const void *)(x) != (const void *)(y))

static inline void cmocka_compare(long long x, long long y, int equal, const char *what,
                                  const char *file, int line) {
    if ((x == y) == equal)
        return;
    fprintf(stderr, "%s:%d: %s: %lld and %lld\n", file, line, what, x, y);
    fflush(NULL);
    _Exit(1);
}
#define assert_int_equal(x, y) \
    cmocka_compare((long long)(x), (long long)(y), 1, #x " == " #y, __FILE__, __LINE__)
#define assert_int_not_equal(x, y) \
    cmocka_compare((long long)(x), (long long)(y), 0, #x " != " #y, __FILE__, __LINE__)
#define assert_float_equal(x, y, most) assert_true(__builtin_fabs((x) - (y)) <= (most))
#define assert_in_range(x, low, high)                                   \
    assert_true((unsigned long long)(x) >= (unsigned long long)(low) && \
                (unsigned long long)(x) <= (unsigned long long)(high))
#define assert_memory_equal(x, y, size) assert_true(memcmp(x, y, size) == 0)

static inline void cmocka_compare_text(const char *x, const char *y, int equal, const char *file,
                                       int line) {
    if ((strcmp(x, y) == 0) == equal)
        return;
    fprintf(stderr, "%s:%d: \"%s\" and \"%s\"\n", file, line, x, y);
    fflush(NULL);
    _Exit(1);
}
#define assert_string_equal(x, y) cmocka_compare_text(x, y, 1, __FILE__, __LINE__)
#define assert_string_not_equal(x, y) cmocka_compare_text(x, y, 0, __FILE__, __LINE__)

static inline int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests,
                                          size_t count, CMFixtureFunction setup,
                                          CMFixtureFunction teardown) {
    void *group = NULL;
    int skipped = 0;
    if (setup && setup(&group))
        return 1;
    for (volatile size_t i = 0; i < count; i++) {
        const struct CMUnitTest *test = &tests[i];
        void *state = test->initial_state ? test->initial_state : group;
        if (test->setup_func && test->setup_func(&state))
            return 1;
        if (setjmp(cmocka_skipped) == 0)
            test->test_func(&state);
        else
            skipped++;
        if (test->teardown_func && test->teardown_func(&state))
            return 1;
    }
    printf("%s: %zu tests passed, %d skipped\n", name, count, skipped);
    return teardown ? teardown(&group) : 0;
}
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
    _cmocka_run_group_tests(name, tests, sizeof(tests) / sizeof(tests)[0], setup, teardown)
#define cmocka_run_group_tests(tests, setup, teardown) \
    cmocka_run_group_tests_name(#tests, tests, setup, teardown)

#endif
