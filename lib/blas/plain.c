/* SPDX-License-Identifier: Apache-2.0
 * Plain loops: the routines as they are defined. */
#include <complex.h>

#include "blas/cpu.h"
#include "blas/element.h"

struct stored {
    clgemm_type type;
    int layout;
    const void *memory;
    int64_t ld;
};

static void *at(const struct stored *x, int64_t row, int64_t column) {
    return clg_element_at(x->type, x->memory,
                          x->layout == CLGEMM_COL_MAJOR ? row + column * x->ld
                                                        : row * x->ld + column);
}

static double _Complex get(const struct stored *x, int64_t row, int64_t column) {
    return clg_element_load(x->type, at(x, row, column));
}

/* Element (row, column) of op(X). */
static double _Complex of_op(const struct stored *x, int op, int64_t row, int64_t column) {
    const bool transposes = op == CLGEMM_TRANS || op == CLGEMM_CONJ_TRANS;
    const double _Complex value = transposes ? get(x, column, row) : get(x, row, column);
    return op == CLGEMM_CONJ_TRANS || op == CLG_CONJ_NO_TRANS ? conj(value) : value;
}

/* C := product + beta C; beta = 0 does not read C. */
static void set(const struct stored *c, int64_t row, int64_t column, double _Complex product,
                double _Complex beta) {
    void *element = at(c, row, column);
    clg_element_store(c->type, element,
                      product + (beta == 0 ? 0 : beta * clg_element_load(c->type, element)));
}

void clg_plain_gemm(const struct clg_gemm *call) {
    const struct stored a = {call->type, call->layout, call->a, call->lda},
                        b = {call->type, call->layout, call->b, call->ldb},
                        c = {call->type, call->layout, call->c, call->ldc};
    const double _Complex alpha = clg_element_load(call->type, &call->alpha),
                          beta = clg_element_load(call->type, &call->beta);
    const int64_t k = alpha == 0 ? 0 : call->k;
    for (int64_t i = 0; i < call->m && !(k == 0 && beta == 1); i++)
        for (int64_t j = 0; j < call->n; j++) {
            double _Complex sum = 0;
            for (int64_t p = 0; p < k; p++)
                sum += of_op(&a, call->ta, i, p) * of_op(&b, call->tb, p, j);
            set(&c, i, j, k == 0 ? 0 : alpha * sum, beta);
        }
}

/* ---- The rest of level 3: alpha = 0 reads neither A nor B ---------------------------------- */

struct plain {
    const clgemm_level3_desc *desc;
    struct stored a, b, c;
    double _Complex alpha, beta;
    bool left, hermitian;
};

static bool is_outside(const struct plain *p, int64_t row, int64_t column) {
    return p->desc->uplo == CLGEMM_UPPER ? row > column : row < column;
}

static double _Complex mirrored(const struct plain *p, double _Complex value) {
    return p->hermitian ? conj(value) : value;
}

static double _Complex symmetric(const struct plain *p, int64_t row, int64_t column) {
    if (is_outside(p, row, column))
        return mirrored(p, get(&p->a, column, row));
    const double _Complex value = get(&p->a, row, column);
    return p->hermitian && row == column ? creal(value) : value;
}

static void with_side(const struct plain *p) {
    const int64_t k = p->alpha == 0 ? 0 : clg_side(p->desc);
    for (int64_t i = 0; i < p->desc->m && !(k == 0 && p->beta == 1); i++)
        for (int64_t j = 0; j < p->desc->n; j++) {
            double _Complex sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += p->left ? symmetric(p, i, l) * get(&p->b, l, j)
                               : get(&p->b, i, l) * symmetric(p, l, j);
            set(&p->c, i, j, k == 0 ? 0 : p->alpha * sum, p->beta);
        }
}

