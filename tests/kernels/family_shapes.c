/* SPDX-License-Identifier: Apache-2.0
 * Presets of each family on the device, whatever the library would choose there: transposes,
 * aligned and not, on shapes just past a tile. All presets for devices of this kind, and the small
 * ones for other kinds; and scaling of C. With the argument "few" only what a simulator can do in
 * some minutes, and small parameters of the family that only NVIDIA's devices use. A short run
 * draws a part of the sweep, with alternating types; all parts take about as long. */
#include <string.h>

#include "base/checked.h"
#include "base/hash.h"
#include "device/device.h"
#include "gemm/family.h"
#include "run/engine.h"
#include "support/check.h"
#include "support/device.h"
#include "support/multistage.h"
#include "support/random.h"
#include "support/rows.h"

/* Larger tiles take a CPU's compiler minutes and a simulator longer. */
enum { SMALL_TILE = 16 * 32, TINY_TILE = 16 * 16 };

/* Of the sweep, whose types, shapes and (for `tiled`) placements are drawn as well. */
enum { PARTS = 45, FEW_PARTS = 40, TYPES = 4, PLACEMENTS = 4 };

enum { VARIANTS = 8, MOST_UNITS = 2048, MOST_PROGRAMS = 256 };

static bool few;       /* for a simulator */
static int parts;      /* of the sweep */
static int drawn = -1; /* the part that runs; -1: all */
static int turned;     /* the first type, the shape, and the placement */

/* What one test runs on. */
struct bench {
    struct clg_test_cl cl;
    struct clg_engine engine;
    struct clg_binaries *store;
    const struct clg_facts *facts;
    int runs;
    /* While parts are being dealt nothing runs, but costs are added up, program by program. */
    bool deals;
    double cost;
    struct clg_hash built[MOST_PROGRAMS];
    int num_built;
};

/* What is dealt to the parts: a preset with a pair of transposes and an alignment. Its programs are
 * the same for every shape. */
struct unit {
    const struct clg_family *family;
    const struct clg_params *params;
    enum clg_device_kind kind;
    int variant;
    int turn; /* of the preset, for its types */
};

static struct clg_problem problem_of(const struct clg_test_case *test) {
    const struct clg_call call = clg_test_case_call(test);
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    return problem;
}

/* Whether the unit that is being dealt already has this program. */
static bool is_built(struct bench *bench, const struct clg_step *step) {
    const struct clg_hash hash =
        clg_hash_of(step->source, strlen(step->source), step->options, strlen(step->options));
    for (int i = 0; i < bench->num_built; i++)
        if (memcmp(&bench->built[i], &hash, sizeof hash) == 0)
            return true;
    assert_true(bench->num_built < MOST_PROGRAMS);
    bench->built[bench->num_built++] = hash;
    return false;
}

/* The relative cost of a plan. On a simulator: that of a launch, and of the multiply-adds of whole
 * tiles, many times as much if races in local memory are searched. Else of a compiler: that of a
 * program, and of what is unrolled for a tile. */
static double cost_of(struct bench *bench, const struct clg_plan *plan) {
    const struct clg_params *p = &plan->params;
    const struct clg_problem *problem = &plan->problem;
    const bool tiled = plan->family == &clg_family_tiled, panel = plan->family == &clg_family_panel;
    double cost = 0;
    if (few)
        return (tiled ? 40 : 1) *
               (4000.0 * plan->num_steps +
                (double)(clg_ceil_div(problem->m, p->tile_m) * clg_ceil_div(problem->n, p->tile_n) *
                         problem->batch * problem->k * p->tile_m * p->tile_n));
    for (int i = 0; i < plan->num_steps; i++)
        if (!is_built(bench, &plan->steps[i]))
            cost += 16 + (panel ? 2 : 1) * p->tile_m * p->tile_n;
    return cost;
}

