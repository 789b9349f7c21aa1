/* SPDX-License-Identifier: Apache-2.0
 * Plans of pipelines: what is chosen, the memory it takes, and its predicted time. No device is
 * needed. */
#include <math.h>
#include <stdio.h>

#include "base/checked.h"
#include "host/buffers.h"
#include "host/plan.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"
#include "support/tuning.h"

/* An H200 with 16 processors for the library. */
static struct clg_facts h200(void) {
    struct clg_facts facts = clg_test_gpu;
    snprintf(facts.vendor, sizeof facts.vendor, "NVIDIA Corporation");
    facts.compute_units = 132;
    facts.clock_mhz = 1980;
    facts.global_memory = 140ULL << 30;
    facts.capability = CLG_HOPPER;
    facts.arch = clg_facts_architecture(&facts, 0);
    return facts;
}

static const struct clg_pipe_limits roomy = {30ULL << 30, 30ULL << 30, 2 << 20};

static struct clg_pipe_plan plan_for(const struct clg_test_form *form, clgemm_type type,
                                     int processors, uint64_t bytes) {
    const struct clg_facts facts = h200();
    const struct clg_problem problem = clg_test_form_problem(form, type);
    const struct clg_pipe_speeds speeds = clg_pipe_speeds_of(NULL, &facts, &problem, processors);
    const struct clg_pipe_task task = {&problem, form->has_beta, 0};
    struct clg_pipe_limits limits = roomy;
    struct clg_pipe_plan plan = {0};
    limits.bytes = limits.largest = bytes;
    assert_true(clg_pipe_plan_make(&plan, &task, &speeds, &limits));
    double all = 0;
    for (int i = 0; i < CLG_MATRICES; i++)
        all += (double)plan.elements[i] * (double)clg_type_size(type);
    assert_true(all <= (double)bytes);
    assert_true(plan.slot <= limits.slot);
    return plan;
}

static struct clg_test_form cube(int64_t n) {
    return (struct clg_test_form){.m = n, .n = n, .k = n, .batch = 1};
}

static void large_products_begin_before_all_is_there(void **state) {
    const struct clg_test_form form = cube(8192);
    struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
    (void)state;
    const struct clg_pipe_step *first = &plan.steps[0];
    assert_true(first->needs < plan.num_up / 8);
    assert_true(plan.down[0].step < plan.num_steps - 2);
    assert_int_equal(plan.threads, 8);
    const double device = 2.0 * 8192 * 8192 * 8192 / 50.2e12;
    assert_true(plan.seconds > device && plan.seconds < 1.2 * device);
    clg_pipe_plan_free(&plan);
}

static void small_products_are_one_step(void **state) {
    struct clg_test_form form = cube(128);
    struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
    (void)state;
    assert_int_equal(plan.num_steps, 1);
    assert_int_equal(plan.threads, 1);
    clg_pipe_plan_free(&plan);
    form.batch = 4;
    plan = plan_for(&form, CLGEMM_F64, 16, roomy.bytes);
    assert_true(plan.num_steps <= 4);
    clg_pipe_plan_free(&plan);
}

/* Matrices side by side without overlaps. Without beta C is not sent. */
static void joint_ones_lie_side_by_side(void **state) {
    struct clg_test_random random = clg_test_random_start(4);
    const struct clg_facts facts = h200();
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        struct clg_test_form form = clg_test_form_draw(&random);
        form.batch = turn % 3 ? 1 : clg_test_range(&random, 2, 9);
        form.shares_a = turn % 6 == 0;
        const struct clg_problem problem = clg_test_form_problem(&form, CLGEMM_F32);
        const struct clg_pipe_speeds speeds = clg_pipe_speeds_of(NULL, &facts, &problem, 16);
        const struct clg_pipe_task task = {&problem, form.has_beta, 0};
        struct clg_pipe_plan plan = {0};
        const bool fits = clg_pipe_plan_joint(&plan, &task, &speeds, &roomy);
        int64_t end = 0, inputs = 0;
        for (int which = 0; which < CLG_MATRICES; which++) {
            const struct clg_matrix *matrix = &problem.matrix[which];
            const int64_t cols = matrix->cols * clg_problem_matrices(&problem, which);
            const int64_t ld = clg_host_dense_ld(CLGEMM_F32, matrix->rows);
            const int64_t at = clg_round_up(end, 64);
            inputs = which == CLG_C ? end : 0;
            end = at + ld * cols;
            if (!fits)
                continue;
            const struct clg_pipe_piece *piece = which == CLG_C ? plan.down : &plan.up[which];
            const struct clg_matrix *held = &plan.steps->problem.matrix[which];
            assert_int_equal(piece->matrix, which);
            assert_true(piece->at == at && piece->ld == ld && piece->cols == cols);
            assert_true(held->offset == at && held->ld == ld);
            assert_true(held->stride == (matrix->stride ? ld * matrix->cols : 0));
        }
        assert_int_equal(fits, (size_t)end * sizeof(float) <= roomy.slot);
        if (fits) {
            assert_true(plan.num_steps == 1 && plan.num_down == 1 && plan.elements[0] == end);
            assert_int_equal(clg_pipe_joint_up(&plan), form.has_beta ? end : inputs);
        }
        clg_pipe_plan_free(&plan);
    }
}

