/* SPDX-License-Identifier: Apache-2.0
 * The thin family's built-in parameters, the choice among them, and the model of its time. */
#include <math.h>

#include "base/checked.h"
#include "gemm/thin/thin.h"
#include "gemm/tiled/tiled.h"

/* X(outer, few, TILE_K, work-items along the outer side, work-items along k, UNROLL_K, least k,
 * most bytes of a sum). Each makes two rows: A is the wide operand in one and B in the other.
 * Measured on an H100 and an H200 (docs/log). */
#define ACROSS_ROWS(X)                \
    X(64, 1, 2048, 16, 16, 8, 256, 8) \
    X(256, 1, 2048, 32, 8, 4, 16, 8)  \
    X(64, 2, 1024, 16, 16, 8, 256, 8) \
    X(64, 4, 512, 16, 16, 8, 256, 8)
#define ALONG_ROWS(X)                 \
    X(8, 1, 2048, 4, 64, 16, 2048, 4) \
    X(16, 1, 2048, 8, 32, 8, 256, 8)  \
    X(16, 2, 1024, 8, 32, 16, 512, 4) \
    X(16, 2, 1024, 8, 32, 8, 256, 8)  \
    X(16, 4, 512, 8, 32, 8, 256, 8)   \
    X(32, 8, 256, 8, 32, 4, 256, 4)

#define PARAMS(tm, tn, tk, wm, wn, wk, steps)                                                     \
    {                                                                                             \
        .tile_m = (tm), .tile_n = (tn), .tile_k = (tk), .wg_m = (wm), .wg_n = (wn), .wg_k = (wk), \
        .unroll_k = (steps), .vec_a = CLG_WIDEST_VECTOR, .vec_b = CLG_WIDEST_VECTOR               \
    }
#define BOTH(outer, few, tk, items, wk, steps, k, bytes) \
    PARAMS(outer, few, tk, items, 1, wk, steps), PARAMS(few, outer, tk, 1, items, wk, steps),
#define USE(outer, few, tk, items, wk, steps, k, bytes) {k, bytes}, {k, bytes},

static const struct clg_params all_rows[] = {ACROSS_ROWS(BOTH) ALONG_ROWS(BOTH)};
static const struct { int least_k, most_bytes; } uses[] = {ACROSS_ROWS(USE) ALONG_ROWS(USE)};
enum { ACROSS = sizeof((struct clg_params[]){ACROSS_ROWS(BOTH)}) / sizeof(struct clg_params) };

const struct clg_params *clg_thin_rows(enum clg_device_kind kind, size_t *count) {
    *count = kind == CLG_DEVICE_CPU ? 0 : sizeof all_rows / sizeof *all_rows;
    return all_rows;
}

/* Whether the row is faster than other families for such a problem. If the wide operand runs across
 * k and is read in single elements, each has its own address, for which there are no registers left
 * with more than two of the few. Along k, many single elements are slower than a few. A short k
 * needs many tiles. */
static bool suits(const struct clg_problem *problem, const struct clg_facts *facts, size_t index) {
    enum { SHORT = 256, MOST_FEW_SCALARS = 2, MOST_STEPS_SCALARS = 8 };
    const struct clg_thin_sides sides = clg_thin_sides_of(problem, &all_rows[index]);
    const int64_t tiles = sides.outer / sides.outer_tile * problem->batch;
    if (sides.few > sides.few_tile || sides.outer <= sides.few ||
        sides.along_k != (index >= ACROSS) || problem->k < uses[index].least_k ||
        clg_type_real_size(problem->type) > (size_t)uses[index].most_bytes)
        return false;
    if (sides.vec < (int)clg_type_vector(problem->type) &&
        (sides.along_k ? all_rows[index].unroll_k > MOST_STEPS_SCALARS
                       : sides.few > MOST_FEW_SCALARS))
        return false;
    return problem->k >= SHORT || tiles >= clg_tiled_units(facts);
}

/* As many slices as give each unit two groups, or one if sums are doubles, but each slice must be
 * several times the steps that a group takes at a time. More slices are slower to add up. */
static int slices_for(const struct clg_problem *problem, const struct clg_facts *facts,
                      const struct clg_params *row) {
    enum { BYTES_A_UNIT = 8, LEAST_STEPS = 8, MOST_SLICES = 256 };
    const struct clg_thin_sides sides = clg_thin_sides_of(problem, row);
    const int64_t tiles = clg_ceil_div(sides.outer, sides.outer_tile) * problem->batch;
    const int64_t groups =
        clg_tiled_units(facts) * BYTES_A_UNIT / (int64_t)clg_type_real_size(problem->type);
    const int64_t most = problem->k / (LEAST_STEPS * clg_thin_steps(row));
    const int64_t wanted = groups / tiles < most ? groups / tiles : most;
    return wanted < 2 ? 0 : wanted < MOST_SLICES ? (int)wanted : MOST_SLICES;
}

bool clg_thin_choose(const struct clg_problem *problem, const struct clg_facts *facts,
                     struct clg_params *out) {
    size_t count;
    clg_thin_rows(facts->kind, &count);
    for (size_t i = 0; i < count; i++) {
        if (!suits(problem, facts, i))
            continue;
        *out = all_rows[i];
        out->split_k = slices_for(problem, facts, out);
        if (!clg_thin_unsupported_reason(problem, facts, out))
            return true;
    }
    return false;
}

/* The time of a launch, and a unit's part of the memory's bandwidth, as in tiled's model. */
static const double fixed_us = 4.2, least_us = 5.2, bandwidth = 3e4;

double clg_thin_us(const struct clg_problem *problem, const struct clg_facts *facts) {
    struct clg_params unused;
    double elements = 0;
    if (!clg_family_parameters(&clg_family_thin, problem, facts, &unused))
        return HUGE_VAL;
    for (int i = 0; i < CLG_MATRICES; i++)
        elements += (double)problem->matrix[i].rows * (double)problem->matrix[i].cols *
                    (double)clg_problem_matrices(problem, i);
    const double bytes = elements * (double)clg_type_size(problem->type);
    return fmax(least_us, fixed_us + bytes / (bandwidth * (double)clg_tiled_units(facts)));
}
