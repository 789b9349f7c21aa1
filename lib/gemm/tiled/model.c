/* SPDX-License-Identifier: Apache-2.0
 * The time that a row of the families tiled and multistage takes for a problem. */
#include "gemm/tiled/model.h"

#include <math.h>

#include "base/checked.h"

enum { RUN = 8 }; /* elements along k that a group reads at a time */

/* A compute unit and the groups that share it. */
struct unit {
    const struct clg_cost_row *cost;
    int64_t count;     /* of such units */
    int64_t fit;       /* groups that it holds: fewer if reading single elements takes registers */
    bool ends_at_once; /* its groups end together, after each full round */
    double least_ns;   /* of a step */
    double drift_rounds;
};

/* Nanoseconds of a step with `groups` on the unit: linear between measured points. */
static double step_ns(const struct unit *unit, int64_t groups) {
    const struct clg_cost_row *cost = unit->cost;
    if (groups == 0)
        return 0;
    const double slope =
        cost->resident > 2 ? (cost->step_ns[2] - cost->step_ns[1]) / (cost->resident - 2) : 0;
    const double ns = groups == cost->resident ? cost->step_ns[2]
                      : groups == 1            ? cost->step_ns[0]
                                               : cost->step_ns[1] + slope * (double)(groups - 2);
    return ns > unit->least_ns ? ns : unit->least_ns;
}

/* Whether one operand is long, and the other only a few tiles wide. Groups that share a tile of the
 * long one then read it together, for the first time, so each step waits for memory. */
static bool streams(const struct clg_costs *costs, const struct clg_problem *problem,
                    const struct clg_params *p) {
    enum { FEW = 4 };
    const double depth = (double)problem->k * (double)clg_type_size(problem->type);
    const double a = (double)problem->m * depth, b = (double)problem->n * depth;
    return (problem->n <= (int64_t)FEW * p->tile_n && a > costs->cache_bytes) ||
           (problem->m <= (int64_t)FEW * p->tile_m && b > costs->cache_bytes);
}

/* Units drift apart from round to round. So after many rounds a partial last round takes less time
 * than a whole one: 8192 cubed in 15.5 rounds of 256 x 128 took 15.5 times one. */
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
               (busy + (1 - busy) * exp(-(double)rounds / unit->drift_rounds));
}

static int64_t rounds_of(const struct unit *unit, int64_t groups) {
    return clg_ceil_div(groups, unit->count * unit->fit);
}

/* Nanoseconds of all steps of a launch, of whole tiles and of pieces (slices of cut tiles); how
 * long units have only whole tiles while finished pieces are added up; the number of rounds; and
 * whether pieces run beside whole tiles. */
struct turns {
    double ns, spare_ns;
    int64_t rounds;
    bool beside;
};

/* Pieces follow the whole tiles: in rounds of their own if whole tiles fill all units, else beside
 * the last whole tiles. In that case each unit gets one piece if there are fewer pieces than units.
 * Otherwise some units get one more whole tile and others one less, and pieces fill the free
 * places. Measured on an H100 and an H200 (docs/log). */
