/* SPDX-License-Identifier: Apache-2.0
 * The tiled family: tiles of A and B in local memory, a tile of C in registers (kernels/tiled.cl).
 *
 * Operands are read in place in all four transposes. One that cannot be read in vectors, since its
 * columns are not aligned, is read in scalars, or packed first (kernels/pack.cl), as the model
 * says.
 */
#include <stdio.h>

#include "base/checked.h"
#include "gemm/family.h"
#include "gemm/reduce.h"
#include "gemm/tiled.h"
#include "gemm/tiled_model.h"

enum { PACK_SIDE = 32, PACK_GROUP = 256, JOIN_GROUP = 128 }; /* as pack.cl, join.cl have them */

enum { VECTOR = CLG_TILED_VECTOR };

static uint64_t local_bytes(const struct clg_params *p) {
    const int64_t rows_a = p->private_a ? 0 : (int64_t)p->tile_m + p->pad_local;
    const int64_t rows_b = p->private_b ? 0 : (int64_t)p->tile_n + p->pad_local;
    return (uint64_t)((rows_a + rows_b) * p->tile_k * p->stages) * sizeof(float);
}

static int sets(const struct clg_params *p) {
    return p->wg_k > 1 ? p->wg_k : 1;
}

static int64_t group_size(const struct clg_params *p) {
    return (int64_t)p->wg_m * p->wg_n * sets(p);
}

/* Whether the sums of half the sets, of a fragment's columns at a time, fit the larger tile, by
 * which the kernel adds them up. */
static bool sums_fit(const struct clg_params *p) {
    const int columns = p->tile_n / p->wg_n, outer = p->tile_m > p->tile_n ? p->tile_m : p->tile_n;
    const int fragment = columns % 4 == 0 ? 4 : columns % 2 == 0 ? 2 : 1;
    return (int64_t)sets(p) / 2 * p->tile_m * p->wg_n * fragment <=
           (int64_t)p->stages * p->tile_k * outer;
}

/* Whether the group's work-items share a tile of `outer` x TILE_K evenly in vectors of `vec`. */
static bool shares_evenly(const struct clg_params *p, int outer, int vec) {
    return vec > 0 && outer % vec == 0 && p->tile_k % vec == 0 &&
           (int64_t)outer * p->tile_k % (vec * group_size(p)) == 0;
}

/* The same where the operand has such a tile; else only that there is such a vector. */
static bool reads_evenly(const struct clg_params *p, int outer, int vec, int is_private) {
    return is_private ? vec == 1 || vec == 2 || vec == VECTOR : shares_evenly(p, outer, vec);
}

/* Which ways of A and B kernels/tiled_ways.h has, or NULL. */
static const char *ways_why_not(const struct clg_params *p) {
    if (p->private_a > 1 || p->private_b > 1 || p->in_place > 1)
        return "PRIVATE_A, PRIVATE_B or IN_PLACE is neither 0 nor 1";
    if (p->in_place && (p->private_a || p->private_b))
        return "an operand cannot be private and in place";
    if (sets(p) > 1 && (p->private_a || p->private_b))
        return "sets add up in the tiles of both operands";
    if (p->private_a && p->private_b && (p->stages != 1 || p->pad_local))
        return "there is no local tile to have two of, or to pad";
    return NULL;
}

const char *clg_tiled_pack_why_not(const struct clg_problem *problem,
                                   const struct clg_facts *facts) {
    const int64_t outer = problem->m > problem->n ? problem->m : problem->n;
    const double bytes = (double)clg_round_up(outer, VECTOR) * (double)problem->k * sizeof(float);
    const double both =
        (double)(clg_round_up(problem->m, VECTOR) + clg_round_up(problem->n, VECTOR)) *
        (double)problem->k * sizeof(float);
    if (bytes > (double)facts->max_allocation ||
        both > clg_workspace_room(problem, facts) * (1 - CLG_TILED_SLICES_SHARE))
        return "a packed operand does not fit the device's memory";
    return clg_group_why_not(facts, PACK_GROUP);
}

