/* SPDX-License-Identifier: Apache-2.0
 * Products of a triangle of C, or of A or B, by every family that has them: sizes around tiles of
 * any shape, both triangles and layouts, batches, and k that is cut. Outside the triangle C is NaN,
 * and must stay as it is. */
#include <stdlib.h>

#include "base/checked.h"
#include "run/choose.h"
#include "support/check.h"
#include "support/device.h"
#include "support/facts.h"
#include "support/form.h"
#include "support/gemm.h"
#include "support/multistage.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static struct clg_engine *const engine = &clg_test_fixture.engine;

/* ---- Without a device ---- */

/* Whether a tile has any element that is computed: its corner nearest to the diagonal, or what is
 * beside it. */
static bool meets(const struct clg_problem *problem, int64_t row, int64_t col, int64_t tile_m,
                  int64_t tile_n) {
    const int64_t last_row = row + tile_m < problem->m ? row + tile_m - 1 : problem->m - 1;
    const int64_t last_col = col + tile_n < problem->n ? col + tile_n - 1 : problem->n - 1;
    const int extra = clg_extra_diagonals(problem);
    return problem->triangle == CLG_LOWER ? clg_is_computed(problem, last_row + extra, col)
                                          : clg_is_computed(problem, row, last_col + extra);
}

/* Of one row for each column, and of two. */
static void the_diagonal_and_one_side_are_computed(void **state) {
    enum { SIDE = 5 };
    (void)state;
    for (int form = 0; form < 4; form++) {
        const int each = 1 + form / 2;
        const struct clg_problem problem = {.m = (int64_t)each * SIDE,
                                            .n = SIDE,
                                            .k = 1,
                                            .triangle = form % 2 ? CLG_LOWER : CLG_UPPER};
        int count = 0;
        for (int i = 0; i < each * SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                const int below = i / each - j;
                assert_true(clg_is_computed(&problem, i, j) ==
                            (below == 0 || (below > 0) == (form % 2)));
                count += clg_is_computed(&problem, i, j);
            }
        assert_true(clg_problem_results(&problem) == count);
    }
}

static void tiles_are_counted(void **state) {
    static const int64_t sizes[] = {1, 2, 7, 8, 9, 31, 64, 100, 257};
    static const int64_t tiles[] = {1, 4, 8, 12, 16, 48, 64, 112, 300};
    enum { SIZES = sizeof sizes / sizeof *sizes, TILES = sizeof tiles / sizeof *tiles };
    (void)state;
    for (int form = 0; form < SIZES * TILES * TILES * 6; form++) {
        static const enum clg_form forms[] = {CLG_FORM_OPEN, CLG_FORM_A, CLG_FORM_PARTS};
        const int64_t n = sizes[form / 6 % SIZES], tile_m = tiles[form / 6 / SIZES % TILES],
                      tile_n = tiles[form / 6 / SIZES / TILES];
        const int64_t m = forms[form / 2 % 3] == CLG_FORM_A ? 2 * n : n;
        const struct clg_problem problem = {.m = m,
                                            .n = n,
                                            .triangle = form % 2 ? CLG_LOWER : CLG_UPPER,
                                            .form = forms[form / 2 % 3]};
        int64_t count = 0;
        for (int64_t row = 0; row < m; row += tile_m)
            for (int64_t col = 0; col < n; col += tile_n)
                count += meets(&problem, row, col, tile_m, tile_n);
        assert_int_equal(clg_problem_tiles(&problem, tile_m, tile_n), count);
    }
}

