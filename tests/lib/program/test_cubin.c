/* SPDX-License-Identifier: Apache-2.0
 * Whether NVIDIA's driver is assumed to cache machine code itself. No device is needed. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/cubin.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"

enum { NOT_PERMITTED = 77 };

static const char *const variables[] = {"CUDA_CACHE_DISABLE", "CUDA_CACHE_MAXSIZE",
                                        "CUDA_CACHE_PATH", "HOME"};
enum { VARIABLES = sizeof variables / sizeof *variables };

/* With these values of the variables; NULL: it is not set. */
static bool keeps_with(const char *const values[VARIABLES]) {
    for (int i = 0; i < VARIABLES; i++)
        if (values[i])
            setenv(variables[i], values[i], 1);
        else
            unsetenv(variables[i]);
    return clg_cubin_driver_keeps();
}

/* In a process of its own, with its own environment. */
static int follow_the_variables(const struct clg_test_cache *cache) {
    const char *here = cache->scratch;
    char below[CLG_TEST_PATH], file[CLG_TEST_PATH], endless[8192];
    clg_test_join(below, here, "not/made/yet");
    clg_test_join(file, here, "file");
    clg_test_file_write(file, "x", 1);
    memset(endless, 'x', sizeof endless - 1);
    endless[0] = '/';
    endless[sizeof endless - 1] = 0;
    const struct {
        const char *values[VARIABLES];
        bool keeps;
    } cases[] = {
        {{NULL, NULL, NULL, here}, true},
        {{NULL, NULL, here, NULL}, true},
        {{NULL, NULL, below, NULL}, true},
        {{"0", "268435456", NULL, here}, true},
        {{"1", NULL, NULL, here}, false},
        {{NULL, "0", NULL, here}, false},
        {{NULL, NULL, NULL, NULL}, false},
        {{NULL, NULL, file, here}, false},
        {{NULL, NULL, "not/made/yet", here}, false},
        {{NULL, NULL, "/not-made/yet", here}, false},
        {{NULL, NULL, endless, here}, false},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        if (keeps_with(cases[i].values) != cases[i].keeps)
            return i + 1;
    return 0;
}

/* As a user without root's rights. */
static int look_as_nobody(const struct clg_test_cache *cache) {
    const char *const values[VARIABLES] = {NULL, NULL, NULL, cache->place};
    if (!clg_test_become_nobody())
        return NOT_PERMITTED;
    return keeps_with(values);
}

static void variables_decide(void **state) {
    assert_int_equal(clg_test_fork(follow_the_variables, *state), 0);
}

static void the_folder_takes_files(void **state) {
    const struct clg_test_cache *cache = *state;
    assert_int_equal(mkdir(cache->place, 0500), 0);
    if (geteuid() == 0) {
        assert_int_equal(chmod(cache->scratch, 0755), 0);
        assert_int_equal(chown(cache->place, CLG_TEST_NOBODY, CLG_TEST_NOBODY), 0);
    }
    assert_int_equal(clg_test_fork(look_as_nobody, cache), 0);
    assert_int_equal(chmod(cache->place, 0700), 0);
    assert_int_equal(clg_test_fork(look_as_nobody, cache), 1);
}

int main(void) {
#define CACHE_TEST(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_cache_setup, clg_test_cache_teardown)
    static const struct CMUnitTest tests[] = {
        CACHE_TEST(variables_decide),
        CACHE_TEST(the_folder_takes_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
