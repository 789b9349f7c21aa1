/* SPDX-License-Identifier: Apache-2.0
 * The many family without a device: where it is used, with which parameters, and what it
 * refuses. */
#include <string.h>

#include "gemm/small.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"

static struct clg_problem problem_of(clgemm_type type, int64_t m, int64_t n, int64_t k,
                                     int64_t batch) {
    const struct clg_test_form form = {
        .m = m, .n = n, .k = k, .batch = batch, .alignment = CLG_TEST_ALIGNED};
    return clg_test_form_problem(&form, type);
}

static void is_for_large_batches_of_small_products(void **state) {
    static const struct {
        clgemm_type type;
        int64_t m, n, k, batch;
        bool many;
    } cases[] = {
        {CLGEMM_F32, 16, 16, 16, 100000, true},   {CLGEMM_F32, 32, 32, 32, 20000, true},
        {CLGEMM_F32, 8, 8, 8, 100000, true},      {CLGEMM_F32, 5, 31, 100, 5000, true},
        {CLGEMM_F64, 16, 16, 16, 100000, true},   {CLGEMM_F64, 16, 32, 64, 5000, true},
        {CLGEMM_F64, 32, 32, 19, 20000, false},   {CLGEMM_F64, 17, 17, 25, 20000, false},
        {CLGEMM_F16, 16, 16, 16, 5000, true},     {CLGEMM_BF16, 32, 32, 32, 5000, true},
        {CLGEMM_F32, 33, 16, 16, 100000, false},  {CLGEMM_F32, 16, 33, 16, 100000, false},
        {CLGEMM_F32, 16, 16, 129, 100000, false}, {CLGEMM_F32, 16, 16, 16, 263, false},
        {CLGEMM_F32, 16, 16, 16, 264, true},      {CLGEMM_F32, 16, 16, 16, 1, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct clg_problem problem =
            problem_of(cases[i].type, cases[i].m, cases[i].n, cases[i].k, cases[i].batch);
        const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
        if ((plan.family == &clg_family_many) != cases[i].many)
            fail_msg("case %zu: %s", i, clg_plan_family_name(&plan));
        assert_ptr_not_equal(clg_test_plan(&problem, &clg_test_cpu).family, &clg_family_many);
    }
}

/* The smallest tile that holds C, with k no longer than the problem's and dividing it if possible,
 * and fewer products a group if there are fewer. */
static void the_row_is_cut_to_the_problem(void **state) {
    static const struct {
        clgemm_type type;
        int64_t m, n, k, batch;
        int tile_m, tile_n, tile_k, products;
    } cases[] = {
        {CLGEMM_F32, 16, 16, 16, 100000, 16, 16, 16, 2},
        {CLGEMM_F32, 16, 16, 5, 100000, 16, 16, 8, 2},
        {CLGEMM_F32, 16, 16, 64, 100000, 16, 16, 32, 2},
        {CLGEMM_F32, 16, 16, 48, 100000, 16, 16, 16, 2},
        {CLGEMM_F64, 16, 16, 24, 100000, 16, 16, 8, 2},
        {CLGEMM_F32, 8, 8, 8, 100000, 8, 8, 8, 32},
        {CLGEMM_F32, 8, 8, 8, 2200, 8, 8, 8, 8},
        {CLGEMM_F32, 3, 2, 1, 100000, 8, 8, 4, 32},
        {CLGEMM_F32, 9, 8, 8, 100000, 16, 8, 8, 16},
        {CLGEMM_F32, 9, 8, 16, 600, 16, 8, 16, 4},
        {CLGEMM_F32, 17, 8, 8, 100000, 32, 8, 8, 8},
        {CLGEMM_F32, 8, 20, 8, 100000, 8, 32, 8, 8},
        {CLGEMM_F32, 24, 24, 24, 50000, 32, 24, 8, 1},
        {CLGEMM_F32, 24, 24, 100, 50000, 32, 24, 16, 1},
        {CLGEMM_F32, 20, 28, 28, 50000, 24, 32, 8, 2},
        {CLGEMM_F32, 32, 32, 32, 20000, 32, 32, 16, 1},
        {CLGEMM_F64, 16, 32, 32, 20000, 16, 32, 16, 2},
        {CLGEMM_F64, 24, 24, 24, 20000, 32, 24, 8, 1},
        {CLGEMM_F64, 32, 32, 16, 20000, 32, 32, 16, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct clg_problem problem =
            problem_of(cases[i].type, cases[i].m, cases[i].n, cases[i].k, cases[i].batch);
        const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
        const struct clg_params *p = &plan.params;
        assert_ptr_equal(plan.family, &clg_family_many);
        if (p->tile_m != cases[i].tile_m || p->tile_n != cases[i].tile_n ||
            p->tile_k != cases[i].tile_k || p->products != cases[i].products)
            fail_msg("case %zu: %dx%dx%d, %d products", i, p->tile_m, p->tile_n, p->tile_k,
                     p->products);
    }
}

static void a_group_has_several_products(void **state) {
    struct clg_problem problem = problem_of(CLGEMM_F32, 16, 16, 16, 100001);
    struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper), twin;
    (void)state;
    assert_int_equal(plan.num_steps, 1);
    assert_int_equal(plan.num_workspaces, 0);
    assert_int_equal(plan.steps[0].batch, 1);
    assert_int_equal(plan.steps[0].groups, 50001);
    assert_int_equal(plan.steps[0].group_size, 32);
    assert_non_null(strstr(plan.steps[0].options, "-DVEC_A=4 -DVEC_B=4"));
    assert_non_null(strstr(plan.steps[0].options, "-DEDGE_C=0 -DEDGE_K=0 -DVEC_C=4"));
    assert_null(strstr(plan.steps[0].options, "LONG_INDEX"));
    assert_true(clg_plan_twin(&twin, &plan, &clg_test_hopper, false));
    assert_int_equal(twin.problem.batch, 3); /* a whole group, and a partial one */
    assert_string_equal(twin.steps[0].options, plan.steps[0].options);

    problem = problem_of(CLGEMM_F32, 15, 14, 13, 100001); /* whose strides are odd, or even */
    plan = clg_test_plan(&problem, &clg_test_hopper);
    assert_non_null(strstr(plan.steps[0].options, "-DEDGE_C=1 -DEDGE_K=1 -DVEC_C=1"));
    assert_non_null(strstr(plan.steps[0].options, "-DVEC_A=1 -DVEC_B=1"));

    problem.matrix[CLG_B].stride = INT64_C(1) << 30;
    plan = clg_test_plan(&problem, &clg_test_hopper);
    assert_non_null(strstr(plan.steps[0].options, "LONG_INDEX"));
}

static void says_why_not(void **state) {
    static const struct clg_params good = {.tile_m = 16,
                                           .tile_n = 16,
                                           .tile_k = 16,
                                           .wg_m = 4,
                                           .wg_n = 4,
                                           .products = 8,
                                           .vec_a = 4,
                                           .vec_b = 4,
                                           .pad_local = 4};
    static const struct {
        int tunable, value;
        const char *why;
    } cases[] = {
        {CLG_TUNABLE_PRODUCTS, 0, "a size is missing"},
        {CLG_TUNABLE_TILE_K, 128, "a tile is larger than small products need"},
        {CLG_TUNABLE_WG_M, 5, "a tile of C does not divide evenly among the work-items"},
        {CLG_TUNABLE_TILE_K, 6, "a local tile is not made of whole vectors"},
        {CLG_TUNABLE_VEC_B, 3, "the vector width is not supported"},
        {CLG_TUNABLE_TILE_N, 8, "a product is larger than a tile"},
        {CLG_TUNABLE_PRODUCTS, 32, "the tiles do not fit local memory"},
    };
    struct clg_problem problem = problem_of(CLGEMM_F32, 16, 16, 16, 1000);
    (void)state;
    assert_null(clg_family_many.unsupported_reason(&problem, &clg_test_hopper, &good));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_params bad = good;
        clg_params_set(&bad, &clg_tunables[cases[i].tunable], cases[i].value);
        assert_string_equal(clg_family_many.unsupported_reason(&problem, &clg_test_hopper, &bad),
                            cases[i].why);
    }
    problem.batch = 1;
    assert_string_equal(clg_family_many.unsupported_reason(&problem, &clg_test_hopper, &good),
                        "there is only one product");
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_for_large_batches_of_small_products),
        cmocka_unit_test(the_row_is_cut_to_the_problem),
        cmocka_unit_test(a_group_has_several_products),
        cmocka_unit_test(says_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
