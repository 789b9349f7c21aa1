/* SPDX-License-Identifier: Apache-2.0
 * Handles of several devices: PoCL shows the CPU as three, to which matrices are copied, and which
 * the library takes for slow GPUs of unlike speed, so that they share calls. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handle.h"
#include "host/pipeline.h"
#include "support/check.h"
#include "support/child.h"
#include "support/host_access.h"

static clgemm_handle *handle;
static const char *request;

static bool is_known(const clgemm_handle *each) {
    return each->host.pipes.count > 0;
}

static int count_known(void) {
    int count = 0;
    for (const clgemm_handle *each = handle; each; each = each->next)
        count += is_known(each);
    return count;
}

/* GPUs whose kernels were measured are not slow by their facts, so small calls have one device. */
static void assert_shared(void) {
    if (strcmp(request, "cpu:*") == 0)
        assert_true(count_known() > 1);
}

static void forget(void) {
    clg_team_forget(handle->team);
    for (clgemm_handle *each = handle; each; each = each->next)
        clg_known_forget(&each->host.pipes, true);
}

/* The devices' speeds, relative to each other. */
static void pose(clgemm_handle *first) {
    uint32_t clock = 4;
    for (clgemm_handle *each = first; each; each = each->next, clock--) {
        struct clg_facts *facts = &each->engine.device->facts;
        each->host.access = CLG_HOST_COPY;
        facts->kind = CLG_DEVICE_GPU;
        facts->clock_mhz = clock;
    }
}

static int open_handle(void **state) {
    (void)state;
    clg_test_assert_success(clgemm_create(&handle, request));
    pose(handle);
    return 0;
}

static int close_handle(void **state) {
    (void)state;
    clgemm_destroy(handle);
    return 0;
}

static void check(const struct clg_test_problem *p, struct clg_test_random *random) {
    struct clg_test_case test;
    forget();
    clg_test_case_create(&test, p, random);
    clg_test_case_run_and_check(&test, handle);
    clg_test_case_destroy(&test);
}

static void shares_are_right_in_every_form(void **state) {
    static const int64_t shapes[][3] = {{300, 900, 70}, {1000, 257, 33}, {400, 400, 50}};
    struct clg_test_random random = clg_test_random_start(1);
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int form = 0; form < 8; form++) {
            const struct clg_test_problem p =
                clg_test_pipe_problem(shapes[s][0], shapes[s][1], shapes[s][2], form + (int)s);
            check(&p, &random);
            assert_shared();
        }
}

static void batches_are_shared(void **state) {
    struct clg_test_random random = clg_test_random_start(2);
    (void)state;
    for (int form = 0; form < 8; form++) {
        struct clg_test_problem p = clg_test_pipe_problem(100, 130, 70, form);
        p.batch = form % 3 ? 23 : 2;
        p.between = form % 2 ? 9 : 0;
        p.shares_a = form % 4 == 3;
        check(&p, &random);
        assert_shared();
    }
}

/* Slices of k, whose sums are added. */
static void long_sums_are_shared(void **state) {
    struct clg_test_random random = clg_test_random_start(8);
    (void)state;
    for (int form = 0; form < 16; form++) {
        struct clg_test_problem p = clg_test_pipe_problem(37, 29, 20011, form);
        p.type = (clgemm_type[]){CLGEMM_F32, CLGEMM_F64, CLGEMM_CF32, CLGEMM_CF64}[form % 4];
        if (p.type != CLGEMM_F32 && clg_test_num_types() < CLG_TYPE_COUNT)
            continue;
        check(&p, &random);
        assert_shared();
    }
}

/* Products that need neither A nor B, and each mode. */
static void other_work_and_modes(void **state) {
    struct clg_test_random random = clg_test_random_start(3);
    struct clg_test_problem p = clg_test_pipe_problem(700, 800, 0, 0);
    (void)state;
    p.beta = 3;
    check(&p, &random);
    p = clg_test_pipe_problem(500, 600, 100, 0);
    p.alpha = 0;
    check(&p, &random);
    clg_test_assert_success(clgemm_set_option(handle, CLGEMM_OPTION_MATH, CLGEMM_MATH_ACCURATE));
    p.alpha = 1;
    check(&p, &random);
    clg_test_assert_success(clgemm_set_option(handle, CLGEMM_OPTION_MATH, CLGEMM_MATH_DEFAULT));
}

