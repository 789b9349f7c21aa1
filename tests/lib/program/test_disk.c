/* SPDX-License-Identifier: Apache-2.0
 * The contract of the program cache on disk (program/disk.h): what is found and what is not,
 * whoever wrote it. No device is needed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "program/disk.h"
#include "program/key.h"
#include "support/cache.h"
#include "support/check.h"

enum { SIZE = 32 };

static void keep(const char *key) {
    clg_test_cache_keep(key, SIZE);
}

static int mode_of(const char *path) {
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode & 07777;
}

static void kept_is_found(void **state) {
    const struct clg_test_cache *cache = *state;
    char path[CLG_TEST_PATH];
    clg_test_cache_assert_missed("one");
    assert_int_equal(access(cache->place, F_OK), -1); /* a lookup creates no folder */
    keep("one");
    clg_test_cache_assert_found("one");
    clg_test_cache_assert_missed("two");
    clg_test_cache_assert_missed("on");
    assert_int_equal(mode_of(cache->place), 0700);
    assert_int_equal(mode_of(cache->folder), 0700);
    clg_test_cache_path(cache, "one", path);
    assert_int_equal(mode_of(path), 0600);
    keep("one");
    keep("two");
    clg_test_cache_assert(cache, 2, 0);
    assert_int_equal(clg_test_cache_bad(cache), 0);
    clg_disk_drop("one");
    clg_test_cache_assert_missed("one");
    clg_test_cache_assert_found("two");
    clg_disk_drop("one");
    clg_test_cache_assert(cache, 1, 0);
}

/* ---- Mix-ups ---- */

static char *key_for_driver(const char *driver) {
    static const struct clg_source source = {.name = "direct", .text = "text", .length = 4};
    struct clg_facts facts;
    memset(&facts, 0, sizeof facts);
    strcpy(facts.name, "device");
    snprintf(facts.driver, sizeof facts.driver, "%s", driver);
    char *key = clg_key_make(&facts, &source, "-DX=1", NULL);
    assert_non_null(key);
    return key;
}

/* Writes `old`'s entry under `new`'s name, with `new`'s key in it if `forge` is set. */
static void pass_off(const struct clg_test_cache *cache, const char *old, const char *new,
                     bool forge) {
    char from[CLG_TEST_PATH], to[CLG_TEST_PATH];
    size_t size = 0;
    clg_test_cache_path(cache, old, from);
    clg_test_cache_path(cache, new, to);
    unsigned char *bytes = clg_test_file_read(from, &size);
    const size_t length = strlen(old);
    unsigned char *key = memmem(bytes, size, old, length);
    assert_non_null(key);
    assert_int_equal(length, strlen(new));
    if (forge)
        memcpy(key, new, length);
    clg_test_file_write(to, bytes, size);
    free(bytes);
}

static void two_drivers_share_a_folder(void **state) {
    const struct clg_test_cache *cache = *state;
    static const unsigned char other[] = "what the newer driver takes";
    char *old = key_for_driver("1.0"), *new = key_for_driver("1.1"), path[CLG_TEST_PATH];
    keep(old);
    clg_test_cache_assert_missed(new);
    for (int forge = 0; forge < 2; forge++) {
        pass_off(cache, old, new, forge);
        clg_test_cache_assert(cache, 2, 0);
        clg_test_cache_assert_missed(new);
        clg_test_cache_assert(cache, 1, 0); /* and what was found is removed */
        clg_test_cache_assert_found(old);
    }
    clg_disk_keep(new, other, sizeof other);
    size_t size = 0;
    unsigned char *found = clg_disk_find(new, &size);
    assert_non_null(found);
    assert_int_equal(size, sizeof other);
    assert_memory_equal(found, other, size);
    free(found);
    clg_test_cache_assert_found(old);
    clg_test_cache_path(cache, new, path);
    clg_disk_drop(new);
    assert_int_equal(access(path, F_OK), -1);
    clg_test_cache_assert_found(old);
    free(old);
    free(new);
}

/* A whole entry with a valid checksum, but of another version of the format. */
static void another_format_is_a_miss(void **state) {
    enum { FORMAT_AT = 8, KEY_AT = 24 };
    static const char key[] = "one";
    const struct clg_test_cache *cache = *state;
    char path[CLG_TEST_PATH];
    clg_test_cache_path(cache, key, path);
    for (int version = 0; version < 3; version++) {
        size_t size = 0;
        keep(key);
        unsigned char *bytes = clg_test_file_read(path, &size);
        unsigned char *checksum = bytes + KEY_AT + strlen(key);
        bytes[FORMAT_AT] = (unsigned char)version;
        const struct clg_hash hash =
            clg_hash_of(bytes, (size_t)(checksum - bytes), checksum + CLG_HASH_BYTES, SIZE);
        memcpy(checksum, hash.bytes, CLG_HASH_BYTES);
        clg_test_file_write(path, bytes, size);
        free(bytes);
        assert_int_equal(clg_test_cache_find(key), version == CLG_ENTRY_FORMAT);
        clg_test_cache_assert(cache, version == CLG_ENTRY_FORMAT, 0);
    }
}

/* ---- Other things in place of an entry ---- */

/* To a valid entry, in the scratch folder. */
static void make_link(const char *path) {
    char target[CLG_TEST_PATH], scratch[CLG_TEST_PATH];
    assert_non_null(getcwd(scratch, sizeof scratch));
    clg_test_join(target, scratch, "good");
    assert_int_equal(rename(path, target), 0);
    assert_int_equal(symlink(target, path), 0);
}

static void make_loop(const char *path) {
    clg_test_remove(path);
    assert_int_equal(symlink(path, path), 0);
}

static void make_fifo(const char *path) {
    clg_test_remove(path);
    assert_int_equal(mkfifo(path, 0600), 0);
}

static void make_folder(const char *path) {
    char inner[CLG_TEST_PATH];
    clg_test_remove(path);
    clg_test_join(inner, path, "inner");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(mkdir(inner, 0700), 0);
}

static void make_empty(const char *path) {
    assert_int_equal(truncate(path, 0), 0);
}

static void make_huge(const char *path) {
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
}

static void make_writable(const char *path) {
    assert_int_equal(chmod(path, 0666), 0);
}

static void make_anothers(const char *path) {
    if (geteuid() == 0)
        assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
    else
        make_writable(path);
}

static void in_the_entrys_place(void **state) {
    static void (*const makers[])(const char *) = {make_link,     make_loop,    make_fifo,
                                                   make_folder,   make_empty,   make_huge,
                                                   make_writable, make_anothers};
    const struct clg_test_cache *cache = *state;
    char path[CLG_TEST_PATH];
    clg_test_cache_path(cache, "one", path);
    assert_int_equal(chdir(cache->scratch), 0);
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        keep("one");
        clg_test_cache_assert_found("one");
        makers[i](path);
        clg_test_cache_assert_missed("one");
        keep("one");
        /* Only a folder that is not empty stays; then each process builds the program. */
        assert_int_equal(clg_test_cache_find("one"), makers[i] != make_folder);
        clg_test_cache_assert(cache, 1, 0);
        clg_test_remove(path);
    }
    assert_int_equal(chdir("/"), 0);
}

int main(void) {
#define CACHE_TEST(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_cache_setup, clg_test_cache_teardown)
    static const struct CMUnitTest tests[] = {
        CACHE_TEST(kept_is_found),
        CACHE_TEST(two_drivers_share_a_folder),
        CACHE_TEST(another_format_is_a_miss),
        CACHE_TEST(in_the_entrys_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
