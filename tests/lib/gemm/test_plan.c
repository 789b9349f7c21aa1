/* SPDX-License-Identifier: Apache-2.0
 * Problems and plans, without a device: normalisation, choice, packing and guarantees. Over 300
 * lines, because problems and plans are tested together. */
#include <stdio.h>
#include <string.h>

#include "base/known.h"
#include "device/select.h"
#include "gemm/family.h"
#include "gemm/tiled/tiled.h"
#include "run/choose.h"
#include "support/check.h"
#include "support/facts.h"

static struct clg_call call_of(int64_t m, int64_t n, int64_t k, int64_t extra_ld) {
    const struct clg_operand host = {.bytes = UINT64_MAX, .alignment = 64};
    struct clg_call call = {.layout = CLGEMM_COL_MAJOR,
                            .ta = CLGEMM_NO_TRANS,
                            .tb = CLGEMM_NO_TRANS,
                            .m = m,
                            .n = n,
                            .k = k,
                            .scalars = {.alpha = 1, .beta = 0.5F},
                            .operand = {host, host, host}};
    call.operand[CLG_A].ld = m + extra_ld;
    call.operand[CLG_B].ld = k + extra_ld;
    call.operand[CLG_C].ld = m + extra_ld;
    return call;
}

static struct clg_plan plan_of(const struct clg_call *call, const struct clg_facts *facts) {
    struct clg_problem problem;
    struct clg_plan plan;
    clg_test_assert_success(clg_problem_init(&problem, call));
    clg_test_assert_success(clg_choose_plan(&plan, &problem, facts, NULL));
    return plan;
}

static void row_major_swaps_the_operands(void **state) {
    (void)state;
    struct clg_call call = call_of(5, 7, 3, 0);
    call.layout = CLGEMM_ROW_MAJOR;
    call.ta = CLGEMM_TRANS; /* A is stored 3 x 5, B 3 x 7, C 5 x 7, all by rows */
    call.operand[CLG_A].ld = 6;
    call.operand[CLG_B].ld = 8;
    call.operand[CLG_C].ld = 9;
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    assert_int_equal(problem.m, 7);
    assert_int_equal(problem.n, 5);
    assert_int_equal(problem.k, 3);
    assert_int_equal(problem.matrix[CLG_A].ld, 8);
    assert_false(problem.matrix[CLG_A].transposed);
    assert_int_equal(problem.matrix[CLG_B].ld, 6);
    assert_true(problem.matrix[CLG_B].transposed);
    assert_int_equal(problem.matrix[CLG_B].rows, 5);
    assert_int_equal(problem.matrix[CLG_B].cols, 3);
    assert_int_equal(problem.matrix[CLG_C].ld, 9);
}

