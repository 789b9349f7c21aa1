/* SPDX-License-Identifier: Apache-2.0
 * Test cases of matrix multiplication and their judge. */
#include "support/gemm.h"

#include <cblas.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"

/* Above this many multiplications OpenBLAS's dgemm takes the loops' place, to save time. What is
 * judged in double may be off by as much as it. */
static int64_t largest_by_loops(clgemm_type type) {
    return type == CLGEMM_F64 ? 1 << 26 : 1 << 20;
}

static _Thread_local char message[1024];

/* Of the type, rounding to nearest. */
static double unit_roundoff(clgemm_type type) {
    return type == CLGEMM_F64 ? 0x1p-53 : 0x1p-24;
}

double clg_test_error_bound(const struct clg_test_problem *problem, double absolute_product,
                            double c_before) {
    const double u = unit_roundoff(problem->type);
    double bound = 0;
    if (problem->alpha != 0 && problem->k > 0)
        bound = (double)(problem->k + 2) * u * fabs((double)problem->alpha) * absolute_product;
    if (problem->beta != 0)
        bound += 2 * u * fabs((double)problem->beta * c_before);
    return bound;
}

/* ---- The product in wider arithmetic ---- */

/* Whether walking down a column of op(X) walks through contiguous memory. */
static bool column_is_vector(clgemm_layout layout, clgemm_transpose trans) {
    return (layout == CLGEMM_COL_MAJOR) == (trans == CLGEMM_NO_TRANS);
}

static int64_t place(bool column_is_vector, int64_t row, int64_t column, int64_t ld) {
    return column_is_vector ? row + column * ld : row * ld + column;
}

/* op(X) as a dense row-major matrix of doubles. False if it holds a NaN or an infinity. */
static bool densify(double *out, int64_t rows, int64_t columns, clgemm_type type, const void *x,
                    int64_t ld, bool by_column) {
    bool finite = true;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            const double value = clg_element(type, x, place(by_column, i, j, ld));
            finite = finite && isfinite(value);
            out[i * columns + j] = value;
        }
    return finite;
}

static void multiply_by_loops(int64_t m, int64_t n, int64_t k, const double *a, const double *b,
                              long double *out) {
    for (int64_t i = 0; i < m; i++) {
        long double *row = out + i * n;
        for (int64_t j = 0; j < n; j++)
            row[j] = 0;
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++)
                row[j] += (long double)a[i * k + l] * b[l * n + j];
    }
}

static void multiply_by_dgemm(int64_t m, int64_t n, int64_t k, const double *a, const double *b,
                              long double *out) {
    double *product = clg_test_alloc((size_t)(m * n) * sizeof *product);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)m, (blasint)n, (blasint)k, 1.0,
                a, (blasint)k, b, (blasint)n, 0.0, product, (blasint)n);
    for (int64_t i = 0; i < m * n; i++)
        out[i] = product[i];
    free(product);
}

static void make_absolute(double *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        values[i] = fabs(values[i]);
}

/* op(A) op(B) and |op(A)| |op(B)|; zeros where neither matrix counts. */
struct judgement {
    long double *product, *absolute;
    bool by_dgemm;
};

static void judgement_free(struct judgement *judgement) {
    free(judgement->product);
    free(judgement->absolute);
}

/* dgemm may treat NaN and infinities its own way, so that it gets finite matrices only. */
static struct judgement judge(const struct clg_test_problem *p, const void *a, int64_t lda,
                              const void *b, int64_t ldb) {
    struct judgement out = {.product = clg_test_alloc((size_t)(p->m * p->n) * sizeof *out.product),
                            .absolute =
                                clg_test_alloc((size_t)(p->m * p->n) * sizeof *out.absolute)};
    if (p->alpha == 0 || p->k == 0) {
        for (int64_t i = 0; i < p->m * p->n; i++)
            out.product[i] = out.absolute[i] = 0;
        return out;
    }
    double *wide_a = clg_test_alloc((size_t)(p->m * p->k) * sizeof(double));
    double *wide_b = clg_test_alloc((size_t)(p->k * p->n) * sizeof(double));
    bool finite = densify(wide_a, p->m, p->k, p->type, a, lda, column_is_vector(p->layout, p->ta));
    finite =
        densify(wide_b, p->k, p->n, p->type, b, ldb, column_is_vector(p->layout, p->tb)) && finite;
    out.by_dgemm = finite && p->m * p->n * p->k > largest_by_loops(p->type);
    void (*const multiply)(int64_t, int64_t, int64_t, const double *, const double *,
                           long double *) = out.by_dgemm ? multiply_by_dgemm : multiply_by_loops;
    multiply(p->m, p->n, p->k, wide_a, wide_b, out.product);
    make_absolute(wide_a, p->m * p->k);
    make_absolute(wide_b, p->k * p->n);
    multiply(p->m, p->n, p->k, wide_a, wide_b, out.absolute);
    free(wide_a);
    free(wide_b);
    return out;
}

/* ---- Judging ---- */

static const char *describe(const struct clg_test_problem *p, const char *what) {
    snprintf(message, sizeof message,
             "%s\n  in type %d, layout %d, transposes %d %d, m n k %" PRId64 " %" PRId64 " %" PRId64
             ", alpha %g, beta %g, gaps %" PRId64 " %" PRId64 " %" PRId64
             ", offsets %zu %zu %zu, batch %" PRId64 ", CLGEMM_TEST_SEED=%" PRIu64,
             what, (int)p->type, (int)p->layout, (int)p->ta, (int)p->tb, p->m, p->n, p->k,
             (double)p->alpha, (double)p->beta, p->gap_a, p->gap_b, p->gap_c, p->offset_a,
             p->offset_b, p->offset_c, p->batch, clg_test_seed());
    return message;
}

