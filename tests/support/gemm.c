/* SPDX-License-Identifier: Apache-2.0
 * Test cases of matrix multiplication. */
#include "support/gemm.h"

#include <math.h>

#include "support/check.h"
#include "support/judge.h"

static void *matrix_of(const struct clg_test_matrix *matrices, int64_t product) {
    return clg_element_at(matrices->type, clg_test_matrix_data(matrices),
                          product * matrices->stride);
}

const char *clg_test_case_fault(const struct clg_test_case *test) {
    const struct clg_test_problem *p = &test->problem;
    if (!clg_test_matrix_unchanged(&test->a))
        return clg_test_fault(p, "A's memory was written");
    if (!clg_test_matrix_unchanged(&test->b))
        return clg_test_fault(p, "B's memory was written");
    if (!clg_test_matrix_guarded(&test->c))
        return clg_test_fault(p, "memory around the elements of C was written");
    if (p->beta == 1 && p->beta_imag == 0 && ((p->alpha == 0 && p->alpha_imag == 0) || p->k == 0) &&
        !clg_test_matrix_unchanged(&test->c))
        return clg_test_fault(p, "C changed though nothing was to be added");
    const char *fault = NULL;
    for (int64_t z = 0; z < test->c.matrices && !fault; z++)
        fault = clg_test_result_fault(
            p, matrix_of(&test->a, z), test->a.ld, matrix_of(&test->b, z), test->b.ld,
            clg_element_at(p->type, clg_test_matrix_before(&test->c), z * test->c.stride),
            matrix_of(&test->c, z), test->c.ld);
    return fault;
}

/* ---- Cases ---- */

static void create_operand(struct clg_test_matrix *out, const struct clg_test_problem *p,
                           int64_t rows, int64_t columns, bool by_column, int64_t gap,
                           size_t offset, bool shared, struct clg_test_random *random) {
    clg_test_matrices_create(out, p->type, by_column ? rows : columns, by_column ? columns : rows,
                             gap, p->batch > 1 && !shared ? p->batch : 1, p->between, offset,
                             random);
}

/* Zeros beside the triangle, and the diagonal's ones, so that the whole operand is the triangle. */
static void make_triangle(struct clg_test_matrix *matrix, const struct clg_test_problem *p,
                          int64_t size, bool by_column) {
    for (int64_t z = 0; z < matrix->matrices; z++)
        for (int64_t i = 0; i < size; i++)
            for (int64_t j = 0; j < size; j++) {
                const bool is_in = p->stored.triangle == CLG_LOWER ? i >= j : i <= j;
                if (!is_in || (i == j && p->stored.unit))
                    clg_element_set(p->type, matrix_of(matrix, z),
                                    clg_test_place(by_column, i, j, matrix->ld), is_in);
            }
    clg_test_matrix_snapshot(matrix);
}

void clg_test_case_create(struct clg_test_case *out, const struct clg_test_problem *p,
                          struct clg_test_random *random) {
    out->problem = *p;
    create_operand(&out->a, p, p->m, p->k, clg_test_column_is_vector(p->layout, p->ta), p->gap_a,
                   p->offset_a, p->shares_a, random);
    create_operand(&out->b, p, p->k, p->n, clg_test_column_is_vector(p->layout, p->tb), p->gap_b,
                   p->offset_b, p->shares_b, random);
    create_operand(&out->c, p, p->m, p->n, p->layout == CLGEMM_COL_MAJOR, p->gap_c, p->offset_c,
                   false, random);
    if (p->stored.triangle != CLG_ALL && p->stored.which == CLG_A)
        make_triangle(&out->a, p, p->m, clg_test_column_is_vector(p->layout, p->ta));
    else if (p->stored.triangle != CLG_ALL)
        make_triangle(&out->b, p, p->n, clg_test_column_is_vector(p->layout, p->tb));
    const int parts = clg_type_parts(p->type);
    for (int64_t z = 0; z < out->c.matrices && p->triangle != CLG_ALL; z++)
        for (int64_t i = 0; i < p->m * parts; i++)
            for (int64_t j = 0; j < p->n; j++) {
                const int64_t at =
                    clg_test_place(p->layout == CLGEMM_COL_MAJOR, i / parts, j, out->c.ld);
                if (!clg_test_is_computed(p, i / parts, j))
                    clg_element_set(p->type, matrix_of(&out->c, z), at * parts + i % parts,
                                    (double)NAN);
            }
    clg_test_matrix_snapshot(&out->c);
}

void clg_test_case_destroy(struct clg_test_case *test) {
    clg_test_matrix_destroy(&test->a);
    clg_test_matrix_destroy(&test->b);
    clg_test_matrix_destroy(&test->c);
}

clgemm_desc clg_test_desc(const struct clg_test_problem *p, int64_t lda, int64_t ldb, int64_t ldc) {
    return (clgemm_desc){.size = sizeof(clgemm_desc),
                         .type = p->type,
                         .layout = p->layout,
                         .ta = p->ta,
                         .tb = p->tb,
                         .m = p->m,
                         .n = p->n,
                         .k = p->k,
                         .lda = lda,
                         .ldb = ldb,
                         .ldc = ldc};
}

struct clg_test_factors clg_test_factors_of(const struct clg_test_problem *p) {
    return (struct clg_test_factors){.single = {{p->alpha, p->alpha_imag}, {p->beta, p->beta_imag}},
                                     .wide = {{p->alpha, p->alpha_imag}, {p->beta, p->beta_imag}},
                                     .is_wide = clg_type_real(p->type) == CLGEMM_F64};
}

