/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory through a pipeline. */
#include "run/pipe.h"

#include "base/thread.h"
#include "run/host_blocks.h"
#include "run/host_buffers.h"
#include "run/pipe_direct.h"
#include "run/pipe_job.h"
#include "run/pipe_make.h"

/* ---- Plans ---- */

/* The problem's plan, remembered or new, which the caller releases. NULL if memory is short. */
static struct clg_pipe_known *plan_of(struct clg_engine *engine, const struct clg_problem *problem,
                                      bool has_beta, unsigned direct) {
    const struct clg_facts *facts = &engine->device->facts;
    const struct clg_pipe_key key = {*problem, has_beta, direct, facts->workspace_max};
    uint64_t since;
    struct clg_pipe_known *known = clg_pipes_find(&engine->pipes, &key, &since);
    if (known || !(known = clg_pipe_known_new(&key)))
        return known;
    struct clg_tuning *tuning = clg_engine_tuning(engine);
    clg_pipe_make(known, facts, tuning, clg_thread_processors());
    clg_tuning_release(tuning);
    clg_pipes_keep(&engine->pipes, known, since);
    return known;
}

static void release(struct clg_pipe_known *known) {
    clg_known_release((struct clg_known *)known);
}

/* ---- Calls ---- */

/* A call, or a part of one. */
struct call {
    struct clg_engine *engine;
    const struct clg_problem *problem;
    const struct clg_scalars *scalars;
    const struct clg_host_matrices *host;
    struct clg_plan *plan;
    unsigned direct; /* bits of matrices that are transferred without slots */
};

static clgemm_status carry_out(const struct call *c, const struct clg_pipe_known *known,
                               bool *done) {
    return known->joint ? clg_pipe_joint_carry_out(c->engine, known->joint, c->problem, c->scalars,
                                                   c->host, c->plan, done)
                        : clg_pipe_carry_out(c->engine, &known->plan, c->problem, c->scalars,
                                             c->host, c->plan, done);
}

/* Computes some products of a batch. Once `begun`, a batch must be completed. */
static clgemm_status do_part(const struct call *c, bool begun, bool *done) {
    clgemm_status status = CLGEMM_SUCCESS;
    struct clg_pipe_known *known = plan_of(c->engine, c->problem, c->scalars->beta != 0, c->direct);
    *done = known && known->products == c->problem->batch;
    if (*done)
        status = carry_out(c, known, done);
    release(known);
    if (status || *done || !begun)
        return status;
    *done = true;
    return clg_host_by_buffers(false, c->engine, c->problem, c->scalars, c->host, c->plan);
}

static clgemm_status do_parts(const struct call *c, int64_t products, bool *done) {
    const struct clg_problem *problem = c->problem;
    const struct clg_host_blocks blocks = {problem->m, problem->n, problem->k, products};
    clgemm_status status = CLGEMM_SUCCESS;
    for (int64_t z = 0; z < problem->batch && *done && !status; z += products) {
        struct clg_problem part;
        struct clg_scalars factors;
        struct clg_host_matrices at;
        clg_host_block(&blocks, problem, c->scalars, c->host, (struct clg_host_origin){0, 0, 0, z},
                       &part, &factors, &at);
        const struct call some = {c->engine, &part, &factors, &at, c->plan, c->direct};
        status = do_part(&some, z > 0, done);
    }
    return status;
}

clgemm_status clg_host_by_pipe(struct clg_engine *engine, const struct clg_problem *problem,
                               const struct clg_scalars *scalars,
                               const struct clg_host_matrices *host, struct clg_plan *plan,
                               bool *done) {
    struct clg_host_layout dense;
    clgemm_status status =
        clg_host_layout_make(&dense, problem, host, false, engine->device->facts.max_allocation);
    *done = true;
    if (status)
        return status;
    const struct call call = {engine, problem, scalars,
                              host,   plan,    clg_pipe_find_direct(engine, problem, host)};
    struct clg_pipe_known *known = plan_of(engine, problem, scalars->beta != 0, call.direct);
    const int64_t products = known ? known->products : 0;
    *done = products > 0;
    if (products == problem->batch)
        status = carry_out(&call, known, done);
    else if (products > 0)
        status = do_parts(&call, products, done);
    release(known);
    return status;
}

/* Warms up for calls with beta or without. */
static clgemm_status warm_for(struct clg_engine *engine, const struct clg_problem *problem,
                              bool has_beta, bool *done) {
    struct clg_pipe_known *known = plan_of(engine, problem, has_beta, 0);
    clgemm_status status = CLGEMM_SUCCESS;
    const struct clg_problem *product;
    *done = known && known->products > 0;
    for (int i = 0; *done && !status && (product = clg_pipe_product(known, i)); i++)
        status = clg_engine_warm(engine, product);
    release(known);
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
