/* SPDX-License-Identifier: Apache-2.0
 * The judge of a product: wider arithmetic, and the bound of docs/testing.md. */
#include "support/judge.h"

#include <cblas.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Above this many multiplications OpenBLAS's dgemm replaces the loops, to save time. Its error in
 * double precision may be as large as that of the result. */
static int64_t largest_by_loops(clgemm_type type) {
    return type == CLGEMM_F64 ? 1 << 26 : 1 << 20;
}

static _Thread_local char message[1024];

double clg_test_error_bound(const struct clg_test_problem *problem, double absolute_product,
                            double c_before) {
    const double u = clg_roundoff(problem->type);
    double bound = 0;
    if (problem->alpha != 0 && problem->k > 0)
        bound = (double)(problem->k + 2) * u * fabs((double)problem->alpha) * absolute_product;
    if (problem->beta != 0)
        bound += 2 * u * fabs((double)problem->beta * c_before);
    return bound;
}

/* ---- The product in wider arithmetic ---- */

bool clg_test_column_is_vector(clgemm_layout layout, clgemm_transpose trans) {
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

/* dgemm may handle NaN and infinities differently, so it gets finite matrices only. */
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
    bool finite =
        densify(wide_a, p->m, p->k, p->type, a, lda, clg_test_column_is_vector(p->layout, p->ta));
    finite =
        densify(wide_b, p->k, p->n, p->type, b, ldb, clg_test_column_is_vector(p->layout, p->tb)) &&
        finite;
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

const char *clg_test_fault(const struct clg_test_problem *p, const char *what) {
    snprintf(message, sizeof message,
             "%s\n  in type %d, layout %d, transposes %d %d, m n k %" PRId64 " %" PRId64 " %" PRId64
             ", alpha %g, beta %g, gaps %" PRId64 " %" PRId64 " %" PRId64
             ", offsets %zu %zu %zu, batch %" PRId64 ", CLGEMM_TEST_SEED=%" PRIu64,
             what, (int)p->type, (int)p->layout, (int)p->ta, (int)p->tb, p->m, p->n, p->k,
             (double)p->alpha, (double)p->beta, p->gap_a, p->gap_b, p->gap_c, p->offset_a,
             p->offset_b, p->offset_c, p->batch, clg_test_seed());
    return message;
}

static bool agrees(clgemm_type type, long double exact, double bound, double result) {
    if (isnan(exact))
        return isnan(result);
    if (isinf(exact))
        return result == exact;
    if (clg_type_is_narrow(type))
        return clg_element_is_near(type, result, (double)exact, 0, bound);
    return fabsl(result - exact) <= bound; /* false for a NaN */
}

/* An element of C: its exact value, its actual value, and the largest permitted error. */
struct element {
    long double exact;
    double result, bound;
};

static struct element element_of(const struct clg_test_problem *p, const struct judgement *judged,
                                 int64_t e, const void *c_before, const void *c, int64_t ldc) {
    const int64_t at = place(p->layout == CLGEMM_COL_MAJOR, e / p->n, e % p->n, ldc);
    const double old = p->beta == 0 ? 0 : clg_element(p->type, c_before, at);
    const long double product =
        p->alpha == 0 || p->k == 0 ? 0 : (long double)p->alpha * judged->product[e];
    struct element element = {.exact = product + (long double)p->beta * old,
                              .result = clg_element(p->type, c, at),
                              .bound = clg_test_error_bound(p, (double)judged->absolute[e], old)};
    if (judged->by_dgemm && p->type == CLGEMM_F64)
        element.bound *= 2; /* the reference's own error */
    return element;
}

double clg_test_largest_error(const struct clg_test_problem *p, const void *a, int64_t lda,
                              const void *b, int64_t ldb, const void *c, int64_t ldc,
                              double least) {
    struct judgement judged = judge(p, a, lda, b, ldb);
    double largest = 0;
    for (int64_t i = 0; i < p->m * p->n; i++) {
        struct element e = element_of(p, &judged, i, c, c, ldc);
        const double room =
            e.bound + least + clg_storing_error(p->type, fabs((double)e.exact) + e.bound);
        const bool special = !isfinite(e.exact) || !isfinite(e.result);
        const double error = !special ? (double)fabsl(e.result - e.exact) / room
                             : agrees(p->type, e.exact, e.bound, e.result) ? 0
                                                                           : HUGE_VAL;
        largest = fmax(largest, error);
    }
    judgement_free(&judged);
    return largest;
}

const char *clg_test_result_fault(const struct clg_test_problem *p, const void *a, int64_t lda,
                                  const void *b, int64_t ldb, const void *c_before, const void *c,
                                  int64_t ldc) {
    struct judgement judged = judge(p, a, lda, b, ldb);
    const char *fault = NULL;
    for (int64_t e = 0; e < p->m * p->n && !fault; e++) {
        const struct element at = element_of(p, &judged, e, c_before, c, ldc);
        if (!agrees(p->type, at.exact, at.bound, at.result)) {
            char what[256];
            snprintf(what, sizeof what,
                     "C(%" PRId64 ",%" PRId64 ") is %.17g, should be %.17Lg, off by %.3Lg, bound "
                     "%.3g",
                     e / p->n, e % p->n, at.result, at.exact, fabsl(at.result - at.exact),
                     at.bound);
            fault = clg_test_fault(p, what);
        }
    }
    judgement_free(&judged);
    return fault;
}
