/* SPDX-License-Identifier: Apache-2.0
 * The tiled family's built-in parameters, and a model of the time that each takes. */
#include "gemm/tiled_model.h"

#include <math.h>

#include "base/checked.h"

/* What was measured of a row. */
struct cost {
    float fixed_us;   /* before and after the steps */
    int resident;     /* groups that fit a compute unit */
    float step_ns[3]; /* with one group on the unit, with two, with as many as fit */
    float scalar;     /* share that reading both operands in scalars adds to the steps */
};

/* X(tile m, n, k, work-items m, n, k, lanes m, n, vectors a, b, stages, fixed, resident, steps,
 * scalar), the larger tiles first */
#define WIDE_ROWS(X)                                                           \
    X(128, 256, 16, 8, 32, 1, 4, 8, 4, 4, 2, 7.4F, 1, 2582, 5164, 2582, 0.51F) \
    X(256, 128, 16, 32, 8, 1, 8, 4, 4, 4, 2, 7.3F, 1, 2558, 5117, 2558, 0.36F) \
    X(128, 128, 16, 16, 8, 1, 8, 4, 4, 4, 2, 6.3F, 2, 2348, 2566, 2566, 0.46F) \
    X(128, 128, 16, 16, 8, 2, 8, 4, 4, 4, 2, 6.2F, 1, 1288, 2575, 1288, 0.14F) \
    X(128, 64, 16, 16, 8, 2, 8, 4, 4, 4, 2, 4.6F, 1, 726, 1453, 726, 0.08F)    \
    X(64, 128, 16, 8, 16, 2, 8, 4, 4, 4, 2, 4.8F, 1, 739, 1479, 739, 0.18F)    \
    X(64, 64, 16, 8, 8, 2, 8, 4, 4, 4, 2, 4.1F, 3, 412, 724, 1062, 0.28F)      \
    X(64, 64, 32, 8, 8, 4, 8, 4, 4, 4, 2, 4.7F, 1, 753, 1505, 753, 0.24F)      \
    X(64, 64, 16, 16, 8, 1, 8, 4, 4, 4, 2, 3.8F, 4, 492, 839, 1597, 0.11F)     \
    X(64, 32, 16, 8, 8, 1, 8, 4, 4, 4, 2, 3.7F, 7, 501, 584, 1648, 0.09F)      \
    X(64, 32, 16, 8, 8, 2, 8, 4, 4, 4, 2, 3.3F, 4, 298, 496, 955, 0.18F)       \
    X(32, 64, 16, 8, 8, 2, 8, 4, 4, 4, 2, 3.3F, 4, 280, 452, 869, 0.24F)       \
    X(64, 32, 32, 8, 8, 4, 8, 4, 4, 4, 2, 4.0F, 2, 481, 920, 920, 0.43F)       \
    X(32, 64, 32, 8, 8, 4, 8, 4, 4, 4, 2, 4.2F, 2, 452, 852, 852, 0.57F)       \
    X(32, 32, 32, 8, 8, 4, 8, 4, 4, 4, 2, 3.4F, 3, 329, 582, 859, 0.27F)       \
    X(128, 16, 32, 32, 4, 1, 32, 1, 4, 4, 2, 2.7F, 3, 1029, 1371, 1972, 0.04F) \
    X(16, 64, 32, 4, 16, 4, 4, 8, 4, 4, 2, 3.6F, 2, 354, 643, 643, 0.42F)      \
    X(64, 16, 32, 16, 4, 2, 16, 2, 4, 4, 2, 3.1F, 5, 406, 720, 1728, 0.03F)    \
    X(128, 8, 32, 32, 4, 1, 32, 1, 4, 2, 2, 2.8F, 4, 571, 1021, 2085, 0.04F)   \
    X(8, 128, 32, 4, 32, 1, 4, 8, 2, 4, 2, 5.0F, 3, 644, 1080, 1555, 0.42F)    \
    X(32, 16, 32, 8, 4, 4, 8, 4, 4, 4, 2, 3.1F, 6, 302, 455, 1291, 0.00F)      \
    X(16, 32, 32, 4, 8, 4, 4, 8, 4, 4, 2, 3.1F, 6, 277, 358, 1004, 0.35F)      \
    X(128, 4, 64, 32, 2, 2, 32, 1, 4, 2, 2, 3.2F, 2, 738, 1369, 1369, 0.63F)   \
    X(4, 128, 32, 2, 32, 1, 2, 16, 2, 4, 2, 5.0F, 4, 525, 672, 1247, 2.49F)

