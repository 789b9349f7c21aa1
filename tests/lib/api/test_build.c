/* SPDX-License-Identifier: Apache-2.0
 * CLGEMM_BUILD and CLGEMM_OPTION_BUILD: calls that do not wait for a compiler are right, and end
 * with the plan that waiting would have given. A handle, exit() and fork() while a build is under
 * way. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/handle.h"
#include "run/choose.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"

static struct clg_test_problem problem_of(int64_t m, int64_t n, int64_t k, bool transposed) {
    return (struct clg_test_problem){.layout = CLGEMM_COL_MAJOR,
                                     .ta = transposed ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                     .tb = CLGEMM_NO_TRANS,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .alpha = 1.5F,
                                     .beta = -0.5F};
}

/* Runs the problem, which must be right, and returns why it has its plan. An interim plan may
 * already be forgotten. */
static const char *run(clgemm_handle *handle, const struct clg_test_problem *problem) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_case test;
    clg_test_case_create(&test, problem, &random);
    clg_test_case_run_and_check(&test, handle);
    clg_test_case_destroy(&test);
    struct clg_known *last = clg_test_last_known(&handle->engine.plans);
    const struct clg_plan *plan = last ? &((struct clg_known_plan *)last)->prepared.plan : NULL;
    const bool known = plan && plan->problem.type == problem->type &&
                       plan->problem.m == problem->m && plan->problem.k == problem->k;
    const char *why = known ? plan->why : clg_why_interim;
    clg_known_release(last);
    return why;
}

static const int64_t shapes[][3] = {{300, 200, 260}, {64, 64, 5000}, {700, 3, 90},
                                    {33, 29, 31},    {1, 600, 130},  {40, 30, 1}};

enum { BATCHED = 3 }; /* one of them is a batch */

static struct clg_test_problem numbered_problem(clgemm_type type, size_t i) {
    struct clg_test_problem p = problem_of(shapes[i][0], shapes[i][1], shapes[i][2], i % 2);
    p.type = type;
    p.batch = i == BATCHED ? 5 : 1;
    return p;
}

/* All transposes, and sizes for each of the families; then the same once they are built. */
static void check_before_and_after(clgemm_handle *background, clgemm_handle *waiting,
                                   clgemm_type type) {
    const size_t count = sizeof shapes / sizeof *shapes;
    int interim = 0;
    for (size_t i = 0; i < count; i++) {
        const struct clg_test_problem p = numbered_problem(type, i);
        const bool is_interim = run(background, &p) == clg_why_interim;
        interim += is_interim;
        assert_true(is_interim || i != BATCHED);
    }
    assert_true(interim > 0);
    clg_builder_wait(background->engine.builder);
    for (size_t i = 0; i < count; i++) {
        const struct clg_test_problem p = numbered_problem(type, i);
        assert_string_equal(run(background, &p), run(waiting, &p));
    }
}

static void calls_are_right_before_and_after(void **state) {
    clgemm_handle *waiting, *background;
    (void)state;
    clg_test_assert_success(clgemm_create(&waiting, NULL));
    clg_test_assert_success(clgemm_create(&background, NULL));
    clg_test_assert_success(
        clgemm_set_option(background, CLGEMM_OPTION_BUILD, CLGEMM_BUILD_BACKGROUND));
    for (int t = 0; t < clg_test_num_types(); t++)
        check_before_and_after(background, waiting, clg_test_type(t));
    clgemm_destroy(background);
    clgemm_destroy(waiting);
}

/* A C that is only scaled, and a warm-up, which waits. */
static void scaling_and_warm_ups(void **state) {
    clgemm_handle *handle;
    struct clg_test_problem p = problem_of(301, 77, 0, false);
    const clgemm_shape shape = {310, 150, 140, CLGEMM_TRANS, CLGEMM_NO_TRANS};
    (void)state;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    clg_test_assert_success(
        clgemm_set_option(handle, CLGEMM_OPTION_BUILD, CLGEMM_BUILD_BACKGROUND));
    assert_ptr_not_equal(run(handle, &p), clg_why_interim);
    clg_test_assert_success(clgemm_warmup(handle, &shape, 1));
    p = problem_of(310, 150, 140, true);
    assert_ptr_not_equal(run(handle, &p), clg_why_interim);
    clgemm_destroy(handle);
}

