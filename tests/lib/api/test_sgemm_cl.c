/* SPDX-License-Identifier: Apache-2.0
 * clgemm_sgemm_cl(): results in the caller's buffers with offsets, and wait lists and events on
 * queues of each kind. */
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"

static const cl_command_queue_properties queue_kinds[] = {
    0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE,
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE};
enum { NUM_QUEUE_KINDS = 4 };

static struct clg_test_problem plain(int64_t m, int64_t n, int64_t k) {
    return (struct clg_test_problem){.layout = CLGEMM_COL_MAJOR,
                                     .ta = CLGEMM_NO_TRANS,
                                     .tb = CLGEMM_NO_TRANS,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .alpha = 1,
                                     .beta = -0.7f};
}

/* Every layout and transpose, with aligned and misaligned offsets and with or without gaps. */
static void forms_with_offsets(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {{5, 3, 9}, {65, 70, 34}, {128, 64, 128}, {200, 130, 90}};
    static const size_t offsets[][3] = {{0, 0, 0}, {32, 64, 16}, {1, 3, 7}, {33, 2, 130}};
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_cl cl;
    clg_test_cl_open(&cl, 0);
    for (int s = 0; s < 4; s++)
        for (int form = 0; form < 8; form++) {
            struct clg_test_problem problem = plain(shapes[s][0], shapes[s][1], shapes[s][2]);
            struct clg_test_case test;
            const size_t *offset = offsets[(s + form) % 4];
            problem.layout = form & 1 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR;
            problem.ta = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
            problem.tb = form & 4 ? CLGEMM_CONJ_TRANS : CLGEMM_NO_TRANS;
            problem.offset_a = offset[0];
            problem.offset_b = offset[1];
            problem.offset_c = offset[2];
            problem.gap_a = problem.gap_b = problem.gap_c = form % 3 * 4;
            clg_test_case_create(&test, &problem, &random);
            clg_test_case_run_and_check_cl(&cl, &test, NULL);
            clg_test_case_destroy(&test);
        }
    clg_test_cl_close(&cl);
}

static cl_int event_state(cl_event event) {
    cl_int execution;
    assert_int_equal(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution,
                                    &execution, NULL),
                     CL_SUCCESS);
    return execution;
}

/* Inputs are written after the call is enqueued; only then is the event set for which it waits. */
static void nothing_is_read_before_the_wait_list(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(2);
    for (int kind = 0; kind < NUM_QUEUE_KINDS; kind++)
        for (int64_t n = 40; n <= 160; n += 120) {
            struct clg_test_problem problem = plain(n, n + 1, n + 2);
            struct clg_test_case test;
            struct clg_test_cl cl, writer;
            struct clg_test_buffers buffers;
            cl_event gates[2], done = NULL;
            clg_test_cl_open(&cl, queue_kinds[kind]);
            writer = cl;
            writer.queue = clCreateCommandQueue(cl.context, cl.device, 0, NULL);
            clg_test_case_create(&test, &problem, &random);
            clg_test_buffers_create(&cl, &test, &buffers);
            gates[0] = clCreateUserEvent(cl.context, NULL);
            gates[1] = clCreateUserEvent(cl.context, NULL);
            clg_test_assert_success(clg_test_enqueue(&cl, &test, &buffers, NULL, 2, gates, &done));
            assert_non_null(done);
            clFlush(cl.queue);
            clSetUserEventStatus(gates[0], CL_COMPLETE);
            for (int64_t e = 0; e < n; e++)
                clg_element_set(CLGEMM_F32, clg_test_matrix_data(&test.a), e * test.a.ld,
                                (double)clg_test_value(&random));
            clg_test_matrix_snapshot(&test.a);
            assert_int_equal(clEnqueueWriteBuffer(writer.queue, buffers.a, CL_TRUE, 0,
                                                  test.a.count * sizeof(float), test.a.memory, 0,
                                                  NULL, NULL),
                             CL_SUCCESS);
            assert_true(event_state(done) > CL_COMPLETE);
            clSetUserEventStatus(gates[1], CL_COMPLETE);
            clg_test_buffers_check(&writer, &test, &buffers, done);
            assert_int_equal(event_state(done), CL_COMPLETE);
            clReleaseEvent(done);
            clReleaseEvent(gates[0]);
            clReleaseEvent(gates[1]);
            clReleaseCommandQueue(writer.queue);
            clg_test_buffers_release(&buffers);
            clg_test_case_destroy(&test);
            clg_test_cl_close(&cl);
        }
}