/* Measured roughly, on PoCL, where a group is a task of one core. Small register tiles: where LLVM
 * leaves a loop over a private array rolled, PoCL 3.1 compiles for half a minute and the kernel
 * gives NaN (seen with 16 x 16 sums and with shares of 64). */
#define CPU_ROWS(X)                                                      \
    X(32, 32, 16, 8, 8, 1, 0, 0, 4, 4, 1, 20, 1, 1300, 2600, 1300, 0.1F) \
    X(16, 16, 8, 4, 4, 1, 0, 0, 2, 2, 1, 20, 1, 340, 680, 340, 0.1F)

#define PARAMS(tm, tn, tk, wm, wn, wk, lm, ln, va, vb, depth, fixed, fit, one, two, full, scalars) \
    {.tile_m = (tm),                                                                               \
     .tile_n = (tn),                                                                               \
     .tile_k = (tk),                                                                               \
     .wg_m = (wm),                                                                                 \
     .wg_n = (wn),                                                                                 \
     .wg_k = (wk),                                                                                 \
     .lanes_m = (lm),                                                                              \
     .lanes_n = (ln),                                                                              \
     .vec_a = (va),                                                                                \
     .vec_b = (vb),                                                                                \
     .stages = (depth),                                                                            \
     .band_m = 8},
#define COST(tm, tn, tk, wm, wn, wk, lm, ln, va, vb, depth, fixed, fit, one, two, full, scalars) \
    {fixed, fit, {one, two, full}, scalars},

static const struct clg_params wide_rows[] = {WIDE_ROWS(PARAMS)}, cpu_rows[] = {CPU_ROWS(PARAMS)};
static const struct cost wide_costs[] = {WIDE_ROWS(COST)}, cpu_costs[] = {CPU_ROWS(COST)};

/* Further launches, and a unit's share of traffic in bytes a microsecond: to and fro between
 * kernels, and at best from memory. */
static const double launch_us = 2.5, traffic = 1.9e4, bandwidth = 3.2e4;

const struct clg_params *clg_tiled_rows(enum clg_device_kind kind, size_t *count) {
    const bool cpu = kind == CLG_DEVICE_CPU;
    *count = cpu ? sizeof cpu_rows / sizeof *cpu_rows : sizeof wide_rows / sizeof *wide_rows;
    return cpu ? cpu_rows : wide_rows;
}

/* Nanoseconds of a step with `groups` on the unit: lines through what was measured. */
static double step_ns(const struct cost *cost, int64_t groups) {
    if (groups == 0)
        return 0;
    if (groups == cost->resident)
        return cost->step_ns[2];
    if (groups == 1)
        return cost->step_ns[0];
    const double slope = (cost->step_ns[2] - cost->step_ns[1]) / (cost->resident - 2);
    return cost->step_ns[1] + slope * (double)(groups - 2);
}

static int64_t units_of(const struct clg_facts *facts) {
    return facts->compute_units ? facts->compute_units : 1;
}

double clg_tiled_time(const struct clg_problem *problem, const struct clg_facts *facts,
                      size_t index, int64_t k_slice, int scalars) {
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    const struct clg_params *row = cpu ? &cpu_rows[index] : &wide_rows[index];
    const struct cost *cost = cpu ? &cpu_costs[index] : &wide_costs[index];
    const int64_t slices = clg_ceil_div(problem->k, k_slice);
    const int64_t groups =
        clg_ceil_div(problem->m, row->tile_m) * clg_ceil_div(problem->n, row->tile_n) * slices;
    const int64_t units = units_of(facts), a_unit = clg_ceil_div(groups, units);
    const int64_t rounds = a_unit / cost->resident;
    const double m = (double)problem->m, n = (double)problem->n, k = (double)problem->k;
    const double steps =
        (double)clg_ceil_div(k_slice, row->tile_k) * 1e-3 *
        ((double)rounds * step_ns(cost, cost->resident) + step_ns(cost, a_unit % cost->resident));
    const double memory = (m * k + k * n + m * n) * sizeof(float) / (bandwidth * (double)units);
    double us = cost->fixed_us + hypot(steps * (1 + 0.5 * scalars * cost->scalar), memory);
    if (slices > 1)
        us += launch_us + (double)(slices + 1) * m * n * sizeof(float) / (traffic * (double)units);
    return us;
}

double clg_tiled_pack_us(const struct clg_reading *reading, const struct clg_facts *facts) {
    const double bytes = (double)reading->outer * (double)reading->depth * sizeof(float);
    return launch_us + 2 * bytes / (traffic * (double)units_of(facts));
}
