/* SPDX-License-Identifier: Apache-2.0
 * For which memory huge pages are requested. */
#define _GNU_SOURCE
#include "base/copy.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "support/check.h"
#include "support/pages.h"

enum { HUGE = 2 << 20, BYTES = 8 * HUGE };

static void fresh_pages_inside_are_asked_for(void **state) {
    char *memory = clg_test_pages_map(BYTES);
    (void)state;
    if (!clg_test_pages_supported())
        skip();
    errno = 77;
    clg_pages_prepare(memory + 1, BYTES - 2);
    assert_int_equal(errno, 77);
    assert_false(clg_test_pages_huge(memory));
    assert_true(clg_test_pages_huge(memory + HUGE));
    assert_true(clg_test_pages_huge(memory + BYTES - HUGE - 1));
    assert_false(clg_test_pages_huge(memory + BYTES - HUGE));
    munmap(memory, BYTES);
}

static void touched_or_small_memory_stays(void **state) {
    char *memory = clg_test_pages_map(BYTES);
    (void)state;
    clg_pages_prepare(memory, CLG_PAGES_LEAST - 1);
    assert_false(clg_test_pages_huge(memory));
    memset(memory, 1, BYTES);
    clg_pages_prepare(memory, BYTES);
    assert_false(clg_test_pages_huge(memory));
    munmap(memory, BYTES);
}

/* Memory that is not mapped is not this test's subject. */
static void no_memory_is_no_fault(void **state) {
    char *memory = clg_test_pages_map(BYTES);
    (void)state;
    munmap(memory, BYTES);
    errno = 0;
    clg_pages_prepare(memory, BYTES);
    assert_int_equal(errno, 0);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_pages_inside_are_asked_for),
        cmocka_unit_test(touched_or_small_memory_stays),
        cmocka_unit_test(no_memory_is_no_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
