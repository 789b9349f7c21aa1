/* SPDX-License-Identifier: Apache-2.0
 * Plans remembered. */
#include "gemm/memo.h"

#include "gemm/exec.h"

void clg_memo_init(struct clg_memo *memo, struct clg_programs *programs) {
    memo->programs = programs;
    memo->count = memo->oldest = 0;
    memo->tuning = NULL;
    pthread_mutex_init(&memo->lock, NULL);
}

void clg_memo_destroy(struct clg_memo *memo) {
    clg_tuning_release(memo->tuning);
    pthread_mutex_destroy(&memo->lock);
}

struct clg_tuning *clg_memo_tuning(struct clg_memo *memo) {
    pthread_mutex_lock(&memo->lock);
    struct clg_tuning *tuning = clg_tuning_retain(memo->tuning);
    pthread_mutex_unlock(&memo->lock);
    return tuning;
}

bool clg_memo_retune(struct clg_memo *memo, const struct clg_tuning *old,
                     struct clg_tuning *tuning) {
    pthread_mutex_lock(&memo->lock);
    struct clg_tuning *replaced = memo->tuning;
    const bool ours = replaced == old;
    if (ours) {
        memo->tuning = tuning;
        memo->count = memo->oldest = 0;
    }
    pthread_mutex_unlock(&memo->lock);
    if (ours)
        clg_tuning_release(replaced);
    return ours;
}

static bool find(struct clg_memo *memo, const struct clg_problem *problem, struct clg_plan *out) {
    bool found = false;
    pthread_mutex_lock(&memo->lock);
    for (int i = 0; i < memo->count && !found; i++)
        if ((found = clg_problem_equal(&memo->plans[i].problem, problem)))
            *out = memo->plans[i];
    pthread_mutex_unlock(&memo->lock);
    return found;
}

/* In place of the oldest, unless the table that it was made with is no longer in force. Another
 * thread may have added the same; that does no harm. */
static void remember(struct clg_memo *memo, const struct clg_plan *plan,
                     const struct clg_tuning *tuning) {
    pthread_mutex_lock(&memo->lock);
    if (memo->tuning != tuning) {
        pthread_mutex_unlock(&memo->lock);
        return;
    }
    if (memo->count < CLG_MEMO_PLANS) {
        memo->plans[memo->count++] = *plan;
    } else {
        memo->plans[memo->oldest] = *plan;
        memo->oldest = (memo->oldest + 1) % CLG_MEMO_PLANS;
    }
    pthread_mutex_unlock(&memo->lock);
}

clgemm_status clg_memo_plan(struct clg_memo *memo, const struct clg_problem *problem,
                            struct clg_plan *out) {
    if (find(memo, problem, out))
        return CLGEMM_SUCCESS;
    struct clg_tuning *tuning = clg_memo_tuning(memo);
    clgemm_status status =
        clg_plan_make(out, problem, &clg_programs_device(memo->programs)->facts, tuning);
    if (!status && !(status = clg_exec_prepare(memo->programs, out)))
        remember(memo, out, tuning);
    clg_tuning_release(tuning);
    return status;
}
