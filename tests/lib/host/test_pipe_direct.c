/* SPDX-License-Identifier: Apache-2.0
 * Host matrices in memory that CUDA has pinned, as a stand-in for libcuda reports: which are
 * transferred without slots, and that results are right in every combination. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cuda.h"
#include "host/pipeline.h"
#include "support/check.h"
#include "support/cuda.h"
#include "support/host_access.h"

static const char context[1];
static char log_path[] = "/tmp/clgemm-test-pipe-direct-XXXXXX";

/* With NVIDIA's driver the stand-in cannot be used. */
static int setup(void **state) {
    enum { SKIP = 77 };
    const int failed = clg_test_host_setup(state);
    if (clg_test_host.engine.device->facts.capability)
        exit(SKIP);
    clg_test_cuda_load();
    clg_test_host.engine.device->facts.capability = 90;
    return failed;
}

static void answer(bool quick) {
    clg_test_host.host.pinned[0] = (struct clg_pinned_owner){context, quick};
    clg_test_host.host.num_pinned = 1;
}

static void pin(const struct clg_test_matrix *matrix) {
    clg_test_cuda_pin(matrix->memory, clg_test_matrix_bytes(matrix), context);
}

/* Runs it with these of the caller's matrices pinned; returns which the last call had. */
static unsigned check(const struct clg_test_problem *p, struct clg_test_random *random,
                      unsigned pinned) {
    struct clg_known_table *pipes = &clg_test_host.host.pipes;
    struct clg_test_case test;
    clg_test_case_create(&test, p, random);
    const struct clg_test_matrix *all[] = {&test.a, &test.b, &test.c};
    clg_test_cuda_unpin_all();
    for (int i = 0; i < CLG_MATRICES; i++)
        if (pinned >> i & 1U)
            pin(all[i]);
    clg_known_forget(pipes, true);
    clg_test_assert_success(clg_test_case_run_by(CLG_HOST_COPY, &test));
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    clg_test_case_destroy(&test);
    struct clg_pipe_known *last = (struct clg_pipe_known *)clg_test_last_known(pipes);
    assert_non_null(last);
    const unsigned direct = last->plan.direct;
    clg_known_release(&last->known);
    return direct;
}

/* Column-major, so that pinned matrices keep their names. */
static struct clg_test_problem problem(int64_t m, int64_t n, int64_t k, int form) {
    struct clg_test_problem p = clg_test_pipe_problem(m, n, k, form);
    p.layout = CLGEMM_COL_MAJOR;
    return p;
}

static void any_mixture_is_right(void **state) {
    struct clg_test_random random = clg_test_random_start(1);
    (void)state;
    answer(true);
    for (unsigned pinned = 0; pinned < 8; pinned++)
        for (int form = 0; form < 2; form++) {
            const struct clg_test_problem p = problem(300 + form, 400, 190, form + (int)pinned);
            assert_int_equal(check(&p, &random, pinned), pinned);
        }
}

static void panels_slabs_and_blocks(void **state) {
    struct clg_test_random random = clg_test_random_start(2);
    struct clg_device *device = clg_test_host.engine.device;
    const uint64_t before = device->facts.workspace_max;
    (void)state;
    answer(true);
    for (int form = 0; form < 4; form++) {
        device->facts.workspace_max = form % 2 ? before : 17 << 20;
        const struct clg_test_problem p = problem(800, 1100 + 37 * form, 300, form);
        assert_int_equal(check(&p, &random, form == 3 ? 3 : 7), form == 3 ? 3 : 7);
    }
    device->facts.workspace_max = before;
}

/* As one matrix if there are no gaps between its products. */
static void batches(void **state) {
    struct clg_test_random random = clg_test_random_start(3);
    (void)state;
    answer(true);
    for (int between = 0; between < 2; between++) {
        struct clg_test_problem p = problem(60, 70, 50, 4);
        p.batch = 50;
        p.between = 9 * between;
        p.gap_a = p.gap_b = 0;
        assert_int_equal(check(&p, &random, 7), between ? 0 : 7);
    }
}

