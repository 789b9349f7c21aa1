/* SPDX-License-Identifier: Apache-2.0
 * GSL as a client: gsl_blas_sgemm, which calls cblas_sgemm of whatever CBLAS is linked. */
#include <gsl/gsl_blas.h>

#include "judge.h"

static gsl_matrix_float *random_matrix(size_t rows, size_t columns, unsigned seed) {
    gsl_matrix_float *x = gsl_matrix_float_alloc(rows, columns);
    fill(x->data, (long)(rows * columns), seed);
    return x;
}

static struct view plain(const gsl_matrix_float *x) {
    return (struct view){x->data, (long)x->tda, 1, sizeof *x->data};
}

static struct view transposed(const gsl_matrix_float *x) {
    return (struct view){x->data, 1, (long)x->tda, sizeof *x->data};
}

int main(void) {
    enum { M = 131, N = 127, K = 119 };
    gsl_matrix_float *a = random_matrix(M, K, 1), *b = random_matrix(K, N, 2);
    gsl_matrix_float *a_t = random_matrix(K, M, 3), *c = gsl_matrix_float_calloc(M, N);
    gsl_blas_sgemm(CblasNoTrans, CblasNoTrans, 1, a, b, 0, c);
    int wrong = judge("gsl_blas_sgemm NN", M, N, K, plain(a), plain(b), plain(c));
    gsl_blas_sgemm(CblasTrans, CblasNoTrans, 1, a_t, b, 0, c);
    wrong += judge("gsl_blas_sgemm TN", M, N, K, transposed(a_t), plain(b), plain(c));
    gsl_matrix_float_free(a);
    gsl_matrix_float_free(b);
    gsl_matrix_float_free(a_t);
    gsl_matrix_float_free(c);
    return wrong != 0;
}
