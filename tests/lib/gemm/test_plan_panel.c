/* SPDX-License-Identifier: Apache-2.0
 * Plans of the panel family, without a device: what is chosen, packed and split for a CPU, and
 * guarantees. */
#include <string.h>

#include "base/checked.h"
#include "gemm/family.h"
#include "run/choose.h"
#include "support/check.h"
#include "support/rows.h"

/* A CPU as plans see it. */
static const struct clg_facts cpu = {.kind = CLG_DEVICE_CPU,
                                     .name = "test CPU",
                                     .available = true,
                                     .has_compiler = true,
                                     .has_fp64 = true,
                                     .fast_fma = true,
                                     .compute_units = 6,
                                     .float_vector = 16,
                                     .global_memory = 8ULL << 30,
                                     .workspace_max = 2ULL << 30,
                                     .local_memory = 32 << 10,
                                     .max_allocation = 4ULL << 30,
                                     .core_cache = 1 << 20,
                                     .max_work_group = 4096,
                                     .max_work_items = {4096, 4096, 4096}};

static clgemm_type type = CLGEMM_F32;

static struct clg_plan plan_of(int64_t m, int64_t n, int64_t k, bool tb,
                               const struct clg_facts *facts) {
    const struct clg_operand host = {.bytes = UINT64_MAX, .alignment = 64};
    struct clg_call call = {.type = type,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = CLGEMM_NO_TRANS,
                            .tb = tb ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .m = m,
                            .n = n,
                            .k = k,
                            .scalars = {.alpha = 2, .beta = 0.5F},
                            .operand = {host, host, host}};
    call.operand[CLG_A].ld = m;
    call.operand[CLG_B].ld = tb ? n : k;
    call.operand[CLG_C].ld = m;
    struct clg_problem problem;
    struct clg_plan plan;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    clg_test_assert_success(clg_choose_plan(&plan, &problem, facts, NULL));
    return plan;
}

static int times_used(const struct clg_step *step, enum clg_arg_kind kind, int number) {
    int times = 0;
    for (int i = 0; i < step->num_args; i++)
        times += step->args[i].kind == kind && step->args[i].i == number;
    return times;
}

/* The guarantees of a plan of the family. */
static void check_plan(const struct clg_plan *plan, const struct clg_facts *facts) {
    uint64_t bytes = 0;
    assert_ptr_equal(plan->family, &clg_family_panel);
    assert_null(plan->family->unsupported_reason(&plan->problem, facts, &plan->params));
    assert_in_range(plan->num_steps, 1, CLG_MAX_STEPS);
    assert_in_range(plan->num_workspaces, 2, CLG_MAX_WORKSPACES);
    assert_in_range(plan->counters, 0, plan->num_workspaces - 1);
    assert_int_equal(plan->workspaces[plan->counters], 0);
    for (int w = 0; w < plan->num_workspaces; w++)
        bytes += plan->workspaces[w];
    assert_true(bytes <= facts->workspace_max);
    for (int s = 0; s < plan->num_steps; s++) {
        const struct clg_step *step = &plan->steps[s];
        const bool main_step = strcmp(step->source, "panel") == 0;
        assert_int_equal(times_used(step, CLG_ARG_MATRIX, CLG_C), s == plan->num_steps - 1);
        assert_int_equal(times_used(step, CLG_ARG_WORKSPACE, plan->counters), main_step);
        assert_true(step->groups > 0);
        assert_null(strstr(step->options, "TILE_")); /* one program for all tiles */
        if (main_step)
            assert_in_range(step->groups, 1, 2 * facts->compute_units);
    }
}

