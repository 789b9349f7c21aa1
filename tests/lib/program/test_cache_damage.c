/* SPDX-License-Identifier: Apache-2.0
 * A real entry of the program cache, damaged: a miss each time, before the driver sees a byte. And
 * whole entries whose program the driver refuses: built from source, and replaced. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "program/disk.h"
#include "program/programs.h"
#include "support/cache.h"
#include "support/cache_calls.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/matrix.h"

enum { KEY_AT = 24 }; /* as program/entry.h draws it */

/* A cache with one entry, made by a call in a fresh process. */
struct real {
    char path[CLG_TEST_PATH];
    char *key;
    unsigned char *bytes; /* the whole file */
    size_t size, head;    /* of the file; of everything before the program */
};

static void make_real(const struct clg_test_cache *cache, struct real *out) {
    struct clg_test_origins origins;
    struct clg_entry entry;
    clg_test_run_calls("call", NULL, &origins, 1);
    assert_true(origins.compiled > 0);
    clg_test_cache_entry(cache, out->path);
    out->bytes = clg_test_file_read(out->path, &out->size);
    assert_null(clg_entry_parse(&entry, out->bytes, out->size));
    out->key = strndup(entry.key, entry.key_size);
    assert_non_null(out->key);
    out->head = out->size - entry.program_size;
}

static void free_real(struct real *real) {
    free(real->key);
    free(real->bytes);
}

/* Whether the cache returns a program for the key, and if so, whether it is the right one. */
static bool is_found(const struct real *real) {
    size_t size = 0;
    unsigned char *found = clg_disk_find(real->key, &size);
    if (found) {
        assert_int_equal(size, real->size - real->head);
        assert_int_equal(memcmp(found, real->bytes + real->head, size), 0);
    }
    free(found);
    return found != NULL;
}

/* ---- Every byte, every size ---- */

/* The entry is a link to this file, so that removing the entry does not cost a whole write. */
static int open_original(const struct clg_test_cache *cache, const struct real *real,
                         char path[CLG_TEST_PATH]) {
    clg_test_join(path, cache->scratch, "original");
    assert_int_equal(rename(real->path, path), 0);
    int file = open(path, O_RDWR | O_CLOEXEC);
    assert_true(file >= 0);
    return file;
}

/* The file in its present state, as the entry: a miss, and removed. */
static void assert_refused(const struct real *real, const char *original) {
    assert_int_equal(link(original, real->path), 0);
    assert_false(is_found(real));
    assert_int_equal(access(real->path, F_OK), -1);
}

static void assert_taken(const struct real *real, const char *original) {
    assert_int_equal(link(original, real->path), 0);
    assert_true(is_found(real));
    assert_int_equal(unlink(real->path), 0);
}

static void put(int file, size_t at, unsigned char byte) {
    assert_int_equal(pwrite(file, &byte, 1, (off_t)at), 1);
}

static const char *judge(const unsigned char *bytes, size_t size) {
    struct clg_entry entry;
    return clg_entry_parse(&entry, bytes, size);
}

/* The next byte; of the program only every 13th, unless all are needed. */
static size_t next_place(const struct real *real, size_t at, bool all) {
    return at + (all || at < real->head ? 1 : 13);
}

#ifdef CLG_TEST_ASAN
static const bool all = false; /* it takes ten times as long */
#else
static const bool all = true;
#endif

static void every_flipped_byte(void **state) {
    const struct clg_test_cache *cache = *state;
    struct real real;
    char original[CLG_TEST_PATH];
    make_real(cache, &real);
    for (size_t at = 0; at < real.size; at = next_place(&real, at, all)) {
        real.bytes[at] ^= (unsigned char)(1 << at % 8);
        assert_non_null(judge(real.bytes, real.size));
        real.bytes[at] ^= (unsigned char)(1 << at % 8);
    }
    assert_null(judge(real.bytes, real.size));
    int file = open_original(cache, &real, original);
    for (size_t at = 0; at < real.size; at = next_place(&real, at, false)) {
        put(file, at, real.bytes[at] ^ (unsigned char)(1 << at % 8));
        assert_refused(&real, original);
        put(file, at, real.bytes[at]);
    }
    assert_taken(&real, original);
    close(file);
    free_real(&real);
}

static void every_other_size(void **state) {
    const struct clg_test_cache *cache = *state;
    struct real real;
    char original[CLG_TEST_PATH];
    make_real(cache, &real);
    for (size_t size = 0; size < real.size; size++)
        assert_non_null(judge(real.bytes, size));
    int file = open_original(cache, &real, original);
    for (int extra = 0; extra < 256; extra++) {
        put(file, real.size, (unsigned char)extra);
        assert_refused(&real, original);
    }
    assert_int_equal(ftruncate(file, (off_t)real.size), 0);
    assert_taken(&real, original);
    for (size_t less = 1; less <= real.size; less = next_place(&real, less, false)) {
        assert_int_equal(ftruncate(file, (off_t)(real.size - less)), 0);
        assert_refused(&real, original);
    }
    assert_int_equal(ftruncate(file, 0), 0);
    assert_refused(&real, original);
    close(file);
    free_real(&real);
}

/* ---- Through whole calls ---- */

/* The next process compiles. The one after it need not: the entry is whole again. */
static void assert_replaced(const struct clg_test_cache *cache) {
    struct clg_test_origins origins;
    clg_test_run_calls("call", NULL, &origins, 1);
    assert_int_equal(origins.compiled, 1);
    assert_int_equal(origins.disk, 0);
    assert_int_equal(clg_test_cache_bad(cache), 0);
    clg_test_run_calls("call", NULL, &origins, 1);
    assert_int_equal(origins.compiled, 0);
    assert_int_equal(origins.disk, 1);
}

