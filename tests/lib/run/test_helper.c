/* SPDX-License-Identifier: Apache-2.0
 * CLGEMM_BUILD=helper: a process of the library's own compiles, and the program cannot tell. Each
 * part is a process of its own with the shared library, because the helper lies beside that. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clgemm.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"

enum { N = 300, BUILT_MS = 120000, QUIET_MS = 40000 };

static void nap(int ms) {
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

/* ---- What the roles do ---- */

static __typeof__(&clgemm_sgemm) sgemm;

static void load(void) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    sgemm = library ? (__typeof__(sgemm))dlsym(library, "clgemm_sgemm") : NULL;
    if (!sgemm)
        exit(100);
}

/* A right product of matrices of ones; exits if it is wrong. */
static void multiply_as(clgemm_transpose ta) {
    static float a[N * N], c[N * N];
    for (int i = 0; i < N * N; i++)
        a[i] = 1;
    if (sgemm(CLGEMM_COL_MAJOR, ta, CLGEMM_NO_TRANS, N, N, N, 1, a, N, a, N, 0, c, N))
        exit(101);
    for (int i = 0; i < N * N; i++)
        if (c[i] != (float)N)
            exit(102);
}

static void multiply(void) {
    multiply_as(CLGEMM_NO_TRANS);
}

/* The helper of this process and of those with the same cache, once it waits for errands; or 0. */
static pid_t find_helper(void) {
    char path[64], text[65536], wanted[CLG_TEST_PATH + 32];
    pid_t found = 0;
    DIR *all = opendir("/proc");
    snprintf(wanted, sizeof wanted, "CLGEMM_CACHE_DIR=%s", getenv("CLGEMM_CACHE_DIR"));
    for (struct dirent *entry; all && (entry = readdir(all));) {
        const long process = strtol(entry->d_name, NULL, 10);
        snprintf(path, sizeof path, "/proc/%ld/exe", process);
        ssize_t size = process > 0 ? readlink(path, text, sizeof text - 1) : -1;
        text[size > 0 ? size : 0] = '\0';
        if (!strstr(text, "/clgemm-build") || getsid((pid_t)process) != process)
            continue;
        snprintf(path, sizeof path, "/proc/%ld/environ", process);
        const int file = open(path, O_RDONLY);
        size = file < 0 ? 0 : read(file, text, sizeof text);
        if (file >= 0)
            close(file);
        if (size > 0 && memmem(text, (size_t)size, wanted, strlen(wanted)))
            found = (pid_t)process;
    }
    if (all)
        closedir(all);
    return found;
}

/* Until no program is being built: then the cache has so many entries, or does not grow any more,
 * because a quick driver had built some of them before they were counted. */
static void wait_for_entries(int least) {
    struct clg_test_cache cache = {.scratch = ""};
    snprintf(cache.folder, sizeof cache.folder, "%s/v1", getenv("CLGEMM_CACHE_DIR"));
    int entries, before = 0;
    for (int ms = 0, quiet = 0; (entries = clg_test_cache_tally(&cache).entries) < least;
         ms += 20, quiet += 20) {
        if (ms > BUILT_MS)
            exit(103);
        if (entries != before)
            quiet = 0;
        else if (quiet > QUIET_MS)
            return;
        before = entries;
        nap(20);
    }
}

static int descriptors(void) {
    int count = 0;
    for (int file = 0; file < 256; file++)
        count += fcntl(file, F_GETFD) >= 0;
    return count;
}

static volatile sig_atomic_t children_ended;

static void note_child(int number) {
    (void)number;
    children_ended++;
}

/* Programs and findings of the general plan (direct and scale; PoCL's for narrow and wide grids)
 * take some entries, and those of the better plan two more. */
static int entries(void) {
    struct clg_test_cache cache = {.scratch = ""};
    snprintf(cache.folder, sizeof cache.folder, "%s/v1", getenv("CLGEMM_CACHE_DIR"));
    return clg_test_cache_tally(&cache).entries;
}

static int be_invisible(void) {
    struct rusage usage, zero;
    signal(SIGCHLD, note_child);
    multiply();
    const int open = descriptors(), general = entries();
    multiply();
    wait_for_entries(general + 2);
    nap(100); /* until the thread has noticed, too */
    multiply();
    memset(&zero, 0, sizeof zero);
    getrusage(RUSAGE_CHILDREN, &usage);
    if (descriptors() != open)
        return 1;
    if (children_ended > 0)
        return 2;
    if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
        return 3;
    return memcmp(&usage, &zero, sizeof usage) ? 4 : 0;
}

/* A GPU's driver cannot go on without its own. */
static bool is_of_driver(int file) {
    char name[32], path[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(name, path, sizeof path);
    return length >= 11 &&
           (strncmp(path, "/dev/nvidia", 11) == 0 || strncmp(path, "/dev/dri", 8) == 0);
}

/* Closes all descriptors while the better plan is being built, as a daemon does. */
static int close_all(void) {
    multiply();
    const int general = entries();
    for (int i = 0; i < 20; i++) {
        for (int file = 3; file < 256; file++)
            if (!is_of_driver(file))
                close(file);
        nap(20);
    }
    wait_for_entries(general + 2);
    nap(100);
    multiply();
    return 0;
}

/* Kills the helper while it builds, and so the next one, which builds another program. */
static int lose_helpers(void) {
    static const clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS};
    for (int i = 0; i < 2; i++) {
        pid_t helper = 0;
        multiply_as(transposes[i]);
        for (int ms = 0; ms < BUILT_MS && (helper = find_helper()) <= 0; ms += 2)
            nap(2);
        nap(100); /* until it has been asked */
        if (helper <= 0 || kill(helper, SIGKILL))
            return 1;
        while (find_helper() == helper)
            nap(2);
        nap(200);
        multiply_as(transposes[i]);
    }
    return 0;
}

