/* SPDX-License-Identifier: Apache-2.0
 * Probes of costs, and the values that explain their times. */
#include "src/tuner/model.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/random.h"
#include "gemm/select.h"
#include "gemm/tiled/tiled.h"

/* Tiles along k, at least, of a deep and of a shallow problem, and of one that reads single
 * elements, which must not be worth packing. */
enum { DEEP = 96, SHALLOW = 6, SCALAR = 16 };

/* A shallow problem's steps take `seen` times the host's time to enqueue two kernels: below that
 * calls show the host. A deep problem has `deeper` times as many. */
static const double seen = 1.5, deeper = 4;
enum { MOST_STEPS = 2000 };

enum { DRAWN = 400, SWEEPS = 4 };

/* ---- Predicted times ---- */

/* The family's fastest candidate for the problem, by these costs, and with this row only (-1: all).
 * False if there is none. */
static bool predict(const struct clg_costs *costs, const struct clg_facts *facts,
                    const struct clg_family *family, int row, const struct clg_tuning_shape *shape,
                    struct clg_candidate *out) {
    struct clg_costs one;
    struct clg_problem problem;
    struct clg_list list = {.count = 0};
    if (clg_tuning_problem(&problem, shape) || problem.work != CLG_WORK_MULTIPLY)
        return false;
    if (row >= 0) {
        memcpy(&one, costs, offsetof(struct clg_costs, rows));
        one.rows[0] = costs->rows[row];
        one.count = 1;
        if (one.rows[0].use != CLG_FOR_BATCHES)
            one.rows[0].use = CLG_FOR_WHOLE; /* slices would hide what a whole tile takes */
        costs = &one;
    }
    clg_family_candidates(&list, family, &problem, facts, costs);
    if (list.count > 0)
        *out = list.at[0];
    return list.count > 0;
}

static double predicted_us(const struct clg_costs *costs, const struct clg_facts *facts,
                           const struct clg_probe *probe) {
    struct clg_candidate candidate;
    return predict(costs, facts, probe->family, probe->row, &probe->shape, &candidate)
               ? candidate.us
               : HUGE_VAL;
}

/* ---- Probes ---- */

struct probes {
    const struct clg_costs *costs;
    const struct clg_facts *facts;
    struct clg_probe *out;
    int count, most;
};

static void add(struct probes *probes, const struct clg_family *family, int row, bool figure,
                size_t offset, const struct clg_tuning_shape *shape) {
    struct clg_probe probe = {
        .family = family, .row = row, .figure = figure, .offset = offset, .shape = *shape};
    if (probes->count < probes->most &&
        predict(probes->costs, probes->facts, family, row, shape, &probe.candidate))
        probes->out[probes->count++] = probe;
}

static void add_figures(struct probes *probes) {
#define FIGURE(name, family, type, math, m, n, k, batch)                          \
    {                                                                             \
        offsetof(struct clg_costs, name), &clg_family_##family, {                 \
            m, n, k, false, false, true, CLGEMM_##type, CLGEMM_MATH_##math, batch \
        }                                                                         \
    }
    static const struct {
        size_t offset;
        const struct clg_family *family;
        struct clg_tuning_shape shape;
    } figures[] = {
        FIGURE(enqueue_us, tiled, F32, DEFAULT, 32, 32, 32, 0),
        FIGURE(enqueue_two_us, tiled, F32, DEFAULT, 64, 64, 8192, 0),
        FIGURE(thin_rate, thin, F32, DEFAULT, 8192, 1, 8192, 0),
        FIGURE(thin_fixed_us, thin, F32, DEFAULT, 2048, 1, 1024, 0),
        FIGURE(thin_least_us, thin, F32, DEFAULT, 512, 1, 256, 0),
        FIGURE(many_rate, many, F32, DEFAULT, 16, 16, 16, 16384),
        FIGURE(many_fmas, many, F32, DEFAULT, 32, 32, 128, 4096),
        FIGURE(many_fixed_us, many, F32, DEFAULT, 8, 8, 8, 128),
        FIGURE(panel_lane_fmas, panel, F32, DEFAULT, 1024, 1024, 1024, 0),
        FIGURE(panel_fixed_us, panel, F32, DEFAULT, 32, 32, 32, 0),
        FIGURE(direct_step_ns, direct, F32, DEFAULT, 64, 64, 1024, 0),
        FIGURE(direct_fixed_us, direct, F32, DEFAULT, 8, 8, 8, 0),
        FIGURE(tensor_accurate_us, tensor, F32, ACCURATE, 4096, 4096, 4096, 0),
        FIGURE(tensor_normwise_us, tensor, F32, NORMWISE, 4096, 4096, 4096, 0),
        FIGURE(tensor_tf32_us, tensor, F32, TF32, 4096, 4096, 4096, 0),
        FIGURE(tensor_half_us, tensor, F16, DEFAULT, 4096, 4096, 4096, 0),
        FIGURE(residues_row_us, residues, F64, NORMWISE, 4096, 4096, 4096, 0),
        FIGURE(dot_products, dot, F64, NORMWISE, 2048, 2048, 2048, 0),
        FIGURE(skinny_normwise_split_us, skinny, F32, NORMWISE, 8192, 8, 8192, 0),
        FIGURE(skinny_normwise_row_us, skinny, F32, NORMWISE, 8192, 64, 8192, 0),
        FIGURE(skinny_accurate_split_us, skinny, F32, ACCURATE, 8192, 8, 8192, 0),
        FIGURE(skinny_accurate_row_us, skinny, F32, ACCURATE, 8192, 64, 8192, 0),
    };