static void vector_width_follows_alignment(void **state) {
    (void)state;
    const struct {
        int64_t ld;
        uint64_t offset;
        unsigned alignment, width;
    } cases[] = {{64, 0, 64, 4}, {66, 0, 64, 2}, {65, 0, 64, 1}, {64, 2, 64, 2},
                 {64, 1, 64, 1}, {64, 4, 16, 4}, {64, 0, 8, 2},  {64, 0, 4, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct clg_call call = call_of(64, 64, 64, 0);
        call.operand[CLG_A].ld = cases[i].ld;
        call.operand[CLG_A].offset = cases[i].offset;
        call.operand[CLG_A].alignment = cases[i].alignment;
        if (call.operand[CLG_A].ld < 64)
            call.operand[CLG_A].ld = 64;
        struct clg_problem problem;
        clg_test_assert_success(clg_problem_init(&problem, &call));
        assert_int_equal(problem.matrix[CLG_A].vector, cases[i].width);
    }
}

static void empty_products_scale_or_do_nothing(void **state) {
    (void)state;
    struct clg_call call = call_of(10, 20, 0, 0);
    call.operand[CLG_B].ld = 1;
    struct clg_plan plan = plan_of(&call, &clg_test_gpu);
    assert_string_equal(clg_plan_family_name(&plan), "scale");
    assert_int_equal(plan.num_steps, 1);
    call.scalars.beta = 1;
    plan = plan_of(&call, &clg_test_gpu);
    assert_string_equal(clg_plan_family_name(&plan), "none");
    assert_int_equal(plan.num_steps, 0);
    call = call_of(10, 20, 30, 0);
    call.scalars.alpha = 0;
    plan = plan_of(&call, &clg_test_gpu);
    assert_string_equal(clg_plan_family_name(&plan), "scale");
}

static void large_is_tiled_thin_is_thin_and_small_is_direct(void **state) {
    (void)state;
    struct clg_call call = call_of(4096, 4096, 4096, 0);
    struct clg_plan plan = plan_of(&call, &clg_test_gpu);
    assert_ptr_equal(plan.family, &clg_family_tiled);
    assert_non_null(strstr(plan.steps[0].options, "-DEDGE_C=0"));
    assert_non_null(strstr(plan.steps[0].options, "-DVEC_A=4"));
    assert_null(strstr(plan.steps[0].options, "SPLIT_K"));
    call = call_of(13, 4096, 4096, 0);
    plan = plan_of(&call, &clg_test_gpu);
    assert_ptr_equal(plan.family, &clg_family_tiled);
    call = call_of(3, 4096, 4096, 0);
    plan = plan_of(&call, &clg_test_gpu);
    assert_ptr_equal(plan.family, &clg_family_thin);
    call = call_of(3, 3, 3, 0);
    plan = plan_of(&call, &clg_test_gpu);
    assert_ptr_equal(plan.family, &clg_family_direct);
}

/* No kernel writes past C's last row, or handles a partial vector separately. */
static void c_is_written_in_vectors_that_divide_m(void **state) {
    static const char *const widths[] = {"-DVEC_C=4", "-DVEC_C=1", "-DVEC_C=2", "-DVEC_C=1"};
    (void)state;
    for (int less = 0; less < 4; less++) {
        struct clg_call call = call_of(4096 - less, 4096, 512, 0);
        call.operand[CLG_A].ld = call.operand[CLG_C].ld = 4096;
        struct clg_plan plan = plan_of(&call, &clg_test_gpu);
        assert_string_equal(plan.steps[0].source, "tiled");
        assert_non_null(strstr(plan.steps[0].options, widths[less]));

        call = call_of(64 - less, 64, 65536, 0); /* slices have room for whole vectors */
        plan = plan_of(&call, &clg_test_gpu);
        assert_string_equal(plan.steps[plan.num_steps - 1].source, "reduce");
        assert_non_null(strstr(plan.steps[plan.num_steps - 2].options, "-DVEC_C=4"));
    }
}

static void few_tiles_are_split_along_k(void **state) {
    (void)state;
    struct clg_call call = call_of(64, 64, 65536, 0);
    struct clg_plan plan = plan_of(&call, &clg_test_gpu);
    assert_int_equal(plan.num_steps, 2);
    assert_string_equal(plan.steps[0].source, "tiled");
    assert_string_equal(plan.steps[1].source, "reduce");
    assert_true(plan.steps[0].groups >= clg_test_gpu.compute_units);
    const uint64_t slice = UINT64_C(64) * 64 * sizeof(float);
    const uint64_t slices = (uint64_t)plan.params.split_k;
    assert_in_range(plan.workspaces[0], slices / 2 * slice, slices * slice);

    struct clg_facts small = clg_test_gpu; /* no memory for two slices */
    small.max_allocation = slice;
    plan = plan_of(&call, &small);
    assert_int_equal(plan.num_steps, 1);
    assert_int_equal(plan.num_workspaces, 0);
}

/* 1025 cubed leaves a few tiles over: those are split along k, the rest is not. */
static void a_few_tiles_too_many_are_a_tail(void **state) {
    (void)state;
    struct clg_facts facts = clg_test_gpu;
    facts.compute_units = 132;
    struct clg_call call = call_of(1025, 1025, 1025, 0);
    struct clg_plan plan = plan_of(&call, &facts);
    assert_true(plan.params.split_tail > 1);
    assert_int_equal(plan.num_steps, 2);
    assert_string_equal(plan.steps[1].source, "join");
    const struct clg_cut cut = clg_tiled_cut(&plan.problem, &facts, &plan.params);
    assert_int_equal(cut.whole % 132, 0);
    assert_in_range(cut.tiles - cut.whole, 1, 131);
    assert_int_equal(plan.steps[0].groups,
                     cut.whole + (cut.tiles - cut.whole) * (int64_t)cut.slices);
    assert_int_equal(plan.workspaces[0], clg_tiled_tail_elements(&cut, &plan.params) * 4);

    facts.max_allocation = plan.workspaces[0] - 1;
    struct clg_params params = plan.params;
    params.pack_a = params.pack_b = 0;
    assert_non_null(clg_family_tiled.unsupported_reason(&plan.problem, &facts, &params));
    params.split_k = 2;
    assert_non_null(clg_family_tiled.unsupported_reason(&plan.problem, &clg_test_gpu, &params));
}

/* A column may be read into the gap behind it if the buffer holds that, never past the buffer's
 * end. */
static void vectors_read_gaps_but_not_past_the_end(void **state) {
    (void)state;
    struct clg_call call = call_of(1021, 1000, 1000, 3);
    struct clg_plan plan = plan_of(&call, &clg_test_hopper);
    assert_non_null(strstr(plan.steps[0].options, "-DVEC_A=4"));
    call.operand[CLG_A].bytes = (UINT64_C(999) * 1024 + 1021) * sizeof(float);
    plan = plan_of(&call, &clg_test_hopper);
    assert_non_null(strstr(plan.steps[0].options, "-DVEC_A=1"));
    call.operand[CLG_A].bytes += sizeof(float);
    plan = plan_of(&call, &clg_test_hopper);
    assert_non_null(strstr(plan.steps[0].options, "-DVEC_A=2"));
}

static void odd_leading_dimensions_are_packed_where_it_pays(void **state) {
    (void)state;
    struct clg_call call = call_of(8192, 8192, 8192, 1);
    struct clg_plan plan = plan_of(&call, &clg_test_gpu);
    assert_in_range(plan.num_steps, 3, 4); /* the last joins a tail */
    assert_string_equal(plan.steps[0].source, "pack");
    assert_string_equal(plan.steps[2].source, "tiled");
    assert_int_equal(plan.num_workspaces, plan.num_steps - 1);
    assert_int_equal(plan.workspaces[0], 8192ULL * 8192 * sizeof(float));
    call = call_of(500, 500, 500, 1);
    plan = plan_of(&call, &clg_test_gpu);
    assert_string_equal(plan.steps[0].source, "tiled");

    struct clg_facts small = clg_test_gpu;
    small.max_allocation = 1 << 20;
    call = call_of(8192, 8192, 8192, 1);
    plan = plan_of(&call, &small);
    assert_int_equal(plan.num_workspaces, 0);
}

/* Why C stays whole if a call cannot be enqueued to its end: only the last steps write it. If there
 * are several, run/exec holds them back until all are enqueued. */
static void only_the_last_steps_touch_c(void **state) {
    int several = 0;
    (void)state;
    static const int64_t sizes[] = {1, 3, 31, 64, 129, 1000, 2049};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t i = 0; i < count * count * count * 2; i++) {
        const size_t j = i / 2;
        struct clg_call call = call_of(sizes[j % count], sizes[j / count % count],
                                       sizes[j / count / count], (int64_t)(i % 2));
        struct clg_plan plan = plan_of(&call, &clg_test_gpu);
        assert_in_range(plan.num_steps, 1, CLG_MAX_STEPS);
        for (int s = 0; s < plan.num_steps; s++) {
            const bool writes = clg_step_writes_c(&plan.steps[s]);
            assert_true(writes || s < plan.num_steps - 1);
            assert_true(!writes || s == plan.num_steps - 1 ||
                        clg_step_writes_c(&plan.steps[s + 1]));
            several += writes && s < plan.num_steps - 1;
            assert_in_range(plan.steps[s].group_size, 1, clg_test_gpu.max_work_group);
            assert_true(plan.steps[s].groups > 0);
        }
    }
    assert_true(several > 0);
}

