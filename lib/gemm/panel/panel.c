/* SPDX-License-Identifier: Apache-2.0
 * The panel family, for CPUs: A is packed in panels that stay in a core's second cache, B in panels
 * too or read where it lies, a few columns of C stay in vector registers (kernels/panel.cl).
 *
 * The kernel's tiles are TILE_M x TILE_N by blocks of TILE_K along k; all three are arguments of
 * it, so that one program serves all shapes. docs/kernels.md has what was measured. */
#include <stdio.h>

#include "base/checked.h"
#include "gemm/panel/panel.h"
#include "gemm/reduce.h"

enum { MOST_COLUMNS = 14 }; /* of REG_N, as kernels/panel.cl has macros for */

enum { CHUNK_ALONG = 512, CHUNK_ACROSS = 256, STRIP_ACROSS = 96 }; /* as kernels/panel_pack.cl */

/* Groups that take tiles, a unit. More than one, for some runtimes hand the first thread two. */
enum { GROUPS_PER_UNIT = 2 };

/* In how many parts, about, a group takes its tiles of a batch's products. */
enum { SHARES_PER_GROUP = 16 };

/* Elements between the groups' blocks, so that these do not lie in the same sets of a cache. */
enum { BLOCK_GAP = 1024 };

/* Steps along k of the least block that is worth packing. */
enum { LEAST_DEPTH = 64 };

/* How the kernel divides its work. */
struct work {
    int64_t slice_k, slices, tasks, groups;
    int64_t block;  /* elements for a group's block of A */
    int64_t pad_n;  /* n in whole panels */
    bool sums;      /* go to workspace, for C is rounded once and takes more than one block */
    double size;    /* bytes of a number in workspace */
    double bytes;   /* of all workspace */
    double largest; /* bytes of the largest workspace */
};

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

static void add_workspace(struct work *work, double elements) {
    const double bytes = elements * work->size;
    work->bytes += bytes;
    work->largest = bytes > work->largest ? bytes : work->largest;
}

/* Groups whose blocks fit beside the other workspace, at least one. */
static int64_t blocks_that_fit(const struct work *work, const struct clg_problem *problem,
                               const struct clg_facts *facts) {
    const double left = clg_workspace_room(problem, facts) - work->bytes;
    const double most = (double)facts->max_allocation;
    const double fitting = (left < most ? left : most) / ((double)work->block * work->size);
    return fitting < 1 ? 1 : fitting < INT32_MAX ? (int64_t)fitting : INT32_MAX;
}

static struct work divide(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p) {
    struct work work = {
        .slice_k = problem->k, .slices = 1, .size = (double)clg_type_real_size(problem->type)};
    if (p->split_k > 1) { /* whole blocks */
        const int64_t blocks = clg_ceil_div(problem->k, p->tile_k);
        work.slice_k = (blocks < p->split_k ? 1 : blocks / p->split_k) * p->tile_k;
        work.slices = clg_ceil_div(problem->k, work.slice_k);
    }
    if (work.slices == 1)
        work.slice_k = problem->k;
    work.sums = work.slices > 1 || (clg_type_is_narrow(problem->type) && p->tile_k < problem->k);
    const int64_t most =
        GROUPS_PER_UNIT * (int64_t)(facts->compute_units ? facts->compute_units : 1);
    work.tasks = clg_ceil_div(problem->m, p->tile_m) * clg_ceil_div(problem->n, p->tile_n) *
                 work.slices * problem->batch;
    work.block = (int64_t)p->tile_m * p->tile_k + BLOCK_GAP;
    work.pad_n = clg_round_up(problem->n, p->reg_n);
    const double packed = (double)clg_problem_matrices(problem, CLG_B) * (double)work.pad_n;
    const double slices = (double)problem->batch * (double)work.slices;
    add_workspace(&work, p->pack_b ? packed * (double)problem->k : 0);
    add_workspace(&work, work.sums ? (double)clg_slice_stride(problem) * slices : 0);
    work.groups = work.tasks == 1 ? 1 : least(most, work.tasks * GROUPS_PER_UNIT);
    work.groups = least(work.groups, blocks_that_fit(&work, problem, facts));
    add_workspace(&work, (double)work.block * (double)work.groups);
    return work;
}

