/* SPDX-License-Identifier: Apache-2.0
 * The multistage family without a device: where it is used, what it refuses, and how it reads. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "gemm/multistage/multistage.h"
#include "gemm/tiled/model.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"

enum { ALIGNED = 512 };

static struct clg_problem problem_of(clgemm_type type, bool ta, bool tb, int64_t m, int64_t n,
                                     int64_t k) {
    const struct clg_test_form form = {
        .m = m, .n = n, .k = k, .alignment = ALIGNED, .ta = ta, .tb = tb};
    return clg_test_form_problem(&form, type);
}

static const struct clg_family *family_for(const struct clg_problem *problem,
                                           const struct clg_facts *facts) {
    return clg_test_plan(problem, facts).family;
}

static const struct clg_params *row_of(clgemm_type type, size_t index) {
    size_t count;
    const struct clg_params *rows = clg_multistage_rows(CLG_DEVICE_GPU, &count);
    const struct clg_problem problem = problem_of(type, false, false, 1024, 1024, 1024);
    for (size_t i = 0; i < count; i++)
        if (!clg_family_unsupported_reason(&clg_family_multistage, &problem, &clg_test_hopper,
                                           &rows[i]) &&
            rows[i].vec_a == (type == CLGEMM_F64 ? 2 : 4) && index-- == 0)
            return &rows[i];
    fail_msg("there is no such row");
    return NULL;
}

static void for_doubles_and_for_floats_that_are_large_or_read_singly(void **state) {
    const struct clg_family *const here = &clg_family_multistage;
    (void)state;
    for (int trans = 0; trans < 4; trans++) {
        const bool ta = trans & 1, tb = trans & 2;
        const struct clg_problem doubles = problem_of(CLGEMM_F64, ta, tb, 2048, 2048, 2048);
        const struct clg_problem odd = problem_of(CLGEMM_F32, ta, tb, 2047, 2047, 2047);
        const struct clg_problem large = problem_of(CLGEMM_F32, ta, tb, 2048, 2048, 2048);
        const struct clg_problem even = problem_of(CLGEMM_F32, ta, tb, 1024, 1024, 1024);
        const struct clg_problem halves = problem_of(CLGEMM_F16, ta, tb, 2047, 2047, 2047);
        assert_ptr_equal(family_for(&doubles, &clg_test_hopper), here);
        assert_ptr_equal(family_for(&odd, &clg_test_hopper), here);
        assert_ptr_equal(family_for(&large, &clg_test_hopper), here);
        assert_ptr_equal(family_for(&even, &clg_test_hopper), &clg_family_tiled);
        assert_ptr_equal(family_for(&halves, &clg_test_hopper), &clg_family_tiled);
    }
}

static void only_where_the_device_has_what_it_takes(void **state) {
    static const struct {
        unsigned capability;
        bool doubles;
    } devices[] = {{80, true}, {86, false}, {89, false}, {90, true}, {100, false}, {120, false}};
    const struct clg_problem doubles = problem_of(CLGEMM_F64, false, false, 2048, 2048, 2048);
    const struct clg_problem odd = problem_of(CLGEMM_F32, false, false, 2047, 2047, 2047);
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
        *clg_family_multistage.premise(&facts) = false;
        assert_ptr_equal(family_for(&odd, &facts), &clg_family_tiled);
    }
    assert_ptr_equal(family_for(&odd, &clg_test_cpu), &clg_family_panel);
}

/* Rings are deeper than what CL_DEVICE_LOCAL_MEM_SIZE says, and still bounded by the device. */
static void a_ring_fits_the_device(void **state) {
    const struct clg_problem problem = problem_of(CLGEMM_F32, false, false, 2047, 2047, 2047);
    struct clg_facts facts = clg_test_hopper;
    struct clg_params row = *row_of(CLGEMM_F32, 0);
    (void)state;
    row.stages = 8;
    assert_null(clg_multistage_unsupported_reason(&problem, &facts, &row));
    facts.capability = 86;
    assert_string_equal(clg_multistage_unsupported_reason(&problem, &facts, &row),
                        "the ring does not fit local memory");
    row.stages = 1;
    assert_string_equal(clg_multistage_unsupported_reason(&problem, &facts, &row),
                        "a ring has two stages at least");
}

