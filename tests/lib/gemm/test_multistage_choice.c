/* SPDX-License-Identifier: Apache-2.0
 * Which tiles and splits of multistage are chosen, without a device. They are those that
 * measurements found fastest, and the model agrees. */
#include "gemm/tiled/model.h"
#include "gemm/tiled/tiled.h"
#include "run/choose.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"
#include "support/rows.h"
#include "tuning/costs.h"

/* The plan for a product without transposes; it must be one of the family. */
static struct clg_plan chosen(clgemm_type type, int64_t m, int64_t n, int64_t k) {
    const struct clg_problem problem = clg_test_aligned_problem(type, false, false, m, n, k);
    const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
    assert_ptr_equal(plan.family, &clg_family_multistage);
    return plan;
}

static void assert_tile(size_t number, const struct clg_params *p, int m, int n, int k) {
    if (p->tile_m != m || p->tile_n != n || p->tile_k != k)
        fail_msg("case %zu: %d x %d x %d", number, p->tile_m, p->tile_n, p->tile_k);
}

/* Whether a few tiles after whole rounds are split along k, where measurements found that fastest,
 * or not, where it was slower although units are free. */
static void tails_are_cut_where_they_pay(void **state) {
    static const struct {
        clgemm_type type;
        int64_t m, n, k;
        bool cut;
    } shapes[] = {{CLGEMM_F64, 1025, 1023, 1027, true}, {CLGEMM_F64, 1023, 1025, 1027, true},
                  {CLGEMM_F32, 1159, 489, 195, true},   {CLGEMM_F32, 853, 579, 225, true},
                  {CLGEMM_F32, 5951, 173, 255, true},   {CLGEMM_F32, 546, 1502, 110, false},
                  {CLGEMM_F32, 147, 3921, 3593, false}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct clg_plan plan = chosen(shapes[i].type, shapes[i].m, shapes[i].n, shapes[i].k);
        if ((plan.params.split_tail > 1) != shapes[i].cut)
            fail_msg("case %zu: a tail of %d slices", i, plan.params.split_tail);
    }
}

/* Where local memory holds two groups of a tile, as of 128 x 64 x 16 if A is not read along k, a
 * launch of two for each unit puts two whole tiles on some: then tails have fewer slices than there
 * are units. With 132 slices the first shape took 398 us on an H200, with 88 it took 246. */
static void slices_leave_each_unit_one_whole_tile(void **state) {
    static const struct {
        int64_t m, n, k;
        bool transposed, fewer; /* fewer slices, else as many as divide k best, as one group fits */
    } shapes[] = {{2810, 428, 4896, false, true}, {2217, 739, 5222, true, false}};
    const int64_t units = clg_tiled_units(&clg_test_hopper);
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const bool t = shapes[i].transposed;
        const struct clg_problem problem =
            clg_test_aligned_problem(CLGEMM_F64, t, t, shapes[i].m, shapes[i].n, shapes[i].k);
        const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
        const struct clg_cut cut = clg_tiled_cut(&problem, &clg_test_hopper, &plan.params);
        const int64_t slices = (cut.tiles - cut.whole) * cut.slices;
        assert_tile(i, &plan.params, 128, 64, 16);
        if (cut.whole < units || cut.slices < 2 || (slices < units) != shapes[i].fewer)
            fail_msg("case %zu: %d slices for each of %d tiles", i, cut.slices, (int)cut.tiles);
    }
}

/* Slices of a few steps take longer than they save: 128 x 64 x 8 in two for the tail took 21.8 us
 * on an H200, uncut 15.3. */
static void a_short_k_is_not_cut(void **state) {
    const struct clg_problem problem =
        clg_test_aligned_problem(CLGEMM_F64, true, false, 6086, 254, 106);
    const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
    (void)state;
    assert_int_equal(plan.params.split_tail, 0);
}

/* A few tiles along one side read the other, long operand together, and wait for memory in each
 * step: small tiles, whose steps are short, do not pay. */
