/* SPDX-License-Identifier: Apache-2.0
 * The tiled family's built-in parameters, and a model of the time that each takes. */
#include "gemm/tiled/model.h"

#include <math.h>

#include "base/checked.h"

/* X(tile m, n, k, work-items m, n, k, lanes m, n, vectors a, b, stages, padding, fixed, round,
 * resident, steps, scalar, resident with scalars), larger tiles first; fitted to 4134 times of 180
 * shapes on an H200 (docs/log). The last four are for doubles, whose padded or deeper tiles would
 * exceed 48 KiB of local memory. The last two were not measured but estimated from others. */
#define WIDE_ROWS(X)                                                                       \
    X(256, 128, 16, 32, 8, 1, 8, 4, 4, 4, 2, 0, 7.0F, 6.2F, 1, 2532, 5064, 2532, 0.37F, 1) \
    X(128, 256, 16, 8, 32, 1, 4, 8, 4, 4, 2, 0, 6.4F, 6.8F, 1, 2550, 5099, 2550, 0.33F, 1) \
    X(128, 128, 16, 16, 8, 1, 8, 4, 4, 4, 2, 0, 6.4F, 6.6F, 2, 2393, 2537, 2537, 0.72F, 2) \
    X(128, 128, 16, 16, 8, 2, 8, 4, 4, 4, 2, 0, 6.6F, 4.8F, 1, 1292, 2584, 1292, 0.14F, 1) \
    X(128, 64, 16, 16, 8, 2, 8, 4, 4, 4, 2, 4, 5.0F, 2.3F, 1, 673, 1346, 673, 0.12F, 1)    \
    X(64, 128, 16, 8, 16, 2, 8, 4, 4, 4, 2, 4, 5.1F, 1.9F, 1, 698, 1396, 698, 0.19F, 1)    \
    X(64, 64, 16, 8, 8, 2, 8, 4, 4, 4, 2, 0, 5.1F, 1.3F, 3, 446, 695, 1065, 0.19F, 2)      \
    X(64, 64, 32, 8, 8, 4, 8, 4, 4, 4, 2, 0, 5.5F, 2.6F, 1, 736, 1472, 736, 0.20F, 1)      \
    X(64, 64, 16, 16, 8, 1, 8, 4, 4, 4, 2, 0, 4.8F, 0, 4, 479, 810, 1588, 0.16F, 2)        \
    X(64, 32, 16, 8, 8, 1, 8, 4, 4, 4, 2, 0, 5.1F, 0, 7, 419, 524, 1687, 0.16F, 4)         \
    X(64, 32, 16, 8, 8, 2, 8, 4, 4, 4, 2, 0, 4.1F, 0, 4, 273, 469, 948, 0.12F, 3)          \
    X(32, 64, 16, 8, 8, 2, 8, 4, 4, 4, 2, 0, 4.3F, 0.1F, 4, 271, 445, 866, 0.18F, 3)       \
    X(64, 32, 32, 8, 8, 4, 8, 4, 4, 4, 2, 0, 4.6F, 1.5F, 2, 453, 924, 924, 0.32F, 2)       \
    X(32, 64, 32, 8, 8, 4, 8, 4, 4, 4, 2, 0, 4.9F, 1.5F, 2, 415, 834, 834, 0.44F, 2)       \
    X(128, 16, 32, 32, 4, 1, 32, 1, 4, 4, 2, 0, 4.2F, 0, 3, 718, 1210, 1901, 0.12F, 2)     \
    X(16, 128, 32, 4, 32, 1, 4, 8, 4, 4, 2, 0, 5.5F, 0.7F, 2, 704, 1228, 1228, 0.45F, 2)   \
    X(32, 32, 32, 8, 8, 4, 8, 4, 4, 4, 2, 0, 4.4F, 0.5F, 3, 291, 537, 866, 0.23F, 3)       \
    X(64, 16, 32, 16, 4, 2, 16, 2, 4, 4, 2, 0, 4.2F, 0, 5, 380, 656, 1837, 0.06F, 2)       \
    X(16, 64, 32, 4, 16, 2, 4, 8, 4, 4, 2, 0, 4.6F, 0.2F, 4, 345, 597, 1293, 0.39F, 2)     \
    X(16, 64, 32, 4, 16, 4, 4, 8, 2, 4, 2, 0, 4.5F, 0.7F, 2, 327, 606, 606, 0.34F, 2)      \
    X(128, 8, 32, 32, 4, 1, 32, 1, 4, 2, 2, 0, 4.0F, 0, 4, 512, 977, 2044, 0.03F, 4)       \
    X(8, 128, 32, 4, 32, 1, 4, 8, 2, 4, 2, 0, 5.2F, 0, 3, 624, 1013, 1569, 0.44F, 2)       \
    X(32, 16, 32, 8, 4, 4, 8, 4, 4, 4, 2, 0, 4.4F, 0.5F, 6, 279, 409, 1243, 0.00F, 6)      \
    X(16, 32, 32, 4, 8, 4, 4, 8, 4, 4, 2, 0, 4.5F, 0.1F, 6, 238, 329, 917, 0.26F, 4)       \
    X(128, 4, 32, 32, 2, 1, 32, 1, 4, 2, 2, 0, 4.3F, 0, 4, 438, 714, 1209, 0.76F, 4)       \
    X(4, 128, 32, 2, 32, 1, 2, 16, 2, 4, 2, 0, 5.5F, 0, 4, 526, 683, 1220, 2.41F, 4)       \
    X(64, 4, 32, 16, 2, 1, 16, 2, 4, 2, 2, 0, 3.7F, 0, 8, 599, 1064, 2633, 0.73F, 8)       \
    X(4, 64, 32, 2, 16, 1, 2, 16, 2, 4, 2, 0, 5.0F, 0, 8, 700, 1200, 2900, 2.46F, 8)       \
    X(128, 64, 16, 16, 8, 2, 8, 4, 4, 4, 2, 0, 5.0F, 2.3F, 1, 692, 1384, 692, 0.12F, 1)    \
    X(64, 128, 16, 8, 16, 2, 8, 4, 4, 4, 2, 0, 5.1F, 1.9F, 1, 727, 1454, 727, 0.19F, 1)    \
    X(128, 4, 16, 32, 2, 1, 32, 1, 4, 1, 2, 0, 2.9F, 0, 4, 240, 390, 720, 0.57F, 4)        \
    X(4, 128, 16, 2, 32, 1, 2, 16, 1, 4, 2, 0, 5.0F, 0, 4, 280, 360, 660, 2.46F, 4)