const void *clg_test_alpha(const struct clg_test_factors *factors) {
    return factors->is_wide ? (const void *)factors->wide[0] : factors->single[0];
}

const void *clg_test_beta(const struct clg_test_factors *factors) {
    return factors->is_wide ? (const void *)factors->wide[1] : factors->single[1];
}

clgemm_status clg_test_run(const struct clg_test_problem *p, clgemm_handle *handle, const void *a,
                           int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc) {
    const clgemm_desc desc = clg_test_desc(p, lda, ldb, ldc);
    const struct clg_test_factors factors = clg_test_factors_of(p);
    if (handle && p->type == CLGEMM_F32)
        return clgemm_handle_sgemm(handle, p->layout, p->ta, p->tb, p->m, p->n, p->k, p->alpha, a,
                                   lda, b, ldb, p->beta, c, ldc);
    if (handle || p->type == CLGEMM_BF16)
        return clgemm_gemm(handle, &desc, clg_test_alpha(&factors), a, b, clg_test_beta(&factors),
                           c);
    if (clg_type_is_complex(p->type))
        return (p->type == CLGEMM_CF32 ? clgemm_cgemm : clgemm_zgemm)(
            p->layout, p->ta, p->tb, p->m, p->n, p->k, clg_test_alpha(&factors), a, lda, b, ldb,
            clg_test_beta(&factors), c, ldc);
    if (p->type == CLGEMM_F64)
        return clgemm_dgemm(p->layout, p->ta, p->tb, p->m, p->n, p->k, (double)p->alpha, a, lda, b,
                            ldb, (double)p->beta, c, ldc);
    if (p->type == CLGEMM_F16)
        return clgemm_hgemm(p->layout, p->ta, p->tb, p->m, p->n, p->k, p->alpha, a, lda, b, ldb,
                            p->beta, c, ldc);
    return clgemm_sgemm(p->layout, p->ta, p->tb, p->m, p->n, p->k, p->alpha, a, lda, b, ldb,
                        p->beta, c, ldc);
}

clgemm_desc clg_test_case_desc(const struct clg_test_case *test) {
    clgemm_desc desc = clg_test_desc(&test->problem, test->a.ld, test->b.ld, test->c.ld);
    desc.batch = test->problem.batch;
    desc.stride_a = test->a.stride;
    desc.stride_b = test->b.stride;
    desc.stride_c = test->c.stride;
    return desc;
}

clgemm_status clg_test_case_run(struct clg_test_case *test, clgemm_handle *handle) {
    const clgemm_desc desc = clg_test_case_desc(test);
    const struct clg_test_factors factors = clg_test_factors_of(&test->problem);
    if (desc.batch > 1)
        return clgemm_gemm(handle, &desc, clg_test_alpha(&factors), clg_test_matrix_data(&test->a),
                           clg_test_matrix_data(&test->b), clg_test_beta(&factors),
                           clg_test_matrix_data(&test->c));
    return clg_test_run(&test->problem, handle, clg_test_matrix_data(&test->a), test->a.ld,
                        clg_test_matrix_data(&test->b), test->b.ld, clg_test_matrix_data(&test->c),
                        test->c.ld);
}

void clg_test_case_run_and_check(struct clg_test_case *test, clgemm_handle *handle) {
    clg_test_assert_success(clg_test_case_run(test, handle));
    clg_test_assert_no_fault(clg_test_case_fault(test));
}

void clg_test_problem_check(const struct clg_test_problem *problem,
                            struct clg_test_random *random) {
    struct clg_test_case test;
    clg_test_case_create(&test, problem, random);
    clg_test_case_run_and_check(&test, NULL);
    clg_test_case_destroy(&test);
}

struct clg_test_problem clg_test_small_problem(void) {
    return (struct clg_test_problem){.layout = CLGEMM_ROW_MAJOR,
                                     .ta = CLGEMM_NO_TRANS,
                                     .tb = CLGEMM_TRANS,
                                     .m = 21,
                                     .n = 13,
                                     .k = 8,
                                     .alpha = 1,
                                     .beta = -0.7f};
}

void clg_test_check_works(clgemm_handle *handle) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_problem problem = clg_test_small_problem();
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, &random);
    clg_test_case_run_and_check(&test, handle);
    clg_test_case_destroy(&test);
}

static struct clg_operand operand_of(const struct clg_test_matrix *matrix) {
    return (struct clg_operand){.ld = matrix->ld,
                                .stride = matrix->stride,
                                .offset = matrix->offset,
                                .bytes = clg_test_matrix_bytes(matrix),
                                .alignment = 64};
}

struct clg_call clg_test_call(const struct clg_test_problem *p, struct clg_operand a,
                              struct clg_operand b, struct clg_operand c) {
    return (struct clg_call){
        .type = p->type,
        .layout = p->layout,
        .ta = p->ta,
        .tb = p->tb,
        .triangle = p->triangle,
        .stored = p->stored,
        .m = p->m,
        .n = p->n,
        .k = p->k,
        .batch = p->batch,
        .scalars = {(double)p->alpha, (double)p->beta, (double)p->alpha_imag, (double)p->beta_imag},
        .operand = {a, b, c}};
}

struct clg_call clg_test_case_call(const struct clg_test_case *test) {
    return clg_test_call(&test->problem, operand_of(&test->a), operand_of(&test->b),
                         operand_of(&test->c));
}