static void long_operands_are_not_read_in_short_steps(void **state) {
    (void)state;
    const struct clg_plan plan = chosen(CLGEMM_F32, 65, 3213, 5725);
    assert_true(plan.params.tile_m * plan.params.tile_n > 32 * 32);
}

static struct clg_params params_of(int wg_k) {
    return (struct clg_params){.tile_m = 64,
                               .tile_n = 64,
                               .tile_k = 16,
                               .wg_m = 8,
                               .wg_n = 8,
                               .wg_k = wg_k,
                               .lanes_m = 8,
                               .lanes_n = 4,
                               .vec_a = 4,
                               .vec_b = 4,
                               .stages = 3,
                               .band_m = 8};
}

/* If each unit has a whole tile, and less than one piece a unit is left, a unit takes only a piece
 * longer. With one piece for each, some units get two whole tiles. */
static void pieces_go_beside_whole_tiles_while_they_are_few(void **state) {
    struct clg_cost_row row = {.params = params_of(1),
                               .fixed_us = 5,
                               .round_us = 3,
                               .resident = 4,
                               .step_ns = {400, 500, 1000},
                               .resident_scalars = 4};
    const struct clg_tiled_table table = {
        .costs = clg_test_costs(&clg_test_hopper), .slower = 1, .joined = INT64_MAX};
    const char *limit;
    const int64_t units = clg_test_hopper.compute_units;
    double us[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        const int full = i == 1;
        if (i == 2) { /* two groups fit a unit */
            row.resident = row.resident_scalars = 2;
            row.step_ns[2] = row.step_ns[1];
        }
        const struct clg_problem problem = clg_test_aligned_problem(
            CLGEMM_F32, false, false, 64, (units + units / 4 - 1 + full) * 64, 1600);
        struct clg_params params = row.params;
        params.split_tail = 4;
        const struct clg_cut cut = clg_tiled_cut(&problem, &clg_test_hopper, &params);
        assert_int_equal(cut.whole, units);
        us[i] = clg_tiled_time(&table, &problem, &clg_test_hopper, &row, &cut, 0, &limit);
    }
    /* 100 steps of 0.4 us and 25 of 0.1 more; of 0.5, a twelfth of them of 0.5 more, and the
     * additions. */
    assert_float_equal(us[1] - us[0], 54.2 - 42.5 + 1.8, 1.5);
    assert_float_equal(us[2], us[0], 0.1);
}

/* Without slices two groups fit a unit, and two whole tiles are on one unit. */
static void a_tail_is_joined_where_groups_have_slices(void **state) {
    static const int64_t shapes[][3] = {{2765, 443, 2119}, {1811, 669, 2005}, {953, 615, 885}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const struct clg_problem problem = clg_test_aligned_problem(
            CLGEMM_F32, false, false, shapes[s][0], shapes[s][1], shapes[s][2]);
        struct clg_list ranked;
        clg_choose_list(&ranked, &problem, &clg_test_hopper, NULL, 0);
        int tails = 0;
        for (int i = 0; i < ranked.count; i++) {
            const struct clg_params *p = &ranked.at[i].params;
            if (ranked.at[i].family != &clg_family_multistage || p->wg_k < 2 || p->split_tail < 2)
                continue;
            const struct clg_cut cut = clg_tiled_cut(&problem, &clg_test_hopper, p);
            assert_true(clg_tiled_joins(&problem, &cut, p, CLG_MULTISTAGE_JOINED));
            tails++;
        }
        assert_true(tails > 0);
    }
}

/* Only if about one round of groups is enough for C, for tiles that `tiled` has, if no column is
 * read in vectors (which is what they were measured for), and for floats. */
