/* SPDX-License-Identifier: Apache-2.0
 * Host matrices through the pipeline: in panels, slabs and blocks, by several threads, in every
 * layout; what it keeps between calls, and what it does without staging memory. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/staging.h"
#include "device/workspace.h"
#include "host/pipeline.h"
#include "support/check.h"
#include "support/host_access.h"
#include "support/pages.h"
#include "support/threads.h"

/* A plan of the test's own. */
struct own {
    const struct clg_pipe_way *way;
    size_t slot;
};

static clgemm_status carry_out(const struct clg_host_call *call, const void *how) {
    const struct own *own = how;
    const struct clg_pipe_task task = {call->problem, clg_scalars_read_c(call->scalars), 0};
    struct clg_pipe_plan plan = {0};
    bool staged;
    assert_true(clg_pipe_schedule_whole(&plan, &task, own->way, own->slot));
    assert_true(plan.slot > own->slot / 2);
    plan.threads = 2;
    plan.num_kinds = plan.num_steps;
    for (int s = 0; s < plan.num_steps; s++)
        plan.steps[s].kind = s;
    const clgemm_status status = clg_pipe_carry_out(&clg_test_host.host, &plan, call, &staged);
    assert_true(staged);
    clg_pipe_plan_free(&plan);
    return status;
}

/* By the library's plan if there is no own one. */
static void check_by(const struct clg_test_problem *p, struct clg_test_random *random,
                     const struct own *own) {
    struct clg_test_case test;
    clg_test_case_create(&test, p, random);
    if (p->beta == 0) {
        clg_element_set(p->type, clg_test_matrix_data(&test.c), 0, NAN);
        clg_test_matrix_snapshot(&test.c);
    }
    clg_test_assert_success(own ? clg_test_case_run_as(carry_out, own, &test)
                                : clg_test_case_run_by(CLG_HOST_COPY, &test));
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    clg_test_case_destroy(&test);
}

static void check(const struct clg_test_problem *p, struct clg_test_random *random) {
    check_by(p, random, NULL);
}

static void panels_of_columns_and_rows(void **state) {
    struct clg_test_random random = clg_test_random_start(1);
    static const int64_t shapes[][3] = {{300, 1100, 70}, {1300, 257, 33}, {3, 5000, 90},
                                        {5000, 1, 90},   {513, 515, 0},   {1000, 900, 0}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int form = 0; form < 8; form++) {
            const struct clg_test_problem p =
                clg_test_pipe_problem(shapes[s][0], shapes[s][1], shapes[s][2], form);
            check(&p, &random);
        }
}

/* k is large enough for slabs; the bound makes blocks of the same problem. */
static void slabs_and_blocks(void **state) {
    struct clg_test_random random = clg_test_random_start(2);
    struct clg_device *device = clg_test_host.engine.device;
    const uint64_t before = device->facts.workspace_max;
    static const uint64_t bounds[] = {UINT64_MAX, 17 << 20, 33 << 20};
    (void)state;
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        device->facts.workspace_max = bounds[b] < before ? bounds[b] : before;
        clg_workspace_clear(device);
        for (int form = 0; form < 4; form++) {
            struct clg_test_problem p =
                clg_test_pipe_problem(900 + 37 * form, 1300, 1100, form + (int)b);
            check(&p, &random);
        }
        assert_true(device->staging_held <= clg_staging_room(&device->facts) || b > 0);
    }
    device->facts.workspace_max = before;
}

/* C grows, alone and after slabs, and by rows; with slots as large as a chunk. */
static void any_way_is_carried_out(void **state) {
    static const struct clg_pipe_way ways[] = {
        {.rows = 512, .cols = 576, .tail = 256},
        {.rows = 512, .cols = 512, .slab = 64, .rest = 300},
        {.rows = 448, .cols = 4096, .tail = 128},
        {.cols = 640, .slab = 128, .rest = 200},
    };
    const struct clg_facts *facts = &clg_test_host.engine.device->facts;
    struct clg_test_random random = clg_test_random_start(6);
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct clg_test_problem p = clg_test_pipe_problem(1900 + i, 2000, 900, i);
        p.type = i < 4 || clg_type_unsupported_reason(CLGEMM_F64, facts) ? CLGEMM_F32 : CLGEMM_F64;
        check_by(&p, &random,
                 &(struct own){&ways[i % 4], i % 4 < 2 ? 256 << 10 : CLG_STAGING_CHUNK});
    }
}

