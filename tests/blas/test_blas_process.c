/* SPDX-License-Identifier: Apache-2.0
 * The drop-in in a process that has threads, handles signals, has no device, or looks at errno and
 * the arithmetic of its threads. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "drop_in.h"
#include "judge.h"
#include "level3.h"
#include "support/child.h"
#include "support/device.h"

static const char *const on_device[] = {"CLGEMM_MIN_FLOPS=0", NULL};

/* ---- Threads ------------------------------------------------------------------------------- */

enum { THREADS = 16, CALLS = 6 };

static void *call_often(void *start) {
    pthread_barrier_wait(start);
    for (int i = 0; i < CALLS; i++)
        drop_in_multiply(30 + 7 * i, i % 2 ? 0.5F : 0);
    return NULL;
}

static int many_threads(void) {
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, call_often, &start))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

/* All but those made while one thread opens the device. */
static void sixteen_threads_share_the_device(void **state) {
    (void)state;
    drop_in_succeed("many threads", on_device);
    const int opening = drop_in_lines("?gemm on=cpu why=opening");
    assert_true(opening < THREADS * CALLS);
    drop_in_assert_lines("?gemm on=device", THREADS * CALLS - opening);
}

static void *call_once(void *unused) {
    drop_in_multiply(50, 0);
    return unused;
}

/* An OpenCL runtime compiles on the caller's stack. */
static int small_stack(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    if (pthread_create(&thread, &attributes, call_once, NULL))
        return 1;
    pthread_join(thread, NULL);
    drop_in_multiply(50, 0);
    return 0;
}

static void a_small_stack_is_spared(void **state) {
    (void)state;
    drop_in_succeed("small stack", on_device);
    drop_in_assert_lines("?gemm on=cpu why=stack", 1);
    drop_in_assert_lines("?gemm on=device", 1);
}

static void *call_for_ever(void *unused) {
    for (;;) {
        drop_in_multiply(100, 0);
        pthread_testcancel();
    }
    return unused;
}

/* Threads are cancelled at any moment. The device must still serve the others. */
static int cancelled(void) {
    for (int i = 0; i < 10; i++) {
        pthread_t thread;
        void *result;
        if (pthread_create(&thread, NULL, call_for_ever, NULL))
            return 1;
        drop_in_multiply(90 + i, 0.5F);
        if (pthread_cancel(thread) || pthread_join(thread, &result) || result != PTHREAD_CANCELED)
            return 2;
    }
    drop_in_multiply(100, 0.5F);
    return 0;
}

static void *call_cancelled(void *returned) {
    pthread_cancel(pthread_self());
    drop_in_multiply(50, 0);
    *(bool *)returned = true;
    return NULL;
}

/* Threads that have been cancelled before the first calls, which read files and find the BLAS. No
 * BLAS has a cancellation point, so programs call it while they hold locks. */
static int cancelled_before(void) {
    for (int i = 0; i < 3; i++) {
        bool returned = false;
        pthread_t thread;
        if (pthread_create(&thread, NULL, call_cancelled, &returned))
            return 1;
        pthread_join(thread, NULL);
        if (!returned)
            return 2;
    }
    return 0;
}

static void no_call_is_a_cancellation_point(void **state) {
    static const char *const settings[] = {"CLGEMM_MIN_FLOPS=0", "CLGEMM_MIN_FLOPS=1e9",
                                           "CLGEMM_DISABLE=1", "CLGEMM_SUMMARY=/etc/passwd",
                                           "CLGEMM_CONFIG=/etc/passwd"};
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const char *const environment[] = {settings[i], "CLGEMM_VERBOSE=2", NULL};
        drop_in_succeed("cancelled before", environment);
        drop_in_assert_lines(i == 0 ? "?gemm on=device" : "?gemm on=cpu", 3);
    }
}

static void a_cancelled_thread_leaves_nothing_locked(void **state) {
    (void)state;
    drop_in_succeed("cancelled", on_device);
    assert_true(drop_in_lines("?gemm on=device why") >= 10);
    drop_in_assert_lines("?gemm on=cpu", drop_in_lines("?gemm on=cpu why=opening"));
}

/* ---- Signals ------------------------------------------------------------------------------- */

static atomic_int caught; /* by any thread */

static void note(int number) {
    (void)number;
    caught++;
}

/* A timer's signals arrive during the calls, and the handlers stay the program's. */
static int signals(void) {
    static const int numbers[] = {SIGALRM, SIGINT, SIGSEGV, SIGUSR1, SIGCHLD};
    const struct sigaction action = {.sa_handler = note};
    const struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}},
                           never = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 20; i++)
        drop_in_multiply(200 + i, 0.5F);
    setitimer(ITIMER_REAL, &never, NULL);
    if (caught == 0)
        return 1;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction now;
        if (sigaction(numbers[i], NULL, &now) || now.sa_handler != note)
            return 2;
        caught = 0;
        raise(numbers[i]);
        if (caught != 1)
            return 3;
    }
    return 0;
}

