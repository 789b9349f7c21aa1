/* SPDX-License-Identifier: Apache-2.0
 * The skinny family without a device: where it is used, what it refuses, and what its plans
 * guarantee. */
#include <string.h>

#include "gemm/small.h"
#include "gemm/tensor/tensor.h"
#include "program/rewrite.h"
#include "run/choose.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"

static struct clg_problem problem_of(int64_t m, int64_t n, int64_t k, clgemm_math math) {
    const struct clg_test_form form = {.m = m, .n = n, .k = k, .math = math};
    return clg_test_form_problem(&form, CLGEMM_F32);
}

static const clgemm_math modes[] = {CLGEMM_MATH_NORMWISE, CLGEMM_MATH_ACCURATE};
enum { MODES = sizeof modes / sizeof *modes };

/* ---- Where it is used ---- */

/* Either operand may be the narrow one. */
static void where_packing_both_would_take_longer(void **state) {
    static const int64_t sizes[][3] = {
        {5120, 128, 5120}, {13824, 128, 5120}, {128, 4096, 4096}, {4096, 100, 4100}};
    struct clg_facts without = clg_test_hopper;
    (void)state;
    without.tensor_cores = false;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int i = 0; i < MODES; i++) {
            const int64_t *size = sizes[s];
            const struct clg_problem problem = problem_of(size[0], size[1], size[2], modes[i]);
            const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
            assert_ptr_equal(plan.family, &clg_family_skinny);
            assert_int_equal(plan.params.narrow_a, size[0] < size[1]);
            assert_true(clg_test_plan(&problem, &without).family->strict);
        }
}

static void not_elsewhere(void **state) {
    const struct clg_facts *facts = &clg_test_hopper;
    const struct clg_problem square = problem_of(4096, 4096, 4096, CLGEMM_MATH_NORMWISE);
    const struct clg_problem strict = problem_of(5120, 128, 5120, CLGEMM_MATH_STRICT);
    const struct clg_problem rounded = problem_of(5120, 128, 5120, CLGEMM_MATH_TF32);
    const struct clg_problem small = problem_of(128, 32, 128, CLGEMM_MATH_NORMWISE);
    const struct clg_problem shallow = problem_of(100000, 128, 31, CLGEMM_MATH_NORMWISE);
    struct clg_problem halves = problem_of(5120, 128, 5120, CLGEMM_MATH_NORMWISE);
    (void)state;
    halves.type = CLGEMM_F16;
    assert_ptr_equal(clg_test_plan(&square, facts).family, &clg_family_tensor);
    assert_true(clg_test_plan(&strict, facts).family->strict);
    assert_ptr_not_equal(clg_test_plan(&rounded, facts).family, &clg_family_skinny);
    assert_true(clg_test_plan(&small, facts).family->strict);
    assert_true(clg_test_plan(&shallow, facts).family->strict);
    assert_ptr_not_equal(clg_test_plan(&halves, facts).family, &clg_family_skinny);
}

/* Leaving one family out takes no other away, though both rest on the same feature; without both, a
 * family that needs less is used. */
static void what_is_chosen_without_it(void **state) {
    const unsigned skinny = clg_family_bit(&clg_family_skinny);
    const unsigned both = skinny | clg_family_bit(&clg_family_tensor);
    struct clg_problem problem =
        clg_test_aligned_problem(CLGEMM_F32, false, false, 5120, 256, 5120);
    struct clg_list list;
    struct clg_plan plan;
    (void)state;
    problem.math = CLGEMM_MATH_NORMWISE;
    clg_test_assert_success(clg_choose_without(&plan, &list, 0, &problem, &clg_test_hopper, NULL));
    assert_ptr_equal(plan.family, &clg_family_skinny);
    clg_test_assert_success(
        clg_choose_without(&plan, &list, skinny, &problem, &clg_test_hopper, NULL));
    assert_ptr_equal(plan.family, &clg_family_tensor);
    clg_test_assert_success(
        clg_choose_without(&plan, &list, both, &problem, &clg_test_hopper, NULL));
    assert_ptr_equal(plan.family, &clg_family_mma);
}

/* ---- What its plans guarantee ---- */

/* One step packs only the narrow operand, and one writes C. A small product runs the same programs,
 * to check them. */
