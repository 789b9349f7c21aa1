/* SPDX-License-Identifier: Apache-2.0
 * What one process learns of the device is known to the next: the break-even, or that no call pays,
 * so that it does not ask again. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handle.h"
#include "drop_in.h"
#include "opening.h"
#include "support/cache.h"
#include "support/device.h"
#include "tuning/break_even.h"

/* The device's break-even in a file that CLGEMM_TUNING names, with `text` in it. */
static void write_break_evens(const struct clg_test_cache *cache, int64_t flops,
                              char text[CLG_TEST_PATH + 32]) {
    clgemm_handle *handle;
    char path[CLG_TEST_PATH];
    clg_test_join(path, cache->scratch, "tuned.json");
    clg_test_assert_success(clgemm_create(&handle, NULL));
    for (int type = CLGEMM_F32; type <= CLGEMM_CF64; type++) {
        struct clg_break_even measured = {
            .type = (clgemm_type)type, .flops = flops, .against = "a BLAS"};
        clg_tuning_stamp(measured.date, measured.version);
        clg_test_assert_success(
            clg_tuning_write_break_even(path, &handle->engine.device->facts, &measured, NULL, 0));
    }
    clgemm_destroy(handle);
    snprintf(text, CLG_TEST_PATH + 32, "CLGEMM_TUNING=%s", path);
}

/* The exit status says whether it was opened. */
static int asks(void) {
    opening_multiply(OPENING_CALLS);
    opening_wait();
    opening_multiply(2);
    drop_in_multiply(180, 0);
    exit(opening_started());
}

static void assert_asks(const char *const *settings, bool expected) {
    assert_int_equal(drop_in_run("asks", settings), expected);
    drop_in_assert_lines("as an earlier process found", expected ? 0 : 4);
}

static void that_nothing_pays_is_known_to_the_next(void **state) {
    char tuning[CLG_TEST_PATH + 32];
    const char *const settings[] = {tuning, NULL};
    const char *const another[] = {tuning, "CLGEMM_DEVICE=0:0", NULL};
    const char *const forgetful[] = {tuning, "CLGEMM_CACHE=0", NULL};
    write_break_evens(*state, INT64_MAX, tuning);
    assert_asks(forgetful, true);
    assert_asks(settings, true);
    drop_in_assert_lines("gemm break-even=", 4);
    assert_asks(settings, false);
    drop_in_assert_lines("sgemm on=cpu why=small", 2 + (drop_in_type == CLGEMM_F32));
    assert_asks(settings, false);
    if (!getenv("CLGEMM_DEVICE"))
        assert_asks(another, true);
    /* A file with other values, or a newer one with the same, makes the process ask again. */
    write_break_evens(*state, INT64_MAX, tuning);
    assert_asks(settings, true);
    assert_asks(settings, false);
}

static void damage(const char *folder, size_t length) {
    DIR *files = opendir(folder);
    int damaged = 0;
    assert_non_null(files);
    for (const struct dirent *file; (file = readdir(files));) {
        char path[2 * CLG_TEST_PATH];
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        if (strncmp(file->d_name, "break-even-", 11) == 0)
            damaged += truncate(path, (off_t)length) == 0;
    }
    closedir(files);
    assert_int_equal(damaged, 1);
}

static void a_damaged_note_is_none(void **state) {
    const struct clg_test_cache *cache = *state;
    char tuning[CLG_TEST_PATH + 32];
    const char *const settings[] = {tuning, NULL};
    write_break_evens(cache, INT64_MAX, tuning);
    assert_asks(settings, true);
    damage(cache->place, (size_t)clg_test_draw(60));
    assert_asks(settings, true);
    assert_asks(settings, false);
}

static int pays(void) {
    opening_multiply(OPENING_CALLS);
    opening_wait();
    const bool pairs = clg_type_is_complex(drop_in_type);
    drop_in_multiply(pairs ? 100 : 150, 0.5F); /* less than the break-even */
    drop_in_multiply(pairs ? 120 : 180, 0.5F);
    exit(0);
}

/* Both processes open the device; the second knows the break-even before. */
static void what_pays_is_known_to_the_next(void **state) {
    char tuning[CLG_TEST_PATH + 32];
    const char *const settings[] = {tuning, NULL};
    write_break_evens(*state, 10000000, tuning);
    for (int process = 0; process < 2; process++) {
        drop_in_succeed("pays", settings);
        drop_in_assert_lines("as an earlier process found", 4 * process);
        drop_in_assert_lines("gemm break-even=1e+07", 4 + 4 * process);
        drop_in_assert_lines("?gemm on=device", 1);
        drop_in_assert_lines("?gemm on=cpu why=small", 1);
    }
}

/* Each of these takes several processes, so the seed draws one. */
static const struct CMUnitTest known[] = {
    cmocka_unit_test_setup_teardown(that_nothing_pays_is_known_to_the_next, clg_test_cache_setup,
                                    clg_test_cache_teardown),
    cmocka_unit_test_setup_teardown(a_damaged_note_is_none, clg_test_cache_setup,
                                    clg_test_cache_teardown),
    cmocka_unit_test_setup_teardown(what_pays_is_known_to_the_next, clg_test_cache_setup,
                                    clg_test_cache_teardown),
};
enum { KNOWN = sizeof known / sizeof known[0] };

static int own_tests(void) {
    clg_test_require_device();
    if (clg_test_is_long())
        return cmocka_run_group_tests_name("blas: known", known, NULL, NULL);
    const struct CMUnitTest drawn[] = {known[clg_test_draw(KNOWN)]};
    return cmocka_run_group_tests_name("blas: known", drawn, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {{"asks", asks}, {"pays", pays}};
    return drop_in_main(argc, argv, ONE_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
