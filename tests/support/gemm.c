/* SPDX-License-Identifier: Apache-2.0
 * Test cases of matrix multiplication and their judge. */
#include "support/gemm.h"

#include <cblas.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"

static const double unit_roundoff = 0x1p-24; /* of single precision, rounding to nearest */

/* Above this many multiplications OpenBLAS's dgemm takes the loops' place, to save time. */
static const int64_t largest_by_loops = 1 << 20;

static _Thread_local char message[1024];

double clg_test_error_bound(const struct clg_test_problem *problem, double absolute_product,
                            double c_before) {
    double bound = 0;
    if (problem->alpha != 0 && problem->k > 0)
        bound = (double)(problem->k + 2) * unit_roundoff * fabs((double)problem->alpha) *
                absolute_product;
    if (problem->beta != 0)
        bound += 2 * unit_roundoff * fabs((double)problem->beta * c_before);
    return bound;
}

/* ---- The product in double precision ---- */

/* Whether walking down a column of op(X) walks through contiguous memory. */
static bool column_is_vector(clgemm_layout layout, clgemm_transpose trans) {
    return (layout == CLGEMM_COL_MAJOR) == (trans == CLGEMM_NO_TRANS);
}

static int64_t place(bool column_is_vector, int64_t row, int64_t column, int64_t ld) {
    return column_is_vector ? row + column * ld : row * ld + column;
}

/* op(X) as a dense row-major matrix of doubles. False if it holds a NaN or an infinity. */
static bool densify(double *out, int64_t rows, int64_t columns, const float *x, int64_t ld,
                    bool by_column) {
    bool finite = true;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            float value = x[place(by_column, i, j, ld)];
            finite = finite && isfinite(value);
            out[i * columns + j] = (double)value;
        }
    return finite;
}

static void multiply_by_loops(int64_t m, int64_t n, int64_t k, const double *a, const double *b,
                              double *out) {
    for (int64_t i = 0; i < m; i++) {
        double *row = out + i * n;
        for (int64_t j = 0; j < n; j++)
            row[j] = 0;
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++)
                row[j] += a[i * k + l] * b[l * n + j];
    }
}

/* dgemm may treat NaN and infinities its own way, so that it gets finite matrices only. */
static void multiply(int64_t m, int64_t n, int64_t k, const double *a, const double *b, double *out,
                     bool finite) {
    if (finite && m * n * k > largest_by_loops)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)m, (blasint)n, (blasint)k,
                    1.0, a, (blasint)k, b, (blasint)n, 0.0, out, (blasint)n);
    else
        multiply_by_loops(m, n, k, a, b, out);
}

static void make_absolute(double *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        values[i] = fabs(values[i]);
}

/* op(A) op(B) and |op(A)| |op(B)|; zeros where neither matrix counts. Free both. */
static void products(const struct clg_test_problem *p, const float *a, int64_t lda, const float *b,
                     int64_t ldb, double **product, double **absolute) {
    *product = clg_test_alloc((size_t)(p->m * p->n) * sizeof(double));
    *absolute = clg_test_alloc((size_t)(p->m * p->n) * sizeof(double));
    if (p->alpha == 0 || p->k == 0) {
        for (int64_t i = 0; i < p->m * p->n; i++)
            (*product)[i] = (*absolute)[i] = 0;
        return;
    }
    double *wide_a = clg_test_alloc((size_t)(p->m * p->k) * sizeof(double));
    double *wide_b = clg_test_alloc((size_t)(p->k * p->n) * sizeof(double));
    bool finite = densify(wide_a, p->m, p->k, a, lda, column_is_vector(p->layout, p->ta));
    finite = densify(wide_b, p->k, p->n, b, ldb, column_is_vector(p->layout, p->tb)) && finite;
    multiply(p->m, p->n, p->k, wide_a, wide_b, *product, finite);
    make_absolute(wide_a, p->m * p->k);
    make_absolute(wide_b, p->k * p->n);
    multiply(p->m, p->n, p->k, wide_a, wide_b, *absolute, finite);
    free(wide_a);
    free(wide_b);
}

/* ---- Judging ---- */

static const char *describe(const struct clg_test_problem *p, const char *what) {
    snprintf(message, sizeof message,
             "%s\n  in layout %d, transposes %d %d, m n k %" PRId64 " %" PRId64 " %" PRId64
             ", alpha %g, beta %g, gaps %" PRId64 " %" PRId64 " %" PRId64
             ", offsets %zu %zu %zu, CLGEMM_TEST_SEED=%" PRIu64,
             what, (int)p->layout, (int)p->ta, (int)p->tb, p->m, p->n, p->k, (double)p->alpha,
             (double)p->beta, p->gap_a, p->gap_b, p->gap_c, p->offset_a, p->offset_b, p->offset_c,
             clg_test_seed());
    return message;
}

