/* SPDX-License-Identifier: Apache-2.0
 * Rows of tiled whose work-items share their registers of B (SPREAD_B). Of the devices of these
 * tests, Intel's runtime for CPUs can run them; all others must decline. A short run draws a row
 * and its transposes, the long form does half of all. */
#include "support/check.h"
#include "support/device.h"
#include "support/facts.h"
#include "support/gemm.h"
#include "support/rows.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static struct clg_engine *const engine = &clg_test_fixture.engine;

enum { TRANSPOSES = 4, ROWS = 8 };

/* Whole tiles, and edges; aligned or not; slices of k, and packed operands. */
static const struct form {
    int64_t gap, batch;
    int more_m, more_n, k;
    bool splits, packs;
} forms[] = {{0, 1, 0, 0, 24, false, false},
             {0, 1, 1, -3, 29, false, false},
             {3, 1, -2, 5, 7, false, false},
             {1, 1, 4, 4, 64, true, true},
             {2, 3, -1, 2, 17, false, false}};
enum { FORMS = sizeof forms / sizeof *forms };

static bool run(const struct clg_params *row, const struct form *form, int trans, clgemm_type type,
                struct clg_test_random *random) {
    struct clg_params params = *row;
    const struct clg_test_problem problem = {.type = type,
                                             .batch = form->batch,
                                             .layout = CLGEMM_COL_MAJOR,
                                             .ta = trans & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                             .tb = trans & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                             .m = 2 * row->tile_m + form->more_m,
                                             .n = row->tile_n + form->more_n,
                                             .k = form->k,
                                             .alpha = -0.7F,
                                             .beta = form->gap ? 0.0F : 1.0F,
                                             .gap_a = form->gap,
                                             .gap_b = form->gap,
                                             .gap_c = form->gap};
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, random);
    params.split_k = form->splits ? 3 : 0;
    params.pack_a = params.pack_b = form->packs;
    const bool ran =
        clg_test_family_run(engine, cl, &clg_family_tiled, &params, CLGEMM_MATH_STRICT, &test);
    if (ran)
        clg_test_assert_no_fault(clg_test_case_fault(&test));
    clg_test_case_destroy(&test);
    return ran;
}

static void shared_registers_hold_the_right_columns(void **state) {
    struct clg_test_random random = clg_test_random_start(5);
    const struct clg_cost_rows all = clg_costs_of(clg_test_costs(&clg_test_gpu), &clg_family_tiled);
    const bool whole = clg_test_is_long(), can = engine->device->facts.exchange != 0;
    const int only = clg_test_draw(ROWS * TRANSPOSES);
    int rows = 0, ran = 0, asked = 0;
    (void)state;
    for (size_t r = 0; r < all.count; r++) {
        const struct clg_params *row = &all.rows[r].params;
        for (int trans = 0; row->spread_b && trans < TRANSPOSES; trans++) {
            const int program = rows * TRANSPOSES + trans;
            for (int f = whole ? program % 2 : 0; f < FORMS && (whole || program == only);
                 f += whole ? 2 : 1, asked++)
                ran += run(row, &forms[f], trans, clg_test_type(program / 2 + f), &random);
        }
        rows += row->spread_b != 0;
    }
    assert_int_equal(rows, ROWS);
    assert_int_equal(ran, can ? asked : 0);
    print_message("%d runs\n", ran);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_registers_hold_the_right_columns)};
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_fixture_open, clg_test_fixture_close);
}