static void small_products_are_the_firsts(void **state) {
    struct clg_test_random random = clg_test_random_start(4);
    struct clg_facts *facts = &handle->engine.device->facts;
    const uint32_t slow = facts->clock_mhz;
    const struct clg_test_problem p = clg_test_pipe_problem(70, 60, 50, 0);
    (void)state;
    facts->clock_mhz = 3000;
    check(&p, &random);
    assert_true(is_known(handle));
    assert_false(is_known(handle->next));
    facts->clock_mhz = slow;
}

/* C lies in the gaps of A, whose memory another device might write back. */
static void entangled_matrices_have_one_device(void **state) {
    enum { N = 400, LD = 2 * N };
    float *memory = calloc((size_t)N * LD, sizeof *memory), *b = calloc(2 * N, sizeof *b);
    const clgemm_desc desc = {.size = sizeof desc,
                              .type = CLGEMM_F32,
                              .layout = CLGEMM_COL_MAJOR,
                              .ta = CLGEMM_NO_TRANS,
                              .tb = CLGEMM_NO_TRANS,
                              .m = N,
                              .n = N,
                              .k = 2,
                              .lda = LD,
                              .ldb = 2,
                              .ldc = LD};
    const float alpha = 1, beta = 0;
    (void)state;
    assert_true(memory && b);
    for (int i = 0; i < N; i++)
        memory[i] = b[2 * i] = (float)i;
    forget();
    clg_test_assert_success(clgemm_gemm(handle, &desc, &alpha, memory, b, &beta, memory + N));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            assert_true(memory[(size_t)j * LD + N + (size_t)i] == (float)(i * j));
    assert_int_equal(count_known(), 1);
    free(memory);
    free(b);
}

static void options_and_warm_ups_are_for_all(void **state) {
    struct clg_test_random random = clg_test_random_start(5);
    struct clg_test_problem p = clg_test_pipe_problem(576, 768, 111, 0);
    struct clg_test_case test;
    uint64_t chosen[CLG_DEVICES_MOST], *at = chosen;
    (void)state;
    clg_test_assert_success(clgemm_set_option(handle, CLGEMM_OPTION_VERIFY, CLGEMM_VERIFY_ALWAYS));
    for (clgemm_handle *each = handle; each; each = each->next)
        assert_int_equal(each->engine.trust.verify, CLGEMM_VERIFY_ALWAYS);
    clg_test_assert_success(clgemm_set_option(handle, CLGEMM_OPTION_VERIFY, CLGEMM_VERIFY_FIRST));
    p.offset_a = p.offset_b = p.offset_c = 0;
    forget();
    clg_test_case_create(&test, &p, &random);
    const clgemm_desc desc = clg_test_case_desc(&test);
    clg_test_assert_success(clgemm_warmup_gemm(handle, &desc, 1));
    for (clgemm_handle *each = handle; each; each = each->next)
        *at++ = each->engine.plans.missed;
    clg_test_case_run_and_check(&test, handle);
    at = chosen;
    for (clgemm_handle *each = handle; each; each = each->next)
        assert_true(*at++ == each->engine.plans.missed);
    clg_test_case_destroy(&test);
    clg_test_assert_success(clgemm_tuning_forget(handle));
    for (clgemm_handle *each = handle; each; each = each->next)
        assert_null(each->engine.tuning);
    clg_test_assert_success(clgemm_tuning_import(handle, NULL));
    for (clgemm_handle *each = handle; each; each = each->next)
        assert_non_null(each->engine.tuning);
}

static void *call(void *given) {
    return clg_test_case_run(given, handle) ? "a call failed" : NULL;
}

/* A thread that is already cancelled finishes its call, and so do the devices' own threads. */
static void *call_cancelled(void *given) {
    pthread_cancel(pthread_self());
    return clg_test_case_run(given, handle) ? "a call failed" : given;
}

static void a_cancelled_call_is_finished(void **state) {
    struct clg_test_random random = clg_test_random_start(9);
    const struct clg_test_problem p = clg_test_pipe_problem(500, 600, 100, 2);
    struct clg_test_case test;
    pthread_t thread;
    (void)state;
    forget();
    clg_test_case_create(&test, &p, &random);
    assert_int_equal(pthread_create(&thread, NULL, call_cancelled, &test), 0);
    pthread_join(thread, NULL);
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    assert_shared();
    clg_test_case_destroy(&test);
    check(&p, &random);
}

