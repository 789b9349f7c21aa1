/* SPDX-License-Identifier: Apache-2.0
 * A call leaves its thread as it was. A thread that is cancelled in a call finishes it, and no lock
 * stays held. A thread that traps floating-point exceptions gets none from runtimes and their
 * compilers, and no flag changes. Each public function in turn, beginning with the very first call,
 * is called by a thread that has already been cancelled, so that its first cancellation point would
 * end it, and that traps all exceptions but inexact. */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "api/call.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/device.h"

static struct clg_test_cl cl;
static cl_mem buffers[3];
static clgemm_handle *handle, *adopted;
static char tuning[] = "/tmp/clgemm-test-cancel-XXXXXX"; /* a folder */

enum { N = 40 };

static clgemm_status call_sgemm(void) {
    static float a[N * N], c[N * N];
    return clgemm_sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, N, N, N, 1, a, N, a, N,
                        0, c, N);
}

static clgemm_status call_create(void) {
    clgemm_destroy(handle);
    return clgemm_create(&handle, NULL);
}

static clgemm_status call_handle_sgemm(void) {
    static float a[N * N], c[N * N];
    return clgemm_handle_sgemm(handle, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, N, N, N, 1,
                               a, N, a, N, 0, c, N);
}

static clgemm_status call_sgemm_cl(void) {
    return clgemm_sgemm_cl(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, N, N, N, 1,
                           buffers[0], 0, N, buffers[1], 0, N, 0, buffers[2], 0, N, cl.queue, 0,
                           NULL, NULL);
}

static clgemm_status call_create_cl(void) {
    clgemm_destroy(adopted);
    return clgemm_create_cl(&adopted, cl.context, cl.device);
}

static clgemm_status call_handle_sgemm_cl(void) {
    return clgemm_handle_sgemm_cl(adopted, CLGEMM_COL_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, N, N, N,
                                  1, buffers[0], 0, N, buffers[1], 0, N, 0, buffers[2], 0, N,
                                  cl.queue, 0, NULL, NULL);
}

static clgemm_status call_warmup(void) {
    const clgemm_shape shape = {200, 100, 300, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS};
    return clgemm_warmup(NULL, &shape, 1);
}

static clgemm_status call_export(void) {
    return clgemm_tuning_export(handle, tuning);
}

static clgemm_status call_import(void) {
    return clgemm_tuning_import(handle, NULL);
}

static clgemm_status call_forget(void) {
    return clgemm_tuning_forget(handle);
}

static clgemm_status call_min_flops(void) {
    return clgemm_min_flops(handle) > 0 ? CLGEMM_SUCCESS : CLGEMM_STATUS_INVALID_HANDLE;
}

static clgemm_status call_shares_memory(void) {
    return clgemm_shares_memory(handle) < 0 ? CLGEMM_STATUS_INVALID_HANDLE : CLGEMM_SUCCESS;
}

static clgemm_status call_is_building(void) {
    return clgemm_is_building(handle) < 0 ? CLGEMM_STATUS_INVALID_HANDLE : CLGEMM_SUCCESS;
}

static const struct call {
    const char *name;
    clgemm_status (*make)(void);
} calls[] = {
    {"sgemm", call_sgemm},
    {"create, destroy", call_create},
    {"handle_sgemm", call_handle_sgemm},
    {"sgemm_cl", call_sgemm_cl},
    {"create_cl", call_create_cl},
    {"handle_sgemm_cl", call_handle_sgemm_cl},
    {"warmup", call_warmup},
    {"tuning_export", call_export},
    {"tuning_import", call_import},
    {"tuning_forget", call_forget},
    {"min_flops", call_min_flops},
    {"shares_memory", call_shares_memory},
    {"is_building", call_is_building},
    {"clear_cache", clgemm_clear_cache},
};
enum { CALLS = sizeof calls / sizeof *calls };

struct victim {
    const struct call *call;
    bool returned;
    clgemm_status status;
    int raised, trapped;
};

enum { TRAPPED = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW };

static void *call_cancelled(void *user) {
    struct victim *victim = user;
    pthread_cancel(pthread_self());
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_UNDERFLOW);
    feenableexcept(TRAPPED);
    victim->status = victim->call->make();
    victim->returned = true;
    victim->raised = fetestexcept(FE_ALL_EXCEPT);
    victim->trapped = fegetexcept();
    pthread_testcancel();
    return NULL;
}

