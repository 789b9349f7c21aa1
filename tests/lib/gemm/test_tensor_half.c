/* SPDX-License-Identifier: Apache-2.0
 * The tensor family's plans for 16-bit matrices, without a device: which are read in place, copied
 * singly or packed, and by which costs. */
#include <math.h>
#include <string.h>

#include "gemm/select.h"
#include "gemm/small.h"
#include "gemm/tensor/tensor.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"
#include "support/rows.h"

/* How an operand is read, by its columns' alignment and direction, and by PACK_A or PACK_B. */
static enum clg_tensor_comes comes_by(const struct clg_problem *problem,
                                      const struct clg_params *params, int which) {
    const struct clg_matrix *matrix = &problem->matrix[which];
    const bool along_k = matrix->transposed == (which == CLG_A);
    if (which == CLG_A ? params->pack_a : params->pack_b)
        return CLG_TENSOR_PACKED;
    if (matrix->bulk)
        return along_k ? CLG_TENSOR_ALONG_K : CLG_TENSOR_ACROSS_K;
    return along_k ? CLG_TENSOR_ALONG_K_SINGLY : CLG_TENSOR_ACROSS_K_SINGLY;
}

/* 16-bit operands are read in place, or packed if the candidate says so: each packed one adds a
 * part to one step. Those whose columns bulk copies cannot read take a team for each 64 rows. */
static void halves_come_in_place(void **state) {
    const struct clg_facts facts = clg_test_hopper;
    (void)state;
    for (int i = 0; i < 256; i++) {
        struct clg_problem problem =
            clg_test_mode_problem(1024, 2048, 512, CLGEMM_MATH_F16, 1 + i % 2 * 2);
        struct clg_params params = {.tile_m = 64,
                                    .tile_n = 128,
                                    .tile_k = 64,
                                    .stages = 6,
                                    .band_m = 8,
                                    .pack_a = i >> 6 & 1,
                                    .pack_b = i >> 7};
        const int packed = params.pack_a + params.pack_b;
        int copied = 0; /* rows */
        problem.type = i & 2 ? CLGEMM_F16 : CLGEMM_BF16;
        for (int which = CLG_A; which <= CLG_B; which++) {
            problem.matrix[which].transposed = i >> (2 + which) & 1;
            problem.matrix[which].bulk = i >> (4 + which) & 1;
            const enum clg_tensor_comes comes = comes_by(&problem, &params, which);
            assert_int_equal(clg_tensor_comes(&problem, &facts, &params, which), comes);
            if (comes > CLG_TENSOR_ACROSS_K)
                copied += which == CLG_A ? 64 : 128;
        }
        struct clg_plan plan;
        assert_ptr_equal(clg_test_plan(&problem, &facts).family, &clg_family_tensor);
        clg_plan_with(&plan, &clg_family_tensor, &params, &problem, &facts);
        const struct clg_step *product = &plan.steps[plan.num_steps - 1];
        assert_int_equal(plan.num_steps, packed ? 2 : 1);
        assert_int_equal(product->group_size, copied ? 256 + copied / 64 * 128 : 384);
        const bool streamed = plan.counters >= 0;
        assert_int_equal(plan.num_workspaces, packed + 2 * streamed + 1); /* the last has maps */
        assert_int_equal(plan.workspaces[plan.num_workspaces - 1], product->groups * 3 * 128);
        params.tile_m = i % 3 ? 192 : 128; /* which cannot copy singly */
        params.stages = 4;
        bool anyway = false;
        for (int which = CLG_A; which <= CLG_B; which++) {
            const bool packs = which == CLG_A ? params.pack_a : params.pack_b;
            const bool bulk = problem.matrix[which].bulk;
            assert_int_equal(clg_tensor_comes(&problem, &facts, &params, which),
                             bulk ? comes_by(&problem, &params, which) : CLG_TENSOR_PACKED);
            anyway |= packs && !bulk;
        }
        const char *why =
            clg_family_unsupported_reason(&clg_family_tensor, &problem, &facts, &params);
        assert_int_equal(why != NULL, anyway);
        problem.ahead = (struct clg_ahead){.wanted = true, .which = CLG_A, .math = CLGEMM_MATH_F16};
        assert_int_equal(clg_tensor_comes(&problem, &facts, &params, CLG_A), CLG_TENSOR_PACKED);
    }
    const struct clg_params none = {.tile_m = 64};
    struct clg_problem floats = clg_test_mode_problem(1024, 2048, 512, CLGEMM_MATH_F16, 1),
                       halves = floats;
    struct clg_facts older = facts;
    older.tensor_maps = false;
    halves.type = CLGEMM_F16;
    assert_int_equal(clg_tensor_comes(&halves, &facts, &none, CLG_A), CLG_TENSOR_ACROSS_K);
    assert_int_equal(clg_tensor_comes(&halves, &older, &none, CLG_A), CLG_TENSOR_ACROSS_K_SINGLY);
    const struct clg_params both = {.tile_m = 64,
                                    .tile_n = 128,
                                    .tile_k = 64,
                                    .stages = 6,
                                    .band_m = 8,
                                    .pack_a = 1,
                                    .pack_b = 1};
    struct clg_plan packing;
    clg_plan_with(&packing, &clg_family_tensor, &both, &halves, &older);
    assert_int_equal(packing.num_steps, 2);
    assert_in_range(packing.workspaces[0], 2 * 1024 * 512, 3 * 1024 * 512); /* bytes */
    assert_int_equal(clg_tensor_comes(&floats, &facts, &none, CLG_A), CLG_TENSOR_PACKED);
}

