/* SPDX-License-Identifier: Apache-2.0
 * The size limit of the program cache on disk: what is removed, in which order, and what stays. No
 * device is needed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "support/cache.h"
#include "support/check.h"

enum { SIZE = 32 };

static void keep(const char *key) {
    clg_test_cache_keep(key, SIZE);
}

static void set_used(const struct clg_test_cache *cache, const char *key, int seconds_ago) {
    char path[CLG_TEST_PATH];
    const struct timespec when = {time(NULL) - seconds_ago, 0}, times[2] = {when, when};
    clg_test_cache_path(cache, key, path);
    assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

/* As much as three such entries take. */
static void allow_three(const struct clg_test_cache *cache) {
    struct stat info;
    char path[CLG_TEST_PATH], text[32];
    keep("a");
    clg_test_cache_path(cache, "a", path);
    assert_int_equal(stat(path, &info), 0);
    snprintf(text, sizeof text, "%d", (int)(3 * info.st_size));
    setenv("CLGEMM_CACHE_MAX_SIZE", text, 1);
}

static void least_recently_used_goes_first(void **state) {
    const struct clg_test_cache *cache = *state;
    allow_three(cache);
    keep("b");
    keep("c");
    clg_test_cache_assert(cache, 3, 0); /* exactly as many as allowed */
    set_used(cache, "a", 300);
    set_used(cache, "b", 200);
    set_used(cache, "c", 100);
    clg_test_cache_assert_found("a"); /* a hit is a use */
    keep("d");
    clg_test_cache_assert(cache, 3, 0);
    clg_test_cache_assert_found("a");
    clg_test_cache_assert_missed("b");
    clg_test_cache_assert_found("c");
    clg_test_cache_assert_found("d");
    setenv("CLGEMM_CACHE_MAX_SIZE", "1", 1);
    keep("e"); /* larger than the whole limit: not written, and no reason to empty the cache */
    clg_test_cache_assert_missed("e");
    clg_test_cache_assert(cache, 3, 0);
}

static void size_is_in_bytes(void **state) {
    const struct clg_test_cache *cache = *state;
    static const struct {
        const char *most;
        int entries; /* of the three, 400 kB each */
    } cases[] = {{"0", 0},    {"399K", 0}, {"410K", 1}, {"1M", 2},  {"2m", 3},          {"1G", 3},
                 {"lots", 3}, {"-1", 3},   {"", 3},     {"1KB", 3}, {"99999999999G", 3}};
    enum { BYTES = 400 * 1024 };
    static const char *const keys[] = {"a", "b", "c"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("CLGEMM_CACHE_MAX_SIZE", cases[i].most, 1);
        for (int j = 0; j < 3; j++)
            clg_test_cache_keep(keys[j], BYTES);
        clg_test_cache_assert(cache, cases[i].entries, 0);
        clg_test_remove(cache->place);
    }
}

/* ---- Files that are not entries ---- */

static void only_stale_temporaries_go(void **state) {
    const struct clg_test_cache *cache = *state;
    static const struct timespec long_ago[2] = {{1000, 0}, {1000, 0}};
    static const char *const names[] = {".tmp-1-0", ".tmp-2-0", "README"};
    char path[CLG_TEST_PATH];
    keep("a");
    for (int i = 0; i < 3; i++) {
        clg_test_join(path, cache->folder, names[i]);
        clg_test_file_write(path, names, 1);
        if (i != 1)
            assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
    }
    clg_test_cache_assert_found("a");
    keep("b");
    const struct clg_test_tally tally = clg_test_cache_tally(cache);
    assert_int_equal(tally.entries, 2);
    assert_int_equal(tally.temporaries, 1); /* its writer may be alive */
    assert_int_equal(tally.others, 1);      /* not the library's */
}

int main(void) {
#define CACHE_TEST(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_cache_setup, clg_test_cache_teardown)
    static const struct CMUnitTest tests[] = {
        CACHE_TEST(least_recently_used_goes_first),
        CACHE_TEST(size_is_in_bytes),
        CACHE_TEST(only_stale_temporaries_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
