/* SPDX-License-Identifier: Apache-2.0
 * Compilers that find too few registers for a kernel: on GPUs another plan is used, once for a
 * problem, and the next process knows that. */
#define _GNU_SOURCE
#include "steer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handle.h"
#include "gemm/family.h"
#include "program/programs.h"
#include "run/choose.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/facts.h"
#include "support/gemm.h"
#include "support/tuning.h"

/* One step, of a family that cuts tiles of C. */
static const struct clg_test_problem problem = {.layout = CLGEMM_COL_MAJOR,
                                                .ta = CLGEMM_NO_TRANS,
                                                .tb = CLGEMM_NO_TRANS,
                                                .m = 64,
                                                .n = 64,
                                                .k = 32,
                                                .alpha = 1.5F,
                                                .beta = 0.5F};

/* What the kernel with tiles spills that is asked about first, and what others with tiles do. */
static long first_spills, others_spill;
static char first[CLG_MAX_OPTIONS];

static long answer(const char *options) {
    const bool has_tiles = strstr(options, "TILE_K");
    if (has_tiles && !*first)
        snprintf(first, sizeof first, "%s", options);
    return !has_tiles ? 0 : strcmp(options, first) == 0 ? first_spills : others_spill;
}

static void spill(long by_first, long by_others) {
    first[0] = '\0';
    first_spills = by_first;
    others_spill = by_others;
    steer.spill(answer);
}

/* A handle on a device of that kind that nobody has measured, without instructions of a vendor's
 * own. Without checks no finding is kept. */
static clgemm_handle *open_as(enum clg_device_kind kind, clgemm_verify verify) {
    clgemm_handle *handle = NULL;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    struct clg_facts *facts = &handle->engine.device->facts;
    facts->kind = kind;
    facts->tensor_cores = facts->mma = facts->async_copies = false;
    facts->capability = 0;
    if (kind == CLG_DEVICE_GPU)
        facts->arch = clg_test_gpu.arch;
    handle->host.access = CLG_HOST_BUFFER;
    clg_test_assert_success(clgemm_set_option(handle, CLGEMM_OPTION_VERIFY, verify));
    return handle;
}

/* Calls, whose result must be right, and returns the plan that was used. */
static struct clg_plan call(clgemm_handle *handle) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, &random);
    clg_test_case_run_and_check(&test, handle);
    clg_test_case_destroy(&test);
    struct clg_known *last = clg_test_last_known(&handle->engine.plans);
    const struct clg_plan plan = ((struct clg_known_plan *)last)->prepared.plan;
    clg_known_release(last);
    assert_int_equal(plan.num_steps, 1);
    return plan;
}

static bool is_first(const struct clg_plan *plan) {
    assert_true(*first);
    return strcmp(plan->steps[0].options, first) == 0;
}

static unsigned built(const clgemm_handle *handle) {
    return clg_programs_count(handle->engine.programs, CLG_FROM_SOURCE);
}

/* ---- Which plan is used: each in a process of its own, since findings are shared in one ---- */

static void assert_gives_way(clgemm_handle *handle, bool gives_way) {
    const struct clg_plan plan = call(handle);
    assert_int_equal(plan.why == clg_why_others_spill, gives_way);
    assert_int_equal(is_first(&plan), !gives_way);
    assert_int_equal(built(handle), 2);
    assert_true(steer.spill(answer) > 0);
    call(handle); /* remembered: nothing is asked or built */
    assert_int_equal(steer.spill(answer), 0);
    assert_int_equal(built(handle), 2);
    clgemm_destroy(handle);
}

static void the_next_plan_replaces_one_that_spills(void) {
    spill(100, 0);
    assert_gives_way(open_as(CLG_DEVICE_GPU, CLGEMM_VERIFY_FIRST), true);
}

static void intels_drivers_tell_by_a_query_of_their_own(void) {
    spill(-100, 0);
    assert_gives_way(open_as(CLG_DEVICE_GPU, CLGEMM_VERIFY_FIRST), true);
}

