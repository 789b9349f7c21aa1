/* SPDX-License-Identifier: Apache-2.0
 * Products of one call that share programs. The first call of a kind waits for the compiler, which
 * takes a tenth of a second to two seconds for each program; and the sizes of one call's products
 * differ, so that each would have another variant as its fastest, often by less than models know.
 */
#ifndef CLG_RUN_AGREE_H
#define CLG_RUN_AGREE_H

#include "gemm/problem.h"
#include "tuning/table.h"

/* One of a call's products, and how often the call computes it. */
struct clg_agree {
    struct clg_problem *problem;
    int times;
};

/* Sets `common` of all products of a call that is expected to take so many seconds: to the variant
 * with which they need the fewest programs, if these are fewer than by their own choices and the
 * call takes hardly longer by the model; else to none. A measured row of any of them stays in
 * force. Calls no OpenCL function. Nothing changes if memory is short. */
void clg_agree(const struct clg_agree *products, int count, double seconds,
               const struct clg_facts *facts, const struct clg_tuning *tuning);

#endif
