/* SPDX-License-Identifier: Apache-2.0
 * The judge of a product: wider arithmetic, and the bound of docs/testing.md. */
#include "support/judge.h"

#include <cblas.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above this many multiplications OpenBLAS's dgemm replaces the loops, to save time. Its error in
 * double precision may be as large as that of the result. */
static int64_t largest_by_loops(clgemm_type type) {
    return clg_type_real(type) == CLGEMM_F64 ? 1 << 26 : 1 << 20;
}

static _Thread_local char message[1024];

double clg_test_error_bound(const struct clg_test_problem *problem, double absolute_product,
                            double c_before) {
    const double u = clg_roundoff(problem->type);
    double bound = 0;
    if (problem->alpha != 0 && problem->k > 0)
        bound = (double)(problem->k * clg_type_parts(problem->type) + 2) * u *
                fabs((double)problem->alpha) * absolute_product;
    if (problem->beta != 0)
        bound += 2 * u * fabs((double)problem->beta * c_before);
    return bound;
}

/* ---- The product in wider arithmetic ---- */

bool clg_test_column_is_vector(clgemm_layout layout, clgemm_transpose trans) {
    return (layout == CLGEMM_COL_MAJOR) == (trans == CLGEMM_NO_TRANS);
}

int64_t clg_test_place(bool column_is_vector, int64_t row, int64_t column, int64_t ld) {
    return column_is_vector ? row + column * ld : row * ld + column;
}

/* A matrix op(X) of rows x columns elements, of which the parts of complex ones count as rows; with
 * `twice` as columns, too: (re -im; im re). */
struct operand {
    const void *x;
    clgemm_type type;
    int64_t rows, columns, ld;
    bool by_column, conjugated, twice;
};

static double number_of(const struct operand *o, int64_t row, int64_t column) {
    const int parts = clg_type_parts(o->type);
    const bool turned = o->twice && column % parts;
    const int part = (int)(row % parts) ^ turned;
    const int64_t at =
        clg_test_place(o->by_column, row / parts, o->twice ? column / parts : column, o->ld);
    const double value = clg_element(o->type, o->x, at * parts + part);
    const bool negative = (part && o->conjugated) != (turned && part);
    return negative ? -value : value;
}