/* Vectors follow the first, shallow tile, so along k they have to divide k; floats that run along k
 * are transposed one by one. */
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
        const struct clg_problem problem =
            problem_of(cases[i].type, cases[i].ta, false, cases[i].m, 2048, cases[i].k);
        const struct clg_reading read =
            clg_multistage_read(&problem, CLG_A, row_of(cases[i].type, 0));
        assert_int_equal(read.vec, cases[i].vec);
        assert_int_equal(read.along_k, cases[i].ta);
    }
}

static int option(const struct clg_plan *plan, const char *name) {
    const char *at = strstr(plan->steps[0].options, name);
    assert_non_null(at);
    return (int)strtol(at + strlen(name), NULL, 10);
}

/* The last tile reads what may be read: along m or n whole vectors, and of rows or columns that run
 * along k none past the matrix. */
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
        const struct clg_params *row = row_of(type, 0);
        const struct clg_problem problem =
            problem_of(type, form & 1, form & 2, sizes[form / 4 % SIZES],
                       sizes[form / 4 / SIZES % SIZES], sizes[form / 4 / SIZES / SIZES % SIZES]);
        const struct clg_reading a = clg_multistage_read(&problem, CLG_A, row);
        const struct clg_reading b = clg_multistage_read(&problem, CLG_B, row);
        struct clg_plan plan;
        clg_plan_with(&plan, &clg_family_multistage, row, &problem, &clg_test_hopper);
        assert_ends_inside(&a, &problem.matrix[CLG_A], option(&plan, "-DGRAIN_M="), row->tile_m);
        assert_ends_inside(&b, &problem.matrix[CLG_B], option(&plan, "-DGRAIN_N="), row->tile_n);
    }
}

/* A plan is tiled's: one launch, or slices and what adds them up; never a packing. */
static void shares_work_out_as_tiled_does(void **state) {
    const struct clg_problem deep = problem_of(CLGEMM_F64, false, false, 64, 64, 65536);
    const struct clg_problem large = problem_of(CLGEMM_F32, true, true, 4097, 4095, 4099);
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

/* Slices that one group can add up soon are joined by the group that ends last; those of a batch,
 * and larger ones, by a step of their own. */
static void few_slices_need_no_step(void **state) {
    struct clg_problem problem = problem_of(CLGEMM_F32, false, false, 85, 99, 801);
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
    struct clg_params few = params; /* a work-item has no whole vectors of sums */
    few.wg_m = few.tile_m;
    few.wg_n = few.tile_n / 2;
    assert_false(clg_tiled_joins(&problem, &cut, &few, bytes));
    problem.batch = 2;
    assert_false(clg_tiled_joins(&problem, &cut, &params, bytes));
    clg_plan_with(&plan, &clg_family_multistage, &params, &problem, &clg_test_hopper);
    assert_int_equal(plan.num_steps, 2);
    assert_int_equal(plan.counters, -1);
}

/* Whether a few tiles behind whole ones are cut, as was measured to be quickest (docs/kernels.md),
 * or not, where that was slower though units have places left. */
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
        const struct clg_problem problem =
            problem_of(shapes[i].type, false, false, shapes[i].m, shapes[i].n, shapes[i].k);
        const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
        assert_ptr_equal(plan.family, &clg_family_multistage);
        if ((plan.params.split_tail > 1) != shapes[i].cut)
            fail_msg("%ld x %ld x %ld has a tail of %d slices", (long)problem.m, (long)problem.n,
                     (long)problem.k, plan.params.split_tail);
    }
}

/* Where a whole tile and less than one piece for each unit are under way, a piece is all that the
 * unit takes longer; with one for each, some units get two whole tiles. */
