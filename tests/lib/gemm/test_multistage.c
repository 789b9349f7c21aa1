/* SPDX-License-Identifier: Apache-2.0
 * The multistage family without a device: where it is used, what it refuses, and how it reads
 * operands. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "gemm/tiled/model.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"
#include "support/rows.h"
#include "tuning/costs.h"

static const struct clg_family *family_for(const struct clg_problem *problem,
                                           const struct clg_facts *facts) {
    return clg_test_plan(problem, facts).family;
}

/* The first preset of the type that can be used. */
static const struct clg_params *row_of(clgemm_type type) {
    size_t count;
    const struct clg_params *rows = clg_test_rows(&clg_family_multistage, CLG_DEVICE_GPU, &count);
    const struct clg_cost_rows all =
        clg_costs_of(clg_test_costs(&clg_test_hopper), &clg_family_multistage);
    const struct clg_problem problem =
        clg_test_aligned_problem(type, false, false, 1024, 1024, 1024);
    for (size_t i = 0; i < count; i++)
        if (all.rows[i].types >> type & 1 &&
            !clg_family_unsupported_reason(&clg_family_multistage, &problem, &clg_test_hopper,
                                           &rows[i]))
            return &rows[i];
    fail_msg("there is no such row");
    return NULL;
}

static int option(const struct clg_plan *plan, const char *name) {
    const char *at = strstr(plan->steps[0].options, name);
    assert_non_null(at);
    return (int)strtol(at + strlen(name), NULL, 10);
}

static void for_doubles_and_for_floats_that_are_large_or_read_singly(void **state) {
    static const struct {
        clgemm_type type;
        int64_t size;
        const struct clg_family *family;
    } cases[] = {{CLGEMM_F64, 2048, &clg_family_multistage},
                 {CLGEMM_F32, 2047, &clg_family_multistage},
                 {CLGEMM_F32, 2048, &clg_family_multistage},
                 {CLGEMM_F32, 1024, &clg_family_tiled},
                 {CLGEMM_F16, 2047, &clg_family_tiled}};
    (void)state;
    for (int trans = 0; trans < 4; trans++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const int64_t size = cases[i].size;
            const struct clg_problem problem =
                clg_test_aligned_problem(cases[i].type, trans & 1, trans & 2, size, size, size);
            assert_ptr_equal(family_for(&problem, &clg_test_hopper), cases[i].family);
        }
}

static void only_where_the_device_has_what_it_takes(void **state) {
    static const struct {
        unsigned capability;
        bool doubles;
    } devices[] = {{80, true}, {86, false}, {89, false}, {90, true}, {100, false}, {120, false}};
    const struct clg_problem doubles =
        clg_test_aligned_problem(CLGEMM_F64, false, false, 2048, 2048, 2048);
    const struct clg_problem odd =
        clg_test_aligned_problem(CLGEMM_F32, false, false, 2047, 2047, 2047);
    (void)state;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct clg_facts facts = clg_test_hopper;
        facts.capability = devices[i].capability;
        assert_ptr_equal(family_for(&odd, &facts), &clg_family_multistage);
        const struct clg_plan plan = clg_test_plan(&doubles, &facts);
        assert_ptr_equal(plan.family,
                         devices[i].doubles ? &clg_family_multistage : &clg_family_tiled);
        assert_int_equal(strstr(plan.steps[0].options, "-DMMA_M=8") != NULL,
                         devices[i].capability == 80);
        facts.async_copies = false;
        assert_ptr_equal(family_for(&odd, &facts), &clg_family_tiled);
    }
    assert_ptr_equal(family_for(&odd, &clg_test_cpu), &clg_family_panel);
}

/* Rings may exceed CL_DEVICE_LOCAL_MEM_SIZE, but not the device's real limit. */
static void a_ring_fits_the_device(void **state) {
    const struct clg_problem problem =
        clg_test_aligned_problem(CLGEMM_F32, false, false, 2047, 2047, 2047);
    struct clg_facts facts = clg_test_hopper;
    struct clg_params row = *row_of(CLGEMM_F32);
    (void)state;
    row.stages = 8;
    assert_null(clg_family_multistage.unsupported_reason(&problem, &facts, &row));
    facts.capability = 86;
    assert_string_equal(clg_family_multistage.unsupported_reason(&problem, &facts, &row),
                        "the ring does not fit local memory");
    row.stages = 1;
    assert_string_equal(clg_family_multistage.unsupported_reason(&problem, &facts, &row),
                        "a ring has at least two stages");
}