static void groups_have_slices_where_there_is_one_round(void **state) {
    const struct clg_problem odd =
        clg_test_aligned_problem(CLGEMM_F32, false, false, 1025, 1023, 1027);
    const struct clg_problem turned =
        clg_test_aligned_problem(CLGEMM_F32, true, false, 1476, 2764, 476);
    const struct clg_problem doubles =
        clg_test_aligned_problem(CLGEMM_F64, false, false, 1025, 1023, 1027);
    struct clg_plan plan = chosen(CLGEMM_F32, odd.m, odd.n, odd.k);
    (void)state;
    assert_true(plan.params.wg_k > 1);
    assert_int_equal(plan.steps[0].group_size,
                     plan.params.wg_m * plan.params.wg_n * plan.params.wg_k);
    struct clg_params row = plan.params;
    assert_string_equal(clg_family_multistage.unsupported_reason(&doubles, &clg_test_hopper, &row),
                        "WG_K is not a power of two, or the elements are doubles");
    row.wg_k = 3;
    row.tile_k = 48;
    assert_string_equal(clg_family_multistage.unsupported_reason(&odd, &clg_test_hopper, &row),
                        "WG_K is not a power of two, or the elements are doubles");
    row.wg_k = 16; /* their accumulators need more memory than the tiles */
    row.tile_k = 128;
    row.stages = 2;
    assert_string_equal(clg_family_multistage.unsupported_reason(&odd, &clg_test_hopper, &row),
                        "the larger ring is too small to exchange the elements of C");
    assert_int_equal(chosen(CLGEMM_F32, 4095, 4097, 4099).params.wg_k, 0);
    assert_int_equal(chosen(CLGEMM_F32, 5124, 700, 2048).params.wg_k, 0);
    /* An A that runs along k is read in single elements, and `tiled` has tiles for that. */
    plan = clg_test_plan(&turned, &clg_test_hopper);
    assert_ptr_equal(plan.family, &clg_family_tiled);
}

/* A size just above a multiple of 32 or 64 gets a tile that it fills, as measurements found
 * fastest. */
static void tiles_fit_between_powers_of_two(void **state) {
    static const struct {
        int64_t m, n, k;
        int tile_m, tile_n;
    } shapes[] = {{95, 911, 7647, 96, 48},    {76, 4826, 4530, 96, 48},  {42, 4692, 2942, 48, 96},
                  {2563, 79, 1835, 64, 80},   {7326, 152, 3332, 64, 80}, {424, 258, 2642, 64, 96},
                  {179, 1519, 7037, 64, 112}, {447, 3985, 493, 64, 112}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct clg_plan plan = chosen(CLGEMM_F32, shapes[i].m, shapes[i].n, shapes[i].k);
        if (plan.params.tile_m != shapes[i].tile_m || plan.params.tile_n != shapes[i].tile_n)
            fail_msg("case %zu: %d x %d", i, plan.params.tile_m, plan.params.tile_n);
    }
}

/* If single elements leave registers for two groups instead of three, one round with vectors
 * becomes two; and the same if the preset states neither. */
static void single_elements_leave_room_for_fewer_groups(void **state) {
    const struct {
        float scalars;
        int resident_scalars;
    } cases[] = {{0, 2}, {0, 3}, {0.1F, 3}};
    const struct clg_params params = params_of(2);
    const int64_t units = clg_test_hopper.compute_units;
    const struct clg_problem problem =
        clg_test_aligned_problem(CLGEMM_F32, false, false, 3 * 64, units * 64, 1600);
    const struct clg_cut cut = clg_tiled_cut(&problem, &clg_test_hopper, &params);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct clg_cost_row row = {.params = params,
                                         .fixed_us = 5,
                                         .round_us = 3,
                                         .resident = 3,
                                         .step_ns = {400, 700, 1000},
                                         .scalars = cases[i].scalars,
                                         .resident_scalars = cases[i].resident_scalars};
        const struct clg_tiled_table table = {.costs = clg_test_costs(&clg_test_hopper),
                                              .slower = 1};
        const char *limit;
        const double vectors =
            clg_tiled_time(&table, &problem, &clg_test_hopper, &row, &cut, 0, &limit);
        const double singles =
            clg_tiled_time(&table, &problem, &clg_test_hopper, &row, &cut, 1, &limit);
        assert_float_equal(vectors, 5 + 100, 5); /* microseconds: the steps, and some memory */
        assert_float_equal(singles, i == 0 ? 5 + 3 + 2 * 70 : i == 1 ? vectors : 5 + 110, 5);
    }
}

