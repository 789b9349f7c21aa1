/* SPDX-License-Identifier: Apache-2.0
 * The steps of families that divide their work into tiles: the product, and the sum of slices. */
#include <stdio.h>

#include "base/checked.h"
#include "gemm/reduce.h"
#include "gemm/tiled/tiled.h"

enum { JOIN_GROUP = 128 }; /* as in join.cl */

enum { VECTOR = CLG_WIDEST_VECTOR };

/* Along m or n the last vector may reach past the matrix if the elements there may be read. Along k
 * the kernel reads single elements at the end of the matrix. */
static struct clg_reading read_in_place(const struct clg_matrix *matrix, clgemm_type type,
                                        bool along_k, int64_t outer, int64_t depth, int widest) {
    const int full_vec = (int)clg_least(widest, clg_type_vector(type));
    int vec = (int)clg_least(matrix->vector, full_vec);
    while (!along_k && vec > 1 && clg_round_up(outer, vec) > matrix->readable)
        vec /= 2;
    if (matrix->expanded)
        *(along_k ? &outer : &depth) /= 2;
    return (struct clg_reading){.along_k = along_k,
                                .expanded = matrix->expanded,
                                .vec = vec,
                                .full_vec = full_vec,
                                .outer = outer,
                                .depth = depth,
                                .ld = matrix->ld,
                                .stride = matrix->stride,
                                .workspace = -1};
}

struct clg_reading clg_tiled_read_a(const struct clg_problem *problem, const struct clg_params *p) {
    return read_in_place(&problem->matrix[CLG_A], problem->type, problem->matrix[CLG_A].transposed,
                         problem->m, problem->k, p->vec_a);
}

struct clg_reading clg_tiled_read_b(const struct clg_problem *problem, const struct clg_params *p) {
    return read_in_place(&problem->matrix[CLG_B], problem->type, !problem->matrix[CLG_B].transposed,
                         problem->n, problem->k, p->vec_b);
}

int clg_tiled_vec_c(const struct clg_problem *problem) {
    int vec = (int)problem->matrix[CLG_C].vector;
    while (problem->m % vec)
        vec /= 2;
    return vec;
}

static void add_operand(struct clg_step *step, const struct clg_problem *problem,
                        enum clg_matrix_index which, const struct clg_reading *reading,
                        const char *const names[]) {
    clg_step_memory(step, names[0], which, reading->workspace);
    clg_step_memory_offset(step, names[1], which, reading->workspace);
    clg_step_long(step, names[2], reading->ld);
    clg_step_stride(step, names[3], problem, reading->stride);
}

/* Whether offsets inside a tile of the operand overflow an int. */
static bool is_far(const struct clg_reading *reading, int tile, int tile_k) {
    return (double)reading->ld * (reading->along_k ? tile : tile_k) + tile > INT32_MAX;
}

/* Where the slices of cut tiles are stored. */
struct parts {
    int workspace; /* -1: no tile is cut */
    int counters;  /* -1: another step adds the slices up */
    int64_t ld;
    int64_t stride; /* from slice to slice, each a whole C; 0: slices are blocks of a tile */
};

static struct parts plan_parts(struct clg_plan *plan, const struct clg_problem *problem,
                               const struct clg_params *p, const struct clg_cut *cut, bool joins) {
    struct parts parts = {.workspace = -1, .counters = -1};
    if (cut->slices > 1 && (joins || p->split_tail > 1)) {
        parts.ld = p->tile_m;
        parts.workspace = clg_plan_workspace(plan, clg_tiled_tail_elements(cut, p));
    } else if (cut->slices > 1) {
        parts.ld = clg_slice_ld(problem);
        parts.stride = clg_slice_stride(problem);
        parts.workspace = clg_plan_workspace(plan, parts.stride * cut->slices * problem->batch);
    }
    if (joins)
        parts.counters = clg_plan_counters(plan);
    return parts;
}

