/* SPDX-License-Identifier: Apache-2.0
 * Shared by the judge (judge.c) and the cases (gemm.c). */
#ifndef CLG_TEST_JUDGE_H
#define CLG_TEST_JUDGE_H

#include "support/gemm.h"

/* Whether a column of op(X) is contiguous in memory. */
bool clg_test_column_is_vector(clgemm_layout layout, clgemm_transpose trans);

/* Where element (row, column) is in a matrix with that leading dimension. */
int64_t clg_test_place(bool column_is_vector, int64_t row, int64_t column, int64_t ld);

/* The largest error of an element of alpha op(A) op(B) (beta is 0), relative to its bound; up to 1
 * is right. `least` is added to the bound for what lies below the least normal number. HUGE_VAL if
 * a NaN or an infinity is out of place. */
double clg_test_largest_error(const struct clg_test_problem *p, const void *a, int64_t lda,
                              const void *b, int64_t ldb, const void *c, int64_t ldc, double least);

/* What is wrong, with the problem and the seed, in storage of the calling thread. */
const char *clg_test_fault(const struct clg_test_problem *problem, const char *what);

#endif
