/* SPDX-License-Identifier: Apache-2.0
 * The tensor family without a device: where it is used, what it refuses, and how groups share
 * tiles. */
#include <stdlib.h>
#include <string.h>

#include "gemm/select.h"
#include "gemm/small.h"
#include "gemm/tensor/tensor.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"
#include "support/rows.h"

static const clgemm_math modes[] = {CLGEMM_MATH_ACCURATE, CLGEMM_MATH_NORMWISE, CLGEMM_MATH_TF32,
                                    CLGEMM_MATH_BF16, CLGEMM_MATH_F16};
enum { MODES = sizeof modes / sizeof *modes };

/* ---- Where it is used ---- */

static void only_where_the_mode_permits_and_the_device_can(void **state) {
    struct clg_facts facts = clg_test_hopper, other = facts;
    (void)state;
    other.tensor_cores = false;
    other.clock_mhz = 1980; /* as an H200 reports */
    struct clg_facts neither = other;
    neither.mma = false;
    for (int i = 0; i < MODES; i++) {
        const struct clg_problem problem = clg_test_mode_problem(4096, 4096, 4096, modes[i], 1);
        assert_ptr_equal(clg_test_plan(&problem, &facts).family, &clg_family_tensor);
        assert_ptr_equal(clg_test_plan(&problem, &other).family, &clg_family_mma);
        assert_ptr_equal(clg_test_plan(&problem, &neither).family, &clg_family_multistage);
        assert_ptr_equal(clg_test_plan(&problem, &clg_test_cpu).family, &clg_family_panel);
    }
    const struct clg_problem strict =
        clg_test_mode_problem(4096, 4096, 4096, CLGEMM_MATH_STRICT, 1);
    assert_ptr_equal(clg_test_plan(&strict, &facts).family, &clg_family_multistage);
    struct clg_problem other_type =
        clg_test_mode_problem(4096, 4096, 4096, CLGEMM_MATH_ACCURATE, 1);
    other_type.type = CLGEMM_F64;
    assert_ptr_equal(clg_test_plan(&other_type, &facts).family, &clg_family_residues);
    assert_ptr_equal(clg_test_plan(&other_type, &other).family, &clg_family_multistage);
    for (int type = CLGEMM_F16; type <= CLGEMM_BF16; type++) { /* stored as tensor cores read it */
        other_type.type = (clgemm_type)type;
        other_type.math = CLGEMM_MATH_ACCURATE;
        const struct clg_plan plan = clg_test_plan(&other_type, &facts);
        assert_ptr_equal(plan.family, &clg_family_tensor);
        assert_int_equal(clg_tensor_way(&other_type)->split, 1);
        other_type.math = CLGEMM_MATH_STRICT;
        assert_ptr_equal(clg_test_plan(&other_type, &facts).family, &clg_family_tiled);
    }
}

/* An unknown device counts as no faster than the least that a measurement must show. */
static void what_is_not_known_to_pay_is_measured_first(void **state) {
    struct clg_facts unknown = clg_test_hopper;
    const struct clg_rates most = {5e12, 1e12}, short_of_it = {4.9e12, 1e12};
    (void)state;
    unknown.tensor_cores = false;
    unknown.clock_mhz = 1980; /* as an H200 reports */
    assert_true(clg_family_mma.pays(&unknown, NULL));
    unknown.mma_pays = false;
    assert_false(clg_family_mma.pays(&unknown, NULL));
    assert_true(clg_family_mma.pays(&unknown, &most));
    assert_false(clg_family_mma.pays(&unknown, &short_of_it));
    const struct clg_problem three =
        clg_test_mode_problem(4096, 4096, 4096, CLGEMM_MATH_NORMWISE, 1);
    const struct clg_problem six = clg_test_mode_problem(4096, 4096, 4096, CLGEMM_MATH_ACCURATE, 1);
    assert_ptr_equal(clg_test_plan(&three, &unknown).family, &clg_family_mma);
    assert_ptr_equal(clg_test_plan(&six, &unknown).family, &clg_family_multistage);
}

