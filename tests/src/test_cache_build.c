/* SPDX-License-Identifier: Apache-2.0
 * Building into the program cache by worker processes, without a device: this program plays them
 * too. A fault with one program costs only that one. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/disk.h"
#include "program/key.h"
#include "src/common/build.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/facts.h"

enum { PROGRAMS = 12 };

#define PLAY_WORKER "--play-worker"

/* What becomes of a program; the m of its problem selects it. */
enum conduct { WORKS, HANGS, CRASHES, REFUSES, FORGETS, LOSES_DEVICE };

static char options_of[PROGRAMS][16];

static char *key_of(int program) {
    return clg_key_make(&clg_test_gpu, clg_source_find("scale"), options_of[program], NULL);
}

static void name_options(void) {
    for (int i = 0; i < PROGRAMS; i++)
        snprintf(options_of[i], sizeof options_of[i], "-DN=%d", i);
}

/* ---- The process ---- */

/* As if its writer had been killed meanwhile. */
static void leave_temporary(long process) {
    char name[64];
    const char *why;
    const int folder = clg_disk_open(true, &why);
    snprintf(name, sizeof name, CLG_FILE_TEMPORARY "%ld-0", process);
    close(openat(folder, name, O_WRONLY | O_CREAT, 0600));
    close(folder);
}

static bool keep(int program) {
    char *key = key_of(program);
    const bool kept = clg_disk_keep(key, (const unsigned char *)"binary", 6);
    free(key);
    return kept;
}

static int play_worker(void) {
    struct build_request request;
    name_options();
    while (worker_read(&request, sizeof request)) {
        struct build_answer answer;
        memset(&answer, 0, sizeof answer);
        switch ((enum conduct)request.problem.m) {
        case WORKS:
            answer.built = keep(request.step);
            break;
        case HANGS:
            leave_temporary(getpid());
            pause();
            break;
        case CRASHES:
            raise(SIGTERM);
            break;
        case REFUSES:
            snprintf(answer.why, sizeof answer.why, "no such program");
            break;
        case FORGETS:
            answer.built = true;
            break;
        case LOSES_DEVICE:
            answer.unusable = true;
            snprintf(answer.why, sizeof answer.why, "the device is busy");
        }
        if (!worker_answer(&answer, sizeof answer))
            break;
    }
    return 0;
}

/* ---- The caller ---- */

struct fixture {
    struct build_program items[PROGRAMS];
    struct build_set programs;
    enum build_outcome outcomes[PROGRAMS];
    struct build build;
};

static struct fixture *new_fixture(int jobs) {
    static const char *const words[] = {PLAY_WORKER, NULL};
    static struct fixture f;
    memset(&f, 0, sizeof f);
    for (int i = 0; i < PROGRAMS; i++) {
        f.items[i].source = "scale";
        snprintf(f.items[i].options, sizeof f.items[i].options, "%s", options_of[i]);
        f.items[i].step = i;
    }
    f.programs = (struct build_set){.items = f.items, .count = PROGRAMS};
    f.build = (struct build){.programs = &f.programs,
                             .facts = &clg_test_gpu,
                             .command = "test",
                             .words = words,
                             .jobs = jobs,
                             .limit = 0.3,
                             .start_limit = 20,
                             .outcomes = f.outcomes};
    for (int i = 0; i < PROGRAMS; i++) {
        char *key = key_of(i);
        clg_disk_drop(key);
        free(key);
    }
    build_look(&f.build);
    assert_int_equal(f.build.counts[BUILD_TO_DO], PROGRAMS);
    return &f;
}

static void all_are_built_once(void **state) {
    (void)state;
    for (int jobs = 1; jobs <= 16; jobs *= 4) {
        struct fixture *f = new_fixture(jobs);
        assert_true(keep(3));
        build_look(&f->build);
        assert_int_equal(f->build.counts[BUILD_THERE], 1);
        assert_true(build_run(&f->build));
        assert_int_equal(f->build.counts[BUILD_DONE], PROGRAMS - 1);
        assert_int_equal(f->outcomes[3], BUILD_THERE);
        build_look(&f->build);
        assert_int_equal(f->build.counts[BUILD_THERE], PROGRAMS);
        assert_true(build_run(&f->build));
    }
}

static void faults_cost_one_program(void **state) {
    for (int jobs = 1; jobs <= 3; jobs++) {
        struct fixture *f = new_fixture(jobs);
        f->items[2].problem.m = HANGS;
        f->items[4].problem.m = CRASHES;
        f->items[5].problem.m = REFUSES;
        f->items[7].problem.m = FORGETS;
        f->build.start_limit = 1;
        assert_true(build_run(&f->build));
        for (int i = 0; i < PROGRAMS; i++)
            assert_int_equal(f->outcomes[i],
                             f->items[i].problem.m == WORKS ? BUILD_DONE : BUILD_FAILED);
        assert_int_equal(f->build.counts[BUILD_FAILED], 4);
        assert_int_equal(f->build.unkept, 1);
        clg_test_cache_assert(*state, PROGRAMS - 4, 0);
    }
}

static void a_small_cache_is_told(void **state) {
    struct fixture *f = new_fixture(2);
    setenv("CLGEMM_CACHE_MAX_SIZE", "1K", 1); /* not all twelve */
    assert_true(build_run(&f->build));
    unsetenv("CLGEMM_CACHE_MAX_SIZE");
    assert_in_range(f->build.counts[BUILD_DONE], 1, PROGRAMS - 1);
    assert_int_equal(f->build.counts[BUILD_FAILED], f->build.unkept);
    assert_int_equal(f->build.counts[BUILD_DONE] + f->build.unkept, PROGRAMS);
    clg_test_cache_assert(*state, (int)f->build.counts[BUILD_DONE], 0);
}

/* Another process takes its program. If no process is left, that is reported. */
static void who_gets_no_device_is_dismissed(void **state) {
    (void)state;
    struct fixture *f = new_fixture(2);
    f->items[1].problem.m = LOSES_DEVICE;
    assert_false(build_run(&f->build));
    assert_int_equal(f->outcomes[1], BUILD_TO_DO);
    assert_int_equal(f->build.counts[BUILD_FAILED], 0);
    assert_true(f->build.counts[BUILD_DONE] >= 1);
}

static void stop_soon(int number) {
    (void)number;
    worker_stop = SIGINT;
}

static void a_stop_keeps_what_was_built(void **state) {
    struct fixture *f = new_fixture(2);
    f->items[5].problem.m = f->items[6].problem.m = HANGS;
    f->build.limit = 60;
    leave_temporary(1); /* not a worker */
    signal(SIGALRM, stop_soon);
    alarm(1);
    assert_false(build_run(&f->build));
    worker_stop = 0;
    assert_int_equal(f->build.counts[BUILD_DONE], 5);
    assert_int_equal(f->build.counts[BUILD_TO_DO], PROGRAMS - 5);
    assert_int_equal(f->build.counts[BUILD_FAILED], 0);
    clg_test_cache_assert(*state, 5, 1);
}

int main(int argc, char **argv) {
#define in_cache(test) \
    cmocka_unit_test_setup_teardown(test, clg_test_cache_setup, clg_test_cache_teardown)
    static const struct CMUnitTest tests[] = {
        in_cache(all_are_built_once),          in_cache(faults_cost_one_program),
        in_cache(a_small_cache_is_told),       in_cache(who_gets_no_device_is_dismissed),
        in_cache(a_stop_keeps_what_was_built),
    };
    if (argc > 1 && !strcmp(argv[1], PLAY_WORKER))
        return play_worker();
    name_options();
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
