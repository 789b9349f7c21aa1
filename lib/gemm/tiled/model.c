/* SPDX-License-Identifier: Apache-2.0
 * The tiled family's built-in parameters, and a model of the time that each takes. */
#include "gemm/tiled/model.h"

#include <math.h>

#include "base/checked.h"

/* X(tile m, n, k, work-items m, n, k, lanes m, n, vectors a, b, stages, fixed, resident, steps,
 * scalar), the larger tiles first. The last two, not measured but reckoned from those above them,
 * are for thin matrices of doubles, of which the deeper tiles pass 48 KiB of local memory. */
#define WIDE_ROWS(X)                                                           \
    X(256, 128, 16, 32, 8, 1, 8, 4, 4, 4, 2, 6.9F, 1, 2554, 5108, 2554, 0.35F) \
    X(128, 256, 16, 8, 32, 1, 4, 8, 4, 4, 2, 6.9F, 1, 2598, 5195, 2598, 0.50F) \
    X(128, 128, 16, 16, 8, 1, 8, 4, 4, 4, 2, 6.2F, 2, 2390, 2630, 2630, 0.46F) \
    X(128, 128, 16, 16, 8, 2, 8, 4, 4, 4, 2, 5.4F, 1, 1330, 2660, 1330, 0.13F) \
    X(128, 64, 16, 16, 8, 2, 8, 4, 4, 4, 2, 4.3F, 1, 720, 1440, 720, 0.13F)    \
    X(64, 128, 16, 8, 16, 2, 8, 4, 4, 4, 2, 4.5F, 1, 722, 1445, 722, 0.19F)    \
    X(64, 64, 16, 8, 8, 2, 8, 4, 4, 4, 2, 3.9F, 3, 426, 728, 1066, 0.17F)      \
    X(64, 64, 32, 8, 8, 4, 8, 4, 4, 4, 2, 4.6F, 1, 737, 1475, 737, 0.28F)      \
    X(64, 64, 16, 16, 8, 1, 8, 4, 4, 4, 2, 3.7F, 4, 473, 848, 1620, 0.12F)     \
    X(64, 32, 16, 8, 8, 1, 8, 4, 4, 4, 2, 3.6F, 7, 421, 526, 1636, 0.27F)      \
    X(64, 32, 16, 8, 8, 2, 8, 4, 4, 4, 2, 3.2F, 4, 285, 487, 964, 0.23F)       \
    X(32, 64, 16, 8, 8, 2, 8, 4, 4, 4, 2, 3.3F, 4, 282, 455, 871, 0.23F)       \
    X(64, 32, 32, 8, 8, 4, 8, 4, 4, 4, 2, 3.9F, 2, 481, 922, 922, 0.43F)       \
    X(32, 64, 32, 8, 8, 4, 8, 4, 4, 4, 2, 3.9F, 2, 454, 853, 853, 0.57F)       \
    X(128, 16, 32, 32, 4, 1, 32, 1, 4, 4, 2, 2.9F, 3, 700, 1269, 1898, 0.12F)  \
    X(16, 128, 32, 4, 32, 1, 4, 8, 4, 4, 2, 4.7F, 2, 669, 1241, 1241, 0.52F)   \
    X(32, 32, 32, 8, 8, 4, 8, 4, 4, 4, 2, 3.3F, 3, 304, 565, 854, 0.28F)       \
    X(64, 16, 32, 16, 4, 2, 16, 2, 4, 4, 2, 3.0F, 5, 392, 729, 1732, 0.08F)    \
    X(16, 64, 32, 4, 16, 2, 4, 8, 4, 4, 2, 3.4F, 4, 360, 634, 1328, 0.49F)     \
    X(16, 64, 32, 4, 16, 4, 4, 8, 2, 4, 2, 3.5F, 2, 346, 618, 618, 0.48F)      \
    X(128, 8, 32, 32, 4, 1, 32, 1, 4, 2, 2, 2.8F, 4, 558, 1008, 2102, 0.03F)   \
    X(8, 128, 32, 4, 32, 1, 4, 8, 2, 4, 2, 5.0F, 3, 619, 1058, 1603, 0.40F)    \
    X(32, 16, 32, 8, 4, 4, 8, 4, 4, 4, 2, 3.0F, 6, 300, 445, 1305, 0.00F)      \
    X(16, 32, 32, 4, 8, 4, 4, 8, 4, 4, 2, 3.2F, 6, 256, 344, 1002, 0.34F)      \
    X(128, 4, 32, 32, 2, 1, 32, 1, 4, 2, 2, 2.9F, 4, 446, 726, 1354, 0.57F)    \
    X(4, 128, 32, 2, 32, 1, 2, 16, 2, 4, 2, 5.0F, 4, 523, 676, 1246, 2.46F)    \
    X(64, 4, 32, 16, 2, 1, 16, 2, 4, 2, 2, 2.9F, 8, 600, 1100, 3000, 0.57F)    \
    X(4, 64, 32, 2, 16, 1, 2, 16, 2, 4, 2, 5.0F, 8, 700, 1200, 2900, 2.46F)    \
    X(128, 4, 16, 32, 2, 1, 32, 1, 4, 1, 2, 2.9F, 4, 240, 390, 720, 0.57F)     \
    X(4, 128, 16, 2, 32, 1, 2, 16, 1, 4, 2, 5.0F, 4, 280, 360, 660, 2.46F)

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
    {fixed, 0, fit, {one, two, full}, scalars},

static const struct clg_params wide_rows[] = {WIDE_ROWS(PARAMS)}, cpu_rows[] = {CPU_ROWS(PARAMS)};
static const struct clg_tiled_cost wide_costs[] = {WIDE_ROWS(COST)}, cpu_costs[] = {CPU_ROWS(COST)};

