/* SPDX-License-Identifier: Apache-2.0
 * Small products by the programs of large ones, without a device: for every plan there is a small
 * product with the same programs, by which they can be checked. */
#include "gemm/small.h"
#include "run/choose.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/random.h"

enum { ELEMENTS = 1 << 22, WIDE_ELEMENTS = 1 << 26 }; /* of a check; if launches must be wide */

/* From 1 to 2^bits, with every power of two equally likely. */
static int64_t length(struct clg_test_random *random, int bits) {
    return clg_test_range(random, 1, 1LL << clg_test_range(random, 0, bits));
}

static struct clg_problem draw(struct clg_test_random *random, const struct clg_facts *facts) {
    const bool ta = clg_test_range(random, 0, 1), tb = clg_test_range(random, 0, 1);
    struct clg_call call = {.type = (clgemm_type)clg_test_range(random, 0, CLG_TYPE_COUNT - 1),
                            .math = CLGEMM_MATH_STRICT,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = ta ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .tb = tb ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .m = length(random, 13),
                            .n = length(random, 13),
                            .k = length(random, 13),
                            .batch = clg_test_range(random, 0, 2) ? 1 : 7,
                            .scalars = {.alpha = 1}};
    if (facts->tensor_cores && clg_test_range(random, 0, 1))
        call.math = CLGEMM_MATH_ACCURATE + (clgemm_math)clg_test_range(random, 0, 4);
    const int64_t rows[] = {ta ? call.k : call.m, tb ? call.n : call.k, call.m};
    const int64_t cols[] = {ta ? call.m : call.k, tb ? call.k : call.n, call.n};
    for (int i = 0; i < CLG_MATRICES; i++) {
        const int64_t ld = rows[i] + clg_test_range(random, 0, 3);
        call.operand[i] = (struct clg_operand){
            .ld = ld, .stride = ld * cols[i], .bytes = UINT64_MAX, .alignment = 64};
    }
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    return problem;
}

static double elements(const struct clg_problem *problem) {
    double sum = 0;
    for (int i = 0; i < CLG_MATRICES; i++)
        sum += (double)clg_problem_elements(problem, i);
    return sum;
}

/* False: there is none. */
static bool check_twin(const struct clg_plan *plan, const struct clg_facts *facts, bool widths) {
    struct clg_plan twin;
    if (!clg_plan_twin(&twin, plan, facts, widths))
        return false;
    assert_int_equal(twin.num_steps, plan->num_steps);
    for (int s = 0; s < plan->num_steps; s++) {
        assert_string_equal(twin.steps[s].source, plan->steps[s].source);
        assert_string_equal(twin.steps[s].options, plan->steps[s].options);
        if (widths)
            assert_int_equal(clg_step_is_wide(&twin.steps[s]), clg_step_is_wide(&plan->steps[s]));
    }
    assert_true(elements(&twin.problem) <= (widths ? WIDE_ELEMENTS : ELEMENTS));
    return true;
}

/* Also if launches must be as wide as the original, as on PoCL. But a large batch with a wide
 * packing or adding step may have no small part that is as wide. */
static void every_choice_has_a_small_twin(void **state) {
    enum { DRAWS = 20000, MOST_WITHOUT = DRAWS / 1000 };
    int without = 0;
    const struct clg_facts devices[] = {clg_test_gpu, clg_test_cpu, clg_test_hopper};
    struct clg_test_random random = clg_test_random_start(0);
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        const struct clg_facts *facts = &devices[i % 3];
        const struct clg_problem problem = draw(&random, facts);
        struct clg_plan plan;
        clg_test_assert_success(clg_choose_plan(&plan, &problem, facts, NULL));
        const bool wide = facts->kind != CLG_DEVICE_CPU || check_twin(&plan, facts, true);
        const bool may_lack = problem.batch > 1 && elements(&problem) > WIDE_ELEMENTS;
        without += !wide && may_lack;
        if (!check_twin(&plan, facts, false) || (!wide && !may_lack))
            fail_msg("no small product: %s [%s], %lld x %lld x %lld", clg_plan_family_name(&plan),
                     plan.steps[plan.num_steps - 1].options, (long long)problem.m,
                     (long long)problem.n, (long long)problem.k);
    }
    assert_true(without <= MOST_WITHOUT);
}

