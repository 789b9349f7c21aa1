/* SPDX-License-Identifier: Apache-2.0
 * Launching a program once, small. */
#include "gemm/exec_prime.h"

#include <string.h>

#include "base/checked.h"
#include "device/buffer.h"
#include "device/event.h"
#include "device/workspace.h"
#include "gemm/exec_step.h"
#include "gemm/family.h"
#include "program/build.h"

enum {
    ENOUGH = 64,      /* along what has no tiles */
    WIDE_GRID = 65535 /* work-items from which PoCL compiles another code */
};

/* A few tiles, with the same rest: what a program depends on stays. */
static int64_t clip(int64_t length, int tile, int tiles) {
    const int64_t most = (int64_t)(tile ? tile : ENOUGH) * tiles;
    return length <= 2 * most ? length : most + (tile ? length % tile : 0);
}

/* As it would lie on the device, from the start of a buffer. */
static void clip_matrix(struct clg_matrix *matrix, int64_t rows, int64_t cols) {
    matrix->rows = matrix->transposed ? cols : rows;
    matrix->cols = matrix->transposed ? rows : cols;
    matrix->ld = clg_round_up(matrix->rows, matrix->vector);
    matrix->offset = 0;
}

/* So many tiles along m and n, or all, and two along k. */
static clgemm_status plan_tiles(struct clg_plan *out, const struct clg_plan *plan,
                                const struct clg_facts *facts, int tiles) {
    static const struct clg_params none;
    const struct clg_params *params = plan->family ? &plan->params : &none;
    struct clg_problem few = plan->problem;
    /* The panel family's tiles are arguments, not options, and may be as wide as C. */
    few.m = clip(few.m, params->reg_n ? 0 : params->tile_m, tiles);
    few.n = clip(few.n, params->reg_n ? 0 : params->tile_n, tiles);
    few.k = clip(few.k, params->tile_k, 2);
    clip_matrix(&few.a, few.m, few.k);
    clip_matrix(&few.b, few.k, few.n);
    clip_matrix(&few.c, few.m, few.n);
    if (!plan->family)
        return clg_plan_make(out, &few, facts, NULL);
    clg_plan_with(out, plan->family, params, &few, facts);
    return CLGEMM_SUCCESS;
}

static const struct clg_step *find_step(const struct clg_plan *plan,
                                        const struct clg_step *wanted) {
    for (int s = 0; s < plan->num_steps; s++)
        if (!strcmp(plan->steps[s].source, wanted->source) &&
            !strcmp(plan->steps[s].options, wanted->options))
            return &plan->steps[s];
    return NULL;
}

static bool is_wide(const struct clg_step *step) {
    return step->groups * step->group_size >= WIDE_GRID;
}

/* Plans as few tiles as make the wanted step's launch one of its kind; NULL: none has it. */
static const struct clg_step *plan_few_tiles(struct clg_plan *out, const struct clg_plan *plan,
                                             const struct clg_step *wanted,
                                             const struct clg_facts *facts) {
    const struct clg_step *step = NULL;
    int tiles = 1;
    do {
        if (plan_tiles(out, plan, facts, tiles) || !(step = find_step(out, wanted)))
            return NULL;
        tiles *= 2;
    } while (is_wide(wanted) && !is_wide(step) &&
             (out->problem.m < plan->problem.m || out->problem.n < plan->problem.n));
    return step;
}

static clgemm_status make(struct clg_device *device, const struct clg_matrix *matrix, cl_mem *out) {
    const int64_t elements = matrix->ld * matrix->cols;
    return elements > 0 ? clg_buffer_create(device, (size_t)elements * sizeof(float), out)
                        : CLGEMM_SUCCESS;
}

/* What the step reads is whatever the buffers hold; nobody looks at what it writes. */
static clgemm_status launch(struct clg_device *device, const struct clg_plan *plan,
                            const struct clg_step *step, struct clg_kernel *kernel) {
    struct clg_places places = {0};
    cl_mem workspaces[CLG_MAX_WORKSPACES] = {NULL};
    struct clg_enqueue where = {NULL, 0, NULL};
    cl_event done = NULL;
    clgemm_status status = clg_queue_take(device, &where.queue);
    for (int w = 0; w < plan->num_workspaces && !status; w++)
        status = w == plan->counters
                     ? clg_counters_create(device, &workspaces[w])
                     : clg_buffer_create(device, plan->workspaces[w], &workspaces[w]);
    if (!status && !(status = make(device, &plan->problem.a, &places.a.buffer)) &&
        !(status = make(device, &plan->problem.b, &places.b.buffer)) &&
        !(status = make(device, &plan->problem.c, &places.c.buffer)) &&
        !(status = clg_step_enqueue(step, kernel, &places, workspaces, &where, &done)))
        status = clg_wait(done);
    clg_event_release(done);
    clg_buffer_release(places.a.buffer);
    clg_buffer_release(places.b.buffer);
    clg_buffer_release(places.c.buffer);
    for (int w = 0; w < plan->num_workspaces; w++)
        clg_buffer_release(workspaces[w]);
    clg_queue_give(device, where.queue, status == CLGEMM_SUCCESS);
    return status;
}

clgemm_status clg_prime(const void *user, cl_program built) {
    const struct clg_priming *priming = user;
    const struct clg_step *wanted = &priming->plan->steps[priming->step];
    struct clg_plan few;
    struct clg_kernel kernel = {.object = NULL};
    const struct clg_step *step =
        plan_few_tiles(&few, priming->plan, wanted, &priming->device->facts);
    if (!step)
        return clg_fail((clgemm_status)CL_INVALID_VALUE, "a small problem has no such step");
    clgemm_status status = clg_kernel_create(clg_source_find(step->source), built, &kernel.object);
    if (status)
        return status;
    status = launch(priming->device, &few, step, &kernel);
    clReleaseKernel(kernel.object);
    return status;
}