static void only_small_ones_are_joint(void **state) {
    const struct clg_facts facts = h200();
    (void)state;
    for (int64_t size = 16; size <= 1024; size *= 2) {
        const struct clg_test_form form = cube(size);
        const struct clg_problem problem = clg_test_form_problem(&form, CLGEMM_F32);
        const struct clg_pipe_speeds speeds = clg_pipe_speeds_of(NULL, &facts, &problem, 16);
        const struct clg_pipe_task task = {&problem, false, 0};
        struct clg_pipe_plan joint = {0};
        struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
        const bool is_joint =
            clg_pipe_plan_joint(&joint, &task, &speeds, &roomy) && joint.seconds < plan.seconds;
        if (size <= 128 || size >= 512)
            assert_int_equal(is_joint, size <= 128);
        clg_pipe_plan_free(&joint);
        clg_pipe_plan_free(&plan);
    }
}

static void kinds_are_different_problems(void **state) {
    const struct clg_test_form form = cube(8192);
    struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
    int kinds = 0;
    (void)state;
    for (int s = 0; s < plan.num_steps; s++) {
        int like = 0;
        while (!clg_problem_equal(&plan.steps[like].problem, &plan.steps[s].problem))
            like++;
        assert_int_equal(plan.steps[s].kind, like < s ? plan.steps[like].kind : kinds++);
    }
    assert_int_equal(plan.num_kinds, kinds);
    assert_true(kinds > 1);
    clg_pipe_plan_free(&plan);
}

/* A plan uses measured speeds, and predicts its time from them. */
static void measured_speeds_count(void **state) {
    const struct clg_facts facts = h200();
    const struct clg_host_speeds slow = {12000, 6000, 10000, 4000, 7000, 2, "2026-01-02", ""};
    struct clg_tuning_row rows[3] = {clg_test_row(4096, 5, 5.4), clg_test_row(1024, 5, 0.001),
                                     clg_test_row(4096, 5, 1)};
    const struct clg_test_form form = cube(4096);
    const struct clg_problem problem = clg_test_form_problem(&form, CLGEMM_F32);
    const struct clg_pipe_task task = {&problem, false, 0};
    struct clg_pipe_plan plan = {0};
    (void)state;
    rows[2].shape.type = CLGEMM_F64;
    struct clg_tuning *table = clg_test_tuning_with(NULL, rows, 3);
    assert_non_null(table);
    clg_tuning_add_once(table, &(struct clg_tuning_once){.speeds = slow}, CLG_TUNING_USER, true,
                        false);
    struct clg_problem in_tf32 = problem;
    in_tf32.math = CLGEMM_MATH_TF32;
    const struct clg_pipe_speeds guess = clg_pipe_speeds_of(NULL, &facts, &problem, 16);
    const struct clg_pipe_speeds speeds = clg_pipe_speeds_of(table, &facts, &problem, 16);
    const struct clg_pipe_speeds other = clg_pipe_speeds_of(table, &facts, &in_tf32, 16);
    assert_true(guess.operations > 40e12 && guess.operations < 66e12); /* strict: the peak is 67 */
    assert_true(other.up == 12e9 && other.operations == guess.operations); /* by models */
    assert_true(speeds.up == 12e9 && speeds.down == 6e9 && speeds.copy == 4e9);
    assert_true(speeds.copy_all == 7e9 && fabs(speeds.transfer - 10e-6) < 1e-9);
    const double operations =
        2.0 * (double)rows[0].shape.m * (double)rows[0].shape.n * (double)rows[0].shape.k;
    assert_true(fabs(speeds.operations - operations / 5.4e-3) < 1e6);
    assert_true(clg_pipe_plan_make(&plan, &task, &speeds, &roomy));
    assert_int_equal(plan.threads, speeds.more_threads); /* it waits for copies */
    const double copies = 3 * 4.0 * 4096 * 4096 / clg_pipe_speeds_with(&speeds, 12).copy_all;
    assert_true(plan.seconds > copies && plan.seconds < 1.5 * copies);
    clg_pipe_plan_free(&plan);
    clg_tuning_release(table);
}

