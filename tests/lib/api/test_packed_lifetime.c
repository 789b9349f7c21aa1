/* SPDX-License-Identifier: Apache-2.0
 * Packed operands across calls: order and events, lifetime, forked children, threads. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "support/packed.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;

/* ---- Order ---- */

/* Calls in another queue wait for the packing, which waits for the matrix. */
static void calls_wait_for_the_packing(void **state) {
    static const cl_command_queue_properties kinds[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
    struct clg_test_random random = clg_test_random_start(7);
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct clg_test_weights w = clg_test_weights_plain(CLGEMM_PACK_B, CLGEMM_F32);
        cl_command_queue queue = clCreateCommandQueue(cl->context, cl->device, kinds[i], NULL);
        cl_command_queue writer = clCreateCommandQueue(cl->context, cl->device, 0, NULL);
        cl_event gate = clCreateUserEvent(cl->context, NULL), packed = NULL, done = NULL;
        struct clg_test_buffers made;
        clg_test_weights_draw(&w, &random);
        clg_test_assert_success(
            clg_test_weights_pack(clg_test_weights_handle, &w, queue, 1, &gate, &packed));
        assert_non_null(packed);
        struct clg_test_case test = clg_test_weights_case(&w, 30, &random);
        const clgemm_desc desc = clg_test_weights_desc(&w, &test);
        clg_test_buffers_create(cl, &test, &made);
        clg_test_assert_success(
            clg_test_weights_multiply(&w, &desc, &test, &made, cl->queue, &done));
        clFlush(cl->queue);
        cl_int execution;
        clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution, &execution, NULL);
        assert_true(execution > CL_COMPLETE);
        for (int64_t e = 0; e < w.matrix.length; e++)
            clg_element_set(CLGEMM_F32, clg_test_matrix_data(&w.matrix), e,
                            (double)clg_test_value(&random));
        clg_test_matrix_snapshot(&w.matrix);
        *clg_test_operand_of(&test, w.which) = w.matrix;
        assert_int_equal(clEnqueueWriteBuffer(writer, w.buffer, CL_TRUE, 0,
                                              clg_test_matrix_bytes(&w.matrix), w.matrix.memory, 0,
                                              NULL, NULL),
                         CL_SUCCESS);
        clSetUserEventStatus(gate, CL_COMPLETE);
        const cl_mem of_w = w.which == CLGEMM_PACK_A ? made.a : made.b;
        assert_int_equal(clEnqueueWriteBuffer(writer, of_w, CL_TRUE, 0,
                                              clg_test_matrix_bytes(&w.matrix), w.matrix.memory, 0,
                                              NULL, NULL),
                         CL_SUCCESS);
        clg_test_buffers_check(cl, &test, &made, done);
        clg_test_weights_check(&w, 60, &random);
        clReleaseEvent(done);
        clReleaseEvent(packed);
        clReleaseEvent(gate);
        clReleaseCommandQueue(queue);
        clReleaseCommandQueue(writer);
        clg_test_buffers_release(&made);
        clg_test_weights_case_end(&test, &w);
        clg_test_weights_end(&w);
    }
}

/* If what the packing waited for failed, later calls fail too, and C is unchanged. */
static void a_failed_packing_fails_its_calls(void **state) {
    struct clg_test_random random = clg_test_random_start(8);
    struct clg_test_weights w = clg_test_weights_plain(CLGEMM_PACK_B, CLGEMM_F32);
    struct clg_test_buffers made;
    cl_event packed = NULL;
    cl_command_queue queue = clCreateCommandQueue(cl->context, cl->device, 0, NULL);
    (void)state;
    cl_event gate = clCreateUserEvent(cl->context, NULL);
    clg_test_weights_draw(&w, &random);
    clg_test_assert_success(
        clg_test_weights_pack(clg_test_weights_handle, &w, queue, 1, &gate, &packed));
    clSetUserEventStatus(gate, CL_OUT_OF_RESOURCES);
    clWaitForEvents(1, &packed);
    struct clg_test_case test = clg_test_weights_case(&w, 30, &random);
    const clgemm_desc desc = clg_test_weights_desc(&w, &test);
    clg_test_buffers_create(cl, &test, &made);
    assert_true(clg_test_weights_multiply(&w, &desc, &test, &made, cl->queue, NULL) !=
                CLGEMM_SUCCESS);
    clg_test_assert_error_says("could not be packed");
    clg_test_read_back(cl, made.c, &test.c, NULL);
    assert_true(clg_test_matrix_unchanged(&test.c));
    clReleaseEvent(packed);
    clReleaseEvent(gate);
    clg_test_buffers_release(&made);
    clg_test_weights_case_end(&test, &w);
    clg_test_weights_end(&w);
    clReleaseCommandQueue(queue);
}