static void run(struct bench *bench, const struct clg_family *family,
                const struct clg_params *params, const struct clg_test_problem *shape) {
    struct clg_test_random random = clg_test_random_start((uint64_t)bench->runs);
    struct clg_test_case test;
    struct clg_test_buffers made;
    clg_test_case_create(&test, shape, &random);
    const struct clg_problem problem = problem_of(&test);
    if (!clg_family_unsupported_reason(family, &problem, bench->facts, params)) {
        struct clg_prepared prepared;
        const struct clg_enqueue where = {.queue = bench->cl.queue};
        clg_plan_with(&prepared.plan, family, params, &problem, bench->facts);
        if (bench->deals) {
            bench->cost += cost_of(bench, &prepared.plan);
        } else {
            clg_test_buffers_create(&bench->cl, &test, &made);
            clg_test_plan_enqueue(&bench->engine, &prepared, &test, &made, &where, NULL);
            clg_test_buffers_check(&bench->cl, &test, &made, NULL);
            clg_test_buffers_release(&made);
        }
        bench->runs++;
    }
    clg_test_case_destroy(&test);
}

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

/* The thin family computes only the few rows or columns that a group can hold. */
static bool is_few(const struct clg_family *family, int64_t tile, int64_t other) {
    return family == &clg_family_thin && tile < other;
}

/* Shapes just past a tile, narrower than one, and of several tiles v each; or the first of them.
 * For a family whose products are at most a tile: such products, and more of them than a group
 * has. */
static void run_shapes(struct bench *bench, const struct unit *unit,
                       const struct clg_params *params, clgemm_type type, bool brief, bool one) {
    const bool thin =
        unit->family == &clg_family_thin; /* whose tile along k depends on the few rows */
    const int64_t tm = params->tile_m, tn = params->tile_n,
                  tk = thin             ? (int64_t)params->wg_k * params->unroll_k
                       : params->tile_k ? params->tile_k
                                        : 4;
    const int64_t shapes[][3] = {
        {tm + 1, tn + 1, tk + 1}, {tm, tn, 2 * tk},        {tm / 2 + 1, tn / 2 + 3, 3},
        {tm + 3, 4 * tn + 1, 5},  {4 * tm + 1, tn + 3, 5},
    };
    struct clg_params more = *params,
                      tail = *params; /* the steps before and after the main kernel */
    more.pack_a = more.pack_b = !thin;
    more.split_k = thin ? 2 : 3;
    tail.split_tail = 2;
    const int variant = unit->variant;
    const bool odd = variant & 4, many = unit->family == &clg_family_many;
    const bool cut_m = many || is_few(unit->family, tm, tn);
    const bool cut_n = many || is_few(unit->family, tn, tm);
    const size_t count = one ? 1 : tm <= 16 && tn <= 16 ? 5 : 3;
    for (size_t i = 0; i < count; i++) {
        if (drawn >= 0 && !few && i != (size_t)turned % count)
            continue;
        const struct clg_test_problem shape = {
            .type = type,
            .batch = many                           ? params->products + 1
                     : variant == 3 || variant == 4 ? 2
                                                    : 1,
            .shares_a = i % 2,
            .layout = CLGEMM_COL_MAJOR,
            .ta = variant & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
            .tb = variant & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
            .m = cut_m ? least(shapes[i][0], tm - (int64_t)i % tm) : shapes[i][0],
            .n = cut_n ? least(shapes[i][1], tn - (int64_t)i % tn) : shapes[i][1],
            .k = shapes[i][2],
            .alpha = -0.7f,
            .beta = odd ? 0.0f : 1.5f,
            .gap_a = odd ? 3 : 0,
            .gap_b = odd ? 1 : 0,
            .gap_c = odd ? 2 : 0,
            .offset_a = odd ? 1 : 0,
            .offset_b = odd ? 2 : 0,
            .offset_c = odd ? 3 : 4,
        };
        run(bench, unit->family, params, &shape);
        if (unit->family == &clg_family_tiled && (!brief || i == 0))
            run(bench, unit->family, variant % 2 ? &tail : &more, &shape);
        if (thin && (!brief || i == 0))
            run(bench, unit->family, &more, &shape);
    }
}