static void every_shape_keeps_the_promises(void **state) {
    (void)state;
    for (type = CLGEMM_F32; type <= CLGEMM_F64; type++) {
        static const int64_t sizes[] = {1, 7, 32, 65, 511, 1024, 5000};
        const size_t count = sizeof sizes / sizeof sizes[0];
        for (size_t i = 0; i < count * count * count * 2; i++) {
            const size_t j = i / 2;
            const struct clg_plan plan = plan_of(sizes[j % count], sizes[j / count % count],
                                                 sizes[j / count / count], i % 2, &cpu);
            check_plan(&plan, &cpu);
        }
    }
    type = CLGEMM_F32;
}

static void panels_follow_the_vectors(void **state) {
    (void)state;
    static const struct {
        clgemm_type type;
        unsigned vector;
        int64_t n;
        int vec, reg_n;
    } cases[] = {{CLGEMM_F32, 16, 960, 16, 12}, {CLGEMM_F32, 8, 960, 8, 6},
                 {CLGEMM_F32, 4, 960, 4, 12},   {CLGEMM_F32, 1, 960, 4, 12},
                 {CLGEMM_F32, 16, 16, 16, 8},   {CLGEMM_F32, 8, 16, 8, 6},
                 {CLGEMM_F64, 16, 960, 8, 14},  {CLGEMM_F64, 8, 960, 4, 6},
                 {CLGEMM_F64, 4, 960, 2, 14},   {CLGEMM_F64, 16, 16, 8, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct clg_facts facts = cpu;
        facts.float_vector = cases[i].vector;
        type = cases[i].type;
        const struct clg_plan plan = plan_of(960, cases[i].n, 960, false, &facts);
        check_plan(&plan, &facts);
        assert_int_equal(plan.params.vec, cases[i].vec);
        assert_int_equal(plan.params.reg_n, cases[i].reg_n);
    }
    type = CLGEMM_F32;
}

static void only_large_operands_are_packed(void **state) {
    (void)state;
    struct clg_plan plan = plan_of(5000, 5000, 5000, false, &cpu);
    assert_int_equal(plan.num_steps, 2);
    assert_string_equal(plan.steps[0].source, "panel_pack");
    assert_non_null(strstr(plan.steps[1].options, "-DPACK_B=1"));
    assert_int_equal(times_used(&plan.steps[1], CLG_ARG_MATRIX, CLG_B), 0);
    plan = plan_of(1000, 1000, 1000, false, &cpu);
    assert_int_equal(plan.num_steps, 1);
    plan = plan_of(64, 5000, 5000, true, &cpu); /* few rows read it */
    assert_int_equal(plan.num_steps, 1);
    assert_int_equal(times_used(&plan.steps[0], CLG_ARG_MATRIX, CLG_B), 1);

    struct clg_facts small = cpu; /* no memory for B */
    small.workspace_max = 64 << 20;
    small.max_allocation = 64 << 20;
    plan = plan_of(5000, 5000, 5000, false, &small);
    check_plan(&plan, &small);
    assert_int_equal(plan.num_steps, 1);
}

/* Columns of B that are pages or half pages apart map to the same sets of a cache. */
static void columns_pages_apart_are_packed(void **state) {
    static const struct {
        int64_t m, n, k;
        bool tb, packed;
        clgemm_type type;
    } cases[] = {
        {1024, 1024, 1024, false, true, CLGEMM_F32}, {128, 1024, 1024, false, true, CLGEMM_F32},
        {127, 1024, 1024, false, false, CLGEMM_F32}, {128, 24, 1024, false, false, CLGEMM_F32},
        {1024, 400, 1020, false, false, CLGEMM_F32}, /* a little off, and they do not */
        {512, 512, 512, false, true, CLGEMM_F32},    {511, 512, 512, false, false, CLGEMM_F32},
        {200, 400, 400, true, false, CLGEMM_F32}, /* transposed, they are contiguous */
        {256, 1024, 1024, false, true, CLGEMM_F64},  {255, 1024, 1024, false, false, CLGEMM_F64},
        {129, 5000, 5000, false, true, CLGEMM_F64}, /* a B of any size, for few rows */
        {128, 5000, 5000, false, false, CLGEMM_F64},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        type = cases[i].type;
        const struct clg_plan plan = plan_of(cases[i].m, cases[i].n, cases[i].k, cases[i].tb, &cpu);
        assert_int_equal(plan.params.pack_b != 0, cases[i].packed);
    }
    type = CLGEMM_F32;
}

/* One element more or less: wide panels still conflict, and a narrow one fits. Not if the first
 * cache has more ways. */
static void columns_nearly_pages_apart_are_read_by_eight(void **state) {
    static const struct {
        clgemm_type type;
        int64_t m, n, k;
        bool tb, packed;
        int reg_n;
    } cases[] = {
        {CLGEMM_F32, 1000, 960, 1023, false, false, 8},
        {CLGEMM_F32, 1000, 960, 1025, false, false, 8},
        {CLGEMM_F32, 1000, 960, 1022, false, false, 8},
        {CLGEMM_F32, 1000, 960, 1020, false, false, 12}, /* not that close */
        {CLGEMM_F32, 500, 480, 511, false, false, 12},   /* fits anyway */
        {CLGEMM_F64, 500, 560, 511, false, false, 8},
        {CLGEMM_F64, 500, 560, 510, false, false, 14},
        {CLGEMM_F64, 3000, 3080, 3071, false, true, 14}, /* a large B is packed */
        {CLGEMM_F64, 1000, 560, 1023, true, true, 14},   /* steps one row apart */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        type = cases[i].type;
        const struct clg_plan plan = plan_of(cases[i].m, cases[i].n, cases[i].k, cases[i].tb, &cpu);
        check_plan(&plan, &cpu);
        assert_int_equal(plan.params.reg_n, cases[i].reg_n);
        assert_int_equal(plan.params.pack_b != 0, cases[i].packed);
    }
    struct clg_facts more_ways = cpu; /* as an Emerald Rapids has */
    more_ways.first_cache = 48 << 10;
    type = CLGEMM_F64;
    assert_int_equal(plan_of(500, 560, 511, false, &more_ways).params.reg_n, 14);
    type = CLGEMM_F32;
}

/* If steps of a transposed B are on different pages, and each is used often enough. */
static void steps_a_row_apart_are_packed(void **state) {
    (void)state;
    static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_F64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        type = types[i];
        assert_true(plan_of(350, 350, 350, true, &cpu).params.pack_b);
        assert_false(plan_of(330, 330, 330, true, &cpu).params.pack_b);
        assert_false(plan_of(350, 350, 350, false, &cpu).params.pack_b);
        assert_true(plan_of(300, 1000, 1000, true, &cpu).params.pack_b);
        assert_false(plan_of(128, 1000, 1000, true, &cpu).params.pack_b); /* few rows */
    }
    type = CLGEMM_F32;
}

