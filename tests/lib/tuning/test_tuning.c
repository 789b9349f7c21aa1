/* SPDX-License-Identifier: Apache-2.0
 * Tuning tables: which row a problem gets, and that a plan uses it. Without a device. Over 300
 * lines, because each rule needs the same made-up tables. */
#include <string.h>

#include "run/choose.h"
#include "support/check.h"
#include "support/rows.h"
#include "support/tuning.h"

static struct clg_facts facts;

/* A table that a test fills; the tear-down releases it. */
static int make_table(void **state) {
    facts = clg_test_cpu_facts();
    return (*state = clg_tuning_new()) ? 0 : -1;
}

static int release_table(void **state) {
    clg_tuning_release(*state);
    return 0;
}

static void add(struct clg_tuning *table, const struct clg_tuning_row *row,
                enum clg_tuning_origin origin, bool own_driver) {
    assert_true(clg_tuning_add(table, row, origin, own_driver, false));
}

/* REG_N of the row for this shape, 0 without one: it identifies the row. */
static int found_for(const struct clg_tuning *table, const struct clg_tuning_shape *shape) {
    struct clg_problem problem;
    clg_test_assert_success(clg_tuning_problem(&problem, shape));
    const struct clg_tuning_row *row = clg_tuning_find(table, &problem, &facts);
    return row ? row->params.reg_n : 0;
}

static int found(const struct clg_tuning *table, int64_t m, int64_t n, int64_t k) {
    const struct clg_tuning_shape shape = {.m = m, .n = n, .k = k, .aligned = true};
    return found_for(table, &shape);
}

/* One of CLASSES classes of rows: A and B transposed or not, aligned or not, of either type. */
enum { CLASSES = 16 };
static void set_class(struct clg_tuning_shape *shape, int class) {
    shape->ta = class & 1;
    shape->tb = class & 2;
    shape->aligned = class & 4;
    shape->type = class & 8 ? CLGEMM_F64 : CLGEMM_F32;
}

static void problem_of_a_class_is_of_it(void **state) {
    (void)state;
    for (int i = 0; i < CLASSES; i++) {
        struct clg_tuning_shape shape = {.m = 30, .n = 70, .k = 6, .batch = i % 3 ? 0 : 9};
        set_class(&shape, i);
        struct clg_problem problem;
        clg_test_assert_success(clg_tuning_problem(&problem, &shape));
        const struct clg_tuning_shape back = clg_tuning_shape_of(&problem);
        assert_true(clg_tuning_same_class(&back, &shape));
        assert_int_equal(problem.matrix[CLG_C].vector,
                         shape.aligned ? clg_type_vector(shape.type) : 1);
        assert_int_equal(problem.work, CLG_WORK_MULTIPLY);
        assert_int_equal(problem.batch, i % 3 ? 1 : 9);
    }
}

static int found_for_batch(const struct clg_tuning *table, int64_t batch) {
    const struct clg_tuning_shape shape = {
        .m = 1000, .n = 1000, .k = 1000, .aligned = true, .batch = batch};
    return found_for(table, &shape);
}

/* The number of products counts like a length; a row for one product serves no batch. */
static void batches_have_rows_of_their_own(void **state) {
    struct clg_tuning_row one = clg_test_row(1000, 7, 1), few = clg_test_row(1000, 6, 1),
                          many = clg_test_row(1400, 5, 1);
    few.shape.batch = 10;
    many.shape.batch = 100;
    add(*state, &many, CLG_TUNING_USER, true);
    assert_int_equal(found_for_batch(*state, 0), 0);
    assert_int_equal(found_for_batch(*state, 10), 0);
    assert_int_equal(found_for_batch(*state, 100), 5);
    add(*state, &one, CLG_TUNING_USER, true);
    add(*state, &few, CLG_TUNING_USER, true);
    assert_int_equal(found_for_batch(*state, 0), 7);
    assert_int_equal(found_for_batch(*state, 6), 0);
    assert_int_equal(found_for_batch(*state, 7), 6);
    assert_int_equal(found_for_batch(*state, 15), 6);
    assert_int_equal(found_for_batch(*state, 16), 0);
    assert_int_equal(found_for_batch(*state, 67), 5); /* though 1400 is further than 1000 */
    assert_int_equal(found_for_batch(*state, 150), 5);
    assert_int_equal(found_for_batch(*state, 151), 0);
}