static void calls_are_made_to_their_end(void **state) {
    (void)state;
    for (int i = 0; i < CALLS; i++) {
        struct victim victim = {.call = &calls[i]};
        pthread_t thread;
        void *result;
        assert_int_equal(pthread_create(&thread, NULL, call_cancelled, &victim), 0);
        assert_int_equal(pthread_join(thread, &result), 0);
        if (!victim.returned)
            print_error("cancelled within clgemm_%s\n", calls[i].name);
        assert_true(victim.returned);
        clg_test_assert_success(victim.status);
        assert_true(result == PTHREAD_CANCELED); /* later */
        assert_int_equal(victim.raised, FE_UNDERFLOW);
        assert_int_equal(victim.trapped, TRAPPED);
        clg_test_assert_success(calls[i].make());
    }
}

static void state_is_as_it_was(void **state) {
    (void)state;
    static const int states[] = {PTHREAD_CANCEL_DISABLE, PTHREAD_CANCEL_ENABLE};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        int was;
        pthread_setcancelstate(states[i], NULL);
        for (int c = 0; c < CALLS; c++) {
            clg_test_assert_success(calls[c].make());
            pthread_setcancelstate(states[i], &was);
            assert_int_equal(was, states[i]);
        }
    }
}

/* The thread may flush denormals to zero, as programs built with -ffast-math do: alpha and beta are
 * read, and used, as they are. Large elements make each term 2^-4, in C and in a buffer. */
static void denormal_scalars_count(void **state) {
    (void)state;
#ifdef __SSE__
    enum { FTZ_AND_DAZ = 0x8040, CALLS_MADE = 5 };
    const clgemm_desc desc = clg_gemm_desc(CLGEMM_F32, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS,
                                           CLGEMM_NO_TRANS, 1, 1, 1, 1, 1, 1);
    const float tiny = 0x1p-130F, x = 0x1p63F, large = 0x1p126F, expected = 0x1p-3F;
    float c[CALLS_MADE] = {large, large, large, large, large};
    const float *const both_x[] = {&x, &x};
    float *const both_c[] = {&c[4], &c[3]};
    const size_t zeros[] = {0, 0}, at[] = {1, 0};
    cl_int error =
        clEnqueueWriteBuffer(cl.queue, buffers[0], CL_TRUE, 0, sizeof x, &x, 0, NULL, NULL);
    error |=
        clEnqueueWriteBuffer(cl.queue, buffers[2], CL_TRUE, 0, 3 * sizeof *c, c, 0, NULL, NULL);
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | FTZ_AND_DAZ);
    const clgemm_status statuses[] = {
        clgemm_sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, tiny, &x, 1, &x,
                     1, tiny, &c[0], 1),
        clgemm_gemm(NULL, &desc, &tiny, &x, &x, &tiny, &c[1]),
        clgemm_gemm_batch(NULL, &desc, 2, &tiny, (const void *const *)both_x,
                          (const void *const *)both_x, &tiny, (void *const *)both_c),
        clgemm_gemm_cl(NULL, &desc, &tiny, buffers[0], 0, buffers[0], 0, &tiny, buffers[2], 2,
                       cl.queue, 0, NULL, NULL),
        clgemm_gemm_batch_cl(NULL, &desc, 2, &tiny, buffers[0], zeros, buffers[0], zeros, &tiny,
                             buffers[2], at, cl.queue, 0, NULL, NULL)};
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        clg_test_assert_success(statuses[i]);
    assert_int_equal(after & FTZ_AND_DAZ, FTZ_AND_DAZ);
    c[2] = expected;
    for (int i = 0; i < CALLS_MADE; i++)
        assert_true(c[i] == expected);
    error |= clEnqueueReadBuffer(cl.queue, buffers[2], CL_TRUE, 0, 3 * sizeof *c, c, 0, NULL, NULL);
    assert_int_equal(error, CL_SUCCESS);
    for (int i = 0; i < 3; i++)
        assert_true(c[i] == expected);
#else
    skip();
#endif
}

static int open_all(void **state) {
    (void)state;
    if (!mkdtemp(tuning))
        return -1;
    clg_test_cl_open(&cl, 0);
    for (int i = 0; i < 3; i++) {
        buffers[i] =
            clCreateBuffer(cl.context, CL_MEM_READ_WRITE, sizeof(float[N * N]), NULL, NULL);
        if (!buffers[i])
            return -1;
    }
    setenv("CLGEMM_VERBOSE", "3", 1); /* its writes are cancellation points */
    setenv("CLGEMM_LOGFILE", "/dev/null", 1);
    return 0;
}

static int close_all(void **state) {
    (void)state;
    clgemm_destroy(handle);
    clgemm_destroy(adopted);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    clg_test_cl_close(&cl);
    clg_test_remove(tuning);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_made_to_their_end),
        cmocka_unit_test(state_is_as_it_was),
        cmocka_unit_test(denormal_scalars_count),
    };
    clg_test_require_device();
    alarm(120);
    return cmocka_run_group_tests_name("callers", tests, open_all, close_all);
}