static void a_triangle_is_square_and_no_other_problem(void **state) {
    const struct clg_operand operand = {.ld = 8, .bytes = 4096, .alignment = 64};
    struct clg_call call = {.layout = CLGEMM_ROW_MAJOR,
                            .ta = CLGEMM_NO_TRANS,
                            .tb = CLGEMM_NO_TRANS,
                            .triangle = CLG_LOWER,
                            .m = 8,
                            .n = 8,
                            .k = 8,
                            .scalars = {.alpha = 1},
                            .operand = {operand, operand, operand}};
    struct clg_problem problem, other;
    (void)state;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    assert_int_equal(problem.triangle, CLG_UPPER); /* of the column-major C */
    call.triangle = CLG_UPPER;
    clg_test_assert_success(clg_problem_init(&other, &call));
    assert_false(clg_problem_equal(&problem, &other));
    assert_true(clg_problem_hash(&problem) != clg_problem_hash(&other));
    assert_true(clg_problem_flops(&problem) == 2 * 36 * 8);
    call.triangle = CLG_ALL;
    call.stored.triangle = CLG_LOWER;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    assert_int_equal(problem.stored.triangle, CLG_UPPER);
    assert_int_equal(problem.stored.which, CLG_B);
    assert_true(clg_problem_flops(&problem) == 2 * 36 * 8);
    for (int other_is = 0; other_is < 4; other_is++) {
        struct clg_call another = call;
        another.stored.triangle = other_is == 0 ? CLG_UPPER : CLG_LOWER;
        another.stored.which = other_is == 1 ? CLG_B : CLG_A;
        another.stored.unit = other_is == 2;
        another.stored.mirrored = other_is == 3;
        clg_test_assert_success(clg_problem_init(&other, &another));
        assert_false(clg_problem_equal(&problem, &other));
        assert_true(clg_problem_hash(&problem) != clg_problem_hash(&other));
        assert_true(clg_problem_flops(&other) == 2 * 8 * 8 * (other_is == 3 ? 8 : 4.5));
    }
    call.k = 7;
    clg_test_assert_status(clg_problem_init(&problem, &call), CLGEMM_STATUS_INVALID_K);
    call.triangle = CLG_LOWER;
    call.n = 7;
    clg_test_assert_status(clg_problem_init(&problem, &call), CLGEMM_STATUS_INVALID_M);
}

/* Both layouts of one product are one problem; and a CPU has a plan for each triangle. */
static void layouts_are_one_problem_and_cpus_take_triangles(void **state) {
    const struct clg_operand operand = {
        .ld = 100, .stride = 10000, .bytes = UINT64_MAX, .alignment = 64};
    (void)state;
    for (int form = 0; form < 6; form++) {
        struct clg_call call = {
            .layout = CLGEMM_COL_MAJOR,
            .type = form % 2 ? CLGEMM_F64 : CLGEMM_F32,
            .ta = CLGEMM_NO_TRANS,
            .tb = CLGEMM_NO_TRANS,
            .stored = {.triangle = form < 2 ? CLG_ALL : CLG_LOWER, .which = CLG_A, .unit = true},
            .m = 100,
            .n = 100,
            .k = 100,
            .batch = form < 4 ? 1 : 3,
            .scalars = {.alpha = 1},
            .operand = {operand, operand, operand}};
        struct clg_problem problem, swapped;
        struct clg_plan plan;
        clg_test_assert_success(clg_problem_init(&problem, &call));
        for (int which = CLG_A; which <= CLG_B; which++) {
            call.stored.which = which;
            clg_test_assert_success(clg_problem_init(&swapped, &call));
            clg_test_assert_success(clg_choose_plan(&plan, &swapped, &clg_test_cpu, NULL));
            assert_true(form < 2 || plan.family == &clg_family_panel);
            for (int s = 0; s < plan.num_steps; s++)
                assert_in_range(plan.steps[s].num_args, 1, CLG_MAX_ARGS);
        }
        call.layout = CLGEMM_ROW_MAJOR;
        call.stored.triangle = form < 2 ? CLG_ALL : CLG_UPPER;
        clg_test_assert_success(clg_problem_init(&swapped, &call));
        assert_true(clg_problem_equal(&problem, &swapped));
        assert_true(clg_problem_hash(&problem) == clg_problem_hash(&swapped));
    }
}

static void families_without_triangles_refuse_them(void **state) {
    struct clg_problem problem = clg_test_aligned_problem(CLGEMM_CF32, false, false, 256, 256, 256);
    (void)state;
    problem.triangle = CLG_LOWER;
    for (int f = 0; clg_families[f]; f++)
        for (int complex = 0; complex < 2; complex++) {
            problem.type = complex ? CLGEMM_CF32 : CLGEMM_F64;
            const char *why =
                clg_family_kind_unsupported_reason(clg_families[f], &problem, &clg_test_hopper);
            assert_true((why == NULL) == clg_families[f]->triangles);
        }
    problem.triangle = CLG_ALL;
    problem.stored.triangle = CLG_LOWER;
    for (int f = 0; clg_families[f]; f++)
        for (int complex = 0; complex < 2; complex++) {
            problem.type = complex ? CLGEMM_CF64 : CLGEMM_F64;
            const char *why =
                clg_family_kind_unsupported_reason(clg_families[f], &problem, &clg_test_hopper);
            assert_true((why == NULL) == (clg_families[f]->stored && !complex));
        }
}

/* ---- On the device ---- */