static void what_is_not_pinned_as_a_whole_is_staged(void **state) {
    struct clg_test_random random = clg_test_random_start(4);
    const struct clg_test_problem p = problem(500, 600, 300, 0);
    struct clg_test_case test;
    const void *owner;
    (void)state;
    answer(true);
    clg_test_case_create(&test, &p, &random);
    clg_test_cuda_unpin_all();
    const char *memory = test.a.memory;
    const size_t a_bytes = clg_test_matrix_bytes(&test.a);
    clg_test_cuda_pin(memory, a_bytes / 2, context);
    clg_test_cuda_pin(memory + a_bytes / 2, a_bytes - a_bytes / 2, context);
    assert_true(clg_cuda_pins(memory, memory + 1, &owner) && owner == context);
    assert_false(clg_cuda_pins(memory, memory + a_bytes - 1, &owner));
    assert_false(clg_cuda_pins(test.b.memory, test.b.memory, &owner));
    clg_test_case_destroy(&test);
}

/* Not used if the driver gains nothing, on other devices, or if there is nothing to measure it
 * with. */
static void what_is_not_quick_is_staged(void **state) {
    struct clg_test_random random = clg_test_random_start(5);
    struct clg_engine *engine = &clg_test_host.engine;
    const struct clg_test_problem p = problem(500, 600, 300, 0), small = problem(20, 20, 20, 0);
    (void)state;
    answer(false);
    assert_int_equal(check(&p, &random, 7), 0);
    answer(true);
    engine->device->facts.capability = 0;
    assert_int_equal(check(&p, &random, 7), 0);
    engine->device->facts.capability = 90;
    clg_test_host.host.num_pinned = 0;
    assert_int_equal(check(&small, &random, 7), 0);
    assert_int_equal(clg_test_host.host.num_pinned, 0);
}

/* Whether the log has a line with these words. */
static bool is_logged(const char *words) {
    char line[1024];
    bool found = false;
    FILE *file = fopen(log_path, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, words) != NULL;
    if (file)
        fclose(file);
    return found;
}

static void it_is_timed_once(void **state) {
    struct clg_test_random random = clg_test_random_start(6);
    struct clg_host *host = &clg_test_host.host;
    const struct clg_test_problem p = problem(500, 600, 300, 1);
    (void)state;
    host->num_pinned = 0;
    const unsigned direct = check(&p, &random, 7);
    assert_int_equal(host->num_pinned, 1);
    assert_ptr_equal(host->pinned[0].owner, context);
    assert_true(is_logged("host memory that CUDA has pinned is"));
    assert_true(is_logged(" us directly, ")); /* the trial's transfers were made */
    assert_int_equal(direct, host->pinned[0].quick ? 7 : 0);
    host->pinned[0].quick = !host->pinned[0].quick; /* what is known is not measured again */
    assert_int_equal(check(&p, &random, 7), host->pinned[0].quick ? 7 : 0);
    assert_int_equal(host->num_pinned, 1);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_mixture_is_right),
        cmocka_unit_test(panels_slabs_and_blocks),
        cmocka_unit_test(batches),
        cmocka_unit_test(what_is_not_pinned_as_a_whole_is_staged),
        cmocka_unit_test(what_is_not_quick_is_staged),
        cmocka_unit_test(it_is_timed_once),
    };
    clg_test_require_device();
    const int file = mkstemp(log_path);
    if (file < 0)
        return 1;
    close(file);
    setenv("CLGEMM_VERBOSE", "2", 1);
    setenv("CLGEMM_LOGFILE", log_path, 1);
    const int failed = cmocka_run_group_tests(tests, setup, clg_test_host_teardown);
    unlink(log_path);
    return failed;
}
