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

static struct clg_problem problem_of(int64_t m, int64_t n, int64_t k, clgemm_math math,
                                     int64_t batch) {
    const struct clg_test_form form = {
        .m = m, .n = n, .k = k, .batch = batch, .math = math, .alignment = 64};
    return clg_test_form_problem(&form, CLGEMM_F32);
}

static struct clg_plan plan_of(const struct clg_problem *problem, const struct clg_facts *facts) {
    const struct clg_plan plan = clg_test_plan(problem, facts);
    assert_int_equal(plan.problem.math, problem->math);
    return plan;
}

/* ---- Where it is used ---- */

static void only_where_the_mode_permits_and_the_device_can(void **state) {
    struct clg_facts facts = clg_test_hopper, other = facts;
    (void)state;
    other.tensor_cores = false;
    other.clock_mhz = 1980; /* as an H200 reports */
    struct clg_facts neither = other;
    neither.mma = false;
    for (int i = 0; i < MODES; i++) {
        const struct clg_problem problem = problem_of(4096, 4096, 4096, modes[i], 1);
        assert_ptr_equal(plan_of(&problem, &facts).family, &clg_family_tensor);
        assert_ptr_equal(plan_of(&problem, &other).family, &clg_family_mma);
        assert_ptr_equal(plan_of(&problem, &neither).family, &clg_family_multistage);
        assert_ptr_equal(plan_of(&problem, &clg_test_cpu).family, &clg_family_panel);
    }
    const struct clg_problem strict = problem_of(4096, 4096, 4096, CLGEMM_MATH_STRICT, 1);
    assert_ptr_equal(plan_of(&strict, &facts).family, &clg_family_multistage);
    struct clg_problem other_type = problem_of(4096, 4096, 4096, CLGEMM_MATH_ACCURATE, 1);
    other_type.type = CLGEMM_F64;
    assert_ptr_equal(plan_of(&other_type, &facts).family, &clg_family_residues);
    assert_ptr_equal(plan_of(&other_type, &other).family, &clg_family_multistage);
    for (int type = CLGEMM_F16; type <= CLGEMM_BF16; type++) { /* stored as tensor cores read it */
        other_type.type = (clgemm_type)type;
        other_type.math = CLGEMM_MATH_ACCURATE;
        const struct clg_plan plan = plan_of(&other_type, &facts);
        assert_ptr_equal(plan.family, &clg_family_tensor);
        assert_int_equal(clg_tensor_way(&other_type)->split, 1);
        other_type.math = CLGEMM_MATH_STRICT;
        assert_ptr_equal(plan_of(&other_type, &facts).family, &clg_family_tiled);
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
    const struct clg_problem three = problem_of(4096, 4096, 4096, CLGEMM_MATH_NORMWISE, 1);
    const struct clg_problem six = problem_of(4096, 4096, 4096, CLGEMM_MATH_ACCURATE, 1);
    assert_ptr_equal(plan_of(&three, &unknown).family, &clg_family_mma);
    assert_ptr_equal(plan_of(&six, &unknown).family, &clg_family_multistage);
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
            struct clg_problem problem = problem_of(4096, 4096, 4096, modes[i], 2);
            problem.type = (clgemm_type)type;
            if (type == CLGEMM_F64 || (type == CLGEMM_F32 && modes[i] == CLGEMM_MATH_ACCURATE))
                continue; /* six products instead of one */
            const struct clg_plan plan = plan_of(&problem, &ampere);
            assert_ptr_equal(plan.family, &clg_family_mma);
            assert_int_equal(plan.num_steps, 2);
            assert_false(clg_step_writes_c(&plan.steps[0]));
            const int64_t stage =
                clg_tensor_stage_bytes(clg_tensor_way(&problem), plan.params.tile_m) +
                clg_tensor_stage_bytes(clg_tensor_way(&problem), plan.params.tile_n);
            assert_in_range(plan.params.stages * stage, 1, 163 * 1024);
            problem.m = problem.n = 64;
            assert_true(plan_of(&problem, &ampere).family->strict);
        }
}