/* Small enough for CPUs' compilers. Sides of tiles divide each other, or do not. */
static const struct row {
    const struct clg_family *family;
    struct clg_params params;
} rows[] = {
    {&clg_family_panel, {.vec = 4, .reg_n = 6, .tile_m = 16, .tile_n = 36, .tile_k = 36}},
    {&clg_family_panel, {.vec = 8, .reg_n = 8, .tile_m = 64, .tile_n = 16, .tile_k = 64}},
    {&clg_family_direct, {.tile_m = 16, .tile_n = 8, .wg_m = 8, .wg_n = 4}},
    {&clg_family_direct, {.tile_m = 4, .tile_n = 12, .wg_m = 4, .wg_n = 2}},
    {&clg_family_tiled,
     {.tile_m = 16,
      .tile_n = 16,
      .tile_k = 8,
      .wg_m = 4,
      .wg_n = 4,
      .vec_a = 4,
      .vec_b = 4,
      .stages = 2,
      .band_m = 2}},
    {&clg_family_tiled,
     {.tile_m = 32,
      .tile_n = 8,
      .tile_k = 8,
      .wg_m = 8,
      .wg_n = 4,
      .vec_a = 1,
      .vec_b = 1,
      .stages = 1,
      .band_m = 4}},
    {&clg_family_tiled,
     {.tile_m = 16,
      .tile_n = 24,
      .tile_k = 8,
      .wg_m = 4,
      .wg_n = 4,
      .vec_a = 1,
      .vec_b = 2,
      .stages = 2,
      .band_m = 1}},
};
enum { ROWS = sizeof rows / sizeof *rows, CUTS = 3, TRANSPOSES = 4, AROUND = 5 /* sizes */ };

static bool check(const struct clg_family *family, const struct clg_params *row, int64_t n,
                  int64_t k, int form, clgemm_type type, struct clg_test_random *random) {
    const bool complex = clg_type_is_complex(type);
    const struct clg_test_problem problem = {
        .type = type,
        .layout = form & 1 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
        .triangle = form & 2 ? CLG_UPPER : CLG_LOWER,
        .ta = form & 4 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
        .tb = form & 4 ? CLGEMM_NO_TRANS
              : n % 2  ? CLGEMM_TRANS
                       : CLGEMM_CONJ_TRANS,
        .batch = form & 8 && !row->split_tail ? 3 : 1, /* no tails of batches */
        .m = n,
        .n = n,
        .k = k,
        .alpha = -0.7F,
        .beta = n % 3 ? 1.5F : 0.0F,
        .alpha_imag = complex && form & 1 ? 0.4F : 0.0F,
        .beta_imag = complex && n % 3 == 1 ? -0.6F : 0.0F,
        .gap_a = form % 5,
        .gap_b = form % 5,
        .gap_c = n % 4,
        .offset_c = (size_t)(n % 4)};
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, random);
    const bool ran = clg_test_family_run(engine, cl, family, row, CLGEMM_MATH_STRICT, &test);
    if (ran)
        clg_test_assert_no_fault(clg_test_case_fault(&test));
    clg_test_case_destroy(&test);
    return ran;
}

/* Sizes below a tile, of whole tiles, and past them; how many of them the family computes. */
static int check_sizes(const struct clg_family *family, const struct clg_params *row, int form,
                       clgemm_type type, struct clg_test_random *random) {
    const int64_t tile = row->tile_m > row->tile_n ? row->tile_m : row->tile_n;
    const int64_t sizes[AROUND] = {1, tile - 1, 2 * tile, 2 * tile + 3, 5 * tile + 1};
    const int64_t k = 3 * (int64_t)(row->tile_k ? row->tile_k : 8) + 1;
    int ran = 0;
    for (int i = 0; i < AROUND; i++)
        ran += check(family, row, sizes[i], k, form, type, random);
    return ran;
}

static clgemm_type type_of(int turn) {
    static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_CF32, CLGEMM_F64, CLGEMM_CF64};
    return types[turn % (clg_test_num_types() == CLG_TYPE_COUNT ? 4 : 2)];
}

/* A short run draws the transposes and batches of each row; both triangles are always there. */
static void every_family_is_right(void **state) {
    struct clg_test_random random = clg_test_random_start(31);
    const bool all = clg_test_is_long();
    const int drawn = all ? 0 : clg_test_draw(2 * CUTS * TRANSPOSES);
    (void)state;
    for (int r = 0; r < ROWS; r++)
        for (int cut = 0; cut < CUTS; cut++)
            for (int form = 0; form < 16; form++) {
                struct clg_params params = rows[r].params;
                const clgemm_type type = type_of(r + form / 2 + drawn);
                params.split_k = cut == 1 && rows[r].family != &clg_family_direct ? 2 : 0;
                params.split_tail = cut == 2 && rows[r].family == &clg_family_tiled ? 2 : 0;
                if (!all && ((form ^ drawn) & 13 || (r + drawn) % CUTS != cut))
                    continue;
                const int ran = check_sizes(rows[r].family, &params, form, type, &random);
                assert_int_equal(ran, AROUND);
            }
}