#undef FIGURE
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        add(probes, figures[i].family, -1, true, figures[i].offset, &figures[i].shape);
}

/* A product of `groups` tiles, nearly square, or a batch of one tile each. */
static struct clg_tuning_shape product_of(const struct clg_cost_row *row, int64_t groups,
                                          int depth) {
    const struct clg_params *p = &row->params;
    int64_t down = (int64_t)sqrt((double)groups);
    int64_t k = (int64_t)depth * p->tile_k;
    while (groups % down)
        down--;
    if (k < row->least_k)
        k = clg_round_up(row->least_k, p->tile_k);
    else if (k > row->most_k)
        k = row->most_k / p->tile_k * p->tile_k;
    const bool batch = row->use == CLG_FOR_BATCHES && groups > 1;
    return (struct clg_tuning_shape){.m = p->tile_m * (batch ? 1 : down),
                                     .n = p->tile_n * (batch ? 1 : groups / down),
                                     .k = k,
                                     .aligned = row->most_vector >= CLG_WIDEST_VECTOR,
                                     .type = row->types >> CLGEMM_F32 & 1 ? CLGEMM_F32 : CLGEMM_F64,
                                     .batch = batch ? groups : 0};
}

/* Tiles along k of a problem with so many groups on a unit. */
static int steps_of(const struct probes *probes, const struct clg_cost_row *row, int64_t groups,
                    int least) {
    const double step_ns = row->step_ns[groups == 1 ? 0 : groups == 2 ? 1 : 2];
    const double seen_ns = 1e3 * seen * probes->costs->enqueue_two_us;
    const double shallow = step_ns > 0 ? seen_ns / step_ns : 0;
    const double most = (double)row->most_k / row->params.tile_k;
    const double steps =
        least == DEEP ? fmax(least, deeper * shallow) : fmin(fmax(least, shallow), most / deeper);
    return (int)fmin(fmax(steps, 1), MOST_STEPS);
}

/* Numbers of a row, each with the problem that shows it: groups on a unit, and the depth. */
static void add_row(struct probes *probes, int index) {
    const struct clg_cost_row *row = &probes->costs->rows[index];
    const int64_t units = clg_tiled_units(probes->facts);
    const bool batches = row->use == CLG_FOR_BATCHES;
    const bool copies = row->family == &clg_family_multistage; /* it packs nothing */
    const struct {
        size_t offset;
        int64_t groups;
        int depth;
        bool scalars, applies;
    } numbers[] = {
        {offsetof(struct clg_cost_row, step_ns[2]), row->resident, DEEP, false, true},
        {offsetof(struct clg_cost_row, step_ns[0]), 1, DEEP, false, row->resident > 1 && !batches},
        {offsetof(struct clg_cost_row, step_ns[1]), 2, DEEP, false, row->resident > 2 && !batches},
        {offsetof(struct clg_cost_row, fixed_us), batches ? row->resident : 1, SHALLOW, false,
         true},
        {offsetof(struct clg_cost_row, round_us), INT64_C(2) * row->resident, SHALLOW, false, true},
        {offsetof(struct clg_cost_row, scalars), row->resident_scalars, copies ? DEEP : SCALAR,
         true, row->least_vector <= 1 && !batches},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const int64_t groups = numbers[i].groups;
        struct clg_tuning_shape shape =
            product_of(row, groups * units, steps_of(probes, row, groups, numbers[i].depth));
        shape.aligned = shape.aligned && !numbers[i].scalars;
        if (numbers[i].applies)
            add(probes, row->family, index, false, numbers[i].offset, &shape);
    }
}