static void pieces_go_beside_whole_tiles_while_they_are_few(void **state) {
    const struct clg_params row = CLG_TILED_PARAMS(64, 64, 16, 8, 8, 1, 8, 4, 4, 4, 3);
    const struct clg_tiled_cost cost = {5, 3, 4, {400, 500, 1000}, 0, 4, CLG_FOR_ANY};
    const struct clg_tiled_table table = {
        .rows = &row, .costs = &cost, .count = 1, .slower = 1, .joined = INT64_MAX};
    const int64_t units = clg_test_hopper.compute_units;
    double us[2];
    (void)state;
    for (int full = 0; full < 2; full++) {
        const struct clg_problem problem =
            problem_of(CLGEMM_F32, false, false, 64, (units + units / 4 - 1 + full) * 64, 1600);
        struct clg_params params = row;
        params.split_tail = 4;
        const struct clg_cut cut = clg_tiled_cut(&problem, &clg_test_hopper, &params);
        assert_int_equal(cut.whole, units);
        us[full] = clg_tiled_time(&table, &problem, &clg_test_hopper, 0, &cut, 0);
    }
    /* 100 steps of 0.4 us and 25 of 0.1 more; of 0.5, a twelfth of them of 0.5 more, and adding up.
     */
    assert_float_equal(us[1] - us[0], 54.2 - 42.5 + 1.8, 1.5);
}

/* Without it two groups fit a unit, and two whole tiles are on one. */
static void a_tail_is_joined_where_groups_have_slices(void **state) {
    static const int64_t shapes[][3] = {{2765, 443, 2119}, {1811, 669, 2005}, {953, 615, 885}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct clg_problem problem =
            problem_of(CLGEMM_F32, false, false, shapes[i][0], shapes[i][1], shapes[i][2]);
        struct clg_params ranked[64];
        const int count = clg_multistage_rank(&problem, &clg_test_hopper, ranked, 64);
        int tails = 0;
        for (int r = 0; r < count; r++) {
            const struct clg_cut cut = clg_tiled_cut(&problem, &clg_test_hopper, &ranked[r]);
            if (ranked[r].wg_k < 2 || ranked[r].split_tail < 2)
                continue;
            assert_true(clg_tiled_joins(&problem, &cut, &ranked[r], CLG_MULTISTAGE_JOINED));
            tails++;
        }
        assert_true(tails > 0);
    }
}

/* Where about one round of groups is enough for C; of tiles that `tiled` has, where a vector reads
 * no column, which is what they were measured for; and only of floats. */
static void groups_have_slices_where_there_is_one_round(void **state) {
    const struct clg_problem odd = problem_of(CLGEMM_F32, false, false, 1025, 1023, 1027);
    const struct clg_problem large = problem_of(CLGEMM_F32, false, false, 4095, 4097, 4099);
    const struct clg_problem even = problem_of(CLGEMM_F32, false, false, 5124, 700, 2048);
    const struct clg_problem short_k = problem_of(CLGEMM_F32, false, false, 1476, 2764, 476);
    const struct clg_problem turned = problem_of(CLGEMM_F32, true, false, 1476, 2764, 476);
    const struct clg_problem doubles = problem_of(CLGEMM_F64, false, false, 1025, 1023, 1027);
    struct clg_plan plan = clg_test_plan(&odd, &clg_test_hopper);
    (void)state;
    assert_ptr_equal(plan.family, &clg_family_multistage);
    assert_true(plan.params.wg_k > 1);
    assert_int_equal(plan.steps[0].group_size,
                     plan.params.wg_m * plan.params.wg_n * plan.params.wg_k);
    struct clg_params row = plan.params;
    assert_string_equal(clg_multistage_unsupported_reason(&doubles, &clg_test_hopper, &row),
                        "WG_K is no power of two, or the elements are doubles");
    row.wg_k = 3;
    row.tile_k = 48;
    assert_string_equal(clg_multistage_unsupported_reason(&odd, &clg_test_hopper, &row),
                        "WG_K is no power of two, or the elements are doubles");
    row.wg_k = 16; /* their sums need more room than the tiles leave */
    row.tile_k = 128;
    row.stages = 2;
    assert_string_equal(clg_multistage_unsupported_reason(&odd, &clg_test_hopper, &row),
                        "the larger ring is too small for exchanging C's elements");
    plan = clg_test_plan(&large, &clg_test_hopper);
    assert_int_equal(plan.params.wg_k, 0);
    plan = clg_test_plan(&even, &clg_test_hopper);
    assert_ptr_equal(plan.family, &clg_family_multistage);
    assert_int_equal(plan.params.wg_k, 0);
    /* A that runs along k comes in single elements, for all its vectors, and `tiled` has these */
    plan = clg_test_plan(&short_k, &clg_test_hopper);
    assert_ptr_equal(plan.family, &clg_family_multistage);
    plan = clg_test_plan(&turned, &clg_test_hopper);
    assert_ptr_equal(plan.family, &clg_family_tiled);
}

