/* SPDX-License-Identifier: Apache-2.0
 * The program cache through whole calls, in fresh processes: who compiles and who does not. No
 * fault of the cache's folder may fail a call. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/facts.h"
#include "support/cache.h"
#include "support/cache_calls.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"

enum { NOT_PERMITTED = 78 };

/* ---- Roles of the children ---- */

/* Two handles, one after the other. */
static int call_twice(void) {
    int code = clg_test_call_and_print();
    return code ? code : clg_test_call_and_print();
}

/* The folder is removed between two calls. The second needs other programs on every device, because
 * A is transposed. */
static int call_while_folder_vanishes(void) {
    const struct clg_test_problem other = {.layout = CLGEMM_COL_MAJOR,
                                           .ta = CLGEMM_NO_TRANS,
                                           .tb = CLGEMM_NO_TRANS,
                                           .m = 160,
                                           .n = 150,
                                           .k = 140,
                                           .alpha = 1,
                                           .beta = 1};
    int code = clg_test_call_and_print();
    clg_test_remove(getenv("CLGEMM_CACHE_DIR"));
    return code ? code : clg_test_call_problem_and_print(&other);
}

static int call_on_full_disk(void) {
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("clgemm-test", getenv("CLGEMM_CACHE_DIR"), "tmpfs", 0, "size=4k,mode=0700"))
        return NOT_PERMITTED;
    return clg_test_call_and_print();
}

/* ---- Tiers ---- */

static void second_process_does_not_compile(void **state) {
    const struct clg_test_cache *cache = *state;
    struct clg_test_origins first, second;
    clg_test_run_calls("call", NULL, &first, 1);
    assert_true(first.compiled > 0);
    assert_int_equal(first.memory + first.disk, 0);
    assert_int_equal(clg_test_cache_tally(cache).entries, first.compiled);
    assert_int_equal(clg_test_cache_tally(cache).temporaries, 0);
    assert_int_equal(clg_test_cache_bad(cache), 0);
    clg_test_run_calls("call", NULL, &second, 1);
    assert_int_equal(second.compiled + second.memory, 0);
    assert_int_equal(second.disk, first.compiled);
}

/* PoCL compiles a kernel at its first launch and names that code by the kind of launch. Its binary
 * holds that code only if it is queried after a launch; else the next process would compile again,
 * behind clBuildProgram(), where these counts do not show it. */
static void pocl_binaries_hold_launched_code(void **state) {
    static const char kind[] = "goffs0";
    const struct clg_test_cache *cache = *state;
    struct clg_test_cl cl;
    struct clg_facts facts;
    struct clg_test_origins origins;
    clg_test_cl_open(&cl, 0);
    clg_test_assert_success(clg_facts_query(cl.device, &facts));
    clg_test_cl_close(&cl);
    if (!strstr(facts.platform, "Portable Computing Language"))
        skip();
    clg_test_run_calls("call", NULL, &origins, 1);
    char path[CLG_TEST_PATH];
    size_t size = 0;
    clg_test_cache_entry(cache, path);
    unsigned char *bytes = clg_test_file_read(path, &size);
    const bool found = memmem(bytes, size, kind, sizeof kind - 1) != NULL;
    free(bytes);
    assert_true(found);
}

static void second_handle_loads_from_memory(void **state) {
    struct clg_test_origins origins[2];
    (void)state;
    for (int warm = 0; warm < 2; warm++) {
        clg_test_run_calls("twice", NULL, origins, 2);
        assert_int_equal(warm ? origins[0].compiled : origins[0].disk, 0);
        assert_int_equal(origins[1].compiled + origins[1].disk, 0);
        assert_int_equal(origins[1].memory, origins[0].compiled + origins[0].disk);
    }
}

static void switched_off(void **state) {
    static const char *const off[] = {"CLGEMM_CACHE=0", NULL};
    const struct clg_test_cache *cache = *state;
    struct clg_test_origins origins;
    clg_test_run_calls("call", off, &origins, 1);
    assert_true(origins.compiled > 0);
    assert_int_equal(access(cache->place, F_OK), -1);
    clg_test_run_calls("call", NULL, &origins, 1); /* fills it */
    clg_test_run_calls("call", off, &origins, 1);
    assert_true(origins.compiled > 0);
    assert_int_equal(origins.disk, 0);
}

static void places(void **state) {
    const struct clg_test_cache *cache = *state;
    char home[CLG_TEST_PATH + 8], xdg[CLG_TEST_PATH + 32], path[CLG_TEST_PATH];
    snprintf(home, sizeof home, "HOME=%s", cache->scratch);
    snprintf(xdg, sizeof xdg, "XDG_CACHE_HOME=%s/xdg", cache->scratch);
    const char *const by_home[] = {"CLGEMM_CACHE_DIR", home, NULL};
    const char *const by_xdg[] = {"CLGEMM_CACHE_DIR", home, xdg, NULL};
    struct clg_test_origins origins;
    clg_test_run_calls("call", by_xdg, &origins, 1);
    clg_test_join(path, cache->scratch, "xdg/clgemm/v1");
    assert_int_equal(access(path, F_OK), 0);
    clg_test_join(path, cache->scratch, ".cache/clgemm");
    assert_int_equal(access(path, F_OK), -1);
    clg_test_run_calls("call", by_home, &origins, 1);
    assert_int_equal(access(path, F_OK), 0);
    clg_test_run_calls("call", by_home, &origins, 1);
    assert_int_equal(origins.compiled, 0);
}

/* ---- Many at once ---- */

static int call_in_fresh_process(void) {
    char output[4096];
    int status = clg_test_run_self("call", NULL, output, sizeof output);
    if (status != 0)
        fprintf(stderr, "%s\n", output);
    return status;
}