/* An A100: mma.sync, in tiles whose ring fits its local memory. */
static void ampere_has_the_tensor_cores_that_it_knows(void **state) {
    struct clg_facts ampere = clg_test_hopper;
    (void)state;
    ampere.capability = 80;
    ampere.tensor_cores = ampere.tensor_maps = false;
    ampere.compute_units = 108;
    ampere.clock_mhz = 1410;
    for (int i = 0; i < MODES; i++)
        for (int type = CLGEMM_F32; type <= CLGEMM_BF16; type++) {
            struct clg_problem problem = clg_test_mode_problem(4096, 4096, 4096, modes[i], 2);
            problem.type = (clgemm_type)type;
            if (type == CLGEMM_F64 || (type == CLGEMM_F32 && modes[i] == CLGEMM_MATH_ACCURATE))
                continue; /* six products instead of one */
            const struct clg_plan plan = clg_test_plan(&problem, &ampere);
            assert_ptr_equal(plan.family, &clg_family_mma);
            assert_int_equal(plan.num_steps, 2);
            assert_false(clg_step_writes_c(&plan.steps[0]));
            const int64_t stage =
                clg_tensor_stage_bytes(clg_tensor_way(&problem), plan.params.tile_m) +
                clg_tensor_stage_bytes(clg_tensor_way(&problem), plan.params.tile_n);
            assert_in_range(plan.params.stages * stage, 1, 163 * 1024);
            problem.m = problem.n = 64;
            assert_true(clg_test_plan(&problem, &ampere).family->strict);
        }
}

/* The strict families are right in any mode. They are used if they are faster. */
static void small_products_stay_strict(void **state) {
    static const int64_t shapes[][3] = {{16, 16, 16},    {64, 64, 64},   {1, 4096, 4096},
                                        {4096, 1, 4096}, {256, 256, 16}, {1000, 1000, 31}};
    const struct clg_facts facts = clg_test_hopper;
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const struct clg_problem problem = clg_test_mode_problem(
            shapes[s][0], shapes[s][1], shapes[s][2], CLGEMM_MATH_ACCURATE, 1);
        assert_true(clg_test_plan(&problem, &facts).family->strict);
    }
}

/* One step that packs and one that writes C, within the device's limits. */
static void plans_keep_what_plans_promise(void **state) {
    static const int64_t lengths[] = {33, 127, 128, 500, 1025, 2048, 5124};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    const struct clg_facts facts = clg_test_hopper;
    int used = 0;
    (void)state;
    for (int i = 0; i < LENGTHS * LENGTHS * LENGTHS * MODES; i++) {
        const int at = i / MODES;
        const struct clg_problem problem = clg_test_mode_problem(
            lengths[at % LENGTHS], lengths[at / LENGTHS % LENGTHS], lengths[at / LENGTHS / LENGTHS],
            modes[i % MODES], 1 + at % 2 * 2);
        const struct clg_plan plan = clg_test_plan(&problem, &facts);
        if (plan.family != &clg_family_tensor)
            continue;
        assert_int_equal(plan.num_steps, 2);
        assert_string_equal(plan.steps[0].source, "tensor_pack");
        assert_false(clg_step_writes_c(&plan.steps[0]));
        assert_true(clg_step_writes_c(&plan.steps[1]));
        assert_int_equal(plan.steps[1].batch, 1);
        assert_in_range(plan.steps[1].groups, 1, facts.compute_units);
        assert_true(strlen(plan.steps[1].options) < CLG_MAX_OPTIONS - 1);
        assert_null(clg_family_unsupported_reason(plan.family, &problem, &facts, &plan.params));
        used++;
    }
    assert_true(used > LENGTHS);
}

/* ---- What it refuses: a ring that holds less than one turn would wait forever ---- */

static void rings_that_would_stop_the_device_are_refused(void **state) {
    const struct clg_facts facts = clg_test_hopper;
    (void)state;
    for (int i = 0; i < MODES; i++) {
        const struct clg_problem problem = clg_test_mode_problem(1024, 1024, 1024, modes[i], 1);
        const struct clg_tensor_way *way = clg_tensor_way(&problem);
        int fit = 0;
        for (int tile_m = 32; tile_m <= 288; tile_m += 32)
            for (int stages = 0; stages < 16; stages++) {
                const struct clg_params params = {.tile_m = tile_m,
                                                  .tile_n = CLG_TENSOR_TILE_N,
                                                  .tile_k = clg_tensor_stage_k(way),
                                                  .stages = stages,
                                                  .band_m = 8};
                const int64_t bytes = stages * (clg_tensor_stage_bytes(way, tile_m) +
                                                clg_tensor_stage_bytes(way, CLG_TENSOR_TILE_N));
                if (clg_family_tensor.unsupported_reason(&problem, &facts, &params))
                    continue;
                assert_true(stages >= 2);
                assert_true(!way->promoted || stages >= way->block);
                assert_true(bytes < 227 * 1024);
                assert_true(tile_m <= (way->promoted ? 192 : 256));
                fit++;
            }
        assert_true(fit > 0);
    }
}

