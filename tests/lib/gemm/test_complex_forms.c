/* SPDX-License-Identifier: Apache-2.0
 * How complex products are posed as real ones, without a device: the matrix that is far larger than
 * others is used in place, if memory allows. */
#include "gemm/complex.h"
#include "gemm/small.h"
#include "run/choose.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"

static const struct clg_facts *const devices[] = {&clg_test_cpu, &clg_test_gpu, &clg_test_hopper};
enum { DEVICES = sizeof devices / sizeof *devices };

static struct clg_problem problem_of(int trans, int64_t m, int64_t n, int64_t k) {
    return clg_test_aligned_problem(CLGEMM_CF32, trans & 1, trans & 2, m, n, k);
}

static enum clg_form form_of(const struct clg_problem *problem, const struct clg_facts *facts) {
    struct clg_posed posed;
    clg_pose(&posed, 1U << CLGEMM_F32, problem, facts);
    return posed.form;
}

/* NN, TN, NT, TT, where A is large, where B is, and where all are. */
static void the_largest_matrix_stays_in_place(void **state) {
    static const enum clg_form forms[4][3] = {
        {CLG_FORM_PARTS, CLG_FORM_A, CLG_FORM_A},
        {CLG_FORM_B, CLG_FORM_A, CLG_FORM_A},
        {CLG_FORM_PARTS, CLG_FORM_PARTS, CLG_FORM_PARTS},
        {CLG_FORM_B, CLG_FORM_PARTS, CLG_FORM_A},
    };
    (void)state;
    for (int i = 0; i < DEVICES; i++)
        for (int trans = 0; trans < 4; trans++)
            for (int large = 0; large < 3; large++) {
                const struct clg_problem problem =
                    problem_of(trans, large == 1 ? 64 : 4096, large == 0 ? 64 : 4096, 4096);
                struct clg_posed posed;
                clg_pose(&posed, 1U << CLGEMM_F32, &problem, devices[i]);
                assert_null(posed.unsupported_reason);
                assert_int_equal(posed.form, forms[trans][large]);
                if (large == 2)
                    continue;
                /* Less than the large matrix has */
                assert_true(posed.moved < 8.0 * 4096 * 4096 / 4);
                assert_true(clg_problem_flops(posed.problem) == clg_problem_flops(&problem));
            }
}

/* Steps take time, too: a launch in which more bytes could be copied is not worth its while. */
static void a_step_is_worth_its_launch(void **state) {
    struct clg_facts many = clg_test_hopper;
    const struct clg_problem problem = problem_of(0, 512, 64, 512);
    (void)state;
    many.compute_units = 1;
    assert_int_equal(form_of(&problem, &many), CLG_FORM_PARTS);
    many.compute_units = 1000;
    assert_int_equal(form_of(&problem, &many), CLG_FORM_A);
}

/* Where the best form does not fit the workspace, another may. */
static void memory_decides_too(void **state) {
    const struct clg_problem problem = problem_of(0, 1000, 600, 1000);
    struct clg_facts facts = clg_test_gpu;
    (void)state;
    facts.workspace_max = 17000000; /* expanded, A has 16 MB; B and the product have 14.4 */
    assert_int_equal(form_of(&problem, &facts), CLG_FORM_A);
    facts.workspace_max = 15000000;
    assert_int_equal(form_of(&problem, &facts), CLG_FORM_PARTS);
    facts.workspace_max = 14000000;
    assert_int_equal(form_of(&problem, &facts), CLG_FORM_OPEN);
}

/* A plan says which form it has, so that it can be made again, and for a small product. */
static void a_plan_keeps_its_form(void **state) {
    (void)state;
    for (int i = 0; i < DEVICES; i++)
        for (int trans = 0; trans < 4; trans++) {
            const struct clg_problem problem = problem_of(trans, 2000, 70, 3000);
            struct clg_plan plan, twin;
            clg_test_assert_success(clg_choose_plan(&plan, &problem, devices[i], NULL));
            assert_int_equal(plan.problem.form, trans & 1 ? CLG_FORM_B : CLG_FORM_PARTS);
            assert_string_equal(plan.steps[plan.num_steps - 1].source, "complex_join");
            for (int s = 0; s < plan.num_steps; s++) /* only the last one writes C */
                assert_int_equal(clg_step_writes_c(&plan.steps[s]), s == plan.num_steps - 1);
            assert_true(clg_plan_twin(&twin, &plan, devices[i], false));
            assert_int_equal(twin.problem.form, plan.problem.form);
            assert_true(clg_problem_equal(&plan.problem, &problem));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_largest_matrix_stays_in_place),
                                       cmocka_unit_test(a_step_is_worth_its_launch),
                                       cmocka_unit_test(memory_decides_too),
                                       cmocka_unit_test(a_plan_keeps_its_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
