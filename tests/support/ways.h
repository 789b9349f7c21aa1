/* SPDX-License-Identifier: Apache-2.0
 * Host matrices by a chosen way to the device under test (see gemm/host.h). */
#ifndef CLG_TEST_WAYS_H
#define CLG_TEST_WAYS_H

#include "gemm/host.h"
#include "support/device.h"

/* The device with a context of the test's own; made and released by a test group's set-up and
 * tear-down. */
struct clg_test_ways {
    struct clg_test_cl cl;
    struct clg_binaries *store;
    struct clg_programs *programs;
    struct clg_memo memo;
    enum clg_way
        way[3]; /* that the device can go: copies, buffers, and pointers if it takes them */
    int count;
};
extern struct clg_test_ways clg_test_ways;
int clg_test_ways_setup(void **state);
int clg_test_ways_teardown(void **state);

/* As clgemm_sgemm(), by that way. */
clgemm_status clg_test_run_by(enum clg_way way, const struct clg_test_problem *problem,
                              const float *a, int64_t lda, const float *b, int64_t ldb, float *c,
                              int64_t ldc);

#endif