/* What is little more than a multiple of 32 or 64 has a tile that it fills, as was measured to be
 * quickest (docs/kernels.md). */
static void tiles_fit_between_powers_of_two(void **state) {
    static const struct {
        int64_t m, n, k;
        int tile_m, tile_n;
    } shapes[] = {{95, 911, 7647, 96, 48},    {76, 4826, 4530, 96, 48},  {42, 4692, 2942, 48, 96},
                  {2563, 79, 1835, 64, 80},   {7326, 152, 3332, 64, 80}, {424, 258, 2642, 64, 96},
                  {179, 1519, 7037, 64, 112}, {447, 3985, 493, 64, 112}, {27, 1779, 6699, 32, 112}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct clg_problem problem =
            problem_of(CLGEMM_F32, false, false, shapes[i].m, shapes[i].n, shapes[i].k);
        const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
        assert_ptr_equal(plan.family, &clg_family_multistage);
        if (plan.params.tile_m != shapes[i].tile_m || plan.params.tile_n != shapes[i].tile_n)
            fail_msg("case %zu: %d x %d", i, plan.params.tile_m, plan.params.tile_n);
    }
}

/* Where single elements leave registers for two groups of three, what is one round of the units
 * with vectors is two, and the same where the row says so of neither. */
static void single_elements_leave_room_for_fewer_groups(void **state) {
    const struct clg_params row = CLG_TILED_PARAMS(64, 64, 16, 8, 8, 2, 8, 4, 4, 4, 3);
    const struct clg_tiled_cost costs[] = {{5, 3, 3, {400, 700, 1000}, 0, 2, CLG_FOR_ANY},
                                           {5, 3, 3, {400, 700, 1000}, 0, 3, CLG_FOR_ANY},
                                           {5, 3, 3, {400, 700, 1000}, 0.1F, 3, CLG_FOR_ANY}};
    const int64_t units = clg_test_hopper.compute_units;
    const struct clg_problem problem =
        problem_of(CLGEMM_F32, false, false, 3 * 64, units * 64, 1600);
    const struct clg_cut cut = clg_tiled_cut(&problem, &clg_test_hopper, &row);
    (void)state;
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        const struct clg_tiled_table table = {
            .rows = &row, .costs = &costs[i], .count = 1, .slower = 1};
        const double vectors = clg_tiled_time(&table, &problem, &clg_test_hopper, 0, &cut, 0);
        const double singles = clg_tiled_time(&table, &problem, &clg_test_hopper, 0, &cut, 1);
        assert_float_equal(vectors, 5 + 100, 5); /* microseconds: the steps, and some memory */
        assert_float_equal(singles, i == 0 ? 5 + 3 + 2 * 70 : i == 1 ? vectors : 5 + 110, 5);
    }
}

/* Tiles that were measured to be the quickest of a batch of many rounds (docs/kernels.md), where a
 * product alone, whose tiles are few, has others. */
