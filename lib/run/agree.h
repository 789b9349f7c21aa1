/* SPDX-License-Identifier: Apache-2.0
 * Products of one call that share programs. The first call of a kind waits for the compiler, which
 * takes a tenth of a second to two seconds for each program; and the sizes of one call's products
 * differ, so that each would have another variant as its fastest, often by less than models know.
 */
#ifndef CLG_RUN_AGREE_H
#define CLG_RUN_AGREE_H

#include "gemm/problem.h"
#include "tuning/table.h"

/* One of a call's products, of work CLG_WORK_MULTIPLY, and how often the call computes it. */
struct clg_agree {
    const struct clg_problem *problem;
    int times;
};

/* The variant that all products of a call, which is expected to take so many seconds, should have
 * in common: that with which they need the fewest programs, if these are fewer than by their own
 * choices and the call takes hardly longer by the model. None if there is no such variant, if rows
 * were measured for any product, or if memory is short. Calls no OpenCL function. */
struct clg_variant clg_agree(const struct clg_agree *products, int count, double seconds,
                             const struct clg_facts *facts, const struct clg_tuning *tuning);

#endif
