/* SPDX-License-Identifier: Apache-2.0
 * The tiled family: tiles of A and B in local memory, a tile of C in registers (kernels/tiled.cl).
 *
 * Operands are read in place in all four transposes. One whose columns are not aligned for vector
 * loads is first packed (kernels/pack.cl) into an aligned, zero-padded copy, but only where it is
 * read often enough to pay for that; otherwise it is read in scalars with predicated edges. */
#include <stdio.h>

#include "base/checked.h"
#include "gemm/family.h"

/* An operand is read once per tile of C across it. Packing costs a launch, a buffer and about one
 * read and one write of it, scalar loads a few instructions at each read; from here on packing is
 * the cheaper of the two, as measured on an H200 (docs/results.md). */
enum { PACK_MIN_READS = 32 };

enum { PACK_GROUP_SIDE = 16, PACK_GROUP = PACK_GROUP_SIDE * PACK_GROUP_SIDE };

static uint64_t local_bytes(const struct clg_params *p) {
    const int64_t rows = (int64_t)p->tile_m + p->tile_n + 2 * (int64_t)p->pad_local;
    return (uint64_t)(rows * p->tile_k * p->stages) * sizeof(float);
}

/* Whether the group's work-items share a tile of `outer` x TILE_K evenly in vectors of `vec`. */
static bool shares_evenly(const struct clg_params *p, int outer, int vec) {
    return vec > 0 && outer % vec == 0 && p->tile_k % vec == 0 &&
           (outer * p->tile_k) % (vec * p->wg_m * p->wg_n) == 0;
}

static const char *why_not(const struct clg_problem *problem, const struct clg_facts *facts,
                           const struct clg_params *p) {
    const int64_t most = INT32_MAX - 4096; /* indices of rows past the last tile stay ints */
    if (p->wg_m <= 0 || p->wg_n <= 0 || p->tile_k <= 0 || p->band_m <= 0)
        return "a size is missing";
    if (p->stages != 1 && p->stages != 2)
        return "STAGES is neither 1 nor 2";
    if (p->tile_m % p->wg_m || p->tile_n % p->wg_n)
        return "a tile of C is not shared evenly by the work-items";
    if (!shares_evenly(p, p->tile_m, p->vec_a) || !shares_evenly(p, p->tile_n, p->vec_b))
        return "a tile of A or B is not shared evenly by the work-items";
    if (p->pad_local % 4 || p->tile_m % 4 || p->tile_n % 4)
        return "rows of a local tile are not aligned to vectors";
    if (local_bytes(p) > facts->local_memory)
        return "the tiles do not fit local memory";
    if (problem->m > most || problem->n > most || problem->k > most)
        return "a dimension passes 2^31";
    if (clg_ceil_div(problem->m, p->tile_m) * clg_ceil_div(problem->n, p->tile_n) > most)
        return "there are more than 2^31 tiles";
    return clg_group_why_not(facts, (int64_t)p->wg_m * p->wg_n);
}

static const struct clg_params *rows(enum clg_device_kind kind, size_t *count) {
#define ROW(tm, tn, tk, wm, wn, vec, pad, depth, band)                                          \
    {                                                                                           \
        .tile_m = (tm), .tile_n = (tn), .tile_k = (tk), .wg_m = (wm), .wg_n = (wn),             \
        .vec_a = (vec), .vec_b = (vec), .pad_local = (pad), .stages = (depth), .band_m = (band) \
    }
    static const struct clg_params wide[] = {
        ROW(128, 128, 16, 16, 16, 4, 4, 2, 8),
        ROW(64, 64, 16, 16, 16, 4, 4, 2, 8),
        ROW(32, 32, 16, 8, 8, 4, 4, 2, 8),
        ROW(16, 16, 8, 4, 4, 2, 0, 1, 8),
    };
    /* Small register tiles: where LLVM leaves a loop over a private array rolled, PoCL 3.1 compiles
     * for half a minute and the kernel gives NaN (seen with 16 x 16 sums and with shares of 64). */
    static const struct clg_params cpu[] = {
        ROW(32, 32, 16, 8, 8, 4, 0, 1, 8),
        ROW(16, 16, 8, 4, 4, 2, 0, 1, 8),
    };
#undef ROW
    *count = kind == CLG_DEVICE_CPU ? sizeof cpu / sizeof cpu[0] : sizeof wide / sizeof wide[0];
    return kind == CLG_DEVICE_CPU ? cpu : wide;
}

/* The largest tiles that still give every compute unit one; of those that fit, else the smallest.
 */
static const struct clg_params *parameters(const struct clg_problem *problem,
                                           const struct clg_facts *facts) {
    size_t count;
    const struct clg_params *all = rows(facts->kind, &count), *fitting = NULL;
    for (size_t i = 0; i < count; i++) {
        if (why_not(problem, facts, &all[i]))
            continue;
        if (fitting && (problem->m < all[i].tile_m / 2 || problem->n < all[i].tile_n / 2))
            break;
        fitting = &all[i];
        if (clg_ceil_div(problem->m, fitting->tile_m) * clg_ceil_div(problem->n, fitting->tile_n) >=
            facts->compute_units)
            break;
    }
    return fitting;
}

