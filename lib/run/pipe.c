/* SPDX-License-Identifier: Apache-2.0
 * A multiplication of matrices in host memory through a pipeline. */
#include "run/pipe.h"

#include "base/checked.h"
#include "base/thread.h"
#include "device/staging.h"
#include "run/host_blocks.h"
#include "run/host_buffers.h"
#include "run/pipe_job.h"
#include "run/pipe_plan.h"

/* Of workspace_max; the rest is for the plans of products (clg_workspace_room). */
static const double MATRICES_SHARE = 0.75;

static bool make_plan(struct clg_pipe_plan *out, const struct clg_problem *problem, bool has_beta,
                      const struct clg_facts *facts) {
    const struct clg_pipe_speeds speeds =
        clg_pipe_speeds_guess(facts, problem->type, clg_thread_processors());
    const struct clg_pipe_limits limits = {
        .bytes = (uint64_t)((double)facts->workspace_max * MATRICES_SHARE),
        .largest = facts->max_allocation,
        .slot = CLG_STAGING_CHUNK / 2};
    return clg_pipe_plan_make(out, problem, has_beta, &speeds, &limits);
}

/* Plans as many products at a time as fit: all, or a half, a quarter ... Returns how many; 0: the
 * problem has to go without a pipeline. *out is to be freed in any case. */
static int64_t plan_products(struct clg_pipe_plan *out, const struct clg_problem *problem,
                             bool has_beta, const struct clg_facts *facts) {
    static const struct clg_host_matrices nowhere;
    static const struct clg_scalars any;
    struct clg_host_blocks blocks = {problem->m, problem->n, problem->k, problem->batch};
    struct clg_problem part = *problem;
    struct clg_scalars factors;
    struct clg_host_matrices at;
    *out = (struct clg_pipe_plan){0};
    if (problem->work == CLG_WORK_NOTHING || clg_staging_room(facts) == 0)
        return 0;
    while (!make_plan(out, &part, has_beta, facts)) {
        if (blocks.batch == 1)
            return 0;
        blocks.batch = clg_ceil_div(blocks.batch, 2);
        clg_host_block(&blocks, problem, &any, &nowhere, (struct clg_host_origin){0, 0, 0, 0},
                       &part, &factors, &at);
    }
    return blocks.batch;
}

clgemm_status clg_host_by_pipe(struct clg_engine *engine, const struct clg_problem *problem,
                               const struct clg_scalars *scalars,
                               const struct clg_host_matrices *host, struct clg_plan *plan,
                               bool *done) {
    const struct clg_facts *facts = &engine->device->facts;
    struct clg_host_layout dense;
    struct clg_pipe_plan steps;
    clgemm_status status =
        clg_host_layout_make(&dense, problem, host, false, facts->max_allocation);
    *done = true;
    if (status)
        return status;
    const int64_t products = plan_products(&steps, problem, scalars->beta != 0, facts);
    const struct clg_host_blocks blocks = {problem->m, problem->n, problem->k, products};
    *done = products > 0;
    if (products == problem->batch)
        return clg_pipe_carry_out(engine, &steps, problem, scalars, host, plan, done);
    clg_pipe_plan_free(&steps);
    for (int64_t z = 0; products > 0 && z < problem->batch && *done && !status; z += products) {
        struct clg_problem part;
        struct clg_scalars factors;
        struct clg_host_matrices at;
        clg_host_block(&blocks, problem, scalars, host, (struct clg_host_origin){0, 0, 0, z}, &part,
                       &factors, &at);
        *done = plan_products(&steps, &part, scalars->beta != 0, facts) == part.batch;
        if (*done)
            status = clg_pipe_carry_out(engine, &steps, &part, &factors, &at, plan, done);
        else
            clg_pipe_plan_free(&steps);
        if (!status && !*done && z > 0) { /* what has been begun is to be ended */
            status = clg_host_by_buffers(false, engine, &part, &factors, &at, plan);
            *done = true;
        }
    }
    return status;
}

/* What a call takes with beta, and without. */
static clgemm_status warm_for(struct clg_engine *engine, const struct clg_problem *problem,
                              bool has_beta, bool *done) {
    struct clg_pipe_plan steps;
    clgemm_status status = CLGEMM_SUCCESS;
    *done = plan_products(&steps, problem, has_beta, &engine->device->facts) > 0;
    for (int s = 0; *done && s < steps.num_steps && !status; s++)
        status = clg_engine_warm(engine, &steps.steps[s].problem);
    clg_pipe_plan_free(&steps);
    return status;
}

clgemm_status clg_host_warm_pipe(struct clg_engine *engine, const struct clg_problem *problem,
                                 bool *done) {
    static const struct clg_host_matrices nowhere;
    struct clg_host_layout dense;
    clgemm_status status = clg_host_layout_make(&dense, problem, &nowhere, false,
                                                engine->device->facts.max_allocation);
    *done = true;
    if (!status)
        status = warm_for(engine, problem, false, done);
    return status || !*done ? status : warm_for(engine, problem, true, done);
}