static void reach_is_a_factor_along_each_side(void **state) {
    const struct clg_tuning_row row = clg_test_row(1000, 7, 1);
    add(*state, &row, CLG_TUNING_USER, true);
    assert_int_equal(found(*state, 1000, 1000, 1000), 7);
    assert_int_equal(found(*state, 1500, 1500, 1500), 7);
    assert_int_equal(found(*state, 1500, 667, 1000), 7);
    assert_int_equal(found(*state, 667, 667, 667), 7);
    assert_int_equal(found(*state, 1501, 1000, 1000), 0);
    assert_int_equal(found(*state, 1000, 1501, 1000), 0);
    assert_int_equal(found(*state, 1000, 1000, 1501), 0);
    assert_int_equal(found(*state, 1000, 1000, 666), 0);
    assert_int_equal(found(NULL, 1000, 1000, 1000), 0);
}

/* The row's shape has 16 x 1 tiles of 64 x 64; others may have 15 to 17 of them, in any
 * arrangement. */
static void tiles_must_be_about_as_many(void **state) {
    struct clg_tuning_row row = clg_test_row(1000, 7, 1);
    row.shape.n = 40;
    row.family = &clg_family_tiled;
    row.params = (struct clg_params){.tile_m = 64,
                                     .tile_n = 64,
                                     .tile_k = 16,
                                     .wg_m = 8,
                                     .wg_n = 8,
                                     .vec_a = 4,
                                     .vec_b = 4,
                                     .stages = 1,
                                     .band_m = 1,
                                     .reg_n = 7};
    add(*state, &row, CLG_TUNING_USER, true);
    assert_int_equal(found(*state, 1000, 40, 1000), 7);
    assert_int_equal(found(*state, 1024, 60, 700), 7);
    assert_int_equal(found(*state, 1025, 30, 1000), 7); /* 17 */
    assert_int_equal(found(*state, 1088, 30, 1000), 7);
    assert_int_equal(found(*state, 1089, 40, 1000), 0); /* 18 */
    assert_int_equal(found(*state, 897, 40, 1000), 7);  /* 15 */
    assert_int_equal(found(*state, 896, 40, 1000), 0);
    assert_int_equal(found(*state, 1000, 60, 1000), 7);
    assert_int_equal(found(*state, 700, 60, 1000), 0); /* within a factor of 1.5, but 11 */
}

static int found_for_small(const struct clg_tuning *table, int64_t m, int64_t n) {
    const struct clg_tuning_shape shape = {
        .m = m, .n = n, .k = 24, .aligned = true, .batch = 10000};
    return found_for(table, &shape);
}

/* Products of 24 x 24 use three quarters of a tile of 32 x 24. */
static void small_products_must_use_as_much_of_a_tile(void **state) {
    struct clg_tuning_row row = clg_test_row(24, 7, 1);
    row.shape.batch = 10000;
    row.family = &clg_family_many;
    row.params = (struct clg_params){.tile_m = 32,
                                     .tile_n = 24,
                                     .tile_k = 8,
                                     .wg_m = 8,
                                     .wg_n = 4,
                                     .products = 4,
                                     .vec_a = 4,
                                     .vec_b = 4,
                                     .reg_n = 7};
    add(*state, &row, CLG_TUNING_USER, true);
    assert_int_equal(found_for_small(*state, 24, 24), 7);
    assert_int_equal(found_for_small(*state, 32, 24), 7);
    assert_int_equal(found_for_small(*state, 32, 17), 7);
    assert_int_equal(found_for_small(*state, 32, 16), 0);
    assert_int_equal(found_for_small(*state, 16, 16), 0);
    assert_int_equal(found_for_small(*state, 33, 24), 0); /* larger than the tile */
    assert_int_equal(found_for_small(*state, 24, 25), 0);
}

/* REG_N of each class's row; the row of a class differs from all others in one property. */
static int reg_n_of(int class) {
    return class < CLASSES / 2 ? class + 1 : CLASSES - class;
}

static void class_must_be_the_same(void **state) {
    struct clg_tuning_row row = clg_test_row(1000, 7, 1);
    row.params.vec = 8; /* of either type */
    for (int i = 0; i < CLASSES; i++) {
        set_class(&row.shape, i);
        row.params.reg_n = row.params.tile_n = reg_n_of(i);
        assert_int_equal(found_for(*state, &row.shape), 0);
        add(*state, &row, CLG_TUNING_USER, true);
    }
    for (int i = 0; i < CLASSES; i++) {
        set_class(&row.shape, i);
        assert_int_equal(found_for(*state, &row.shape), reg_n_of(i));
    }
}

