/* SPDX-License-Identifier: Apache-2.0
 * The candidates of `clgemm-bench --regret`: the library's choice and its alternatives, each once,
 * and the set of programs that they need. No device is needed. */
#include <string.h>

#include "bench/candidates.h"
#include "bench/problem.h"
#include "gemm/family.h"
#include "run/choose.h"
#include "src/common/build.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/rows.h"
#include "tuning/costs.h"

static struct clg_problem problem_of_type(clgemm_type type, int64_t m, int64_t n, int64_t k,
                                          int64_t depth) {
    const struct options o = {
        .type = type, .batch = 1, .layout = CLGEMM_ROW_MAJOR, .alpha = {1, 0}};
    struct problem p;
    struct clg_problem out;
    char why[160];
    assert_true(problem_describe(&p, &o, (struct shape){m, n, k},
                                 (struct transposes){CLGEMM_NO_TRANS, CLGEMM_NO_TRANS}, why,
                                 sizeof why));
    const struct clg_call call = problem_call(&p, depth);
    clg_test_assert_success(clg_problem_init(&out, &call));
    return out;
}

static struct clg_problem problem_of(int64_t m, int64_t n, int64_t k, int64_t depth) {
    return problem_of_type(CLGEMM_F32, m, n, k, depth);
}

static struct candidates make(const struct clg_problem *problem, const struct clg_facts *facts,
                              unsigned families) {
    struct candidates list;
    char why[256];
    if (!candidates_make(&list, problem, facts, NULL, families, why, sizeof why))
        fail_msg("%s", why);
    return list;
}

static size_t count_of(const struct candidates *list, const struct clg_family *family) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->plans[i].family == family;
    return count;
}

static bool same_arg(const struct clg_arg *one, const struct clg_arg *other) {
    if (one->kind != other->kind)
        return false;
    return one->kind == CLG_ARG_LONG ? one->l == other->l
           : one->kind == CLG_ARG_SCALAR
               ? one->d == other->d
               : one->kind == CLG_ARG_ALPHA || one->kind == CLG_ARG_BETA || one->i == other->i;
}

static bool same_step(const struct clg_step *one, const struct clg_step *other) {
    bool same = !strcmp(one->source, other->source) && !strcmp(one->options, other->options) &&
                one->groups == other->groups && one->num_args == other->num_args;
    for (int i = 0; i < one->num_args && same; i++)
        same = same_arg(&one->args[i], &other->args[i]);
    return same;
}

/* Whether both compute the same problem in the same way. */
static bool same_plan(const struct clg_plan *one, const struct clg_plan *other) {
    bool same = one->num_steps == other->num_steps;
    for (int s = 0; s < one->num_steps && same; s++)
        same = same_step(&one->steps[s], &other->steps[s]);
    return same;
}

static void the_choice_is_first_and_nothing_is_there_twice(void **state) {
    (void)state;
    const struct clg_problem problem = problem_of(33, 65, 517, 517);
    struct candidates list = make(&problem, &clg_test_gpu, 0);
    struct clg_plan chosen;
    clg_test_assert_success(clg_choose_plan(&chosen, &problem, &clg_test_gpu, NULL));
    assert_true(same_plan(&chosen, &list.plans[0]));
    for (size_t i = 0; i < list.count; i++)
        for (size_t j = 0; j < i; j++)
            assert_false(same_plan(&list.plans[i], &list.plans[j]));
    candidates_release(&list);
}

/* All presets of the type with which the family can compute the problem are there, with k not
 * split, and none of another type. */
static void every_row_is_there(void **state) {
    (void)state;
    const struct clg_problem problem = problem_of_type(CLGEMM_F64, 512, 384, 300, 300);
    struct candidates list = make(&problem, &clg_test_gpu, 0);
    size_t found = 0, others = 0;
    const struct clg_cost_rows all = clg_costs_of(clg_test_costs(&clg_test_gpu), &clg_family_tiled);
    for (size_t r = 0; r < all.count; r++) {
        struct clg_params row = all.rows[r].params;
        struct clg_plan plan;
        row.split_k = row.split_tail = row.pack_a = row.pack_b = 0;
        if (clg_family_tiled.unsupported_reason(&problem, &clg_test_gpu, &row))
            continue;
        clg_plan_with(&plan, &clg_family_tiled, &row, &problem, &clg_test_gpu);
        size_t i = 0;
        while (i < list.count && !same_plan(&plan, &list.plans[i]))
            i++;
        const bool is_for = all.rows[r].types >> problem.type & 1;
        assert_int_equal(i < list.count, is_for);
        found += is_for;
        others += !is_for;
    }
    assert_true(found > 5);
    assert_true(others > 0);
    candidates_release(&list);
}