/* ---- Lifetime ---- */

static void a_released_object_is_known_as_such(void **state) {
    struct clg_test_random random = clg_test_random_start(9);
    struct clg_test_weights w = clg_test_weights_plain(CLGEMM_PACK_B, CLGEMM_F32);
    struct clg_test_buffers made;
    (void)state;
    clg_test_weights_make(&w, &random);
    struct clg_test_case test = clg_test_weights_case(&w, 30, &random);
    const clgemm_desc desc = clg_test_weights_desc(&w, &test);
    clg_test_buffers_create(cl, &test, &made);
    cl_event done = NULL;
    clg_test_assert_success(clg_test_weights_multiply(&w, &desc, &test, &made, cl->queue, &done));
    clgemm_packed_release(w.packed); /* its commands may not have begun */
    clgemm_packed_release(w.packed);
    clg_test_buffers_check(cl, &test, &made, done);
    clReleaseEvent(done);
    clg_test_assert_status(clg_test_weights_multiply(&w, &desc, &test, &made, cl->queue, NULL),
                           CLGEMM_STATUS_INVALID_PACKED);
    clg_test_assert_error_says("was released");
    clg_test_buffers_release(&made);
    clg_test_weights_case_end(&test, &w);
    w.packed = NULL;
    clg_test_weights_end(&w);
}

static cl_uint references(cl_mem buffer) {
    cl_uint count = 0;
    assert_int_equal(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL),
                     CL_SUCCESS);
    return count;
}

/* It outlives its handle and the caller's reference to the matrix, and keeps neither. */
static void objects_own_what_they_need(void **state) {
    struct clg_test_random random = clg_test_random_start(10);
    struct clg_test_weights w = clg_test_weights_plain(CLGEMM_PACK_B, CLGEMM_F32);
    clgemm_handle *ours = NULL;
    (void)state;
    clg_test_weights_draw(&w, &random);
    clg_test_assert_success(clgemm_create_cl(&ours, cl->context, cl->device));
    clg_test_assert_success(clg_test_weights_pack(ours, &w, cl->queue, 0, NULL, NULL));
    clFinish(cl->queue);
    clgemm_destroy(ours);
    assert_true(references(w.buffer) > 1);
    clg_test_weights_check(&w, 20, &random);
    for (int i = 0; i < 20; i++) { /* the memory of released operands is reused */
        clgemm_packed *before = w.packed;
        clgemm_packed_release(w.packed);
        clg_test_assert_success(clg_test_weights_pack(NULL, &w, cl->queue, 0, NULL, NULL));
        assert_ptr_equal(w.packed, before);
    }
    clg_test_weights_check(&w, 20, &random);
    clgemm_packed_release(w.packed);
    clFinish(cl->queue);
    assert_int_equal(references(w.buffer), 1);
    w.packed = NULL;
    clg_test_weights_end(&w);
}

