/* SPDX-License-Identifier: Apache-2.0
 * What the library keeps of contexts that are created and released, and what it does when the
 * process ends. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device/device.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/gemm.h"

/* ---- Contexts that are created and released without a handle ---- */

enum { KEPT_PAIRS = 8 }; /* as clgemm_cl.h documents */

static void use_once(struct clg_test_cl *cl) {
    struct clg_test_random random = clg_test_random_start(3);
    struct clg_test_problem problem = clg_test_small_problem();
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, &random);
    clg_test_case_run_and_check_cl(cl, &test, NULL);
    clg_test_case_destroy(&test);
    clFinish(cl->queue);
}

static cl_uint references(cl_context context) {
    cl_uint count;
    assert_int_equal(
        clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL),
        CL_SUCCESS);
    return count;
}

/* Waits up to two seconds: a runtime's threads may release a command, and with it its context, a
 * little after it is finished. */
static bool references_fall_to(cl_context context, cl_uint wanted) {
    for (int i = 0; i < 2000 && references(context) > wanted; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return references(context) == wanted;
}

static void old_contexts_are_released(void **state) {
    (void)state;
    enum { CONTEXTS = KEPT_PAIRS + 5 };
    cl_context contexts[CONTEXTS];
    int held = 0;
    for (int i = 0; i < CONTEXTS; i++) {
        struct clg_test_cl cl;
        clg_test_cl_open(&cl, 0);
        use_once(&cl);
        contexts[i] = cl.context;
        clRetainContext(cl.context);
        clg_test_cl_close(&cl);
    }
    for (int i = 0; i < CONTEXTS - KEPT_PAIRS; i++)
        held += !references_fall_to(contexts[i], 1);
    for (int i = CONTEXTS - KEPT_PAIRS; i < CONTEXTS; i++)
        held += references(contexts[i]) > 1;
    assert_true(held <= KEPT_PAIRS);
    assert_true(references(contexts[CONTEXTS - 1]) > 1); /* kept, or each call would build again */
    clg_test_assert_success(clgemm_clear_cache());
    for (int i = 0; i < CONTEXTS; i++) {
        assert_true(references_fall_to(contexts[i], 1));
        clReleaseContext(contexts[i]);
    }
}

static void a_handle_releases_its_context(void **state) {
    (void)state;
    struct clg_test_cl cl;
    clgemm_handle *handle;
    clg_test_cl_open(&cl, 0);
    cl_uint before = references(cl.context);
    clg_test_assert_success(clgemm_create_cl(&handle, cl.context, cl.device));
    assert_true(references(cl.context) > before);
    clg_test_check_works(handle);
    clgemm_destroy(handle);
    assert_true(references_fall_to(cl.context, before));
    clg_test_cl_close(&cl);
}

static long resident_kib(void) {
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &pages, &resident), 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* The bound allows for what runtimes lose. A context that is kept with its programs costs more than
 * ten times as much. */
static void contexts_by_the_hundred_do_not_grow(void **state) {
    (void)state;
    enum { KIB_EACH = 20, KIB_SLACK = 8192 };
    int rounds = clg_test_is_long() ? 10000 : 200;
    long before = 0;
    for (int i = -50; i < rounds; i++) {
        struct clg_test_cl cl;
        clg_test_cl_open(&cl, 0);
        use_once(&cl);
        clg_test_cl_close(&cl);
        if (i == 0)
            before = resident_kib();
    }
    long growth = resident_kib() - before;
    print_message("%d contexts: resident memory grew by %ld KiB\n", rounds, growth);
#ifndef CLG_TEST_ASAN /* which keeps freed memory in quarantine */
    assert_true(growth <= KIB_SLACK + (long)rounds * KIB_EACH);
#endif
}

/* ---- After exit() has begun ---- */

enum { BUILT = 40, UNBUILT = 301 };
static float exit_a[UNBUILT * UNBUILT], exit_c[UNBUILT * UNBUILT];

static clgemm_status exit_multiply(int n) {
    return clgemm_sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, n, n, n, 1, exit_a, n,
                        exit_a, n, 0, exit_c, n);
}

static bool in_background, has_ended; /* the runtime, when handlers of the program run */

/* Runs when the runtime's compiler has been torn down. In the background, the plan of the first
 * call may have been replaced by one that was not launched yet. */
static void multiply_at_exit(void) {
    clgemm_handle *handle = NULL;
    exit_c[0] = 0;
    const clgemm_status built = exit_multiply(BUILT), unbuilt = exit_multiply(UNBUILT),
                        opened = clgemm_create(&handle, NULL);
    const bool fine = built ? (in_background || has_ended) && built == CLGEMM_STATUS_EXITING
                            : !has_ended && exit_c[0] == BUILT;
    if (!fine || unbuilt != CLGEMM_STATUS_EXITING || opened != CLGEMM_STATUS_EXITING || handle) {
        fprintf(stderr, "%s, %s, %s, %g\n", clgemm_status_name(built), clgemm_status_name(unbuilt),
                clgemm_status_name(opened), (double)exit_c[0]);
        _exit(1);
    }
    _exit(0); /* with the code of this test: the runtime's own exit is not its subject */
}

static bool in_destructor;

__attribute__((destructor)) static void end(void) {
    if (in_destructor)
        multiply_at_exit();
}

/* A handler that is registered before the first call, as C++ registers what destroys a static
 * object; or a destructor, which runs after all handlers. */
static int exit_early(const char *role) {
    const char *build = getenv("CLGEMM_BUILD");
    struct clg_device *device;
    in_background = build && strcmp(build, "background") == 0;
    in_destructor = strcmp(role, "destructor") == 0;
    for (int i = 0; i < UNBUILT * UNBUILT; i++)
        exit_a[i] = 1;
    if ((!in_destructor && atexit(multiply_at_exit)) ||
        clg_device_open(&device, getenv("CLGEMM_DEVICE")))
        return 2;
    has_ended = !clg_facts_works_at_exit(device->facts.platform);
    clg_device_close(device);
    if (exit_multiply(BUILT))
        _exit(4);
    exit(3);
}

static void nothing_is_compiled_after_exit(void **state) {
    static const char *const roles[] = {"handler", "destructor"};
    static const char *const builds[] = {"CLGEMM_BUILD=wait", "CLGEMM_BUILD=background"};
    char output[4096];
    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *const environment[] = {builds[i / 2], NULL};
        const int code = clg_test_run_self(roles[i % 2], environment, output, sizeof output);
        if (code != 0)
            print_error("%s, %s: %s\n", roles[i % 2], builds[i / 2], output);
        assert_int_equal(code, 0);
    }
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_contexts_are_released),
        cmocka_unit_test(a_handle_releases_its_context),
        cmocka_unit_test(contexts_by_the_hundred_do_not_grow),
        cmocka_unit_test(nothing_is_compiled_after_exit),
    };
    if (argc > 1)
        return exit_early(argv[1]);
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