static bool agrees(long double exact, double bound, double result) {
    if (isnan(exact))
        return isnan(result);
    if (isinf(exact))
        return result == exact;
    return fabsl(result - exact) <= bound; /* false for a NaN */
}

const char *clg_test_result_fault(const struct clg_test_problem *p, const void *a, int64_t lda,
                                  const void *b, int64_t ldb, const void *c_before, const void *c,
                                  int64_t ldc) {
    struct judgement judged = judge(p, a, lda, b, ldb);
    const char *fault = NULL;
    for (int64_t e = 0; e < p->m * p->n && !fault; e++) {
        const int64_t at = place(p->layout == CLGEMM_COL_MAJOR, e / p->n, e % p->n, ldc);
        const double result = clg_element(p->type, c, at);
        const double old = p->beta == 0 ? 0 : clg_element(p->type, c_before, at);
        const long double product =
            p->alpha == 0 || p->k == 0 ? 0 : (long double)p->alpha * judged.product[e];
        const long double exact = product + (long double)p->beta * old;
        double bound = clg_test_error_bound(p, (double)judged.absolute[e], old);
        if (judged.by_dgemm && p->type == CLGEMM_F64)
            bound *= 2; /* the judge's own */
        if (!agrees(exact, bound, result)) {
            char what[256];
            snprintf(what, sizeof what,
                     "C(%" PRId64 ",%" PRId64 ") is %.17g, should be %.17Lg, off by %.3Lg, bound "
                     "%.3g",
                     e / p->n, e % p->n, result, exact, fabsl(result - exact), bound);
            fault = describe(p, what);
        }
    }
    judgement_free(&judged);
    return fault;
}

static void *matrix_of(const struct clg_test_matrix *matrices, int64_t product) {
    return clg_element_at(matrices->type, clg_test_matrix_data(matrices),
                          product * matrices->stride);
}

const char *clg_test_case_fault(const struct clg_test_case *test) {
    const struct clg_test_problem *p = &test->problem;
    if (!clg_test_matrix_unchanged(&test->a))
        return describe(p, "A's memory was written");
    if (!clg_test_matrix_unchanged(&test->b))
        return describe(p, "B's memory was written");
    if (!clg_test_matrix_guarded(&test->c))
        return describe(p, "memory around the elements of C was written");
    if (p->beta == 1 && (p->alpha == 0 || p->k == 0) && !clg_test_matrix_unchanged(&test->c))
        return describe(p, "C changed though nothing was to be added");
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

void clg_test_case_create(struct clg_test_case *out, const struct clg_test_problem *p,
                          struct clg_test_random *random) {
    out->problem = *p;
    create_operand(&out->a, p, p->m, p->k, column_is_vector(p->layout, p->ta), p->gap_a,
                   p->offset_a, p->shares_a, random);
    create_operand(&out->b, p, p->k, p->n, column_is_vector(p->layout, p->tb), p->gap_b,
                   p->offset_b, p->shares_b, random);
    create_operand(&out->c, p, p->m, p->n, p->layout == CLGEMM_COL_MAJOR, p->gap_c, p->offset_c,
                   false, random);
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
    struct clg_test_factors factors = {.single = {p->alpha, p->beta}, .wide = {p->alpha, p->beta}};
    factors.is_wide = p->type == CLGEMM_F64;
    return factors;
}

const void *clg_test_alpha(const struct clg_test_factors *factors) {
    return factors->is_wide ? (const void *)&factors->wide[0] : &factors->single[0];
}

const void *clg_test_beta(const struct clg_test_factors *factors) {
    return factors->is_wide ? (const void *)&factors->wide[1] : &factors->single[1];
}

clgemm_status clg_test_run(const struct clg_test_problem *p, clgemm_handle *handle, const void *a,
                           int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc) {
    const clgemm_desc desc = clg_test_desc(p, lda, ldb, ldc);
    const struct clg_test_factors factors = clg_test_factors_of(p);
    if (handle && p->type == CLGEMM_F32)
        return clgemm_handle_sgemm(handle, p->layout, p->ta, p->tb, p->m, p->n, p->k, p->alpha, a,
                                   lda, b, ldb, p->beta, c, ldc);
    if (handle)
        return clgemm_gemm(handle, &desc, clg_test_alpha(&factors), a, b, clg_test_beta(&factors),
                           c);
    if (p->type == CLGEMM_F64)
        return clgemm_dgemm(p->layout, p->ta, p->tb, p->m, p->n, p->k, (double)p->alpha, a, lda, b,
                            ldb, (double)p->beta, c, ldc);
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
    return (struct clg_call){.type = p->type,
                             .layout = p->layout,
                             .ta = p->ta,
                             .tb = p->tb,
                             .m = p->m,
                             .n = p->n,
                             .k = p->k,
                             .batch = p->batch,
                             .scalars = {(double)p->alpha, (double)p->beta},
                             .operand = {a, b, c}};
}

struct clg_call clg_test_case_call(const struct clg_test_case *test) {
    return clg_test_call(&test->problem, operand_of(&test->a), operand_of(&test->b),
                         operand_of(&test->c));
}
