/* SPDX-License-Identifier: Apache-2.0 */
#include "support/doubles.h"

#include "gemm/residues/residues.h"
#include "support/check.h"
#include "support/judge.h"

const struct clg_params clg_test_dot = {
    .tile_m = 64, .tile_n = 64, .tile_k = 32, .wg_m = 8, .wg_n = 8, .band_m = 1};
const struct clg_params clg_test_flat_dot = {
    .tile_m = 128, .tile_n = 64, .tile_k = 64, .wg_m = 16, .wg_n = 16, .band_m = 8};

const struct clg_params clg_test_soft_dot = {
    .tile_m = 64, .tile_n = 128, .tile_k = 32, .wg_m = 8, .wg_n = 16, .band_m = 8};

struct clg_test_problem clg_test_doubles(int64_t m, int64_t n, int64_t k, bool ta, bool tb) {
    return (struct clg_test_problem){.type = CLGEMM_F64,
                                     .layout = CLGEMM_COL_MAJOR,
                                     .ta = ta ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                     .tb = tb ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .alpha = 1,
                                     .gap_a = 3,
                                     .gap_b = 2,
                                     .gap_c = 1,
                                     .offset_a = 5,
                                     .offset_c = 1};
}

void clg_test_doubles_create(struct clg_test_case *test, const struct clg_test_problem *problem) {
    struct clg_test_random random = clg_test_random_start(1);
    clg_test_case_create(test, problem, &random);
}

static double *element_of(struct clg_test_matrix *matrix, bool transposed, int64_t row,
                          int64_t col) {
    double *data = clg_test_matrix_data(matrix);
    return data + (transposed ? col + row * matrix->ld : row + col * matrix->ld);
}

double *clg_test_double_a(struct clg_test_case *test, int64_t row, int64_t k) {
    return element_of(&test->a, test->problem.ta != CLGEMM_NO_TRANS, row, k);
}

double *clg_test_double_b(struct clg_test_case *test, int64_t k, int64_t col) {
    return element_of(&test->b, test->problem.tb != CLGEMM_NO_TRANS, k, col);
}

double *clg_test_double_c(struct clg_test_case *test, int64_t row, int64_t col) {
    return element_of(&test->c, false, row, col);
}

void clg_test_doubles_keep(struct clg_test_case *test) {
    clg_test_matrix_snapshot(&test->a);
    clg_test_matrix_snapshot(&test->b);
}

double clg_test_doubles_error(struct clg_test_case *test, double least) {
    return clg_test_largest_error(&test->problem, clg_test_matrix_data(&test->a), test->a.ld,
                                  clg_test_matrix_data(&test->b), test->b.ld,
                                  clg_test_matrix_data(&test->c), test->c.ld, least);
}

void clg_test_dot_run(struct clg_engine *engine, struct clg_test_cl *cl, clgemm_math math,
                      const struct clg_params *params, struct clg_test_case *test) {
    bool *has_fp64 = &engine->device->facts.has_fp64;
    const bool had = *has_fp64;
    *has_fp64 = had && params != &clg_test_soft_dot;
    assert_true(clg_test_family_run(engine, cl, &clg_family_dot, params, math, test));
    *has_fp64 = had;
}