static void workspace_keeps_its_bound(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {{8192, 8192, 8192}, {64, 64, 65536}, {35, 700, 2048}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes * 2; s++)
        for (uint64_t bound = 4ULL << 30; bound > 0; bound = bound * 2 / 3) {
            const int64_t *shape = shapes[s / 2];
            struct clg_facts facts = clg_test_gpu;
            facts.workspace_max = bound;
            const struct clg_call call = call_of(shape[0], shape[1], shape[2], (int64_t)(s % 2));
            const struct clg_plan plan = plan_of(&call, &facts);
            uint64_t bytes = 0;
            for (int w = 0; w < plan.num_workspaces; w++)
                bytes += plan.workspaces[w];
            assert_true(bytes <= bound);
        }
}

static void limits_of_the_device_are_kept(void **state) {
    (void)state;
    struct clg_facts tiny = clg_test_gpu;
    tiny.max_work_group = 1;
    struct clg_call call = call_of(500, 500, 500, 0);
    struct clg_plan plan = plan_of(&call, &tiny);
    assert_ptr_equal(plan.family, &clg_family_direct);
    assert_int_equal(plan.steps[0].group_size, 1);
    struct clg_facts narrow = clg_test_gpu;
    narrow.local_memory = 2048;
    plan = plan_of(&call, &narrow);
    for (size_t i = 0; clg_families[i]; i++)
        if (plan.family == clg_families[i]) {
            struct clg_problem problem;
            clg_test_assert_success(clg_problem_init(&problem, &call));
            assert_null(plan.family->unsupported_reason(&problem, &narrow, &plan.params));
        }
}

