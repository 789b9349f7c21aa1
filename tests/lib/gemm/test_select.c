/* SPDX-License-Identifier: Apache-2.0
 * The list of candidates: its order, what it leaves out, and what is measured. */
#include <math.h>
#include <string.h>

#include "gemm/select.h"
#include "run/choose.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"
#include "support/rows.h"
#include "tuning/costs.h"

static struct clg_problem problem_in(clgemm_math math) {
    struct clg_problem problem =
        clg_test_aligned_problem(CLGEMM_F32, false, false, 2000, 1900, 1800);
    problem.math = math;
    return problem;
}

/* Of one family, times within two percent stay in the order of the costs. */
static void lists_have_the_fastest_first(void **state) {
    static const double us[] = {100, 99, 97, 120, 50};
    struct clg_list list = {.tie = 0.02};
    struct clg_params params = {0};
    (void)state;
    for (int i = 0; i < 5; i++) {
        params.tile_m = i + 1;
        clg_list_add(&list, &clg_family_tiled, &params, us[i], "memory");
    }
    clg_list_add(&list, &clg_family_direct, &params, 49.9, "memory");
    clg_list_add(&list, &clg_family_direct, &params, HUGE_VAL, "memory");
    clg_list_add(&list, &clg_family_direct, &params, NAN, "memory");
    static const int order[] = {5, 5, 3, 1, 2, 4};
    assert_int_equal(list.count, 6);
    assert_ptr_equal(list.at[0].family, &clg_family_direct);
    for (int i = 0; i < 6; i++)
        assert_int_equal(list.at[i].params.tile_m, order[i]);
    for (int i = 0; i < 2 * CLG_CANDIDATES; i++) /* the slowest are lost */
        clg_list_add(&list, &clg_family_direct, &params, 40.0 - 0.01 * i, "memory");
    assert_int_equal(list.count, CLG_CANDIDATES);
    assert_true(list.at[0].us < list.at[CLG_CANDIDATES - 1].us);
    assert_true(list.at[CLG_CANDIDATES - 1].us < 40);
}

/* A mode permits more, and takes nothing away. */
static void strict_candidates_are_in_every_list(void **state) {
    const struct clg_problem strict = problem_in(CLGEMM_MATH_STRICT);
    struct clg_list of_strict, list;
    (void)state;
    clg_choose_list(&of_strict, &strict, &clg_test_hopper, NULL, 0);
    assert_true(of_strict.count > 10);
    for (int math = CLGEMM_MATH_ACCURATE; math <= CLGEMM_MATH_F16; math++) {
        const struct clg_problem problem = problem_in((clgemm_math)math);
        int found = 0;
        clg_choose_list(&list, &problem, &clg_test_hopper, NULL, 0);
        assert_true(list.count > of_strict.count);
        assert_false(list.at[0].family->strict);
        for (int i = 0; i < list.count; i++)
            found += list.at[i].family->strict;
        assert_int_equal(found, of_strict.count);
    }
    for (int i = 0; i < of_strict.count; i++)
        assert_true(of_strict.at[i].family->strict);
}

/* What is measured precedes what is modelled: all of it in the problem's own mode, the strict
 * candidates if it is strict. A family that is left out takes no other with it. */
static void measured_candidates_and_families_left_out(void **state) {
    const struct clg_problem problem = problem_in(CLGEMM_MATH_NORMWISE);
    struct clg_basis basis = {.facts = &clg_test_hopper, .costs = clg_test_costs(&clg_test_hopper)};
    struct clg_list list;
    (void)state;
    basis.measured_strict = (struct clg_candidate){.family = &clg_family_direct, .us = 1};
    clg_select(&list, &problem, &basis);
    int first = 0;
    while (!list.at[first].family->strict)
        first++;
    assert_true(first > 0);
    assert_string_equal(list.at[first].limit, "measured");
    basis.measured = (struct clg_candidate){.family = &clg_family_tensor, .us = 1e9};
    clg_select(&list, &problem, &basis);
    assert_string_equal(list.at[0].limit, "measured");
    assert_true(list.at[0].us > list.at[1].us);
    basis = (struct clg_basis){.facts = &clg_test_hopper, .costs = basis.costs};
    for (unsigned f = 0; clg_families[f]; f++)
        if (clg_families[f] == &clg_family_skinny)
            basis.without = 1U << f;
    clg_select(&list, &problem, &basis);
    assert_ptr_equal(list.at[0].family, &clg_family_tensor);
    for (int i = 0; i < list.count; i++)
        assert_ptr_not_equal(list.at[i].family, &clg_family_skinny);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_have_the_fastest_first),
        cmocka_unit_test(strict_candidates_are_in_every_list),
        cmocka_unit_test(measured_candidates_and_families_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