/* With a second cache of two megabytes: columns for all registers, and earlier packing in single
 * precision. */
static void large_caches_are_for_wide_panels(void **state) {
    (void)state;
    struct clg_facts large = cpu;
    large.core_cache = 2 << 20;
    assert_int_equal(plan_of(1000, 1000, 1000, false, &cpu).params.reg_n, 12);
    const struct clg_plan plan = plan_of(1000, 1000, 1000, false, &large);
    check_plan(&plan, &large);
    assert_int_equal(plan.params.reg_n, 14);
    assert_true(plan.params.pack_b);
    assert_false(plan_of(640, 640, 640, false, &large).params.pack_b);
    assert_false(plan_of(383, 1000, 1000, false, &large).params.pack_b); /* few rows */
    large.float_vector = 8;                                              /* 16 registers */
    assert_int_equal(plan_of(1000, 1000, 1000, false, &large).params.reg_n, 6);
    type = CLGEMM_F64;
    large.float_vector = 16;
    assert_false(plan_of(1000, 1000, 1000, false, &large).params.pack_b);
    type = CLGEMM_F32;
}

static void deep_and_narrow_is_split(void **state) {
    (void)state;
    struct clg_plan plan = plan_of(64, 64, 65536, false, &cpu);
    check_plan(&plan, &cpu);
    assert_int_equal(plan.num_steps, 2);
    assert_string_equal(plan.steps[1].source, "reduce");
    assert_true(plan.params.split_k >= (int)cpu.compute_units);
    plan = plan_of(64, 64, 1000, false, &cpu);
    assert_int_equal(plan.num_steps, 1);
}

