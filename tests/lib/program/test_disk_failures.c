/* SPDX-License-Identifier: Apache-2.0
 * The program cache on disk when everything fails: killed writers, many writers, and full disks. No
 * device is needed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program/disk.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"
#include "support/random.h"

enum { NOT_PERMITTED = 77, KEYS = 4, BYTES = CLG_TEST_PROGRAM };

static const char *const keys[KEYS] = {"a", "b", "c", "d"};

static void keep(const char *key) {
    clg_test_cache_keep(key, BYTES);
}

static void assert_found(const char *key) {
    assert_int_equal(clg_test_cache_find(key), 1);
}

/* ---- Writers that are killed, and writers that are many ---- */

static int write_for_ever(const struct clg_test_cache *cache) {
    (void)cache;
    for (int i = 0;; i++)
        keep(keys[i % KEYS]);
    return 0;
}

/* After some milliseconds; slow machines may need more before it writes. */
static void kill_a_writer(struct clg_test_random *random, int most_ms) {
    const struct timespec while_it_writes = {0, (long)clg_test_range(random, 1, most_ms) * 1000000};
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(60);
        _exit(write_for_ever(NULL));
    }
    nanosleep(&while_it_writes, NULL);
    kill(pid, SIGKILL);
    assert_int_equal(clg_test_wait_for(pid), -1);
}

static void make_stale(const struct clg_test_cache *cache) {
    static const struct timespec long_ago[2] = {{1000, 0}, {1000, 0}};
    struct clg_file_info *files = NULL;
    size_t count = 0;
    const char *why = NULL;
    int folder = clg_disk_open(false, &why);
    assert_true(folder >= 0 && clg_folder_list(folder, &files, &count));
    for (size_t i = 0; i < count; i++)
        if (clg_file_is_temporary(files[i].name))
            assert_int_equal(utimensat(folder, files[i].name, long_ago, 0), 0);
    free(files);
    close(folder);
    assert_int_equal(clg_test_cache_tally(cache).others, 0);
}

static void killed_writers(void **state) {
    enum { LEAST_KILLS = 30, MOST_KILLS = 1000, ENOUGH_LEFT = 5 };
    const struct clg_test_cache *cache = *state;
    struct clg_test_random random = clg_test_random_start(2);
    int left = 0, kills = 0;
    keep(keys[0]); /* so that the folder exists */
    while (kills < MOST_KILLS && (kills < LEAST_KILLS || left < ENOUGH_LEFT)) {
        kill_a_writer(&random, 20 + kills / 4);
        kills++;
        left = clg_test_cache_tally(cache).temporaries;
    }
    assert_true(left > 0); /* so some were killed while they wrote */
    assert_int_equal(clg_test_cache_bad(cache), 0);
    assert_found(keys[0]);
    for (int i = 0; i < KEYS; i++)
        keep(keys[i]);
    clg_test_cache_assert(cache, KEYS, left); /* they may belong to live writers, and do no harm */
    make_stale(cache);
    keep(keys[0]);
    clg_test_cache_assert(cache, KEYS, 0);
    for (int i = 0; i < KEYS; i++)
        assert_found(keys[i]);
}

/* Writes, reads and removes at the same time as others. Returns the number of lookups that found
 * something that nobody wrote. */
static int be_one_of_many(const struct clg_test_cache *cache) {
    (void)cache;
    int wrong = 0;
    for (int i = 0; i < 12; i++) {
        const char *key = keys[i % KEYS];
        keep(key);
        wrong += clg_test_cache_find(key) < 0;
        if (i % 5 == 0)
            clg_disk_drop(key);
    }
    return wrong;
}

static void many_writers_at_once(void **state) {
    enum { WRITERS = 8 };
    const struct clg_test_cache *cache = *state;
    pid_t writers[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        assert_true(writers[i] >= 0);
        if (writers[i] == 0)
            _exit(be_one_of_many(cache));
    }
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(clg_test_wait_for(writers[i]), 0);
    assert_int_equal(clg_test_cache_tally(cache).temporaries, 0);
    assert_int_equal(clg_test_cache_bad(cache), 0);
    for (int i = 0; i < KEYS; i++) {
        keep(keys[i]);
        assert_found(keys[i]);
    }
}

