/* SPDX-License-Identifier: Apache-2.0
 * Complex products whose copies exceed the workspace, slab by slab: all transposes and layouts,
 * conjugates, batches and kinds of queues. */
#include "gemm/complex.h"
#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"

static struct clg_engine *const engine = &clg_test_fixture.engine;

/* Small enough for CPUs' compilers. */
static const struct clg_family *const families[] = {&clg_family_panel, &clg_family_tiled};
static const struct clg_params rows[] = {
    {.vec = 4, .reg_n = 6, .tile_m = 16, .tile_n = 36, .tile_k = 32},
    {.tile_m = 16,
     .tile_n = 16,
     .tile_k = 8,
     .wg_m = 4,
     .wg_n = 4,
     .vec_a = 4,
     .vec_b = 4,
     .stages = 2,
     .band_m = 2}};

/* Sets the most workspace with which a product of the shape has slabs. */
static void leave_room_for_slabs(const struct clg_test_case *test,
                                 const struct clg_family *family) {
    const struct clg_call call = clg_test_case_call(test);
    struct clg_facts *facts = &engine->device->facts;
    struct clg_problem problem;
    struct clg_posed posed;
    facts->workspace_max = 1 << 26;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    do {
        facts->workspace_max -= facts->workspace_max / 8;
        clg_family_pose(&posed, family, &problem, facts);
        assert_null(posed.unsupported_reason);
    } while (posed.slab == problem.n);
    assert_true(clg_slabs(problem.n, posed.slab, posed.apart) > 1);
}

static void check(struct clg_test_cl *cl, int form, struct clg_test_random *random) {
    static const clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
    const bool doubles = clg_test_num_types() == CLG_TYPE_COUNT && form % 2;
    const int row = form / 2 % 2;
    const struct clg_test_problem problem = {.type = doubles ? CLGEMM_CF64 : CLGEMM_CF32,
                                             .layout =
                                                 form / 9 % 2 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
                                             .ta = transposes[form % 3],
                                             .tb = transposes[form / 3 % 3],
                                             .batch = form % 5 ? 1 : 2,
                                             .m = 340,
                                             .n = 333,
                                             .k = 301,
                                             .alpha = -0.7F,
                                             .alpha_imag = 0.4F,
                                             .beta = form % 4 ? 1.5F : 0.0F,
                                             .beta_imag = form % 4 ? -0.6F : 0.0F,
                                             .gap_b = form % 2,
                                             .gap_c = 3,
                                             .offset_b = 2,
                                             .offset_c = 1};
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, random);
    leave_room_for_slabs(&test, families[row]);
    assert_true(
        clg_test_family_run(engine, cl, families[row], &rows[row], CLGEMM_MATH_STRICT, &test));
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    clg_test_case_destroy(&test);
}

static void slabs_are_right(void **state) {
    enum { FORMS = 18 };
    struct clg_test_random random = clg_test_random_start(33);
    struct clg_test_cl other = clg_test_fixture.cl;
    cl_int error;
    (void)state;
    other.queue = clCreateCommandQueue(other.context, other.device,
                                       CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    for (int form = 0; form < FORMS; form++)
        check(form % 7 % 2 && !error ? &other : &clg_test_fixture.cl, form, &random);
    if (!error)
        clReleaseCommandQueue(other.queue);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(slabs_are_right)};
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_fixture_open, clg_test_fixture_close);
}