/* How the main kernel reads one operand. `outer` is m for A and n for B. */
struct reading {
    bool along_k; /* consecutive elements run along k */
    bool edge;    /* tiles may reach past the matrix */
    int vec;
    int64_t outer, depth, ld, offset;
    int workspace; /* number, or -1: read in place */
};

static struct reading read_in_place(const struct clg_matrix *matrix, bool along_k, int64_t outer,
                                    int64_t depth, bool edge, int vec) {
    return (struct reading){.along_k = along_k,
                            .edge = edge,
                            .vec = (int)matrix->vector < vec ? (int)matrix->vector : vec,
                            .outer = outer,
                            .depth = depth,
                            .ld = matrix->ld,
                            .offset = matrix->offset,
                            .workspace = -1};
}

/* Adds the packing of an operand, and turns its reading into that of the packed copy: consecutive
 * along `outer`, padded to whole tiles. */
static void pack(struct clg_plan *plan, enum clg_arg_kind kind, struct reading *reading, int tile,
                 int tile_k, int vec) {
    const int64_t outer = clg_round_up(reading->outer, tile);
    const int64_t depth = clg_round_up(reading->depth, tile_k);
    const int number = clg_plan_workspace(plan, (uint64_t)(outer * depth) * sizeof(float));
    struct clg_step *step =
        clg_plan_step(plan, "pack", NULL, reading->along_k ? "-DALONG_K=1" : "-DALONG_K=0");
    step->group_size = PACK_GROUP;
    step->groups = (uint64_t)clg_ceil_div(outer, PACK_GROUP_SIDE) *
                   (uint64_t)clg_ceil_div(depth, PACK_GROUP_SIDE);
    clg_step_int(step, reading->outer);
    clg_step_int(step, reading->depth);
    clg_step_arg(step, kind);
    clg_step_long(step, reading->offset);
    clg_step_long(step, reading->ld);
    clg_step_int(step, outer);
    clg_step_int(step, depth);
    clg_step_workspace(step, number);
    *reading = (struct reading){
        .vec = vec, .outer = outer, .depth = depth, .ld = outer, .workspace = number};
}

static bool packing_pays(const struct reading *reading, int wanted, int64_t reads,
                         const struct clg_facts *facts) {
    const double bytes = (double)reading->outer * (double)reading->depth * sizeof(float);
    return reading->vec < wanted && reads >= PACK_MIN_READS &&
           bytes * 1.1 < (double)facts->max_allocation && !clg_group_why_not(facts, PACK_GROUP);
}

static void add_operand(struct clg_step *step, enum clg_arg_kind kind,
                        const struct reading *reading) {
    if (reading->workspace < 0)
        clg_step_arg(step, kind);
    else
        clg_step_workspace(step, reading->workspace);
    clg_step_long(step, reading->offset);
    clg_step_long(step, reading->ld);
    clg_step_int(step, reading->outer);
    clg_step_int(step, reading->depth);
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *p) {
    const int64_t tiles_m = clg_ceil_div(problem->m, p->tile_m);
    const int64_t tiles_n = clg_ceil_div(problem->n, p->tile_n);
    /* One answer for all matrices: each further kind of program is one more to compile. */
    const bool edge = problem->m % p->tile_m || problem->n % p->tile_n || problem->k % p->tile_k;
    struct reading a =
        read_in_place(&problem->a, problem->a.transposed, problem->m, problem->k, edge, p->vec_a);
    struct reading b =
        read_in_place(&problem->b, !problem->b.transposed, problem->n, problem->k, edge, p->vec_b);
    if (packing_pays(&a, p->vec_a, tiles_n, facts))
        pack(plan, CLG_ARG_A, &a, p->tile_m, p->tile_k, p->vec_a);
    if (packing_pays(&b, p->vec_b, tiles_m, facts))
        pack(plan, CLG_ARG_B, &b, p->tile_n, p->tile_k, p->vec_b);

    struct clg_params read = *p;
    read.vec_a = a.vec;
    read.vec_b = b.vec;
    char extra[128];
    snprintf(extra, sizeof extra,
             "-DA_ALONG_K=%d -DB_ALONG_K=%d -DEDGE_A=%d -DEDGE_B=%d -DEDGE_C=%d -DVEC_C=%u",
             a.along_k, b.along_k, a.edge, b.edge, edge, problem->c.vector);
    struct clg_step *step = clg_plan_step(plan, "tiled", &read, extra);
    step->group_size = (uint64_t)p->wg_m * (uint64_t)p->wg_n;
    step->groups = (uint64_t)(tiles_m * tiles_n);
    clg_step_int(step, problem->m);
    clg_step_int(step, problem->n);
    clg_step_int(step, problem->k);
    clg_step_float(step, problem->alpha);
    clg_step_float(step, problem->beta);
    add_operand(step, CLG_ARG_A, &a);
    add_operand(step, CLG_ARG_B, &b);
    clg_step_arg(step, CLG_ARG_C);
    clg_step_long(step, problem->c.offset);
    clg_step_long(step, problem->c.ld);
}

const struct clg_family clg_family_tiled = {"tiled", why_not, rows, parameters, plan};