static void a_substitute_has_no_substitute(void) {
    spill(100, 60);
    assert_gives_way(open_as(CLG_DEVICE_GPU, CLGEMM_VERIFY_FIRST), true);
}

static void a_substitute_that_spills_as_much_is_not_used(void) {
    spill(100, 100);
    assert_gives_way(open_as(CLG_DEVICE_GPU, CLGEMM_VERIFY_FIRST), false);
}

static void unchecked_kernels_are_asked_too(void) {
    clgemm_handle *handle = open_as(CLG_DEVICE_GPU, CLGEMM_VERIFY_OFF);
    spill(100, 0);
    assert_gives_way(handle, true);
}

/* The interim plan is the one that spills, until its substitute is built. */
static void builds_in_the_background_go_on(void) {
    clgemm_handle *handle = open_as(CLG_DEVICE_GPU, CLGEMM_VERIFY_FIRST);
    struct clg_plan plan;
    clg_test_assert_success(
        clgemm_set_option(handle, CLGEMM_OPTION_BUILD, CLGEMM_BUILD_BACKGROUND));
    spill(100, 0);
    for (int turn = 0; turn < 3; turn++) {
        plan = call(handle);
        clg_builder_wait(handle->engine.builder);
    }
    assert_ptr_equal(plan.why, clg_why_others_spill);
    clgemm_destroy(handle);
}

/* The plan that spills is there, and no other can be built. */
static void a_substitute_that_cannot_be_built_fails_no_call(void) {
    clgemm_handle *handle = open_as(CLG_DEVICE_GPU, CLGEMM_VERIFY_OFF);
    spill(0, 0);
    call(handle);
    first_spills = 100;
    clg_known_forget(&handle->engine.plans, true);
    steer.be_odd(FAULT_LOG_IS_CUT);
    const struct clg_plan plan = call(handle);
    assert_true(steer.be_odd(FAULT_NOT_ODD) > 0);
    assert_true(is_first(&plan));
    clgemm_destroy(handle);
}

static void cpus_are_not_asked(void) {
    clgemm_handle *handle = open_as(CLG_DEVICE_CPU, CLGEMM_VERIFY_FIRST);
    spill(100, 0);
    call(handle);
    assert_int_equal(steer.spill(NULL), 0);
    clgemm_destroy(handle);
}

static void a_measured_plan_stays(void) {
    clgemm_handle *handle = open_as(CLG_DEVICE_GPU, CLGEMM_VERIFY_OFF);
    const struct clg_facts *facts = &handle->engine.device->facts;
    char path[] = "/tmp/clg-spills-XXXXXX.json";
    spill(0, 0);
    const struct clg_plan plan = call(handle);
    struct clg_tuning_row row = {.shape = {.m = problem.m, .n = problem.n, .k = problem.k},
                                 .family = plan.family,
                                 .params = plan.params,
                                 .ms = 1};
    for (int i = CLG_A; i <= CLG_B; i++)
        row.shape.aligned |= plan.problem.matrix[i].vector > 1;
    clg_tuning_stamp(row.date, row.version);
    close(mkstemps(path, 5));
    clg_test_tuning_file(path, facts, &row, 1);
    clgemm_destroy(handle);
    handle = open_as(CLG_DEVICE_GPU, CLGEMM_VERIFY_OFF);
    clg_test_assert_success(clgemm_tuning_import(handle, path));
    unlink(path);
    spill(100, 0);
    const struct clg_plan measured = call(handle);
    assert_ptr_equal(measured.why, clg_why_tuned);
    assert_true(is_first(&measured));
    assert_true(steer.spill(answer) > 0);
    clgemm_destroy(handle);
}

static void where_times_are_measured_plans_stay(void) {
    clgemm_handle *handle = open_as(CLG_DEVICE_GPU, CLGEMM_VERIFY_FIRST);
    handle->engine.device->facts.capability = CLG_HOPPER;
    spill(100, 0);
    const struct clg_plan plan = call(handle);
    assert_true(is_first(&plan));
    assert_int_equal(clg_avoided_spills(&handle->engine.avoided, &plan), 100);
    assert_int_equal(built(handle), 1);
    clgemm_destroy(handle);
}