/* By the option of a compiler that knows it, if the device has that many. */
static void registers_may_be_bounded(void **state) {
    const struct clg_problem problem =
        clg_test_aligned_problem(CLGEMM_F32, false, false, 2047, 2047, 2047);
    const char *const too_many = "REGISTERS is more than a work-item or a compute unit has";
    struct clg_facts facts = clg_test_hopper;
    struct clg_params row = *row_of(CLGEMM_F32);
    struct clg_plan plan;
    (void)state;
    row.registers = 0;
    clg_plan_with(&plan, &clg_family_multistage, &row, &problem, &facts);
    assert_null(strstr(plan.steps[0].options, "REGISTERS"));
    assert_null(strstr(plan.steps[0].options, CLG_REGISTERS_OPTION));
    row.registers = 96;
    clg_plan_with(&plan, &clg_family_multistage, &row, &problem, &facts);
    assert_int_equal(option(&plan, "-DREGISTERS="), 96);
    assert_int_equal(option(&plan, CLG_REGISTERS_OPTION), 96);
    facts.bounds_registers = false;
    clg_plan_with(&plan, &clg_family_multistage, &row, &problem, &facts);
    assert_null(strstr(plan.steps[0].options, CLG_REGISTERS_OPTION));
    row.registers = 255;
    assert_null(clg_family_multistage.unsupported_reason(&problem, &clg_test_hopper, &row));
    row.registers = 256;
    assert_string_equal(clg_family_multistage.unsupported_reason(&problem, &clg_test_hopper, &row),
                        too_many);
    row.registers = 168;
    row.wg_m *= 2; /* 512 work-items */
    assert_string_equal(clg_family_multistage.unsupported_reason(&problem, &clg_test_hopper, &row),
                        too_many);
}

/* Vectors fit the first tile along k, which may be shorter, so if they run along k they must divide
 * k. Floats that run along k are transposed one by one. */
