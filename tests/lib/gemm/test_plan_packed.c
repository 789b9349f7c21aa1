/* SPDX-License-Identifier: Apache-2.0
 * Plans with an operand that was packed before, without a device. They are ordinary plans whose
 * first step packs that operand, and a packed layout that was chosen for one problem serves
 * others. */
#include <string.h>

#include "gemm/family.h"
#include "gemm/tensor/tensor.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"
#include "support/random.h"

static const struct clg_facts *const devices[] = {&clg_test_cpu, &clg_test_gpu, &clg_test_hopper};
enum { DEVICES = sizeof devices / sizeof *devices };

/* A random product of which one operand is packed. */
struct drawn {
    int which;
    struct clg_call call;
};

/* `free_size` is the side of C that is not the operand's. */
static struct clg_problem problem_of(const struct drawn *drawn, int64_t free_size,
                                     const struct clg_ahead *ahead) {
    struct clg_call call = drawn->call;
    struct clg_problem problem;
    *(drawn->which == CLG_A ? &call.n : &call.m) = free_size;
    const int64_t rows[] = {call.ta == CLGEMM_TRANS ? call.k : call.m,
                            call.tb == CLGEMM_TRANS ? call.n : call.k, call.m};
    for (int i = 0; i < CLG_MATRICES; i++)
        call.operand[i].ld += rows[i]; /* the gap exists */
    clg_test_assert_success(clg_problem_init(&problem, &call));
    problem.ahead = *ahead;
    return problem;
}

static struct drawn draw(struct clg_test_random *random) {
    static const int64_t sizes[] = {1, 5, 16, 64, 127, 500, 1024, 2050, 4096};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    struct drawn drawn = {.which = clg_test_range(random, 0, 1) ? CLG_B : CLG_A};
    struct clg_call *call = &drawn.call;
    *call = (struct clg_call){.type = (clgemm_type)clg_test_range(random, 0, CLGEMM_BF16),
                              .math = (clgemm_math)clg_test_range(random, 1, CLGEMM_MATH_F16),
                              .layout = CLGEMM_COL_MAJOR,
                              .ta = clg_test_range(random, 0, 1) ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                              .tb = clg_test_range(random, 0, 1) ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                              .m = sizes[clg_test_range(random, 0, SIZES - 1)],
                              .n = sizes[clg_test_range(random, 0, SIZES - 1)],
                              .k = sizes[clg_test_range(random, 0, SIZES - 1)],
                              .scalars = {.alpha = 1}};
    for (int i = 0; i < CLG_MATRICES; i++)
        call->operand[i] = (struct clg_operand){
            .ld = clg_test_range(random, 0, 4), .bytes = UINT64_MAX, .alignment = 64};
    return drawn;
}

static bool uses(const struct clg_step *step, enum clg_arg_kind kind, int number) {
    bool used = false;
    for (int i = 0; i < step->num_args; i++)
        used |= step->args[i].kind == kind && step->args[i].i == number;
    return used;
}

static uint64_t room_taken(const struct clg_plan *plan) {
    uint64_t bytes = 0;
    for (int w = 0; w < plan->num_workspaces; w++)
        bytes += w == plan->packed ? 0 : plan->workspaces[w];
    return bytes;
}

/* The plan if the operand were packed together with the rest: the same family and parameters. */
static struct clg_plan plain_of(const struct clg_plan *plan, const struct clg_facts *facts) {
    struct clg_problem problem = plan->problem;
    struct clg_plan plain;
    problem.ahead = (struct clg_ahead){.wanted = false};
    clg_plan_with(&plain, plan->family, &plan->params, &problem, facts);
    assert_int_equal(plain.packed, -1);
    return plain;
}

static enum clg_tensor_comes comes(const struct clg_plan *plan, const struct clg_facts *facts,
                                   int which) {
    return clg_tensor_comes(&plan->problem, facts, &plan->params, (enum clg_matrix_index)which);
}

/* It does step for step what the ordinary plan does, which packs the operand itself, alone or with
 * the other one. In ordinary plans of the panel family the packing of A is no separate step, and
 * `tiled` packs only what it cannot read in the preset's vectors. */
