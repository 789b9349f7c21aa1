/* SPDX-License-Identifier: Apache-2.0
 * The program cache on disk when its folder cannot be written, found or trusted, or is switched
 * off. No device is needed. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/disk.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"

enum { NOT_PERMITTED = 77, SIZE = 32 };

static void keep(const char *key) {
    clg_test_cache_keep(key, SIZE);
}

/* As a user without root's rights. */
static int use_as_nobody(const struct clg_test_cache *cache) {
    if (!clg_test_become_nobody())
        return NOT_PERMITTED;
    keep("b");
    if (clg_test_cache_find("b") != 0)
        return 1;
    const struct clg_test_tally tally = clg_test_cache_tally(cache);
    return tally.entries + tally.temporaries + tally.others == 0 ? 0 : 2;
}

static void give_to_nobody(const struct clg_test_cache *cache, const char *path) {
    if (geteuid() == 0) {
        assert_int_equal(chmod(cache->scratch, 0755), 0);
        assert_int_equal(chown(path, CLG_TEST_NOBODY, CLG_TEST_NOBODY), 0);
    }
}

static void unwritable_folder(void **state) {
    const struct clg_test_cache *cache = *state;
    assert_int_equal(mkdir(cache->place, 0700), 0);
    assert_int_equal(mkdir(cache->folder, 0500), 0);
    give_to_nobody(cache, cache->folder);
    give_to_nobody(cache, cache->place);
    assert_int_equal(clg_test_fork(use_as_nobody, cache), 0);
    assert_int_equal(rmdir(cache->folder), 0);
    assert_int_equal(chmod(cache->place, 0500), 0); /* the folder cannot be created */
    assert_int_equal(clg_test_fork(use_as_nobody, cache), 0);
    assert_int_equal(chmod(cache->place, 0700), 0); /* it was the mode that prevented it */
    assert_int_equal(clg_test_fork(use_as_nobody, cache), 1);
}

static void vanished_folder(void **state) {
    const struct clg_test_cache *cache = *state;
    keep("a");
    clg_test_remove(cache->folder);
    clg_test_cache_assert_missed("a");
    clg_disk_drop("a");
    clg_test_remove(cache->place);
    clg_test_cache_assert_missed("a");
    keep("a");
    clg_test_cache_assert_found("a");
    clg_test_cache_assert(cache, 1, 0);
}

/* With the cache off, nothing is found, not even what is there, and nothing is written. */
static void assert_off(const struct clg_test_cache *cache) {
    const int entries = clg_test_cache_tally(cache).entries;
    const char *why = NULL;
    assert_int_equal(clg_disk_open(true, &why), -1);
    assert_non_null(why);
    clg_test_cache_assert_missed("a");
    clg_disk_drop("a");
    keep("b");
    clg_test_cache_assert(cache, entries, 0);
}

static void untrusted_folders(void **state) {
    const struct clg_test_cache *cache = *state;
    const char *const folders[] = {cache->place, cache->folder};
    char real[CLG_TEST_PATH];
    clg_test_join(real, cache->scratch, "real");
    keep("a");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(chmod(folders[i], 0777), 0);
        assert_off(cache);
        assert_int_equal(chmod(folders[i], 0700), 0);
        clg_test_cache_assert_found("a");
        if (geteuid() == 0) {
            assert_int_equal(chown(folders[i], CLG_TEST_NOBODY, (gid_t)-1), 0);
            assert_off(cache);
            assert_int_equal(chown(folders[i], 0, (gid_t)-1), 0);
        }
        assert_int_equal(rename(folders[i], real), 0);
        assert_int_equal(symlink(real, folders[i]), 0);
        assert_off(cache);
        assert_int_equal(unlink(folders[i]), 0);
        clg_test_file_write(folders[i], "x", 1);
        assert_off(cache);
        assert_int_equal(unlink(folders[i]), 0);
        assert_int_equal(rename(real, folders[i]), 0);
        clg_test_cache_assert_found("a");
    }
}

static void switched_off(void **state) {
    const struct clg_test_cache *cache = *state;
    keep("a");
    setenv("CLGEMM_CACHE", "0", 1);
    assert_off(cache);
    unsetenv("CLGEMM_CACHE");
    clg_test_cache_assert_found("a");
    assert_int_equal(chdir(cache->scratch), 0);
    setenv("CLGEMM_CACHE_DIR", "programs", 1); /* relative to the working folder */
    assert_off(cache);
    assert_int_equal(chdir("/"), 0);
    const char *given = getenv("HOME");
    char *home = given ? strdup(given) : NULL;
    unsetenv("CLGEMM_CACHE_DIR");
    unsetenv("HOME");
    assert_off(cache);
    setenv("HOME", cache->scratch, 1);
    clg_test_cache_assert_missed("a");
    keep("a");
    clg_test_cache_assert_found("a");
    if (home)
        setenv("HOME", home, 1);
    free(home);
}

int main(void) {
#define CACHE_TEST(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_cache_setup, clg_test_cache_teardown)
    static const struct CMUnitTest tests[] = {
        CACHE_TEST(unwritable_folder),
        CACHE_TEST(vanished_folder),
        CACHE_TEST(untrusted_folders),
        CACHE_TEST(switched_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