/* Measured roughly on PoCL, where one core runs a group. Register tiles are small: if LLVM does not
 * unroll a loop over a private array, PoCL 3.1 compiles for half a minute and the kernel returns
 * NaN (seen with 16 x 16 accumulators, and with 64 elements to load for each work-item). */
#define CPU_ROWS(X)                                                               \
    X(32, 32, 16, 8, 8, 1, 0, 0, 4, 4, 1, 0, 20, 0, 1, 1300, 2600, 1300, 0.1F, 1) \
    X(16, 16, 8, 4, 4, 1, 0, 0, 2, 2, 1, 0, 20, 0, 1, 340, 680, 340, 0.1F, 1)

#define PARAMS(tm, tn, tk, wm, wn, wk, lm, ln, va, vb, depth, pad, fixed, round, fit, one, two, \
               full, scalars, few)                                                              \
    CLG_TILED_ROW(tm, tn, tk, wm, wn, wk, lm, ln, va, vb, depth, pad, 0),
#define COST(tm, tn, tk, wm, wn, wk, lm, ln, va, vb, depth, pad, fixed, round, fit, one, two, \
             full, scalars, few)                                                              \
    {fixed, round, fit, {one, two, full}, scalars, few, CLG_FOR_ANY},

static const struct clg_params wide_rows[] = {WIDE_ROWS(PARAMS)}, cpu_rows[] = {CPU_ROWS(PARAMS)};
enum { WIDE = sizeof wide_rows / sizeof *wide_rows, DOUBLES_ONLY = 4 };
static const struct clg_tiled_cost wide_costs[] = {WIDE_ROWS(COST)}, cpu_costs[] = {CPU_ROWS(COST)};