static void add_main(struct clg_plan *plan, const struct clg_tiled_kernel *kernel,
                     const struct clg_problem *problem, const struct clg_params *p,
                     const struct clg_reading *a, const struct clg_reading *b,
                     const struct clg_cut *cut, const struct parts *parts) {
    struct clg_params read = *p;
    const bool joins = parts->counters >= 0, no_c = cut->whole == 0 && !joins;
    /* Slices have room for whole vectors, if tiles begin at a multiple of one. */
    const bool whole_vectors =
        no_c && (parts->stride == 0 || problem->m % VECTOR == 0 || kernel->grain_m % VECTOR == 0);
    read.vec_a = a->vec;
    read.vec_b = b->vec;
    /* The program does not depend on these. */
    read.split_k = read.split_tail = read.pack_a = read.pack_b = 0;
    char extra[256];
    snprintf(extra, sizeof extra, "-DA_ALONG_K=%d -DB_ALONG_K=%d -DEDGE_C=%d -DVEC_C=%d%s%s%s",
             a->along_k, b->along_k, problem->m % p->tile_m || problem->n % p->tile_n,
             whole_vectors ? VECTOR : clg_tiled_vec_c(problem),
             is_far(a, p->tile_m, p->tile_k) || is_far(b, p->tile_n, p->tile_k) ? " -DLONG_INDEX"
                                                                                : "",
             joins ? " -DJOINS=1" : "", kernel->options);
    struct clg_step *step = clg_plan_step(plan, kernel->source, &read, extra);
    step->group_size = (uint64_t)clg_tiled_group_size(p);
    step->groups = (uint64_t)(cut->whole + (cut->tiles - cut->whole) * cut->slices);
    clg_step_triangle(step, problem);
    clg_step_sizes(step, problem);
    clg_step_scalars(step, true);
    add_operand(step, problem, CLG_A, a, (const char *const[]){"a", "a_offset", "lda", "a_stride"});
    add_operand(step, problem, CLG_B, b, (const char *const[]){"b", "b_offset", "ldb", "b_stride"});
    clg_step_memory(step, "c", CLG_C, no_c ? parts->workspace : -1);
    clg_step_offset(step, "c_offset", CLG_C);
    clg_step_long(step, "ldc", problem->matrix[CLG_C].ld);
    clg_step_stride(step, "c_stride", problem, problem->matrix[CLG_C].stride);
    clg_step_int(step, "whole", cut->whole);
    clg_step_int(step, "k_slice", cut->depth);
    clg_step_memory(step, "parts", CLG_C, parts->workspace); /* C only fills the argument */
    clg_step_long(step, "part_ld", parts->ld);
    clg_step_long(step, "part_stride", parts->stride);
    clg_step_stride(step, "parts_stride", problem, parts->stride * cut->slices);
    clg_step_tiles(step, "c_tiles", problem, cut->tiles);
    if (joins) {
        clg_step_int(step, "slices", cut->slices);
        clg_step_workspace(step, "counters", parts->counters);
    }
    clg_step_groups(step, problem);
}

static void add_join(struct clg_plan *plan, const struct clg_tiled_kernel *kernel,
                     const struct clg_problem *problem, const struct clg_params *p,
                     const struct clg_cut *cut, int workspace) {
    char options[96];
    snprintf(options, sizeof options,
             "-DTILE_M=%d -DTILE_N=%d -DBAND_M=%d -DGRAIN_M=%d -DGRAIN_N=%d", p->tile_m, p->tile_n,
             p->band_m, kernel->grain_m, kernel->grain_n);
    struct clg_step *step = clg_plan_step(plan, "join", NULL, options);
    const int64_t quads = (cut->tiles - cut->whole) * p->tile_m * p->tile_n / VECTOR;
    step->group_size = JOIN_GROUP;
    clg_step_triangle(step, problem);
    step->groups = (uint64_t)clg_ceil_div(quads, JOIN_GROUP);
    clg_step_int(step, "m", problem->m);
    clg_step_int(step, "n", problem->n);
    clg_step_scalars(step, true);
    clg_step_workspace(step, "parts", workspace);
    clg_step_int(step, "slices", cut->slices);
    clg_step_int(step, "whole", cut->whole);
    clg_step_columns(step, problem, CLG_C, CLG_C);
    clg_step_tiles(step, "c_tiles", problem, cut->tiles);
}

void clg_tiled_plan(struct clg_plan *plan, const struct clg_tiled_kernel *kernel,
                    const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_params *p, const struct clg_reading *a,
                    const struct clg_reading *b) {
    const struct clg_cut cut = clg_tiled_cut(problem, facts, p);
    const bool joins = clg_tiled_joins(problem, &cut, p, kernel->joined);
    const struct parts parts = plan_parts(plan, problem, p, &cut, joins);
    add_main(plan, kernel, problem, p, a, b, &cut, &parts);
    if (cut.slices == 1 || joins)
        return;
    if (p->split_tail > 1)
        add_join(plan, kernel, problem, p, &cut, parts.workspace);
    else
        clg_plan_reduce(plan, problem, facts, parts.workspace, cut.slices);
}