/* ---- Processes that share a program cache ---- */

/* One process that builds and asks, or one that knows already. */
static void find_out(bool knows) {
    clgemm_handle *handle = open_as(CLG_DEVICE_GPU, CLGEMM_VERIFY_FIRST);
    spill(100, 0);
    const struct clg_plan plan = call(handle);
    assert_ptr_equal(plan.why, clg_why_others_spill);
    assert_int_equal(steer.spill(NULL) > 0, !knows);
    assert_int_equal(built(handle), knows ? 0 : 2);
    assert_int_equal(clg_programs_count(handle->engine.programs, CLG_FROM_DISK), knows);
    clgemm_destroy(handle);
}

static void one_asks(void) {
    find_out(false);
}

static void the_next_knows(void) {
    find_out(true);
}

/* ---- The tests ---- */

static const struct part {
    const char *name;
    void (*run)(void);
} parts[] = {
#define PART(function) \
    { #function, function }
    PART(one_asks),
    PART(the_next_knows),
    PART(the_next_plan_replaces_one_that_spills),
    PART(intels_drivers_tell_by_a_query_of_their_own),
    PART(a_substitute_has_no_substitute),
    PART(a_substitute_that_spills_as_much_is_not_used),
    PART(unchecked_kernels_are_asked_too),
    PART(builds_in_the_background_go_on),
    PART(a_substitute_that_cannot_be_built_fails_no_call),
    PART(cpus_are_not_asked),
    PART(a_measured_plan_stays),
    PART(where_times_are_measured_plans_stay),
#undef PART
};
enum { PARTS = sizeof parts / sizeof *parts, SHARING = 2 };

static void run(const struct part *part, const char *const *environment) {
    char output[1 << 14];
    if (clg_test_run_self(part->name, environment, output, sizeof output))
        fail_msg("%s", output);
}

static void run_alone(void **state) {
    static const char *const uncached[] = {"CLGEMM_CACHE=0", NULL};
    run(*state, uncached);
}

static void assert_tool_says(const char *command, const char *words) {
    char output[1 << 14];
    FILE *tool = popen(command, "r"); /* NOLINT(cert-env33-c): a test's own command */
    assert_non_null(tool);
    output[fread(output, 1, sizeof output - 1, tool)] = '\0';
    assert_int_equal(pclose(tool), 0);
    if (!strstr(output, words))
        fail_msg("%s does not say \"%s\":\n%s", command, words, output);
}

static void run_in_turn(void **state) {
    for (int i = 0; i < SHARING; i++) {
        run(&parts[i], NULL);
        clg_test_cache_assert(*state, 4, 0); /* two programs and two findings */
    }
    assert_tool_says(TOOL " cache list", ": right when checked, spills 100 bytes |");
    assert_tool_says(TOOL " cache list -o json", "\"spills_bytes\": 100,");
    assert_tool_says(TOOL " info", "; spilling registers there: 1 |");
    assert_tool_says(TOOL " info -o json", "\"spilling\": 1");
}

static void play(const char *role) {
    for (int i = 0; i < PARTS; i++)
        if (!strcmp(role, parts[i].name))
            parts[i].run();
    clg_test_end_child(0);
}

int main(int argc, char **argv) {
    struct CMUnitTest tests[PARTS - SHARING + 1] = {cmocka_unit_test_setup_teardown(
        run_in_turn, clg_test_cache_setup, clg_test_cache_teardown)};
    steer_setup(argv);
    if (argc == 2 && !strcmp(argv[1], "device"))
        clg_test_require_device();
    if (argc == 2)
        play(argv[1]);
    if (clg_test_run_self("device", NULL, NULL, 0) == CLG_TEST_SKIP)
        return CLG_TEST_SKIP;
    for (int i = SHARING; i < PARTS; i++)
        tests[i - SHARING + 1] = (struct CMUnitTest){
            .name = parts[i].name, .test_func = run_alone, .initial_state = (void *)&parts[i]};
    return cmocka_run_group_tests_name("spills", tests, NULL, NULL);
}