static void damage_costs_a_call_only_time(void **state) {
    const struct clg_test_cache *cache = *state;
    struct real real;
    make_real(cache, &real);
    const size_t flips[] = {
        0, 8, KEY_AT + 5, real.head - 3, real.head, real.size / 2, real.size - 1};
    const size_t sizes[] = {0, KEY_AT, real.head, real.size / 2, real.size - 1};
    for (size_t i = 0; i < sizeof flips / sizeof *flips; i++) {
        unsigned char *copy = clg_test_alloc(real.size);
        memcpy(copy, real.bytes, real.size);
        copy[flips[i]] ^= 0x10;
        clg_test_file_write(real.path, copy, real.size);
        free(copy);
        assert_replaced(cache);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        clg_test_file_write(real.path, real.bytes, sizes[i]);
        assert_replaced(cache);
    }
    free_real(&real);
}

/* Whole entries with the right key that do not hold a program. */
static void driver_refuses(void **state) {
    static const char *const texts[] = {"not a binary", "", "\177ELF", "//\n.version 9.9\n"};
    const struct clg_test_cache *cache = *state;
    struct real real;
    make_real(cache, &real);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t size = 0;
        clg_disk_keep(real.key, (const unsigned char *)texts[i], strlen(texts[i]));
        unsigned char *found = clg_disk_find(real.key, &size);
        assert_non_null(found);
        assert_int_equal(size, strlen(texts[i]));
        free(found);
        assert_replaced(cache);
    }
    /* If the new one may not be kept, the old one is still removed. */
    struct clg_test_origins origins;
    clg_disk_keep(real.key, (const unsigned char *)texts[0], strlen(texts[0]));
    clg_test_run_calls("call", (const char *const[]){"CLGEMM_CACHE_MAX_SIZE=1", NULL}, &origins, 1);
    assert_int_equal(origins.compiled, 1);
    assert_int_equal(clg_test_cache_tally(cache).entries, 0);
    free_real(&real);
}

/* Child: the program of another kernel, kept like any other. */
static int build_scale(void) {
    struct clg_device *device = NULL;
    struct clg_programs *programs = NULL;
    struct clg_program *program = NULL;
    struct clg_binaries *store = clg_binaries_new();
    int code = !store || clg_device_open(&device, getenv("CLGEMM_DEVICE")) ||
               clg_programs_open(&programs, device, store) ||
               clg_programs_get(programs, "scale", "", NULL, &program);
    clg_programs_close(programs);
    clg_binaries_free(store);
    return code;
}

/* A whole entry of a whole program that lacks the kernel: drivers refuse it late. */
static void kernel_is_missing(void **state) {
    const struct clg_test_cache *cache = *state;
    struct real real;
    char path[CLG_TEST_PATH];
    size_t size = 0;
    struct clg_entry other;
    make_real(cache, &real);
    assert_int_equal(unlink(real.path), 0);
    assert_int_equal(clg_test_run_self("scale", NULL, NULL, 0), 0);
    clg_test_cache_entry(cache, path);
    unsigned char *bytes = clg_test_file_read(path, &size);
    assert_null(clg_entry_parse(&other, bytes, size));
    clg_disk_keep(real.key, other.program, other.program_size);
    free(bytes);
    assert_replaced(cache);
    free_real(&real);
}

/* A whole entry of a program that lacks its code, as PoCL returns one whose own cache was removed:
 * PoCL ends the process that loads it. */
static void code_is_missing(void **state) {
    static const char code[] = "/program.bc";
    const struct clg_test_cache *cache = *state;
    struct real real;
    make_real(cache, &real);
    unsigned char *name =
        memmem(real.bytes + real.head, real.size - real.head, code, sizeof code - 1);
    if (!name) {
        free_real(&real);
        skip();
    }
    name[1] = 'x';
    clg_disk_keep(real.key, real.bytes + real.head, real.size - real.head);
    assert_replaced(cache);
    free_real(&real);
}

/* An entry of another format with a valid checksum: not read, and replaced. */
static void older_format(void **state) {
    enum { FORMAT_AT = 8 };
    const struct clg_test_cache *cache = *state;
    struct real real;
    make_real(cache, &real);
    unsigned char *checksum = real.bytes + real.head - CLG_HASH_BYTES;
    real.bytes[FORMAT_AT] = CLG_ENTRY_FORMAT - 1;
    const struct clg_hash hash = clg_hash_of(real.bytes, real.head - CLG_HASH_BYTES,
                                             real.bytes + real.head, real.size - real.head);
    memcpy(checksum, hash.bytes, CLG_HASH_BYTES);
    clg_test_file_write(real.path, real.bytes, real.size);
    assert_replaced(cache);
    free_real(&real);
}

int main(int argc, char **argv) {
#define CACHE_TEST(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_cache_setup, clg_test_cache_teardown)
    static const struct CMUnitTest tests[] = {
        CACHE_TEST(every_flipped_byte),
        CACHE_TEST(every_other_size),
        CACHE_TEST(damage_costs_a_call_only_time),
        CACHE_TEST(driver_refuses),
        CACHE_TEST(older_format),
        CACHE_TEST(kernel_is_missing),
        CACHE_TEST(code_is_missing),
    };
    if (argc == 2)
        clg_test_end_child(strcmp(argv[1], "scale") == 0 ? build_scale()
                                                         : clg_test_call_one_and_print());
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
