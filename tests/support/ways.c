/* SPDX-License-Identifier: Apache-2.0
 * Host matrices by a chosen way. */
#include "support/ways.h"

#include "support/check.h"

struct clg_test_ways clg_test_ways;

int clg_test_ways_setup(void **state) {
    struct clg_test_ways *w = &clg_test_ways;
    struct clg_device *device;
    (void)state;
    clg_test_cl_open(&w->cl, 0);
    clg_test_assert_success(clg_device_adopt(&device, w->cl.context, w->cl.device));
    w->store = clg_binaries_new();
    assert_non_null(w->store);
    clg_test_assert_success(clg_programs_open(&w->programs, device, w->store));
    clg_memo_init(&w->memo, w->programs);
    w->count = 0;
    w->way[w->count++] = CLG_WAY_COPY;
    w->way[w->count++] = CLG_WAY_BUFFER;
    if (clg_host_way(&w->memo) == CLG_WAY_POINTER)
        w->way[w->count++] = CLG_WAY_POINTER;
    return 0;
}

int clg_test_ways_teardown(void **state) {
    (void)state;
    clg_memo_destroy(&clg_test_ways.memo);
    clg_programs_close(clg_test_ways.programs);
    clg_binaries_free(clg_test_ways.store);
    clg_test_cl_close(&clg_test_ways.cl);
    return 0;
}

clgemm_status clg_test_run_by(enum clg_way way, const struct clg_test_problem *p, const float *a,
                              int64_t lda, const float *b, int64_t ldb, float *c, int64_t ldc) {
    const struct clg_call call = {.layout = p->layout,
                                  .ta = p->ta,
                                  .tb = p->tb,
                                  .m = p->m,
                                  .n = p->n,
                                  .k = p->k,
                                  .alpha = p->alpha,
                                  .beta = p->beta,
                                  .a = clg_host_operand(a, lda),
                                  .b = clg_host_operand(b, ldb),
                                  .c = clg_host_operand(c, ldc)};
    const bool swapped = p->layout == CLGEMM_ROW_MAJOR;
    const struct clg_host_matrices host = {swapped ? b : a, swapped ? a : b, c};
    struct clg_problem problem;
    struct clg_plan plan;
    clgemm_status status = clg_problem_init(&problem, &call);
    return status ? status : clg_host_gemm_by(way, &clg_test_ways.memo, &problem, &host, &plan);
}
