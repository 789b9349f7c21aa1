/* SPDX-License-Identifier: Apache-2.0
 * Calls through the pipeline: finds or makes their plans, which are remembered. */
#include "host/pipeline.h"

#include <stdlib.h>

#include "base/thread.h"
#include "host/buffers.h"
#include "run/agree.h"

/* ---- Plans ---- */

/* Plans with more are not remembered: copying the pieces takes far longer than planning. These take
 * about 200 KB of a plan. */
enum { MOST_PIECES = 2000 };

static void end_plan(void *made) {
    struct clg_pipe_known *known = made;
    clg_tuning_release(known->key.tuning);
    clg_pipe_plan_free(&known->plan);
}

static bool is_for(const void *known, const void *key) {
    const struct clg_pipe_key *left = &((const struct clg_pipe_known *)known)->key, *right = key;
    return left->has_beta == right->has_beta && left->direct == right->direct &&
           left->devices == right->devices && left->room == right->room &&
           left->tuning == right->tuning && clg_problem_equal(&left->problem, &right->problem);
}

void clg_pipes_open(struct clg_known_table *pipes) {
    clg_known_open(pipes, CLG_PIPES_KNOWN, is_for);
}

/* Has the steps share programs, if there are not too many kinds of them. */
static void agree(struct clg_pipe_plan *plan, const struct clg_facts *facts,
                  const struct clg_tuning *tuning) {
    enum { KINDS = 96 };
    struct clg_agree products[KINDS] = {{NULL, 0}};
    if (plan->num_kinds > KINDS || plan->steps[0].problem.work != CLG_WORK_MULTIPLY)
        return;
    for (int s = 0; s < plan->num_steps; s++) {
        products[plan->steps[s].kind].problem = &plan->steps[s].problem;
        products[plan->steps[s].kind].times++;
    }
    const struct clg_variant common =
        clg_agree(products, plan->num_kinds, plan->seconds, facts, tuning);
    for (int s = 0; s < plan->num_steps; s++)
        plan->steps[s].problem.common = common;
}

/* The problem's plan, remembered or new, which the caller releases. NULL if memory is short. */
static struct clg_pipe_known *plan_of(struct clg_host *host, const struct clg_problem *problem,
                                      bool has_beta, unsigned direct, int devices) {
    const struct clg_facts *facts = &host->engine->device->facts;
    const struct clg_pipe_key key = {
        *problem, has_beta, direct, devices, facts->workspace_max, clg_engine_tuning(host->engine)};
    const uint64_t hash = clg_problem_hash(problem);
    uint64_t since;
    struct clg_pipe_known *known = clg_known_find(&host->pipes, hash, &key, &since);
    if (known || !(known = calloc(1, sizeof *known))) {
        clg_tuning_release(key.tuning);
        return known;
    }
    known->known = (struct clg_known){.hash = hash, .end = end_plan, .users = 1};
    known->key = key;
    const struct clg_pipe_task task = {problem, has_beta, direct};
    const int processors = clg_thread_processors();
    struct clg_pipe_speeds speeds = clg_pipe_speeds_of(key.tuning, facts, problem, processors);
    clg_pipe_speeds_share(&speeds, facts, processors, devices);
    known->products = clg_pipe_make(&known->plan, &task, facts, &speeds);
    if (known->products == problem->batch)
        agree(&known->plan, facts, key.tuning);
    if (known->plan.num_up + known->plan.num_down <= MOST_PIECES)
        clg_known_keep(&host->pipes, &known->known, since);
    return known;
}

/* ---- Calls ---- */

static clgemm_status no_plan(void) {
    return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for the plan of a pipeline");
}

static clgemm_status multiply(struct clg_host *host, const struct clg_host_call *call,
                              unsigned direct);

static clgemm_status multiply_parts(struct clg_host *host, const struct clg_host_call *call,
                                    unsigned direct, int64_t products) {
    const struct clg_problem *whole = call->problem;
    clgemm_status status = CLGEMM_SUCCESS;
    for (int64_t z = 0; z < whole->batch && !status; z += products) {
        const int64_t left = whole->batch - z;
        const struct clg_problem part = clg_pipe_part(whole, left < products ? left : products);
        struct clg_host_matrices at = *call->matrices;
        for (int i = 0; i < CLG_MATRICES; i++)
            if (clg_work_needs(whole->work, i)) /* else it may be NULL */
                at.at[i] = (char *)at.at[i] +
                           (size_t)(z * whole->matrix[i].stride) * clg_type_size(whole->type);
        const struct clg_host_call some = {&part, call->scalars, &at, call->plan, call->devices};
        status = multiply(host, &some, direct);
    }
    return status;
}

static clgemm_status multiply(struct clg_host *host, const struct clg_host_call *call,
                              unsigned direct) {
    bool staged = true;
    struct clg_pipe_known *known =
        plan_of(host, call->problem, clg_scalars_read_c(call->scalars), direct, call->devices);
    const int64_t products = known ? known->products : 0;
    const clgemm_status status = products == 0 ? no_plan()
                                 : products == call->problem->batch
                                     ? clg_pipe_carry_out(host, &known->plan, call, &staged)
                                     : multiply_parts(host, call, direct, products);
    clg_known_release(known);
    return staged ? status : multiply(host, call, CLG_PIPE_UNSTAGED);
}

clgemm_status clg_host_by_pipe(struct clg_host *host, const struct clg_host_call *call) {
    struct clg_host_layout dense;
    clgemm_status status = clg_host_layout_make(&dense, call->problem, call->matrices, false,
                                                host->engine->device->facts.max_allocation);
    return status ? status : multiply(host, call, clg_pipe_find_direct(host, call));
}

static clgemm_status warm_for(struct clg_host *host, const struct clg_problem *problem,
                              bool has_beta, int devices) {
    struct clg_pipe_known *known = plan_of(host, problem, has_beta, 0, devices);
    clgemm_status status = known && known->products ? CLGEMM_SUCCESS : no_plan();
    for (int s = 0; !status && s < known->plan.num_steps; s++)
        status = clg_engine_warm(host->engine, &known->plan.steps[s].problem);
    clg_known_release(known);
    return status;
}

clgemm_status clg_host_warm_pipe(struct clg_host *host, const struct clg_problem *problem,
                                 int devices) {
    static const struct clg_host_matrices nowhere;
    struct clg_host_layout dense;
    clgemm_status status = clg_host_layout_make(&dense, problem, &nowhere, false,
                                                host->engine->device->facts.max_allocation);
    if (!status)
        status = warm_for(host, problem, false, devices);
    return status ? status : warm_for(host, problem, true, devices);
}
