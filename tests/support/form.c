/* SPDX-License-Identifier: Apache-2.0
 * Problems for tests of pipelines. */
#include "support/form.h"

#include "run/choose.h"
#include "support/check.h"

struct clg_problem clg_test_form_problem(const struct clg_test_form *f, clgemm_type type) {
    const int64_t rows[] = {f->ta ? f->k : f->m, f->tb ? f->n : f->k, f->m};
    const int64_t cols[] = {f->ta ? f->m : f->k, f->tb ? f->k : f->n, f->n};
    struct clg_call call = {.type = type,
                            .math = f->math,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = f->ta ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .tb = f->tb ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .m = f->m,
                            .n = f->n,
                            .k = f->k,
                            .batch = f->batch ? f->batch : 1,
                            .scalars = {.alpha = f->scales ? 0 : 1,
                                        .beta = f->scales     ? 2
                                                : f->has_beta ? 1
                                                              : 0,
                                        .alpha_imag = f->alpha_imag,
                                        .beta_imag = f->beta_imag}};
    for (int i = 0; i < CLG_MATRICES; i++) {
        const int64_t ld = rows[i] + f->gap;
        const bool one = f->batch <= 1 || (i == CLG_A && f->shares_a);
        call.operand[i] = (struct clg_operand){.ld = ld,
                                               .stride = one ? 0 : ld * cols[i] + f->gap,
                                               .bytes = UINT64_MAX,
                                               .alignment = f->alignment ? f->alignment : 4};
    }
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    return problem;
}

struct clg_problem clg_test_aligned_problem(clgemm_type type, bool ta, bool tb, int64_t m,
                                            int64_t n, int64_t k) {
    const struct clg_test_form form = {
        .m = m, .n = n, .k = k, .alignment = CLG_TEST_ALIGNED, .ta = ta, .tb = tb};
    return clg_test_form_problem(&form, type);
}

struct clg_problem clg_test_mode_problem(int64_t m, int64_t n, int64_t k, clgemm_math math,
                                         int64_t batch) {
    const struct clg_test_form form = {
        .m = m, .n = n, .k = k, .batch = batch, .math = math, .alignment = 64};
    return clg_test_form_problem(&form, CLGEMM_F32);
}

struct clg_plan clg_test_plan(const struct clg_problem *problem, const struct clg_facts *facts) {
    struct clg_plan plan;
    clg_test_assert_success(clg_choose_plan(&plan, problem, facts, NULL));
    assert_int_equal(plan.problem.math, problem->math);
    return plan;
}

struct clg_test_form clg_test_form_draw(struct clg_test_random *random) {
    return (struct clg_test_form){.m = clg_test_range(random, 1, 150),
                                  .n = clg_test_range(random, 1, 150),
                                  .k = clg_test_range(random, 1, 60),
                                  .batch = 1,
                                  .ta = clg_test_range(random, 0, 1),
                                  .tb = clg_test_range(random, 0, 1),
                                  .has_beta = clg_test_range(random, 0, 1),
                                  .gap = clg_test_range(random, 0, 3)};
}