static const char *unsupported_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts, const struct clg_params *p) {
    const int64_t most = 1 << 30; /* indices past the last tile stay ints */
    if (p->vec != 2 && p->vec != 4 && p->vec != 8 && p->vec != 16)
        return "VEC is none of 2, 4, 8, 16";
    if (p->reg_n < 1 || p->reg_n > MOST_COLUMNS)
        return "REG_N is not within 1 .. 14";
    if (p->tile_m <= 0 || p->tile_n <= 0 || p->tile_k <= 0)
        return "a size is missing";
    if (!p->pack_b && clg_type_is_narrow(problem->type))
        return "elements of 16 bits are multiplied packed, as floats";
    if (p->tile_m % (2 * p->vec) || p->tile_n % p->reg_n)
        return "a tile is not made of whole panels";
    if ((uint64_t)(p->vec * p->reg_n) * clg_type_real_size(problem->type) > facts->local_memory)
        return "an edge does not fit local memory";
    if (problem->m > most || problem->n > most || problem->k > most)
        return "a dimension passes 2^30";
    if (clg_ceil_div(problem->m, p->tile_m) * clg_ceil_div(problem->n, p->tile_n) >
        most / (p->split_k > 1 ? p->split_k + 1 : 1) / 2 / problem->batch)
        return "there are too many tiles";
    const struct work work = divide(problem, facts, p);
    if (work.largest > (double)facts->max_allocation ||
        work.bytes > clg_workspace_room(problem, facts))
        return "the workspace does not fit the memory that a call may take";
    const char *why = work.sums ? clg_reduce_unsupported_reason(facts) : NULL;
    return why ? why : clg_group_unsupported_reason(facts, 1);
}

/* Examples with tiles of a few panels, for tests; clg_panel_shape chooses tiles for a problem. */
static const struct clg_params *rows(enum clg_device_kind kind, size_t *count) {
    static const struct clg_params all[] = {
        {.tile_m = 16, .tile_n = 12, .tile_k = 20, .vec = 8, .reg_n = 6, .pack_b = 1},
        {.tile_m = 32, .tile_n = 24, .tile_k = 40, .vec = 16, .reg_n = 12, .pack_b = 1},
        {.tile_m = 32, .tile_n = 24, .tile_k = 32, .vec = 16, .reg_n = 12},
        {.tile_m = 32, .tile_n = 16, .tile_k = 16, .vec = 16, .reg_n = 8, .split_k = 3},
        {.tile_m = 32, .tile_n = 8, .tile_k = 16, .vec = 16, .reg_n = 8, .pack_b = 1},
        {.tile_m = 16, .tile_n = 6, .tile_k = 12, .vec = 8, .reg_n = 6, .split_k = 2},
        {.tile_m = 16, .tile_n = 24, .tile_k = 16, .vec = 4, .reg_n = 12, .pack_b = 1},
        {.tile_m = 8, .tile_n = 12, .tile_k = 16, .vec = 4, .reg_n = 12},
    };
    *count = kind == CLG_DEVICE_CPU ? sizeof all / sizeof *all : 1;
    return all;
}

/* Whether some units would stay idle for want of workspace, or worse. */
static bool is_cramped(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_params *p) {
    const struct work work = divide(problem, facts, p);
    return unsupported_reason(problem, facts, p) ||
           work.groups < least(work.tasks, facts->compute_units);
}

/* Slower, but in less workspace; false where nothing is left to give up. */
static bool take_less(clgemm_type type, struct clg_params *p) {
    const int panel = 2 * p->vec;
    if (p->pack_b && !clg_type_is_narrow(type))
        p->pack_b = 0;
    else if (p->split_k)
        p->split_k = p->split_k > 3 ? p->split_k / 2 : 0;
    else if (p->tile_k > LEAST_DEPTH)
        p->tile_k = (int)clg_round_up(p->tile_k / 2, p->vec);
    else if (p->tile_m > panel)
        p->tile_m = (int)clg_round_up(p->tile_m / 2, panel);
    else
        return false;
    return true;
}

static bool parameters(const struct clg_problem *problem, const struct clg_facts *facts,
                       struct clg_params *out) {
    if (!clg_panel_shape(problem, facts, out))
        return false;
    while (is_cramped(problem, facts, out) && take_less(problem->type, out)) {
    }
    return !unsupported_reason(problem, facts, out);
}

/* The options that both kernels share: the tiles are arguments. */
static struct clg_params program_of(const struct clg_params *p) {
    return (struct clg_params){.vec = p->vec, .reg_n = p->reg_n};
}

