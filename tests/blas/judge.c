/* SPDX-License-Identifier: Apache-2.0
 * Judges products of any type in long double. */
#include "judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int64_t place(const struct view *x, int64_t row, int64_t column) {
    return x->first + (x->by_columns ? row + column * x->matrix->ld : row * x->matrix->ld + column);
}

static double _Complex element(const struct view *x, int64_t row, int64_t column) {
    const double _Complex value =
        judge_element(x->matrix->type, clg_test_matrix_data(x->matrix), place(x, row, column));
    return x->conjugated ? conj(value) : value;
}

static double size_of(double _Complex value) {
    return fabs(creal(value)) + fabs(cimag(value));
}

/* The bound of docs/testing.md. A complex product has twice the terms, and as many roundings by
 * alpha and beta as tests/support/judge.c says. */
static bool is_right(const struct product *p, int64_t i, int64_t j) {
    const clgemm_type type = p->c.matrix->type;
    const int parts = clg_type_parts(type);
    const double roundoff = parts * clg_roundoff(type);
    const int64_t at = place(&p->c, i, j);
    const double _Complex old =
        p->beta == 0 ? 0 : judge_element(type, clg_test_matrix_before(p->c.matrix), at);
    long double real = 0, imag = 0;
    double absolute = 0;
    for (int64_t l = 0; l < p->k && p->alpha != 0; l++) {
        const double _Complex x = element(&p->a, i, l), y = element(&p->b, l, j);
        const long double x_real = creal(x), x_imag = cimag(x);
        const long double term_real = x_real * creal(y) - x_imag * cimag(y),
                          term_imag = x_real * cimag(y) + x_imag * creal(y);
        real += term_real;
        imag += term_imag;
        absolute += fabs((double)term_real) + fabs((double)term_imag);
    }
    const long double _Complex sum = real + imag * _Complex_I,
                               exact = p->alpha * sum + (long double _Complex)p->beta * old;
    const double bound =
        (double)(parts * p->k + 3 * parts - 1) * roundoff * size_of(p->alpha) * absolute +
        2 * parts * roundoff * size_of(p->beta) * size_of(old);
    const long double _Complex error = element(&p->c, i, j) - exact;
    return fabsl(creall(error)) <= bound && fabsl(cimagl(error)) <= bound; /* false for a NaN */
}

static bool is_kept(const struct product *p, int64_t i, int64_t j) {
    const struct clg_test_matrix *c = p->c.matrix;
    const int64_t at = place(&p->c, i, j);
    return memcmp(clg_element_at(c->type, clg_test_matrix_data(c), at),
                  clg_element_at(c->type, clg_test_matrix_before(c), at),
                  clg_type_size(c->type)) == 0;
}

const char *judge(const struct product *p) {
    static char fault[256];
    if (!clg_test_matrix_unchanged(p->a.matrix) || !clg_test_matrix_unchanged(p->b.matrix))
        return "A's or B's memory was written";
    if (!clg_test_matrix_guarded(p->c.matrix))
        return "memory around the elements of C was written";
    const bool idle = p->beta == 1 && (p->alpha == 0 || p->k == 0);
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            if (idle ? is_kept(p, i, j) : is_right(p, i, j))
                continue;
            snprintf(fault, sizeof fault,
                     "C(%" PRId64 ",%" PRId64 ") is wrong, in a product of type %d, m n k %" PRId64
                     " %" PRId64 " %" PRId64 ", alpha %g %g, beta %g %g",
                     i, j, (int)p->c.matrix->type, p->m, p->n, p->k, creal(p->alpha),
                     cimag(p->alpha), creal(p->beta), cimag(p->beta));
            return fault;
        }
    return NULL;
}
