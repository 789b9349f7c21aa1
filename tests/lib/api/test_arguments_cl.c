/* SPDX-License-Identifier: Apache-2.0
 * Refused calls on OpenCL buffers: each fault of a buffer, an offset, a queue or a wait list has
 * its status, and C is unchanged. */
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/gemm.h"

/* What each test starts from: a valid call. */
struct fixture {
    struct clg_test_cl cl;
    struct clg_test_case test;
    struct clg_test_buffers buffers;
};

static int set_up(void **state) {
    static struct fixture fixture;
    static const struct clg_test_problem problem = {.layout = CLGEMM_COL_MAJOR,
                                                    .ta = CLGEMM_NO_TRANS,
                                                    .tb = CLGEMM_NO_TRANS,
                                                    .m = 20,
                                                    .n = 15,
                                                    .k = 10,
                                                    .alpha = 1,
                                                    .beta = 1};
    struct clg_test_random random = clg_test_random_start(1);
    clg_test_cl_open(&fixture.cl, 0);
    clg_test_case_create(&fixture.test, &problem, &random);
    clg_test_buffers_create(&fixture.cl, &fixture.test, &fixture.buffers);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    clg_test_buffers_release(&f->buffers);
    clg_test_case_destroy(&f->test);
    clg_test_cl_close(&f->cl);
    return 0;
}

static void assert_c_untouched(struct fixture *f) {
    clg_test_read_back(&f->cl, f->buffers.c, &f->test.c, NULL);
    assert_true(clg_test_matrix_unchanged(&f->test.c));
}

static void assert_refused(struct fixture *f, const struct clg_test_buffers *buffers,
                           int expected) {
    clg_test_assert_status(clg_test_enqueue(&f->cl, &f->test, buffers, NULL, 0, NULL, NULL),
                           expected);
    assert_true(clgemm_last_error()[0] != '\0');
    assert_c_untouched(f);
}

static void null_buffers(void **state) {
    struct fixture *f = *state;
    struct clg_test_buffers wrong = f->buffers;
    wrong.a = NULL;
    assert_refused(f, &wrong, CLGEMM_STATUS_INVALID_A);
    wrong = f->buffers;
    wrong.b = NULL;
    assert_refused(f, &wrong, CLGEMM_STATUS_INVALID_B);
    wrong = f->buffers;
    wrong.c = NULL;
    assert_refused(f, &wrong, CLGEMM_STATUS_INVALID_C);
}

static void buffers_of_another_context(void **state) {
    struct fixture *f = *state;
    struct clg_test_cl other;
    struct clg_test_buffers theirs, wrong = f->buffers;
    clg_test_cl_open(&other, 0);
    clg_test_buffers_create(&other, &f->test, &theirs);
    wrong.a = theirs.a;
    assert_refused(f, &wrong, CLGEMM_STATUS_INVALID_A);
    clg_test_assert_error_says("A is a buffer of another context");
    wrong = f->buffers;
    wrong.b = theirs.b;
    assert_refused(f, &wrong, CLGEMM_STATUS_INVALID_B);
    clg_test_assert_error_says("B is a buffer of another context");
    wrong = f->buffers;
    wrong.c = theirs.c;
    assert_refused(f, &wrong, CLGEMM_STATUS_INVALID_C);
    clg_test_assert_error_says("C is a buffer of another context");
    clg_test_buffers_release(&theirs);
    clg_test_cl_close(&other);
}

/* A buffer with one element less than the matrix needs, and one with just enough. */
static void buffers_that_are_too_small(void **state) {
    struct fixture *f = *state;
    struct clg_test_matrix *matrices[] = {&f->test.a, &f->test.b, &f->test.c};
    static const clgemm_status expected[] = {CLGEMM_STATUS_INVALID_A, CLGEMM_STATUS_INVALID_B,
                                             CLGEMM_STATUS_INVALID_C};
    for (int i = 0; i < 3; i++) {
        struct clg_test_buffers wrong = f->buffers;
        struct clg_test_matrix cut = *matrices[i];
        cut.count = (size_t)((cut.vectors - 1) * cut.ld + cut.length - 1);
        cl_mem small = clg_test_buffer(&f->cl, &cut);
        *(i == 0 ? &wrong.a : i == 1 ? &wrong.b : &wrong.c) = small;
        assert_refused(f, &wrong, expected[i]);
        clReleaseMemObject(small);
    }
}