/* A sum in parts would be rounded to 16 bits more than once. */
static void narrow_elements_are_not_cut_along_k(void **state) {
    const struct clg_test_form form = cube(8192);
    (void)state;
    for (int little = 0; little < 2; little++)
        for (int type = CLGEMM_F32; type < CLG_TYPE_COUNT; type++) {
            const bool narrow = clg_type_is_narrow((clgemm_type)type);
            struct clg_pipe_plan plan =
                plan_for(&form, (clgemm_type)type, 16, little ? 200 << 20 : roomy.bytes);
            bool cut = false;
            for (int s = 0; s < plan.num_steps; s++)
                cut |= plan.steps[s].problem.k < form.k;
            assert_int_equal(cut, !narrow);
            clg_pipe_plan_free(&plan);
        }
}

static void threads_are_those_there_are(void **state) {
    const struct clg_test_form form = cube(4096);
    (void)state;
    for (int processors = 1; processors <= 16; processors++) {
        struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, processors, roomy.bytes);
        assert_int_equal(plan.threads, processors < 8 ? processors : 8);
        clg_pipe_plan_free(&plan);
    }
}

static void tall_ones_have_panels_of_rows(void **state) {
    const struct clg_test_form form = {.m = 60000, .n = 512, .k = 512, .batch = 1};
    struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
    (void)state;
    assert_true(plan.num_steps > 2);
    assert_true(plan.steps[0].problem.m < form.m && plan.steps[0].problem.n == form.n);
    clg_pipe_plan_free(&plan);
}

/* C's way down is the longest here: it begins after little of A and B, and nothing crosses twice.
 */
static void large_results_grow(void **state) {
    const struct clg_test_form form = {.m = 16384, .n = 16384, .k = 2048, .batch = 1};
    const struct clg_problem problem = clg_test_form_problem(&form, CLGEMM_F32);
    struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
    (void)state;
    const struct clg_pipe_step *first = &plan.steps[0], *last = &plan.steps[plan.num_steps - 1];
    assert_true(first->problem.m < form.m && first->problem.n < form.n);
    assert_true(last->problem.m == form.m || last->problem.n == form.n);
    assert_true(first->needs < plan.num_up / 4 && last->needs == plan.num_up);
    for (int i = 0; i < CLG_MATRICES; i++)
        assert_true(clg_pipe_crossings(&plan, &problem, i) == 1);
    clg_pipe_plan_free(&plan);
}

/* The bus begins after little copying, and little copying follows it. */
static void outer_pieces_are_small(void **state) {
    const struct clg_test_form form = cube(4096);
    struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
    (void)state;
    const int64_t most = (int64_t)(plan.slot / sizeof(float));
    assert_true(clg_pipe_elements(&plan.up[0]) <= most / 4);
    assert_true(clg_pipe_elements(&plan.down[plan.num_down - 1]) <= most / 4);
    assert_true(clg_pipe_elements(&plan.up[plan.num_up / 2]) == most);
    for (int i = 1; i < 6; i++)
        assert_true(clg_pipe_elements(&plan.up[i]) >= clg_pipe_elements(&plan.up[i - 1]));
    clg_pipe_plan_free(&plan);
}

/* 7.2 GB of matrices through 1.5 GB: C once, A and B at most twice each, and in the device's
 * time. */
