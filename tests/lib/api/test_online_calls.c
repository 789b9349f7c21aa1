/* SPDX-License-Identifier: Apache-2.0
 * CLGEMM_ONLINE=1 on a device: trials beside calls leave results, memory and the last error as they
 * are, a winner is what later calls run and is written down, and nothing is tried without leave. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "gemm/element.h"
#include "run/host_access.h"
#include "support/check.h"
#include "support/device.h"
#include "support/tuning_places.h"

enum { SIDE = 96, THREADS = 8, CALLS = 40 };

/* Seconds that nobody waits for: with these in calls anything may be tried. */
static const double plenty = 1e9;

static const struct clg_test_problem problem = {.layout = CLGEMM_ROW_MAJOR,
                                                .ta = CLGEMM_NO_TRANS,
                                                .tb = CLGEMM_TRANS,
                                                .m = SIDE,
                                                .n = SIDE,
                                                .k = SIDE,
                                                .alpha = -1.5F,
                                                .gap_c = 3,
                                                .offset_c = 5};

struct fixture {
    struct clg_test_cache *cache; /* the folder that it makes */
    clgemm_handle *handle;
};

static int setup(void **state) {
    static struct fixture f;
    f.cache = clg_test_tuning_folder_open();
    setenv("CLGEMM_ONLINE", "1", 1);
    clg_test_assert_success(clgemm_create(&f.handle, NULL));
    assert_non_null(f.handle->online);
    *state = &f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    clgemm_destroy(f->handle);
    unsetenv("CLGEMM_ONLINE");
    return clg_test_tuning_folder_close(f->cache);
}

/* A call whose result must be right and that leaves all memory around its matrices alone. */
static void call(clgemm_handle *handle, const struct clg_test_problem *p) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_case test;
    clg_test_case_create(&test, p, &random);
    clg_test_case_run_and_check(&test, handle);
    clg_test_case_destroy(&test);
}

static struct clg_online *first_class(const clgemm_handle *handle) {
    assert_true(handle->online->count > 0);
    return &handle->online->classes[0].online;
}

/* The class after its first call, with leave to try. */
static struct clg_online *allowed(clgemm_handle *handle) {
    call(handle, &problem);
    struct clg_online *online = first_class(handle);
    assert_true(online->in_trials == 0); /* it is far too early */
    online->in_calls = plenty;
    return online;
}

/* How the handle plans the problem. */
static const struct clg_plan *plan_of(const clgemm_handle *handle) {
    int i = 0;
    while (i < handle->engine.count && handle->engine.remembered[i].plan.problem.k != SIDE)
        i++;
    assert_true(i < handle->engine.count);
    return &handle->engine.remembered[i].plan;
}

static size_t rows_in_force(const struct fixture *f) {
    struct clg_tuning *tuning = clg_engine_tuning(&f->handle->engine);
    const size_t count = clg_tuning_count(tuning);
    clg_tuning_release(tuning);
    return count;
}

static void off_unless_asked_for(void **state) {
    static const char *const values[] = {NULL, "", "0"};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        clgemm_handle *handle;
        unsetenv("CLGEMM_ONLINE");
        if (values[i])
            setenv("CLGEMM_ONLINE", values[i], 1);
        clg_test_assert_success(clgemm_create(&handle, NULL));
        assert_null(handle->online);
        call(handle, &problem);
        clgemm_destroy(handle);
    }
}

static void nothing_is_tried_without_leave(void **state) {
    const struct fixture *f = *state;
    for (int i = 0; i < CALLS; i++)
        call(f->handle, &problem);
    const struct clg_online *online = first_class(f->handle);
    assert_true(online->in_trials == 0 && online->num_tried <= 2 && online->in_calls > 0);
}

/* Candidates are built, verified and compared, and no call's result or last error shows it. */
static void calls_with_trials(clgemm_handle *handle) {
    struct clg_online *online = allowed(handle);
    assert_int_equal(clgemm_handle_sgemm(handle, 0, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, 1,
                                         NULL, 1, NULL, 1, 0, NULL, 1),
                     CLGEMM_STATUS_INVALID_LAYOUT);
    char said[256];
    clg_copy_last_error(said, sizeof said);
    for (int i = 0; i < CALLS; i++)
        call(handle, &problem);
    clg_test_assert_error_says(said);
    assert_true(online->num_tried > 2 && online->in_trials > 0);
    assert_false(handle->online->off);
}

/* However matrices reach the device: every device can do the first two. */
static void trials_do_not_show(void **state) {
    const struct fixture *f = *state;
    const enum clg_host_access accesses[] = {CLG_HOST_COPY, CLG_HOST_BUFFER,
                                             clg_host_access_of(&f->handle->engine)};
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        clgemm_handle *handle;
        clg_test_assert_success(clgemm_create(&handle, NULL));
        handle->engine.host_access = accesses[i];
        calls_with_trials(handle);
        clgemm_destroy(handle);
    }
}

static void a_winner_is_run_and_written(void **state) {
    const struct fixture *f = *state;
    struct clg_online *online = allowed(f->handle);
    const size_t before = rows_in_force(f);
    while (!online->under_way || !online->built)
        call(f->handle, &problem);
    const struct clg_candidate winner = online->candidate;
    for (int i = 0; i < CLG_ONLINE_PAIRS - 1; i++) /* all pairs but one, which is no matter then */
        online->ratios[i] = 0.5;
    online->pairs = CLG_ONLINE_PAIRS - 1;
    call(f->handle, &problem);
    assert_true(clg_candidate_equal(&online->centre, &winner));
    assert_int_equal(rows_in_force(f), before + 1);

    online->in_calls = 0; /* no more of it */
    call(f->handle, &problem);
    const struct clg_plan *plan = plan_of(f->handle);
    assert_string_equal(plan->why, "tuned");
    const struct clg_candidate ran = clg_candidate_of(plan->family, &plan->params);
    assert_true(clg_candidate_equal(&ran, &winner));
    assert_true(clg_candidate_equal(&online->centre, &winner));

    clgemm_handle *fresh; /* reads the file */
    clg_test_assert_success(clgemm_create(&fresh, NULL));
    call(fresh, &problem);
    assert_string_equal(plan_of(fresh)->why, "tuned");
    assert_true(clg_params_equal(&plan_of(fresh)->params, &winner.params));
    clgemm_destroy(fresh);
}