/* In a child nothing hangs on the devices' threads, which it does not have. */
static void a_child_is_told_so(void **state) {
    enum { SECONDS = 30 };
    struct clg_test_random random = clg_test_random_start(10);
    const struct clg_test_problem p = clg_test_pipe_problem(500, 600, 100, 3);
    (void)state;
    check(&p, &random);
    const pid_t child = fork();
    if (child == 0) {
        const float one = 1;
        float c = 0;
        alarm(SECONDS);
        const clgemm_status status =
            clgemm_handle_sgemm(handle, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1,
                                1, &one, 1, &one, 1, 0, &c, 1);
        clgemm_destroy(handle);
        _exit(status != CLGEMM_STATUS_FORKED);
    }
    assert_int_equal(clg_test_wait_for(child), 0);
    check(&p, &random);
}

static void callers_share_the_devices(void **state) {
    enum { CALLERS = 4 };
    struct clg_test_random random = clg_test_random_start(6);
    struct clg_test_case tests[CALLERS];
    pthread_t threads[CALLERS];
    (void)state;
    forget();
    for (int t = 0; t < CALLERS; t++) {
        const struct clg_test_problem p = clg_test_pipe_problem(500 + t, 600, 100, 1);
        clg_test_case_create(&tests[t], &p, &random);
        assert_int_equal(pthread_create(&threads[t], NULL, call, &tests[t]), 0);
    }
    for (int t = 0; t < CALLERS; t++) {
        void *fault;
        pthread_join(threads[t], &fault);
        clg_test_assert_no_fault(fault);
        clg_test_assert_no_fault(clg_test_case_fault(&tests[t]));
        clg_test_case_destroy(&tests[t]);
    }
}

/* The same devices and shares give the same bits. */
static void results_repeat(void **state) {
    struct clg_test_random random = clg_test_random_start(7);
    struct clg_test_problem p = clg_test_pipe_problem(500, 600, 300, 0);
    struct clg_test_case test;
    (void)state;
    p.beta = 0;
    clg_test_case_create(&test, &p, &random);
    const size_t bytes = clg_test_matrix_bytes(&test.c);
    void *before = malloc(bytes);
    assert_non_null(before);
    clg_test_assert_success(clg_test_case_run(&test, handle));
    memcpy(before, test.c.memory, bytes);
    forget();
    clg_test_assert_success(clg_test_case_run(&test, handle));
    assert_memory_equal(before, test.c.memory, bytes);
    free(before);
    clg_test_case_destroy(&test);
}

static void calls_without_a_handle_use_the_list(void **state) {
    const char *before = getenv("CLGEMM_DEVICE");
    char *kept = before ? strdup(before) : NULL;
    (void)state;
    setenv("CLGEMM_DEVICE", request, 1);
    clgemm_clear_cache();
    clg_test_check_works(NULL);
    setenv("CLGEMM_DEVICE", "0:0+0:0", 1);
    clgemm_clear_cache();
    clgemm_handle *none;
    clg_test_assert_status(clgemm_create(&none, NULL), CLGEMM_STATUS_NO_DEVICE);
    clg_test_assert_error_says("twice");
    assert_null(none);
    if (kept)
        setenv("CLGEMM_DEVICE", kept, 1);
    else
        unsetenv("CLGEMM_DEVICE");
    clgemm_clear_cache();
    free(kept);
}

/* CPUs, if there are several, else GPUs. */
static void require_several(void) {
    static const char *const lists[] = {"cpu:*", "gpu:*"};
    struct clg_device_list list;
    struct clg_device_choice choice;
    if (clg_device_list_query(&list))
        exit(CLG_TEST_SKIP);
    for (int i = 0; i < 2 && !request; i++)
        if (!clg_device_choose_all(&list, lists[i], &choice) && choice.count > 1)
            request = lists[i];
    clg_device_list_free(&list);
    if (!request)
        exit(CLG_TEST_SKIP);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_right_in_every_form),
        cmocka_unit_test(batches_are_shared),
        cmocka_unit_test(long_sums_are_shared),
        cmocka_unit_test(other_work_and_modes),
        cmocka_unit_test(small_products_are_the_firsts),
        cmocka_unit_test(entangled_matrices_have_one_device),
        cmocka_unit_test(options_and_warm_ups_are_for_all),
        cmocka_unit_test(callers_share_the_devices),
        cmocka_unit_test(a_cancelled_call_is_finished),
        cmocka_unit_test(a_child_is_told_so),
        cmocka_unit_test(results_repeat),
        cmocka_unit_test(calls_without_a_handle_use_the_list),
    };
    setenv("POCL_DEVICES", "pthread pthread pthread", 1);
    clg_test_require_device();
    require_several();
    return cmocka_run_group_tests(tests, open_handle, close_handle);
}