/* Tiles that measurements found fastest for a batch of many rounds, where a single product, which
 * has few tiles, gets others. */
static void batches_have_tiles_for_many_rounds(void **state) {
    static const struct {
        clgemm_type type;
        int64_t size, products;
        int tile_m, tile_n, tile_k;
    } batches[] = {{CLGEMM_F32, 36, 20000, 64, 32, 8},   {CLGEMM_F32, 72, 5000, 96, 48, 16},
                   {CLGEMM_F32, 100, 4000, 128, 64, 16}, {CLGEMM_F32, 128, 2000, 128, 64, 16},
                   {CLGEMM_F32, 200, 500, 128, 64, 16},  {CLGEMM_F64, 32, 20000, 32, 32, 16},
                   {CLGEMM_F64, 48, 10000, 48, 48, 8},   {CLGEMM_F64, 64, 10000, 64, 64, 8},
                   {CLGEMM_F64, 96, 4000, 48, 48, 8},    {CLGEMM_F64, 100, 4000, 112, 56, 8},
                   {CLGEMM_F64, 128, 2000, 128, 64, 8},  {CLGEMM_F64, 160, 1000, 64, 64, 8},
                   {CLGEMM_F64, 200, 500, 112, 56, 8},   {CLGEMM_F64, 256, 500, 128, 64, 8}};
    (void)state;
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        const int64_t size = batches[i].size;
        const struct clg_test_form form = {.m = size,
                                           .n = size,
                                           .k = size,
                                           .batch = batches[i].products,
                                           .alignment = CLG_TEST_ALIGNED};
        const struct clg_problem batch = clg_test_form_problem(&form, batches[i].type);
        const struct clg_problem one =
            clg_test_aligned_problem(batches[i].type, false, false, size, size, size);
        const struct clg_plan plan = clg_test_plan(&batch, &clg_test_hopper);
        assert_int_not_equal(clg_test_plan(&one, &clg_test_hopper).params.tile_k, 8);
        assert_ptr_equal(plan.family, &clg_family_multistage);
        assert_tile(i, &plan.params, batches[i].tile_m, batches[i].tile_n, batches[i].tile_k);
    }
}

/* For a short k, measurements found tiles of 8 steps faster for floats. Single elements exclude the
 * widest tiles, and a split tail excludes both wide ones. */
static void a_short_k_has_short_steps(void **state) {
    static const struct {
        int64_t m, n, k;
        int tile_m, tile_n, tile_k;
    } shapes[] = {{2887, 1387, 55, 128, 32, 8}, {1398, 704, 144, 64, 64, 16},
                  {4096, 4096, 64, 128, 64, 8}, {1606, 4890, 178, 128, 64, 8},
                  {853, 579, 225, 64, 32, 16},  {2330, 3394, 301, 128, 64, 16},
                  {2543, 433, 93, 64, 64, 16}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct clg_plan plan = chosen(CLGEMM_F32, shapes[i].m, shapes[i].n, shapes[i].k);
        assert_tile(i, &plan.params, shapes[i].tile_m, shapes[i].tile_n, shapes[i].tile_k);
        assert_false(plan.params.tile_m > 64 && (plan.params.split_k || plan.params.split_tail));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_are_cut_where_they_pay),
        cmocka_unit_test(slices_leave_each_unit_one_whole_tile),
        cmocka_unit_test(a_short_k_is_not_cut),
        cmocka_unit_test(long_operands_are_not_read_in_short_steps),
        cmocka_unit_test(pieces_go_beside_whole_tiles_while_they_are_few),
        cmocka_unit_test(a_tail_is_joined_where_groups_have_slices),
        cmocka_unit_test(groups_have_slices_where_there_is_one_round),
        cmocka_unit_test(tiles_fit_between_powers_of_two),
        cmocka_unit_test(single_elements_leave_room_for_fewer_groups),
        cmocka_unit_test(batches_have_tiles_for_many_rounds),
        cmocka_unit_test(a_short_k_has_short_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
