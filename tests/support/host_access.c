/* SPDX-License-Identifier: Apache-2.0
 * Host matrices with a chosen host access. */
#include "support/host_access.h"

#include "support/check.h"

struct clg_test_host clg_test_host;

int clg_test_host_setup(void **state) {
    struct clg_test_host *w = &clg_test_host;
    struct clg_device *device;
    (void)state;
    clg_test_cl_open(&w->cl, 0);
    clg_test_assert_success(clg_device_adopt(&device, w->cl.context, w->cl.device));
    w->store = clg_binaries_new();
    assert_non_null(w->store);
    clg_test_assert_success(clg_engine_open(&w->engine, device, w->store));
    clg_host_open(&w->host, &w->engine);
    w->count = 0;
    w->access[w->count++] = CLG_HOST_COPY;
    w->access[w->count++] = CLG_HOST_BUFFER;
    if (clg_host_access_of(&w->host) == CLG_HOST_POINTER)
        w->access[w->count++] = CLG_HOST_POINTER;
    return 0;
}

int clg_test_host_teardown(void **state) {
    (void)state;
    clg_host_close(&clg_test_host.host);
    clg_engine_close(&clg_test_host.engine);
    clg_binaries_free(clg_test_host.store);
    clg_test_cl_close(&clg_test_host.cl);
    return 0;
}

struct clg_test_problem clg_test_pipe_problem(int64_t m, int64_t n, int64_t k, int form) {
    return (struct clg_test_problem){.type = clg_test_type(form / 2),
                                     .layout = form & 4 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
                                     .ta = form & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                     .tb = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .alpha = 0.5f,
                                     .beta = form % 3 ? 0 : -0.75f,
                                     .gap_a = form % 4,
                                     .gap_b = form % 3,
                                     .gap_c = form % 2 ? 5 : 0,
                                     .offset_a = 1,
                                     .offset_c = 3};
}

static clgemm_status by_access(const struct clg_host_call *call, const void *access) {
    return clg_host_gemm_by(*(const enum clg_host_access *)access, &clg_test_host.host, call);
}

static clgemm_status run(const struct clg_call *call, const void *a, const void *b, void *c,
                         clg_test_carry_out *carry_out, const void *how) {
    struct clg_problem problem;
    struct clg_plan plan;
    clgemm_status status = clg_problem_init(&problem, call);
    if (status)
        return status;
    const struct clg_host_matrices matrices = clg_host_matrices_of(&problem, a, b, c);
    return carry_out(&(struct clg_host_call){&problem, &call->scalars, &matrices, &plan, 1}, how);
}

clgemm_status clg_test_run_by(enum clg_host_access access, const struct clg_test_problem *p,
                              const void *a, int64_t lda, const void *b, int64_t ldb, void *c,
                              int64_t ldc) {
    const struct clg_call call = clg_test_call(
        p, clg_host_operand(a, lda, 0), clg_host_operand(b, ldb, 0), clg_host_operand(c, ldc, 0));
    return run(&call, a, b, c, by_access, &access);
}

static struct clg_operand operand_of(const struct clg_test_matrix *matrix) {
    return clg_host_operand(clg_test_matrix_data(matrix), matrix->ld, matrix->stride);
}

clgemm_status clg_test_case_run_as(clg_test_carry_out *carry_out, const void *how,
                                   struct clg_test_case *test) {
    const struct clg_call call = clg_test_call(&test->problem, operand_of(&test->a),
                                               operand_of(&test->b), operand_of(&test->c));
    return run(&call, clg_test_matrix_data(&test->a), clg_test_matrix_data(&test->b),
               clg_test_matrix_data(&test->c), carry_out, how);
}

clgemm_status clg_test_case_run_by(enum clg_host_access access, struct clg_test_case *test) {
    return clg_test_case_run_as(by_access, &access, test);
}
