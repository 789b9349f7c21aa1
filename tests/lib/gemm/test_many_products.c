/* SPDX-License-Identifier: Apache-2.0
 * Batches of small products by the many family, on any device: presets unchanged and as the choice
 * changes them, transposes, with and without vectors, edges, partial last groups, and operands that
 * all products share. */
#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"
#include "support/rows.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static struct clg_engine *const engine = &clg_test_fixture.engine;

/* Layouts and edges, for a preset: the difference of m, n and k from its tile. */
struct form {
    int64_t less_m, less_n, more_k;
    int64_t batch; /* more than two groups of products */
    int64_t gap, between;
    size_t offset;
    bool shares_a, shares_b;
    float beta;
};

static const struct form forms[] = {
    {.batch = 0, .beta = 1.5F},               /* whole tiles and groups */
    {.batch = -1, .more_k = 7, .between = 4}, /* in vectors, several tiles along k */
    {.batch = 1, .less_m = 1, .less_n = 3, .more_k = -3, .gap = 1, .offset = 1, .beta = 1},
    {.batch = -1, .less_m = 3, .less_n = 1, .more_k = 5, .gap = 2, .between = 3, .shares_a = true},
    {.batch = 1, .less_m = 4, .less_n = 4, .shares_b = true, .offset = 2, .beta = -2},
    {.batch = -1, .less_m = 7, .less_n = 7, .more_k = -3, .shares_a = true, .shares_b = true},
};
enum { FORMS = sizeof forms / sizeof *forms, TRANSPOSES = 4 };

/* Fewer products than the preset's group has, to save the judge's time. */
static struct clg_params row_of(size_t index) {
    size_t count;
    struct clg_params row = clg_test_rows(&clg_family_many, CLG_DEVICE_GPU, &count)[index];
    while (row.products > 3)
        row.products /= 2;
    return row;
}

static void check(const struct clg_params *row, const struct form *form, int trans,
                  clgemm_type type, struct clg_test_random *random) {
    const struct clg_test_problem problem = {.type = type,
                                             .layout = CLGEMM_COL_MAJOR,
                                             .ta = trans & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                             .tb = trans & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                             .batch = 2 * row->products + 2 + form->batch,
                                             .m = row->tile_m - form->less_m,
                                             .n = row->tile_n - form->less_n,
                                             .k = row->tile_k + form->more_k,
                                             .alpha = -0.7F,
                                             .beta = form->beta,
                                             .gap_a = form->gap,
                                             .gap_b = form->gap,
                                             .gap_c = form->gap,
                                             .between = form->between,
                                             .offset_a = form->offset,
                                             .offset_b = form->offset,
                                             .offset_c = form->offset,
                                             .shares_a = form->shares_a,
                                             .shares_b = form->shares_b};
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, random);
    assert_true(clg_test_family_run(engine, cl, &clg_family_many, row, CLGEMM_MATH_STRICT, &test));
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    clg_test_case_destroy(&test);
}

/* Each preset, transpose, type and variant is a program of its own, which takes a CPU's compiler
 * some seconds. In a short run every third preset has one; in a long run each has all, with
 * alternating types. */
static void is_right_at_every_edge(void **state) {
    struct clg_test_random random = clg_test_random_start(11);
    const int turn = clg_test_is_long() ? -1 : clg_test_draw(FORMS * TRANSPOSES);
    size_t rows;
    (void)state;
    clg_test_rows(&clg_family_many, CLG_DEVICE_GPU, &rows);
    for (int r = turn >= 0 ? turn % 3 : 0; r < (int)rows; r += turn >= 0 ? 3 : 1) {
        const struct clg_params row = row_of((size_t)r);
        if (turn >= 0)
            check(&row, &forms[(r + turn) % FORMS], (r + turn / FORMS) % TRANSPOSES,
                  clg_type_real(clg_test_type(r + turn)), &random);
        else
            for (int form = 0; form < FORMS * TRANSPOSES; form++)
                check(&row, &forms[form % FORMS], form / FORMS,
                      clg_type_real(clg_test_type(r + form + form / 4)), &random);
    }
}

/* Parameters that the tuner may try, and tiles that the work-items do not share evenly. */
static void odd_parameters_are_right(void **state) {
    static const struct clg_params odd[] = {
        {.tile_m = 12, .tile_n = 24, .tile_k = 4, .wg_m = 3, .wg_n = 6, .products = 3},
        {.tile_m = 4, .tile_n = 32, .tile_k = 12, .wg_m = 1, .wg_n = 16, .products = 2},
        {.tile_m = 20,
         .tile_n = 8,
         .tile_k = 8,
         .wg_m = 4,
         .wg_n = 8,
         .products = 1,
         .pad_local = 8},
    };
    struct clg_test_random random = clg_test_random_start(12);
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int trans = i; trans < i + (clg_test_is_long() ? TRANSPOSES : 1); trans++) {
            struct clg_params row = odd[i];
            row.vec_a = 1 << trans % 3;
            row.vec_b = 4 >> trans % 3;
            struct form form = forms[(i + trans) % 3];
            form.more_k = row.tile_k == 4 ? 1 : form.more_k;
            check(&row, &form, trans, clg_type_real(clg_test_type(i)), &random);
        }
}

int main(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_right_at_every_edge),
                                       cmocka_unit_test(odd_parameters_are_right)};
    return cmocka_run_group_tests(tests, clg_test_fixture_open, clg_test_fixture_close);
}