static void handlers_are_the_programs(void **state) {
    (void)state;
    drop_in_succeed("signals", on_device);
    drop_in_assert_lines("?gemm on=device", 20);
}

/* ---- No device ----------------------------------------------------------------------------- */

static int two_calls(void) {
    drop_in_multiply(50, 0);
    drop_in_multiply(50, 0.5F);
    return 0;
}

static void without_a_device_the_cpu_does_it(void **state) {
    (void)state;
    const char *const no_vendors[] = {"CLGEMM_MIN_FLOPS=0", "OCL_ICD_VENDORS=/nonexistent/",
                                      "OCL_ICD_FILENAMES", NULL};
    drop_in_succeed("two calls", no_vendors);
    if (drop_in_lines("?gemm on=device") == 0) { /* a loader such as CUDA's may look elsewhere */
        drop_in_assert_lines("clgemm: no device: ", 1);
        drop_in_assert_lines("?gemm on=cpu why=no-device", 2);
    }
    const char *const no_such[] = {"CLGEMM_MIN_FLOPS=0", "CLGEMM_DEVICE=no such thing", NULL};
    drop_in_succeed("two calls", no_such);
    drop_in_assert_lines("?gemm on=cpu why=no-device", 2);
    const char *const quiet[] = {"CLGEMM_MIN_FLOPS=0", "CLGEMM_DEVICE=no such thing",
                                 "CLGEMM_VERBOSE=0", NULL};
    drop_in_succeed("two calls", quiet);
    drop_in_assert_lines("", 0);
}

/* ---- The thread's state --------------------------------------------------------------------- */

/* The first calls from each place: they find the BLAS, read settings, and may open the device. */
static int errors(void) {
    enum { KEPT = 77 };
    const struct clg_test_problem one = {
        .layout = CLGEMM_COL_MAJOR, .ta = CLGEMM_NO_TRANS, .tb = CLGEMM_NO_TRANS, 1, 1, 1, 1, 1};
    const double _Complex a = 0, b = 0;
    double _Complex c = 0;
    errno = KEPT;
    drop_in_gemm(&one, BY_CBLAS, &a, 1, &b, 1, &c, 1);
    if (errno != KEPT)
        return 1;
    drop_in_gemm(&one, BY_FORTRAN, &a, 1, &b, 1, &c, 1);
    return errno == KEPT ? 0 : 2;
}

static void errno_stays(void **state) {
    static const char *const settings[] = {"CLGEMM_VERBOSE=0", "CLGEMM_MIN_FLOPS=0",
                                           "CLGEMM_DISABLE=1", "CLGEMM_CONFIG=/nonexistent",
                                           "CLGEMM_SUMMARY=/nonexistent"};
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const char *const environment[] = {settings[i], NULL};
        drop_in_succeed("errors", environment);
    }
}

/* A thread may flush denormals to zero, as programs built with -ffast-math do. Tiny scalars and
 * large elements make each term of the products an eighth or less. */
static int flushing(void) {
#ifdef __SSE__
    enum { FTZ_AND_DAZ = 0x8040 };
    const bool doubles = clg_type_real(drop_in_type) == CLGEMM_F64;
    const clgemm_level3_desc syrk = {.routine = CLGEMM_SYRK,
                                     .type = drop_in_type,
                                     .layout = CLGEMM_COL_MAJOR,
                                     .uplo = CLGEMM_UPPER,
                                     .trans = CLGEMM_NO_TRANS,
                                     .n = 1,
                                     .k = 1,
                                     .lda = 1,
                                     .ldc = 1};
    const struct clg_test_problem one = {
        .layout = CLGEMM_COL_MAJOR, .ta = CLGEMM_NO_TRANS, .tb = CLGEMM_NO_TRANS, 1, 1, 1};
    const double tiny = doubles ? 0x1p-1030 : 0x1p-130, large = doubles ? 0x1p511 : 0x1p63;
    /* 2 * tiny * large * large, which a compiler may compute after flushing has begun. */
    const double expected = doubles ? 0x1p-7 : 0x1p-3;
    double _Complex x, scale, c[4];
    judge_set(drop_in_type, &x, 0, large);
    judge_set(drop_in_type, &scale, 0, tiny);
    for (int i = 0; i < 4; i++)
        judge_set(drop_in_type, &c[i], 0, large * large);
    _mm_setcsr(_mm_getcsr() | FTZ_AND_DAZ);
    for (int names = BY_CBLAS; names <= BY_FORTRAN; names++) {
        drop_in_gemm_scaled(&one, (enum names)names, &scale, &x, 1, &x, 1, &scale, &c[names], 1);
        level3_call(level3_function(CLGEMM_SYRK, (enum names)names), (enum names)names, &syrk,
                    &scale, &x, NULL, &scale, &c[2 + names]);
    }
    if ((_mm_getcsr() & FTZ_AND_DAZ) != FTZ_AND_DAZ)
        return 1;
    for (int i = 0; i < 4; i++)
        if (judge_element(drop_in_type, &c[i], 0) != expected)
            return 2 + i;
    return 0;
#else
    return CLG_TEST_SKIP;
#endif
}