/* Local memory holds only the tiles that are used there. What the kernel does not support is
 * refused. */
static void ways_of_tiled_are_refused_or_fit(void **state) {
    const struct clg_params row = {.tile_m = 128,
                                   .tile_n = 64,
                                   .tile_k = 64,
                                   .wg_m = 16,
                                   .wg_n = 8,
                                   .vec_a = 4,
                                   .vec_b = 4,
                                   .stages = 1,
                                   .band_m = 1};
    const struct clg_call call = call_of(256, 256, 256, 0);
    struct clg_problem problem;
    (void)state;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    for (int ways = 0; ways < 32; ways++) {
        struct clg_params p = row;
        p.private_a = ways & 1;
        p.private_b = ways >> 1 & 1;
        p.in_place = ways >> 2 & 1;
        p.wg_k = ways & 8 ? 2 : 0;
        p.stages = ways & 16 ? 2 : 1;
        const bool one = p.private_a || p.private_b, both = p.private_a && p.private_b;
        const bool fits = (p.private_a ? 0 : 32) + (p.private_b ? 0 : 16) <= 48 / p.stages;
        const bool good = !(p.in_place && one) && !(p.wg_k && one) && !(both && p.stages == 2);
        const char *why = clg_family_tiled.unsupported_reason(&problem, &clg_test_gpu, &p);
        assert_int_equal(!why, good && fits);
        p.in_place = 2;
        assert_non_null(clg_family_tiled.unsupported_reason(&problem, &clg_test_gpu, &p));
    }
}

static void the_best_device_is_chosen(void **state) {
    (void)state;
    struct clg_device_entry entries[4] = {{.platform = 0, .device = 0, .facts = clg_test_gpu},
                                          {.platform = 0, .device = 1, .facts = clg_test_gpu},
                                          {.platform = 1, .device = 0, .facts = clg_test_gpu},
                                          {.platform = 1, .device = 1, .facts = clg_test_gpu}};
    entries[0].facts.kind = CLG_DEVICE_CPU;
    entries[0].facts.compute_units = 1000;
    snprintf(entries[0].facts.name, sizeof entries[0].facts.name, "Some Intel CPU");
    entries[2].facts.compute_units = 90;
    entries[3].facts.compute_units = 500;
    entries[3].facts.has_compiler = false;
    const struct clg_device_list list = {entries, 4};
    const struct clg_device_entry *chosen = NULL;
    const char *why = NULL;
    clg_test_assert_success(clg_device_choose(&list, NULL, &chosen, &why));
    assert_ptr_equal(chosen, &entries[2]);
    clg_test_assert_success(clg_device_choose(&list, "CPU", &chosen, &why));
    assert_ptr_equal(chosen, &entries[0]);
    clg_test_assert_success(clg_device_choose(&list, "some intel c", &chosen, &why));
    assert_ptr_equal(chosen, &entries[0]);
    clg_test_assert_success(clg_device_choose(&list, "0:1", &chosen, &why));
    assert_ptr_equal(chosen, &entries[1]);
    clg_test_assert_status(clg_device_choose(&list, "1:1", &chosen, &why), CLGEMM_STATUS_NO_DEVICE);
    clg_test_assert_error_says("has no OpenCL compiler");
    assert_null(chosen);
}