static void children_are_refused(void **state) {
    struct clg_test_random random = clg_test_random_start(11);
    struct clg_test_weights w = clg_test_weights_plain(CLGEMM_PACK_B, CLGEMM_F32);
    int status = 0;
    (void)state;
    clg_test_weights_make(&w, &random);
    clFinish(cl->queue);
    const pid_t child = fork();
    if (child == 0) {
        const float one = 1;
        const clgemm_desc desc = clg_test_desc(&w.problem, 64, 70, 64);
        const clgemm_status used =
            clgemm_gemm_packed_cl(clg_test_weights_handle, &desc, &one, w.packed, w.buffer, 0, &one,
                                  w.buffer, 0, cl->queue, 0, NULL, NULL);
        clgemm_packed *other = w.packed;
        const clgemm_status made = clgemm_pack_cl(clg_test_weights_handle, &desc, CLGEMM_PACK_B,
                                                  w.buffer, 0, cl->queue, 0, NULL, NULL, &other);
        clgemm_packed_release(w.packed); /* does nothing */
        _exit(used == CLGEMM_STATUS_FORKED && made == CLGEMM_STATUS_FORKED && !other ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    clg_test_weights_check(&w, 20, &random);
    clg_test_weights_end(&w);
}

/* ---- Threads ---- */

enum { THREADS = 4, CALLS = 12 };

struct worker {
    pthread_t thread;
    struct clg_test_weights *weights; /* all use it; each also makes its own */
    int number, faults;
};

static clgemm_status one_call(const struct clg_test_weights *w, int64_t free_size, uint64_t stream,
                              const char **fault) {
    struct clg_test_random random = clg_test_random_start(stream);
    struct clg_test_case test = clg_test_weights_case(w, free_size, &random);
    struct clg_test_buffers made;
    const clgemm_desc desc = clg_test_weights_desc(w, &test);
    cl_command_queue queue = clCreateCommandQueue(cl->context, cl->device, 0, NULL);
    clg_test_buffers_create(cl, &test, &made);
    const clgemm_status status = clg_test_weights_multiply(w, &desc, &test, &made, queue, NULL);
    clEnqueueReadBuffer(queue, made.c, CL_TRUE, 0, clg_test_matrix_bytes(&test.c), test.c.memory, 0,
                        NULL, NULL);
    *fault = clg_test_case_fault(&test);
    clg_test_buffers_release(&made);
    clReleaseCommandQueue(queue);
    clg_test_weights_case_end(&test, w);
    return status;
}

static void *work(void *user) {
    struct worker *worker = user;
    struct clg_test_weights own = *worker->weights;
    const char *fault = NULL;
    own.packed = NULL;
    for (int i = 0; i < CALLS; i++) {
        const int64_t free_size = 5 + (worker->number * 7 + i * 11) % 60;
        const uint64_t stream = 100 + (uint64_t)worker->number * CALLS + (uint64_t)i;
        if (i % 4 == 0)
            worker->faults += clg_test_weights_pack(clg_test_weights_handle, &own, cl->queue, 0,
                                                    NULL, NULL) != CLGEMM_SUCCESS;
        worker->faults += one_call(worker->weights, free_size, stream, &fault) || fault;
        worker->faults += one_call(&own, free_size, stream, &fault) || fault;
        if (i % 4 == 3)
            clgemm_packed_release(own.packed);
    }
    return NULL;
}

static void threads_share_an_object(void **state) {
    struct clg_test_random random = clg_test_random_start(12);
    struct clg_test_weights w = clg_test_weights_plain(CLGEMM_PACK_B, CLGEMM_F32);
    struct worker workers[THREADS];
    (void)state;
    clg_test_weights_draw(&w, &random);
    clg_test_assert_success(
        clg_test_weights_pack(clg_test_weights_handle, &w, cl->queue, 0, NULL, NULL));
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.weights = &w, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].faults, 0);
    }
    clg_test_weights_end(&w);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_wait_for_the_packing),
        cmocka_unit_test(a_failed_packing_fails_its_calls),
        cmocka_unit_test(a_released_object_is_known_as_such),
        cmocka_unit_test(objects_own_what_they_need),
        cmocka_unit_test(children_are_refused),
        cmocka_unit_test(threads_share_an_object),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_weights_open, clg_test_weights_close);
}