static void batches_have_tiles_for_many_rounds(void **state) {
    static const struct {
        clgemm_type type;
        int64_t size, products;
        int tile_m, tile_n, tile_k;
    } batches[] = {{CLGEMM_F32, 100, 4000, 128, 64, 16}, {CLGEMM_F32, 128, 2000, 128, 64, 16},
                   {CLGEMM_F32, 200, 500, 128, 64, 16},  {CLGEMM_F64, 32, 20000, 32, 32, 16},
                   {CLGEMM_F64, 48, 10000, 48, 48, 8},   {CLGEMM_F64, 64, 10000, 64, 64, 8},
                   {CLGEMM_F64, 96, 4000, 48, 48, 8},    {CLGEMM_F64, 100, 4000, 112, 56, 8},
                   {CLGEMM_F64, 128, 2000, 128, 64, 8},  {CLGEMM_F64, 160, 1000, 64, 64, 8},
                   {CLGEMM_F64, 200, 500, 112, 56, 8},   {CLGEMM_F64, 256, 500, 128, 64, 8}};
    (void)state;
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        const int64_t size = batches[i].size;
        const struct clg_test_form form = {
            .m = size, .n = size, .k = size, .batch = batches[i].products, .alignment = ALIGNED};
        const struct clg_problem batch = clg_test_form_problem(&form, batches[i].type);
        const struct clg_problem one = problem_of(batches[i].type, false, false, size, size, size);
        const struct clg_plan plan = clg_test_plan(&batch, &clg_test_hopper);
        assert_int_not_equal(clg_test_plan(&one, &clg_test_hopper).params.tile_k, 8);
        assert_ptr_equal(plan.family, &clg_family_multistage);
        if (plan.params.tile_m != batches[i].tile_m || plan.params.tile_n != batches[i].tile_n ||
            plan.params.tile_k != batches[i].tile_k)
            fail_msg("case %zu: %d x %d x %d", i, plan.params.tile_m, plan.params.tile_n,
                     plan.params.tile_k);
    }
}

/* Where k is short, floats' tiles of 8 steps were measured to be quicker; single elements do
 * without the widest, and a tail that is cut without either of the wide ones. */
static void a_short_k_has_short_steps(void **state) {
    static const struct {
        int64_t m, n, k;
        int tile_m, tile_n, tile_k;
    } shapes[] = {{2887, 1387, 55, 128, 32, 8}, {1398, 704, 144, 128, 64, 16},
                  {4096, 4096, 64, 128, 64, 8}, {1606, 4890, 178, 128, 64, 8},
                  {853, 579, 225, 64, 32, 8},   {2330, 3394, 301, 128, 64, 16},
                  {2543, 433, 93, 64, 64, 16}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct clg_problem problem =
            problem_of(CLGEMM_F32, false, false, shapes[i].m, shapes[i].n, shapes[i].k);
        const struct clg_plan plan = clg_test_plan(&problem, &clg_test_hopper);
        assert_ptr_equal(plan.family, &clg_family_multistage);
        if (plan.params.tile_m != shapes[i].tile_m || plan.params.tile_n != shapes[i].tile_n ||
            plan.params.tile_k != shapes[i].tile_k ||
            (plan.params.tile_m > 64 && (plan.params.split_k || plan.params.split_tail)))
            fail_msg("case %zu: %d x %d x %d", i, plan.params.tile_m, plan.params.tile_n,
                     plan.params.tile_k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(for_doubles_and_for_floats_that_are_large_or_read_singly),
        cmocka_unit_test(only_where_the_device_has_what_it_takes),
        cmocka_unit_test(a_ring_fits_the_device),
        cmocka_unit_test(vectors_are_as_wide_as_the_copies_allow),
        cmocka_unit_test(no_tile_reads_past_its_matrix),
        cmocka_unit_test(shares_work_out_as_tiled_does),
        cmocka_unit_test(few_slices_need_no_step),
        cmocka_unit_test(tails_are_cut_where_they_pay),
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
