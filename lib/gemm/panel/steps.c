/* SPDX-License-Identifier: Apache-2.0
 * The steps of the panel family's plans: packing, the product, and the sum of slices. */
#include <stdio.h>

#include "base/checked.h"
#include "gemm/panel/panel.h"
#include "gemm/reduce.h"

enum { CHUNK_ALONG = 512, CHUNK_ACROSS = 256, STRIP_ACROSS = 96 }; /* as in kernels/panel_pack.cl */

/* About how many times a group takes tiles from a batch. */
enum { SHARES_PER_GROUP = 16 };

int clg_panel_pack(struct clg_plan *plan, const struct clg_problem *problem,
                   const struct clg_params *p, enum clg_matrix_index which, int width) {
    const struct clg_matrix *from = &problem->matrix[which];
    const struct clg_stored *stored = &problem->stored;
    const bool is_stored = stored->triangle != CLG_ALL && stored->which == (int)which;
    const bool mirrored = is_stored && stored->mirrored;
    const bool along_k = from->transposed == (which == CLG_A), across = !along_k || mirrored;
    const int64_t chunk = across ? CHUNK_ACROSS : CHUNK_ALONG;
    const int64_t strip = across ? STRIP_ACROSS / width * width : width;
    const int64_t outer = which == CLG_A ? problem->m : problem->n;
    const struct clg_params options = {.vec = p->vec, .reg_n = width};
    const int64_t matrices = clg_problem_matrices(problem, which);
    const int64_t size = clg_round_up(outer, width) * problem->k;
    const int number = clg_plan_workspace(plan, size * matrices);
    struct clg_step *step =
        clg_plan_step(plan, "panel_pack", &options, along_k ? "-DB_ALONG_K=1" : "-DB_ALONG_K=0");
    if (is_stored)
        clg_step_option(step, mirrored ? "-DSTORED=2" : "-DSTORED=1");
    step->group_size = 1;
    step->groups = (uint64_t)(clg_ceil_div(outer, strip) * clg_ceil_div(p->tile_k, chunk) *
                              clg_ceil_div(problem->k, p->tile_k));
    step->batch = (uint64_t)matrices;
    clg_step_int(step, "n", outer);
    clg_step_int(step, "k", problem->k);
    clg_step_int(step, "kc", p->tile_k);
    if (is_stored)
        clg_step_int(step, "later", (stored->triangle == CLG_LOWER) == (which == CLG_B));
    clg_step_columns(step, problem, CLG_B, which);
    clg_step_workspace(step, "packed", number);
    clg_step_stride(step, "packed_stride", problem, size);
    clg_step_groups(step, problem);
    return number;
}

/* Elements from one matrix to the next: 0 if there is only one. */
static int64_t stride_of(const struct clg_problem *problem, const struct clg_params *p,
                         enum clg_matrix_index which, int packed) {
    const int64_t stride = problem->matrix[which].stride;
    return packed < 0 || stride == 0 ? stride : clg_panel_packed_size(problem, p, which);
}

/* Where the main step writes: C, the workspace of the slices, or that of the sums of all blocks. */
static void add_result(struct clg_step *step, const struct clg_problem *problem,
                       const struct clg_panel_work *work, int slices) {
    const struct clg_matrix *c = &problem->matrix[CLG_C];
    clg_step_memory(step, "c", CLG_C, slices);
    clg_step_memory_offset(step, "c_offset", CLG_C, slices);
    clg_step_long(step, "ldc", slices < 0 ? c->ld : clg_slice_ld(problem));
    clg_step_long(step, "slice_c", slices < 0 ? 0 : clg_slice_stride(problem));
    clg_step_stride(step, "c_stride", problem,
                    slices < 0 ? c->stride : clg_slice_stride(problem) * work->slices);
}

/* Adds the main step; packed_a and packed_b are the workspaces of A's and B's panels, or -1,
 * `slices` that of the slices of k, or of the sums, or -1. */
