/* SPDX-License-Identifier: Apache-2.0
 * What the families tensor and mma have in common: both operands are packed or read in place, and
 * the product has the same arguments. */
#include "base/checked.h"
#include "gemm/tensor/tensor.h"

/* ---- Sizes ---- */

/* Bytes of a packed operand, whether the call packs it or an earlier one did. */
static double packed_bytes(const struct clg_tensor_way *way, const struct clg_problem *problem,
                           const struct clg_params *p, enum clg_matrix_index which) {
    return (double)clg_problem_matrices(problem, which) *
           (which == CLG_A ? clg_tensor_packed_bytes(way, problem, p->tile_m, problem->m)
                           : clg_tensor_packed_bytes(way, problem, p->tile_n, problem->n));
}

static const char *
memory_unsupported_reason(const struct clg_family *family, const struct clg_tensor_way *way,
                          const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p, const bool lies[],
                          const struct clg_tensor_shares *shares, int64_t group_bytes) {
    double all = 4 * (double)clg_tensor_shared_sums(shares, p) +
                 (double)shares->groups * (double)group_bytes;
    for (enum clg_matrix_index i = CLG_A; i <= CLG_B; i++) {
        const double bytes = lies[i] ? 0 : packed_bytes(way, problem, p, i);
        if (bytes > (double)facts->max_allocation)
            return "a packed operand is larger than the largest buffer";
        all += clg_is_ahead(problem, family, i) ? 0 : bytes;
    }
    return all > clg_workspace_room(problem, facts)
               ? "the packed operands do not fit the device's memory"
               : NULL;
}

const char *clg_tensor_size_unsupported_reason(const struct clg_family *family,
                                               const struct clg_tensor_way *way,
                                               const struct clg_problem *problem,
                                               const struct clg_facts *facts,
                                               const struct clg_params *p, const bool lies[],
                                               int64_t group_bytes) {
    const int64_t most = INT32_MAX - 4096; /* indices of rows past the last tile stay ints */
    if (problem->k < way->least_depth)
        return "k is so short that the error could exceed the mode's bound";
    if (problem->m > most || problem->n > most || problem->k > most)
        return "a dimension exceeds 2^31";
    const struct clg_tensor_shares shares = clg_tensor_shares(way, problem, facts, p);
    if (shares.tiles > most || (shares.streamed && shares.tiles > most / shares.blocks) ||
        (clg_round_up(problem->m, p->tile_m) + clg_round_up(problem->n, p->tile_n)) /
                CLG_TENSOR_PACK_SIDE >
            most / shares.blocks)
        return "there are more than 2^31 tiles";
    if (shares.streamed && shares.groups > CLG_TENSOR_MOST_GROUPS)
        return "more groups would share tiles than there are flags for";
    return memory_unsupported_reason(family, way, problem, facts, p, lies, &shares, group_bytes);
}

double clg_tensor_pack_traffic(const struct clg_family *family, const struct clg_tensor_way *way,
                               const struct clg_problem *problem, const struct clg_params *p,
                               const bool lies[]) {
    const double depth = (double)problem->k * (double)clg_type_size(problem->type);
    double bytes = 0;
    for (enum clg_matrix_index i = CLG_A; i <= CLG_B; i++)
        if (!lies[i] && !clg_is_ahead(problem, family, i))
            bytes += (double)clg_problem_matrices(problem, i) *
                         (double)(i == CLG_A ? problem->m : problem->n) * depth +
                     packed_bytes(way, problem, p, i);
    return bytes;
}

/* ---- The plan ---- */

bool clg_tensor_form(const struct clg_problem *problem, const struct clg_facts *facts,
                     enum clg_matrix_index which, struct clg_params *params,
                     struct clg_params *form) {
    (void)problem;
    (void)facts;
    if (which == CLG_A)
        form->tile_m = params->tile_m;
    else
        form->tile_n = params->tile_n;
    return true;
}

void clg_tensor_add_operands(struct clg_plan *plan, const struct clg_family *family,
                             const struct clg_tensor_way *way, const struct clg_params *p,
                             struct clg_tensor_operand operands[]) {
    struct clg_tensor_packed packed[2];
    bool ahead[2], now[2]; /* packed before the call, or by it */
    for (enum clg_matrix_index i = CLG_A; i <= CLG_B; i++) {
        if (operands[i].lies)
            operands[i].packed = (struct clg_tensor_packed){0, 0};
        else
            operands[i].packed = clg_tensor_add_packed(plan, way, p, i);
        packed[i] = operands[i].packed;
        ahead[i] = clg_is_ahead(&plan->problem, family, i);
        now[i] = !ahead[i] && !operands[i].lies;
    }
    if (ahead[CLG_A] || ahead[CLG_B]) {
        plan->packed = packed[ahead[CLG_A] ? CLG_A : CLG_B].workspace;
        clg_tensor_add_pack(plan, way, p, packed, ahead[CLG_A], ahead[CLG_B]);
    }
    if (now[CLG_A] || now[CLG_B])
        clg_tensor_add_pack(plan, way, p, packed, now[CLG_A], now[CLG_B]);
}

void clg_tensor_add_arguments(struct clg_plan *plan, struct clg_step *step, int group_size,
                              const struct clg_tensor_shares *shares, const struct clg_params *p,
                              const struct clg_tensor_operand operands[]) {
    const struct clg_problem *problem = &plan->problem;
    const struct clg_matrix *c = &problem->matrix[CLG_C];
    static const char *const packed[][2] = {{"a_packed", "a_packed_stride"},
                                            {"b_packed", "b_packed_stride"}};
    step->group_size = group_size;
    step->groups = (uint64_t)shares->groups;
    step->batch = 1; /* groups loop over the products */
    clg_step_int(step, "m", problem->m);
    clg_step_int(step, "n", problem->n);
    clg_step_int(step, "k", problem->k);
    clg_step_scalars(step, true);
    for (enum clg_matrix_index i = CLG_A; i <= CLG_B; i++) {
        /* A matrix that lies in place only fills the argument. */
        clg_step_memory(step, packed[i][0], i,
                        operands[i].lies ? -1 : operands[i].packed.workspace);
        clg_step_long(step, packed[i][1], operands[i].packed.stride);
    }
    clg_tensor_add_unpacked(
        step, problem, CLG_A,
        (const char *const[]){"a", "a_offset", "a_along_m", "a_along_k", "a_stride"});
    clg_tensor_add_unpacked(
        step, problem, CLG_B,
        (const char *const[]){"b", "b_offset", "b_along_n", "b_along_k", "b_stride"});
    clg_step_matrix(step, "c", CLG_C);
    clg_step_long(step, "c_offset", c->offset);
    clg_step_long(step, "ldc", c->ld);
    clg_step_long(step, "c_stride", c->stride);
    clg_step_int(step, "products", problem->batch);
    clg_tensor_share(plan, step, shares, p);
}
