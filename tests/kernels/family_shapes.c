/* SPDX-License-Identifier: Apache-2.0
 * Rows of the families' tables on the device, whatever the library would choose there: transposes,
 * aligned and not, on shapes just past a tile. All rows for devices of its kind, and the small ones
 * of other kinds; and what scales C. With the argument "few" only what a simulator can do in some
 * minutes, and small parameters of the family that no device but NVIDIA's runs by its tables. A
 * tenth of the rows, which is drawn, in types by turns, unless the sweep is to be long. */
#include <string.h>

#include "device/device.h"
#include "gemm/family.h"
#include "run/engine.h"
#include "support/check.h"
#include "support/device.h"
#include "support/multistage.h"

/* Larger tiles take a CPU's compiler minutes and a simulator's interpreter longer. */
enum { SMALL_TILE = 16 * 32, TINY_TILE = 16 * 16 };

/* A row is compiled some twenty times, and another row says little new. */
enum { PARTS = 10 };

static bool few;       /* for a simulator */
static int drawn = -1; /* the part of the rows that is run; -1: all */

/* What one test runs on. */
struct bench {
    struct clg_test_cl cl;
    struct clg_engine engine;
    struct clg_binaries *store;
    const struct clg_facts *facts;
    int runs, rows; /* done */
};

static struct clg_problem problem_of(const struct clg_test_case *test) {
    const struct clg_call call = clg_test_case_call(test);
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    return problem;
}

static void run(struct bench *bench, const struct clg_family *family,
                const struct clg_params *params, const struct clg_test_problem *shape) {
    struct clg_test_random random = clg_test_random_start((uint64_t)bench->runs);
    struct clg_test_case test;
    struct clg_test_buffers made;
    clg_test_case_create(&test, shape, &random);
    const struct clg_problem problem = problem_of(&test);
    if (!family->unsupported_reason(&problem, bench->facts, params)) {
        struct clg_prepared prepared;
        const struct clg_enqueue where = {.queue = bench->cl.queue};
        clg_plan_with(&prepared.plan, family, params, &problem, bench->facts);
        clg_test_buffers_create(&bench->cl, &test, &made);
        clg_test_plan_enqueue(&bench->engine, &prepared, &test, &made, &where, NULL);
        clg_test_buffers_check(&bench->cl, &test, &made, NULL);
        clg_test_buffers_release(&made);
        bench->runs++;
    }
    clg_test_case_destroy(&test);
}