/* A triangle of C, just past two of the longer tiles, with one of the two cuts of k. On a
 * simulator, which can take 20 minutes for two of 128, just past one such tile. */
static void run_triangle(struct bench *bench, const struct clg_family *family,
                         const struct clg_params *params, clgemm_type type, int form) {
    const int64_t tile = params->tile_m > params->tile_n ? params->tile_m : params->tile_n;
    const int64_t side = (few && tile > 64 ? 1 : 2) * tile + 1;
    struct clg_params cut = *params;
    const struct clg_test_problem shape = {.type = type,
                                           .layout = CLGEMM_COL_MAJOR,
                                           .triangle = form & 1 ? CLG_UPPER : CLG_LOWER,
                                           .ta = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                           .tb = form & 2 ? CLGEMM_NO_TRANS : CLGEMM_TRANS,
                                           .batch = form & 1 ? 2 : 1,
                                           .m = side,
                                           .n = side,
                                           .k = 3 * (int64_t)(params->tile_k ? params->tile_k : 2),
                                           .alpha = -0.7f,
                                           .beta = form & 4 ? 0.0f : 1.5f,
                                           .gap_a = form % 3,
                                           .gap_c = 1};
    cut.split_k = form & 1 ? 2 : 0;
    cut.split_tail = form & 1 ? 0 : 2;
    if (family->triangles)
        run(bench, family, family == &clg_family_direct ? params : &cut, &shape);
}

/* Each pair of transposes, alternately aligned and not. */
static bool is_brief(int variant) {
    return variant == 0 || variant == 3 || variant == 5 || variant == 6;
}

/* What only needs C: multiplied by a factor, and by 0. */
static void run_scale(struct bench *bench, clgemm_type type) {
    for (int variant = 0; variant < 4; variant++) {
        const struct clg_test_problem shape = {.type = type,
                                               .batch = variant & 1 ? 3 : 1,
                                               .layout = CLGEMM_COL_MAJOR,
                                               .ta = CLGEMM_NO_TRANS,
                                               .tb = CLGEMM_NO_TRANS,
                                               .m = 21,
                                               .n = 13,
                                               .k = 4,
                                               .beta = variant & 2 ? 0.0f : 1.5f,
                                               .gap_c = variant,
                                               .offset_c = (size_t)variant};
        struct clg_test_random random = clg_test_random_start((uint64_t)variant);
        const struct clg_enqueue where = {.queue = bench->cl.queue};
        struct clg_test_case test;
        struct clg_test_buffers made;
        struct clg_prepared prepared;
        clg_test_case_create(&test, &shape, &random);
        const struct clg_problem problem = problem_of(&test);
        clg_plan_scale(&prepared.plan, &problem, bench->facts);
        clg_test_buffers_create(&bench->cl, &test, &made);
        clg_test_plan_enqueue(&bench->engine, &prepared, &test, &made, &where, NULL);
        clg_test_buffers_check(&bench->cl, &test, &made, NULL);
        clg_test_buffers_release(&made);
        clg_test_case_destroy(&test);
        bench->runs++;
    }
}

/* A `tiled` preset with other operand placements, aligned and not. With one operand in registers
 * there are two stages: with one, PoCL 3.1 loses stores to a local tile of an operand along k,
 * which Oclgrind does not. A compiler takes half a minute for each. */
