/* SPDX-License-Identifier: Apache-2.0
 * Plans remembered: choosing one and finding its programs takes microseconds, as long as a small
 * product on a fast device, and programs that multiply tend to repeat themselves. */
#ifndef CLG_GEMM_MEMO_H
#define CLG_GEMM_MEMO_H

#include <pthread.h>

#include "gemm/plan.h"
#include "gemm/tuning.h"
#include "program/programs.h"

enum { CLG_MEMO_PLANS = 16 };

struct clg_memo {
    struct clg_programs *programs;
    pthread_mutex_t lock; /* guards all below */
    struct clg_plan plans[CLG_MEMO_PLANS];
    int count, oldest;
    struct clg_tuning *tuning; /* what plans are made with; NULL: none */
};

/* Without a tuning table. */
void clg_memo_init(struct clg_memo *memo, struct clg_programs *programs);
void clg_memo_destroy(struct clg_memo *memo);

/* The memo's tuning table (or NULL), which the caller releases. */
struct clg_tuning *clg_memo_tuning(struct clg_memo *memo);

/* Takes over `tuning` (or NULL) in place of `old`, and forgets all plans, so that none is used that
 * was made without it. False, and nothing is done, where another thread was quicker and the table
 * is no longer `old`. */
bool clg_memo_retune(struct clg_memo *memo, const struct clg_tuning *old,
                     struct clg_tuning *tuning);

/* The plan of this problem, as clg_plan_make makes it with the tuning table, and its programs. */
clgemm_status clg_memo_plan(struct clg_memo *memo, const struct clg_problem *problem,
                            struct clg_plan *out);

#endif
