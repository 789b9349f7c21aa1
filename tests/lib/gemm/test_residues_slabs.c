/* SPDX-License-Identifier: Apache-2.0
 * Products of doubles by residues on the device under test, by `dot`: what is left out, slabs of
 * columns, batches, and a long k. */
#include <math.h>

#include "gemm/residues/residues.h"
#include "support/check.h"
#include "support/doubles.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static struct clg_engine *const engine = &clg_test_fixture.engine;

static void run(struct clg_test_case *test, clgemm_math math, const struct clg_params *params) {
    clg_test_dot_run(engine, cl, math, params, test);
}

/* dot's last step computes them; with a row of infinities and a column of NaN in a tile of its own,
 * or in all tiles. */
static void special_values_are_right(void **state) {
    const struct clg_test_problem problem = clg_test_doubles(150, 140, 40, false, true);
    (void)state;
    for (int i = 0; i < 6; i++) {
        const int kind = i % 3;
        struct clg_test_case test;
        clg_test_doubles_create(&test, &problem);
        for (int64_t r = kind == 0 ? 33 : 0; r < problem.m; r += kind == 0 ? problem.m : 16)
            *clg_test_double_a(&test, r, r % problem.k) = kind == 1 ? (double)NAN : HUGE_VAL;
        *clg_test_double_b(&test, 39, problem.n - 1) = (double)NAN;
        clg_test_doubles_keep(&test);
        run(&test, kind == 2 ? CLGEMM_MATH_ACCURATE : CLGEMM_MATH_NORMWISE,
            i < 3 ? &clg_test_dot : &clg_test_soft_dot);
        clg_test_assert_no_fault(clg_test_case_fault(&test));
        clg_test_case_destroy(&test);
    }
}

/* Gives a product the most workspace with which it has at least so many slabs, and returns how its
 * columns are divided. */
static struct clg_plan divide(const struct clg_test_case *test, clgemm_math math,
                              const struct clg_params *params, int64_t least) {
    struct clg_call call = clg_test_case_call(test);
    struct clg_facts *facts = &engine->device->facts;
    struct clg_problem problem;
    struct clg_plan plan;
    call.math = math;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    facts->workspace_max = 1 << 26;
    do {
        facts->workspace_max -= facts->workspace_max / 16;
        assert_null(clg_family_unsupported_reason(&clg_family_dot, &problem, facts, params));
        clg_plan_with(&plan, &clg_family_dot, params, &problem, facts);
    } while (clg_slabs(problem.n, plan.slab, plan.apart) < least);
    return plan;
}

enum kind { ORDINARY, CANCELLING, SPECIAL };

/* CANCELLING: elements of A that are small meet large ones of the columns `from` to `end`, if any.
 * SPECIAL: two columns have a NaN. */
static void set_data(struct clg_test_case *test, enum kind kind, int64_t from, int64_t end) {
    const struct clg_test_problem *p = &test->problem;
    for (int64_t k = 1; k < p->k && kind == CANCELLING; k += 2) {
        for (int64_t i = 0; i < p->m; i++)
            *clg_test_double_a(test, i, k) *= 0x1p-50;
        for (int64_t j = from; j < end; j++)
            *clg_test_double_b(test, k - 1, j) *= 0x1p-50;
    }
    if (kind == SPECIAL) {
        *clg_test_double_a(test, 33, 5) = HUGE_VAL;
        *clg_test_double_b(test, 7, from) = *clg_test_double_b(test, 9, end - 1) = (double)NAN;
    }
    clg_test_doubles_keep(test);
}

/* C's bits are those of each product at once. A slab whose certificate fails changes no others. */
static void check_portions(struct clg_test_cl *queue, int form) {
    static const struct clg_params *const tiles[] = {&clg_test_dot, &clg_test_flat_dot,
                                                     &clg_test_soft_dot};
    const struct clg_params *params = tiles[form % 3];
    const enum kind kind = form / 2 % 3;
    const clgemm_math math =
        form & 1 || kind == CANCELLING ? CLGEMM_MATH_ACCURATE : CLGEMM_MATH_NORMWISE;
    uint64_t *room = &engine->device->facts.workspace_max;
    const uint64_t before = *room;
    struct clg_test_problem problem =
        clg_test_doubles(70, 1301 + form, form % 3 ? 64 : 96, form & 1, form & 2);
    struct clg_test_case whole, test;
    struct clg_portion portion;
    problem.beta = form & 4 ? 0 : -1.5F;
    problem.batch = form & 2 ? 3 : 1;
    clg_test_doubles_create(&whole, &problem);
    clg_test_doubles_create(&test, &problem);
    const int64_t least = 1 + form % 4;
    const struct clg_plan plan = divide(&test, math, params, least);
    assert_true(clg_plan_portion(&plan, least > 1, &portion));
    const int64_t end = portion.first + portion.stored;
    set_data(&test, kind, portion.first, end);
    set_data(&whole, kind, portion.first, kind == CANCELLING ? portion.first : end);
    clg_test_dot_run(engine, queue, math, params, &test);
    *room = before;
    run(&whole, math, params);
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    for (int64_t j = 0; j < problem.n; j++)
        if (kind != CANCELLING || j < portion.first || j >= end)
            assert_memory_equal(clg_test_double_c(&test, 0, j), clg_test_double_c(&whole, 0, j),
                                (size_t)problem.m * sizeof(double));
    if (kind != CANCELLING)
        assert_memory_equal(test.c.memory, whole.c.memory, clg_test_matrix_bytes(&test.c));
    clg_test_case_destroy(&whole);
    clg_test_case_destroy(&test);
}

static void slabs_and_batches_are_right(void **state) {
    enum { FORMS = 12, EACH = 4 };
    struct clg_test_cl other = *cl;
    cl_int error;
    (void)state;
    other.queue = clCreateCommandQueue(other.context, other.device,
                                       CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    const int drawn = clg_test_is_long() ? 0 : clg_test_draw(EACH);
    for (int form = drawn; form < FORMS; form += clg_test_is_long() ? 1 : EACH)
        check_portions(form % 5 % 2 && !error ? &other : cl, form);
    if (!error)
        clReleaseCommandQueue(other.queue);
}

/* Sums of bytes that would pass 32 bits are reduced in time. */
static void a_long_k_is_right(void **state) {
    struct clg_test_problem problem = clg_test_doubles(3, 2, (1 << 17) + 130, true, false);
    struct clg_test_case test;
    (void)state;
    if (!clg_test_is_long() && clg_test_draw(4) > 0)
        return;
    clg_test_doubles_create(&test, &problem);
    for (int64_t k = 0; k < problem.k; k++)
        *clg_test_double_a(&test, 1, k) = *clg_test_double_b(&test, k, 1) =
            1; /* all residues are alike */
    clg_test_doubles_keep(&test);
    run(&test, CLGEMM_MATH_NORMWISE, &clg_test_dot);
    assert_true(clg_test_doubles_error(&test, 0) <= 1);
    assert_true(*clg_test_double_c(&test, 1, 1) == (double)problem.k);
    clg_test_case_destroy(&test);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_values_are_right),
        cmocka_unit_test(slabs_and_batches_are_right),
        cmocka_unit_test(a_long_k_is_right),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_fixture_open, clg_test_fixture_close);
}