static void batches(void **state) {
    struct clg_test_random random = clg_test_random_start(3);
    (void)state;
    for (int form = 0; form < 8; form++) {
        struct clg_test_problem p = clg_test_pipe_problem(60, 70, 50, form);
        p.batch = 37;
        p.between = form % 2 ? 9 : 0;
        p.shares_a = form % 4 == 3;
        p.gap_a = form % 2 ? 3 : 0;
        check(&p, &random);
    }
}

/* Some products at a time, or parts of one. */
static void batches_that_do_not_fit(void **state) {
    struct clg_test_random random = clg_test_random_start(9);
    struct clg_device *device = clg_test_host.engine.device;
    const uint64_t before = device->facts.workspace_max;
    (void)state;
    device->facts.workspace_max = 17 << 20;
    clg_workspace_clear(device);
    for (int form = 0; form < 4; form++) {
        struct clg_test_problem p = clg_test_pipe_problem(500, 600, 400, form);
        p.batch = 11;
        p.shares_a = form % 2;
        check(&p, &random);
        p = clg_test_pipe_problem(1100, 1200, 900, form);
        p.batch = 2;
        check(&p, &random);
    }
    device->facts.workspace_max = before;
}

static void a_column_longer_than_a_slot(void **state) {
    struct clg_test_random random = clg_test_random_start(4);
    struct clg_test_problem p = clg_test_pipe_problem(1200000, 2, 3, 0);
    (void)state;
    check(&p, &random);
}

/* ---- What is kept ---- */

static void calls_keep_chunks_and_threads(void **state) {
    struct clg_test_random random = clg_test_random_start(5);
    const struct clg_test_problem p = clg_test_pipe_problem(600, 700, 300, 0);
    const struct clg_device *device = clg_test_host.engine.device;
    (void)state;
    check(&p, &random);
    const int held = device->staging_held, threads = clg_test_threads("clgemm-copy", NULL);
    assert_in_range(held, 1, clg_staging_room(&device->facts));
    assert_int_equal(device->num_staging, held);
    const void *memory = device->staging[0].memory;
    for (int i = 0; i < 3; i++)
        check(&p, &random);
    bool found = false;
    for (int i = 0; i < device->num_staging; i++)
        found |= device->staging[i].memory == memory;
    assert_true(found);
    assert_int_equal(device->staging_held, held);
    assert_int_equal(clg_test_threads("clgemm-copy", NULL), threads);
    assert_true(device->lent == 0);
}

static void threads_end_with_their_device(void **state) {
    struct clg_test_random random = clg_test_random_start(6);
    const struct clg_test_problem p = clg_test_pipe_problem(600, 700, 300, 0);
    struct clg_engine *kept = &clg_test_host.engine, engine;
    const int before = clg_test_threads("clgemm-copy", NULL);
    struct clg_device *device;
    struct clg_host host;
    struct clg_test_case test;
    struct clg_problem problem;
    struct clg_plan plan;
    (void)state;
    clg_test_assert_success(clg_device_adopt(&device, kept->device->context, kept->device->id));
    clg_test_assert_success(clg_engine_open(&engine, device, NULL));
    clg_host_open(&host, &engine);
    clg_test_case_create(&test, &p, &random);
    const void *a = clg_test_matrix_data(&test.a), *b = clg_test_matrix_data(&test.b);
    const struct clg_call call =
        clg_test_call(&p, clg_host_operand(a, test.a.ld, 0), clg_host_operand(b, test.b.ld, 0),
                      clg_host_operand(a, test.c.ld, 0));
    clg_test_assert_success(clg_problem_init(&problem, &call));
    const struct clg_host_matrices matrices =
        clg_host_matrices_of(&problem, a, b, clg_test_matrix_data(&test.c));
    const struct clg_host_call ours = {&problem, &call.scalars, &matrices, &plan, 1};
    clg_test_assert_success(clg_host_by_pipe(&host, &ours));
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    clg_test_case_destroy(&test);
    clg_host_close(&host);
    clg_engine_close(&engine);
    assert_int_equal(clg_test_threads("clgemm-copy", NULL), before);
}

/* Without staging memory the driver's own copies are used. */
static void without_staging(void **state) {
    struct clg_test_random random = clg_test_random_start(7);
    struct clg_device *device = clg_test_host.engine.device;
    const int held = device->staging_held, idle = device->num_staging;
    (void)state;
    for (int form = 0; form < 8; form++) {
        struct clg_test_problem p = clg_test_pipe_problem(200, 300, form == 5 ? 0 : 100, form);
        p.batch = form % 4 == 2 ? 5 : 0;
        p.between = form == 2 ? 9 : 0;
        p.shares_a = form == 6;
        device->num_staging = 0; /* as if other calls used them all */
        device->staging_held = CLG_STAGING_MOST;
        check(&p, &random);
        device->num_staging = idle;
        device->staging_held = held;
        check(&p, &random);
    }
}