/* C1 := A B, C2 := C1 B - 0.7 C2, C3 := C1 C2 - 0.7 C3, ordered by events only. */
static void calls_chain_by_events(void **state) {
    (void)state;
    enum { N = 150 };
    struct clg_test_random random = clg_test_random_start(3);
    struct clg_test_problem problem = plain(N, N, N);
    struct clg_test_case tests[3];
    struct clg_test_buffers buffers[3];
    struct clg_test_cl cl;
    cl_event done[3];
    problem.gap_c = 1;
    clg_test_cl_open(&cl, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int i = 0; i < 3; i++) {
        clg_test_case_create(&tests[i], &problem, &random);
        clg_test_buffers_create(&cl, &tests[i], &buffers[i]);
    }
    const struct clg_test_buffers chain[3] = {
        buffers[0],
        {buffers[0].c, buffers[1].b, buffers[1].c},
        {buffers[0].c, buffers[1].c, buffers[2].c},
    };
    tests[1].a.ld = tests[2].a.ld = tests[2].b.ld = N + 1;
    for (int i = 0; i < 3; i++)
        clg_test_assert_success(clg_test_enqueue(&cl, &tests[i], &chain[i], NULL, (cl_uint)i,
                                                 i ? done : NULL, &done[i]));
    for (int i = 0; i < 3; i++)
        clg_test_read_back(&cl, buffers[i].c, &tests[i].c, done[2]);
    for (int i = 0; i < 3; i++) {
        const float *a = i ? tests[0].c.memory : tests[0].a.memory;
        const float *b = i == 2 ? tests[1].c.memory : tests[i].b.memory;
        assert_true(clg_test_matrix_guarded(&tests[i].c));
        clg_test_assert_no_fault(clg_test_result_fault(&problem, a, tests[i].a.ld, b, tests[i].b.ld,
                                                       tests[i].c.before, tests[i].c.memory,
                                                       N + 1));
    }
    for (int i = 0; i < 3; i++) {
        clReleaseEvent(done[i]);
        clg_test_buffers_release(&buffers[i]);
        clg_test_case_destroy(&tests[i]);
    }
    clg_test_cl_close(&cl);
}

/* m = 0, or alpha = 0 and beta = 1: no work, but an event that keeps the order. */
static void event_also_where_there_is_nothing_to_do(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(4);
    for (int kind = 0; kind < NUM_QUEUE_KINDS; kind++)
        for (int empty = 0; empty < 2; empty++) {
            struct clg_test_problem problem = plain(empty ? 0 : 30, 30, 30);
            struct clg_test_case test;
            struct clg_test_buffers buffers;
            struct clg_test_cl cl;
            cl_event gate, done = NULL, at_once = NULL;
            problem.alpha = 0;
            problem.beta = 1;
            clg_test_cl_open(&cl, queue_kinds[kind]);
            clg_test_case_create(&test, &problem, &random);
            clg_test_buffers_create(&cl, &test, &buffers);
            clg_test_assert_success(
                clg_test_enqueue(&cl, &test, &buffers, NULL, 0, NULL, &at_once));
            assert_non_null(at_once);
            assert_int_equal(clWaitForEvents(1, &at_once), CL_SUCCESS);
            gate = clCreateUserEvent(cl.context, NULL);
            clg_test_assert_success(clg_test_enqueue(&cl, &test, &buffers, NULL, 1, &gate, &done));
            assert_non_null(done);
            clFlush(cl.queue);
            assert_true(event_state(done) > CL_COMPLETE);
            clSetUserEventStatus(gate, CL_COMPLETE);
            assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
            clg_test_buffers_check(&cl, &test, &buffers, NULL);
            clReleaseEvent(at_once);
            clReleaseEvent(done);
            clReleaseEvent(gate);
            clg_test_buffers_release(&buffers);
            clg_test_case_destroy(&test);
            clg_test_cl_close(&cl);
        }
}