static void offsets_past_the_end(void **state) {
    struct fixture *f = *state;
    size_t *offsets[] = {&f->test.problem.offset_a, &f->test.problem.offset_b,
                         &f->test.problem.offset_c};
    const struct clg_test_matrix *matrices[] = {&f->test.a, &f->test.b, &f->test.c};
    for (int i = 0; i < 3; i++) {
        size_t span = (size_t)(matrices[i]->ld * matrices[i]->vectors);
        *offsets[i] = matrices[i]->count - span + 1; /* one element too far */
        assert_refused(f, &f->buffers, CLGEMM_STATUS_INVALID_OFFSET);
        *offsets[i] = matrices[i]->count + 1000;
        assert_refused(f, &f->buffers, CLGEMM_STATUS_INVALID_OFFSET);
        *offsets[i] = 0;
    }
}

static void offsets_that_overflow(void **state) {
    struct fixture *f = *state;
    size_t *offsets[] = {&f->test.problem.offset_a, &f->test.problem.offset_b,
                         &f->test.problem.offset_c};
    static const size_t huge[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4, SIZE_MAX / 4 - 100};
    for (int i = 0; i < 3; i++)
        for (int h = 0; h < 4; h++) {
            *offsets[i] = huge[h];
            clgemm_status status =
                clg_test_enqueue(&f->cl, &f->test, &f->buffers, NULL, 0, NULL, NULL);
            assert_true(status == CLGEMM_STATUS_SIZE_OVERFLOW ||
                        status == CLGEMM_STATUS_INVALID_OFFSET);
            assert_c_untouched(f);
            *offsets[i] = 0;
        }
}

static void queues(void **state) {
    struct fixture *f = *state;
    struct clg_test_cl other;
    cl_command_queue queue = f->cl.queue;
    clgemm_handle *handle;
    f->cl.queue = NULL;
    clg_test_assert_status(clg_test_enqueue(&f->cl, &f->test, &f->buffers, NULL, 0, NULL, NULL),
                           CLGEMM_STATUS_INVALID_QUEUE);
    /* A handle's queue must be of the handle's context. */
    clg_test_cl_open(&other, 0);
    clg_test_assert_success(clgemm_create_cl(&handle, other.context, other.device));
    f->cl.queue = queue;
    clg_test_assert_status(clg_test_enqueue(&f->cl, &f->test, &f->buffers, handle, 0, NULL, NULL),
                           CLGEMM_STATUS_INVALID_QUEUE);
    assert_c_untouched(f);
    clgemm_destroy(handle);
    clg_test_cl_close(&other);
}

static void wait_lists(void **state) {
    struct fixture *f = *state;
    cl_event event = NULL;
    clg_test_assert_status(clg_test_enqueue(&f->cl, &f->test, &f->buffers, NULL, 1, NULL, NULL),
                           CL_INVALID_EVENT_WAIT_LIST);
    clg_test_assert_status(clg_test_enqueue(&f->cl, &f->test, &f->buffers, NULL, 0, &event, NULL),
                           CL_INVALID_EVENT_WAIT_LIST);
    assert_c_untouched(f);
}

