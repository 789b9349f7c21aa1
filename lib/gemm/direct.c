/* SPDX-License-Identifier: Apache-2.0
 * The direct family: one launch for any transpose, leading dimension, offset and edge. It reads
 * operands straight from global memory and needs no workspace (kernels/direct.cl). */
#include <math.h>

#include "base/checked.h"
#include "gemm/family.h"
#include "gemm/tiled/tiled.h"

enum { MOST_ACCUMULATORS = 256 }; /* in private memory */

static const char *unsupported_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts,
                                      const struct clg_params *params) {
    (void)problem;
    if (params->wg_m <= 0 || params->wg_n <= 0 || params->tile_m <= 0 || params->tile_n <= 0)
        return "a size is missing";
    if (params->tile_m % params->wg_m || params->tile_n % params->wg_n)
        return "a tile of C does not divide evenly among the work-items";
    if ((int64_t)(params->tile_m / params->wg_m) * (params->tile_n / params->wg_n) >
        MOST_ACCUMULATORS)
        return "a work-item has too many accumulators";
    return clg_group_unsupported_reason(facts, (int64_t)params->wg_m * params->wg_n);
}

static void candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_costs *costs, struct clg_list *list) {
    enum { GROUPS_A_UNIT = 4 };
    const struct clg_cost_rows all = clg_costs_of(costs, &clg_family_direct);
    const int64_t units = clg_tiled_units(facts);
    for (size_t i = 0; i < all.count; i++) {
        const struct clg_params *p = &all.rows[i].params;
        if (unsupported_reason(problem, facts, p))
            continue;
        const double groups =
            (double)problem->batch * (double)clg_problem_tiles(problem, p->tile_m, p->tile_n);
        const double rounds = ceil(groups / (double)(GROUPS_A_UNIT * units));
        const double steps = clg_type_operations(problem->type) / 2.0 * (double)problem->k *
                             (clg_type_is_soft(problem->type, facts) ? CLG_SOFT_SLOWER : 1);
        clg_list_add(list, &clg_family_direct, p,
                     costs->direct_fixed_us + 1e-3 * costs->direct_step_ns * rounds * steps,
                     "memory");
    }
}

/* op(X)(i, j) is at i * along_rows + j * along_cols. */
static void add_operand(struct clg_step *step, const struct clg_problem *problem,
                        enum clg_matrix_index which, const char *const names[]) {
    const struct clg_matrix *matrix = &problem->matrix[which];
    clg_step_matrix(step, names[0], which);
    clg_step_offset(step, names[1], which);
    clg_step_long(step, names[2], matrix->transposed ? matrix->ld : 1);
    clg_step_long(step, names[3], matrix->transposed ? 1 : matrix->ld);
    clg_step_stride(step, names[4], problem, matrix->stride);
    clg_step_sign(step, names[5], problem, which);
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *params) {
    (void)facts;
    struct clg_step *step = clg_plan_step(plan, "direct", params, "");
    step->group_size = (uint64_t)params->wg_m * (uint64_t)params->wg_n;
    step->groups = (uint64_t)clg_problem_tiles(problem, params->tile_m, params->tile_n);
    clg_step_triangle(step, problem);
    clg_step_long(step, "m", problem->m);
    clg_step_long(step, "n", problem->n);
    clg_step_long(step, "k", problem->k);
    clg_step_scalars(step, true);
    add_operand(step, problem, CLG_A,
                (const char *const[]){"a", "a_offset", "a_row", "a_col", "a_stride", "a_sign"});
    add_operand(step, problem, CLG_B,
                (const char *const[]){"b", "b_offset", "b_row", "b_col", "b_stride", "b_sign"});
    clg_step_columns(step, problem, CLG_C, CLG_C);
    clg_step_groups(step, problem);
}

static struct clg_tile tile(const struct clg_params *params) {
    return (struct clg_tile){params->tile_m, params->tile_n, 0};
}

/* ---- For the tuner ---- */

enum { TUNED_ACCUMULATORS = 32, LEAST_GROUP = 32, LARGEST_GROUP = 256, LARGEST_GROUP_CPU = 64 };

static const struct clg_axis axes_of[] = {
    CLG_AXIS(tile_m, PLAIN, 1, 2, 4, 8, 16, 32, 64, 128),
    CLG_AXIS(tile_n, PLAIN, 1, 2, 4, 8, 16, 32, 64, 128),
    CLG_AXIS(wg_m, PLAIN, 1, 2, 4, 8, 16, 32, 64),
    CLG_AXIS(wg_n, PLAIN, 1, 2, 4, 8, 16, 32, 64),
};

static const char *bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p) {
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    const int group = p->wg_m * p->wg_n;
    if (p->tile_m % p->wg_m || p->tile_n % p->wg_n)
        return "a tile of C does not divide evenly among the work-items";
    if (group > (cpu ? LARGEST_GROUP_CPU : LARGEST_GROUP) || (!cpu && group < LEAST_GROUP))
        return "a group is too small or too large";
    if (p->tile_m / p->wg_m * (p->tile_n / p->wg_n) > TUNED_ACCUMULATORS)
        return "a work-item has more than 32 accumulators";
    if (clg_overhangs(problem->m, p->tile_m) || clg_overhangs(problem->n, p->tile_n))
        return "less than a quarter of a tile is used";
    return NULL;
}

static const struct clg_axes axes = {
    .axes = axes_of,
    .count = CLG_AXES_COUNT(axes_of),
    .shape_axes = 4,
    .core_axes = 4,
    .shape_unsupported_reason = bounds,
};

const struct clg_family clg_family_direct = {
    .name = "direct",
    .chosen_for = "small",
    .types = (1U << CLG_TYPE_COUNT) - 1,
    .strict = true,
    .soft = true,
    .triangles = true,
    .schemes = 1U << CLG_SCHEME_NONE,
    .unsupported_reason = unsupported_reason,
    .candidates = candidates,
    .plan = plan,
    .tile = tile,
    .axes = &axes,
};
