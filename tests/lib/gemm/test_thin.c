/* SPDX-License-Identifier: Apache-2.0
 * The thin family without a device: where it is used, with how many slices, and what it refuses. */
#include <string.h>

#include "gemm/small.h"
#include "gemm/thin/thin.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"

struct shape {
    clgemm_type type;
    bool ta, tb;
    int64_t m, n, k, batch;
};

static struct clg_problem problem_of(const struct shape *s) {
    const struct clg_test_form form = {.m = s->m,
                                       .n = s->n,
                                       .k = s->k,
                                       .batch = s->batch,
                                       .alignment = CLG_TEST_ALIGNED,
                                       .ta = s->ta,
                                       .tb = s->tb};
    return clg_test_form_problem(&form, s->type);
}

static struct clg_plan plan_of(const struct shape *shape, const struct clg_facts *facts) {
    const struct clg_problem problem = problem_of(shape);
    return clg_test_plan(&problem, facts);
}

/* The wide operand and its number of slices, as measurements on an H100 found fastest; or that
 * another family was faster. */
static void is_for_a_matrix_and_few_vectors(void **state) {
    enum { NONE = -1, A = CLG_A, B = CLG_B };
    static const struct {
        struct shape shape;
        int wide, slices;
    } cases[] = {
        {{CLGEMM_F32, 0, 0, 5120, 1, 5120, 1}, A, 3},
        {{CLGEMM_F32, 0, 0, 13824, 1, 5120, 1}, A, 0},
        {{CLGEMM_F32, 0, 0, 2048, 1, 8192, 1}, A, 8},
        {{CLGEMM_F32, 0, 0, 5120, 4, 5120, 1}, A, 3},
        {{CLGEMM_F32, 0, 0, 5121, 2, 5121, 1}, A, 3},
        {{CLGEMM_F32, 0, 0, 5121, 3, 5121, 1}, NONE, 0},
        {{CLGEMM_F32, 0, 0, 5120, 5, 5120, 1}, NONE, 0},
        {{CLGEMM_F32, 0, 0, 65536, 1, 128, 1}, A, 0},
        {{CLGEMM_F32, 0, 0, 1024, 1, 128, 1}, NONE, 0},
        {{CLGEMM_F32, 1, 0, 4096, 1, 4096, 1}, A, 0},
        {{CLGEMM_F32, 1, 1, 5, 1, 1000000, 1}, A, 122},
        {{CLGEMM_F32, 0, 1, 1, 4096, 4096, 1}, B, 4},
        {{CLGEMM_F32, 0, 0, 1, 4096, 4096, 1}, B, 0},
        {{CLGEMM_F32, 0, 0, 1, 64, 1000000, 1}, B, 33},
        {{CLGEMM_F32, 0, 0, 1, 65536, 128, 1}, NONE, 0},
        {{CLGEMM_F32, 0, 0, 3, 4097, 4097, 1}, B, 0},
        {{CLGEMM_F32, 0, 0, 8, 4096, 4096, 1}, B, 2},
        {{CLGEMM_F32, 0, 0, 9, 4096, 4096, 1}, NONE, 0},
        {{CLGEMM_F64, 0, 0, 4096, 1, 4096, 1}, A, 2},
        {{CLGEMM_F64, 0, 0, 4, 4096, 4096, 1}, B, 0},
        {{CLGEMM_F64, 0, 0, 8, 4096, 4096, 1}, NONE, 0},
        {{CLGEMM_F16, 0, 0, 5120, 1, 5120, 1}, A, 3},
        {{CLGEMM_BF16, 0, 0, 1, 5120, 5120, 1}, B, 0},
        {{CLGEMM_F32, 0, 0, 1, 512, 512, 500}, B, 0},
        {{CLGEMM_F32, 0, 0, 1, 1, 1000000, 1}, NONE, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct clg_plan plan = plan_of(&cases[i].shape, &clg_test_hopper);
        const struct clg_params *p = &plan.params;
        const bool thin = plan.family == &clg_family_thin;
        const int wide = !thin ? NONE : p->tile_m > p->tile_n ? A : B;
        if (wide != cases[i].wide || (thin && p->split_k != cases[i].slices))
            fail_msg("case %zu: %s, %d slices", i, clg_plan_family_name(&plan), p->split_k);
        assert_ptr_not_equal(plan_of(&cases[i].shape, &clg_test_cpu).family, &clg_family_thin);
    }
}

/* If the device orders what its groups write, a tile's last group adds the slices. Elsewhere a
 * separate step does, and the first step writes no C. */
static void slices_are_added_up_where_the_device_can(void **state) {
    static const struct shape deep = {CLGEMM_F32, 0, 1, 1, 2048, 8192, 1};
    struct clg_facts old = clg_test_hopper;
    (void)state;
    struct clg_plan plan = plan_of(&deep, &clg_test_hopper);
    assert_ptr_equal(plan.family, &clg_family_thin);
    assert_int_equal(plan.num_steps, 1);
    assert_true(plan.counters >= 0);
    assert_non_null(strstr(plan.steps[0].options, "-DJOINS=1"));
    old.capability = 61;
    plan = plan_of(&deep, &old);
    assert_ptr_equal(plan.family, &clg_family_thin);
    assert_int_equal(plan.num_steps, 2);
    assert_int_equal(plan.counters, -1);
    assert_non_null(strstr(plan.steps[0].options, "-DPARTS=1"));
    assert_false(clg_step_writes_c(&plan.steps[0]));
    assert_string_equal(plan.steps[1].source, "reduce");
}

/* If there are more tiles than counters, a step adds the slices too. */
static void counters_are_not_run_past(void **state) {
    static const struct shape many = {CLGEMM_F32, 0, 0, 200000, 1, 4096, 1};
    struct clg_plan plan = plan_of(&many, &clg_test_hopper);
    struct clg_params split = plan.params;
    (void)state;
    assert_int_equal(split.split_k, 0);
    split.split_k = 2;
    clg_plan_with(&plan, &clg_family_thin, &split, &plan.problem, &clg_test_hopper);
    assert_int_equal(plan.num_steps, 2);
}

static void refuses_what_the_kernel_cannot_do(void **state) {
    static const struct {
        size_t field;
        int value;
        const char *why;
    } bad[] = {
        {offsetof(struct clg_params, wg_k), 0, "a size is missing"},
        {offsetof(struct clg_params, vec_a), 3, "the vector width is not supported"},
        {offsetof(struct clg_params, wg_n), 2, "several work-items lie along the short side of C"},
        {offsetof(struct clg_params, wg_m), 24,
         "a tile of C does not divide evenly among the work-items"},
        {offsetof(struct clg_params, wg_m), 64, "a work-item does not read whole vectors"},
        {offsetof(struct clg_params, unroll_k), 6, "a work-item does not read whole vectors"},
        {offsetof(struct clg_params, tile_k), 192, "the steps of a group do not divide TILE_K"},
        {offsetof(struct clg_params, tile_n), 40, "a work-item has too many sums or elements"},
        {offsetof(struct clg_params, unroll_k), 64, "a work-item has too many sums or elements"},
        {offsetof(struct clg_params, tile_n), 1, "the short side of C is longer than a tile"},
        {offsetof(struct clg_params, tile_k), 1 << 20,
         "the thin operand's tile does not fit local memory"},
        {offsetof(struct clg_params, wg_k), 32, "the device's work-groups are smaller"},
    };
    static const struct shape shape = {CLGEMM_F32, 0, 0, 5120, 2, 5120, 1};
    const struct clg_problem problem = problem_of(&shape);
    const struct clg_params good = {.tile_m = 64,
                                    .tile_n = 2,
                                    .tile_k = 1024,
                                    .wg_m = 16,
                                    .wg_n = 1,
                                    .wg_k = 16,
                                    .unroll_k = 8,
                                    .vec_a = 4,
                                    .vec_b = 4};
    struct clg_facts facts = clg_test_hopper;
    (void)state;
    facts.max_work_group = 256;
    assert_null(clg_family_thin.unsupported_reason(&problem, &facts, &good));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct clg_params params = good;
        memcpy((char *)&params + bad[i].field, &bad[i].value, sizeof bad[i].value);
        const char *why = clg_family_thin.unsupported_reason(&problem, &facts, &params);
        if (!why || strcmp(why, bad[i].why) != 0)
            fail_msg("case %zu: %s", i, why ? why : "supported");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_for_a_matrix_and_few_vectors),
        cmocka_unit_test(slices_are_added_up_where_the_device_can),
        cmocka_unit_test(counters_are_not_run_past),
        cmocka_unit_test(refuses_what_the_kernel_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