const char *clg_tiled_why_not(const struct clg_problem *problem, const struct clg_facts *facts,
                              const struct clg_params *p) {
    const int64_t most = INT32_MAX - 4096; /* indices of rows past the last tile stay ints */
    const int lanes_m = p->lanes_m ? p->lanes_m : p->wg_m, lanes_n = p->lanes_n ? p->lanes_n : 1;
    if (p->tile_m <= 0 || p->tile_n <= 0 || p->tile_k <= 0 || p->wg_m <= 0 || p->wg_n <= 0 ||
        p->band_m <= 0)
        return "a size is missing";
    if (p->stages != 1 && p->stages != 2)
        return "STAGES is neither 1 nor 2";
    if (p->tile_k < 2 || (p->tile_k & (p->tile_k - 1)))
        return "TILE_K is no power of two";
    if (p->tile_m % p->wg_m || p->tile_n % p->wg_n)
        return "a tile of C is not shared evenly by the work-items";
    if ((sets(p) & (sets(p) - 1)) || p->tile_k / sets(p) < 2)
        return "TILE_K is not shared evenly by a power of two of sets";
    if (!sums_fit(p))
        return "the sums of the sets do not fit a local tile";
    if (p->wg_m % lanes_m || p->wg_n % lanes_n)
        return "a group is not made of whole patches of lanes";
    const char *why = ways_why_not(p);
    if (why)
        return why;
    if (!reads_evenly(p, p->tile_m, p->vec_a, p->private_a) ||
        !reads_evenly(p, p->tile_n, p->vec_b, p->private_b))
        return "a tile of A or B is not shared evenly by the work-items";
    if (p->pad_local % VECTOR || p->tile_m % VECTOR || p->tile_n % VECTOR)
        return "rows of a local tile are not aligned to vectors";
    if (local_bytes(p) > facts->local_memory)
        return "the tiles do not fit local memory";
    if (problem->m > most || problem->n > most || problem->k > most)
        return "a dimension passes 2^31";
    if (clg_ceil_div(problem->m, p->tile_m) * clg_ceil_div(problem->n, p->tile_n) >
        most / (p->split_k > 1 ? p->split_k : 1))
        return "there are more than 2^31 tiles";
    why = clg_tiled_cut_why_not(problem, facts, p);
    if (!why && (p->pack_a || p->pack_b))
        why = clg_tiled_pack_why_not(problem, facts);
    return why ? why : clg_group_why_not(facts, group_size(p));
}

/* Along m or n the last vector may reach past the matrix, if what is there may be read; along k
 * the kernel looks at single elements where the matrix ends. */
static struct clg_reading read_in_place(const struct clg_matrix *matrix, bool along_k,
                                        int64_t outer, int64_t depth, int wanted) {
    int vec = (int)matrix->vector < wanted ? (int)matrix->vector : wanted;
    while (!along_k && vec > 1 && clg_round_up(outer, vec) > matrix->readable)
        vec /= 2;
    return (struct clg_reading){.along_k = along_k,
                                .vec = vec,
                                .wanted = wanted,
                                .outer = outer,
                                .depth = depth,
                                .ld = matrix->ld,
                                .offset = matrix->offset,
                                .workspace = -1};
}

struct clg_reading clg_tiled_read_a(const struct clg_problem *problem, const struct clg_params *p) {
    return read_in_place(&problem->a, problem->a.transposed, problem->m, problem->k, p->vec_a);
}

struct clg_reading clg_tiled_read_b(const struct clg_problem *problem, const struct clg_params *p) {
    return read_in_place(&problem->b, !problem->b.transposed, problem->n, problem->k, p->vec_b);
}

/* Adds the packing of an operand, and turns its reading into that of the packed copy: consecutive
 * along `outer`, padded to vectors. */
static void pack(struct clg_plan *plan, enum clg_arg_kind kind, struct clg_reading *reading) {
    const int64_t outer = clg_round_up(reading->outer, VECTOR), depth = reading->depth;
    const int number = clg_plan_workspace(plan, (uint64_t)(outer * depth) * sizeof(float));
    struct clg_step *step =
        clg_plan_step(plan, "pack", NULL, reading->along_k ? "-DALONG_K=1" : "-DALONG_K=0");
    step->group_size = PACK_GROUP;
    step->groups =
        (uint64_t)clg_ceil_div(outer, PACK_SIDE) * (uint64_t)clg_ceil_div(depth, PACK_SIDE);
    clg_step_int(step, reading->outer);
    clg_step_int(step, depth);
    clg_step_arg(step, kind);
    clg_step_long(step, reading->offset);
    clg_step_long(step, reading->ld);
    clg_step_int(step, outer);
    clg_step_workspace(step, number);
    reading->along_k = false;
    reading->vec = reading->wanted;
    reading->ld = outer;
    reading->offset = 0;
    reading->workspace = number;
}

static void add_operand(struct clg_step *step, enum clg_arg_kind kind,
                        const struct clg_reading *reading) {
    if (reading->workspace < 0)
        clg_step_arg(step, kind);
    else
        clg_step_workspace(step, reading->workspace);
    clg_step_long(step, reading->offset);
    clg_step_long(step, reading->ld);
}

/* Whether offsets inside a tile of the operand pass an int. */
static bool is_far(const struct clg_reading *reading, int tile, int tile_k) {
    return (double)reading->ld * (reading->along_k ? tile : tile_k) + tile > INT32_MAX;
}

/* Where the tiles that are cut go. */
struct parts {
    int workspace; /* -1: none is cut */
    int64_t ld;
    int64_t stride; /* from slice to slice of all C; 0: blocks of a tile */
};