/* Shapes just past a tile and narrower than one, and several tiles each v. */
static void run_row(struct bench *bench, const struct clg_family *family,
                    const struct clg_params *params, clgemm_type type, bool brief, bool one) {
    const int64_t tm = params->tile_m, tn = params->tile_n,
                  tk = params->tile_k ? params->tile_k : 4;
    const int64_t shapes[][3] = {
        {tm + 1, tn + 1, tk + 1}, {tm, tn, 2 * tk},        {tm / 2 + 1, tn / 2 + 3, 3},
        {tm + 3, 4 * tn + 1, 5},  {4 * tm + 1, tn + 3, 5},
    };
    struct clg_params more = *params, tail = *params; /* what is done around the main kernel */
    more.pack_a = more.pack_b = 1;
    more.split_k = 3;
    tail.split_tail = 2;
    const size_t count = one ? 1 : tm <= 16 && tn <= 16 ? 5 : 3;
    for (size_t i = 0; i < count; i++)
        for (int variant = 0; variant < 8; variant++) {
            const bool odd = variant & 4;
            if (brief && variant != 0 && variant != 3 && variant != 5 && variant != 6)
                continue;
            const struct clg_test_problem shape = {
                .type = type,
                .batch = variant == 3 || variant == 4 ? 2 : 1,
                .shares_a = i % 2,
                .layout = CLGEMM_COL_MAJOR,
                .ta = variant & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                .tb = variant & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                .m = shapes[i][0],
                .n = shapes[i][1],
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
            run(bench, family, params, &shape);
            if (family == &clg_family_tiled && (!brief || i == 0))
                run(bench, family, variant % 2 ? &tail : &more, &shape);
        }
}

/* What only C is needed for: multiplied by a factor, and by 0. */
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

/* A tiled row with other operand placements, aligned and not. With one operand private there are
 * two stages: with one, PoCL 3.1 loses what is stored to a local tile of an operand along k, which
 * Oclgrind does not. A plain run has one placement: each takes a CPU's compiler half a minute. */
static void run_placements(struct bench *bench, const struct clg_params *row, clgemm_type type) {
    enum { PLACEMENTS = 4 };
    for (int placement = 1; placement <= PLACEMENTS; placement++) {
        struct clg_params params = *row;
        if (drawn >= 0 && !few && placement != 1 + drawn % PLACEMENTS)
            continue;
        params.private_a = placement & 1;
        params.private_b = placement >> 1 & 1;
        params.in_place = placement == 4;
        params.wg_k = placement == 4 ? row->wg_k : 0;
        params.stages = placement < 3 ? 2 : placement == 3 ? 1 : row->stages;
        params.pad_local = placement == 3 ? 0 : 4;
        const int before = bench->runs;
        run_row(bench, &clg_family_tiled, &params, type, true, true);
        assert_true(few || bench->runs > before);
    }
}

/* Whether a table of another kind, run before, has the same row. */
static bool repeated(const struct clg_family *family, enum clg_device_kind kind,
                     const struct clg_params *params) {
    size_t count;
    if (kind == CLG_DEVICE_CPU)
        return false;
    const struct clg_params *rows = family->rows(CLG_DEVICE_CPU, &count);
    for (size_t i = 0; i < count; i++)
        if (memcmp(&rows[i], params, sizeof *params) == 0)
            return true;
    return false;
}

/* By turns. On CPUs, where the library never chooses `tiled` for elements of 16 bits, since PoCL
 * compiles it for up to 15 s then, those are the simulator's and the long sweep's. */
static clgemm_type type_for(const struct bench *bench, const struct clg_family *family, int turn) {
    const clgemm_type type = clg_test_type(turn);
    const bool left_out = drawn >= 0 && !few && family == &clg_family_tiled &&
                          bench->facts->kind == CLG_DEVICE_CPU && clg_type_is_narrow(type);
    return left_out ? CLGEMM_F32 : type;
}

static int turn; /* rows that were looked at */

static bool is_left_out(void) {
    return turn++ % PARTS != drawn && drawn >= 0;
}

static void run_family(struct bench *bench, const struct clg_family *family,
                       enum clg_device_kind kind) {
    size_t count;
    const struct clg_params *rows = family->rows(kind, &count);
    for (size_t i = 0; i < count; i++) {
        const bool small = rows[i].tile_m * rows[i].tile_n <= SMALL_TILE;
        if (repeated(family, kind, &rows[i]) || (!small && (few || kind != bench->facts->kind)))
            continue;
        if (is_left_out())
            continue;
        bench->rows++;
        const int before = bench->runs;
        /* For the others' tables, and on a simulator for those with larger tiles, one shape. */
        const bool other = kind != bench->facts->kind;
        for (int t = 0; t < (drawn < 0 ? clg_test_num_types() : 1); t++) {
            const clgemm_type type = type_for(bench, family, turn + t);
            run_row(bench, family, &rows[i], type, few || other,
                    few ? kind == CLG_DEVICE_GPU : other);
            if (family == &clg_family_tiled && rows[i].tile_m * rows[i].tile_n <= TINY_TILE)
                run_placements(bench, &rows[i], type);
        }
        print_message("%s, %dx%d for a %s: %d runs\n", family->name, rows[i].tile_m, rows[i].tile_n,
                      clg_device_kind_name(kind), bench->runs - before);
    }
}

/* Where the family's tables have only what simulators take hours for: small parameters, whole, cut
 * along k, and with a tail, each with every transpose, and of batches; one of these if the family
 * is drawn as a row is. */
static void run_multistage(struct bench *bench) {
    enum { CUTS = 3, TRANSPOSES = 4, FORMS = CLG_TEST_MULTISTAGE_ROWS * CUTS * TRANSPOSES };
    const int only = drawn < 0 ? -1 : clg_test_draw(FORMS), before = bench->runs;
    if (is_left_out())
        return;
    clg_test_multistage_allow(&bench->engine.device->facts);
    for (int form = 0; form < FORMS; form++) {
        const int row = form / TRANSPOSES / CUTS, cut = form / TRANSPOSES % CUTS;
        const struct clg_params params = clg_test_multistage_row(row, cut);
        const struct clg_test_problem shape = {.batch = cut < 2 && form % 2 ? 2 : 1,
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
    (void)state;
    struct bench bench = {0};
    clg_test_cl_open(&bench.cl, 0);
    clg_test_engine_open(&bench.engine, &bench.store, &bench.cl);
    bench.facts = &bench.engine.device->facts;
    for (int i = 0; clg_families[i]; i++) {
        run_family(&bench, clg_families[i], CLG_DEVICE_CPU);
        run_family(&bench, clg_families[i], CLG_DEVICE_GPU);
    }
    for (int t = 0; t < clg_test_num_types(); t++)
        if (drawn < 0 || t == drawn % clg_test_num_types())
            run_scale(&bench, clg_test_type(t));
    if (few)
        run_multistage(&bench);
    print_message("%d rows of the tables, %d runs in all\n", bench.rows, bench.runs);
    assert_true(bench.runs > 0);
    clg_test_engine_close(&bench.engine, bench.store);
    clg_test_cl_close(&bench.cl);
}

int main(int argc, char **argv) {
    few = argc > 1 && strcmp(argv[1], "few") == 0;
    clg_test_require_device();
    if (!clg_test_is_long())
        drawn = clg_test_draw(PARTS);
    const struct CMUnitTest tests[] = {cmocka_unit_test(families_are_right)};
    return cmocka_run_group_tests_name("families", tests, NULL, NULL);
}
