/* SPDX-License-Identifier: Apache-2.0
 * Batches in a program with the drop-in before its BLAS. */
#ifndef CLG_TESTS_BLAS_BATCHES_H
#define CLG_TESTS_BLAS_BATCHES_H

#include "drop_in.h"

/* How a batch is called: by ?gemm_batch_strided, or as the one group of ?gemm_batch, whose matrices
 * are evenly spaced or scattered. */
enum form { BY_STRIDES, BY_EVEN_ARRAYS, BY_SCATTERED_ARRAYS };

/* Calls the problem's `batch` products, which may share A or B, and judges them. Exits on a
 * fault. */
void batches_check(const struct clg_test_problem *problem, enum form form, enum names names);

/* The same by ?gemm_batch with a group for each of these problems, all in one layout. A `batch` of
 * 0 is an empty group. */
void batches_check_groups(const struct clg_test_problem *problems, int count, enum names names);

/* ---- The calls themselves ------------------------------------------------------------------ */

/* Arguments of ?gemm_batch_strided, and of ?gemm_batch with one group. alpha is 1, beta 0.5. */
struct batches_arguments {
    int layout, ta, tb, m, n, k, lda, ldb, ldc, groups, count;
    void *a, *b, *c; /* of all products */
};
void batches_call(const struct batches_arguments *arguments, enum form form, enum names names);

#endif