/* The factor for doubles, by a row that is for floats as well. */
static void add_doubles(struct probes *probes, int index) {
    struct clg_tuning_shape shape =
        product_of(&probes->costs->rows[index],
                   probes->costs->rows[index].resident * clg_tiled_units(probes->facts), DEEP);
    shape.type = CLGEMM_F64;
    add(probes, &clg_family_tiled, index, true, offsetof(struct clg_costs, f64_slower), &shape);
}

/* ---- Drawn problems ---- */

static int64_t draw_length(uint64_t *state, double least, double most) {
    const double part = (double)(clg_random_next(state) >> 11) * 0x1p-53;
    const double length = least * pow(most / least, part);
    return clg_random_next(state) % 4 ? clg_round_up((int64_t)length, 16) : (int64_t)length;
}

static bool draw(uint64_t *state, const struct clg_facts *facts, struct clg_problem *out) {
    struct clg_tuning_shape shape = {.m = draw_length(state, 16, 6144),
                                     .n = draw_length(state, 16, 6144),
                                     .k = draw_length(state, 32, 6144)};
    const uint64_t bits = clg_random_next(state);
    shape.ta = bits & 1;
    shape.tb = bits >> 1 & 1;
    shape.aligned = shape.m % 4 == 0 && shape.n % 4 == 0 && shape.k % 4 == 0;
    shape.type = bits >> 2 & 1 && facts->has_fp64 ? CLGEMM_F64 : CLGEMM_F32;
    return !clg_tuning_problem(out, &shape);
}

static bool choose(const struct clg_costs *costs, const struct clg_facts *facts,
                   const struct clg_problem *problem, struct clg_list *out) {
    const struct clg_basis basis = {.facts = facts, .costs = costs};
    clg_select(out, problem, &basis);
    return out->count > 0;
}

/* Parameters of a row, whatever the problem changes in them. */
static bool is_of_row(const struct clg_candidate *candidate, const struct clg_cost_row *row) {
    struct clg_params p = candidate->params;
    p.split_k = row->params.split_k;
    p.split_tail = row->params.split_tail;
    p.sharers = row->params.sharers;
    p.pack_a = row->params.pack_a;
    p.pack_b = row->params.pack_b;
    return candidate->family == row->family && clg_params_equal(&p, &row->params);
}

/* How often each row is the choice. */
static void count_uses(const struct probes *probes, int uses[CLG_COST_ROWS]) {
    uint64_t state = 1;
    for (int i = 0; i < DRAWN; i++) {
        struct clg_problem problem;
        struct clg_list list;
        if (!draw(&state, probes->facts, &problem) ||
            !choose(probes->costs, probes->facts, &problem, &list))
            continue;
        for (size_t r = 0; r < probes->costs->count; r++)
            uses[r] += is_of_row(&list.at[0], &probes->costs->rows[r]);
    }
}

int clg_model_probes(const struct clg_costs *costs, const struct clg_facts *facts,
                     struct clg_probe *out, int most) {
    struct probes probes = {.costs = costs, .facts = facts, .out = out, .most = most};
    int uses[CLG_COST_ROWS] = {0};
    bool doubles = false;
    add_figures(&probes);
    count_uses(&probes, uses);
    for (;;) { /* the most used row that is left; each is marked when it is taken */
        int next = -1;
        for (size_t r = 0; r < costs->count; r++)
            if (uses[r] >= 0 && costs->rows[r].step_ns[2] > 0 && !costs->rows[r].measured &&
                (next < 0 || uses[r] > uses[next]))
                next = (int)r;
        if (next < 0)
            return probes.count;
        uses[next] = -1;
        add_row(&probes, next);
        if (!doubles && costs->rows[next].family == &clg_family_tiled && facts->has_fp64 &&
            costs->rows[next].types >> CLGEMM_F64 & costs->rows[next].types & 1) {
            add_doubles(&probes, next);
            doubles = true;
        }
    }
}

/* ---- The fit ---- */

static double get(const struct clg_costs *costs, const struct clg_probe *probe) {
    return probe->figure
               ? *(const double *)((const char *)costs + probe->offset)
               : (double)*(const float *)((const char *)&costs->rows[probe->row] + probe->offset);
}

static void set(struct clg_costs *costs, const struct clg_probe *probe, double value) {
    if (probe->figure)
        *(double *)((char *)costs + probe->offset) = value;
    else
        *(float *)((char *)&costs->rows[probe->row] + probe->offset) = (float)value;
}

static double us_with(struct clg_costs *costs, const struct clg_facts *facts,
                      const struct clg_probe *probe, double value) {
    set(costs, probe, value);
    return predicted_us(costs, facts, probe);
}