static void what_does_not_fit_passes_by(void **state) {
    const struct clg_test_form form = cube(24576);
    const struct clg_problem problem = clg_test_form_problem(&form, CLGEMM_F32);
    struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, 1536ULL << 20);
    struct clg_pipe_plan whole = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
    (void)state;
    assert_true(clg_pipe_crossings(&plan, &problem, CLG_C) == 1);
    assert_true(clg_pipe_crossings(&plan, &problem, CLG_A) +
                    clg_pipe_crossings(&plan, &problem, CLG_B) <=
                4);
    assert_true(plan.seconds < 1.1 * whole.seconds);
    assert_true(clg_pipe_crossings(&whole, &problem, CLG_A) == 1);
    clg_pipe_plan_free(&plan);
    clg_pipe_plan_free(&whole);
}

static void little_memory_is_enough(void **state) {
    struct clg_test_random random = clg_test_random_start(3);
    (void)state;
    for (int turn = 0; turn < 60; turn++) {
        struct clg_test_form form = clg_test_form_draw(&random);
        form.m *= clg_test_range(&random, 1, 40);
        form.n *= clg_test_range(&random, 1, 40);
        form.k *= clg_test_range(&random, 1, 40);
        struct clg_pipe_plan plan = plan_for(&form, turn % 2 ? CLGEMM_F64 : CLGEMM_F32, 4,
                                             (uint64_t)clg_test_range(&random, 1, 64) << 20);
        const struct clg_problem problem = clg_test_form_problem(&form, CLGEMM_F32);
        assert_true(clg_pipe_crossings(&plan, &problem, CLG_C) == (form.has_beta ? 2 : 1));
        clg_pipe_plan_free(&plan);
    }
}

/* If alpha is 0, k may be anything, because nothing is read along it. */
static void scaling_does_not_go_along_k(void **state) {
    static const int64_t depths[] = {0, 100000, INT64_C(1) << 40, INT64_MAX};
    struct clg_test_form form = {.m = 3000, .n = 2000, .batch = 1, .tb = true, .has_beta = true};
    struct clg_pipe_plan plans[2];
    (void)state;
    form.scales = true;
    for (int little = 0; little < 2; little++) /* of memory: C is processed in blocks */
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
            form.k = depths[d];
            plans[d > 0] = plan_for(&form, CLGEMM_F32, 16, little ? 4 << 20 : roomy.bytes);
            assert_int_equal(plans[d > 0].num_steps, plans[0].num_steps);
            assert_true(plans[d > 0].num_steps < 1000);
            if (d > 0)
                clg_pipe_plan_free(&plans[1]);
            if (d + 1 == sizeof depths / sizeof *depths)
                clg_pipe_plan_free(&plans[0]);
        }
}

/* Below what the smallest blocks need, these are used. A batch that does not fit has no plan. */
static void no_bound_is_too_small(void **state) {
    const struct clg_facts facts = h200();
    const struct clg_pipe_limits none = {0, 0, 2 << 20};
    (void)state;
    for (int batch = 1; batch <= 2; batch++) {
        const struct clg_test_form form = {.m = 1000, .n = 70, .k = 5000, .batch = batch};
        const struct clg_problem problem = clg_test_form_problem(&form, CLGEMM_F32);
        const struct clg_pipe_speeds speeds = clg_pipe_speeds_of(NULL, &facts, &problem, 2);
        const struct clg_pipe_task task = {&problem, false, 0};
        struct clg_pipe_plan plan = {0};
        assert_int_equal(clg_pipe_plan_make(&plan, &task, &speeds, &none), batch == 1);
        if (batch == 1)
            assert_true(plan.steps->problem.m == 64 && plan.steps->problem.n == 64);
        clg_pipe_plan_free(&plan);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_products_begin_before_all_is_there),
        cmocka_unit_test(small_products_are_one_step),
        cmocka_unit_test(joint_ones_lie_side_by_side),
        cmocka_unit_test(only_small_ones_are_joint),
        cmocka_unit_test(kinds_are_different_problems),
        cmocka_unit_test(measured_speeds_count),
        cmocka_unit_test(narrow_elements_are_not_cut_along_k),
        cmocka_unit_test(threads_are_those_there_are),
        cmocka_unit_test(tall_ones_have_panels_of_rows),
        cmocka_unit_test(large_results_grow),
        cmocka_unit_test(outer_pieces_are_small),
        cmocka_unit_test(what_does_not_fit_passes_by),
        cmocka_unit_test(little_memory_is_enough),
        cmocka_unit_test(scaling_does_not_go_along_k),
        cmocka_unit_test(no_bound_is_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