/* Distances are logarithmic. At equal distance the faster row is chosen, then the first. */
static void nearest_then_fastest_then_first(void **state) {
    const int64_t sizes[] = {800, 1000, 1250};
    for (int i = 0; i < 3; i++) {
        const struct clg_tuning_row row = clg_test_row(sizes[i], i + 1, 9 - i);
        add(*state, &row, CLG_TUNING_USER, true);
    }
    assert_int_equal(found(*state, 1000, 1000, 1000), 2);
    assert_int_equal(found(*state, 894, 894, 894), 1); /* 894.4 is halfway */
    assert_int_equal(found(*state, 895, 895, 895), 2);
    assert_int_equal(found(*state, 1250, 1250, 1000), 3);
    struct clg_tuning_row left = clg_test_row(4000, 4, 2), right = clg_test_row(4000, 5, 1);
    left.shape.m = 2000;
    right.shape.n = 2000;
    const int64_t mean = 2828; /* as far from one as from the other */
    add(*state, &left, CLG_TUNING_USER, true);
    add(*state, &right, CLG_TUNING_USER, true);
    assert_int_equal(found(*state, mean, mean, 4000), 5);
    struct clg_tuning_row third = clg_test_row(4000, 6, 1);
    third.shape.m = 4000;
    third.shape.n = 2000;
    third.shape.tb = false;
    add(*state, &third, CLG_TUNING_SYSTEM, true); /* no nearer, and of a later origin */
    assert_int_equal(found(*state, mean, mean, 4000), 5);
}

/* Origin precedes distance; the driver's version precedes origin. */
static void ranks(void **state) {
    struct clg_tuning_row row = clg_test_row(1000, 1, 1);
    add(*state, &row, CLG_TUNING_USER, false);
    assert_int_equal(found(*state, 1000, 1000, 1000), 1);
    for (int origin = CLG_TUNING_BUILT_IN; origin >= CLG_TUNING_IMPORTED; origin--) {
        row = clg_test_row(1100 + 10 * (CLG_TUNING_BUILT_IN - origin), 2 + origin, 5 + origin);
        add(*state, &row, (enum clg_tuning_origin)origin, true);
        assert_int_equal(found(*state, 1000, 1000, 1000), 2 + origin);
        enum clg_tuning_origin first;
        bool own;
        assert_ptr_not_equal(clg_tuning_at(*state, 0, &first, &own), NULL);
        assert_int_equal(first, origin < CLG_TUNING_USER ? origin : CLG_TUNING_USER);
    }
    assert_int_equal(clg_tuning_count(*state), 6);
    assert_int_equal(clg_tuning_source(*state, CLG_TUNING_USER)->rows, 1);
    assert_int_equal(clg_tuning_source(*state, CLG_TUNING_USER)->other_rows, 1);
}

/* A later day wins, on the same day the faster row. Of two rows in the table only one is kept. */
static void rows_of_one_class_supersede(void **state) {
    struct clg_tuning_row row = clg_test_row(1000, 1, 5);
    add(*state, &row, CLG_TUNING_USER, true);
    row.params.reg_n = row.params.tile_n = 2;
    row.ms = 6;
    add(*state, &row, CLG_TUNING_USER, true);
    assert_int_equal(found(*state, 1000, 1000, 1000), 1);
    strcpy(row.date, "2026-01-02");
    add(*state, &row, CLG_TUNING_USER, true);
    assert_int_equal(found(*state, 1000, 1000, 1000), 2);
    row.params.reg_n = row.params.tile_n = 3;
    row.ms = 1;
    strcpy(row.date, "2026-01-01");
    add(*state, &row, CLG_TUNING_USER, true);
    assert_int_equal(found(*state, 1000, 1000, 1000), 2);
    strcpy(row.date, "2026-01-02");
    add(*state, &row, CLG_TUNING_USER, true);
    assert_int_equal(found(*state, 1000, 1000, 1000), 3);
    assert_int_equal(clg_tuning_count(*state), 1);
    clg_tuning_stamp(row.date, row.version);
    assert_true(strcmp(row.date, "2026-01-02") > 0);
    assert_string_equal(row.version, clgemm_version());
}

/* If the device cannot run a row for this problem, the next one is used. */
static void refused_rows_are_passed_over(void **state) {
    struct clg_tuning_row near = clg_test_row(1000, 1, 1), far = clg_test_row(1200, 2, 1);
    near.params.pack_b = 1;
    add(*state, &near, CLG_TUNING_USER, true);
    add(*state, &far, CLG_TUNING_BUILT_IN, true);
    assert_int_equal(found(*state, 1000, 1000, 1000), 1);
    facts.workspace_max = 1000 * 1000 * sizeof(float);
    assert_int_equal(found(*state, 1000, 1000, 1000), 2);
    assert_null(clg_tuning_unsupported_reason(&near, &facts)); /* it is a bound on calls */
    facts.max_allocation = 1000;
    assert_int_equal(found(*state, 1000, 1000, 1000), 0);
    assert_non_null(clg_tuning_unsupported_reason(&near, &facts));
}

/* No numbers that a file may hold break a family's predicate, or pass it and give a plan whose
 * options would not fit. */