/* The value with which the model predicts the probe's time, by bisection, since times rise or fall
 * with every number. A number that hardly matters there keeps its value, as does one whose time no
 * value explains. The host's times are such numbers where kernels take longer, or where another
 * candidate takes less. */
static void solve(struct clg_costs *costs, const struct clg_costs *before,
                  const struct clg_facts *facts, const struct clg_probe *probe) {
    enum { HALVINGS = 50 };
    static const double range = 16, least = 1, matters = 1.02;
    const double old = get(costs, probe), start = get(before, probe);
    double low = start / range, high = fmax(start, least) * range;
    const double at_low = us_with(costs, facts, probe, low);
    const double at_high = us_with(costs, facts, probe, high);
    const double at_start = us_with(costs, facts, probe, start);
    const double saturated = us_with(costs, facts, probe, high / 2);
    const bool rises = at_high > at_low;
    if (fmax(at_low, at_high) < matters * fmin(at_low, at_high) ||
        (start > 0 && fmax(at_low, at_start) < matters * fmin(at_low, at_start)) ||
        (rises && at_high < matters * saturated && probe->us > saturated)) {
        set(costs, probe, old);
        return;
    }
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = low > 0 ? sqrt(low * high) : (low + high) / 2;
        if ((us_with(costs, facts, probe, middle) < probe->us) == rises)
            low = middle;
        else
            high = middle;
    }
    set(costs, probe, low);
}

/* Steps with fewer groups on a unit that were not measured. */
static void complete(struct clg_cost_row *row, const struct clg_cost_row *before) {
    if (row->use == CLG_FOR_BATCHES) {
        row->step_ns[0] = before->step_ns[0] * row->step_ns[2] / before->step_ns[2];
        row->step_ns[1] = before->step_ns[1] * row->step_ns[2] / before->step_ns[2];
    } else if (row->resident == 1) {
        row->step_ns[0] = row->step_ns[2];
        row->step_ns[1] = 2 * row->step_ns[2];
    } else if (row->resident == 2) {
        row->step_ns[1] = row->step_ns[2];
    }
}

/* Rows without measurements change as the others of their family: by the mean factor of a step. */
static void carry_over(struct clg_costs *costs, const struct clg_costs *before) {
    for (size_t f = 0; clg_families[f]; f++) {
        double sum = 0;
        int count = 0;
        for (size_t r = 0; r < costs->count; r++)
            if (costs->rows[r].family == clg_families[f] && costs->rows[r].measured &&
                !before->rows[r].measured) {
                sum += log(costs->rows[r].step_ns[2] / before->rows[r].step_ns[2]);
                count++;
            }
        for (size_t r = 0; r < costs->count && count > 0; r++)
            if (costs->rows[r].family == clg_families[f] && !costs->rows[r].measured)
                for (int i = 0; i < 3; i++)
                    costs->rows[r].step_ns[i] *= (float)exp(sum / count);
    }
}

void clg_model_fit(struct clg_costs *costs, const struct clg_facts *facts,
                   const struct clg_probe *probes, int count) {
    const struct clg_costs before = *costs;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = 0; i < count; i++)
            if (probes[i].us > 0 && !probes[i].figure) {
                solve(costs, &before, facts, &probes[i]);
                complete(&costs->rows[probes[i].row], &before.rows[probes[i].row]);
                costs->rows[probes[i].row].measured = true;
            }
        for (int i = 0; i < count; i++)
            if (probes[i].us > 0 && probes[i].figure)
                solve(costs, &before, facts, &probes[i]);
        /* The other rates of memory change as that of long reads. */
        const double faster = before.thin_rate > 0 ? costs->thin_rate / before.thin_rate : 1;
        costs->read_rate = before.read_rate * faster;
        costs->copy_rate = before.copy_rate * faster;
        costs->scatter_rate = before.scatter_rate * faster;
    }
    carry_over(costs, &before);
}

struct clg_model_change clg_model_compare(const struct clg_costs *before,
                                          const struct clg_costs *after,
                                          const struct clg_facts *facts) {
    struct clg_model_change change = {.faster = 1};
    uint64_t state = 2;
    double sum = 0;
    for (int i = 0; i < DRAWN; i++) {
        struct clg_problem problem;
        struct clg_list old, new;
        if (!draw(&state, facts, &problem) || !choose(before, facts, &problem, &old) ||
            !choose(after, facts, &problem, &new))
            continue;
        change.problems++;
        for (int at = 1; at < new.count; at++)
            if (clg_candidate_equal(&new.at[at], &old.at[0])) {
                change.chosen++;
                sum += log(new.at[at].us / new.at[0].us);
            }
    }
    if (change.chosen)
        change.faster = exp(sum / change.chosen);
    return change;
}
