/* SPDX-License-Identifier: Apache-2.0
 * Plain loops. */
#include <complex.h>

#include "blas/cpu.h"
#include "blas/element.h"

static bool transposes(int value) {
    return value == CLGEMM_TRANS || value == CLGEMM_CONJ_TRANS;
}

/* Elements from one row of op(X) to the next, and from one column to the next. */
struct steps {
    int64_t row, column;
};

static struct steps steps_of(int layout, bool transposed, int64_t ld) {
    const bool by_columns = (layout == CLGEMM_COL_MAJOR) != transposed;
    return by_columns ? (struct steps){1, ld} : (struct steps){ld, 1};
}

/* A row or column of op(X); `step` is in elements. */
struct vector {
    const void *first;
    int64_t step;
    bool conjugated;
};

static struct vector vector_of(clgemm_type type, const void *x, int64_t first, int64_t step,
                               int transpose) {
    return (struct vector){clg_element_at(type, x, first), step,
                           transpose == CLGEMM_CONJ_TRANS || transpose == CLG_CONJ_NO_TRANS};
}

static double _Complex element(clgemm_type type, struct vector x, int64_t p) {
    const double _Complex value = clg_element_load(type, clg_element_at(type, x.first, p * x.step));
    return x.conjugated ? conj(value) : value;
}

static double _Complex dot(clgemm_type type, int64_t k, struct vector x, struct vector y) {
    double _Complex sum = 0;
    for (int64_t p = 0; p < k; p++)
        sum += element(type, x, p) * element(type, y, p);
    return sum;
}

/* beta = 0 does not read C, and alpha = 0 reads neither A nor B. */
static void set(clgemm_type type, void *c, double _Complex alpha, double _Complex sum,
                double _Complex beta) {
    clg_element_store(type, c,
                      (alpha == 0 ? 0 : alpha * sum) +
                          (beta == 0 ? 0 : beta * clg_element_load(type, c)));
}

void clg_plain_gemm(const struct clg_gemm *call) {
    const clgemm_type type = call->type;
    const double _Complex alpha = clg_element_load(type, &call->alpha),
                          beta = clg_element_load(type, &call->beta);
    const struct steps a = steps_of(call->layout, transposes(call->ta), call->lda),
                       b = steps_of(call->layout, transposes(call->tb), call->ldb),
                       c = steps_of(call->layout, false, call->ldc);
    if ((alpha == 0 || call->k == 0) && beta == 1)
        return;
    for (int64_t j = 0; j < call->n; j++)
        for (int64_t i = 0; i < call->m; i++)
            set(type, clg_element_at(type, call->c, i * c.row + j * c.column), alpha,
                alpha == 0
                    ? 0
                    : dot(type, call->k, vector_of(type, call->a, i * a.row, a.column, call->ta),
                          vector_of(type, call->b, j * b.column, b.row, call->tb)),
                beta);
}

void clg_plain_syrk(const struct clg_syrk *call) {
    const clgemm_type type = call->type;
    const double _Complex alpha = clg_element_load(type, &call->alpha),
                          beta = clg_element_load(type, &call->beta);
    const struct steps a = steps_of(call->layout, transposes(call->trans), call->lda),
                       c = steps_of(call->layout, false, call->ldc);
    if ((alpha == 0 || call->k == 0) && beta == 1)
        return;
    for (int64_t j = 0; j < call->n; j++) {
        const int64_t first = call->uplo == CLG_UPPER ? 0 : j,
                      end = call->uplo == CLG_UPPER ? j + 1 : call->n;
        for (int64_t i = first; i < end; i++)
            set(type, clg_element_at(type, call->c, i * c.row + j * c.column), alpha,
                alpha == 0 ? 0
                           : dot(type, call->k, vector_of(type, call->a, i * a.row, a.column, 0),
                                 vector_of(type, call->a, j * a.row, a.column, 0)),
                beta);
    }
}