/* Whether any candidate of such costs reads an operand singly. */
static bool some_read_singly(const struct clg_problem *problem, const struct clg_costs *costs) {
    static struct clg_list list;
    const struct clg_basis basis = {.facts = &clg_test_hopper, .costs = costs};
    bool some = false;
    clg_select(&list, problem, &basis);
    for (int i = 0; i < list.count; i++)
        for (int which = CLG_A; which <= CLG_B && list.at[i].family == &clg_family_tensor; which++)
            some |= clg_tensor_comes(problem, &clg_test_hopper, &list.at[i].params, which) >=
                    CLG_TENSOR_ALONG_K_SINGLY;
    return some;
}

/* A copy of single elements takes longer than packed ones, and packing a launch: so short or narrow
 * products of odd sizes are one launch, large ones two. The check's product has the same programs.
 */
static void odd_halves_are_packed_if_that_pays(void **state) {
    static const struct {
        int64_t m, n, k;
        int steps;
    } products[] = {
        {2742, 646, 28, 1}, {5951, 173, 255, 1}, {3001, 3001, 3001, 2}, {3761, 1773, 975, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        struct clg_problem problem = clg_test_mode_problem(products[i].m, products[i].n,
                                                           products[i].k, CLGEMM_MATH_ACCURATE, 1);
        problem.type = CLGEMM_F16;
        for (int which = CLG_A; which < CLG_MATRICES; which++) {
            problem.matrix[which].bulk = false;
            problem.matrix[which].vector = 1;
        }
        const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
        struct clg_plan twin;
        assert_ptr_equal(plan.family, &clg_family_tensor);
        assert_int_equal(plan.num_steps, products[i].steps);
        assert_true(clg_plan_twin(&twin, &plan, &clg_test_hopper, false));
        if (products[i].steps > 1)
            continue;
        /* Lines of the check's operands begin in both halves of words. */
        assert_true(twin.problem.matrix[CLG_A].ld & twin.problem.matrix[CLG_B].ld & 1);
        struct clg_costs earlier = *clg_test_costs(&clg_test_hopper);
        assert_true(some_read_singly(&problem, &earlier));
        earlier.tensor_singly_row_us = 0; /* a file of costs from before there was such a figure */
        assert_false(some_read_singly(&problem, &earlier));
    }
}

/* The model's time for a candidate with tiles of 64 rows. */
static double us_of_64(int64_t k, clgemm_math math) {
    static struct clg_list list;
    const struct clg_basis basis = {.facts = &clg_test_hopper,
                                    .costs = clg_test_costs(&clg_test_hopper)};
    struct clg_problem problem = clg_test_mode_problem(64 * 20, 128 * 20, k, math, 1);
    problem.type = CLGEMM_F16;
    clg_select(&list, &problem, &basis);
    for (int i = 0; i < list.count; i++)
        if (list.at[i].family == &clg_family_tensor && list.at[i].params.tile_m == 64)
            return list.at[i].us;
    fail();
    return 0;
}

/* A block of k has two stages; those past the end of k are neither copied nor multiplied. */
static void stages_past_the_end_take_no_time(void **state) {
    (void)state;
    const double half = us_of_64(64, CLGEMM_MATH_F16), one = us_of_64(128, CLGEMM_MATH_F16);
    assert_true(half < one);
    assert_true(us_of_64(80, CLGEMM_MATH_F16) == one);
    assert_true(fabs(us_of_64(192, CLGEMM_MATH_F16) - one - (one - half)) < 1e-9);
}

/* Packing costs a pass over an operand, and lines that begin within 32 bytes a part of the product:
 * of large ones both are packed, and the small product of the check has the same programs. */
static void crooked_lines_are_packed_if_that_pays(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        const int64_t size = i & 4 ? 4104 : 1000;
        struct clg_problem problem = clg_test_mode_problem(size, size, size, CLGEMM_MATH_F16, 1);
        problem.type = CLGEMM_BF16;
        for (int which = CLG_A; which < CLG_MATRICES; which++) {
            problem.matrix[which].ld = i >> which & 1 || which == CLG_C ? size : size + 56;
            problem.matrix[which].bulk = true;
        }
        const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
        struct clg_plan twin;
        assert_ptr_equal(plan.family, &clg_family_tensor);
        assert_int_equal(plan.params.pack_a, (i & 5) == 5);
        assert_int_equal(plan.params.pack_b, (i & 6) == 6);
        assert_int_equal(plan.num_steps, i > 4 ? 2 : 1);
        assert_true(clg_plan_twin(&twin, &plan, &clg_test_hopper, false));
    }
    struct clg_problem floats = clg_test_mode_problem(4104, 4104, 4104, CLGEMM_MATH_F16, 1);
    struct clg_params params = clg_test_plan(&floats, &clg_test_hopper).params;
    params.pack_b = 1;
    assert_non_null(clg_family_tensor.unsupported_reason(&floats, &clg_test_hopper, &params));
}

