/* SPDX-License-Identifier: Apache-2.0
 * How complex products are posed as real ones, without a device: the matrix that is far larger than
 * others is used in place, if memory allows. */
#include <string.h>

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
    clg_family_pose(&posed, &clg_family_tiled, problem, facts);
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
                clg_family_pose(&posed, &clg_family_tiled, &problem, devices[i]);
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
    facts.workspace_max = 14000000; /* slabs */
    assert_int_equal(form_of(&problem, &facts), CLG_FORM_PARTS);
    facts.workspace_max = 4000000; /* two times 64 + 600 % 64 columns of 24 KB */
    assert_int_equal(form_of(&problem, &facts), CLG_FORM_OPEN);
}

/* In every transpose, as long as twice what a slab of two tiles takes fits. The real product gets
 * the other half of the workspace. */
static void slabs_fit_the_workspace(void **state) {
    (void)state;
    for (int trans = 0; trans < 4; trans++)
        for (uint64_t room = 1 << 30; room > 8 << 20; room -= room / 5) {
            struct clg_problem problem = problem_of(trans, 2000, 3333, 1500);
            struct clg_facts facts = clg_test_gpu;
            struct clg_posed posed;
            facts.workspace_max = room;
            clg_family_pose(&posed, &clg_family_tiled, &problem, &facts);
            assert_null(posed.unsupported_reason);
            assert_true(posed.slab == problem.n || posed.workspace <= (double)room / 2);
            assert_true((posed.slab == problem.n) ==
                        (clg_slabs(problem.n, posed.slab, posed.apart) == 1));
            problem.triangle = CLG_LOWER;
            problem.m = problem.n;
            clg_family_pose(&posed, &clg_family_tiled, &problem, &facts);
            assert_int_equal(posed.slab, problem.n);
        }
}

/* Slabs have one width and begin where vectors do; together they store each column once. */
static void slabs_store_each_column_once(void **state) {
    enum { GRAIN = 64 };
    (void)state;
    for (int64_t n = 1; n < 1400; n += 47)
        for (int64_t apart = GRAIN; apart < n; apart += GRAIN) {
            const struct clg_plan plan = {.problem = {.n = n, .batch = 3},
                                          .slab = apart + n % GRAIN,
                                          .apart = apart,
                                          .each = n % 2};
            const int64_t slabs = clg_slabs(n, plan.slab, apart);
            int64_t stored = 0, number = 0;
            for (struct clg_portion portion; clg_plan_portion(&plan, number, &portion); number++) {
                assert_int_equal(portion.product, number / slabs);
                assert_int_equal(portion.first % GRAIN, 0);
                assert_int_equal(portion.first, stored);
                assert_true(portion.stored > 0 && portion.stored <= plan.slab);
                stored = number % slabs + 1 < slabs ? portion.first + portion.stored : 0;
                assert_true(stored ? portion.first + plan.slab < n
                                   : portion.first + portion.stored == n);
            }
            assert_int_equal(number, plan.each ? 3 * slabs : slabs);
        }
}

/* Its programs are checked by a product of the slab's size at most. With B transposed no family
 * has it all in place. */
static void a_plan_of_slabs_has_a_twin(void **state) {
    const struct clg_problem problem = problem_of(2, 2000, 3333, 1500);
    struct clg_plan plan, twin;
    (void)state;
    for (int i = 0; i < DEVICES; i++) {
        struct clg_facts facts = *devices[i];
        facts.workspace_max = 30 << 20;
        clg_test_assert_success(clg_choose_plan(&plan, &problem, &facts, NULL));
        assert_string_not_equal(plan.family->name, "direct");
        assert_true(plan.slab < problem.n);
        assert_true(clg_plan_twin(&twin, &plan, &facts, false));
        assert_int_equal(twin.slab, twin.problem.n);
        assert_true(twin.problem.n <= plan.slab);
    }
}