/* The operand as a dense row-major matrix of doubles. False if it holds a NaN or an infinity. */
static bool densify(double *out, const struct operand *o) {
    const int parts = clg_type_parts(o->type);
    const int64_t rows = o->rows * parts, columns = o->columns * (o->twice ? parts : 1);
    bool finite = true;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            const double value = number_of(o, i, j);
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

static bool has_product(const struct clg_test_problem *p) {
    return (p->alpha != 0 || p->alpha_imag != 0) && p->k > 0;
}

/* dgemm may handle NaN and infinities differently, so it gets finite matrices only. */
static struct judgement judge(const struct clg_test_problem *p, const void *a, int64_t lda,
                              const void *b, int64_t ldb) {
    const int parts = clg_type_parts(p->type);
    const int64_t m = p->m * parts, k = p->k * parts, n = p->n;
    struct judgement out = {.product = clg_test_alloc((size_t)(m * n) * sizeof *out.product),
                            .absolute = clg_test_alloc((size_t)(m * n) * sizeof *out.absolute)};
    if (!has_product(p)) {
        for (int64_t i = 0; i < m * n; i++)
            out.product[i] = out.absolute[i] = 0;
        return out;
    }
    const struct operand of_a = {.x = a,
                                 .type = p->type,
                                 .rows = p->m,
                                 .columns = p->k,
                                 .ld = lda,
                                 .by_column = clg_test_column_is_vector(p->layout, p->ta),
                                 .conjugated = p->ta == CLGEMM_CONJ_TRANS,
                                 .twice = true};
    const struct operand of_b = {.x = b,
                                 .type = p->type,
                                 .rows = p->k,
                                 .columns = p->n,
                                 .ld = ldb,
                                 .by_column = clg_test_column_is_vector(p->layout, p->tb),
                                 .conjugated = p->tb == CLGEMM_CONJ_TRANS};
    double *wide_a = clg_test_alloc((size_t)(m * k) * sizeof(double));
    double *wide_b = clg_test_alloc((size_t)(k * n) * sizeof(double));
    const bool finite_a = densify(wide_a, &of_a), finite_b = densify(wide_b, &of_b);
    out.by_dgemm = finite_a && finite_b && m * n * k > largest_by_loops(p->type);
    void (*const multiply)(int64_t, int64_t, int64_t, const double *, const double *,
                           long double *) = out.by_dgemm ? multiply_by_dgemm : multiply_by_loops;
    multiply(m, n, k, wide_a, wide_b, out.product);
    make_absolute(wide_a, m * k);
    make_absolute(wide_b, k * n);
    multiply(m, n, k, wide_a, wide_b, out.absolute);
    free(wide_a);
    free(wide_b);
    return out;
}

/* ---- Judging ---- */

const char *clg_test_fault(const struct clg_test_problem *p, const char *what) {
    snprintf(message, sizeof message,
             "%s\n  in type %d, layout %d, transposes %d %d, m n k %" PRId64 " %" PRId64 " %" PRId64
             ", alpha %g %g, beta %g %g, triangle %d, gaps %" PRId64 " %" PRId64 " %" PRId64
             ", offsets %zu %zu %zu, batch %" PRId64 ", CLGEMM_TEST_SEED=%" PRIu64,
             what, (int)p->type, (int)p->layout, (int)p->ta, (int)p->tb, p->m, p->n, p->k,
             (double)p->alpha, (double)p->alpha_imag, (double)p->beta, (double)p->beta_imag,
             (int)p->triangle, p->gap_a, p->gap_b, p->gap_c, p->offset_a, p->offset_b, p->offset_c,
             p->batch, clg_test_seed());
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

/* Adds a factor's part times a number, to the exact value and to the bound of its rounding. */
static void add(struct element *element, double factor, long double number, double magnitude,
                double roundings) {
    if (factor == 0)
        return;
    element->exact += factor * number;
    element->bound += roundings * fabs(factor) * magnitude;
}

/* Number e of C, whose rows are two each if it is complex. A factor without an imaginary part
 * multiplies as a real one. */
static struct element element_of(const struct clg_test_problem *p, const struct judgement *judged,
                                 int64_t e, const void *c_before, const void *c, int64_t ldc) {
    const int parts = clg_type_parts(p->type);
    const int part = (int)(e / p->n % parts);
    const int64_t at =
        clg_test_place(p->layout == CLGEMM_COL_MAJOR, e / p->n / parts, e % p->n, ldc) * parts;
    const int64_t other = part ? e - p->n : e + p->n;
    const double u = clg_roundoff(p->type), sign = part ? 1 : -1;
    const double depth = (double)(p->k * parts + (p->alpha_imag != 0 ? 5 : 2)) * u;
    struct element element = {.exact = 0, .result = clg_element(p->type, c, at + part)};
    if (has_product(p)) {
        add(&element, (double)p->alpha, judged->product[e], (double)judged->absolute[e], depth);
        if (parts > 1 && p->alpha_imag != 0)
            add(&element, sign * (double)p->alpha_imag, judged->product[other],
                (double)judged->absolute[other], depth);
    }
    if (p->beta != 0) {
        const double old = clg_element(p->type, c_before, at + part);
        add(&element, (double)p->beta, old, fabs(old), 2 * u);
    }
    if (parts > 1 && p->beta_imag != 0) {
        const double old = clg_element(p->type, c_before, at + !part);
        add(&element, sign * (double)p->beta_imag, old, fabs(old), 4 * u);
        element.bound *= 2;
    }
    if (judged->by_dgemm && clg_type_real(p->type) == CLGEMM_F64)
        element.bound *= 2; /* the reference's own error */
    return element;
}

/* How many there are. */
static int64_t numbers_of(const struct clg_test_problem *p) {
    return p->m * p->n * clg_type_parts(p->type);
}

double clg_test_largest_error(const struct clg_test_problem *p, const void *a, int64_t lda,
                              const void *b, int64_t ldb, const void *c, int64_t ldc,
                              double least) {
    struct judgement judged = judge(p, a, lda, b, ldb);
    double largest = 0;
    for (int64_t i = 0; i < numbers_of(p); i++) {
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
    for (int64_t e = 0; e < numbers_of(p) && !fault; e++) {
        const int64_t row = e / p->n / clg_type_parts(p->type), column = e % p->n;
        const int64_t place = clg_test_place(p->layout == CLGEMM_COL_MAJOR, row, column, ldc);
        if (!clg_test_is_computed(p, row, column)) {
            if (memcmp(clg_element_at(p->type, c, place), clg_element_at(p->type, c_before, place),
                       clg_type_size(p->type)) != 0)
                fault = clg_test_fault(p, "an element outside C's triangle was written");
            continue;
        }
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
