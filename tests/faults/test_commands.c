/* SPDX-License-Identifier: Apache-2.0
 * The OpenCL commands of a call on copied matrices, once it has been made before, counted by the
 * fault layer. Each command costs a driver microseconds, as long as a small product takes. */
#include "steer.h"

#include <string.h>

#include "host/pipeline.h"
#include "support/check.h"
#include "support/host_access.h"

/* Calls beside commands and setting kernel arguments: releasing an event, a flush, a wait. */
enum { MOST_CALLS = 32 };

struct counts {
    long calls, commands, launches;
};

static struct counts count(const struct clg_test_problem *problem) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_case test;
    struct counts counts = {0};
    for (int turn = 0; turn < 3; turn++) { /* the first ones create what is kept */
        clg_test_case_create(&test, problem, &random);
        steer.arm(0, 0);
        const clgemm_status status = clg_test_case_run_by(CLG_HOST_COPY, &test);
        counts = (struct counts){steer.calls(), steer.commands(), steer.launches()};
        clg_test_assert_success(status);
        clg_test_assert_no_fault(clg_test_case_fault(&test));
        clg_test_case_destroy(&test);
    }
    print_message("%d x %d x %d, beta %g: %ld calls, %ld commands, %ld launches\n", (int)problem->m,
                  (int)problem->n, (int)problem->k, (double)problem->beta, counts.calls,
                  counts.commands, counts.launches);
    return counts;
}

static struct clg_test_problem problem(int64_t size, float beta) {
    return (struct clg_test_problem){.layout = CLGEMM_COL_MAJOR,
                                     .ta = CLGEMM_NO_TRANS,
                                     .tb = CLGEMM_NO_TRANS,
                                     .m = size,
                                     .n = size,
                                     .k = size,
                                     .alpha = 1,
                                     .beta = beta};
}

/* All inputs are in one transfer. */
static void small_calls_are_one_transfer_each_way(void **state) {
    (void)state;
    for (int form = 0; form < 6; form++) {
        struct clg_test_problem p = problem(form == 5 ? 30 : 20 + 13 * form, form % 2 ? 0.5f : 0);
        p.gap_a = form;
        p.gap_c = form % 3;
        p.batch = form == 5 ? 4 : 0;
        const struct counts counts = count(&p);
        assert_int_equal(counts.commands - counts.launches, 2);
        assert_true(counts.calls <= MOST_CALLS);
    }
}

static void scaling_is_one_transfer_each_way(void **state) {
    struct clg_test_problem p = problem(40, 0.5f);
    (void)state;
    p.k = 0;
    struct counts counts = count(&p);
    assert_int_equal(counts.commands, 3);
    p.beta = 0; /* no input is sent */
    counts = count(&p);
    assert_int_equal(counts.commands, 2);
}

/* The plan is made once, and each of its pieces is one transfer. */
static void larger_calls_do_what_their_plan_says(void **state) {
    struct clg_known_table *pipes = &clg_test_host.host.pipes;
    (void)state;
    for (int size = 256; size <= 768; size += 256) {
        const struct clg_test_problem p = problem(size, 0);
        const uint64_t made = pipes->missed;
        const struct counts counts = count(&p);
        assert_true(pipes->missed - made == 1);
        struct clg_pipe_known *known = (struct clg_pipe_known *)clg_test_last_known(pipes);
        assert_non_null(known);
        assert_int_equal(known->key.problem.m, size);
        assert_false(known->plan.joint);
        assert_int_equal(counts.commands - counts.launches,
                         known->plan.num_up + known->plan.num_down);
        assert_true(counts.launches >= known->plan.num_steps);
        clg_known_release(&known->known);
    }
}

/* More calls than are kept. */
static void the_oldest_plan_is_forgotten(void **state) {
    struct clg_known_table *pipes = &clg_test_host.host.pipes;
    (void)state;
    clg_known_forget(pipes, true);
    const uint64_t before = pipes->missed;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < CLG_PIPES_KNOWN; i++) {
            const struct clg_test_problem p = problem(5 + i, 0);
            count(&p);
        }
    assert_true(pipes->missed - before == CLG_PIPES_KNOWN);
    const struct clg_test_problem another = problem(4, 0), oldest = problem(5, 0);
    count(&another);
    count(&oldest);
    assert_true(pipes->missed - before == CLG_PIPES_KNOWN + 2);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_calls_are_one_transfer_each_way),
        cmocka_unit_test(scaling_is_one_transfer_each_way),
        cmocka_unit_test(larger_calls_do_what_their_plan_says),
        cmocka_unit_test(the_oldest_plan_is_forgotten),
    };
    (void)argc;
    steer_setup(argv);
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_host_setup, clg_test_host_teardown);
}
