/* SPDX-License-Identifier: Apache-2.0
 * The record of what an engine does not use: each reason, type and mode by itself, and its bound.
 */
#include "run/avoid.h"

#include <stdio.h>

#include "gemm/family.h"
#include "gemm/small.h"
#include "support/check.h"

static struct clg_avoided avoided;

static int set_up(void **state) {
    (void)state;
    clg_avoided_open(&avoided, true);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    clg_avoided_close(&avoided);
    return 0;
}

static struct clg_plan plan_of(const struct clg_family *family, int type, int number) {
    struct clg_plan plan = {.family = family,
                            .problem = {.type = (clgemm_type)type, .math = CLGEMM_MATH_STRICT},
                            .num_steps = 1};
    plan.steps[0].source = "tiled";
    snprintf(plan.steps[0].options, sizeof plan.steps[0].options, "-DNUMBER=%d", number);
    return plan;
}

static void programs_are_recorded_by_reason(void **state) {
    const struct clg_plan one = plan_of(&clg_family_tiled, CLGEMM_F32, 1);
    const struct clg_plan other = plan_of(&clg_family_tiled, CLGEMM_F32, 2);
    struct clg_plan in_mode = one;
    (void)state;
    in_mode.problem.math = CLGEMM_MATH_NORMWISE;
    clg_avoid(&avoided, &one, CLG_AVOID_UNBUILT);
    assert_true(clg_is_avoided(&avoided, &one, CLG_AVOID_UNBUILT));
    assert_true(clg_is_avoided(&avoided, &in_mode, CLG_AVOID_UNBUILT)); /* the same programs */
    assert_false(clg_is_avoided(&avoided, &one, CLG_AVOID_WRONG));
    assert_false(clg_is_avoided(&avoided, &other, CLG_AVOID_UNBUILT));
    assert_int_equal(clg_avoided_families(&avoided, &one.problem), 0);
}

/* A program can be wrong for wide launches alone, but is built for all. */
static void wide_launches_can_be_wrong_alone(void **state) {
    struct clg_plan narrow = plan_of(&clg_family_tiled, CLGEMM_F32, 1), wide;
    (void)state;
    narrow.steps[0].groups = narrow.steps[0].group_size = narrow.steps[0].batch = 1;
    wide = narrow;
    wide.steps[0].groups = CLG_WIDE_GRID;
    clg_avoid(&avoided, &wide, CLG_AVOID_WRONG);
    clg_avoid(&avoided, &wide, CLG_AVOID_UNBUILT);
    assert_true(clg_is_avoided(&avoided, &wide, CLG_AVOID_WRONG));
    assert_false(clg_is_avoided(&avoided, &narrow, CLG_AVOID_WRONG));
    assert_true(clg_is_avoided(&avoided, &narrow, CLG_AVOID_UNBUILT));
}

static void wrong_programs_of_a_family_are_counted(void **state) {
    const struct clg_plan asked = plan_of(&clg_family_tiled, CLGEMM_F32, 0);
    (void)state;
    for (int i = 1; i <= 2; i++) {
        const struct clg_plan plan = plan_of(&clg_family_tiled, CLGEMM_F32, i);
        clg_avoid(&avoided, &plan, CLG_AVOID_WRONG);
        clg_avoid(&avoided, &plan, CLG_AVOID_WRONG);
        clg_avoid(&avoided, &plan, CLG_AVOID_UNBUILT);
        assert_int_equal(clg_avoided_alike(&avoided, &asked), i);
    }
    const struct clg_plan doubles = plan_of(&clg_family_tiled, CLGEMM_F64, 0);
    const struct clg_plan direct = plan_of(&clg_family_direct, CLGEMM_F32, 0);
    assert_int_equal(clg_avoided_alike(&avoided, &doubles), 0);
    assert_int_equal(clg_avoided_alike(&avoided, &direct), 0);
}

/* Types that a later version may have are no others in disguise. */
static void families_are_refuted_in_one_type_and_mode(void **state) {
    enum { TYPES = 8 };
    (void)state;
    for (int type = TYPES - 1; type >= 0; type--) {
        const struct clg_plan plan = plan_of(&clg_family_multistage, type, 1);
        struct clg_problem in_mode = plan.problem;
        in_mode.math = CLGEMM_MATH_NORMWISE;
        assert_int_equal(clg_avoided_families(&avoided, &plan.problem), 0);
        clg_avoid(&avoided, &plan, CLG_AVOID_REFUTED);
        const unsigned families = clg_avoided_families(&avoided, &plan.problem);
        for (int f = 0; f < CLG_FAMILIES; f++)
            assert_int_equal(families >> f & 1, clg_families[f] == &clg_family_multistage);
        assert_int_equal(clg_avoided_families(&avoided, &in_mode), 0);
    }
}

static void spills_are_recorded_with_their_size(void **state) {
    const struct clg_plan one = plan_of(&clg_family_tiled, CLGEMM_F32, 1);
    const struct clg_plan other = plan_of(&clg_family_tiled, CLGEMM_F32, 2);
    (void)state;
    clg_avoid(&avoided, &one, CLG_AVOID_UNBUILT);
    assert_int_equal(clg_avoided_spills(&avoided, &one), 0);
    clg_avoid_spills(&avoided, &one, 1088);
    clg_avoid_spills(&avoided, &one, 1088);
    assert_int_equal(clg_avoided_spills(&avoided, &one), 1088);
    assert_int_equal(clg_avoided_spills(&avoided, &other), 0);
    assert_int_equal(avoided.count, 2);
}

static void the_oldest_are_forgotten(void **state) {
    (void)state;
    for (int i = 0; i <= CLG_AVOIDED_MOST; i++) {
        const struct clg_plan plan = plan_of(&clg_family_tiled, CLGEMM_F32, i);
        clg_avoid(&avoided, &plan, CLG_AVOID_UNBUILT);
    }
    for (int i = 0; i <= CLG_AVOIDED_MOST; i++) {
        const struct clg_plan plan = plan_of(&clg_family_tiled, CLGEMM_F32, i);
        assert_int_equal(clg_is_avoided(&avoided, &plan, CLG_AVOID_UNBUILT), i > 0);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(programs_are_recorded_by_reason, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wide_launches_can_be_wrong_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_programs_of_a_family_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(families_are_refuted_in_one_type_and_mode, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(spills_are_recorded_with_their_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_are_forgotten, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
