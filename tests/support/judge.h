/* SPDX-License-Identifier: Apache-2.0
 * What the judge (judge.c) and the cases (gemm.c) know of each other. */
#ifndef CLG_TEST_JUDGE_H
#define CLG_TEST_JUDGE_H

#include "support/gemm.h"

/* Whether walking down a column of op(X) walks through contiguous memory. */
bool clg_test_column_is_vector(clgemm_layout layout, clgemm_transpose trans);

/* What is wrong, with the problem and the seed, in storage of the calling thread. */
const char *clg_test_fault(const struct clg_test_problem *problem, const char *what);

#endif