/* A plan says which form it has, so that it can be made again, and for a small product. */
static void a_plan_keeps_its_form(void **state) {
    (void)state;
    for (int i = 0; i < DEVICES; i++)
        for (int trans = 0; trans < 4; trans++) {
            const struct clg_problem problem = problem_of(trans, 2000, 70, 3000);
            const bool inside = devices[i] == &clg_test_hopper && !(trans & 2);
            struct clg_plan plan, twin;
            clg_test_assert_success(clg_choose_plan(&plan, &problem, devices[i], NULL));
            assert_int_equal(plan.problem.form, inside      ? CLG_FORM_INSIDE
                                                : trans & 1 ? CLG_FORM_B
                                                            : CLG_FORM_PARTS);
            assert_string_equal(plan.steps[plan.num_steps - 1].source,
                                inside ? "multistage" : "complex_join");
            for (int s = 0; s < plan.num_steps; s++) /* only the last one writes C, or scales it */
                assert_int_equal(clg_step_writes_c(&plan.steps[s]),
                                 s == plan.num_steps - 1 || (inside && s == 0));
            assert_true(clg_plan_twin(&twin, &plan, devices[i], false));
            assert_int_equal(twin.problem.form, plan.problem.form);
            assert_true(clg_problem_equal(&plan.problem, &problem));
        }
}

/* Where the kernel expands A, nothing is written before the product but a C with a complex beta.
 * An alpha with an imaginary part needs a packed operand, and so another plan. */
static void nothing_is_written_where_the_kernel_expands_a(void **state) {
    (void)state;
    for (int type = CLGEMM_CF32; type <= CLGEMM_CF64; type++)
        for (int trans = 0; trans < 2; trans++) {
            struct clg_problem problem =
                clg_test_aligned_problem((clgemm_type)type, trans, false, 512, 512, 512);
            const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
            assert_string_equal(plan.family->name, "multistage");
            assert_int_equal(plan.problem.form, CLG_FORM_INSIDE);
            assert_int_equal(plan.num_steps, 2);
            assert_string_equal(plan.steps[0].source, "scale");
            assert_non_null(strstr(plan.steps[1].options, "-DEXPAND_A=1"));
            problem.turns = true;
            assert_false(clg_problem_equal(&problem, &plan.problem));
            const struct clg_plan turns = clg_test_plan(&problem, &clg_test_hopper);
            assert_int_not_equal(turns.problem.form, CLG_FORM_INSIDE);
        }
}

/* A plan's problem has its form; another family that computes it has a form of its own. */
static void no_other_family_is_given_that_form(void **state) {
    const struct clg_problem problem = problem_of(0, 512, 512, 512);
    const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
    (void)state;
    assert_int_equal(plan.problem.form, CLG_FORM_INSIDE);
    for (int f = 0; clg_families[f]; f++) {
        struct clg_posed posed;
        clg_family_pose(&posed, clg_families[f], &plan.problem, &clg_test_hopper);
        assert_true((posed.form == CLG_FORM_INSIDE) == clg_families[f]->expands);
        assert_true(posed.problem->matrix[CLG_A].expanded == clg_families[f]->expands);
    }
}

/* It is possible without any workspace. */
static void it_needs_no_workspace(void **state) {
    const struct clg_problem problem = problem_of(0, 512, 512, 512);
    struct clg_facts facts = clg_test_hopper;
    struct clg_posed posed;
    (void)state;
    facts.workspace_max = 0;
    clg_family_pose(&posed, &clg_family_multistage, &problem, &facts);
    assert_int_equal(posed.form, CLG_FORM_INSIDE);
    assert_int_equal(posed.facts->workspace_max, 0);
}

static void only_an_imaginary_part_of_alpha_turns(void **state) {
    (void)state;
    for (int imaginary = 0; imaginary < 2; imaginary++) {
        const struct clg_test_form form = {
            .m = 64, .n = 64, .k = 64, .alpha_imag = imaginary, .beta_imag = 1};
        assert_int_equal(clg_test_form_problem(&form, CLGEMM_CF32).turns, imaginary);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_matrix_stays_in_place),
        cmocka_unit_test(a_step_is_worth_its_launch),
        cmocka_unit_test(memory_decides_too),
        cmocka_unit_test(slabs_fit_the_workspace),
        cmocka_unit_test(slabs_store_each_column_once),
        cmocka_unit_test(a_plan_of_slabs_has_a_twin),
        cmocka_unit_test(a_plan_keeps_its_form),
        cmocka_unit_test(nothing_is_written_where_the_kernel_expands_a),
        cmocka_unit_test(no_other_family_is_given_that_form),
        cmocka_unit_test(it_needs_no_workspace),
        cmocka_unit_test(only_an_imaginary_part_of_alpha_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