/* Launching the reduction, and a packing; letting several steps write C; and a unit's share of
 * traffic in bytes a microsecond: to and fro between kernels, and at best from memory. */
static const double launch_us = 2.5, launch_pack_us = 6, gate_us = 2.5, traffic = 1.9e4,
                    bandwidth = 3.2e4;

/* An operand of more bytes than a cache holds, of which each element is read by one group only,
 * comes from memory: a step then takes its latency at least. */
static const double cache_bytes = 32e6, latency_ns = 800;

const struct clg_params *clg_tiled_rows(enum clg_device_kind kind, size_t *count) {
    const bool cpu = kind == CLG_DEVICE_CPU;
    *count = cpu ? sizeof cpu_rows / sizeof *cpu_rows : sizeof wide_rows / sizeof *wide_rows;
    return cpu ? cpu_rows : wide_rows;
}

/* Nanoseconds of a step with `groups` on the unit: lines through what was measured. */
static double step_ns(const struct clg_tiled_cost *cost, int64_t groups, double least) {
    if (groups == 0)
        return 0;
    const double slope =
        cost->resident > 2 ? (cost->step_ns[2] - cost->step_ns[1]) / (cost->resident - 2) : 0;
    const double ns = groups == cost->resident ? cost->step_ns[2]
                      : groups == 1            ? cost->step_ns[0]
                                               : cost->step_ns[1] + slope * (double)(groups - 2);
    return ns > least ? ns : least;
}

/* Whether one operand is long, and the other no wider than a tile. */
static bool streams(const struct clg_problem *problem, const struct clg_params *p) {
    const double depth = (double)problem->k * (double)clg_type_size(problem->type);
    const double a = (double)problem->m * depth, b = (double)problem->n * depth;
    return (problem->n <= p->tile_n && a > cache_bytes) ||
           (problem->m <= p->tile_m && b > cache_bytes);
}

enum { DOUBLES_ONLY = 2 }; /* rows, at the end of those for GPUs */

/* Doubles take 2.5 times as long on an H200 (2048 cubed, docs/results.md). */
static const double doubles_slower = 2.5;

struct clg_tiled_table clg_tiled_table(const struct clg_problem *problem,
                                       const struct clg_facts *facts) {
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    struct clg_tiled_table table = {.costs = cpu ? cpu_costs : wide_costs,
                                    .slower = problem->type == CLGEMM_F64 ? doubles_slower : 1,
                                    .packs = true,
                                    .cuts_tails = true,
                                    .unsupported_reason = clg_tiled_unsupported_reason};
    table.rows = clg_tiled_rows(facts->kind, &table.count);
    if (!cpu && problem->type != CLGEMM_F64)
        table.count -= DOUBLES_ONLY;
    return table;
}

bool clg_tiled_fills(const struct clg_tiled_table *table, const struct clg_facts *facts,
                     size_t index, int64_t groups) {
    return groups >= table->costs[index].resident * clg_tiled_units(facts);
}

/* Nanoseconds of one step of so many groups, in full rounds of the units and a last one. */
static double round_ns(const struct clg_tiled_cost *cost, int64_t units, int64_t groups,
                       double least) {
    const int64_t a_unit = clg_ceil_div(groups, units);
    const int64_t rounds = a_unit / cost->resident;
    return (double)rounds * step_ns(cost, cost->resident, least) +
           step_ns(cost, a_unit % cost->resident, least);
}

static int64_t rounds_of(const struct clg_tiled_cost *cost, int64_t units, int64_t groups) {
    return clg_ceil_div(groups, units * cost->resident);
}

double clg_tiled_time(const struct clg_tiled_table *table, const struct clg_problem *problem,
                      const struct clg_facts *facts, size_t index, const struct clg_cut *cut,
                      double scalars) {
    const struct clg_params *row = &table->rows[index];
    const struct clg_tiled_cost *cost = &table->costs[index];
    const int64_t units = clg_tiled_units(facts), whole = cut->whole * problem->batch;
    const int64_t pieces = (cut->tiles - cut->whole) * cut->slices * problem->batch;
    const double products = (double)problem->batch;
    const double m = (double)problem->m, n = (double)problem->n, k = (double)problem->k;
    const double least = streams(problem, row) ? latency_ns : 0;
    const double tile = (double)row->tile_m * row->tile_n;
    const double size = (double)clg_type_size(problem->type);
    const double to_and_fro = (double)clg_type_real_size(problem->type) / (traffic * (double)units);
    const double steps =
        1e-3 * table->slower / row->tile_k *
        ((double)clg_round_up(problem->k, row->tile_k) * round_ns(cost, units, whole, least) +
         (double)cut->depth * round_ns(cost, units, pieces, least));
    const double memory = products * (m * k + k * n + m * n) * size / (bandwidth * (double)units);
    const int64_t rounds = rounds_of(cost, units, whole) + rounds_of(cost, units, pieces);
    double us = cost->fixed_us + (double)(rounds - 1) * cost->round_us +
                hypot(steps * (1 + scalars * cost->scalar), memory);
    if (pieces > 0 && cut->whole > 0)
        us += gate_us + launch_us +
              (double)(cut->slices + 1) * (double)(cut->tiles - cut->whole) * tile * to_and_fro;
    else if (pieces > 0)
        us += launch_us + products * (double)(cut->slices + 1) * m * n * to_and_fro;
    return us;
}

double clg_tiled_pack_us(const struct clg_reading *reading, size_t size,
                         const struct clg_facts *facts) {
    const double bytes = (double)reading->outer * (double)reading->depth * (double)size;
    return launch_pack_us + 2 * bytes / (traffic * (double)clg_tiled_units(facts));
}