/* A family's kernels would fault on a device for which they were not made. */
static void no_family_is_there_that_cannot_multiply_the_type(void **state) {
    (void)state;
    for (int type = 0; type < CLG_TYPE_COUNT; type++) {
        const struct clg_problem problem = problem_of_type((clgemm_type)type, 300, 300, 300, 300);
        struct candidates list = make(&problem, &clg_test_hopper, 0);
        assert_true(list.count > 1);
        for (size_t i = 0; i < list.count; i++)
            assert_true(clg_family_computes(list.plans[i].family, (clgemm_type)type));
        const size_t copied = count_of(&list, &clg_family_multistage);
        const clgemm_type real = clg_type_real((clgemm_type)type);
        assert_true(real == CLGEMM_F64 ? copied > 0 : real == CLGEMM_F32 || copied == 0);
        candidates_release(&list);
    }
}

/* Of two families that follow the same model, the one that is not chosen has its presets there too,
 * except for types for which it has no presets. */
static void a_family_that_stands_back_by_its_model_is_there(void **state) {
    (void)state;
    const struct clg_problem problem = problem_of(1024, 1024, 1024, 1024);
    struct candidates list = make(&problem, &clg_test_hopper, 0);
    assert_ptr_equal(list.plans[0].family, &clg_family_tiled);
    assert_true(count_of(&list, &clg_family_multistage) > 50);
    candidates_release(&list);
    const struct clg_problem halves = problem_of_type(CLGEMM_F16, 1024, 1024, 1024, 1024);
    list = make(&halves, &clg_test_hopper, 0);
    assert_int_equal(count_of(&list, &clg_family_multistage), 0);
    candidates_release(&list);
}

static void families_narrow_what_is_beside_the_choice(void **state) {
    (void)state;
    const struct clg_problem problem = problem_of(512, 384, 300, 300);
    unsigned direct = 0;
    while (clg_families[direct] != &clg_family_direct)
        direct++;
    struct candidates all = make(&problem, &clg_test_gpu, 0);
    struct candidates some = make(&problem, &clg_test_gpu, 1u << direct);
    assert_true(count_of(&all, &clg_family_direct) > 1 && count_of(&all, &clg_family_tiled) > 1);
    assert_ptr_equal(some.plans[0].family, all.plans[0].family);
    assert_int_equal(count_of(&some, &clg_family_direct), count_of(&all, &clg_family_direct));
    assert_int_equal(some.count, count_of(&some, &clg_family_direct) +
                                     (some.plans[0].family != &clg_family_direct));
    candidates_release(&all);
    candidates_release(&some);
}

/* A trial has the candidate's parameters, except those that only serve a large k. */
static void trials_are_shallow_and_whole(void **state) {
    (void)state;
    const struct clg_problem problem = problem_of(64, 64, 4096, 4096);
    const struct clg_problem shallow = problem_of(64, 64, 4096, TRIAL_DEPTH);
    struct candidates list = make(&problem, &clg_test_gpu, 0);
    size_t trials = 0, split = 0;
    for (size_t i = 0; i < list.count; i++) {
        const struct clg_plan *plan = &list.plans[i];
        struct clg_plan trial;
        if (!candidates_trial(&trial, plan, &shallow, &clg_test_gpu))
            continue;
        assert_int_equal(trial.problem.k, TRIAL_DEPTH);
        assert_int_equal(trial.params.split_k, 0);
        assert_int_equal(trial.params.tile_m, plan->params.tile_m);
        assert_int_equal(trial.params.pack_a, plan->params.pack_a);
        trials++;
        split += plan->params.split_k > 1;
    }
    assert_true(trials > 0 && split > 0);
    candidates_release(&list);
}

/* A request to a process yields the same programs there. */
static void the_set_has_each_program_once(void **state) {
    (void)state;
    const struct clg_problem problem = problem_of(33, 65, 517, 517);
    struct candidates list = make(&problem, &clg_test_gpu, 0);
    struct build_set set = {.items = NULL};
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < list.count; i++)
            build_set_add(&set, &list.plans[i], i == 0);
    assert_true(set.count > 10 && set.count < 4 * list.count && !set.no_memory);
    for (size_t p = 0; p < set.count; p++) {
        const struct build_program *item = &set.items[p];
        struct clg_plan plan;
        if (item->family)
            clg_plan_with(&plan, item->family, &item->params, &item->problem, &clg_test_gpu);
        else
            clg_test_assert_success(clg_choose_plan(&plan, &item->problem, &clg_test_gpu, NULL));
        assert_true(item->step < plan.num_steps);
        assert_string_equal(plan.steps[item->step].source, item->source);
        assert_string_equal(plan.steps[item->step].options, item->options);
        for (size_t other = 0; other < p; other++)
            assert_true(strcmp(item->source, set.items[other].source) != 0 ||
                        strcmp(item->options, set.items[other].options) != 0);
    }
    build_set_release(&set);
    candidates_release(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_choice_is_first_and_nothing_is_there_twice),
        cmocka_unit_test(every_row_is_there),
        cmocka_unit_test(no_family_is_there_that_cannot_multiply_the_type),
        cmocka_unit_test(a_family_that_stands_back_by_its_model_is_there),
        cmocka_unit_test(families_narrow_what_is_beside_the_choice),
        cmocka_unit_test(trials_are_shallow_and_whole),
        cmocka_unit_test(the_set_has_each_program_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