/* The launch of the reduction and of packing, and the gate for several steps that write C. Then a
 * unit's part of the memory traffic in bytes per microsecond: between kernels, at best from memory,
 * and to a C whose columns are not aligned for vectors, where a store writes every fourth row. */
static const double launch_us = 2.5, launch_pack_us = 6, gate_us = 2.5, traffic = 1.9e4,
                    bandwidth = 3.2e4, scattered = 7e3;

/* If an operand is read in runs of 8 elements and its columns are not aligned to 32 bytes, two runs
 * share a memory sector, which is fetched twice if the cache is too small. */
static const double ragged_reads = 1.5;
enum { RUN = 8 };

/* The last group of a cut tile: the time until it knows that it is the last, the bytes per
 * microsecond that it adds up, and the least time of both. Then the wait that each further group on
 * a unit adds. */
static const double join_us = 1.5, join_rate = 50e3, least_join_us = 1, crowded_us = 0.4;

/* The host's time to enqueue one kernel, and two with their workspace: calls back to back take no
 * less (two: 10.6 to 14.4 on three hosts). A kernel's time below that counts half, because a single
 * call that the caller waits for is as fast as its kernels. */
static const double enqueue_us = 5.2, enqueue_two_us = 12, hidden = 0.5;

/* An operand that is larger than the cache and whose elements are each read by one group is read
 * from memory. A step then takes at least the memory's latency, divided by the tiles in flight. */
static const double cache_bytes = 32e6, latency_ns = 800;

const struct clg_params *clg_tiled_rows(enum clg_device_kind kind, size_t *count) {
    const bool cpu = kind == CLG_DEVICE_CPU;
    *count = cpu ? sizeof cpu_rows / sizeof *cpu_rows : WIDE;
    return cpu ? cpu_rows : wide_rows;
}

bool clg_tiled_row_is_for(size_t row, clgemm_type type) {
    return type == CLGEMM_F64 || row < WIDE - DOUBLES_ONLY;
}

/* A compute unit and the groups that share it. */
struct unit {
    const struct clg_tiled_cost *cost;
    int64_t count;     /* of such units */
    int64_t fit;       /* groups that it holds: fewer if reading single elements takes registers */
    bool ends_at_once; /* its groups end together, after each full round */
    double least_ns;   /* of a step */
};

/* Nanoseconds of a step with `groups` on the unit: linear between measured points. */
static double step_ns(const struct unit *unit, int64_t groups) {
    const struct clg_tiled_cost *cost = unit->cost;
    if (groups == 0)
        return 0;
    const double slope =
        cost->resident > 2 ? (cost->step_ns[2] - cost->step_ns[1]) / (cost->resident - 2) : 0;
    const double ns = groups == cost->resident ? cost->step_ns[2]
                      : groups == 1            ? cost->step_ns[0]
                                               : cost->step_ns[1] + slope * (double)(groups - 2);
    return ns > unit->least_ns ? ns : unit->least_ns;
}

/* Whether one operand is long, and the other no wider than a tile. */
static bool streams(const struct clg_problem *problem, const struct clg_params *p) {
    const double depth = (double)problem->k * (double)clg_type_size(problem->type);
    const double a = (double)problem->m * depth, b = (double)problem->n * depth;
    return (problem->n <= p->tile_n && a > cache_bytes) ||
           (problem->m <= p->tile_m && b > cache_bytes);
}

/* Doubles take 2.5 times as long on an H200 (2048 cubed). */
static const double doubles_slower = 2.5;

/* The tiles of one product find elements in the cache that other tiles have loaded. The products of
 * a batch share none, so each round begins with reads from memory. Measured on an H100. */
static const double least_batch_round_us = 3.5;

struct clg_tiled_table clg_tiled_table(const struct clg_problem *problem,
                                       const struct clg_facts *facts) {
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    struct clg_tiled_table table = {.costs = cpu ? cpu_costs : wide_costs,
                                    .slower = problem->type == CLGEMM_F64 ? doubles_slower : 1,
                                    .batch_rounds = 1,
                                    .least_round_us = cpu ? 0 : least_batch_round_us,
                                    .packs = true,
                                    .scatters = true,
                                    .unsupported_reason = clg_tiled_unsupported_reason};
    table.rows = clg_tiled_rows(facts->kind, &table.count);
    while (!clg_tiled_row_is_for(table.count - 1, problem->type))
        table.count--;
    return table;
}

