/* SPDX-License-Identifier: Apache-2.0
 * Host matrices with a chosen access to the device under test (see host/host.h). */
#ifndef CLG_TEST_HOST_ACCESS_H
#define CLG_TEST_HOST_ACCESS_H

#include "host/host.h"
#include "support/device.h"

/* The device with a context of the test's own, created and released by a test group's set-up and
 * tear-down. */
struct clg_test_host {
    struct clg_test_cl cl;
    struct clg_binaries *store;
    struct clg_engine engine;
    struct clg_host host;
    enum clg_host_access access[3]; /* copies, buffers, and pointers if the device supports them */
    int count;
};
extern struct clg_test_host clg_test_host;
int clg_test_host_setup(void **state);
int clg_test_host_teardown(void **state);

/* A problem with the device's types in turn, in all transposes and layouts, with and without beta,
 * and with gaps and offsets: `form` counts through them. */
struct clg_test_problem clg_test_pipe_problem(int64_t m, int64_t n, int64_t k, int form);

/* The case with that access, or as the function carries out its call, which gets `how`. */
typedef clgemm_status clg_test_carry_out(const struct clg_host_call *call, const void *how);
clgemm_status clg_test_case_run_by(enum clg_host_access access, struct clg_test_case *test);
clgemm_status clg_test_case_run_as(clg_test_carry_out *carry_out, const void *how,
                                   struct clg_test_case *test);

/* Like clgemm_sgemm(), with that access. */
clgemm_status clg_test_run_by(enum clg_host_access access, const struct clg_test_problem *problem,
                              const void *a, int64_t lda, const void *b, int64_t ldb, void *c,
                              int64_t ldc);

#endif
