/* SPDX-License-Identifier: Apache-2.0
 * Running a plan's programs once, small. */
#include "gemm/rehearse.h"

#include "base/checked.h"
#include "device/buffer.h"
#include "device/event.h"
#include "gemm/exec.h"
#include "gemm/family.h"

enum { ENOUGH = 64 }; /* along what has no tiles */

/* A few tiles, with the same rest: what a program depends on stays. */
static int64_t clip(int64_t length, int tile, int tiles) {
    const int64_t most = tile ? (int64_t)tile * tiles : ENOUGH;
    return length <= 2 * most ? length : most + (tile ? length % tile : 0);
}

static void clip_matrix(struct clg_matrix *matrix, int64_t rows, int64_t cols) {
    matrix->rows = matrix->transposed ? cols : rows;
    matrix->cols = matrix->transposed ? rows : cols;
    matrix->ld = clg_round_up(matrix->rows, matrix->vector);
}

static struct clg_problem clipped(const struct clg_problem *problem,
                                  const struct clg_params *params) {
    struct clg_problem few = *problem;
    few.m = clip(problem->m, params->tile_m, 1);
    few.n = clip(problem->n, params->tile_n, 1);
    few.k = clip(problem->k, params->tile_k, 2);
    clip_matrix(&few.a, few.m, few.k);
    clip_matrix(&few.b, few.k, few.n);
    clip_matrix(&few.c, few.m, few.n);
    return few;
}

static clgemm_status run(struct clg_programs *programs, const struct clg_plan *plan,
                         const struct clg_problem *problem) {
    struct clg_device *device = clg_programs_device(programs);
    const struct clg_matrix *matrices[] = {&problem->a, &problem->b, &problem->c};
    cl_mem made[3] = {NULL, NULL, NULL};
    cl_command_queue queue = NULL;
    cl_event done = NULL;
    clgemm_status status = clg_queue_take(device, &queue);
    for (int i = 0; i < 3 && !status; i++)
        if (matrices[i]->rows > 0 && matrices[i]->cols > 0)
            status = clg_buffer_create(
                device, (size_t)(matrices[i]->ld * matrices[i]->cols) * sizeof(float), &made[i]);
    if (!status) {
        const struct clg_buffers buffers = {made[0], made[1], made[2]};
        const struct clg_enqueue where = {.queue = queue};
        status = clg_exec(programs, plan, &buffers, &where, NULL, &done);
    }
    if (!status)
        status = clg_wait(done);
    clg_event_release(done);
    for (int i = 0; i < 3; i++)
        clg_buffer_release(made[i]);
    if (queue)
        clg_queue_give(device, queue, status == CLGEMM_SUCCESS);
    clg_programs_settle(programs);
    return status;
}

clgemm_status clg_rehearse(struct clg_programs *programs, const struct clg_plan *plan,
                           const struct clg_problem *problem) {
    static const struct clg_params none;
    const struct clg_facts *facts = &clg_programs_device(programs)->facts;
    if (!clg_programs_compile_late(programs) || plan->num_steps == 0)
        return CLGEMM_SUCCESS;
    const struct clg_problem few = clipped(problem, plan->family ? &plan->params : &none);
    struct clg_plan small;
    clgemm_status status = CLGEMM_SUCCESS;
    if (plan->family)
        clg_plan_with(&small, plan->family, &plan->params, &few, facts);
    else
        status = clg_plan_make(&small, &few, facts);
    return status ? status : run(programs, &small, &few);
}