static void check_against_plain(const struct clg_plan *plan, int which,
                                const struct clg_facts *facts) {
    const struct clg_plan plain = plain_of(plan, facts);
    const bool tensor = plan->family == &clg_family_tensor;
    const int other = CLG_A + CLG_B - which;
    if (tensor && comes(&plain, facts, which) != CLG_TENSOR_PACKED)
        return; /* an operand that is packed before is otherwise not packed at all */
    const int more = plan->num_steps - plain.num_steps;
    if ((plan->family == &clg_family_panel && which == CLG_A) ||
        (plan->family == &clg_family_tiled && more))
        return;
    assert_int_equal(more, tensor && comes(&plain, facts, other) == CLG_TENSOR_PACKED);
    if (more)
        assert_int_equal(plan->steps[0].groups + plan->steps[1].groups, plain.steps[0].groups);
    for (int s = 1; s < plan->num_steps; s++) {
        const struct clg_step *step = &plan->steps[s], *same = &plain.steps[s - more];
        if (strstr(step->source, "pack")) /* the other operand's, which is the second */
            continue;
        assert_string_equal(step->source, same->source);
        assert_string_equal(step->options, same->options);
        assert_int_equal(step->num_args, same->num_args);
        assert_int_equal(step->groups, same->groups);
    }
    assert_true(room_taken(plan) + plan->workspaces[plan->packed] <= room_taken(&plain) + 4096);
}

static void check_plan(const struct clg_plan *plan, int which, const struct clg_facts *facts) {
    const bool keeps_original = plan->family == &clg_family_tensor;
    assert_in_range(plan->packed, 0, plan->num_workspaces - 1);
    assert_in_range(plan->num_steps, 2, CLG_MAX_STEPS);
    assert_true(uses(&plan->steps[0], CLG_ARG_MATRIX, which));
    assert_true(uses(&plan->steps[0], CLG_ARG_WORKSPACE, plan->packed));
    assert_false(clg_step_writes_c(&plan->steps[0]));
    /* A packing call has only this operand. */
    assert_false(uses(&plan->steps[0], CLG_ARG_MATRIX, CLG_A + CLG_B - which));
    bool read = false;
    for (int s = 1; s < plan->num_steps; s++) {
        read |= uses(&plan->steps[s], CLG_ARG_WORKSPACE, plan->packed);
        assert_true(keeps_original || !uses(&plan->steps[s], CLG_ARG_MATRIX, which));
    }
    assert_true(read);
    assert_true(clg_step_writes_c(&plan->steps[plan->num_steps - 1]));
    assert_true(room_taken(plan) <= facts->workspace_max);
    assert_true(plan->workspaces[plan->packed] <= facts->max_allocation);
    assert_null(clg_family_unsupported_reason(plan->family, &plan->problem, facts, &plan->params));
    check_against_plain(plan, which, facts);
}

/* What the packing step writes depends on these only. */
static void check_same_form(const struct clg_plan *plan, const struct clg_plan *other) {
    const struct clg_step *step = &plan->steps[0], *same = &other->steps[0];
    assert_ptr_equal(plan->family, other->family);
    assert_int_equal(plan->workspaces[plan->packed], other->workspaces[other->packed]);
    assert_string_equal(step->source, same->source);
    assert_int_equal(step->groups, same->groups);
    if (plan->family != &clg_family_tensor) { /* whose kernel gets both operands */
        assert_string_equal(step->options, same->options);
        for (int i = 0; i < step->num_args; i++)
            assert_true(step->args[i].kind == CLG_ARG_WORKSPACE ||
                        step->args[i].l == same->args[i].l);
    }
}

/* How many sizes one packed layout serves: all for which the family has a plan. */
static void a_form_serves_any_size_of_the_other_side(void **state) {
    static const int64_t sizes[] = {1, 3, 16, 33, 128, 700, 2048, 5000};
    enum { DRAWN = 300, SIZES = sizeof sizes / sizeof *sizes };
    struct clg_test_random random = clg_test_random_start(1);
    int packed[DEVICES] = {0}, families = 0;
    (void)state;
    for (int i = 0; i < DRAWN * DEVICES; i++) {
        const struct clg_facts *facts = devices[i % DEVICES];
        const struct drawn drawn = draw(&random);
        const struct clg_ahead wanted = {
            .wanted = true, .which = drawn.which, .math = drawn.call.math};
        const struct clg_problem problem =
            problem_of(&drawn, drawn.which == CLG_A ? drawn.call.n : drawn.call.m, &wanted);
        const struct clg_plan first = clg_test_plan(&problem, facts);
        const struct clg_ahead ahead = first.problem.ahead;
        if (first.packed < 0) {
            assert_false(ahead.wanted);
            assert_ptr_not_equal(first.family, &clg_family_panel);
            continue;
        }
        packed[i % DEVICES]++;
        families |= 1 << (first.family == &clg_family_tensor  ? 0
                          : first.family == &clg_family_tiled ? 1
                                                              : 2);
        assert_ptr_equal(ahead.family, first.family);
        check_plan(&first, drawn.which, facts);
        for (int s = 0; s < SIZES; s++) {
            const struct clg_problem other = problem_of(&drawn, sizes[s], &ahead);
            const struct clg_plan plan = clg_test_plan(&other, facts);
            assert_true(clg_problem_equal(&plan.problem, &other)); /* found again by it */
            if (plan.packed < 0) {
                /* If another family is faster, or tiles are too large, the matrix itself is
                 * read. */
                assert_ptr_not_equal(ahead.family, &clg_family_panel);
                assert_ptr_not_equal(plan.family, ahead.family);
                continue;
            }
            check_plan(&plan, drawn.which, facts);
            check_same_form(&plan, &first);
        }
    }
    for (int d = 0; d < DEVICES; d++)
        assert_true(packed[d] > DRAWN / 10);
    assert_int_equal(families, 7);
}

