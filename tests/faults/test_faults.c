/* SPDX-License-Identifier: Apache-2.0
 * Every call of one kind that the library makes fails, once or from then on. Each time the library
 * must report it (or do without), keep C whole, leak nothing and work again afterwards.
 * Usage: test_faults [memory | system | lost | late]; without an argument the calls are OpenCL's.
 * `lost`: these with the codes of a lost device; `late`: OpenCL's commands, after they were
 * accepted. walk_draw() says which part of them a run tests. */
#define _GNU_SOURCE
#include "walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/cache.h"
#include "support/child.h"

enum { MOST_TESTS = 64, REPORTS = 10 };

/* ---- Kinds of calls ----------------------------------------------------------------------- */

static bool any_status(clgemm_status status) {
    (void)status;
    return true;
}

static void arm_memory(long n, int sticky) {
    libc_arm(LIBC_MEMORY, n, sticky);
}

static bool is_memory(clgemm_status status) {
    return status == CLGEMM_STATUS_OUT_OF_MEMORY || (int)status == CL_OUT_OF_HOST_MEMORY;
}

static void arm_system(long n, int sticky) {
    libc_arm(LIBC_SYSTEM, n, sticky);
}

/* Only files that the caller named must be readable or writable. Where no thread may be started, no
 * device is opened, as its runtime would end the process. */
static bool is_file_or_thread(clgemm_status status) {
    return status == CLGEMM_STATUS_INVALID_TUNING || status == CLGEMM_STATUS_OUT_OF_MEMORY;
}

/* Codes that lost devices have been seen to return; the tests use them in turn. */
static const int lost_codes[] = {CL_DEVICE_NOT_AVAILABLE, CL_INVALID_COMMAND_QUEUE,
                                 CL_INVALID_CONTEXT, -9999};
enum { LOST_CODES = sizeof lost_codes / sizeof *lost_codes };
static int lost_code;

static void arm_lost(long n, int sticky) {
    lost_code = lost_codes[n % LOST_CODES];
    steer.report(lost_code);
    steer.arm(n, sticky);
}

static bool is_lost(clgemm_status status) {
    const bool of_queue = lost_code == CL_INVALID_COMMAND_QUEUE; /* the caller's, by its code */
    return status == CLGEMM_STATUS_DEVICE_LOST || status == CLGEMM_STATUS_NO_DEVICE ||
           (int)status == lost_code || (of_queue && status == CLGEMM_STATUS_INVALID_QUEUE);
}

/* Half of them are such codes. A command that waited for a failed one says so. */
static void arm_late(long n, int sticky) {
    lost_code = n % 2 ? FAULT_CODE : lost_codes[n / 2 % LOST_CODES];
    steer.report(lost_code);
    steer.arm_late(n, sticky);
}

static bool is_late(clgemm_status status) {
    return is_lost(status) || (int)status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

static struct faults sorts[] = {
    {.name = "opencl", .by = BY_OPENCL, .parts = 3, .is_named_by = any_status},
    {.name = "memory",
     .by = BY_MEMORY,
     .parts = 4,
     .arm = arm_memory,
     .disarm = libc_disarm,
     .injected = libc_injected,
     .where = libc_where,
     .is_named_by = is_memory},
    {.name = "system",
     .by = BY_SYSTEM,
     .parts = 4,
     .arm = arm_system,
     .disarm = libc_disarm,
     .injected = libc_injected,
     .where = libc_where,
     .is_named_by = is_file_or_thread},
    {.name = "lost", .by = BY_OPENCL, .parts = 12, .arm = arm_lost, .is_named_by = is_lost},
    {.name = "late", .by = BY_LATE, .parts = 3, .arm = arm_late, .is_named_by = is_late},
};

static struct faults *sort_named(const char *name) {
    sorts[0].arm = steer.arm;
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
        if (!sorts[i].disarm) { /* the layer's */
            sorts[i].disarm = steer.disarm;
            sorts[i].injected = steer.injected;
            sorts[i].where = steer.where;
        }
        if (strcmp(sorts[i].name, name) == 0)
            return &sorts[i];
    }
    return NULL;
}

/* ---- First use: a process for each fault -------------------------------------------------- */

enum first_cache { AS_IT_IS, COLD, WARM };

/* The program cache is the test's own, unless the environment names one. */
static struct first {
    const char *name;
    const struct scenario *scenario;
    enum first_cache cache;
    unsigned by;
} firsts[] = {
    {"first use", &scenario_host, AS_IT_IS, BY_OPENCL},
    {"first use, checked", &scenario_host, COLD, BY_LATE},
    {"first use, cold cache", &scenario_host, COLD, BY_MEMORY | BY_SYSTEM},
    {"first use, warm cache", &scenario_host, WARM, BY_MEMORY | BY_SYSTEM},
    {"first use, built in the background", &scenario_background, COLD,
     BY_MEMORY | BY_SYSTEM | BY_LATE},
};

/* What a process without a fault holds at its end; the parent's and its children's. */
static struct holdings *expected;