static struct parts plan_parts(struct clg_plan *plan, const struct clg_problem *problem,
                               const struct clg_params *p, const struct clg_cut *cut) {
    struct parts parts = {.workspace = -1};
    if (cut->slices > 1 && p->split_tail > 1) {
        parts.ld = p->tile_m;
        parts.workspace = clg_plan_workspace(plan, clg_tiled_tail_bytes(cut, p));
    } else if (cut->slices > 1) {
        parts.ld = clg_slice_ld(problem);
        parts.stride = clg_slice_stride(problem);
        parts.workspace =
            clg_plan_workspace(plan, (uint64_t)(parts.stride * cut->slices) * sizeof(float));
    }
    return parts;
}

static void add_main(struct clg_plan *plan, const struct clg_problem *problem,
                     const struct clg_params *p, const struct clg_reading *a,
                     const struct clg_reading *b, const struct clg_cut *cut,
                     const struct parts *parts) {
    struct clg_params read = *p;
    const bool no_c = cut->whole == 0;
    read.vec_a = a->vec;
    read.vec_b = b->vec;
    /* The program is the same with any of them. */
    read.split_k = read.split_tail = read.pack_a = read.pack_b = 0;
    char extra[128];
    snprintf(extra, sizeof extra, "-DA_ALONG_K=%d -DB_ALONG_K=%d -DEDGE_C=%d -DVEC_C=%d%s",
             a->along_k, b->along_k, problem->m % p->tile_m || problem->n % p->tile_n,
             no_c ? VECTOR : (int)problem->c.vector,
             is_far(a, p->tile_m, p->tile_k) || is_far(b, p->tile_n, p->tile_k) ? " -DLONG_INDEX"
                                                                                : "");
    struct clg_step *step = clg_plan_step(plan, "tiled", &read, extra);
    step->group_size = (uint64_t)group_size(p);
    step->groups = (uint64_t)(cut->whole + (cut->tiles - cut->whole) * cut->slices);
    clg_step_int(step, problem->m);
    clg_step_int(step, problem->n);
    clg_step_int(step, problem->k);
    clg_step_float(step, problem->alpha);
    clg_step_float(step, problem->beta);
    add_operand(step, CLG_ARG_A, a);
    add_operand(step, CLG_ARG_B, b);
    if (no_c)
        clg_step_workspace(step, parts->workspace);
    else
        clg_step_arg(step, CLG_ARG_C);
    clg_step_long(step, problem->c.offset);
    clg_step_long(step, problem->c.ld);
    clg_step_int(step, cut->whole);
    clg_step_int(step, cut->depth);
    if (parts->workspace < 0)
        clg_step_arg(step, CLG_ARG_C); /* unused */
    else
        clg_step_workspace(step, parts->workspace);
    clg_step_long(step, parts->ld);
    clg_step_long(step, parts->stride);
}

static void add_join(struct clg_plan *plan, const struct clg_problem *problem,
                     const struct clg_params *p, const struct clg_cut *cut, int workspace) {
    char options[64];
    snprintf(options, sizeof options, "-DTILE_M=%d -DTILE_N=%d -DBAND_M=%d", p->tile_m, p->tile_n,
             p->band_m);
    struct clg_step *step = clg_plan_step(plan, "join", NULL, options);
    const int64_t quads = (cut->tiles - cut->whole) * p->tile_m * p->tile_n / VECTOR;
    step->group_size = JOIN_GROUP;
    step->groups = (uint64_t)clg_ceil_div(quads, JOIN_GROUP);
    clg_step_int(step, problem->m);
    clg_step_int(step, problem->n);
    clg_step_float(step, problem->alpha);
    clg_step_float(step, problem->beta);
    clg_step_workspace(step, workspace);
    clg_step_int(step, cut->slices);
    clg_step_int(step, cut->whole);
    clg_step_arg(step, CLG_ARG_C);
    clg_step_long(step, problem->c.offset);
    clg_step_long(step, problem->c.ld);
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *p) {
    struct clg_reading a = clg_tiled_read_a(problem, p), b = clg_tiled_read_b(problem, p);
    const struct clg_cut cut = clg_tiled_cut(problem, facts, p);
    if (p->pack_a && a.vec < a.wanted)
        pack(plan, CLG_ARG_A, &a);
    if (p->pack_b && b.vec < b.wanted)
        pack(plan, CLG_ARG_B, &b);
    const struct parts parts = plan_parts(plan, problem, p, &cut);
    add_main(plan, problem, p, &a, &b, &cut, &parts);
    if (cut.slices > 1 && p->split_tail > 1)
        add_join(plan, problem, p, &cut, parts.workspace);
    else if (cut.slices > 1)
        clg_plan_reduce(plan, problem, facts, parts.workspace, cut.slices);
}

const struct clg_family clg_family_tiled = {
    .name = "tiled",
    .chosen_for = "tiles",
    .why_not = clg_tiled_why_not,
    .rows = clg_tiled_rows,
    .parameters = clg_tiled_choose,
    .ranked = clg_tiled_rank,
    .carries_over = clg_tiled_carries_over,
    .plan = plan,
};