static void the_wide_operand_is_not_packed(void **state) {
    static const int64_t narrow[] = {1, 31, 33, 64, 100, 129, 500},
                         wide[] = {700, 2051, 5120, 20000}, depths[] = {64, 1000, 4100};
    enum { NARROW = sizeof narrow / sizeof *narrow, WIDE = sizeof wide / sizeof *wide };
    enum { DEPTHS = sizeof depths / sizeof *depths };
    const struct clg_facts *facts = &clg_test_hopper;
    int used = 0;
    (void)state;
    for (int i = 0; i < NARROW * WIDE * DEPTHS * MODES * 2; i++) {
        const int64_t few = narrow[i / 2 % NARROW], many = wide[i / 2 / NARROW % WIDE];
        const int64_t k = depths[i / 2 / NARROW / WIDE % DEPTHS];
        const struct clg_problem problem = problem_of(i % 2 ? few : many, i % 2 ? many : few, k,
                                                      modes[i / 2 / NARROW / WIDE / DEPTHS]);
        const struct clg_plan plan = clg_test_plan(&problem, facts);
        struct clg_plan twin;
        if (plan.family != &clg_family_skinny)
            continue;
        used++;
        assert_int_equal(plan.num_steps, 2);
        assert_string_equal(plan.steps[0].source, "tensor_pack");
        assert_false(clg_step_writes_c(&plan.steps[0]));
        assert_true(clg_step_writes_c(&plan.steps[1]));
        assert_in_range(plan.steps[1].groups, 1, facts->compute_units);
        assert_true(plan.workspaces[0] < (uint64_t)(8 * (few + 128) * (k + 64)));
        assert_null(clg_family_unsupported_reason(plan.family, &problem, facts, &plan.params));
        assert_true(clg_plan_twin(&twin, &plan, facts, true));
    }
    assert_true(used > 20);
    assert_non_null(clg_rewrite_of(clg_source_find("tensor_skinny")));
}

/* ---- What it refuses ---- */

static struct clg_params row_of(int tile_m, int tile_n, int stages, int narrow_a) {
    return (struct clg_params){.tile_m = tile_m,
                               .tile_n = tile_n,
                               .tile_k = 64,
                               .stages = stages,
                               .band_m = 1,
                               .narrow_a = narrow_a};
}

static const char *why(const struct clg_problem *problem, const struct clg_facts *facts,
                       struct clg_params params) {
    return clg_family_unsupported_reason(&clg_family_skinny, problem, facts, &params);
}

/* A ring of one stage would hang the device; one larger than local memory would not build. */
static void rings_that_do_not_fit_are_refused(void **state) {
    (void)state;
    for (int i = 0; i < MODES; i++) {
        const struct clg_problem problem = problem_of(4096, 128, 4096, modes[i]);
        for (int tile = 32; tile <= 128; tile *= 2) {
            int fit = 0;
            for (int stages = 0; stages < 16; stages++) {
                const int parts = modes[i] == CLGEMM_MATH_ACCURATE ? 3 : 2;
                const int bytes = stages * (128 * 72 * 4 + parts * tile * 64 * 2 + tile * 4 + 16);
                const bool fits = stages >= 2 && bytes <= 227 * 1024;
                assert_int_equal(!why(&problem, &clg_test_hopper, row_of(128, tile, stages, 0)),
                                 fits);
                fit += fits;
            }
            assert_true(fit > 0);
        }
    }
}

static void what_the_kernel_cannot_is_refused(void **state) {
    const struct clg_problem fits = problem_of(4096, 128, 4096, CLGEMM_MATH_NORMWISE);
    const struct clg_problem shallow = problem_of(4096, 128, 31, CLGEMM_MATH_NORMWISE);
    const struct clg_problem long_one = problem_of(INT64_C(1) << 31, 128, 64, CLGEMM_MATH_NORMWISE);
    struct clg_facts facts = clg_test_hopper, little = facts, small = facts, many = facts;
    struct clg_params params = row_of(128, 64, 3, 0);
    (void)state;
    little.workspace_max = 1 << 16;
    small.max_work_group = 256;
    many.compute_units = 1000;
    assert_null(why(&fits, &facts, params));
    assert_null(why(&fits, &facts, row_of(64, 128, 3, 1)));
    assert_non_null(why(&fits, &facts, row_of(128, 64, 3, 1)));
    assert_non_null(why(&fits, &facts, row_of(128, 64, 3, 2)));
    assert_non_null(why(&fits, &facts, row_of(128, 48, 3, 0)));
    assert_non_null(why(&fits, &facts, row_of(256, 64, 3, 0)));
    assert_non_null(why(&shallow, &facts, params));
    assert_non_null(why(&long_one, &facts, params));
    assert_non_null(why(&fits, &little, params));
    assert_non_null(why(&fits, &small, params));
    params.sharers = 32;
    assert_null(why(&fits, &facts, params));
    assert_non_null(why(&fits, &many, params));
    params.band_m = 0;
    assert_non_null(why(&fits, &facts, params));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_packing_both_would_take_longer),
        cmocka_unit_test(not_elsewhere),
        cmocka_unit_test(what_is_chosen_without_it),
        cmocka_unit_test(the_wide_operand_is_not_packed),
        cmocka_unit_test(rings_that_do_not_fit_are_refused),
        cmocka_unit_test(what_the_kernel_cannot_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