static void hostile_parameters_are_refused(void **state) {
    static const int values[] = {0, 1, 3, 4096, 4097, 1 << 28};
    const size_t count = sizeof values / sizeof *values;
    struct clg_plan plan;
    (void)state;
    for (size_t f = 0; clg_families[f]; f++)
        for (size_t t = 0; t < CLG_TUNABLE_COUNT; t++)
            for (size_t u = 0; u < CLG_TUNABLE_COUNT; u++)
                for (size_t v = 0; v < count * count; v++) {
                    struct clg_tuning_row row = clg_test_row(64, 4, 1);
                    size_t rows;
                    row.family = clg_families[f];
                    row.params = clg_test_rows(clg_families[f], facts.kind, &rows)[0];
                    clg_params_set(&row.params, &clg_tunables[t], values[v % count]);
                    clg_params_set(&row.params, &clg_tunables[u], values[v / count]);
                    struct clg_problem problem;
                    clg_test_assert_success(clg_tuning_problem(&problem, &row.shape));
                    if (!clg_tuning_unsupported_reason(&row, &facts))
                        clg_plan_with(&plan, row.family, &row.params, &problem, &facts);
                    for (size_t i = 0; i < CLG_TUNABLE_COUNT; i++)
                        clg_params_set(&row.params, &clg_tunables[i], values[v / count]);
                    if (values[v / count] == 0 || values[v / count] >= 4096)
                        assert_non_null(clg_tuning_unsupported_reason(&row, &facts));
                }
    struct clg_params params = {.tile_m = -1};
    assert_string_equal(clg_params_unsupported_reason(&params), "a value is negative");
    params = (struct clg_params){.wg_m = 4097};
    assert_string_equal(clg_params_unsupported_reason(&params), "a value is too large");
}

static void plans_ask_the_table_first(void **state) {
    const struct clg_tuning_row row = clg_test_row(1000, 7, 1);
    struct clg_problem problem;
    struct clg_plan plan, model;
    clg_test_assert_success(clg_tuning_problem(&problem, &row.shape));
    clg_test_assert_success(clg_choose_plan(&model, &problem, &facts, *state));
    assert_string_equal(model.why, "panels");
    assert_int_not_equal(model.params.reg_n, 7);
    add(*state, &row, CLG_TUNING_USER, true);
    clg_test_assert_success(clg_choose_plan(&plan, &problem, &facts, *state));
    assert_string_equal(plan.why, "tuned");
    assert_ptr_equal(plan.family, row.family);
    assert_true(clg_params_equal(&plan.params, &row.params));
    clg_test_assert_success(clg_choose_plan(&plan, &problem, &facts, NULL));
    assert_true(clg_params_equal(&plan.params, &model.params));
    problem.work = CLG_WORK_SCALE; /* there is nothing to tune */
    clg_test_assert_success(clg_choose_plan(&plan, &problem, &facts, *state));
    assert_string_equal(plan.why, "no-product");
}

/* A copy does not change its base. What is added comes first and replaces what was added before. */
static void tables_are_copied(void **state) {
    struct clg_tuning_row row = clg_test_row(1000, 1, 1);
    add(*state, &row, CLG_TUNING_GIVEN, true);
    row = clg_test_row(1000, 2, 9);
    struct clg_tuning *first = clg_test_tuning_with(*state, &row, 1);
    row = clg_test_row(1000, 3, 99);
    struct clg_tuning *second = clg_test_tuning_with(first, &row, 1);
    assert_int_equal(found(*state, 1000, 1000, 1000), 1);
    assert_int_equal(found(first, 1000, 1000, 1000), 2);
    assert_int_equal(found(second, 1000, 1000, 1000), 3);
    assert_int_equal(clg_tuning_count(second), 2);
    clg_tuning_release(first);
    assert_ptr_equal(clg_tuning_retain(second), second);
    clg_tuning_release(second);
    assert_int_equal(found(second, 1000, 1000, 1000), 3);
    clg_tuning_release(second);
}

static void tunables_are_got_and_set(void **state) {
    struct clg_params params = {.split_k = 5};
    (void)state;
    assert_int_equal(clg_params_get(&params, &clg_tunables[CLG_TUNABLE_SPLIT_K]), 5);
    clg_params_set(&params, &clg_tunables[CLG_TUNABLE_TILE_M], 9);
    assert_int_equal(params.tile_m, 9);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_table, release_table)

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(problem_of_a_class_is_of_it),
        TEST(batches_have_rows_of_their_own),
        TEST(reach_is_a_factor_along_each_side),
        TEST(tiles_must_be_about_as_many),
        TEST(small_products_must_use_as_much_of_a_tile),
        TEST(class_must_be_the_same),
        TEST(nearest_then_fastest_then_first),
        TEST(ranks),
        TEST(rows_of_one_class_supersede),
        TEST(refused_rows_are_passed_over),
        TEST(hostile_parameters_are_refused),
        TEST(plans_ask_the_table_first),
        TEST(tables_are_copied),
        TEST(tunables_are_got_and_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
