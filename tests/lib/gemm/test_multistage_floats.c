/* SPDX-License-Identifier: Apache-2.0
 * The multistage family's floats on any device, real and complex. Without asynchronous copies its
 * kernel makes plain ones, so all else is tested: tiles, edges, the ring, slices and the tail. */
#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"
#include "support/multistage.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static struct clg_engine *const engine = &clg_test_fixture.engine;

enum { ROWS = CLG_TEST_MULTISTAGE_ROWS, TRANSPOSES = 4 };

/* m, n, k: whole tiles, one row or column more, less than one tile, and many tiles with many
 * steps. */
static const int shapes[][3] = {{64, 32, 16}, {65, 33, 17},  {1, 1, 1},
                                {31, 47, 40}, {130, 70, 70}, {131, 83, 250}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* In PoCL 3.1 all work-items take the branch of the first one if the branch is between conditional
 * barriers. So a group with a work-item that adds for the others only gets tiles that are not
 * split, or those of a batch, whose slices a separate step adds. */
static int64_t batch_for(const struct clg_params *params, int64_t batch) {
    const bool misled = engine->device->facts.kind == CLG_DEVICE_CPU && params->wg_k > 1;
    return misled && batch < 2 ? 2 : batch;
}

static bool run(const struct clg_params *params, const struct clg_test_problem *problem,
                enum clg_form form, struct clg_test_random *random) {
    struct clg_test_case test;
    struct clg_problem given;
    struct clg_plan plan;
    clg_test_case_create(&test, problem, random);
    const struct clg_call call = clg_test_case_call(&test);
    clg_test_assert_success(clg_problem_init(&given, &call));
    const bool ran =
        clg_test_family_run(engine, cl, &clg_family_multistage, params, CLGEMM_MATH_STRICT, &test);
    if (ran) {
        clg_test_assert_no_fault(clg_test_case_fault(&test));
        clg_plan_with(&plan, &clg_family_multistage, params, &given, &engine->device->facts);
        assert_int_equal(plan.problem.form, form);
    }
    clg_test_case_destroy(&test);
    return ran;
}

static bool check(int row, int cut, const int shape[3], int trans, int64_t gap, int64_t batch,
                  struct clg_test_random *random) {
    const struct clg_params params = clg_test_multistage_row(row, cut);
    const struct clg_test_problem problem = {.layout = CLGEMM_COL_MAJOR,
                                             .ta = trans & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                             .tb = trans & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                             .batch = batch_for(&params, batch),
                                             .m = shape[0],
                                             .n = shape[1],
                                             .k = shape[2],
                                             .alpha = -0.7F,
                                             .beta = gap % 2 ? 0.0F : 1.0F,
                                             .gap_a = gap,
                                             .gap_b = gap,
                                             .gap_c = gap};
    return run(&params, &problem, CLG_FORM_OPEN, random);
}

/* Each transpose, and each vector width of C, is a program of its own, which takes a CPU's compiler
 * seconds. A short run has one preset and transpose, drawn, and columns of C not aligned for
 * vectors. */
static void is_right_at_every_edge(void **state) {
    struct clg_test_random random = clg_test_random_start(7);
    const bool all = clg_test_is_long();
    const int only = all ? 0 : clg_test_draw(ROWS * TRANSPOSES);
    int ran = 0;
    (void)state;
    for (int form = all ? 0 : only; form < (all ? ROWS * TRANSPOSES : only + 1); form++)
        for (int s = 0; s < SHAPES; s++) {
            const int row = form % ROWS, trans = form / ROWS;
            ran += check(row, s % 3, shapes[s], trans, 1, 1, &random);
            if (s == 1) /* a separate step adds a batch's slices */
                ran += check(row, s, shapes[s], trans, 1, 2, &random);
            if (!all)
                continue;
            ran += check(row, 0, shapes[s], trans, s % 2 ? 3 : 0, 1, &random);
            ran += check(row, s % 2, shapes[s], trans, 2, 3, &random);
        }
    assert_true(ran > 0);
}

/* Complex products, whose A the kernel expands: each of its transposes, read in single numbers and
 * in pairs, with a beta that is not real. A batch has two matrices A. */
static void complex_is_right(void **state) {
    static const clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
    enum { FORMS = ROWS * 3 * 2 };
    struct clg_test_random random = clg_test_random_start(8);
    const bool all = clg_test_is_long();
    const int only = all ? 0 : clg_test_draw(FORMS);
    (void)state;
    for (int form = only; form < (all ? FORMS : only + 1); form++)
        for (int s = 0; s < SHAPES; s++) {
            struct clg_params params = clg_test_multistage_row(form % ROWS, 0);
            const int64_t batch = batch_for(&params, 1 + s / 3);
            const struct clg_test_problem problem = {.layout = CLGEMM_COL_MAJOR,
                                                     .type = CLGEMM_CF32,
                                                     .ta = transposes[form / ROWS % 3],
                                                     .tb = CLGEMM_NO_TRANS,
                                                     .batch = batch,
                                                     .m = shapes[s][0],
                                                     .n = shapes[s][1],
                                                     .k = shapes[s][2],
                                                     .alpha = -0.7F,
                                                     .beta = 0.3F,
                                                     .beta_imag = s % 2 ? 0.0F : -1.0F,
                                                     .gap_a = s % 2,
                                                     .gap_b = 1,
                                                     .gap_c = 1};
            params = clg_test_multistage_row(form % ROWS, batch > 1 ? s % 2 : s % 3);
            params.vec_a = form / ROWS / 3 ? 2 : 1;
            const bool narrow = problem.n < 16;
            assert_true(run(&params, &problem, narrow ? CLG_FORM_A : CLG_FORM_INSIDE, &random));
        }
}

static int set_up(void **state) {
    const int failed = clg_test_fixture_open(state);
    if (!failed)
        clg_test_multistage_allow(&engine->device->facts);
    return failed;
}

int main(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_right_at_every_edge),
                                       cmocka_unit_test(complex_is_right)};
    return cmocka_run_group_tests(tests, set_up, clg_test_fixture_close);
}