static void what_the_kernel_cannot_is_refused(void **state) {
    const struct clg_facts facts = clg_test_hopper;
    const struct clg_problem fits =
        clg_test_mode_problem(1024, 1024, 1024, CLGEMM_MATH_NORMWISE, 1);
    struct clg_params params = clg_test_plan(&fits, &facts).params;
    const struct clg_problem shallow =
        clg_test_mode_problem(1024, 1024, 31, CLGEMM_MATH_NORMWISE, 1);
    const struct clg_problem wide =
        clg_test_mode_problem(INT64_C(1) << 31, 128, 64, CLGEMM_MATH_NORMWISE, 1);
    struct clg_facts narrow = facts, many = facts, little = facts;
    (void)state;
    narrow.max_work_group = 256;
    many.compute_units = 1000;
    little.workspace_max = 1 << 20;
    assert_null(clg_family_tensor.unsupported_reason(&fits, &facts, &params));
    assert_non_null(clg_family_tensor.unsupported_reason(&shallow, &facts, &params));
    assert_non_null(clg_family_tensor.unsupported_reason(&wide, &facts, &params));
    assert_non_null(clg_family_tensor.unsupported_reason(&fits, &narrow, &params));
    assert_non_null(clg_family_tensor.unsupported_reason(&fits, &little, &params));
    params.sharers = 16;
    assert_null(clg_family_tensor.unsupported_reason(&fits, &facts, &params));
    assert_non_null(clg_family_tensor.unsupported_reason(&fits, &many, &params));
}

/* ---- How groups share tiles, as next_work() of kernels/tensor.cl does ---- */

static int64_t share_begin(int64_t all, int64_t groups, int64_t group) {
    const int64_t rest = all % groups;
    return all / groups * group + (group < rest ? group : rest);
}

/* Every block of every tile belongs to exactly one group. A tile's last blocks come after those
 * that other groups have of it, in the order in which groups begin. Only a share's last tile is
 * left to others. */
static void streamed_tiles_are_shared_without_gaps(void **state) {
    const struct clg_facts facts = clg_test_hopper;
    int streamed = 0;
    (void)state;
    for (int64_t size = 128; size <= 1408; size += 128)
        for (int split = 2; split <= 16; split *= 2) {
            const struct clg_problem problem = clg_test_mode_problem(
                size, 1408 - size + 128, 1 + size * 7, CLGEMM_MATH_ACCURATE, 1);
            const struct clg_tensor_way *way = clg_tensor_way(&problem);
            const struct clg_params params = {.tile_m = 128, .tile_n = 128, .sharers = split};
            const struct clg_tensor_shares s = clg_tensor_shares(way, &problem, &facts, &params);
            assert_true(s.groups >= 1 && s.groups <= facts.compute_units);
            if (!s.streamed)
                continue;
            streamed++;
            const int64_t all = s.tiles * s.blocks;
            int *owner = calloc((size_t)all, sizeof *owner);
            for (int64_t group = 0; group < s.groups; group++) {
                int64_t high = share_begin(all, s.groups, group + 1);
                const int64_t low = share_begin(all, s.groups, group);
                int left_to_others = 0;
                assert_true(high > low);
                while (high > low) {
                    const int64_t begin = (high - 1) / s.blocks * s.blocks;
                    const int64_t first = low > begin ? low : begin;
                    left_to_others += high < begin + s.blocks;
                    for (int64_t block = first; block < high; block++) {
                        assert_int_equal(owner[block], 0);
                        owner[block] = (int)group + 1;
                    }
                    high = first;
                }
                assert_true(left_to_others <= 1);
            }
            for (int64_t block = 0; block < all; block++) {
                assert_int_not_equal(owner[block], 0);
                assert_true(block % s.blocks == 0 || owner[block] >= owner[block - 1]);
            }
            free(owner);
        }
    assert_true(streamed > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_where_the_mode_permits_and_the_device_can),
        cmocka_unit_test(what_is_not_known_to_pay_is_measured_first),
        cmocka_unit_test(ampere_has_the_tensor_cores_that_it_knows),
        cmocka_unit_test(small_products_stay_strict),
        cmocka_unit_test(plans_keep_what_plans_promise),
        cmocka_unit_test(rings_that_would_stop_the_device_are_refused),
        cmocka_unit_test(what_the_kernel_cannot_is_refused),
        cmocka_unit_test(streamed_tiles_are_shared_without_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
