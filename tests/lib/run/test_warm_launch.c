/* SPDX-License-Identifier: Apache-2.0
 * Warm-up launches: whatever a plan's matrices are like, a small problem uses the same programs, so
 * that these can be kept. */
#include "gemm/family.h"
#include "program/build.h"
#include "run/engine.h"
#include "run/warm_launch.h"
#include "support/check.h"
#include "support/device.h"
#include "support/rows.h"

static struct clg_test_cl cl;
static struct clg_engine engine;

static int set_up(void **state) {
    struct clg_device *device;
    (void)state;
    clg_test_cl_open(&cl, 0);
    clg_test_assert_success(clg_device_adopt(&device, cl.context, cl.device));
    clg_test_assert_success(clg_engine_open(&engine, device, NULL));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    clg_engine_close(&engine);
    clg_test_cl_close(&cl);
    return 0;
}

/* Every step of the plan can be launched on a few tiles. */
static void check_plan(const struct clg_plan *plan) {
    for (int s = 0; s < plan->num_steps; s++) {
        const struct clg_warm_step step = {engine.device, plan, s};
        const struct clg_source *source = clg_source_find(plan->steps[s].source);
        cl_program built;
        clg_test_assert_success(
            clg_build_source(engine.device, source, plan->steps[s].options, &built));
        clg_test_assert_success(clg_warm_launch_run(&step, built));
        clReleaseProgram(built);
    }
}

/* Leading dimensions and what follows a column decide the width of vectors, which the small problem
 * must share. 1001 rows, 1004 apart, without access past the last one, were once refused. */
static void the_small_problem_reads_as_the_large_one(void **state) {
    static const int64_t gaps[] = {0, 1, 2, 3};
    size_t count;
    const struct clg_params *rows = clg_test_rows(&clg_family_tiled, CLG_DEVICE_CPU, &count);
    (void)state;
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int behind = 0; behind < 2; behind++) {
            const int64_t m = 1001, n = 601, k = 403, gap = gaps[g];
            const struct clg_operand operand = {.bytes = UINT64_MAX, .alignment = 64};
            struct clg_call call = {.layout = CLGEMM_COL_MAJOR,
                                    .ta = CLGEMM_NO_TRANS,
                                    .tb = CLGEMM_TRANS,
                                    .m = m,
                                    .n = n,
                                    .k = k,
                                    .scalars = {.alpha = 1},
                                    .operand = {operand, operand, operand}};
            struct clg_problem problem;
            struct clg_plan plan;
            call.operand[CLG_A].ld = call.operand[CLG_C].ld = m + gap;
            call.operand[CLG_B].ld = n + gap;
            clg_test_assert_success(clg_problem_init(&problem, &call));
            for (int i = 0; i < CLG_MATRICES && !behind; i++)
                problem.matrix[i].readable = problem.matrix[i].rows;
            clg_plan_with(&plan, &clg_family_tiled, &rows[count - 1], &problem,
                          &engine.device->facts);
            check_plan(&plan);
        }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_small_problem_reads_as_the_large_one),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