static void run_placements(struct bench *bench, const struct unit *unit, clgemm_type type) {
    for (int placement = 1; placement <= PLACEMENTS; placement++) {
        struct clg_params params = *unit->params;
        if (drawn >= 0 && !few && placement != 1 + turned / TYPES)
            continue;
        params.private_a = placement & 1;
        params.private_b = placement >> 1 & 1;
        params.in_place = placement == 4;
        params.wg_k = placement == 4 ? params.wg_k : 0;
        params.stages = placement < 3 ? 2 : placement == 3 ? 1 : params.stages;
        params.pad_local = placement == 3 ? 0 : 4;
        const int before = bench->runs;
        run_shapes(bench, unit, &params, type, true, true);
        assert_true(few || bench->runs > before);
    }
}

/* Whether an earlier table, for another kind, has the same preset. */
static bool repeated(const struct clg_family *family, enum clg_device_kind kind,
                     const struct clg_params *params) {
    size_t count;
    if (kind == CLG_DEVICE_CPU)
        return false;
    const struct clg_params *rows = clg_test_rows(family, CLG_DEVICE_CPU, &count);
    for (size_t i = 0; i < count; i++)
        if (memcmp(&rows[i], params, sizeof *params) == 0)
            return true;
    return false;
}

/* Alternating. On CPUs the library never chooses `tiled` for 16-bit types, because PoCL takes up to
 * 15 s to compile it; there only the simulator and the long sweep use them. */
static clgemm_type type_for(const struct bench *bench, const struct clg_family *family, int turn) {
    const clgemm_type type = clg_test_type(turn + turned % TYPES);
    const bool left_out = drawn >= 0 && !few && family == &clg_family_tiled &&
                          bench->facts->kind == CLG_DEVICE_CPU && clg_type_is_narrow(type);
    return left_out ? CLGEMM_F32 : type;
}

/* In the order of the long sweep, and all of it, whatever is drawn: fewer variants for presets of
 * other devices, or on a simulator. */
static int list_units(const struct bench *bench, struct unit units[MOST_UNITS]) {
    static const enum clg_device_kind kinds[] = {CLG_DEVICE_CPU, CLG_DEVICE_GPU};
    int count = 0, turn = 0;
    for (int f = 0; clg_families[f]; f++)
        for (int k = 0; k < 2; k++) {
            const bool all = !few && kinds[k] == bench->facts->kind;
            size_t rows;
            const struct clg_params *params = clg_test_rows(clg_families[f], kinds[k], &rows);
            for (size_t i = 0; i < rows; i++) {
                const bool small = params[i].tile_m * params[i].tile_n <= SMALL_TILE;
                if (repeated(clg_families[f], kinds[k], &params[i]) || (!small && !all))
                    continue;
                turn++;
                assert_true(count + VARIANTS <= MOST_UNITS);
                for (int v = 0; v < VARIANTS; v++)
                    if (all || is_brief(v))
                        units[count++] =
                            (struct unit){clg_families[f], &params[i], kinds[k], v, turn};
            }
        }
    return count;
}

/* For other kinds' presets, and for large tiles on a simulator, one shape. Returns the number of
 * runs. */
static int run_unit(struct bench *bench, const struct unit *unit) {
    const bool other = unit->kind != bench->facts->kind;
    const bool one = few ? unit->kind == CLG_DEVICE_GPU : other;
    const int before = bench->runs;
    for (int t = 0; t < (drawn < 0 ? clg_test_num_types() : 1); t++) {
        const clgemm_type type = type_for(bench, unit->family, unit->turn + t);
        run_shapes(bench, unit, unit->params, type, few || other, one);
        if (is_brief(unit->variant))
            run_triangle(bench, unit->family, unit->params, type, unit->variant + unit->turn);
        if (unit->family == &clg_family_tiled && is_brief(unit->variant) &&
            unit->params->tile_m * unit->params->tile_n <= TINY_TILE)
            run_placements(bench, unit, type);
    }
    return bench->runs - before;
}