static bool agrees(double exact, double bound, float result) {
    if (isnan(exact))
        return isnan(result);
    if (isinf(exact))
        return (double)result == exact;
    return fabs((double)result - exact) <= bound; /* false for a NaN */
}

const char *clg_test_result_fault(const struct clg_test_problem *p, const float *a, int64_t lda,
                                  const float *b, int64_t ldb, const float *c_before,
                                  const float *c, int64_t ldc) {
    double *product, *absolute;
    const char *fault = NULL;
    products(p, a, lda, b, ldb, &product, &absolute);
    for (int64_t e = 0; e < p->m * p->n && !fault; e++) {
        int64_t at = place(p->layout == CLGEMM_COL_MAJOR, e / p->n, e % p->n, ldc);
        double exact = p->alpha == 0 || p->k == 0 ? 0 : (double)p->alpha * product[e];
        double old = p->beta == 0 ? 0 : (double)c_before[at];
        exact += (double)p->beta * old;
        double bound = clg_test_error_bound(p, absolute[e], old);
        if (!agrees(exact, bound, c[at])) {
            char what[256];
            snprintf(what, sizeof what,
                     "C(%" PRId64 ",%" PRId64 ") is %.9g, should be %.9g, off by %.3g, bound %.3g",
                     e / p->n, e % p->n, (double)c[at], exact, fabs((double)c[at] - exact), bound);
            fault = describe(p, what);
        }
    }
    free(product);
    free(absolute);
    return fault;
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
    return clg_test_result_fault(
        p, clg_test_matrix_data(&test->a), test->a.ld, clg_test_matrix_data(&test->b), test->b.ld,
        test->c.before + test->c.offset, clg_test_matrix_data(&test->c), test->c.ld);
}

/* ---- Cases ---- */

static void create_operand(struct clg_test_matrix *out, int64_t rows, int64_t columns,
                           bool by_column, int64_t gap, size_t offset,
                           struct clg_test_random *random) {
    clg_test_matrix_create(out, by_column ? rows : columns, by_column ? columns : rows, gap, offset,
                           random);
}

void clg_test_case_create(struct clg_test_case *out, const struct clg_test_problem *p,
                          struct clg_test_random *random) {
    out->problem = *p;
    create_operand(&out->a, p->m, p->k, column_is_vector(p->layout, p->ta), p->gap_a, p->offset_a,
                   random);
    create_operand(&out->b, p->k, p->n, column_is_vector(p->layout, p->tb), p->gap_b, p->offset_b,
                   random);
    create_operand(&out->c, p->m, p->n, p->layout == CLGEMM_COL_MAJOR, p->gap_c, p->offset_c,
                   random);
}

void clg_test_case_destroy(struct clg_test_case *test) {
    clg_test_matrix_destroy(&test->a);
    clg_test_matrix_destroy(&test->b);
    clg_test_matrix_destroy(&test->c);
}

clgemm_status clg_test_case_run(struct clg_test_case *test, clgemm_handle *handle) {
    const struct clg_test_problem *p = &test->problem;
    const float *a = clg_test_matrix_data(&test->a), *b = clg_test_matrix_data(&test->b);
    float *c = clg_test_matrix_data(&test->c);
    if (handle)
        return clgemm_handle_sgemm(handle, p->layout, p->ta, p->tb, p->m, p->n, p->k, p->alpha, a,
                                   test->a.ld, b, test->b.ld, p->beta, c, test->c.ld);
    return clgemm_sgemm(p->layout, p->ta, p->tb, p->m, p->n, p->k, p->alpha, a, test->a.ld, b,
                        test->b.ld, p->beta, c, test->c.ld);
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
                                .offset = matrix->offset,
                                .bytes = matrix->count * sizeof(float),
                                .alignment = 64};
}

struct clg_call clg_test_call(const struct clg_test_problem *p, struct clg_operand a,
                              struct clg_operand b, struct clg_operand c) {
    return (struct clg_call){.layout = p->layout,
                             .ta = p->ta,
                             .tb = p->tb,
                             .m = p->m,
                             .n = p->n,
                             .k = p->k,
                             .scalars = {(double)p->alpha, (double)p->beta},
                             .operand = {a, b, c}};
}

struct clg_call clg_test_case_call(const struct clg_test_case *test) {
    return clg_test_call(&test->problem, operand_of(&test->a), operand_of(&test->b),
                         operand_of(&test->c));
}
