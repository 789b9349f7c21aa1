/* SPDX-License-Identifier: Apache-2.0
 * The environment as the library reads it: sizes, switches, and the folder of compiled programs. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "program/disk.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"

#define VARIABLE "CLGEMM_CACHE_MAX_SIZE"

enum { OTHERWISE = 77, INSECURE = 3 };

static void sizes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t size;
    } cases[] = {
        {"0", 0},
        {"1", 1},
        {"4096", 4096},
        {"007", 7},
        {"1K", UINT64_C(1) << 10},
        {"64k", UINT64_C(64) << 10},
        {"256M", UINT64_C(256) << 20},
        {"1m", UINT64_C(1) << 20},
        {"3G", UINT64_C(3) << 30},
        {"2g", UINT64_C(2) << 30},
        {"18446744073709551615", UINT64_MAX},
        {"18014398509481983K", UINT64_MAX - 1023},
        /* What is not a size. */
        {"", OTHERWISE},
        {"K", OTHERWISE},
        {"-1", OTHERWISE},
        {"+1", OTHERWISE},
        {" 1", OTHERWISE},
        {"1 ", OTHERWISE},
        {"1 K", OTHERWISE},
        {"1KB", OTHERWISE},
        {"1KK", OTHERWISE},
        {"1T", OTHERWISE},
        {"1.5G", OTHERWISE},
        {"0x10", OTHERWISE},
        {"1\xeb", OTHERWISE},
        {"lots", OTHERWISE},
        {"18446744073709551616", OTHERWISE},
        {"18014398509481984K", OTHERWISE},
        {"17179869184G", OTHERWISE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv(VARIABLE, cases[i].text, 1);
        if (clg_env_size(VARIABLE, OTHERWISE) != cases[i].size)
            print_error("\"%s\" is wrong\n", cases[i].text);
        assert_int_equal(clg_env_size(VARIABLE, OTHERWISE), cases[i].size);
    }
    unsetenv(VARIABLE);
    assert_int_equal(clg_env_size(VARIABLE, OTHERWISE), OTHERWISE);
}

static void values(void **state) {
    (void)state;
    unsetenv(VARIABLE);
    assert_null(clg_env(VARIABLE));
    assert_false(clg_env_is_off(VARIABLE));
    setenv(VARIABLE, "", 1);
    assert_null(clg_env(VARIABLE));
    assert_false(clg_env_is_off(VARIABLE));
    setenv(VARIABLE, "0", 1);
    assert_string_equal(clg_env(VARIABLE), "0");
    assert_true(clg_env_is_off(VARIABLE));
    setenv(VARIABLE, "1", 1);
    assert_false(clg_env_is_off(VARIABLE));
    unsetenv(VARIABLE);
}

/* ---- Places ---- */