/* Ends while it builds. */
static int end_early(void) {
    multiply();
    return find_helper() > 0 ? 0 : 1;
}

static int adopt_orphans(void) {
    if (prctl(PR_SET_CHILD_SUBREAPER, 1))
        return 1;
    multiply();
    return find_helper() > 0 ? 2 : 0;
}

/* Skipped if OpenCL's loader does not load the fault layer. */
static int have_it_alone(void) {
    multiply();
    return dlopen(LAYER_PATH, RTLD_NOW | RTLD_NOLOAD) ? 0 : CLG_TEST_SKIP;
}

/* With a limit, helpers open the device first, to see whether there is room. */
static int have_it_limited(void) {
#if defined CLG_TEST_ASAN || defined CLG_TEST_TSAN
    return CLG_TEST_SKIP; /* they take terabytes */
#else
    const rlim_t enough = (rlim_t)64 << 30;
    const struct rlimit limit = {enough, enough};
    return setrlimit(RLIMIT_AS, &limit) ? 1 : have_it_alone();
#endif
}

static const struct role {
    const char *name;
    int (*run)(void);
} roles[] = {{"be invisible", be_invisible},      {"close all", close_all},
             {"lose helpers", lose_helpers},      {"end early", end_early},
             {"adopt orphans", adopt_orphans},    {"have it alone", have_it_alone},
             {"have it limited", have_it_limited}};

/* ---- Tests ---- */

static char output[1 << 16];

static int lines_with(const char *text) {
    int count = 0;
    for (const char *at = output; (at = strstr(at, text)); at++)
        count++;
    return count;
}

static void succeed(void **state, const char *role, const char *build) {
    const struct clg_test_cache *cache = *state;
    char pocl[CLG_TEST_PATH + 32];
    snprintf(pocl, sizeof pocl, "POCL_CACHE_DIR=%s/pocl", cache->scratch);
    const char *const environment[] = {build, "CLGEMM_VERBOSE=2", pocl, NULL};
    const int code = clg_test_run_self(role, environment, output, sizeof output);
    if (code == CLG_TEST_SKIP)
        skip();
    if (code)
        fputs(output, stderr);
    assert_int_equal(code, 0);
}

/* Its log has the lines of this process only. */
static void a_program_only_loads(void **state) {
    succeed(state, "be invisible", "CLGEMM_BUILD=helper");
    assert_true(lines_with("built by the helper") > 2);
    assert_true(lines_with("loaded from disk") > 2);
    assert_int_equal(lines_with(" compiled in "), 0);
    assert_true(lines_with("why=interim") > 0);
}

static void descriptors_may_be_closed(void **state) {
    succeed(state, "close all", "CLGEMM_BUILD=helper");
    assert_int_equal(lines_with(" compiled in "), 0);
}

static void a_lost_helper_costs_a_build(void **state) {
    succeed(state, "lose helpers", "CLGEMM_BUILD=helper");
    /* One that is killed while it waits costs nothing but another start. */
    assert_true(lines_with("the compiler ended the helper's process") > 0);
    assert_int_equal(lines_with(" compiled in "), 0);
}

static void it_ends_with_the_program(void **state) {
    succeed(state, "end early", "CLGEMM_BUILD=helper");
    for (int ms = 0; find_helper() > 0; ms += 20) {
        assert_true(ms < BUILT_MS);
        nap(20);
    }
}

static void without_one_a_thread_builds(void **state) {
    succeed(state, "adopt orphans", "CLGEMM_BUILD=helper");
    assert_int_equal(lines_with("built by the helper"), 0);
    assert_true(lines_with(" compiled in ") > 0);
    assert_true(lines_with("why=interim") > 0);
}

/* As if the device were in exclusive mode: only one process may have a context. */
static void exclude_helpers(void **state, const char *role) {
    const struct clg_test_cache *cache = *state;
    char file[CLG_TEST_PATH + 32];
    snprintf(file, sizeof file, "%s/exclusive", cache->scratch);
    setenv("OPENCL_LAYERS", LAYER_PATH, 1);
    setenv("CLG_FAULT_EXCLUSIVE", file, 1);
    succeed(state, role, "CLGEMM_BUILD=helper");
    unsetenv("CLG_FAULT_EXCLUSIVE");
    unsetenv("OPENCL_LAYERS");
    assert_int_equal(lines_with("this process builds programs itself: "), 1);
    assert_true(lines_with("CL_OUT_OF_RESOURCES") > 0);
    assert_int_equal(lines_with("built by the helper"), 0);
    assert_true(lines_with(" compiled in ") > 0);
    assert_true(lines_with("why=interim") > 0);
}

static void a_device_that_only_the_program_has(void **state) {
    exclude_helpers(state, "have it alone");
}

static void a_trial_leaves_it_to_the_program(void **state) {
    exclude_helpers(state, "have it limited");
}

#define TEST(test) \
    cmocka_unit_test_setup_teardown(test, clg_test_cache_setup, clg_test_cache_teardown)

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        TEST(a_program_only_loads),
        TEST(descriptors_may_be_closed),
        TEST(a_lost_helper_costs_a_build),
        TEST(it_ends_with_the_program),
        TEST(without_one_a_thread_builds),
        TEST(a_device_that_only_the_program_has),
        TEST(a_trial_leaves_it_to_the_program),
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles && argc == 2; i++)
        if (strcmp(argv[1], roles[i].name) == 0) {
            load();
            return roles[i].run();
        }
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