static void no_event_is_asked_for(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(5);
    struct clg_test_cl cl;
    clg_test_cl_open(&cl, 0);
    for (int64_t n = 0; n < 200; n += 99) {
        struct clg_test_problem problem = plain(n, n, n);
        struct clg_test_case test;
        struct clg_test_buffers buffers;
        clg_test_case_create(&test, &problem, &random);
        clg_test_buffers_create(&cl, &test, &buffers);
        clg_test_assert_success(clg_test_enqueue(&cl, &test, &buffers, NULL, 0, NULL, NULL));
        clg_test_buffers_check(&cl, &test, &buffers, NULL); /* the queue is in-order */
        clg_test_buffers_release(&buffers);
        clg_test_case_destroy(&test);
    }
    clg_test_cl_close(&cl);
}

static void event_tells_its_times(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(6);
    struct clg_test_problem problem = plain(100, 100, 100);
    struct clg_test_case test;
    struct clg_test_buffers buffers;
    struct clg_test_cl cl;
    cl_event done = NULL;
    cl_ulong start, end;
    clg_test_cl_open(&cl, CL_QUEUE_PROFILING_ENABLE);
    clg_test_case_create(&test, &problem, &random);
    clg_test_buffers_create(&cl, &test, &buffers);
    clg_test_assert_success(clg_test_enqueue(&cl, &test, &buffers, NULL, 0, NULL, &done));
    clg_test_buffers_check(&cl, &test, &buffers, done);
    assert_int_equal(
        clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
        CL_SUCCESS);
    assert_int_equal(
        clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
        CL_SUCCESS);
    assert_true(start <= end);
    clReleaseEvent(done);
    clg_test_buffers_release(&buffers);
    clg_test_case_destroy(&test);
    clg_test_cl_close(&cl);
}

/* Each matrix in a sub-buffer, at an offset that the device allows. */
static void sub_buffers(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(7);
    struct clg_test_problem problem = plain(90, 70, 50);
    struct clg_test_case test;
    struct clg_test_buffers whole, parts;
    struct clg_test_cl cl;
    cl_uint align_bits;
    cl_event done = NULL;
    clg_test_cl_open(&cl, 0);
    clGetDeviceInfo(cl.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits, &align_bits, NULL);
    size_t floats = align_bits / 8 / sizeof(float);
    problem.offset_a = problem.offset_b = problem.offset_c = floats + 3;
    clg_test_case_create(&test, &problem, &random);
    clg_test_buffers_create(&cl, &test, &whole);
    cl_mem *from[] = {&whole.a, &whole.b, &whole.c}, *to[] = {&parts.a, &parts.b, &parts.c};
    const struct clg_test_matrix *matrices[] = {&test.a, &test.b, &test.c};
    for (int i = 0; i < 3; i++) {
        cl_int code;
        cl_buffer_region region = {floats * sizeof(float),
                                   (matrices[i]->count - floats) * sizeof(float)};
        *to[i] = clCreateSubBuffer(*from[i], 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
        assert_int_equal(code, CL_SUCCESS);
    }
    test.problem.offset_a = test.problem.offset_b = test.problem.offset_c = 3;
    clg_test_assert_success(clg_test_enqueue(&cl, &test, &parts, NULL, 0, NULL, &done));
    clg_test_buffers_check(&cl, &test, &whole, done);
    clReleaseEvent(done);
    clg_test_buffers_release(&parts);
    clg_test_buffers_release(&whole);
    clg_test_case_destroy(&test);
    clg_test_cl_close(&cl);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_with_offsets),
        cmocka_unit_test(nothing_is_read_before_the_wait_list),
        cmocka_unit_test(calls_chain_by_events),
        cmocka_unit_test(event_also_where_there_is_nothing_to_do),
        cmocka_unit_test(no_event_is_asked_for),
        cmocka_unit_test(event_tells_its_times),
        cmocka_unit_test(sub_buffers),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
