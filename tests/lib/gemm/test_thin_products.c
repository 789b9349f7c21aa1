/* SPDX-License-Identifier: Apache-2.0
 * Products of a large matrix and a few vectors by the thin family, on any device: either operand
 * wide, all transposes, with and without vectors, edges, slices that a separate step adds and, if
 * the family is told that the device orders what groups write, slices that the last group of a tile
 * adds. */
#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static struct clg_engine *const engine = &clg_test_fixture.engine;

/* Groups small enough for CPUs' compilers. */
static const struct clg_params rows[] = {
    {.tile_m = 32, .tile_n = 1, .tile_k = 32, .wg_m = 8, .wg_n = 1, .wg_k = 4, .unroll_k = 8},
    {.tile_m = 16, .tile_n = 3, .tile_k = 32, .wg_m = 4, .wg_n = 1, .wg_k = 8, .unroll_k = 4},
    {.tile_m = 2, .tile_n = 16, .tile_k = 64, .wg_m = 1, .wg_n = 4, .wg_k = 8, .unroll_k = 4},
    {.tile_m = 4, .tile_n = 8, .tile_k = 64, .wg_m = 1, .wg_n = 2, .wg_k = 16, .unroll_k = 4},
};
enum { ROWS = sizeof rows / sizeof *rows, TRANSPOSES = 4 };

/* Layouts and edges: by how much the outer side and k exceed a number of tiles. */
struct form {
    int64_t tiles, more, chunks, more_k;
    int split;
    bool fewer; /* than the group computes */
    int64_t batch, gap;
    float beta;
};

static const struct form forms[] = {
    {.tiles = 2, .chunks = 2, .split = 0, .beta = 1.5F},
    {.tiles = 2, .more = 3, .chunks = 1, .more_k = 5, .split = 0, .fewer = true, .gap = 1},
    {.tiles = 1, .more = -5, .chunks = 4, .more_k = -3, .split = 3, .gap = 2, .beta = 1},
    {.tiles = 3, .more = 4, .chunks = 3, .more_k = 4, .split = 2, .fewer = true},
    {.tiles = 2, .more = 1, .chunks = 3, .more_k = 1, .split = 3, .batch = 3, .gap = 3, .beta = -2},
    {.tiles = 1, .more = -3, .chunks = 0, .more_k = 1, .split = 0, .batch = 2},
};
enum { FORMS = sizeof forms / sizeof *forms };

static void check(const struct clg_params *row, const struct form *form, int trans,
                  clgemm_type type, struct clg_test_random *random) {
    const bool wide_a = row->tile_m > row->tile_n;
    const int outer_tile = wide_a ? row->tile_m : row->tile_n;
    const int few_tile = wide_a ? row->tile_n : row->tile_m;
    const int64_t outer = form->tiles * outer_tile + form->more;
    const int64_t few = few_tile - (form->fewer && few_tile > 1);
    const struct clg_test_problem problem = {.type = type,
                                             .layout = CLGEMM_COL_MAJOR,
                                             .ta = trans & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                             .tb = trans & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                             .batch = form->batch,
                                             .m = wide_a ? outer : few,
                                             .n = wide_a ? few : outer,
                                             .k = form->chunks * row->tile_k + form->more_k,
                                             .alpha = -0.7F,
                                             .beta = form->beta,
                                             .gap_a = form->gap,
                                             .gap_b = form->gap,
                                             .gap_c = form->gap,
                                             .between = form->gap,
                                             .offset_a = (size_t)form->gap,
                                             .offset_b = (size_t)form->gap};
    struct clg_params params = *row;
    struct clg_test_case test;
    params.split_k = form->split;
    params.vec_a = params.vec_b = 4;
    clg_test_case_create(&test, &problem, random);
    assert_true(
        clg_test_family_run(engine, cl, &clg_family_thin, &params, CLGEMM_MATH_STRICT, &test));
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    clg_test_case_destroy(&test);
}

/* Each preset, transpose, type and variant is a program of its own: in a short run each preset has
 * two variants, drawn; in a long run all, with alternating types. */
static void is_right_at_every_edge(void **state) {
    struct clg_test_random random = clg_test_random_start(17);
    const bool all = clg_test_is_long();
    const int turn = all ? 0 : clg_test_draw(FORMS * TRANSPOSES);
    (void)state;
    for (int r = 0; r < ROWS; r++)
        for (int x = 0; x < (all ? FORMS * TRANSPOSES : 2); x++) {
            const int form = turn + r + x;
            check(&rows[r], &forms[form % FORMS], form / FORMS % TRANSPOSES,
                  clg_type_real(clg_test_type(form + form / 4)), &random);
        }
}

static void the_last_group_adds_up_where_groups_are_ordered(void **state) {
    struct clg_facts *facts = &engine->device->facts;
    const uint32_t capability = facts->capability;
    facts->capability = CLG_HOPPER;
    is_right_at_every_edge(state);
    facts->capability = capability;
}

int main(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_right_at_every_edge),
        cmocka_unit_test(the_last_group_adds_up_where_groups_are_ordered)};
    return cmocka_run_group_tests(tests, clg_test_fixture_open, clg_test_fixture_close);
}