/* Smaller groups, if a few large ones would leave threads waiting for each other. */
/* As wide as B, with A in long runs if that exceeds the caches: in double precision, with twice the
 * bytes, from half as many elements on. */
static void few_columns_have_a_panel_of_their_own(void **state) {
    (void)state;
    struct clg_plan plan = plan_of(100000, 1, 1000, false, &cpu);
    check_plan(&plan, &cpu);
    assert_int_equal(plan.params.reg_n, 1);
    assert_int_equal(plan.params.tile_k, 8);
    assert_in_range(plan.params.tile_m, 1024, 100000 / 6);
    assert_int_equal(plan.params.split_k, 0);

    plan = plan_of(3000, 3, 5000, true, &cpu); /* too few tall tiles: k is sliced too */
    check_plan(&plan, &cpu);
    assert_int_equal(plan.params.reg_n, 3);
    assert_in_range(plan.params.tile_m, 1024, 3000);
    const int tiles = (int)clg_ceil_div(3000, plan.params.tile_m);
    assert_in_range(plan.params.split_k * tiles, 4 * cpu.compute_units, 5 * cpu.compute_units);
    assert_string_equal(plan.steps[plan.num_steps - 1].source, "reduce");

    for (int64_t k = 2000; k <= 3000; k += 1000) { /* 8 or 12 MB of floats */
        plan = plan_of(1000, 2, k, false, &cpu);
        check_plan(&plan, &cpu);
        assert_int_equal(plan.params.reg_n, 2);
        assert_true(plan.params.tile_k > 500);
        type = CLGEMM_F64;
        plan = plan_of(1000, 2, k, false, &cpu);
        type = CLGEMM_F32;
        check_plan(&plan, &cpu);
        assert_int_equal(plan.params.tile_k == 8, k == 3000);
    }
    plan = plan_of(1000, 12, 9000, false, &cpu);
    assert_int_equal(plan.params.reg_n, 12);
    assert_int_equal(plan.params.tile_k, 16);
    plan = plan_of(100000, 13, 1000, false, &cpu);
    assert_true(plan.params.tile_k > 500);

    type = CLGEMM_F16; /* these are packed, as floats */
    plan = plan_of(100000, 1, 1000, false, &cpu);
    type = CLGEMM_F32;
    check_plan(&plan, &cpu);
    assert_int_equal(plan.params.reg_n, 8);
    assert_true(plan.params.tile_k > 500);
}

static void small_squares_have_tiles_of_one_panel(void **state) {
    (void)state;
    struct clg_facts two = cpu;
    two.compute_units = 2;
    struct clg_plan plan = plan_of(200, 200, 200, false, &two);
    check_plan(&plan, &two);
    assert_int_equal(plan.params.tile_m, 32);
    plan = plan_of(128, 128, 128, false, &two);
    assert_int_equal(plan.params.tile_m, 64);
    plan = plan_of(600, 600, 300, false, &two);
    assert_true(plan.params.tile_m >= 64);
}

