/* SPDX-License-Identifier: Apache-2.0
 * Calls in fresh processes that report where their programs came from. */
#ifndef CLG_TEST_CACHE_CALLS_H
#define CLG_TEST_CACHE_CALLS_H

#include "support/gemm.h"

struct clg_test_origins {
    unsigned compiled, memory, disk; /* how many programs */
};

/* For a child: its own handle, a problem, the check of its result, and a line that says where the
 * handle's programs came from. Returns the child's exit status. */
int clg_test_call_problem_and_print(const struct clg_test_problem *problem);

/* The same for the small problem. */
int clg_test_call_and_print(void);

/* The same with one program on every device: matrices are copied, so no program is needed to find
 * out whether they must be. */
int clg_test_call_one_and_print(void);

/* Runs this program in that role and environment, as clg_test_run_self() does. Fails the test
 * unless it exits with 0 and printed `count` such lines, which are left in `out`. */
void clg_test_run_calls(const char *role, const char *const *environment,
                        struct clg_test_origins *out, int count);

#endif
