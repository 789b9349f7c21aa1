/* SPDX-License-Identifier: Apache-2.0
 * The tiled family's built-in parameters, and a model of the time that each takes. */
#include "gemm/tiled_model.h"

#include "base/checked.h"

/* What was measured of a row. */
struct cost {
    float fixed_us;   /* before and after the steps */
    int resident;     /* groups that fit a compute unit */
    float step_ns[3]; /* with one group on the unit, with two, with as many as fit */
};

/* X(tile m, n, k, work-items m, n, lanes m, n, vectors a, b, stages, fixed, resident, steps) */
#define WIDE_ROWS(X)                                                 \
    X(128, 256, 16, 8, 32, 4, 8, 4, 4, 2, 6.2F, 1, 2616, 5232, 2616) \
    X(256, 128, 16, 32, 8, 8, 4, 4, 4, 2, 5.5F, 1, 2668, 5336, 2668) \
    X(128, 128, 16, 16, 8, 8, 4, 4, 4, 2, 5.3F, 2, 2525, 2691, 2691) \
    X(128, 64, 16, 16, 8, 8, 4, 4, 4, 2, 5.3F, 2, 905, 1483, 1483)   \
    X(64, 128, 16, 8, 16, 8, 4, 4, 4, 2, 5.3F, 2, 910, 1496, 1496)   \
    X(64, 64, 16, 8, 8, 8, 4, 4, 4, 2, 5.5F, 4, 780, 823, 1490)      \
    X(64, 64, 16, 16, 8, 8, 4, 4, 4, 2, 3.1F, 4, 471, 868, 1648)     \
    X(64, 64, 8, 8, 8, 8, 4, 4, 4, 2, 3.1F, 6, 402, 436, 1116)       \
    X(64, 32, 16, 8, 8, 8, 4, 4, 4, 2, 2.9F, 6, 464, 553, 1434)      \
    X(32, 64, 16, 8, 8, 8, 4, 4, 4, 2, 2.9F, 6, 448, 526, 1381)      \
    X(32, 32, 32, 8, 8, 8, 4, 4, 4, 2, 2.8F, 6, 525, 638, 1683)      \
    X(128, 16, 32, 32, 4, 32, 1, 4, 4, 2, 2.9F, 3, 723, 1282, 1885)  \
    X(16, 128, 32, 4, 32, 4, 8, 4, 4, 2, 3.0F, 3, 704, 1274, 1873)   \
    X(64, 16, 32, 16, 4, 16, 2, 4, 4, 2, 2.9F, 6, 596, 819, 2151)    \
    X(16, 64, 32, 4, 16, 4, 8, 4, 4, 2, 3.1F, 6, 567, 717, 1834)     \
    X(128, 8, 32, 32, 4, 32, 1, 4, 2, 2, 2.9F, 3, 569, 1048, 1541)   \
    X(128, 4, 32, 32, 2, 32, 1, 4, 2, 2, 3.0F, 4, 452, 721, 1352)    \
    X(4, 128, 32, 2, 32, 2, 16, 2, 4, 2, 3.3F, 4, 502, 644, 1230)

/* Measured roughly, on PoCL, where a group is a task of one core. Small register tiles: where LLVM
 * leaves a loop over a private array rolled, PoCL 3.1 compiles for half a minute and the kernel
 * gives NaN (seen with 16 x 16 sums and with shares of 64). */
#define CPU_ROWS(X)                                             \
    X(32, 32, 16, 8, 8, 0, 0, 4, 4, 1, 20, 1, 1300, 2600, 1300) \
    X(16, 16, 8, 4, 4, 0, 0, 2, 2, 1, 20, 1, 340, 680, 340)

#define PARAMS(tm, tn, tk, wm, wn, lm, ln, va, vb, depth, fixed, fit, one, two, full) \
    {.tile_m = (tm),                                                                  \
     .tile_n = (tn),                                                                  \
     .tile_k = (tk),                                                                  \
     .wg_m = (wm),                                                                    \
     .wg_n = (wn),                                                                    \
     .lanes_m = (lm),                                                                 \
     .lanes_n = (ln),                                                                 \
     .vec_a = (va),                                                                   \
     .vec_b = (vb),                                                                   \
     .stages = (depth),                                                               \
     .band_m = 8},
#define COST(tm, tn, tk, wm, wn, lm, ln, va, vb, depth, fixed, fit, one, two, full) \
    {fixed, fit, {one, two, full}},

static const struct clg_params wide_rows[] = {WIDE_ROWS(PARAMS)}, cpu_rows[] = {CPU_ROWS(PARAMS)};
static const struct cost wide_costs[] = {WIDE_ROWS(COST)}, cpu_costs[] = {CPU_ROWS(COST)};

/* Further launches, and a unit's share of memory traffic in bytes a microsecond. */
static const double launch_us = 2.5, traffic = 1.9e4;

/* Floating-point operations of a unit in a microsecond, roughly; and the share of time that reading
 * one operand in scalars adds, by sums a work-item: where they take most registers, loads spill. */
static const double operations = 3.5e5, cpu_operations = 2.5e4;
static const double scalar_share_128 = 0.33, scalar_share_64 = 0.10, scalar_share = 0.05;

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
                      size_t index, int64_t k_slice) {
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    const struct clg_params *row = cpu ? &cpu_rows[index] : &wide_rows[index];
    const struct cost *cost = cpu ? &cpu_costs[index] : &wide_costs[index];
    const int64_t slices = clg_ceil_div(problem->k, k_slice);
    const int64_t groups =
        clg_ceil_div(problem->m, row->tile_m) * clg_ceil_div(problem->n, row->tile_n) * slices;
    const int64_t units = units_of(facts), a_unit = clg_ceil_div(groups, units);
    const int64_t rounds = a_unit / cost->resident;
    const double steps = (double)clg_ceil_div(k_slice, row->tile_k);
    double us = cost->fixed_us + steps * 1e-3 *
                                     ((double)rounds * step_ns(cost, cost->resident) +
                                      step_ns(cost, a_unit % cost->resident));
    if (slices > 1)
        us += launch_us + (double)(slices + 1) * (double)problem->m * (double)problem->n *
                              sizeof(float) / (traffic * (double)units);
    return us;
}

double clg_tiled_scalar_us(const struct clg_problem *problem, const struct clg_facts *facts,
                           const struct clg_params *p) {
    const int sums = p->tile_m / p->wg_m * (p->tile_n / p->wg_n);
    const double share = sums >= 128  ? scalar_share_128
                         : sums >= 64 ? scalar_share_64
                                      : scalar_share;
    return share * 2 * (double)problem->m * (double)problem->n * (double)problem->k /
           ((facts->kind == CLG_DEVICE_CPU ? cpu_operations : operations) *
            (double)units_of(facts));
}

double clg_tiled_pack_us(const struct clg_reading *reading, const struct clg_facts *facts) {
    const double bytes = (double)reading->outer * (double)reading->depth * sizeof(float);
    return launch_us + 2 * bytes / (traffic * (double)units_of(facts));
}