/* Parts for tensor cores in one mode are not those of another. Then the matrix itself is
 * multiplied. */
static void another_mode_reads_the_matrix(void **state) {
    struct drawn drawn = {.which = CLG_B};
    (void)state;
    drawn.call = (struct clg_call){.math = CLGEMM_MATH_NORMWISE,
                                   .layout = CLGEMM_COL_MAJOR,
                                   .ta = CLGEMM_NO_TRANS,
                                   .tb = CLGEMM_NO_TRANS,
                                   .m = 2048,
                                   .n = 2048,
                                   .k = 2048,
                                   .scalars = {.alpha = 1}};
    for (int i = 0; i < CLG_MATRICES; i++)
        drawn.call.operand[i] = (struct clg_operand){.bytes = UINT64_MAX, .alignment = 64};
    const struct clg_ahead wanted = {.wanted = true, .which = CLG_B, .math = CLGEMM_MATH_NORMWISE};
    struct clg_problem problem = problem_of(&drawn, 2048, &wanted);
    const struct clg_plan first = clg_test_plan(&problem, &clg_test_hopper);
    assert_ptr_equal(first.family, &clg_family_tensor);
    assert_int_equal(first.packed, 1);
    drawn.call.math = CLGEMM_MATH_ACCURATE;
    problem = problem_of(&drawn, 2048, &first.problem.ahead);
    struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
    assert_ptr_equal(plan.family, &clg_family_tensor);
    assert_int_equal(plan.packed, -1);
    assert_int_equal(plan.num_steps, 2);
    drawn.call.math = CLGEMM_MATH_STRICT;
    problem = problem_of(&drawn, 2048, &first.problem.ahead);
    plan = clg_test_plan(&problem, &clg_test_hopper);
    assert_ptr_equal(plan.family, &clg_family_multistage);
    assert_int_equal(plan.packed, -1);
    /* Parts for other tiles are refused if parameters ask for them. */
    struct clg_params other = first.params;
    other.tile_n = 64;
    problem = first.problem;
    assert_string_equal(
        clg_family_unsupported_reason(&clg_family_tensor, &problem, &clg_test_hopper, &other),
        "an operand is packed in another layout");
}

/* For a weight that is already packed, tensor cores win products that strict would win
 * otherwise. */
static void what_costs_nothing_counts_for_nothing(void **state) {
    const struct clg_facts *const facts = &clg_test_hopper;
    struct drawn drawn = {.which = CLG_B};
    int more = 0;
    (void)state;
    drawn.call = (struct clg_call){.math = CLGEMM_MATH_NORMWISE,
                                   .layout = CLGEMM_COL_MAJOR,
                                   .ta = CLGEMM_NO_TRANS,
                                   .tb = CLGEMM_NO_TRANS,
                                   .n = 4096,
                                   .k = 4096,
                                   .scalars = {.alpha = 1}};
    for (int i = 0; i < CLG_MATRICES; i++)
        drawn.call.operand[i] = (struct clg_operand){.bytes = UINT64_MAX, .alignment = 64};
    for (int64_t m = 1; m <= 512; m++) {
        const struct clg_ahead none = {.wanted = false};
        const struct clg_ahead wanted = {
            .wanted = true, .which = CLG_B, .math = CLGEMM_MATH_NORMWISE};
        const struct clg_problem plain = problem_of(&drawn, m, &none);
        const struct clg_problem packed = problem_of(&drawn, m, &wanted);
        const bool is = clg_test_plan(&plain, facts).family == &clg_family_tensor;
        const bool would = clg_test_plan(&packed, facts).family == &clg_family_tensor;
        assert_true(would || !is);
        more += would && !is;
    }
    assert_true(more > 0);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_form_serves_any_size_of_the_other_side),
        cmocka_unit_test(another_mode_reads_the_matrix),
        cmocka_unit_test(what_costs_nothing_counts_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
