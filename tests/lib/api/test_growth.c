/* SPDX-License-Identifier: Apache-2.0
 * A process that multiplies ever new shapes: what it remembers is bounded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "support/check.h"
#include "support/device.h"

enum { SIDE = 13, SHAPES = SIDE * SIDE * SIDE, GROWTH = 8 << 10 /* KiB */ };

/* KiB of memory that the process has; 0: not known. */
static long resident(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[128];
    long kib = 0;
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "VmRSS:", 6))
            kib = strtol(line + 6, NULL, 10);
    if (file)
        fclose(file);
    return kib;
}

/* Each shape from 1 x 1 x 1 to SIDE cubed, once. Matrices of ones: C's elements are k. */
static void multiply_all(clgemm_handle *handle) {
    float ones[SIDE * SIDE], c[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        ones[i] = 1;
    for (int i = 0; i < SHAPES; i++) {
        const int m = i % SIDE + 1, n = i / SIDE % SIDE + 1, k = i / SIDE / SIDE + 1;
        assert_int_equal(clgemm_handle_sgemm(handle, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS,
                                             CLGEMM_NO_TRANS, m, n, k, 1, ones, m, ones, k, 0, c,
                                             m),
                         CLGEMM_SUCCESS);
        for (int e = 0; e < m * n; e++)
            assert_true(c[e] == (float)k);
    }
}

static void test_memory_stays(void **state) {
    clgemm_handle *handle;
    (void)state;
    assert_int_equal(clgemm_create(&handle, NULL), CLGEMM_SUCCESS);
    multiply_all(handle); /* programs, and as many plans as are remembered */
    const uint64_t missed = handle->engine.plans.missed;
    const long before = resident();
    multiply_all(handle);
    assert_true(handle->engine.plans.missed >= missed + SHAPES); /* all were new again */
    assert_int_equal(handle->engine.plans.count, CLG_ENGINE_PLANS);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what was freed */
    assert_true(resident() - before <= GROWTH);
#else
    (void)before;
#endif
    clgemm_destroy(handle);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_stays)};
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
