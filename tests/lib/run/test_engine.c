/* SPDX-License-Identifier: Apache-2.0
 * What an engine remembers. */
#include "run/engine.h"

#include "support/check.h"
#include "support/device.h"

static struct clg_engine *const engine = &clg_test_fixture.engine;

static struct clg_problem small(int64_t ld) {
    const struct clg_operand operand = {.ld = ld, .bytes = UINT64_MAX, .alignment = 64};
    const struct clg_call call = {.layout = CLGEMM_COL_MAJOR,
                                  .ta = CLGEMM_NO_TRANS,
                                  .tb = CLGEMM_NO_TRANS,
                                  .m = 5,
                                  .n = 5,
                                  .k = 5,
                                  .scalars = {.alpha = 1},
                                  .operand = {operand, operand, operand}};
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    return problem;
}

static const struct clg_prepared *plan_of(const struct clg_problem *problem) {
    const struct clg_prepared *prepared;
    clg_test_assert_success(clg_engine_plan(engine, problem, &prepared));
    assert_true(clg_problem_equal(&prepared->plan.problem, problem));
    return prepared;
}

static void hundreds_of_plans_are_remembered(void **state) {
    uint64_t chosen = 0;
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < CLG_ENGINE_PLANS; i++) {
            const struct clg_problem problem = small(5 + i);
            clg_engine_release(plan_of(&problem));
        }
        chosen = turn == 0 ? engine->plans.missed : chosen;
    }
    assert_int_equal(engine->plans.missed, chosen);
}

static void a_plan_is_shared_and_outlives_its_table(void **state) {
    const struct clg_problem problem = small(7);
    const struct clg_prepared *first = plan_of(&problem), *same = plan_of(&problem);
    (void)state;
    assert_ptr_equal(first, same);
    clg_engine_release(same);
    assert_true(clg_engine_retune(engine, NULL, NULL));
    const struct clg_prepared *later = plan_of(&problem);
    assert_ptr_not_equal(first, later);
    assert_true(clg_problem_equal(&first->plan.problem, &problem));
    clg_engine_release(first);
    clg_engine_release(later);
    clg_engine_release(NULL);
}

/* So a program that multiplies parts of a buffer does not choose anew for each. */
static void parts_of_a_buffer_share_a_plan(void **state) {
    struct clg_problem problem = small(7);
    const struct clg_prepared *first = plan_of(&problem);
    (void)state;
    problem.matrix[CLG_A].offset = 4;
    problem.matrix[CLG_C].offset = 8;
    const struct clg_prepared *same = plan_of(&problem);
    assert_ptr_equal(first, same);
    clg_engine_release(first);
    clg_engine_release(same);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(hundreds_of_plans_are_remembered),
        cmocka_unit_test(a_plan_is_shared_and_outlives_its_table),
        cmocka_unit_test(parts_of_a_buffer_share_a_plan),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_fixture_open, clg_test_fixture_close);
}