/* The handle is destroyed right after a call. */
static void a_handle_ends_while_it_builds(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        const struct clg_test_problem p = problem_of(300 + i, 200, 260, i % 2);
        clgemm_handle *handle;
        clg_test_assert_success(clgemm_create(&handle, NULL));
        clg_test_assert_success(
            clgemm_set_option(handle, CLGEMM_OPTION_BUILD, CLGEMM_BUILD_BACKGROUND));
        run(handle, &p);
        clgemm_destroy(handle);
    }
}

static void the_option_is_the_handle_less_calls_too(void **state) {
    (void)state;
    clg_test_assert_success(clgemm_clear_cache());
    clg_test_check_works(NULL);
    clg_test_assert_success(
        clgemm_set_option(NULL, CLGEMM_OPTION_BUILD, CLGEMM_BUILD_BACKGROUND)); /* of one in use */
    clg_test_check_works(NULL);
    clg_test_assert_success(clgemm_clear_cache());
    clg_test_check_works(NULL); /* of a future one */
    clg_test_assert_success(clgemm_set_option(NULL, CLGEMM_OPTION_BUILD, CLGEMM_BUILD_WAIT));
    clg_test_check_works(NULL);
    clg_test_assert_status(clgemm_set_option(NULL, CLGEMM_OPTION_BUILD, 3),
                           CLGEMM_STATUS_INVALID_OPTION);
    clg_test_assert_error_says("3 is not a clgemm_build");
    clg_test_assert_status(clgemm_set_option(NULL, CLGEMM_OPTION_VERIFY, 3),
                           CLGEMM_STATUS_INVALID_OPTION);
    clg_test_assert_error_says("3 is not a clgemm_verify");
    clg_test_assert_status(clgemm_set_option(NULL, (clgemm_option)4, 0),
                           CLGEMM_STATUS_INVALID_OPTION);
    clg_test_assert_success(clgemm_clear_cache());
}

/* ---- Whole processes ---- */

/* Child: two calls, and the end while something may be built. */
static int call_and_end(void) {
    static float x[300 * 300];
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < 2 && !status; i++)
        status = clgemm_sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 300, 300, 300, 1,
                              x, 300, x, 300, 0, x, 300);
    return status ? 1 : 0;
}

/* Child: forks while a build is under way. The grandchild is refused, and both end. */
static int call_and_fork(void) {
    float a = 1, c = 0;
    int told;
    if (call_and_end())
        return 1;
    const pid_t pid = fork();
    if (pid == 0) {
        const clgemm_status status = clgemm_sgemm(
            CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, 1, &a, 1, &a, 1, 0, &c, 1);
        const int code = status == CLGEMM_STATUS_FORKED ? 0 : 2;
#ifdef CLG_TEST_ASAN /* a child loses what the compiler's thread held: no leak of the library */
        clg_test_end_child(code);
#endif
        exit(code);
    }
    return waitpid(pid, &told, 0) == pid && WIFEXITED(told) ? WEXITSTATUS(told) : 3;
}

static int runs_of(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

static void processes_end_well(void **state) {
    static const char *const roles[] = {"end", "fork"};
    const char *const environment[] = {"CLGEMM_BUILD=background", "CLGEMM_VERBOSE=1", NULL};
    char output[16384];
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(clg_test_run_self(roles[i], environment, output, sizeof output), 0);
        assert_true(runs_of(output, "why=interim") > 0);
    }
}

static void another_word_is_said_once(void **state) {
    const char *const environment[] = {"CLGEMM_BUILD=sometimes", "CLGEMM_VERBOSE=1", NULL};
    char output[16384];
    (void)state;
    assert_int_equal(clg_test_run_self("end", environment, output, sizeof output), 0);
    assert_int_equal(runs_of(output, "CLGEMM_BUILD is \"sometimes\""), 1);
    assert_int_equal(runs_of(output, "why=interim"), 0);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_right_before_and_after),
        cmocka_unit_test(scaling_and_warm_ups),
        cmocka_unit_test(a_handle_ends_while_it_builds),
        cmocka_unit_test(the_option_is_the_handle_less_calls_too),
        cmocka_unit_test(processes_end_well),
        cmocka_unit_test(another_word_is_said_once),
    };
    if (argc == 2)
        return strcmp(argv[1], "fork") == 0 ? call_and_fork() : call_and_end();
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