static int add_packing(struct clg_plan *plan, const struct clg_problem *problem,
                       const struct clg_params *p, const struct work *work) {
    const struct clg_matrix *b = &problem->matrix[CLG_B];
    const bool along_k = !b->transposed;
    const int64_t chunk = along_k ? CHUNK_ALONG : CHUNK_ACROSS;
    const int64_t strip = along_k ? p->reg_n : STRIP_ACROSS / p->reg_n * p->reg_n;
    const struct clg_params options = program_of(p);
    const int64_t matrices = clg_problem_matrices(problem, CLG_B), size = work->pad_n * problem->k;
    const int number = clg_plan_workspace(plan, size * matrices);
    struct clg_step *step =
        clg_plan_step(plan, "panel_pack", &options, along_k ? "-DB_ALONG_K=1" : "-DB_ALONG_K=0");
    step->group_size = 1;
    step->groups = (uint64_t)(clg_ceil_div(problem->n, strip) * clg_ceil_div(p->tile_k, chunk) *
                              clg_ceil_div(problem->k, p->tile_k));
    step->batch = (uint64_t)matrices;
    clg_step_int(step, problem->n);
    clg_step_int(step, problem->k);
    clg_step_int(step, p->tile_k);
    clg_step_matrix(step, CLG_B);
    clg_step_long(step, b->offset);
    clg_step_long(step, b->ld);
    clg_step_stride(step, problem, b->stride);
    clg_step_workspace(step, number);
    clg_step_stride(step, problem, size);
    clg_step_groups(step, problem);
    return number;
}

/* Where the main step writes: C, or the workspace of the slices, or of the sums of all blocks. */
static void add_result(struct clg_step *step, const struct clg_problem *problem,
                       const struct work *work, int slices) {
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

/* Adds the main step; `packed` is the workspace of B's panels, or -1, `slices` that of the slices
 * of k, or of the sums, or -1. */
static void add_main(struct clg_plan *plan, const struct clg_problem *problem,
                     const struct clg_params *p, const struct work *work, int packed, int slices) {
    const struct clg_matrix *a = &problem->matrix[CLG_A], *b = &problem->matrix[CLG_B];
    struct clg_params options = program_of(p);
    options.pack_b = p->pack_b;
    const int blocks = clg_plan_workspace(plan, work->block * work->groups);
    const int counters = clg_plan_counters(plan);
    char extra[64];
    snprintf(extra, sizeof extra, "-DA_ALONG_K=%d%s", a->transposed,
             slices >= 0 && clg_type_is_narrow(problem->type) ? " -DSUMS=1" : "");
    struct clg_step *step = clg_plan_step(plan, "panel", &options, extra);
    step->group_size = 1;
    step->groups = (uint64_t)work->groups;
    step->batch = 1; /* the groups share out the tiles of all products */
    clg_step_int(step, problem->m);
    clg_step_int(step, problem->n);
    clg_step_int(step, problem->k);
    clg_step_int(step, p->tile_k);
    clg_step_int(step, p->tile_m);
    clg_step_int(step, p->tile_n);
    clg_step_int(step, work->slice_k);
    clg_step_scalars(step, slices < 0);
    clg_step_matrix(step, CLG_A);
    clg_step_long(step, a->offset);
    clg_step_long(step, a->ld);
    clg_step_stride(step, problem, a->stride);
    if (packed < 0)
        clg_step_matrix(step, CLG_B);
    else
        clg_step_workspace(step, packed);
    clg_step_long(step, b->offset);
    clg_step_long(step, b->transposed ? b->ld : 1);
    clg_step_long(step, b->transposed ? 1 : b->ld);
    clg_step_stride(step, problem,
                    packed < 0 || b->stride == 0 ? b->stride : work->pad_n * problem->k);
    add_result(step, problem, work, slices);
    clg_step_workspace(step, blocks);
    clg_step_long(step, work->block);
    clg_step_workspace(step, counters);
    if (problem->batch > 1) {
        clg_step_int(step, problem->batch);
        clg_step_int(step, clg_ceil_div(work->tasks, work->groups * SHARES_PER_GROUP));
    }
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *p) {
    const struct work work = divide(problem, facts, p);
    int packed = -1, slices = -1;
    if (p->pack_b)
        packed = add_packing(plan, problem, p, &work);
    if (work.sums)
        slices = clg_plan_workspace(plan, clg_slice_stride(problem) * work.slices * problem->batch);
    add_main(plan, problem, p, &work, packed, slices);
    if (slices >= 0)
        clg_plan_reduce(plan, problem, facts, slices, work.slices);
}

/* Tiles are arguments of the kernel, and may be as wide as C: any m and n are alike. */
static struct clg_tile tile(const struct clg_params *p) {
    return (struct clg_tile){0, 0, p->tile_k};
}

const struct clg_family clg_family_panel = {
    .name = "panel",
    .chosen_for = "panels",
    .types = 1U << CLGEMM_F32 | 1U << CLGEMM_F64 | 1U << CLGEMM_F16 | 1U << CLGEMM_BF16,
    .strict = true,
    .schemes = 1U << CLG_SCHEME_PACKED,
    .unsupported_reason = unsupported_reason,
    .rows = rows,
    .parameters = parameters,
    .plan = plan,
    .tile = tile,
    .axes = &clg_panel_axes,
    .scheme = clg_panel_scheme,
    .describe = clg_panel_describe,
};