static void what_cannot_be_compared_is_left_alone(void **state) {
    const struct fixture *f = *state;
    struct clg_test_problem other = problem;
    other.beta = 0.5F;
    call(f->handle, &other);
    other = problem;
    other.gap_c = 1000;
    call(f->handle, &other);
    other = problem;
    other.alpha = 0;
    call(f->handle, &other);
    assert_int_equal(f->handle->online->count, 0);
}

/* NaN in A: nothing can be said of a second result, and nothing is. */
static void no_verdict_on_what_is_not_finite(void **state) {
    const struct fixture *f = *state;
    struct clg_online *online = allowed(f->handle);
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, &random);
    clg_element_set(CLGEMM_F32, clg_test_matrix_data(&test.a), 7, NAN);
    clg_test_matrix_snapshot(&test.a);
    for (int i = 0; i < 3; i++)
        clg_test_case_run_and_check(&test, f->handle);
    clg_test_case_destroy(&test);
    assert_true(online->under_way && !online->built && online->in_trials > 0);
    assert_false(f->handle->online->off);
}

/* As a call would do it, but with a C that is not what the device makes: trials end. */
static void difference_ends_it(clgemm_handle *handle, clgemm_type type) {
    enum { LD = SIDE + 1, ELEMENTS = SIDE * LD };
    const struct clg_tuning_shape shape = {SIDE, SIDE, SIDE, false, false, false, type, 0, 0};
    const struct clg_scalars scalars = {1, 0};
    struct clg_test_random random = clg_test_random_start(1);
    void *memory = clg_test_alloc((size_t)3 * ELEMENTS * clg_type_size(type));
    for (int i = 0; i < 3 * ELEMENTS; i++)
        clg_element_set(type, memory, i, clg_test_value(&random) / 3.0);
    void *b = clg_element_at(type, memory, ELEMENTS), *c = clg_element_at(type, b, ELEMENTS);
    const struct clg_host_matrices host = {{memory, b, c}};
    struct clg_online_tuner *tuner = handle->online;
    struct clg_problem checked;
    struct clg_plan plan;
    clg_test_assert_success(clg_tuning_problem(&checked, &shape));
    assert_int_equal(checked.matrix[CLG_C].ld, LD);
    clg_test_assert_success(clg_host_gemm(&handle->engine, &checked, &scalars, &host, &plan));
    clg_online_after(tuner, &checked, &scalars, &host, &plan, 1e-3);
    first_class(handle)->in_calls = plenty;
    clg_online_after(tuner, &checked, &scalars, &host, &plan, 1e-3);
    assert_true(first_class(handle)->built && !tuner->off);
    const double right = clg_element(type, c, LD);
    clg_element_set(type, c, LD, right + 1e6 * clg_roundoff(type));
    clg_online_after(tuner, &checked, &scalars, &host, &plan, 1e-3);
    assert_true(tuner->off && !first_class(handle)->under_way);
    const double spent = first_class(handle)->in_trials;
    clg_element_set(type, c, LD, right);
    clg_online_after(tuner, &checked, &scalars, &host, &plan, 1e-3);
    assert_true(first_class(handle)->in_trials == spent);
    free(memory);
}

static void a_result_that_differs_ends_it(void **state) {
    (void)state;
    for (int type = CLGEMM_F32; type <= CLGEMM_F64; type++) {
        clgemm_handle *handle;
        clg_test_assert_success(clgemm_create(&handle, NULL));
        if (!clg_type_unsupported_reason((clgemm_type)type, &handle->engine.device->facts))
            difference_ends_it(handle, (clgemm_type)type);
        clgemm_destroy(handle);
    }
}

static void shapes_take_the_place_of_the_least(void **state) {
    const struct fixture *f = *state;
    struct clg_test_problem other = problem;
    for (int i = 0; i < CLG_ONLINE_CLASSES; i++) {
        other.m = 8 + i;
        call(f->handle, &other);
        f->handle->online->classes[i].online.in_calls = i == 3 ? 1 : 2;
    }
    other.m = 64;
    call(f->handle, &other);
    assert_int_equal(f->handle->online->count, CLG_ONLINE_CLASSES);
    const struct clg_tuning_shape *shape = &f->handle->online->classes[3].shape;
    assert_true(shape->m == 64 || shape->n == 64);
}

static void *call_often(void *handle) {
    for (int i = 0; i < CALLS; i++)
        call(handle, &problem);
    return NULL;
}

static void threads_are_right(void **state) {
    const struct fixture *f = *state;
    pthread_t threads[THREADS];
    allowed(f->handle);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, f->handle), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_true(first_class(f->handle)->in_trials > 0);
    assert_false(f->handle->online->off);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    clg_test_require_device();
    static const struct CMUnitTest tests[] = {
        TEST(off_unless_asked_for),
        TEST(nothing_is_tried_without_leave),
        TEST(trials_do_not_show),
        TEST(a_winner_is_run_and_written),
        TEST(what_cannot_be_compared_is_left_alone),
        TEST(no_verdict_on_what_is_not_finite),
        TEST(a_result_that_differs_ends_it),
        TEST(shapes_take_the_place_of_the_least),
        TEST(threads_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