static void set_or_not(const char *name, const char *value) {
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void place_of_programs(void **state) {
    (void)state;
    static const struct {
        const char *given, *xdg, *home, *path, *from;
    } cases[] = {
        {"/given", "/xdg", "/home", "/given", "CLGEMM_CACHE_DIR"},
        {"given", "/xdg", "/home", "given",
         "CLGEMM_CACHE_DIR"}, /* it is refused when it is opened */
        {NULL, "/xdg", "/home", "/xdg/clgemm", "XDG_CACHE_HOME"},
        {"", "/xdg", "/home", "/xdg/clgemm", "XDG_CACHE_HOME"},
        {NULL, "xdg", "/home", "/home/.cache/clgemm", "HOME"},
        {NULL, "", "/home", "/home/.cache/clgemm", "HOME"},
        {NULL, NULL, "/home", "/home/.cache/clgemm", "HOME"},
        {NULL, NULL, NULL, "", NULL},
        {NULL, "xdg", "", "", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_path place;
        char path[PATH_MAX];
        set_or_not("CLGEMM_CACHE_DIR", cases[i].given);
        set_or_not("XDG_CACHE_HOME", cases[i].xdg);
        set_or_not("HOME", cases[i].home);
        clg_path_programs(&place);
        assert_string_equal(place.path, cases[i].path);
        if (cases[i].from)
            assert_string_equal(place.from, cases[i].from);
        clg_disk_path(path, sizeof path);
        assert_memory_equal(path, place.path, strlen(place.path));
        assert_string_equal(path + strlen(place.path), *place.path ? "/v1" : "");
    }
}

/* A path that is too long counts as none; it is never cut. */
static void place_too_long(void **state) {
    (void)state;
    char text[PATH_MAX + 1], path[PATH_MAX];
    memset(text, 'a', sizeof text);
    text[0] = '/';
    static const char *const names[] = {"CLGEMM_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t j = 0; j < sizeof names / sizeof *names; j++)
            unsetenv(names[j]);
        for (int less = 0; less < 2; less++) { /* too long as it is, or with what is appended */
            struct clg_path place;
            text[less ? PATH_MAX - 2 : PATH_MAX] = '\0';
            setenv(names[i], text, 1);
            text[less ? PATH_MAX - 2 : PATH_MAX] = 'a';
            clg_path_programs(&place);
            if (!less || i > 0)
                assert_string_equal(place.path, "");
            clg_disk_path(path, sizeof path);
            assert_string_equal(path, "");
        }
        unsetenv(names[i]);
    }
}

/* ---- Set-uid ---- */

/* Child: the copy of this program that runs with another user's rights. */
static int look_from_set_uid(void) {
    struct clg_path place;
    clgemm_handle *handle;
    if (!getauxval(AT_SECURE))
        return INSECURE;
    clg_path_programs(&place);
    return clg_env("CLGEMM_CACHE_DIR") || clg_env("HOME") || *place.path ||
           clgemm_create(&handle, NULL) != CLGEMM_STATUS_NO_DEVICE ||
           !strstr(clgemm_last_error(), "set-uid");
}

static int become_set_uid(const struct clg_test_cache *cache) {
    char path[CLG_TEST_PATH];
    clg_test_join(path, cache->scratch, "copy");
    if (chmod(cache->scratch, 0755) || !clg_test_become_nobody())
        return INSECURE;
    setenv("CLGEMM_CACHE_DIR", "/given", 1);
    setenv("HOME", "/home", 1);
    execl(path, path, "set-uid", (char *)NULL);
    return INSECURE;
}

static void set_uid_process_has_no_place(void **state) {
    const struct clg_test_cache *cache = *state;
    char path[CLG_TEST_PATH];
    size_t size = 0;
#ifdef CLG_TEST_ASAN
    skip(); /* runtimes read the environment in any case */
#endif
    if (geteuid() != 0)
        skip();
    unsigned char *self = clg_test_file_read("/proc/self/exe", &size);
    clg_test_join(path, cache->scratch, "copy");
    clg_test_file_write(path, self, size);
    free(self);
    assert_int_equal(chmod(path, 04755), 0);
    int code = clg_test_fork(become_set_uid, cache);
    if (code == INSECURE)
        skip(); /* no set-uid programs on this file system */
    assert_int_equal(code, 0);
}

static const char *among(char **environment, const char *name) {
    for (; *environment; environment++)
        if (strncmp(*environment, name, strlen(name)) == 0)
            return *environment;
    return NULL;
}

/* The last of the tests: the copy holds until the end. */
static void what_is_kept_holds(void **state) {
    (void)state;
    setenv("CLGEMM_KEPT", "one", 1);
    clg_env_keep();
    setenv("CLGEMM_KEPT", "two", 1);
    setenv("LD_AUDIT", "libnothing.so", 1);
    assert_string_equal(clg_env("CLGEMM_KEPT"), "one");
    assert_null(clg_env("CLGEMM_KEP"));
    assert_null(clg_env("CLGEMM_KEPT1"));
    char **environment = clg_env_for_exec();
    assert_non_null(environment);
    assert_string_equal(among(environment, "CLGEMM_KEPT="), "CLGEMM_KEPT=one");
    free(environment);
    unsetenv("LD_AUDIT");
}

static void another_program_gets_what_the_loader_cut(void **state) {
    (void)state;
    setenv("LD_AUDIT", "libnothing.so", 1);
    setenv("OCL_ICD_FILENAMES", "one.so:two.so", 1);
    clg_env_keep_loaders();
    *strchr(getenv("OCL_ICD_FILENAMES"), ':') = '\0'; /* as ocl-icd does */
    char **environment = clg_env_for_exec();
    assert_non_null(environment);
    assert_string_equal(among(environment, "OCL_ICD_FILENAMES="),
                        "OCL_ICD_FILENAMES=one.so:two.so");
    assert_null(among(environment, "LD_AUDIT="));
    free(environment);
    unsetenv("OCL_ICD_FILENAMES");
    unsetenv("LD_AUDIT");
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(values),
        cmocka_unit_test(place_of_programs),
        cmocka_unit_test(place_too_long),
        cmocka_unit_test(another_program_gets_what_the_loader_cut),
        cmocka_unit_test_setup_teardown(set_uid_process_has_no_place, clg_test_cache_setup,
                                        clg_test_cache_teardown),
        cmocka_unit_test(what_is_kept_holds),
    };
    if (argc == 2 && strcmp(argv[1], "set-uid") == 0)
        return look_from_set_uid();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