static struct turns take_turns(const struct unit *unit, const struct clg_cut *cut, int64_t products,
                               double whole_steps, double piece_steps) {
    const int64_t whole = cut->whole * products;
    const int64_t last = clg_ceil_div(whole, unit->count) % unit->fit;
    int64_t pieces = (cut->tiles - cut->whole) * cut->slices * products;
    struct turns turns = {.ns = whole_steps * round_ns(unit, whole),
                          .rounds = rounds_of(unit, whole)};
    turns.beside = pieces > 0 && last > 0;
    if (turns.beside) {
        const double alone = step_ns(unit, last);
        const double more = step_ns(unit, last + 1), full = step_ns(unit, unit->fit);
        const double places = (double)(unit->count * (unit->fit - last));
        const bool even = pieces < unit->count;
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

/* Elements of an operand that are fetched from memory. If it is read in runs of 8 elements and its
 * columns are not aligned to 32 bytes, two runs share a memory sector, which is fetched twice if
 * the cache is too small. */
static double fetched(const struct clg_tiled_table *table, const struct clg_matrix *matrix,
                      const struct clg_reading *reading) {
    const bool ragged = table->reads_runs && reading->along_k && matrix->ld % RUN;
    return (double)reading->outer * (double)reading->depth *
           (ragged ? table->costs->ragged_reads : 1);
}

/* Groups of a batch that share a unit drift apart, so one group's waits overlap with multiply-adds
 * of others. How much depends on the family. */
static double round_us(const struct clg_tiled_table *table, const struct clg_cost_row *cost,
                       int64_t batch) {
    if (batch == 1 || cost->use == CLG_FOR_BATCHES)
        return cost->round_us;
    return fmax(cost->round_us * (cost->resident > 1 ? table->batch_rounds : 1),
                table->least_round_us);
}

/* Measured: groups end together if a unit holds two, and in the tiled family also if they read
 * single elements, but not in multistage. */
static struct unit unit_of(const struct clg_tiled_table *table, const struct clg_problem *problem,
                           const struct clg_facts *facts, const struct clg_cost_row *cost,
                           double scalars) {
    const struct clg_params *row = &cost->params;
    const struct clg_costs *costs = table->costs;
    const int64_t held = scalars > 0 ? cost->resident_scalars : cost->resident;
    const int64_t places = table->in_local ? table->in_local(problem, facts, row) : held;
    const int64_t fit = places < held ? places : held;
    return (struct unit){.cost = cost,
                         .count = clg_tiled_units(facts),
                         .fit = fit,
                         .ends_at_once = fit == 2 || (scalars > 0 && table->packs),
                         .drift_rounds = costs->drift_rounds,
                         .least_ns =
                             streams(costs, problem, row)
                                 ? costs->latency_ns / (row->stages > 2 ? row->stages - 1 : 1)
                                 : 0};
}

double clg_tiled_time(const struct clg_tiled_table *table, const struct clg_problem *problem,
                      const struct clg_facts *facts, const struct clg_cost_row *cost,
                      const struct clg_cut *cut, double scalars, const char **limit) {
    const struct clg_costs *costs = table->costs;
    const struct clg_params *row = &cost->params;
    const struct unit unit = unit_of(table, problem, facts, cost, scalars);
    const bool pieces = cut->tiles > cut->whole;
    const double products = (double)problem->batch, units = (double)unit.count;
    const double results = clg_problem_results(problem);
    const struct clg_reading read_a = clg_tiled_read_a(problem, row);
    const struct clg_reading read_b = clg_tiled_read_b(problem, row);
    const double operands = fetched(table, &problem->matrix[CLG_A], &read_a) +
                            fetched(table, &problem->matrix[CLG_B], &read_b);
    const double tile = (double)row->tile_m * row->tile_n;
    const double size = (double)clg_type_size(problem->type);
    const double to_and_fro =
        (double)clg_type_real_size(problem->type) / (costs->copy_rate * units);
    const struct turns turns =
        take_turns(&unit, cut, problem->batch, (double)clg_ceil_div(problem->k, row->tile_k),
                   (double)cut->depth / row->tile_k);
    const double slower = 1e-3 * table->slower * (1 + scalars * cost->scalars);
    const bool scatters = table->scatters && !pieces &&
                          clg_tiled_vec_c(problem) < (int)clg_type_vector(problem->type);
    const double memory = products * size / units *
                          (operands / costs->read_rate +
                           results / (scatters ? costs->scatter_rate : costs->read_rate));
    const double round = round_us(table, cost, problem->batch);
    double us = cost->fixed_us + (double)(turns.rounds - 1) * round +
                hypot(turns.ns * slower, memory) + (turns.beside ? table->pieces_us : 0);
    const bool joins = clg_tiled_joins(problem, cut, row, table->joined);
    if (joins)
        us += costs->crowded_us *
                  fmax(0, (double)(cut->tiles - cut->whole) * cut->slices / units - 1) +
              fmax(costs->least_join_us, costs->join_us - turns.spare_ns * slower +
                                             cut->slices * tile *
                                                 (double)clg_type_real_size(problem->type) /
                                                 costs->join_rate);
    else if (pieces && cut->whole > 0)
        us += costs->gate_us + costs->launch_us +
              (double)(cut->slices + 1) * (double)(cut->tiles - cut->whole) * tile * to_and_fro;
    else if (pieces)
        us += costs->launch_us + products * (double)(cut->slices + 1) * results * to_and_fro;
    *limit = memory > turns.ns * slower    ? "memory"
             : 2 * turns.ns * slower >= us ? "multiply-adds"
                                           : "launches";
    return clg_enqueued_us(costs, pieces && !joins, us);
}

/* All units hold as many groups as are quickest together, all the time. */
double clg_tiled_least_time(const struct clg_tiled_table *table, const struct clg_problem *problem,
                            const struct clg_facts *facts, const struct clg_cost_row *cost) {
    const struct unit unit = unit_of(table, problem, facts, cost, 0);
    const double tiles = (double)clg_tiled_cut(problem, facts, &cost->params).tiles,
                 steps = tiles * (double)problem->batch *
                         (double)clg_ceil_div(problem->k, cost->params.tile_k);
    const double group_ns = fmin(step_ns(&unit, unit.fit) / (double)unit.fit, step_ns(&unit, 1));
    return cost->fixed_us + 1e-3 * table->slower * steps * group_ns / (double)unit.count;
}

double clg_tiled_pack_us(const struct clg_costs *costs, const struct clg_reading *reading,
                         size_t size, const struct clg_facts *facts) {
    const double bytes = (double)reading->outer * (double)reading->depth * (double)size;
    return costs->pack_launch_us + 2 * bytes / (costs->copy_rate * (double)clg_tiled_units(facts));
}
