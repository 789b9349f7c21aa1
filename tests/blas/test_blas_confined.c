/* SPDX-License-Identifier: Apache-2.0
 * The drop-in in a program that closes descriptors: it ends as it would without the drop-in.
 * Nothing is compiled yet: both caches are empty. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "drop_in.h"
#include "support/cache.h"
#include "support/child.h"
#include "support/device.h"

static void nap(int ms) {
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Runs the role with empty caches, by default settings otherwise, or with those of `more`. */
static void succeed(void **state, const char *role, const char *more) {
    const struct clg_test_cache *cache = *state;
    char pocl[CLG_TEST_PATH + 32];
    snprintf(pocl, sizeof pocl, "POCL_CACHE_DIR=%s/pocl", cache->scratch);
    const char *const settings[] = {pocl, more, NULL};
    drop_in_succeed(role, settings);
}

/* ---- Descriptors --------------------------------------------------------------------------- */

static int entries(void) {
    struct clg_test_cache cache = {.scratch = ""};
    snprintf(cache.folder, sizeof cache.folder, "%s/v1", getenv("CLGEMM_CACHE_DIR"));
    return clg_test_cache_tally(&cache).entries;
}

/* As a daemon does, while a better kernel is being compiled: until that and its verdict are kept.
 */
static int close_all(void) {
    drop_in_multiply(213, 0);
    const int general = entries();
    for (int ms = 0; entries() < general + 2 && ms < 60000; ms += 50) {
        for (int file = 3; file < 256; file++)
            close(file);
        nap(50);
    }
    nap(200); /* until the library has noticed, too */
    drop_in_multiply(213, 0.5F);
    return 0;
}

static void descriptors_may_be_closed(void **state) {
    succeed(state, "close all", "CLGEMM_MIN_FLOPS=0");
    drop_in_assert_lines("?gemm on=device", 2);
    drop_in_assert_lines("why=interim", 1);
    drop_in_assert_lines("could not be built", 0);
}

#define TEST(test) \
    cmocka_unit_test_setup_teardown(test, clg_test_cache_setup, clg_test_cache_teardown)

static int own_tests(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {
        TEST(descriptors_may_be_closed),
    };
    return cmocka_run_group_tests_name("blas: confined", tests, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {{"close all", close_all}};
    return drop_in_main(argc, argv, ONE_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