/* Arguments that the host call has too are checked in the call's order. */
static void order_of_arguments(void **state) {
    struct fixture *f = *state;
    struct clg_test_buffers none = {NULL, NULL, NULL};
    f->test.problem.k = -1;
    clg_test_assert_status(clg_test_enqueue(&f->cl, &f->test, &none, NULL, 1, NULL, NULL),
                           CLGEMM_STATUS_INVALID_K);
    f->test.problem.k = 10;
    clg_test_assert_status(clg_test_enqueue(&f->cl, &f->test, &none, NULL, 1, NULL, NULL),
                           CLGEMM_STATUS_INVALID_A);
    none.a = f->buffers.a;
    f->test.a.ld = 19;
    clg_test_assert_status(clg_test_enqueue(&f->cl, &f->test, &none, NULL, 1, NULL, NULL),
                           CLGEMM_STATUS_INVALID_LDA);
    clg_test_assert_error_says("19");
    f->test.a.ld = 20;
    none.b = f->buffers.b;
    clg_test_assert_status(clg_test_enqueue(&f->cl, &f->test, &none, NULL, 1, NULL, NULL),
                           CLGEMM_STATUS_INVALID_C);
}

/* After all of the above the same call still works. */
static void a_refusal_leaves_no_trace(void **state) {
    struct fixture *f = *state;
    struct clg_test_buffers wrong = f->buffers;
    wrong.c = NULL;
    assert_refused(f, &wrong, CLGEMM_STATUS_INVALID_C);
    clg_test_case_run_and_check_cl(&f->cl, &f->test, NULL);
}

static void null_arguments_of_handles(void **state) {
    struct fixture *f = *state;
    clgemm_handle *handle = (clgemm_handle *)(void *)f;
    clg_test_assert_status(clgemm_create_cl(NULL, f->cl.context, f->cl.device),
                           CLGEMM_STATUS_INVALID_HANDLE);
    assert_true(clgemm_create_cl(&handle, NULL, f->cl.device) != CLGEMM_SUCCESS);
    assert_null(handle);
    handle = (clgemm_handle *)(void *)f;
    assert_true(clgemm_create_cl(&handle, f->cl.context, NULL) != CLGEMM_SUCCESS);
    assert_null(handle);
    clg_test_assert_status(clgemm_handle_sgemm_cl(NULL, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS,
                                                  CLGEMM_NO_TRANS, 1, 1, 1, 1, f->buffers.a, 0, 1,
                                                  f->buffers.b, 0, 1, 0, f->buffers.c, 0, 1,
                                                  f->cl.queue, 0, NULL, NULL),
                           CLGEMM_STATUS_INVALID_HANDLE);
}

/* Role: all devices of the first platform that has two. */
static int ask_for_another_device(void) {
    cl_platform_id platforms[16];
    cl_device_id devices[16];
    cl_uint count = 0, others = 0;
    clgemm_handle *handle = NULL;
    cl_int error = clGetPlatformIDs(16, platforms, &count);
    for (cl_uint p = 0; p < count && !error && others < 2; p++)
        error = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &others);
    if (error || others < 2)
        return CLG_TEST_SKIP;
    cl_context context = clCreateContext(NULL, 1, &devices[0], NULL, NULL, &error);
    const clgemm_status wrong = clgemm_create_cl(&handle, context, devices[1]);
    if (wrong == (clgemm_status)CL_INVALID_DEVICE && !handle &&
        strstr(clgemm_last_error(), "is not of the context"))
        return 0;
    fprintf(stderr, "%s: %s\n", clgemm_status_name(wrong), clgemm_last_error());
    return 1;
}

static void a_device_of_another_context(void **state) {
    const char *const environment[] = {"POCL_DEVICES=pthread basic", NULL};
    (void)state;
    const int said = clg_test_run_self("device", environment, NULL, 0);
    if (said == CLG_TEST_SKIP)
        skip(); /* no platform has two devices */
    assert_int_equal(said, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv) {
    (void)argv;
    static const struct CMUnitTest tests[] = {
        TEST(null_buffers),
        TEST(buffers_of_another_context),
        TEST(buffers_that_are_too_small),
        TEST(offsets_past_the_end),
        TEST(offsets_that_overflow),
        TEST(queues),
        TEST(wait_lists),
        TEST(order_of_arguments),
        TEST(a_refusal_leaves_no_trace),
        TEST(null_arguments_of_handles),
        cmocka_unit_test(a_device_of_another_context),
    };
    if (argc > 1)
        clg_test_end_child(ask_for_another_device());
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