/* Runtimes with known faults are used only by name, however good they seem. */
static void distrusted_devices_must_be_named(void **state) {
    (void)state;
    struct clg_device_entry entries[3] = {{.platform = 0, .facts = clg_test_cpu},
                                          {.platform = 1, .facts = clg_test_cpu},
                                          {.platform = 2, .facts = clg_test_cpu}};
    struct clg_facts *mesa = &entries[0].facts, *preview = &entries[1].facts;
    snprintf(mesa->name, sizeof mesa->name, "llvmpipe (LLVM 15.0.6, 256 bits)");
    snprintf(mesa->platform, sizeof mesa->platform, "rusticl");
    snprintf(preview->platform_version, sizeof preview->platform_version,
             "OpenCL 3.0 PoCL 3.0-rc2  Linux, RelWithDebInfo, LLVM 14.0.0");
    mesa->compute_units = preview->compute_units = 1000;
    struct clg_device_list list = {entries, 3};
    const struct clg_device_entry *chosen = NULL;
    static const struct {
        const char *request;
        int entry;
    } cases[] = {{NULL, 2}, {"cpu", 2}, {"%0/2", 2}, {"LLVMpipe", 0}, {"0:0", 0}, {"1:0", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        clg_test_assert_success(clg_device_choose(&list, cases[i].request, &chosen, NULL));
        assert_ptr_equal(chosen, &entries[cases[i].entry]);
    }
    list.count = 2;
    clg_test_assert_status(clg_device_choose(&list, "cpu", &chosen, NULL), CLGEMM_STATUS_NO_DEVICE);
    clg_test_assert_error_says("ends loops after 65535 iterations");
    clg_test_assert_error_says("a preview of PoCL");
}

static void processes_share_devices(void **state) {
    (void)state;
    struct clg_device_entry entries[6];
    for (unsigned i = 0; i < 6; i++)
        entries[i] =
            (struct clg_device_entry){.platform = i / 5, .device = i % 5, .facts = clg_test_gpu};
    entries[0].facts.kind = CLG_DEVICE_CPU;
    entries[2].facts.available = false; /* so GPUs 1, 3 and 4 of platform 0 are left */
    entries[4].facts.compute_units = 1000;
    const struct clg_device_list list = {entries, 6};
    const struct clg_device_entry *chosen = NULL;
    static const struct {
        const char *request;
        int entry; /* -1: none */
        unsigned sharers;
    } cases[] = {{NULL, 4, 1},
                 {"%0/1", 4, 1},
                 {"%0/2", 1, 1},
                 {"%1/2", 3, 1},
                 {"gpu%2/4", 4, 1},
                 {"gpu%3/4", 1, 2},
                 {"%0/8", 1, 3},
                 {"%7/8", 3, 3},
                 {"%5/8", 4, 2},
                 {"cpu%5/6", 0, 6},
                 {"0:3%1/2", 3, 2},
                 {"1:0%1/2", 5, 2},
                 {"gpu%4/4", -1, 1},
                 {"%1", -1, 1},
                 {"%1/2x", -1, 1},
                 {"none%0/2", -1, 1},
                 {"%0/4294967295", 1, 1431655765},
                 {"%0/4294967297", -1, 1},
                 {"%-1/2", -1, 1},
                 {"4294967297:4294967296", -1, 1},
                 {"18446744073709551617:0", -1, 1},
                 {"1:+0", -1, 1},
                 {"01:00", 5, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const clgemm_status status = clg_device_choose(&list, cases[i].request, &chosen, NULL);
        assert_int_equal(status, cases[i].entry < 0 ? CLGEMM_STATUS_NO_DEVICE : CLGEMM_SUCCESS);
        assert_ptr_equal(chosen, cases[i].entry < 0 ? NULL : &entries[cases[i].entry]);
        struct clg_device_choice all;
        clg_device_choose_all(&list, cases[i].request, &all);
        assert_int_equal(all.sharers, cases[i].sharers);
    }
}

/* Those that differ in one number are in different buckets of a table more often than not. */
static void hashes_of_problems_differ(void **state) {
    enum { SIZES = 64 };
    bool taken[CLG_KNOWN_BUCKETS] = {false};
    int different = 0;
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        const struct clg_problem problem = {.m = 100, .n = 100, .k = 100 + i, .batch = 1};
        struct clg_problem same = problem;
        same.swapped = true;
        const uint64_t hash = clg_problem_hash(&problem);
        assert_true(clg_problem_equal(&same, &problem) && clg_problem_hash(&same) == hash);
        different += !taken[hash % CLG_KNOWN_BUCKETS];
        taken[hash % CLG_KNOWN_BUCKETS] = true;
    }
    assert_true(different > SIZES / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_share_devices),
        cmocka_unit_test(distrusted_devices_must_be_named),
        cmocka_unit_test(row_major_swaps_the_operands),
        cmocka_unit_test(vector_width_follows_alignment),
        cmocka_unit_test(empty_products_scale_or_do_nothing),
        cmocka_unit_test(large_is_tiled_thin_is_thin_and_small_is_direct),
        cmocka_unit_test(c_is_written_in_vectors_that_divide_m),
        cmocka_unit_test(few_tiles_are_split_along_k),
        cmocka_unit_test(a_few_tiles_too_many_are_a_tail),
        cmocka_unit_test(vectors_read_gaps_but_not_past_the_end),
        cmocka_unit_test(odd_leading_dimensions_are_packed_where_it_pays),
        cmocka_unit_test(only_the_last_steps_touch_c),
        cmocka_unit_test(workspace_keeps_its_bound),
        cmocka_unit_test(limits_of_the_device_are_kept),
        cmocka_unit_test(hashes_of_problems_differ),
        cmocka_unit_test(ways_of_tiled_are_refused_or_fit),
        cmocka_unit_test(the_best_device_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