static void denormal_scalars_count(void **state) {
    (void)state;
    drop_in_succeed("flushing", on_device);
    drop_in_assert_lines("?gemm on=device", 2);
    drop_in_assert_lines("?syrk on=device", 2);
    drop_in_assert_lines("--alpha 0", 0);
    const char *const off[] = {"CLGEMM_DISABLE=1", NULL}; /* the BLAS may take them for 0 */
    drop_in_run("flushing", off);
    drop_in_assert_lines("alpha 0 ", 0);
    drop_in_assert_lines("alpha 0,", 0);
    drop_in_assert_lines("alpha=0 ", 0);
    drop_in_assert_lines("?gemm on=cpu why=disabled", 2);
    drop_in_assert_lines("?syrk on=cpu why=disabled", 2);
}

static atomic_int readings; /* of the environment, by the drop-in and the library */

__attribute__((visibility("default"))) char *secure_getenv(const char *name) {
    Dl_info caller;
    if (dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "libclgemm"))
        readings++;
    return getenv(name);
}

/* Other threads may set variables, and no thread may read one meanwhile. */
static int environment(void) {
    readings = 0; /* while libraries were loaded */
    for (int i = 0; i < 8; i++)
        drop_in_multiply(30 + 50 * i, 0.5F);
    return readings > 0;
}

static void the_environment_is_read_before_the_program(void **state) {
    (void)state;
    drop_in_succeed("environment", on_device);
    drop_in_assert_lines("?gemm on=device", 8);
    const char *const off[] = {"CLGEMM_DISABLE=1", NULL};
    drop_in_succeed("environment", off);
}

/* ---- The end ------------------------------------------------------------------------------- */

/* Runs when the compiler has been torn down. */
static void multiply_at_exit(void) {
    drop_in_multiply(50, 0.5F);
    drop_in_multiply(213, 0.5F);
    _exit(0);
}

/* Registered before the first call, as C++ registers what destroys a static object. */
static int early_handler(void) {
    if (atexit(multiply_at_exit))
        return 1;
    drop_in_multiply(50, 0.5F);
    exit(2);
}

static bool in_destructor;

__attribute__((destructor)) static void end(void) {
    if (in_destructor)
        multiply_at_exit();
}

static int destructor(void) {
    in_destructor = true;
    drop_in_multiply(50, 0.5F);
    exit(2);
}

static void the_cpu_does_it_when_the_program_ends(void **state) {
    static const char *const ends[] = {"early handler", "destructor"};
    static const char *const waiting[] = {"CLGEMM_MIN_FLOPS=0", "CLGEMM_BUILD=wait", NULL};
    (void)state;
    for (int i = 0; i < 2; i++) {
        drop_in_succeed(ends[i], on_device);
        assert_true(drop_in_lines("?gemm on=cpu why=exiting") > 0);
        drop_in_succeed(ends[i], waiting);
        drop_in_assert_lines("?gemm on=device", 2);
        drop_in_assert_lines("?gemm on=cpu why=exiting", 1);
    }
}

static int own_tests(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixteen_threads_share_the_device),
        cmocka_unit_test(a_small_stack_is_spared),
        cmocka_unit_test(a_cancelled_thread_leaves_nothing_locked),
        cmocka_unit_test(no_call_is_a_cancellation_point),
        cmocka_unit_test(handlers_are_the_programs),
        cmocka_unit_test(without_a_device_the_cpu_does_it),
        cmocka_unit_test(errno_stays),
        cmocka_unit_test(denormal_scalars_count),
        cmocka_unit_test(the_environment_is_read_before_the_program),
        cmocka_unit_test(the_cpu_does_it_when_the_program_ends),
    };
    return cmocka_run_group_tests_name("blas: process", tests, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {
        {"many threads", many_threads}, {"small stack", small_stack},
        {"cancelled", cancelled},       {"cancelled before", cancelled_before},
        {"signals", signals},           {"errors", errors},
        {"flushing", flushing},         {"early handler", early_handler},
        {"destructor", destructor},     {"environment", environment},
        {"two calls", two_calls}};
    return drop_in_main(argc, argv, ONE_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