/* Form: layout, triangle, transpose, batch, operand, unit. Blocks of k and tiles cut the squares on
 * the diagonal. */
static void check_trmm(const struct clg_params *row, int64_t m, int64_t n, int form,
                       clgemm_type type, struct clg_test_random *random) {
    const bool is_a = !(form & 16);
    const clgemm_transpose trans = form & 4 ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
    const struct clg_test_problem problem = {
        .type = type,
        .layout = form & 1 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
        .stored = {.triangle = form & 2 ? CLG_UPPER : CLG_LOWER,
                   .which = is_a ? CLG_A : CLG_B,
                   .unit = form & 32},
        .ta = is_a    ? trans
              : n % 2 ? CLGEMM_TRANS
                      : CLGEMM_NO_TRANS,
        .tb = is_a ? n % 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS : trans,
        .batch = form & 8 ? 3 : 1,
        .shares_a = is_a && m % 2,
        .m = m,
        .n = n,
        .k = is_a ? m : n,
        .alpha = -0.7F,
        .beta = m % 3 ? 1.5F : 0.0F,
        .gap_a = m % 3,
        .gap_b = n % 3,
        .gap_c = m % 2};
    struct clg_params packing = *row;
    struct clg_test_case test;
    packing.pack_b = problem.layout == CLGEMM_COL_MAJOR ? is_a || form & 4 : !is_a || form & 4;
    clg_test_case_create(&test, &problem, random);
    assert_true(
        clg_test_family_run(engine, cl, &clg_family_panel, &packing, CLGEMM_MATH_STRICT, &test));
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    clg_test_case_destroy(&test);
}

static void triangular_operands_are_right(void **state) {
    struct clg_test_random random = clg_test_random_start(33);
    const bool all = clg_test_is_long();
    const int drawn = all ? 0 : clg_test_draw(16);
    (void)state;
    for (int r = 0; r < ROWS; r++)
        for (int form = 0; form < 64 && rows[r].family == &clg_family_panel; form++) {
            const int64_t tile = rows[r].params.tile_k;
            if (!all && (form & 13) != (drawn & 13))
                continue;
            const clgemm_type type = type_of(2 * r);
            check_trmm(&rows[r].params, 1, 7, form, type, &random);
            check_trmm(&rows[r].params, 3 * tile - 1, tile + 3, form, type, &random);
            check_trmm(&rows[r].params, tile / 2, 4 * tile + 5, form, type, &random);
        }
}

/* As in test_multistage_floats: on any device, with plain copies. In PoCL 3.1 slices of a group
 * that add for others are misled by conditional barriers: batches leave that to a step. */
static void multistage_is_right(void **state) {
    struct clg_test_random random = clg_test_random_start(32);
    const bool all = clg_test_is_long();
    enum { FORMS = CLG_TEST_MULTISTAGE_ROWS * CUTS * TRANSPOSES * 2 };
    const int drawn = all ? 0 : clg_test_draw(FORMS);
    int ran = 0;
    (void)state;
    clg_test_multistage_allow(&engine->device->facts);
    for (int i = 0; i < FORMS * 2; i++) {
        const int row = i / 2 % CLG_TEST_MULTISTAGE_ROWS,
                  cut = i / 2 / CLG_TEST_MULTISTAGE_ROWS % CUTS,
                  trans = i / 2 / CLG_TEST_MULTISTAGE_ROWS / CUTS % 2,
                  batch = i / 2 / CLG_TEST_MULTISTAGE_ROWS / CUTS / 2;
        const struct clg_params params = clg_test_multistage_row(row, cut);
        const bool misled = engine->device->facts.kind == CLG_DEVICE_CPU && params.wg_k > 1;
        if ((!all && i / 2 != drawn) || (misled && batch % 2 == 0))
            continue;
        ran +=
            check_sizes(&clg_family_multistage, &params, (batch % 2) << 3 | trans << 2 | i % 2 << 1,
                        type_of((row + drawn) % 2), &random);
    }
    assert_true(ran > 0 || !all); /* a drawn one may be misled */
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_diagonal_and_one_side_are_computed),
        cmocka_unit_test(tiles_are_counted),
        cmocka_unit_test(a_triangle_is_square_and_no_other_problem),
        cmocka_unit_test(layouts_are_one_problem_and_cpus_take_triangles),
        cmocka_unit_test(families_without_triangles_refuse_them),
        cmocka_unit_test(every_family_is_right),
        cmocka_unit_test(triangular_operands_are_right),
        cmocka_unit_test(multistage_is_right),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_fixture_open, clg_test_fixture_close);
}