static void vectors_are_as_wide_as_the_copies_allow(void **state) {
    static const struct {
        clgemm_type type;
        bool ta;
        int64_t m, k;
        int vec;
    } cases[] = {
        {CLGEMM_F64, false, 2048, 2047, 2}, {CLGEMM_F64, false, 2047, 2048, 1},
        {CLGEMM_F64, true, 2047, 2048, 2},  {CLGEMM_F64, true, 2048, 2047, 1},
        {CLGEMM_F32, false, 2048, 2048, 4}, {CLGEMM_F32, false, 2046, 2048, 2},
        {CLGEMM_F32, false, 2047, 2048, 1}, {CLGEMM_F32, true, 2048, 2048, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct clg_problem problem = clg_test_aligned_problem(
            cases[i].type, cases[i].ta, false, cases[i].m, 2048, cases[i].k);
        const struct clg_reading read = clg_multistage_read(&problem, CLG_A, row_of(cases[i].type));
        assert_int_equal(read.vec, cases[i].vec);
        assert_int_equal(read.along_k, cases[i].ta);
    }
}

/* The last tile reads only what may be read: whole vectors along m or n, and for operands that run
 * along k no row or column past the matrix. */
static void assert_ends_inside(const struct clg_reading *read, const struct clg_matrix *matrix,
                               int grain, int tile) {
    const int64_t begin = clg_round_up(read->outer - tile, grain);
    assert_true(begin + tile <= (read->along_k ? read->outer : matrix->readable));
    assert_true(begin + tile >= read->outer);
    assert_true(read->along_k || begin % read->vec == 0);
}

static void no_tile_reads_past_its_matrix(void **state) {
    static const int64_t sizes[] = {2046, 2047, 2048};
    enum { SIZES = sizeof sizes / sizeof *sizes, FORMS = SIZES * SIZES * SIZES * 4 };
    (void)state;
    for (int form = 0; form < 2 * FORMS; form++) {
        const clgemm_type type = form < FORMS ? CLGEMM_F32 : CLGEMM_F64;
        const struct clg_params *row = row_of(type);
        const struct clg_problem problem = clg_test_aligned_problem(
            type, form & 1, form & 2, sizes[form / 4 % SIZES], sizes[form / 4 / SIZES % SIZES],
            sizes[form / 4 / SIZES / SIZES % SIZES]);
        const struct clg_reading a = clg_multistage_read(&problem, CLG_A, row);
        const struct clg_reading b = clg_multistage_read(&problem, CLG_B, row);
        struct clg_plan plan;
        clg_plan_with(&plan, &clg_family_multistage, row, &problem, &clg_test_hopper);
        assert_ends_inside(&a, &problem.matrix[CLG_A], option(&plan, "-DGRAIN_M="), row->tile_m);
        assert_ends_inside(&b, &problem.matrix[CLG_B], option(&plan, "-DGRAIN_N="), row->tile_n);
    }
}

/* A plan is like one of `tiled`: one launch, or slices and a step that adds them; never a
 * packing. */
static void shares_work_out_as_tiled_does(void **state) {
    const struct clg_problem deep =
        clg_test_aligned_problem(CLGEMM_F64, false, false, 64, 64, 65536);
    const struct clg_problem large =
        clg_test_aligned_problem(CLGEMM_F32, true, true, 4097, 4095, 4099);
    struct clg_plan plan = clg_test_plan(&deep, &clg_test_hopper);
    (void)state;
    assert_ptr_equal(plan.family, &clg_family_multistage);
    assert_int_equal(plan.num_steps, 2);
    assert_string_equal(plan.steps[0].source, "multistage");
    assert_string_equal(plan.steps[1].source, "reduce");
    plan = clg_test_plan(&large, &clg_test_hopper);
    assert_ptr_equal(plan.family, &clg_family_multistage);
    assert_int_equal(plan.num_steps, 1);
    assert_int_equal(plan.num_workspaces, 0);
}

/* If one group can add the slices fast, the group that finishes last does so. Those of a batch, and
 * larger ones, are added by a step of their own. */
static void few_slices_need_no_step(void **state) {
    struct clg_problem problem = clg_test_aligned_problem(CLGEMM_F32, false, false, 85, 99, 801);
    struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
    (void)state;
    assert_ptr_equal(plan.family, &clg_family_multistage);
    assert_true(plan.params.split_k > 1);
    assert_int_equal(plan.num_steps, 1);
    assert_true(plan.counters >= 0);
    assert_non_null(strstr(plan.steps[0].options, "-DJOINS=1"));
    struct clg_params params = plan.params;
    const struct clg_cut cut = clg_tiled_cut(&problem, &clg_test_hopper, &params);
    const int64_t bytes = 4 * (int64_t)cut.slices * params.tile_m * params.tile_n;
    assert_true(clg_tiled_joins(&problem, &cut, &params, bytes));
    assert_false(clg_tiled_joins(&problem, &cut, &params, bytes - 1));
    struct clg_params few = params; /* a work-item has no whole vectors of accumulators */
    few.wg_m = few.tile_m;
    few.wg_n = few.tile_n / 2;
    assert_false(clg_tiled_joins(&problem, &cut, &few, bytes));
    problem.batch = 2;
    assert_false(clg_tiled_joins(&problem, &cut, &params, bytes));
    clg_plan_with(&plan, &clg_family_multistage, &params, &problem, &clg_test_hopper);
    assert_int_equal(plan.num_steps, 2);
    assert_int_equal(plan.counters, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(for_doubles_and_for_floats_that_are_large_or_read_singly),
        cmocka_unit_test(only_where_the_device_has_what_it_takes),
        cmocka_unit_test(a_ring_fits_the_device),
        cmocka_unit_test(registers_may_be_bounded),
        cmocka_unit_test(vectors_are_as_wide_as_the_copies_allow),
        cmocka_unit_test(no_tile_reads_past_its_matrix),
        cmocka_unit_test(shares_work_out_as_tiled_does),
        cmocka_unit_test(few_slices_need_no_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