/* The child's exit code: 0 rules kept, 1 broken, 2 kept and no fault occurred, CLG_TEST_SKIP no
 * device. */
static int first_use(struct walk *walk) {
    struct world world;
    world_open(&world, walk->scenario);
    struct outcome o = walk_attempt(walk, &world, walk->n);
    const bool injected = walk->faults->injected() > 0;
    if (walk->n == 0 && o.status == CLGEMM_STATUS_NO_DEVICE)
        return CLG_TEST_SKIP;
    if (walk->n > 0)
        walk_check_faulted(walk, &o);
    o = walk_attempt(walk, &world, 0);
    walk_check_recovered(walk, &o);
    world_close(&world);
    if (walk->n == 0) {
        clgemm_clear_cache();
        *expected = holdings_now();
    } else {
        walk_check_leaks(walk, expected, false);
    }
    return walk->broken ? 1 : injected ? 0 : 2;
}

static int in_child(const struct walk *walk) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct walk own = *walk;
        int code = first_use(&own);
        fflush(NULL);
        _exit(code);
    }
    return child > 0 ? clg_test_wait_for(child) : -1;
}

/* The state of a test. */
struct first_walk {
    const struct first *first;
    struct walk walk;
};

/* Every entry is whole, and no partial file is left. The folder need not exist. */
static bool is_sound(const struct clg_test_cache *cache) {
    const struct clg_test_tally tally = clg_test_cache_tally(cache);
    return tally.temporaries == 0 && (tally.entries == 0 || clg_test_cache_bad(cache) == 0);
}

static void walk_first_use(void **state) {
    enum { LEAST_CALLS = 12 }; /* which any first use creates */
    const struct first_walk *f = *state;
    struct walk walk = f->walk;
    const struct clg_test_walk drawn = walk.faults->drawn;
    struct clg_test_cache *cache = NULL;
    if (f->first->cache != AS_IT_IS) {
        clg_test_cache_setup((void **)&cache);
        unsetenv("CLGEMM_VERIFY");
    }
    walk.n = 0;
    int code = in_child(&walk), broken = code != 2, met = 0;
    for (walk.n = drawn.first, code = 0; code != 2 && broken < REPORTS; walk.n += drawn.step) {
        if (f->first->cache == COLD)
            clg_test_remove(cache->place);
        code = in_child(&walk);
        met += code == 0;
        broken += (code != 0 && code != 2) || (cache && !is_sound(cache));
    }
    print_message("%s, %s: up to call %ld\n", f->first->name, walk.sticky ? "sticky" : "once",
                  walk.n - 1);
    if (cache)
        clg_test_cache_teardown((void **)&cache);
    assert_true(met > 0 || drawn.first > LEAST_CALLS || broken);
    assert_int_equal(broken, 0);
}

/* ---- All of them -------------------------------------------------------------------------- */

static struct CMUnitTest tests[MOST_TESTS];
static char names[MOST_TESTS][64];
static int num_tests;

static void add(CMUnitTestFunction function, void *state, const char *name, int sticky) {
    assert_true(num_tests < MOST_TESTS);
    char *whole = names[num_tests];
    snprintf(whole, sizeof *names, "%s, %s", name, sticky ? "sticky" : "once");
    tests[num_tests++] =
        (struct CMUnitTest){.name = whole, .test_func = function, .initial_state = state};
}

/* First uses come first, because a process that has used OpenCL cannot fork children that use
 * it. */
static void add_all(const struct faults *faults) {
    static struct first_walk first_walks[MOST_TESTS];
    static struct walk walks[MOST_TESTS];
    for (size_t i = 0; i < 2 * sizeof firsts / sizeof *firsts; i++) {
        const struct first *first = &firsts[i / 2];
        const int sticky = i % 2;
        first_walks[i] = (struct first_walk){
            first, {.faults = faults, .scenario = first->scenario, .sticky = sticky}};
        if (first->by & faults->by)
            add(walk_first_use, &first_walks[i], first->name, sticky);
    }
    for (int i = 0; i < 2 * scenario_count; i++) {
        const struct scenario *s = &scenarios[i / 2];
        walks[i] = (struct walk){.faults = faults, .scenario = s, .sticky = i % 2};
        if (s->by & faults->by)
            add(walk_test, &walks[i], s->name, i % 2);
    }
}

int main(int argc, char **argv) {
    steer_setup(argv);
    struct faults *faults = sort_named(argc > 1 ? argv[1] : "opencl");
    if (!faults)
        return 1;
    walk_watch();
    expected =
        mmap(NULL, sizeof *expected, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(expected != MAP_FAILED);
    if (in_child(&(struct walk){.faults = faults, .scenario = &scenario_host}) == CLG_TEST_SKIP) {
        print_message("no OpenCL device\n");
        return CLG_TEST_SKIP;
    }
    walk_draw(faults);
    add_all(faults);
    return _cmocka_run_group_tests("faults", tests, (size_t)num_tests, NULL, NULL);
}