bool clg_tiled_fills(const struct clg_tiled_table *table, const struct clg_facts *facts,
                     size_t index, int64_t groups) {
    return groups >= clg_tiled_units(facts) * 2 * table->costs[index].resident;
}

/* Units drift apart from round to round. So after many rounds a partial last round takes less time
 * than a whole one: 8192 cubed in 15.5 rounds of 256 x 128 took 15.5 times one. */
static const double drift_rounds = 10;

/* Nanoseconds of one step of `groups` groups, in full rounds of the units and a last one. If the
 * groups of a unit end together, the first free units take all remaining groups. */
static double round_ns(const struct unit *unit, int64_t groups) {
    const int64_t rounds = groups / (unit->count * unit->fit);
    const int64_t over = groups - rounds * unit->count * unit->fit;
    const int64_t left = clg_ceil_div(over, unit->count);
    const bool together = rounds > 0 && left > 0 && unit->ends_at_once;
    const double busy = left > 0 ? (double)over / (double)(unit->count * left) : 1;
    return (double)rounds * step_ns(unit, unit->fit) +
           step_ns(unit, together ? unit->fit : left) *
               (busy + (1 - busy) * exp(-(double)rounds / drift_rounds));
}

static int64_t rounds_of(const struct unit *unit, int64_t groups) {
    return clg_ceil_div(groups, unit->count * unit->fit);
}

/* Nanoseconds of all steps of a launch, of whole tiles and of pieces (slices of cut tiles); the
 * number of rounds; and how long units have only whole tiles while finished pieces are added up. */
struct turns {
    double ns, spare_ns;
    int64_t rounds;
};

/* Pieces follow the whole tiles: in rounds of their own if whole tiles fill all units, else beside
 * the last whole tiles. In that case each unit gets one piece if there are fewer pieces than units
 * and a unit holds three groups or more. Otherwise some units get one more whole tile and others
 * one less, and pieces fill the free places. Measured on an H100 and an H200 (docs/log). */
static struct turns take_turns(const struct unit *unit, const struct clg_cut *cut, int64_t products,
                               double whole_steps, double piece_steps) {
    const int64_t whole = cut->whole * products;
    const int64_t last = clg_ceil_div(whole, unit->count) % unit->fit;
    int64_t pieces = (cut->tiles - cut->whole) * cut->slices * products;
    struct turns turns = {.ns = whole_steps * round_ns(unit, whole),
                          .rounds = rounds_of(unit, whole)};
    if (pieces > 0 && last > 0) {
        const double alone = step_ns(unit, last);
        const double more = step_ns(unit, last + 1), full = step_ns(unit, unit->fit);
        const double places = (double)(unit->count * (unit->fit - last));
        const bool even = pieces < unit->count && unit->fit > 2;
        if (even) {
            turns.ns += piece_steps * (more - alone);
            turns.spare_ns = (whole_steps - piece_steps) * alone;
        } else {
            const double full_steps = fmin(whole_steps, piece_steps * (double)pieces / places);
            turns.ns += whole_steps * (more - alone) + full_steps * (full - more);
        }
        const double beside = places * floor(whole_steps / piece_steps);
        pieces = (double)pieces > beside ? pieces - (int64_t)beside : 0;
    }
    turns.ns += piece_steps * round_ns(unit, pieces);
    turns.rounds += rounds_of(unit, pieces);
    return turns;
}

static double at_least(double floor, double us) {
    return us < floor ? floor - hidden * (floor - us) : us;
}

/* Elements of an operand that are fetched from memory. */
static double fetched(const struct clg_tiled_table *table, const struct clg_matrix *matrix,
                      const struct clg_reading *reading) {
    const bool ragged = table->reads_runs && reading->along_k && matrix->ld % RUN;
    return (double)reading->outer * (double)reading->depth * (ragged ? ragged_reads : 1);
}

