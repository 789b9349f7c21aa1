/* SPDX-License-Identifier: Apache-2.0
 * Steps that the families for tensor cores share: operands that are packed, or read in place. */
#include <stdio.h>

#include "base/checked.h"
#include "gemm/tensor/tensor.h"

enum { PACK_GROUP = 256 }; /* as in tensor_pack.cl */

static int tile_of(const struct clg_params *p, enum clg_matrix_index which) {
    return which == CLG_A ? p->tile_m : p->tile_n;
}

static int64_t rows_of(const struct clg_problem *problem, enum clg_matrix_index which) {
    return which == CLG_A ? problem->m : problem->n;
}

bool clg_tensor_is_along_k(const struct clg_problem *problem, enum clg_matrix_index which) {
    return problem->matrix[which].transposed == (which == CLG_A);
}

struct clg_tensor_packed clg_tensor_add_packed(struct clg_plan *plan,
                                               const struct clg_tensor_way *way,
                                               const struct clg_params *p,
                                               enum clg_matrix_index which) {
    const struct clg_problem *problem = &plan->problem;
    const int64_t bytes =
        (int64_t)clg_tensor_packed_bytes(way, problem, tile_of(p, which), rows_of(problem, which));
    const int64_t matrices = clg_problem_matrices(problem, which);
    const int64_t real = (int64_t)clg_type_real_size(problem->type);
    return (struct clg_tensor_packed){clg_plan_workspace(plan, bytes / real * matrices),
                                      matrices > 1 ? bytes : 0};
}

static int64_t pack_groups(const struct clg_problem *problem, const struct clg_tensor_way *way,
                           const struct clg_params *p, enum clg_matrix_index which) {
    return clg_round_up(rows_of(problem, which), tile_of(p, which)) / CLG_TENSOR_PACK_SIDE *
           clg_ceil_div(problem->k, clg_tensor_block_k(way));
}

/* An operand that is not packed has no groups. The other one fills its arguments, so that a call
 * need not provide it. */
void clg_tensor_add_pack(struct clg_plan *plan, const struct clg_tensor_way *way,
                         const struct clg_params *p, const struct clg_tensor_packed packed[],
                         bool packs_a, bool packs_b) {
    const struct clg_problem *problem = &plan->problem;
    const enum clg_matrix_index a = packs_a ? CLG_A : CLG_B, b = packs_b ? CLG_B : CLG_A;
    char options[CLG_MAX_OPTIONS];
    snprintf(options, sizeof options, "-DTILE_M=%d -DTILE_N=%d -DA_ALONG_K=%d -DB_ALONG_K=%d %s",
             p->tile_m, p->tile_n, clg_tensor_is_along_k(problem, CLG_A),
             clg_tensor_is_along_k(problem, CLG_B), way->options);
    struct clg_step *step = clg_plan_step(plan, "tensor_pack", NULL, options);
    const int64_t groups_a = packs_a ? pack_groups(problem, way, p, CLG_A) : 0;
    const int64_t groups_b = packs_b ? pack_groups(problem, way, p, CLG_B) : 0;
    step->group_size = PACK_GROUP;
    step->groups = (uint64_t)(groups_a + groups_b);
    clg_step_int(step, "m", problem->m);
    clg_step_int(step, "n", problem->n);
    clg_step_int(step, "k", problem->k);
    clg_step_int(step, "groups_a", groups_a);
    clg_step_columns(step, problem, CLG_A, a);
    clg_step_columns(step, problem, CLG_B, b);
    clg_step_workspace(step, "a_packed", packed[a].workspace);
    clg_step_stride(step, "a_packed_stride", problem, packed[a].stride);
    clg_step_workspace(step, "b_packed", packed[b].workspace);
    clg_step_stride(step, "b_packed_stride", problem, packed[b].stride);
    clg_step_groups(step, problem);
}

void clg_tensor_share(struct clg_plan *plan, struct clg_step *step,
                      const struct clg_tensor_shares *shares, const struct clg_params *p) {
    if (!shares->streamed)
        return;
    clg_step_workspace(step, "counters", clg_plan_counters(plan));
    clg_step_workspace(step, "sums", clg_plan_workspace(plan, clg_tensor_shared_sums(shares, p)));
}

void clg_tensor_add_unpacked(struct clg_step *step, const struct clg_problem *problem,
                             enum clg_matrix_index which, const char *const names[]) {
    const struct clg_matrix *matrix = &problem->matrix[which];
    const bool along_k = clg_tensor_is_along_k(problem, which);
    clg_step_matrix(step, names[0], which);
    clg_step_long(step, names[1], matrix->offset);
    clg_step_long(step, names[2], along_k ? matrix->ld : 1);
    clg_step_long(step, names[3], along_k ? 1 : matrix->ld);
    clg_step_long(step, names[4], matrix->stride);
}