/* Tiles shrink, then the number of groups. If no memory is left, another family is used. */
static void workspace_keeps_its_bound(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {
        {3000, 3000, 3000}, {64, 64, 65536}, {5000, 16, 5000}, {40, 40, 40}, {1000, 1, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (uint64_t bound = 1 << 30; bound > 0; bound = bound * 2 / 3) {
            struct clg_facts facts = cpu;
            facts.workspace_max = bound;
            const struct clg_plan plan =
                plan_of(shapes[s][0], shapes[s][1], shapes[s][2], false, &facts);
            if (plan.family == &clg_family_panel)
                check_plan(&plan, &facts);
            else
                assert_true(bound < 32 << 10);
        }
    struct clg_facts facts = cpu;
    facts.workspace_max = 1 << 20;
    const struct clg_plan plan = plan_of(3000, 3000, 3000, false, &facts);
    assert_true(plan.steps[0].groups >= facts.compute_units);
}

/* Copies of the matrices count towards the bound. */
static void copies_leave_a_quarter(void **state) {
    (void)state;
    struct clg_facts facts = cpu;
    struct clg_params params;
    const struct clg_plan plan = plan_of(5000, 5000, 5000, false, &facts);
    struct clg_problem problem = plan.problem;
    assert_int_equal(plan.num_steps, 2); /* B is packed: 100 MB */
    facts.workspace_max = 200 << 20;
    assert_true(clg_test_parameters(plan.family, &problem, &facts, &params));
    assert_int_equal(params.pack_b, 1);
    problem.copied = true;
    assert_true(clg_test_parameters(plan.family, &problem, &facts, &params));
    assert_int_equal(params.pack_b, 0);
    assert_false(clg_problem_equal(&problem, &plan.problem)); /* has a plan of its own */
}

/* Waking another thread costs more than it saves. */
static void little_work_is_one_group(void **state) {
    (void)state;
    struct clg_plan plan = plan_of(64, 64, 64, false, &cpu);
    assert_int_equal(plan.steps[0].groups, 1);
    plan = plan_of(256, 256, 256, false, &cpu);
    assert_int_equal(plan.steps[0].groups, 2 * cpu.compute_units);
}

static void other_devices_get_other_families(void **state) {
    (void)state;
    struct clg_facts facts = cpu;
    facts.fast_fma = false;
    assert_ptr_not_equal(plan_of(999, 999, 999, false, &facts).family, &clg_family_panel);
    facts = cpu;
    facts.kind = CLG_DEVICE_GPU;
    assert_ptr_not_equal(plan_of(999, 999, 999, false, &facts).family, &clg_family_panel);
    facts = cpu;
    facts.local_memory = 64;
    assert_ptr_not_equal(plan_of(999, 999, 999, false, &facts).family, &clg_family_panel);
    facts = cpu;
    facts.core_cache = 0; /* not known: accepted */
    const struct clg_plan plan = plan_of(999, 999, 999, false, &facts);
    check_plan(&plan, &facts);
}

static void dimensions_past_the_kernels_ints_are_declined(void **state) {
    (void)state;
    const int64_t huge = (1LL << 30) + 1;
    assert_ptr_not_equal(plan_of(huge, 3, 3, false, &cpu).family, &clg_family_panel);
    assert_ptr_not_equal(plan_of(3, huge, 3, false, &cpu).family, &clg_family_panel);
    assert_ptr_not_equal(plan_of(3, 3, huge, false, &cpu).family, &clg_family_panel);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_keeps_the_promises),
        cmocka_unit_test(panels_follow_the_vectors),
        cmocka_unit_test(only_large_operands_are_packed),
        cmocka_unit_test(columns_pages_apart_are_packed),
        cmocka_unit_test(columns_nearly_pages_apart_are_read_by_eight),
        cmocka_unit_test(steps_a_row_apart_are_packed),
        cmocka_unit_test(large_caches_are_for_wide_panels),
        cmocka_unit_test(deep_and_narrow_is_split),
        cmocka_unit_test(few_columns_have_a_panel_of_their_own),
        cmocka_unit_test(small_squares_have_tiles_of_one_panel),
        cmocka_unit_test(workspace_keeps_its_bound),
        cmocka_unit_test(copies_leave_a_quarter),
        cmocka_unit_test(little_work_is_one_group),
        cmocka_unit_test(other_devices_get_other_families),
        cmocka_unit_test(dimensions_past_the_kernels_ints_are_declined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