static void sixteen_start_cold(void **state) {
    enum { PROCESSES = 16 };
    const struct clg_test_cache *cache = *state;
    struct clg_test_origins after;
    pid_t pids[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0)
            _exit(call_in_fresh_process());
    }
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(clg_test_wait_for(pids[i]), 0);
    clg_test_run_calls("call", NULL, &after, 1);
    assert_int_equal(after.compiled, 0);
    assert_int_equal(clg_test_cache_tally(cache).entries, after.disk);
    assert_int_equal(clg_test_cache_tally(cache).temporaries, 0);
    assert_int_equal(clg_test_cache_tally(cache).others, 0);
    assert_int_equal(clg_test_cache_bad(cache), 0);
}

/* ---- Folders and disks ---- */

static void folder_writable_by_others(const struct clg_test_cache *cache) {
    assert_int_equal(chmod(cache->place, 0777), 0);
}

static void folder_is_a_link(const struct clg_test_cache *cache) {
    char real[CLG_TEST_PATH];
    clg_test_join(real, cache->scratch, "real");
    assert_int_equal(rename(cache->place, real), 0);
    assert_int_equal(symlink(real, cache->place), 0);
}

static void folder_is_below_a_file(const struct clg_test_cache *cache) {
    clg_test_remove(cache->place);
    clg_test_file_write(cache->place, "x", 1);
}

static void entry_is_a_fifo(const struct clg_test_cache *cache) {
    char path[CLG_TEST_PATH];
    clg_test_cache_entry(cache, path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
}

static void entry_is_a_folder(const struct clg_test_cache *cache) {
    char path[CLG_TEST_PATH];
    clg_test_cache_entry(cache, path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void entry_is_a_link(const struct clg_test_cache *cache) {
    char path[CLG_TEST_PATH], good[CLG_TEST_PATH];
    clg_test_cache_entry(cache, path);
    clg_test_join(good, cache->scratch, "good");
    assert_int_equal(rename(path, good), 0);
    assert_int_equal(symlink(good, path), 0);
}

/* Each is put into a filled cache: the call works, and compiles what it cannot trust. */
static void troubled_folders(void **state) {
    static void (*const troubles[])(const struct clg_test_cache *) = {
        folder_writable_by_others, folder_is_a_link,  folder_is_below_a_file,
        entry_is_a_fifo,           entry_is_a_folder, entry_is_a_link};
    const struct clg_test_cache *cache = *state;
    for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++) {
        struct clg_test_origins cold, origins;
        clg_test_run_calls("call", NULL, &cold, 1);
        troubles[i](cache);
        clg_test_run_calls("call", NULL, &origins, 1);
        assert_true(origins.compiled > 0);
        assert_int_equal(origins.compiled + origins.disk, cold.compiled);
        clg_test_remove(cache->place);
    }
}

static void no_place(void **state) {
    const struct clg_test_cache *cache = *state;
    char pocl[CLG_TEST_PATH + 32]; /* which finds no device if it has no folder of its own */
    snprintf(pocl, sizeof pocl, "POCL_CACHE_DIR=%s/pocl", cache->scratch);
    const char *const nowhere[] = {"CLGEMM_CACHE_DIR", "XDG_CACHE_HOME", "HOME", pocl, NULL};
    const char *const relative[] = {"CLGEMM_CACHE_DIR=programs", NULL};
    struct clg_test_origins origins;
    assert_int_equal(chdir(cache->scratch), 0);
    clg_test_run_calls("call", nowhere, &origins, 1);
    assert_true(origins.compiled > 0);
    clg_test_run_calls("call", relative, &origins, 1);
    assert_true(origins.compiled > 0);
    assert_int_equal(access("programs", F_OK), -1);
    assert_int_equal(access("clgemm", F_OK), -1);
    assert_int_equal(chdir("/"), 0);
}

static void folder_vanishes(void **state) {
    const struct clg_test_cache *cache = *state;
    struct clg_test_origins origins[2];
    clg_test_run_calls("vanish", NULL, origins, 2);
    assert_true(origins[1].compiled > 0);
    assert_int_equal(clg_test_cache_tally(cache).entries, origins[1].compiled); /* created again */
    assert_int_equal(clg_test_cache_bad(cache), 0);
}

static void full_disk(void **state) {
    const struct clg_test_cache *cache = *state;
    assert_int_equal(mkdir(cache->place, 0700), 0);
    int code = clg_test_run_self("full", NULL, NULL, 0);
    if (code == NOT_PERMITTED)
        skip(); /* only a process that may mount can test it */
    assert_int_equal(code, 0);
}

int main(int argc, char **argv) {
#define CACHE_TEST(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_cache_setup, clg_test_cache_teardown)
    static const struct CMUnitTest tests[] = {
        CACHE_TEST(second_process_does_not_compile),
        CACHE_TEST(pocl_binaries_hold_launched_code),
        CACHE_TEST(second_handle_loads_from_memory),
        CACHE_TEST(switched_off),
        CACHE_TEST(places),
        CACHE_TEST(sixteen_start_cold),
        CACHE_TEST(troubled_folders),
        CACHE_TEST(no_place),
        CACHE_TEST(folder_vanishes),
        CACHE_TEST(full_disk),
    };
    static const struct {
        const char *name;
        int (*play)(void);
    } roles[] = {{"call", clg_test_call_and_print},
                 {"twice", call_twice},
                 {"vanish", call_while_folder_vanishes},
                 {"full", call_on_full_disk}};
    for (size_t i = 0; argc == 2 && i < sizeof roles / sizeof *roles; i++)
        if (strcmp(argv[1], roles[i].name) == 0)
            clg_test_end_child(roles[i].play());
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
