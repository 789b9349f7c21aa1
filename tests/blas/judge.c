/* SPDX-License-Identifier: Apache-2.0
 * Judges products of either type in long double. */
#include "judge.h"

#include <cblas.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int64_t place(const struct view *x, int64_t row, int64_t column) {
    return x->first + (x->by_columns ? row + column * x->matrix->ld : row * x->matrix->ld + column);
}

static long double element(const struct view *x, int64_t row, int64_t column) {
    return clg_element(x->matrix->type, clg_test_matrix_data(x->matrix), place(x, row, column));
}

/* The bound of docs/testing.md. */
static bool is_right(const struct product *p, int64_t i, int64_t j) {
    const clgemm_type type = p->c.matrix->type;
    const double roundoff = clg_roundoff(type);
    const int64_t at = place(&p->c, i, j);
    const double old =
        p->beta == 0 ? 0 : clg_element(type, clg_test_matrix_before(p->c.matrix), at);
    long double exact = (long double)p->beta * old, sum = 0;
    double absolute = 0;
    for (int64_t l = 0; l < p->k && p->alpha != 0; l++) {
        const long double term = element(&p->a, i, l) * element(&p->b, l, j);
        sum += term;
        absolute += fabs((double)term);
    }
    exact += p->alpha * sum;
    const double bound = (double)(p->k + 2) * roundoff * fabs(p->alpha) * absolute +
                         2 * roundoff * fabs(p->beta * old);
    return fabsl(element(&p->c, i, j) - exact) <= bound; /* false for a NaN */
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
            const bool outside = p->uplo == CblasUpper ? i > j : p->uplo == CblasLower && i < j;
            if (idle || outside ? is_kept(p, i, j) : is_right(p, i, j))
                continue;
            snprintf(fault, sizeof fault,
                     "C(%" PRId64 ",%" PRId64 ") is wrong, in a product of type %d, m n k %" PRId64
                     " %" PRId64 " %" PRId64 ", triangle %d, alpha %g, beta %g",
                     i, j, (int)p->c.matrix->type, p->m, p->n, p->k, p->uplo, p->alpha, p->beta);
            return fault;
        }
    return NULL;
}