static void add_main(struct clg_plan *plan, const struct clg_problem *problem,
                     const struct clg_params *p, const struct clg_panel_work *work, int packed_a,
                     int packed_b, int slices) {
    const struct clg_matrix *a = &problem->matrix[CLG_A], *b = &problem->matrix[CLG_B];
    const struct clg_params options = {
        .vec = p->vec, .reg_n = p->reg_n, .pack_a = packed_a >= 0, .pack_b = packed_b >= 0};
    const int blocks = /* unused if all of A is packed */
        packed_a >= 0 ? packed_a : clg_plan_workspace(plan, work->block * work->groups);
    const int counters = clg_plan_counters(plan);
    const int triangular = !clg_is_trmm(problem) ? 0 : problem->stored.which == CLG_A ? 1 : 2;
    char extra[64];
    int used = snprintf(extra, sizeof extra, "-DA_ALONG_K=%d%s", packed_a < 0 && a->transposed,
                        slices >= 0 && clg_type_is_narrow(problem->type) ? " -DSUMS=1" : "");
    if (triangular)
        snprintf(extra + used, sizeof extra - (size_t)used, " -DTRMM=%d", triangular);
    struct clg_step *step = clg_plan_step(plan, "panel", &options, extra);
    step->group_size = 1;
    step->groups = (uint64_t)work->groups;
    step->batch = 1; /* the groups share the tiles of all products */
    clg_step_triangle(step, problem);
    clg_step_sizes(step, problem);
    clg_step_int(step, "kc", p->tile_k);
    clg_step_int(step, "mc", p->tile_m);
    clg_step_int(step, "nc", p->tile_n);
    clg_step_int(step, "slice_k", work->slice_k);
    clg_step_scalars(step, slices < 0);
    clg_step_memory(step, "a", CLG_A, packed_a);
    clg_step_memory_offset(step, "a_offset", CLG_A, packed_a);
    clg_step_long(step, "lda", a->ld);
    clg_step_stride(step, "a_stride", problem, stride_of(problem, p, CLG_A, packed_a));
    clg_step_memory(step, "b", CLG_B, packed_b);
    clg_step_memory_offset(step, "b_offset", CLG_B, packed_b);
    clg_step_long(step, "b_row", b->transposed ? b->ld : 1);
    clg_step_long(step, "b_col", b->transposed ? 1 : b->ld);
    clg_step_stride(step, "b_stride", problem, stride_of(problem, p, CLG_B, packed_b));
    add_result(step, problem, work, slices);
    clg_step_workspace(step, "blocks", blocks);
    clg_step_long(step, "block_size", work->block);
    clg_step_workspace(step, "next", counters);
    clg_step_tiles(step, "tiles", problem, work->tiles);
    if (triangular) {
        clg_step_int(step, "before", (triangular == 1) == (problem->stored.triangle == CLG_LOWER));
        clg_step_int(step, "unit", problem->stored.unit);
    }
    if (problem->batch > 1) {
        clg_step_int(step, "products", problem->batch);
        clg_step_int(step, "at_a_time", clg_ceil_div(work->tasks, work->groups * SHARES_PER_GROUP));
    }
}

void clg_panel_plan(struct clg_plan *plan, const struct clg_problem *problem,
                    const struct clg_facts *facts, const struct clg_params *p) {
    const struct clg_panel_work work = clg_panel_divide(problem, facts, p);
    int packed_a = -1, packed_b = -1, slices = -1;
    if (clg_panel_must_pack(problem, CLG_A))
        packed_a = clg_panel_pack(plan, problem, p, CLG_A, clg_panel_width(p, CLG_A));
    if (p->pack_b)
        packed_b = clg_panel_pack(plan, problem, p, CLG_B, clg_panel_width(p, CLG_B));
    if (clg_panel_is_ahead(problem, CLG_A))
        plan->packed = packed_a;
    if (clg_panel_is_ahead(problem, CLG_B))
        plan->packed = packed_b;
    if (work.sums)
        slices = clg_plan_workspace(plan, clg_slice_stride(problem) * work.slices * problem->batch);
    add_main(plan, problem, p, &work, packed_a, packed_b, slices);
    if (slices >= 0)
        clg_plan_reduce(plan, problem, facts, slices, work.slices);
}