/* Groups of a batch that share a unit drift apart, so one group's waits overlap with multiply-adds
 * of others. How much depends on the family. */
static double round_us(const struct clg_tiled_table *table, const struct clg_tiled_cost *cost,
                       int64_t batch) {
    if (batch == 1 || cost->use == CLG_FOR_BATCHES)
        return cost->round_us;
    return fmax(cost->round_us * (cost->resident > 1 ? table->batch_rounds : 1),
                table->least_round_us);
}

/* Measured: groups end together if a unit holds two, and in the tiled family also if they read
 * single elements, but not in multistage. */
static struct unit unit_of(const struct clg_tiled_table *table, const struct clg_problem *problem,
                           const struct clg_facts *facts, size_t index, double scalars) {
    const struct clg_params *row = &table->rows[index];
    const struct clg_tiled_cost *cost = &table->costs[index];
    const int64_t fit = scalars > 0 ? cost->resident_scalar : cost->resident;
    return (struct unit){.cost = cost,
                         .count = clg_tiled_units(facts),
                         .fit = fit,
                         .ends_at_once = fit == 2 || (scalars > 0 && table->packs),
                         .least_ns = streams(problem, row)
                                         ? latency_ns / (row->stages > 2 ? row->stages - 1 : 1)
                                         : 0};
}

double clg_tiled_time(const struct clg_tiled_table *table, const struct clg_problem *problem,
                      const struct clg_facts *facts, size_t index, const struct clg_cut *cut,
                      double scalars) {
    const struct clg_params *row = &table->rows[index];
    const struct clg_tiled_cost *cost = &table->costs[index];
    const struct unit unit = unit_of(table, problem, facts, index, scalars);
    const bool pieces = cut->tiles > cut->whole;
    const double products = (double)problem->batch, units = (double)unit.count;
    const double m = (double)problem->m, n = (double)problem->n;
    const struct clg_reading read_a = clg_tiled_read_a(problem, row);
    const struct clg_reading read_b = clg_tiled_read_b(problem, row);
    const double operands = fetched(table, &problem->matrix[CLG_A], &read_a) +
                            fetched(table, &problem->matrix[CLG_B], &read_b);
    const double tile = (double)row->tile_m * row->tile_n;
    const double size = (double)clg_type_size(problem->type);
    const double to_and_fro = (double)clg_type_real_size(problem->type) / (traffic * units);
    const struct turns turns =
        take_turns(&unit, cut, problem->batch, (double)clg_ceil_div(problem->k, row->tile_k),
                   (double)cut->depth / row->tile_k);
    const double slower = 1e-3 * table->slower * (1 + scalars * cost->scalar);
    const bool scatters = table->scatters && !pieces &&
                          clg_tiled_vec_c(problem) < (int)clg_type_vector(problem->type);
    const double memory = products * size / units *
                          (operands / bandwidth + m * n / (scatters ? scattered : bandwidth));
    const double round = round_us(table, cost, problem->batch);
    double us =
        cost->fixed_us + (double)(turns.rounds - 1) * round + hypot(turns.ns * slower, memory);
    const bool joins = clg_tiled_joins(problem, cut, row, table->joined);
    if (joins)
        us += crowded_us * fmax(0, (double)(cut->tiles - cut->whole) * cut->slices / units - 1) +
              fmax(least_join_us,
                   join_us - turns.spare_ns * slower +
                       cut->slices * tile * (double)clg_type_real_size(problem->type) / join_rate);
    else if (pieces && cut->whole > 0)
        us += gate_us + launch_us +
              (double)(cut->slices + 1) * (double)(cut->tiles - cut->whole) * tile * to_and_fro;
    else if (pieces)
        us += launch_us + products * (double)(cut->slices + 1) * m * n * to_and_fro;
    return at_least(pieces && !joins ? enqueue_two_us : enqueue_us, us);
}

double clg_tiled_pack_us(const struct clg_reading *reading, size_t size,
                         const struct clg_facts *facts) {
    const double bytes = (double)reading->outer * (double)reading->depth * (double)size;
    return launch_pack_us + 2 * bytes / (traffic * (double)clg_tiled_units(facts));
}
