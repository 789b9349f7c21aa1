/* SPDX-License-Identifier: Apache-2.0
 * The direct family: one launch for any transpose, leading dimension, offset and edge; operands
 * straight from global memory, no workspace (kernels/direct.cl). */
#include "base/checked.h"
#include "gemm/family.h"

enum { MOST_SUMS = 256 }; /* in private memory */

static const char *why_not(const struct clg_problem *problem, const struct clg_facts *facts,
                           const struct clg_params *params) {
    (void)problem;
    if (params->wg_m <= 0 || params->wg_n <= 0 || params->tile_m <= 0 || params->tile_n <= 0)
        return "a size is missing";
    if (params->tile_m % params->wg_m || params->tile_n % params->wg_n)
        return "a tile of C is not shared evenly by the work-items";
    if ((int64_t)(params->tile_m / params->wg_m) * (params->tile_n / params->wg_n) > MOST_SUMS)
        return "a work-item has too many sums";
    return clg_group_why_not(facts, (int64_t)params->wg_m * params->wg_n);
}

static const struct clg_params *rows(enum clg_device_kind kind, size_t *count) {
    static const struct clg_params wide[] = {
        {.tile_m = 64, .tile_n = 16, .wg_m = 32, .wg_n = 8},
        {.tile_m = 16, .tile_n = 8, .wg_m = 8, .wg_n = 4},
        {.tile_m = 4, .tile_n = 4, .wg_m = 1, .wg_n = 1},
    };
    static const struct clg_params cpu[] = {
        {.tile_m = 32, .tile_n = 8, .wg_m = 8, .wg_n = 1},
        {.tile_m = 4, .tile_n = 4, .wg_m = 1, .wg_n = 1},
    };
    *count = kind == CLG_DEVICE_CPU ? sizeof cpu / sizeof cpu[0] : sizeof wide / sizeof wide[0];
    return kind == CLG_DEVICE_CPU ? cpu : wide;
}

static bool parameters(const struct clg_problem *problem, const struct clg_facts *facts,
                       struct clg_params *out) {
    size_t count;
    const struct clg_params *all = rows(facts->kind, &count);
    for (size_t i = 0; i < count; i++)
        if (!why_not(problem, facts, &all[i])) {
            *out = all[i];
            return true;
        }
    return false;
}

/* op(X)(i, j) lies at i * along_rows + j * along_cols. */
static void add_operand(struct clg_step *step, enum clg_arg_kind kind,
                        const struct clg_matrix *matrix) {
    clg_step_arg(step, kind);
    clg_step_long(step, matrix->offset);
    clg_step_long(step, matrix->transposed ? matrix->ld : 1);
    clg_step_long(step, matrix->transposed ? 1 : matrix->ld);
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *params) {
    (void)facts;
    struct clg_step *step = clg_plan_step(plan, "direct", params, "");
    step->group_size = (uint64_t)params->wg_m * (uint64_t)params->wg_n;
    step->groups = (uint64_t)clg_ceil_div(problem->m, params->tile_m) *
                   (uint64_t)clg_ceil_div(problem->n, params->tile_n);
    clg_step_long(step, problem->m);
    clg_step_long(step, problem->n);
    clg_step_long(step, problem->k);
    clg_step_float(step, problem->alpha);
    clg_step_float(step, problem->beta);
    add_operand(step, CLG_ARG_A, &problem->a);
    add_operand(step, CLG_ARG_B, &problem->b);
    clg_step_arg(step, CLG_ARG_C);
    clg_step_long(step, problem->c.offset);
    clg_step_long(step, problem->c.ld);
}

const struct clg_family clg_family_direct = {
    .name = "direct",
    .chosen_for = "small",
    .why_not = why_not,
    .rows = rows,
    .parameters = parameters,
    .plan = plan,
};