/* A product of single-precision matrices without gaps, by the model's choice. */
static void plan_product(struct clg_plan *out, const struct clg_facts *facts, int64_t m, int64_t n,
                         int64_t k, struct clg_stored stored) {
    const struct clg_operand operand = {.bytes = UINT64_MAX, .alignment = 64};
    struct clg_call call = {.layout = CLGEMM_COL_MAJOR,
                            .ta = CLGEMM_NO_TRANS,
                            .tb = CLGEMM_NO_TRANS,
                            .m = m,
                            .n = n,
                            .k = k,
                            .stored = stored,
                            .scalars = {.alpha = 1},
                            .operand = {operand, operand, operand}};
    struct clg_problem problem;
    call.operand[CLG_A].ld = call.operand[CLG_C].ld = m;
    call.operand[CLG_B].ld = k;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    clg_test_assert_success(clg_choose_plan(out, &problem, facts, NULL));
}

/* A product that is large in one way has a small twin that is, too, and in no other. */
static void large_products_have_twins_of_their_kinds(void **state) {
    static const struct {
        const struct clg_facts *facts;
        int64_t m, n, k;
        enum clg_kind kind;
    } cases[] = {
        {&clg_test_cpu, 3000, 3000, 3000, CLG_KIND_LONG},
        {&clg_test_gpu, 20, 20, 500000, CLG_KIND_LONG},
        {&clg_test_gpu, 40000, 300, 40000, CLG_KIND_LARGE},
        {&clg_test_hopper, 40000, 300, 40000, CLG_KIND_LARGE},
        {&clg_test_gpu, 3, 10000000, 3, CLG_KIND_MANY},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const enum clg_kind kind = cases[i].kind;
        struct clg_plan plan, twin;
        plan_product(&plan, cases[i].facts, cases[i].m, cases[i].n, cases[i].k,
                     (struct clg_stored){.triangle = CLG_ALL});
        assert_true(clg_plan_is(&plan, kind));
        assert_true(check_twin(&plan, cases[i].facts, false));
        assert_true(clg_plan_twin(&twin, &plan, cases[i].facts, false));
        assert_false(clg_plan_is(&twin, kind));
        if (!clg_plan_twin_of_kind(&twin, &plan, cases[i].facts, false, kind,
                                   kind == CLG_KIND_MANY))
            fail_msg("case %zu has no twin", i);
        for (int other = 1; other < CLG_KINDS; other++)
            assert_true(clg_plan_is(&twin, (enum clg_kind)other) == (other == (int)kind));
        for (int s = 0; s < plan.num_steps; s++)
            assert_string_equal(twin.steps[s].options, plan.steps[s].options);
    }
}

/* Their twins are square and have more than one block of k, if they are found; else the search
 * ends. */
static void triangular_operands_have_twins(void **state) {
    static const struct {
        int64_t m, n;
        bool has_long; /* twin */
    } cases[] = {{300, 200, false}, {3000, 3000, true}, {5000, 8, false},
                 {12000, 1, false}, {8, 5000, false},   {20000, 20000, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int which = CLG_A; which <= CLG_B; which++) {
            const int64_t m = cases[i].m, n = cases[i].n, k = which == CLG_A ? m : n;
            struct clg_plan plan, twin;
            plan_product(&plan, &clg_test_cpu, m, n, k,
                         (struct clg_stored){.triangle = CLG_UPPER, .which = which});
            assert_true(check_twin(&plan, &clg_test_cpu, false));
            assert_true(clg_plan_twin(&twin, &plan, &clg_test_cpu, false));
            assert_int_equal(twin.problem.k, which == CLG_A ? twin.problem.m : twin.problem.n);
            assert_true(twin.problem.k == k || twin.problem.k > plan.params.tile_k);
            for (int kind = 2 * CLG_KINDS - 1; kind >= 0; kind--) {
                const bool widths = kind >= CLG_KINDS;
                const bool found = clg_plan_twin_of_kind(&twin, &plan, &clg_test_cpu, widths,
                                                         (enum clg_kind)(kind % CLG_KINDS), true);
                if (kind == CLG_KIND_LONG && cases[i].has_long)
                    assert_true(found);
            }
        }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_has_a_small_twin),
        cmocka_unit_test(large_products_have_twins_of_their_kinds),
        cmocka_unit_test(triangular_operands_have_twins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