/* A box of C would be written beyond a column that ends within 16 bytes. */
static void boxes_of_c_are_whole(void **state) {
    (void)state;
    for (int64_t m = 760; m < 776; m++) {
        struct clg_problem problem = clg_test_mode_problem(m, 1032, 1111, CLGEMM_MATH_F16, 1);
        problem.type = CLGEMM_F16;
        problem.matrix[CLG_C].ld = 784;
        problem.matrix[CLG_C].bulk = true;
        const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
        assert_ptr_equal(plan.family, &clg_family_tensor);
        assert_true(!strstr(plan.steps[plan.num_steps - 1].options, "-DC_BOXES=1") == (m % 8 != 0));
        struct clg_params params = plan.params;
        params.tile_m = 160; /* two boxes and a half */
        params.stages = 4;   /* which leave room for boxes */
        params.pack_a = params.pack_b = 0;
        problem.matrix[CLG_A].transposed = true;
        assert_null(
            clg_family_unsupported_reason(&clg_family_tensor, &problem, &clg_test_hopper, &params));
        struct clg_plan other;
        clg_plan_with(&other, &clg_family_tensor, &params, &problem, &clg_test_hopper);
        assert_null(strstr(other.steps[other.num_steps - 1].options, "-DC_BOXES=1"));
    }
}

/* Drivers before CUDA 12.5 take a map's strides in units of 16 bytes. */
static void maps_are_for_drivers_that_set_them_alike(void **state) {
    static const struct {
        const char *platform;
        bool sets;
    } cases[] = {{"OpenCL 3.0 CUDA 13.0.98", true},   {"OpenCL 3.0 CUDA 12.5.0", true},
                 {"OpenCL 3.0 CUDA 12.4.131", false}, {"OpenCL 3.0 CUDA 9.12", false},
                 {"OpenCL 3.0 CUDA 14", true},        {"OpenCL 3.0 CUDA", false},
                 {"OpenCL 3.0 PoCL 3.1", false},      {"", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(clg_facts_sets_tensor_maps(cases[i].platform), cases[i].sets);
}

/* Columns, products and the buffer itself must begin at multiples of 16 bytes. */
static void bulk_copies_need_16_bytes(void **state) {
    static const struct {
        int64_t ld, stride;
        uint64_t offset;
        unsigned alignment;
        bool bulk;
    } cases[] = {{64, 6400, 0, 64, true},  {72, 7200, 8, 16, true},  {68, 6800, 0, 64, false},
                 {64, 6404, 0, 64, false}, {64, 6400, 4, 64, false}, {64, 6400, 0, 8, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_call call = {.type = CLGEMM_F16,
                                .layout = CLGEMM_COL_MAJOR,
                                .ta = CLGEMM_NO_TRANS,
                                .tb = CLGEMM_NO_TRANS,
                                .m = 64,
                                .n = 64,
                                .k = 64,
                                .batch = 2,
                                .scalars = {.alpha = 1}};
        for (int w = 0; w < CLG_MATRICES; w++)
            call.operand[w] = (struct clg_operand){.ld = cases[i].ld,
                                                   .stride = cases[i].stride,
                                                   .offset = cases[i].offset,
                                                   .bytes = UINT64_MAX,
                                                   .alignment = cases[i].alignment};
        struct clg_problem problem;
        clg_test_assert_success(clg_problem_init(&problem, &call));
        assert_int_equal(problem.matrix[CLG_A].bulk, cases[i].bulk);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_come_in_place),
        cmocka_unit_test(odd_halves_are_packed_if_that_pays),
        cmocka_unit_test(stages_past_the_end_take_no_time),
        cmocka_unit_test(crooked_lines_are_packed_if_that_pays),
        cmocka_unit_test(boxes_of_c_are_whole),
        cmocka_unit_test(maps_are_for_drivers_that_set_them_alike),
        cmocka_unit_test(bulk_copies_need_16_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
