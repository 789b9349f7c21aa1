/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory through host pointers. */
#include "run/host_pointer.h"

#include "device/event.h"

/* The problem as kernels may use it: what follows a column is unknown. */
static struct clg_problem in_place(const struct clg_problem *problem) {
    struct clg_problem here = *problem;
    for (int i = 0; i < CLG_MATRICES; i++)
        here.matrix[i].readable = here.matrix[i].rows;
    return here;
}

clgemm_status clg_host_by_pointer(struct clg_engine *engine, const struct clg_problem *problem,
                                  const struct clg_scalars *scalars,
                                  const struct clg_host_matrices *host, struct clg_plan *plan) {
    const struct clg_problem here = in_place(problem);
    struct clg_arguments arguments = {.scalars = *scalars};
    const struct clg_prepared *prepared;
    struct clg_enqueue where = {0};
    cl_event done = NULL;

    for (int i = 0; i < CLG_MATRICES; i++)
        arguments.memory[i].pointer = host->at[i];
    clgemm_status status = clg_engine_plan(engine, &here, &prepared);
    if (status)
        return status;
    if (plan)
        *plan = prepared->plan;
    if (prepared->plan.num_steps > 0 && !(status = clg_queue_take(engine->device, &where.queue))) {
        if (!(status = clg_exec(engine->device, prepared, &arguments, &where, NULL, &done)))
            status = clg_wait(done);
        if (status)
            clg_queue_drain(where.queue);
        clg_event_release(done);
        clg_queue_give(engine->device, where.queue, status == CLGEMM_SUCCESS);
    }
    clg_engine_release(prepared);
    return status;
}

clgemm_status clg_host_warm_pointer(struct clg_engine *engine, const struct clg_problem *problem) {
    const struct clg_problem here = in_place(problem);
    return clg_engine_warm(engine, &here);
}
