/* SPDX-License-Identifier: Apache-2.0
 * Assertions on the library's statuses. */
#include "support/check.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

/* CLGEMM_TEST_LOCALE: this program and those that it starts as itself have that locale, as programs
 * with windows and interpreters have the user's. */
__attribute__((constructor)) static void take_locale(void) {
    const char *locale = getenv("CLGEMM_TEST_LOCALE");
    if (locale && !setlocale(LC_ALL, locale)) {
        fprintf(stderr, "there is no locale %s\n", locale);
        exit(1);
    }
}

void clg_test_assert_status_(clgemm_status status, int expected, const char *file, int line) {
    if ((int)status == expected)
        return;
    print_error("status %s (%d) instead of %s (%d): %s\n", clgemm_status_name(status), (int)status,
                clgemm_status_name((clgemm_status)expected), expected, clgemm_last_error());
    _fail(file, line);
}

void clg_test_assert_no_fault_(const char *fault, const char *file, int line) {
    if (!fault)
        return;
    print_error("%s\n", fault);
    _fail(file, line);
}

void clg_test_assert_error_says_(const char *text, const char *file, int line) {
    if (strstr(clgemm_last_error(), text))
        return;
    print_error("clgemm_last_error() lacks \"%s\": %s\n", text, clgemm_last_error());
    _fail(file, line);
}

int clg_test_is_long(void) {
    const char *text = getenv("CLGEMM_TEST_LONG");
    return text && *text && *text != '0';
}

struct clg_test_walk clg_test_walk_drawn(void) {
#if defined(CLG_TEST_ASAN) || defined(CLG_TEST_TSAN)
    enum { PARTS = 12 };
#else
    enum { PARTS = 4 };
#endif
    return clg_test_is_long() ? (struct clg_test_walk){1, 1}
                              : (struct clg_test_walk){1 + clg_test_draw(PARTS), PARTS};
}
