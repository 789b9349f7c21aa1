/* SPDX-License-Identifier: Apache-2.0
 * What the families for tensor cores have in common: operands are packed or read in place, groups
 * share tiles; the product of tensor and mma has the same arguments. */
#include <math.h>
#include <stdio.h>

#include "base/checked.h"
#include "gemm/tensor/tensor.h"

enum { PACK_GROUP = 256 }; /* as in tensor_pack.cl */

const bool clg_tensor_neither[] = {false, false};

static int64_t rows_of(const struct clg_problem *problem, enum clg_matrix_index which) {
    return which == CLG_A ? problem->m : problem->n;
}

/* ---- Sizes ---- */

/* Bytes of a packed operand, whether the call packs it or an earlier one did. */
static double packed_bytes(const struct clg_tensor_way *way, const struct clg_problem *problem,
                           const struct clg_params *p, enum clg_matrix_index which) {
    return (double)clg_problem_matrices(problem, which) *
           clg_tensor_packed_bytes(way, problem, clg_tensor_tile(p, which),
                                   rows_of(problem, which));
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
            bytes +=
                (double)clg_problem_matrices(problem, i) * (double)rows_of(problem, i) * depth +
                packed_bytes(way, problem, p, i);
    return bytes;
}

/* ---- Candidates ---- */

const int clg_tensor_splits[] = {0, 2, 3, 4, 6, 8, 12, 16, 0};

double clg_tensor_streaming_us(const struct clg_tensor_shares *shares,
                               const struct clg_costs *costs, double size) {
    const double groups = ceil((double)shares->blocks / clg_tensor_most_blocks(shares));
    return shares->streamed ? costs->tensor_shared_us + costs->tensor_share_us * size * groups : 0;
}

/* Adds the row with the number of groups for a tile, and the operands packed, that take the least
 * time. */
static void add_row(const struct clg_family *family, const struct clg_problem *problem,
                    const struct clg_facts *facts, const struct clg_costs *costs,
                    const struct clg_params *row, const int splits[], const bool may_pack[],
                    clg_tensor_us *us_of, struct clg_list *list) {
    struct clg_params candidate = *row, best = *row;
    double least = HUGE_VAL;
    if (!clg_family_keeps_form(family, problem, facts, row))
        return;
    for (int packs = 0; packs < 4; packs++) {
        candidate.pack_a = packs & 1;
        candidate.pack_b = packs >> 1;
        if ((candidate.pack_a && !may_pack[CLG_A]) || (candidate.pack_b && !may_pack[CLG_B]))
            continue;
        for (size_t s = 0; s == 0 || splits[s]; s++) {
            candidate.sharers = splits[s];
            if (family->unsupported_reason(problem, facts, &candidate))
                continue;
            const double us = us_of(problem, facts, costs, &candidate);
            if (us < least) {
                least = us;
                best = candidate;
            }
        }
    }
    clg_list_add(list, family, &best, least, "multiply-adds");
}

void clg_tensor_add_rows(const struct clg_family *family, const struct clg_problem *problem,
                         const struct clg_facts *facts, const struct clg_costs *costs,
                         const int splits[], const bool may_pack[], clg_tensor_us *us_of,
                         struct clg_list *list) {
    const struct clg_cost_rows all = clg_costs_of(costs, family);
    for (size_t i = 0; i < all.count; i++)
        add_row(family, problem, facts, costs, &all.rows[i].params, splits, may_pack, us_of, list);
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

static struct clg_tensor_packed add_packed(struct clg_plan *plan, const struct clg_tensor_way *way,
                                           const struct clg_params *p,
                                           enum clg_matrix_index which) {
    const struct clg_problem *problem = &plan->problem;
    const int64_t bytes = (int64_t)clg_tensor_packed_bytes(way, problem, clg_tensor_tile(p, which),
                                                           rows_of(problem, which));
    const int64_t matrices = clg_problem_matrices(problem, which);
    const int64_t real = (int64_t)clg_type_real_size(problem->type);
    return (struct clg_tensor_packed){clg_plan_workspace(plan, bytes / real * matrices),
                                      matrices > 1 ? bytes : 0};
}

static int64_t pack_groups(const struct clg_problem *problem, const struct clg_tensor_way *way,
                           const struct clg_params *p, enum clg_matrix_index which) {
    return clg_round_up(rows_of(problem, which), clg_tensor_tile(p, which)) / CLG_TENSOR_PACK_SIDE *
           clg_ceil_div(problem->k, clg_tensor_block_k(way));
}

/* An operand that is not packed has no groups. The other one fills its arguments, so that a call
 * need not provide it. */
static void add_pack(struct clg_plan *plan, const struct clg_tensor_way *way,
                     const struct clg_params *p, const struct clg_tensor_packed packed[],
                     bool packs_a, bool packs_b) {
    const struct clg_problem *problem = &plan->problem;
    const enum clg_matrix_index a = packs_a ? CLG_A : CLG_B, b = packs_b ? CLG_B : CLG_A;
    char options[CLG_MAX_OPTIONS];
    snprintf(options, sizeof options, "-DTILE_M=%d -DTILE_N=%d -DA_ALONG_K=%d -DB_ALONG_K=%d %s",
             p->tile_m, p->tile_n, clg_is_along_k(problem, CLG_A), clg_is_along_k(problem, CLG_B),
             way->options);
    struct clg_step *step = clg_plan_step(plan, "tensor_pack", NULL, options);
    const int64_t groups_a = packs_a ? pack_groups(problem, way, p, CLG_A) : 0;
    const int64_t groups_b = packs_b ? pack_groups(problem, way, p, CLG_B) : 0;
    step->group_size = PACK_GROUP;
    step->groups = (uint64_t)(groups_a + groups_b);
    clg_step_sizes(step, problem);
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
    const bool along_k = clg_is_along_k(problem, which);
    clg_step_matrix(step, names[0], which);
    clg_step_offset(step, names[1], which);
    clg_step_long(step, names[2], along_k ? matrix->ld : 1);
    clg_step_long(step, names[3], along_k ? 1 : matrix->ld);
    clg_step_long(step, names[4], matrix->stride);
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
            operands[i].packed = add_packed(plan, way, p, i);
        packed[i] = operands[i].packed;
        ahead[i] = clg_is_ahead(&plan->problem, family, i);
        now[i] = !ahead[i] && !operands[i].lies;
    }
    if (ahead[CLG_A] || ahead[CLG_B]) {
        plan->packed = packed[ahead[CLG_A] ? CLG_A : CLG_B].workspace;
        add_pack(plan, way, p, packed, ahead[CLG_A], ahead[CLG_B]);
    }
    if (now[CLG_A] || now[CLG_B])
        add_pack(plan, way, p, packed, now[CLG_A], now[CLG_B]);
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
    clg_step_sizes(step, problem);
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
    clg_step_offset(step, "c_offset", CLG_C);
    clg_step_long(step, "ldc", c->ld);
    clg_step_long(step, "c_stride", c->stride);
    clg_step_int(step, "products", problem->batch);
    clg_tensor_share(plan, step, shares, p);
}