/* Some presets are not for this device at all. */
static void deal(struct bench *bench, const struct unit *units, int count, int part[MOST_UNITS]) {
    static double costs[MOST_UNITS];
    bench->deals = true;
    for (int i = 0; i < count; i++) {
        bench->cost = 0;
        bench->num_built = 0;
        run_unit(bench, &units[i]);
        costs[i] = bench->cost;
    }
    bench->deals = false;
    bench->runs = 0;
    clg_test_deal(costs, count, parts, part);
}

/* For a family whose presets take a simulator hours: small parameters, whole and split along k,
 * each with every transpose, and batches; a part draws one of these. What is split is a batch
 * without a tail: slices that the kernel adds itself (JOINS) are ordered among groups by counters.
 * OpenCL 1.2 does not define that, and Oclgrind reports races. test_multistage_floats runs these on
 * the device. */
static void run_multistage(struct bench *bench) {
    enum { CUTS = 2, TRANSPOSES = 4, FORMS = CLG_TEST_MULTISTAGE_ROWS * CUTS * TRANSPOSES };
    const int only = drawn < 0 ? -1 : clg_test_draw(FORMS), before = bench->runs;
    clg_test_multistage_allow(&bench->engine.device->facts);
    for (int form = 0; form < FORMS; form++) {
        const int row = form / TRANSPOSES / CUTS, cut = form / TRANSPOSES % CUTS;
        const struct clg_params params = clg_test_multistage_row(row, cut);
        const struct clg_test_problem shape = {.batch = cut || form % 2 ? 2 : 1,
                                               .layout = CLGEMM_COL_MAJOR,
                                               .ta = form & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                               .tb = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                               .m = params.tile_m + (cut ? 1 : -3),
                                               .n = params.tile_n - 1,
                                               .k = cut ? 3 * params.tile_k + 2 : params.tile_k + 3,
                                               .alpha = -0.7f,
                                               .beta = form & 1 ? 0.0f : 1.5f,
                                               .gap_a = form % 3,
                                               .gap_b = form % 2,
                                               .gap_c = 1};
        if (only < 0 || form == only)
            run(bench, &clg_family_multistage, &params, &shape);
    }
    assert_int_equal(bench->runs - before, only < 0 ? FORMS : 1);
    print_message("multistage: %d runs\n", bench->runs - before);
}

static void families_are_right(void **state) {
    static struct unit units[MOST_UNITS];
    static struct bench bench;
    static int part[MOST_UNITS];
    (void)state;
    clg_test_cl_open(&bench.cl, 0);
    clg_test_engine_open(&bench.engine, &bench.store, &bench.cl);
    bench.facts = &bench.engine.device->facts;
    const int count = list_units(&bench, units);
    if (drawn >= 0)
        deal(&bench, units, count, part);
    for (int i = 0; i < count; i++) {
        const struct unit *u = &units[i];
        if (drawn >= 0 && part[i] != drawn)
            continue;
        print_message("%s, %dx%d for a %s, variant %d: ", u->family->name, u->params->tile_m,
                      u->params->tile_n, clg_device_kind_name(u->kind), u->variant);
        print_message("%d runs\n", run_unit(&bench, u));
    }
    assert_true(bench.runs > 0);
    for (int t = 0; t < clg_test_num_types(); t++)
        if (drawn < 0 || t == drawn % clg_test_num_types())
            run_scale(&bench, clg_test_type(t));
    if (few && drawn <= 0)
        run_multistage(&bench);
    clg_test_engine_close(&bench.engine, bench.store);
    clg_test_cl_close(&bench.cl);
}

int main(int argc, char **argv) {
    few = argc > 1 && strcmp(argv[1], "few") == 0;
    clg_test_require_device();
    if (!clg_test_is_long()) {
        turned = clg_test_draw(TYPES * PLACEMENTS);
        parts = few ? FEW_PARTS : PARTS;
        drawn = clg_test_draw(parts);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(families_are_right)};
    return cmocka_run_group_tests_name("families", tests, NULL, NULL);
}