/* The strict families are right in any mode. They are used if they are faster. */
static void small_products_stay_strict(void **state) {
    static const int64_t shapes[][3] = {{16, 16, 16},    {64, 64, 64},   {1, 4096, 4096},
                                        {4096, 1, 4096}, {256, 256, 16}, {1000, 1000, 31}};
    const struct clg_facts facts = clg_test_hopper;
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const struct clg_problem problem =
            problem_of(shapes[s][0], shapes[s][1], shapes[s][2], CLGEMM_MATH_ACCURATE, 1);
        assert_true(plan_of(&problem, &facts).family->strict);
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
        const struct clg_problem problem =
            problem_of(lengths[at % LENGTHS], lengths[at / LENGTHS % LENGTHS],
                       lengths[at / LENGTHS / LENGTHS], modes[i % MODES], 1 + at % 2 * 2);
        const struct clg_plan plan = plan_of(&problem, &facts);
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
 * part to one step. Those whose columns bulk copies cannot read take a team each. */
static void halves_come_in_place(void **state) {
    const struct clg_facts facts = clg_test_hopper;
    (void)state;
    for (int i = 0; i < 256; i++) {
        struct clg_problem problem = problem_of(1024, 2048, 512, CLGEMM_MATH_F16, 1 + i % 2 * 2);
        struct clg_params params = {.tile_m = 128,
                                    .tile_n = 128,
                                    .tile_k = 64,
                                    .stages = 6,
                                    .band_m = 8,
                                    .pack_a = i >> 6 & 1,
                                    .pack_b = i >> 7};
        const int packed = params.pack_a + params.pack_b;
        int singly = 0;
        problem.type = i & 2 ? CLGEMM_F16 : CLGEMM_BF16;
        for (int which = CLG_A; which <= CLG_B; which++) {
            problem.matrix[which].transposed = i >> (2 + which) & 1;
            problem.matrix[which].bulk = i >> (4 + which) & 1;
            const enum clg_tensor_comes comes = comes_by(&problem, &params, which);
            assert_int_equal(clg_tensor_comes(&problem, &facts, &params, which), comes);
            singly += comes > CLG_TENSOR_ACROSS_K;
        }
        struct clg_plan plan;
        assert_ptr_equal(plan_of(&problem, &facts).family, &clg_family_tensor);
        clg_plan_with(&plan, &clg_family_tensor, &params, &problem, &facts);
        const struct clg_step *product = &plan.steps[plan.num_steps - 1];
        assert_int_equal(plan.num_steps, packed ? 2 : 1);
        assert_int_equal(product->group_size, singly == 2 ? 512 : 384);
        const bool streamed = plan.counters >= 0;
        assert_int_equal(plan.num_workspaces, packed + 2 * streamed + 1); /* the last has maps */
        assert_int_equal(plan.workspaces[plan.num_workspaces - 1], product->groups * 3 * 128);
        params.tile_m = 192; /* which cannot copy singly */
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
    const struct clg_params none = {.tile_m = 128};
    struct clg_problem floats = problem_of(1024, 2048, 512, CLGEMM_MATH_F16, 1), halves = floats;
    struct clg_facts older = facts;
    older.tensor_maps = false;
    halves.type = CLGEMM_F16;
    assert_int_equal(clg_tensor_comes(&halves, &facts, &none, CLG_A), CLG_TENSOR_ACROSS_K);
    assert_int_equal(clg_tensor_comes(&halves, &older, &none, CLG_A), CLG_TENSOR_ACROSS_K_SINGLY);
    const struct clg_params both = {.tile_m = 128,
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
        struct clg_problem problem =
            problem_of(products[i].m, products[i].n, products[i].k, CLGEMM_MATH_ACCURATE, 1);
        problem.type = CLGEMM_F16;
        for (int which = CLG_A; which < CLG_MATRICES; which++) {
            problem.matrix[which].bulk = false;
            problem.matrix[which].vector = 1;
        }
        const struct clg_plan plan = plan_of(&problem, &clg_test_hopper);
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
        earlier.tensor_singly_us = 0; /* a file of costs from before there was such a figure */
        assert_false(some_read_singly(&problem, &earlier));
    }
}

/* Packing costs a pass over an operand, and lines that begin within 32 bytes a part of the product:
 * of large ones both are packed, and the small product of the check has the same programs. */
static void crooked_lines_are_packed_if_that_pays(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        const int64_t size = i & 4 ? 5000 : 1992;
        struct clg_problem problem = problem_of(size, size, size, CLGEMM_MATH_F16, 1);
        problem.type = CLGEMM_BF16;
        for (int which = CLG_A; which < CLG_MATRICES; which++) {
            problem.matrix[which].ld = i >> which & 1 || which == CLG_C ? size : size + 56;
            problem.matrix[which].bulk = true;
        }
        const struct clg_plan plan = plan_of(&problem, &clg_test_hopper);
        struct clg_plan twin;
        assert_ptr_equal(plan.family, &clg_family_tensor);
        assert_int_equal(plan.params.pack_a, (i & 5) == 5);
        assert_int_equal(plan.params.pack_b, (i & 6) == 6);
        assert_int_equal(plan.num_steps, i > 4 ? 2 : 1);
        assert_true(clg_plan_twin(&twin, &plan, &clg_test_hopper, false));
    }
    struct clg_problem floats = problem_of(5000, 5000, 5000, CLGEMM_MATH_F16, 1);
    struct clg_params params = plan_of(&floats, &clg_test_hopper).params;
    params.pack_b = 1;
    assert_non_null(clg_family_tensor.unsupported_reason(&floats, &clg_test_hopper, &params));
}

/* A box of C would be written beyond a column that ends within 16 bytes. */
static void boxes_of_c_are_whole(void **state) {
    (void)state;
    for (int64_t m = 760; m < 776; m++) {
        struct clg_problem problem = problem_of(m, 1032, 1111, CLGEMM_MATH_F16, 1);
        problem.type = CLGEMM_F16;
        problem.matrix[CLG_C].ld = 784;
        problem.matrix[CLG_C].bulk = true;
        const struct clg_plan plan = plan_of(&problem, &clg_test_hopper);
        assert_ptr_equal(plan.family, &clg_family_tensor);
        assert_true(!strstr(plan.steps[plan.num_steps - 1].options, "-DC_BOXES=1") == (m % 8 != 0));
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

/* ---- What it refuses: a ring that holds less than one turn would wait forever ---- */

static void rings_that_would_stop_the_device_are_refused(void **state) {
    const struct clg_facts facts = clg_test_hopper;
    (void)state;
    for (int i = 0; i < MODES; i++) {
        const struct clg_problem problem = problem_of(1024, 1024, 1024, modes[i], 1);
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
    const struct clg_problem fits = problem_of(1024, 1024, 1024, CLGEMM_MATH_NORMWISE, 1);
    struct clg_params params = plan_of(&fits, &facts).params;
    const struct clg_problem shallow = problem_of(1024, 1024, 31, CLGEMM_MATH_NORMWISE, 1);
    const struct clg_problem wide = problem_of(INT64_C(1) << 31, 128, 64, CLGEMM_MATH_NORMWISE, 1);
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
            const struct clg_problem problem =
                problem_of(size, 1408 - size + 128, 1 + size * 7, CLGEMM_MATH_ACCURATE, 1);
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
        cmocka_unit_test(halves_come_in_place),
        cmocka_unit_test(odd_halves_are_packed_if_that_pays),
        cmocka_unit_test(crooked_lines_are_packed_if_that_pays),
        cmocka_unit_test(boxes_of_c_are_whole),
        cmocka_unit_test(maps_are_for_drivers_that_set_them_alike),
        cmocka_unit_test(bulk_copies_need_16_bytes),
        cmocka_unit_test(rings_that_would_stop_the_device_are_refused),
        cmocka_unit_test(what_the_kernel_cannot_is_refused),
        cmocka_unit_test(streamed_tiles_are_shared_without_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
