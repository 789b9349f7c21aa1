/* SPDX-License-Identifier: Apache-2.0
 * CMocka with the headers that it needs, and assertions on the library's statuses. */
#ifndef CLG_TEST_CHECK_H
#define CLG_TEST_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clgemm.h"

/* Defined if AddressSanitizer, or ThreadSanitizer, is active. */
#if defined(__SANITIZE_ADDRESS__)
#define CLG_TEST_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define CLG_TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CLG_TEST_ASAN 1
#elif __has_feature(thread_sanitizer)
#define CLG_TEST_TSAN 1
#endif
#endif

enum { CLG_TEST_SKIP = 77 }; /* exit status of a test that found no device */

/* Fails the test with the status's name and clgemm_last_error(). */
#define clg_test_assert_success(status) \
    clg_test_assert_status_(status, CLGEMM_SUCCESS, __FILE__, __LINE__)
#define clg_test_assert_status(status, expected) \
    clg_test_assert_status_(status, expected, __FILE__, __LINE__)

/* Fails the test with the text, if there is one. */
#define clg_test_assert_no_fault(fault) clg_test_assert_no_fault_(fault, __FILE__, __LINE__)

/* Fails unless clgemm_last_error() holds the text. */
#define clg_test_assert_error_says(text) clg_test_assert_error_says_(text, __FILE__, __LINE__)

void clg_test_assert_status_(clgemm_status status, int expected, const char *file, int line);
void clg_test_assert_no_fault_(const char *fault, const char *file, int line);
void clg_test_assert_error_says_(const char *text, const char *file, int line);

/* CLGEMM_TEST_LONG is set: the ctest label `long`. */
int clg_test_is_long(void);

/* For a walk over every call of something, from the first: the calls that this run tests. A drawn
 * quarter; a twelfth under a sanitizer, where each takes several times as long; in the long form
 * all. */
struct clg_test_walk {
    int first, step;
};
struct clg_test_walk clg_test_walk_drawn(void);

#endif
