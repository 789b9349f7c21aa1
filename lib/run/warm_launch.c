/* SPDX-License-Identifier: Apache-2.0
 * Launches a program once on a small problem. */
#include "run/warm_launch.h"

#include <string.h>

#include "device/buffer.h"
#include "device/event.h"
#include "device/workspace.h"
#include "gemm/small.h"
#include "program/build.h"
#include "run/exec_step.h"

/* Along k, or one tile. A wide launch computes hundreds of tiles of memory that was not
 * initialised: of what is left of pointers, say, whose halves are denormals, each of which can take
 * a CPU a hundred cycles. */
enum { DEPTH = 64, LEAST_DEPTH = 1 };

static const struct clg_step *find_step(const struct clg_plan *plan,
                                        const struct clg_step *wanted) {
    for (int s = 0; s < plan->num_steps; s++)
        if (!strcmp(plan->steps[s].source, wanted->source) &&
            !strcmp(plan->steps[s].options, wanted->options))
            return &plan->steps[s];
    return NULL;
}

/* Plans the smallest problem of that depth in which the wanted step has this kind of launch. NULL
 * if there is none. */
static const struct clg_step *plan_of_depth(struct clg_plan *out, const struct clg_plan *plan,
                                            const struct clg_step *wanted, bool wide, int64_t depth,
                                            const struct clg_facts *facts) {
    const struct clg_step *step = NULL;
    struct clg_small size = {.tiles = 1, .depth = depth};
    do {
        clg_plan_small(out, plan, facts, &size);
        if (!(step = find_step(out, wanted)))
            return NULL;
        size.tiles *= 2;
    } while (wide && !clg_step_is_wide(step) &&
             (out->problem.m < plan->problem.m || out->problem.n < plan->slab ||
              out->problem.batch < plan->problem.batch));
    return step;
}

/* The least deep plan has other steps if these depend on k. */
static const struct clg_step *plan_few_tiles(struct clg_plan *out, const struct clg_plan *plan,
                                             const struct clg_step *wanted, bool wide,
                                             const struct clg_facts *facts) {
    const struct clg_step *step =
        wide ? plan_of_depth(out, plan, wanted, wide, LEAST_DEPTH, facts) : NULL;
    return step ? step : plan_of_depth(out, plan, wanted, wide, DEPTH, facts);
}

static clgemm_status make_matrices(struct clg_device *device, const struct clg_problem *problem,
                                   struct clg_memory memory[CLG_MATRICES]) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES && !status; i++) {
        const int64_t elements = clg_problem_elements(problem, i);
        if (elements > 0)
            status = clg_buffer_create(device, (size_t)elements * clg_type_size(problem->type),
                                       &memory[i].buffer);
    }
    return status;
}

static clgemm_status make_workspaces(struct clg_device *device, const struct clg_plan *plan,
                                     cl_mem workspaces[CLG_MAX_WORKSPACES]) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int w = 0; w < plan->num_workspaces && !status; w++)
        status = w == plan->counters
                     ? clg_counters_create(device, &workspaces[w])
                     : clg_buffer_create(device, plan->workspaces[w], &workspaces[w]);
    return status;
}

/* The step reads uninitialized buffers, and its results are ignored. */
static clgemm_status launch(struct clg_device *device, const struct clg_plan *plan,
                            const struct clg_step *step, struct clg_kernel *kernel) {
    struct clg_memory memory[CLG_MATRICES] = {{.buffer = NULL}};
    cl_mem workspaces[CLG_MAX_WORKSPACES] = {NULL};
    const struct clg_step_arguments arguments = {.memory = memory,
                                                 .workspaces = workspaces,
                                                 .scalars = {.alpha = 1},
                                                 .portion = {.stored = plan->slab},
                                                 .type = plan->problem.type};
    struct clg_enqueue where = {NULL, 0, NULL};
    cl_event done = NULL;
    clgemm_status status = clg_queue_take(device, &where.queue);
    if (!status && !(status = make_workspaces(device, plan, workspaces)) &&
        !(status = make_matrices(device, &plan->problem, memory)) &&
        !(status = clg_step_enqueue(step, kernel, &arguments, &where, &done)))
        status = clg_wait(done);
    clg_event_release(done);
    for (int i = 0; i < CLG_MATRICES; i++)
        clg_buffer_release(memory[i].buffer);
    for (int w = 0; w < plan->num_workspaces; w++)
        clg_buffer_release(workspaces[w]);
    clg_queue_give(device, where.queue, status == CLGEMM_SUCCESS);
    return status;
}

static clgemm_status run(const struct clg_warm_step *warm, cl_program built, bool wide) {
    const struct clg_step *wanted = &warm->plan->steps[warm->step];
    struct clg_plan few;
    struct clg_kernel kernel = {.object = NULL};
    const struct clg_step *step =
        plan_few_tiles(&few, warm->plan, wanted, wide, &warm->device->facts);
    if (!step)
        return clg_fail((clgemm_status)CL_INVALID_VALUE, "a small problem has no such step");
    clgemm_status status = clg_kernel_create(clg_source_find(step->source), built, &kernel.object);
    if (status)
        return status;
    status = launch(warm->device, &few, step, &kernel);
    clReleaseKernel(kernel.object);
    return status;
}

/* After a wide launch, PoCL compiles nothing for narrow ones in this process, but in others. */
clgemm_status clg_warm_launch_run(const void *user, cl_program built) {
    const struct clg_warm_step *warm = user;
    const bool wide = clg_step_is_wide(&warm->plan->steps[warm->step]);
    const clgemm_status status =
        wide && warm->device->is_helpers ? run(warm, built, false) : CLGEMM_SUCCESS;
    return status ? status : run(warm, built, wide);
}
