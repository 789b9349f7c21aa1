/* SPDX-License-Identifier: Apache-2.0
 * The steps of the panel family's plans: packing, the product, and the sum of slices. */
#include <stdio.h>

#include "base/checked.h"
#include "gemm/panel/panel.h"
#include "gemm/reduce.h"

enum { CHUNK_ALONG = 512, CHUNK_ACROSS = 256, STRIP_ACROSS = 96 }; /* as in kernels/panel_pack.cl */

/* About how many times a group takes tiles from a batch. */
enum { SHARES_PER_GROUP = 16 };

static int add_packing(struct clg_plan *plan, const struct clg_problem *problem,
                       const struct clg_params *p, enum clg_matrix_index which) {
    const struct clg_matrix *from = &problem->matrix[which];
    const bool along_k = from->transposed == (which == CLG_A);
    const int width = clg_panel_width(p, which);
    const int64_t chunk = along_k ? CHUNK_ALONG : CHUNK_ACROSS;
    const int64_t strip = along_k ? width : STRIP_ACROSS / width * width;
    const int64_t outer = which == CLG_A ? problem->m : problem->n;
    const struct clg_params options = {.vec = p->vec, .reg_n = width};
    const int64_t matrices = clg_problem_matrices(problem, which);
    const int64_t size = clg_panel_packed_size(problem, p, which);
    const int number = clg_plan_workspace(plan, size * matrices);
    struct clg_step *step =
        clg_plan_step(plan, "panel_pack", &options, along_k ? "-DB_ALONG_K=1" : "-DB_ALONG_K=0");
    step->group_size = 1;
    step->groups = (uint64_t)(clg_ceil_div(outer, strip) * clg_ceil_div(p->tile_k, chunk) *
                              clg_ceil_div(problem->k, p->tile_k));
    step->batch = (uint64_t)matrices;
    clg_step_int(step, outer);
    clg_step_int(step, problem->k);
    clg_step_int(step, p->tile_k);
    clg_step_matrix(step, which);
    clg_step_long(step, from->offset);
    clg_step_long(step, from->ld);
    clg_step_stride(step, problem, from->stride);
    clg_step_workspace(step, number);
    clg_step_stride(step, problem, size);
    clg_step_groups(step, problem);
    return number;
}

/* Where the main step writes: C, the workspace of the slices, or that of the sums of all blocks. */
static void add_result(struct clg_step *step, const struct clg_problem *problem,
                       const struct clg_panel_work *work, int slices) {
    const struct clg_matrix *c = &problem->matrix[CLG_C];
    if (slices < 0)
        clg_step_matrix(step, CLG_C);
    else
        clg_step_workspace(step, slices);
    clg_step_long(step, slices < 0 ? c->offset : 0);
    clg_step_long(step, slices < 0 ? c->ld : clg_slice_ld(problem));
    clg_step_long(step, slices < 0 ? 0 : clg_slice_stride(problem));
    clg_step_stride(step, problem,
                    slices < 0 ? c->stride : clg_slice_stride(problem) * work->slices);
}

/* A matrix in place (packed: -1), or the workspace of its panels. */
static void add_source(struct clg_step *step, enum clg_matrix_index which, int packed) {
    if (packed < 0)
        clg_step_matrix(step, which);
    else
        clg_step_workspace(step, packed);
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
    char extra[64];
    snprintf(extra, sizeof extra, "-DA_ALONG_K=%d%s", packed_a < 0 && a->transposed,
             slices >= 0 && clg_type_is_narrow(problem->type) ? " -DSUMS=1" : "");
    struct clg_step *step = clg_plan_step(plan, "panel", &options, extra);
    step->group_size = 1;
    step->groups = (uint64_t)work->groups;
    step->batch = 1; /* the groups share the tiles of all products */
    clg_step_int(step, problem->m);
    clg_step_int(step, problem->n);
    clg_step_int(step, problem->k);
    clg_step_int(step, p->tile_k);
    clg_step_int(step, p->tile_m);
    clg_step_int(step, p->tile_n);
    clg_step_int(step, work->slice_k);
    clg_step_scalars(step, slices < 0);
    add_source(step, CLG_A, packed_a);
    clg_step_long(step, a->offset);
    clg_step_long(step, a->ld);
    clg_step_stride(step, problem, a->stride); /* 0 for a packed A, which is one matrix */
    add_source(step, CLG_B, packed_b);
    clg_step_long(step, b->offset);
    clg_step_long(step, b->transposed ? b->ld : 1);
    clg_step_long(step, b->transposed ? 1 : b->ld);
    clg_step_stride(step, problem,
                    packed_b < 0 || b->stride == 0 ? b->stride
                                                   : clg_panel_packed_size(problem, p, CLG_B));
    add_result(step, problem, work, slices);
    clg_step_workspace(step, blocks);
    clg_step_long(step, work->block);
    clg_step_workspace(step, counters);
    if (problem->batch > 1) {
        clg_step_int(step, problem->batch);
        clg_step_int(step, clg_ceil_div(work->tasks, work->groups * SHARES_PER_GROUP));
    }
}

void clg_panel_plan(struct clg_plan *plan, const struct clg_problem *problem,
                    const struct clg_facts *facts, const struct clg_params *p) {
    const struct clg_panel_work work = clg_panel_divide(problem, facts, p);
    int packed_a = -1, packed_b = -1, slices = -1;
    if (clg_panel_is_ahead(problem, CLG_A))
        packed_a = plan->packed = add_packing(plan, problem, p, CLG_A);
    if (p->pack_b)
        packed_b = add_packing(plan, problem, p, CLG_B);
    if (clg_panel_is_ahead(problem, CLG_B))
        plan->packed = packed_b;
    if (work.sums)
        slices = clg_plan_workspace(plan, clg_slice_stride(problem) * work.slices * problem->batch);
    add_main(plan, problem, p, &work, packed_a, packed_b, slices);
    if (slices >= 0)
        clg_plan_reduce(plan, problem, facts, slices, work.slices);
}
