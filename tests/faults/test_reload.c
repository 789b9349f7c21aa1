/* SPDX-License-Identifier: Apache-2.0
 * Programs that close the library and open it again, as programs with plug-ins do: it stays loaded,
 * with what it knows of the process. Linked with neither the library nor OpenCL. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

static bool no_device;
static void *library;

static clgemm_status multiply(void) {
    static float x[8 * 8], c[8 * 8];
    __typeof__(&clgemm_sgemm) sgemm = (__typeof__(&clgemm_sgemm))dlsym(library, "clgemm_sgemm");
    return sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 8, 8, 8, 1, x, 8, x, 8, 0, c,
                 8);
}

static void open_library(void) {
    library = dlopen(LIBRARY_PATH, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        print_error("%s\n", dlerror());
    assert_non_null(library);
}

static void reopen(void) {
    assert_int_equal(dlclose(library), 0);
    open_library();
}

/* In the child: whether the library still knows that OpenCL was used before the fork. */
static int call_in_child(void) {
    alarm(20); /* runtimes hang there */
    return multiply() == CLGEMM_STATUS_FORKED ? 0 : 1;
}

static void forks_are_known(void **state) {
    (void)state;
    open_library();
    const clgemm_status status = multiply();
    no_device = status == CLGEMM_STATUS_NO_DEVICE;
    if (no_device)
        skip();
    assert_int_equal(status, CLGEMM_SUCCESS);
    reopen();
    int code = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(call_in_child());
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code));
    assert_int_equal(WEXITSTATUS(code), 0);
}

static size_t allocated(void) {
    return mallinfo2().uordblks;
}

static void nothing_is_lost(void **state) {
    (void)state;
    enum { CYCLES = 8, MOST = 64 << 10 };
    if (no_device)
        skip();
    assert_int_equal(multiply(), CLGEMM_SUCCESS);
    const size_t before = allocated();
    for (int i = 0; i < CYCLES; i++) {
        reopen();
        assert_int_equal(multiply(), CLGEMM_SUCCESS);
    }
    const size_t after = allocated();
    if (after > before + MOST)
        print_error("%zu bytes more after %d cycles\n", after - before, CYCLES);
    assert_true(after <= before + MOST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forks_are_known),
        cmocka_unit_test(nothing_is_lost),
    };
    const int failed = cmocka_run_group_tests_name("reload", tests, NULL, NULL);
    return no_device ? CLG_TEST_SKIP : failed;
}