/* alpha op(X) op(Y)', at row i and column j. */
static double _Complex update(const struct plain *p, double _Complex alpha, const struct stored *x,
                              const struct stored *y, int64_t i, int64_t j) {
    const int op = p->desc->trans == CLGEMM_NO_TRANS ? CLGEMM_NO_TRANS
                   : p->hermitian                    ? CLGEMM_CONJ_TRANS
                                                     : CLGEMM_TRANS;
    double _Complex sum = 0;
    for (int64_t l = 0; l < p->desc->k && alpha != 0; l++)
        sum += of_op(x, op, i, l) * mirrored(p, of_op(y, op, j, l));
    return alpha == 0 ? 0 : alpha * sum;
}

static void rank(const struct plain *p) {
    const bool two = clg_is_rank_2k(p->desc->routine);
    const bool idle = (p->desc->k == 0 || p->alpha == 0) && p->beta == 1;
    for (int64_t i = 0; i < p->desc->n && !idle; i++)
        for (int64_t j = 0; j < p->desc->n; j++) {
            void *c = at(&p->c, i, j);
            if (is_outside(p, i, j))
                continue;
            double _Complex sum = update(p, p->alpha, &p->a, two ? &p->b : &p->a, i, j);
            if (two)
                sum += update(p, mirrored(p, p->alpha), &p->b, &p->a, i, j);
            if (p->hermitian && i == j) {
                clg_element_store(p->c.type, c, creal(clg_element_load(p->c.type, c)));
                sum = creal(sum);
            }
            set(&p->c, i, j, sum, p->beta);
        }
}

/* Element x of what op(A) multiplies: of column v of C, from the right of row v. */
static void *of_vector(const struct plain *p, int64_t v, int64_t x) {
    return p->left ? at(&p->c, x, v) : at(&p->c, v, x);
}

/* Element (row, column) of op(A), from the right of its transpose. */
static double _Complex triangular(const struct plain *p, int64_t row, int64_t column) {
    if (row == column && p->desc->diag == CLGEMM_UNIT)
        return 1;
    return of_op(&p->a, (int)p->desc->trans, p->left ? row : column, p->left ? column : row);
}

/* In place: a product's element is written when no other one needs it any more, and a solution's
 * when all that it needs are there. */
static void in_place(const struct plain *p) {
    const bool solves = p->desc->routine == CLGEMM_TRSM;
    const bool lower =
        (p->desc->uplo == CLGEMM_LOWER) == (p->left == (p->desc->trans == CLGEMM_NO_TRANS));
    const int64_t side = clg_side(p->desc), vectors = p->left ? p->desc->n : p->desc->m;
    for (int64_t v = 0; v < vectors; v++)
        for (int64_t step = 0; step < side; step++) {
            const int64_t x = lower == solves ? step : side - 1 - step;
            void *element = of_vector(p, v, x);
            double _Complex sum = 0;
            for (int64_t l = lower ? 0 : x + 1; l < (lower ? x : side) && p->alpha != 0; l++)
                sum += triangular(p, x, l) * clg_element_load(p->c.type, of_vector(p, v, l));
            if (p->alpha != 0) {
                const double _Complex own = clg_element_load(p->c.type, element),
                                      pivot = triangular(p, x, x);
                sum = solves ? (p->alpha * own - sum) / pivot : p->alpha * (sum + pivot * own);
            }
            clg_element_store(p->c.type, element, sum);
        }
}

void clg_plain_level3(const struct clg_level3 *call) {
    const clgemm_level3_desc *desc = &call->desc;
    const int layout = (int)desc->layout;
    const struct plain plain = {.desc = desc,
                                .a = {desc->type, layout, call->a, desc->lda},
                                .b = {desc->type, layout, call->b, desc->ldb},
                                .c = {desc->type, layout, call->c, desc->ldc},
                                .alpha = clg_element_load(clg_alpha_type(call), &call->alpha),
                                .beta = clg_element_load(clg_beta_type(call), &call->beta),
                                .left = desc->side == CLGEMM_LEFT,
                                .hermitian = clg_is_hermitian(desc->routine)};
    if (clg_is_symmetric(desc->routine))
        with_side(&plain);
    else if (clg_is_triangular(desc->routine))
        in_place(&plain);
    else
        rank(&plain);
}
