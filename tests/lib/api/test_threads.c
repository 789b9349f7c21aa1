/* SPDX-License-Identifier: Apache-2.0
 * Many threads at once: on one handle, on many, on none, on buffers; from the very first call on.
 * Results equal those of a single thread bit for bit. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"

enum { THREADS = 8, SHAPES = 6, ROUNDS = 3 };

static const int64_t shapes[SHAPES][3] = {{7, 5, 3},    {64, 64, 64},   {130, 65, 33},
                                          {1, 200, 90}, {256, 128, 96}, {99, 101, 140}};

/* The shared inputs, and each shape's C as a single thread computes it. */
static struct clg_test_case cases[SHAPES];
static float *expected[SHAPES];

struct worker {
    pthread_t thread;
    pthread_barrier_t *start;
    int index;
    clgemm_handle *handle; /* NULL: without a handle */
    struct clg_test_cl cl; /* its queue NULL: calls on host matrices */
    float *results[SHAPES];
    clgemm_status failure;
    int differences;
    char text[256];
};

static void create_cases(void) {
    struct clg_test_random random = clg_test_random_start(1);
    for (int s = 0; s < SHAPES; s++) {
        struct clg_test_problem problem = {
            .layout = s % 2 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
            .ta = s & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
            .tb = s & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
            .m = shapes[s][0],
            .n = shapes[s][1],
            .k = shapes[s][2],
            .alpha = 1,
            .beta = s % 3 ? -0.7f : 0.0f,
            .gap_c = s,
        };
        clg_test_case_create(&cases[s], &problem, &random);
    }
}

static size_t c_bytes(int shape) {
    return cases[shape].c.count * sizeof(float);
}

/* One call with its own C, into memory that the caller frees. */
static clgemm_status compute(struct worker *w, int shape, float **result) {
    struct clg_test_case mine = cases[shape];
    *result = mine.c.memory = clg_test_alloc(c_bytes(shape));
    memcpy(mine.c.memory, cases[shape].c.before, c_bytes(shape));
    if (!w->cl.queue)
        return clg_test_case_run(&mine, w->handle);
    struct clg_test_buffers buffers;
    cl_event done = NULL;
    clg_test_buffers_create(&w->cl, &mine, &buffers);
    clgemm_status status = clg_test_enqueue(&w->cl, &mine, &buffers, w->handle, 0, NULL, &done);
    if (status == CLGEMM_SUCCESS) {
        clEnqueueReadBuffer(w->cl.queue, buffers.c, CL_TRUE, 0, c_bytes(shape), *result, 1, &done,
                            NULL);
        clReleaseEvent(done);
    }
    clg_test_buffers_release(&buffers);
    return status;
}

static void *work(void *argument) {
    struct worker *w = argument;
    pthread_barrier_wait(w->start);
    for (int i = 0; i < SHAPES * ROUNDS && w->failure == CLGEMM_SUCCESS; i++) {
        int shape = (i + w->index) % SHAPES;
        float *result;
        w->failure = compute(w, shape, &result);
        if (w->failure != CLGEMM_SUCCESS)
            strncpy(w->text, clgemm_last_error(), sizeof w->text - 1);
        if (!w->results[shape]) {
            w->results[shape] = result;
            continue;
        }
        w->differences += memcmp(result, w->results[shape], c_bytes(shape)) != 0;
        free(result);
    }
    return NULL;
}

/* Runs the workers, which start together, and compares their results. */
static void run_and_compare(struct worker *workers, int count) {
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, (unsigned)count);
    for (int i = 0; i < count; i++) {
        workers[i].index = i;
        workers[i].start = &start;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < count; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&start);
    for (int s = 0; s < SHAPES && !expected[s]; s++) { /* alone, after the first group of threads */
        clg_test_case_run_and_check(&cases[s], NULL);
        expected[s] = cases[s].c.memory;
    }
    for (int i = 0; i < count; i++) {
        if (workers[i].failure != CLGEMM_SUCCESS)
            print_error("thread %d: %s\n", i, workers[i].text);
        assert_int_equal(workers[i].failure, CLGEMM_SUCCESS);
        assert_int_equal(workers[i].differences, 0);
        for (int s = 0; s < SHAPES; s++) {
            assert_memory_equal(workers[i].results[s], expected[s], c_bytes(s));
            free(workers[i].results[s]);
        }
    }
}

/* Runs first: these are the first calls of the process. */
static void first_calls_of_all_at_once(void **state) {
    (void)state;
    struct worker workers[THREADS] = {0};
    run_and_compare(workers, THREADS);
}

static void one_handle(void **state) {
    (void)state;
    struct worker workers[THREADS] = {0};
    clgemm_handle *handle;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    for (int i = 0; i < THREADS; i++)
        workers[i].handle = handle;
    run_and_compare(workers, THREADS);
    clgemm_destroy(handle);
}

static void many_handles(void **state) {
    (void)state;
    struct worker workers[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        clg_test_assert_success(clgemm_create(&workers[i].handle, NULL));
    run_and_compare(workers, THREADS);
    for (int i = 0; i < THREADS; i++)
        clgemm_destroy(workers[i].handle);
}

/* Half of them share a context, half have their own. Half of each use a handle. */
static void buffers_and_queues(void **state) {
    (void)state;
    struct worker workers[THREADS] = {0};
    struct clg_test_cl shared;
    clg_test_cl_open(&shared, 0);
    for (int i = 0; i < THREADS; i++) {
        clg_test_cl_open(&workers[i].cl, 0);
        if (i % 2) {
            clg_test_cl_close(&workers[i].cl);
            clRetainContext(shared.context);
            workers[i].cl = shared;
            workers[i].cl.queue = clCreateCommandQueue(shared.context, shared.device, 0, NULL);
        }
        if (i & 2)
            clg_test_assert_success(
                clgemm_create_cl(&workers[i].handle, workers[i].cl.context, workers[i].cl.device));
    }
    run_and_compare(workers, THREADS);
    for (int i = 0; i < THREADS; i++) {
        clgemm_destroy(workers[i].handle);
        clg_test_cl_close(&workers[i].cl);
    }
    clg_test_cl_close(&shared);
}

static atomic_int stop_clearing;

static void *clear_all_the_time(void *unused) {
    (void)unused;
    clgemm_status status = CLGEMM_SUCCESS;
    while (!atomic_load(&stop_clearing) && status == CLGEMM_SUCCESS) {
        struct timespec pause = {0, 5000000};
        status = clgemm_clear_cache();
        nanosleep(&pause, NULL);
    }
    return status == CLGEMM_SUCCESS ? NULL : &stop_clearing;
}

/* Calls under way keep their device while the cache is cleared. */
static void cache_cleared_meanwhile(void **state) {
    (void)state;
    struct worker workers[THREADS] = {0};
    pthread_t clearer;
    void *failed;
    assert_int_equal(pthread_create(&clearer, NULL, clear_all_the_time, NULL), 0);
    run_and_compare(workers, THREADS);
    atomic_store(&stop_clearing, 1);
    pthread_join(clearer, &failed);
    assert_null(failed);
}

static int destroy_cases(void **state) {
    (void)state;
    for (int s = 0; s < SHAPES; s++)
        clg_test_case_destroy(&cases[s]);
    return 0;
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_calls_of_all_at_once),
        cmocka_unit_test(one_handle),
        cmocka_unit_test(many_handles),
        cmocka_unit_test(buffers_and_queues),
        cmocka_unit_test(cache_cleared_meanwhile),
    };
    clg_test_require_device();
    create_cases();
    return cmocka_run_group_tests(tests, NULL, destroy_cases);
}