/* Too little memory for chunks, and for more than the smallest blocks, of matrices in place too. */
static void without_memory(void **state) {
    struct clg_test_random random = clg_test_random_start(10);
    struct clg_device *device = clg_test_host.engine.device;
    const uint64_t before = device->facts.workspace_max;
    static const uint64_t bounds[] = {0, 100 << 10, 15 << 20};
    (void)state;
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        device->facts.workspace_max = bounds[b];
        clg_workspace_clear(device);
        for (int form = 0; form < 4; form++) {
            struct clg_test_problem p = clg_test_pipe_problem(150, 260, 70, form + (int)b);
            p.batch = form % 2 ? 3 : 0;
            p.between = form % 2 ? 5 : 0;
            check(&p, &random);
        }
    }
    device->facts.workspace_max = before;
}

/* For a C that nobody has touched and that beta does not read; not for one with gaps. */
static void huge_pages_are_asked_for_fresh_c(void **state) {
    enum { ROWS = 2048, COLS = 2048, LONG = 3000 };
    float one[ROWS > COLS ? ROWS : COLS];
    (void)state;
    if (!clg_test_pages_supported())
        skip();
    for (int i = 0; i < ROWS; i++)
        one[i] = 1;
    for (int form = 0; form < 3; form++) {
        const int64_t ld = form == 1 ? LONG : ROWS;
        const size_t bytes = (size_t)ld * COLS * sizeof(float);
        const struct clg_test_problem p = {.layout = CLGEMM_COL_MAJOR,
                                           .ta = CLGEMM_NO_TRANS,
                                           .tb = CLGEMM_NO_TRANS,
                                           .m = ROWS,
                                           .n = COLS,
                                           .k = 1,
                                           .alpha = 2,
                                           .beta = form == 2 ? 1 : 0};
        float *c = clg_test_pages_map(bytes);
        clg_test_assert_success(clg_test_run_by(CLG_HOST_COPY, &p, one, ROWS, one, 1, c, ld));
        for (int64_t j = 0; j < COLS; j++)
            for (int64_t i = 0; i < ROWS; i++)
                if (c[j * ld + i] != 2)
                    fail();
        assert_int_equal(clg_test_pages_huge(c), form == 0);
        munmap(c, bytes);
    }
}

/* ---- Calls at the same time ---- */

enum { CALLERS = 4 };

static void *call(void *given) {
    struct clg_test_case *test = given;
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < 6 && !status; i++)
        status = clg_test_case_run_by(CLG_HOST_COPY, test);
    return status ? "a call failed" : NULL;
}

static void callers_share_the_threads(void **state) {
    struct clg_test_random random = clg_test_random_start(8);
    struct clg_test_case tests[CALLERS];
    pthread_t threads[CALLERS];
    (void)state;
    for (int t = 0; t < CALLERS; t++) {
        struct clg_test_problem p = clg_test_pipe_problem(500 + t, 600, 200, 1);
        p.beta = 0; /* each call the same */
        clg_test_case_create(&tests[t], &p, &random);
        assert_int_equal(pthread_create(&threads[t], NULL, call, &tests[t]), 0);
    }
    for (int t = 0; t < CALLERS; t++) {
        void *fault;
        pthread_join(threads[t], &fault);
        clg_test_assert_no_fault(fault);
    }
    for (int t = 0; t < CALLERS; t++) {
        clg_test_assert_no_fault(clg_test_case_fault(&tests[t]));
        clg_test_case_destroy(&tests[t]);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_of_columns_and_rows),
        cmocka_unit_test(slabs_and_blocks),
        cmocka_unit_test(any_way_is_carried_out),
        cmocka_unit_test(batches),
        cmocka_unit_test(batches_that_do_not_fit),
        cmocka_unit_test(a_column_longer_than_a_slot),
        cmocka_unit_test(calls_keep_chunks_and_threads),
        cmocka_unit_test(threads_end_with_their_device),
        cmocka_unit_test(without_staging),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(huge_pages_are_asked_for_fresh_c),
        cmocka_unit_test(callers_share_the_threads),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_host_setup, clg_test_host_teardown);
}
