/* SPDX-License-Identifier: Apache-2.0
 * Decides how a problem uses a pipeline. */
#include "run/pipe_make.h"

#include <stdlib.h>

#include "base/checked.h"
#include "device/staging.h"
#include "run/host_blocks.h"

/* Share of workspace_max; the rest is for the plans of products (clg_workspace_room). */
static const double MATRICES_SHARE = 0.75;

static bool make_plan(struct clg_pipe_known *out, const struct clg_problem *problem,
                      const struct clg_facts *facts, const struct clg_tuning *tuning,
                      int processors) {
    const bool has_beta = out->key.has_beta;
    struct clg_pipe_joint joint;
    const struct clg_pipe_speeds speeds =
        clg_pipe_speeds_of(tuning, facts, problem->type, problem->math, processors);
    const struct clg_pipe_limits limits = {
        .bytes = (uint64_t)((double)facts->workspace_max * MATRICES_SHARE),
        .largest = facts->max_allocation,
        .slot = CLG_STAGING_CHUNK / 2};
    if (!clg_pipe_plan_make(&out->plan, problem, has_beta, out->key.direct, &speeds, &limits))
        return false;
    if (clg_pipe_joint_make(&joint, problem, has_beta, &speeds, &limits) &&
        joint.seconds < out->plan.seconds && (out->joint = malloc(sizeof joint)))
        *out->joint = joint;
    return true;
}

/* Tries all products at a time, then half of them, a quarter ... */
void clg_pipe_make(struct clg_pipe_known *out, const struct clg_facts *facts,
                   const struct clg_tuning *tuning, int processors) {
    static const struct clg_host_matrices nowhere;
    static const struct clg_scalars any;
    const struct clg_problem *problem = &out->key.problem;
    struct clg_host_blocks blocks = {problem->m, problem->n, problem->k, problem->batch};
    struct clg_problem part = *problem;
    struct clg_scalars factors;
    struct clg_host_matrices at;
    if (problem->work == CLG_WORK_NOTHING || clg_staging_room(facts) == 0)
        return;
    while (!make_plan(out, &part, facts, tuning, processors)) {
        if (blocks.batch == 1)
            return;
        blocks.batch = clg_ceil_div(blocks.batch, 2);
        clg_host_block(&blocks, problem, &any, &nowhere, (struct clg_host_origin){0, 0, 0, 0},
                       &part, &factors, &at);
    }
    out->products = blocks.batch;
}

const struct clg_problem *clg_pipe_product(const struct clg_pipe_known *known, int number) {
    if (known->joint)
        return number == 0 ? &known->joint->problem : NULL;
    return number < known->plan.num_steps ? &known->plan.steps[number].problem : NULL;
}