/* ---- A server that fails ---- */

static int read_error; /* 0: none */

ssize_t read(int file, void *bytes, size_t size) {
    errno = read_error;
    return read_error ? -1 : syscall(SYS_read, file, bytes, size);
}

/* What cannot be read is not removed: it may be good, and another process may be reading it. */
static void files_survive_a_server_that_fails(void **state) {
    static const int errors[] = {ESTALE, EIO, ETIMEDOUT};
    const struct clg_test_cache *cache = *state;
    keep(keys[0]);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        read_error = errors[i];
        assert_int_equal(clg_test_cache_find(keys[0]), 0);
        read_error = 0;
        assert_found(keys[0]);
    }
    clg_test_cache_assert(cache, 1, 0);
}

/* ---- Full disks ---- */

/* In a forked child: 0 if the key is not kept, nothing is left behind, and no older entry is
 * lost. */
static int keep_in_vain(const struct clg_test_cache *cache) {
    const int entries = clg_test_cache_tally(cache).entries;
    keep(keys[1]);
    if (clg_test_cache_find(keys[1]) != 0)
        return 1;
    const struct clg_test_tally tally = clg_test_cache_tally(cache);
    return tally.entries == entries && tally.temporaries == 0 ? 0 : 2;
}

static int keep_within_limit(const struct clg_test_cache *cache) {
    static const rlim_t limits[] = {BYTES - 1, 4096, 100, 0};
    signal(SIGXFSZ, SIG_DFL); /* which ends the process */
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct rlimit limit = {limits[i], BYTES};
        int code = setrlimit(RLIMIT_FSIZE, &limit) ? 3 : keep_in_vain(cache);
        if (code)
            return code;
    }
    return 0;
}

static void file_size_limit(void **state) {
    const struct clg_test_cache *cache = *state;
    keep(keys[0]);
    assert_int_equal(clg_test_fork(keep_within_limit, cache), 0);
    assert_found(keys[0]);
    keep(keys[1]);
    assert_found(keys[1]);
}

/* A file system of this size in place of the cache, visible to this process only. */
static bool mount_small(const struct clg_test_cache *cache, const char *options,
                        unsigned long flags) {
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("clgemm-test", cache->place, "tmpfs", flags, options) == 0;
}

static int keep_on_full_disk(const struct clg_test_cache *cache) {
    if (!mount_small(cache, "size=256k,mode=0700", 0))
        return NOT_PERMITTED;
    clg_test_cache_keep(keys[0], 100); /* fits */
    int code = keep_in_vain(cache);
    return clg_test_cache_find(keys[0]) == 1 ? code : 4;
}

static int keep_on_disk_without_inodes(const struct clg_test_cache *cache) {
    return mount_small(cache, "nr_inodes=1,mode=0700", 0) ? keep_in_vain(cache) : NOT_PERMITTED;
}

static int keep_on_read_only_disk(const struct clg_test_cache *cache) {
    return mount_small(cache, "mode=0700", MS_RDONLY) ? keep_in_vain(cache) : NOT_PERMITTED;
}

static void full_disk(void **state) {
    static int (*const works[])(const struct clg_test_cache *) = {
        keep_on_full_disk, keep_on_disk_without_inodes, keep_on_read_only_disk};
    const struct clg_test_cache *cache = *state;
    assert_int_equal(mkdir(cache->place, 0700), 0);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        int code = clg_test_fork(works[i], cache);
        if (code == NOT_PERMITTED)
            skip(); /* only a process that may mount can test it */
        assert_int_equal(code, 0);
    }
}

int main(void) {
#define CACHE_TEST(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_cache_setup, clg_test_cache_teardown)
    static const struct CMUnitTest tests[] = {
        CACHE_TEST(killed_writers),
        CACHE_TEST(many_writers_at_once),
        CACHE_TEST(files_survive_a_server_that_fails),
        CACHE_TEST(file_size_limit),
        CACHE_TEST(full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
