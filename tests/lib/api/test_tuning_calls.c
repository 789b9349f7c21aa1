/* SPDX-License-Identifier: Apache-2.0
 * Tuning on a device: a row is used and the result is right; import, export and forget work, also
 * while sixteen threads multiply. Over 300 lines, because all tests share one made-up row and its
 * device. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "run/choose.h"
#include "support/check.h"
#include "support/device.h"
#include "support/tuning_places.h"

enum { THREADS = 16, SIDE = 96, IMPORTS = 30 };

/* Transposed, and aligned, wherever the device reads the matrices. */
static const struct clg_test_problem problem = {.layout = CLGEMM_COL_MAJOR,
                                                .ta = CLGEMM_TRANS,
                                                .tb = CLGEMM_NO_TRANS,
                                                .m = SIDE,
                                                .n = SIDE,
                                                .k = SIDE,
                                                .alpha = 1.5F,
                                                .beta = 0.5F};

struct fixture {
    struct clg_test_cache *cache; /* the folder that it creates */
    clgemm_handle *handle;
    const struct clg_facts *facts;
    size_t shipped; /* rows for this device that come with the library */
    char file[CLG_TEST_PATH];
};

static int setup(void **state) {
    static struct fixture f;
    f.cache = clg_test_tuning_folder_open();
    setenv("XDG_CONFIG_HOME", f.cache->scratch, 1);
    clg_test_join(f.file, f.cache->scratch, "one.json");
    clg_test_assert_success(clgemm_create(&f.handle, NULL));
    f.facts = &f.handle->engine.device->facts;
    f.shipped = clg_tuning_count(f.handle->engine.tuning); /* no other place has any */
    *state = &f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    clgemm_destroy(f->handle);
    unsetenv("XDG_CONFIG_HOME");
    return clg_test_tuning_folder_close(f->cache);
}

/* A row for the problem's class with parameters of any family, other than the model's. */
static struct clg_tuning_row row_for(const struct fixture *f) {
    struct clg_tuning_row row = {
        .shape = {.m = SIDE, .n = SIDE, .k = SIDE, .ta = true, .aligned = true}, .ms = 1};
    struct clg_problem described;
    struct clg_plan model;
    clg_test_assert_success(clg_tuning_problem(&described, &row.shape));
    clg_test_assert_success(clg_choose_plan(&model, &described, f->facts, NULL));
    clg_tuning_stamp(row.date, row.version);
    row.family = model.family;
    row.params = model.params;
    if (model.family == &clg_family_panel) {
        row.params.reg_n = model.params.reg_n == 5 ? 6 : 5;
        row.params.tile_n = 4 * row.params.reg_n;
    } else {
        row.family = &clg_family_direct;
        row.params = (struct clg_params){.tile_m = 8, .tile_n = 4, .wg_m = 4, .wg_n = 4};
    }
    assert_false(clg_params_equal(&row.params, &model.params));
    assert_null(clg_tuning_unsupported_reason(&row, f->facts));
    return row;
}

/* Runs a batch of the problem, whose results must be right, and returns the handle's plan. */
static struct clg_plan plan_used_of(clgemm_handle *handle, int64_t batch) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_problem problems = problem;
    struct clg_test_case test;
    problems.batch = batch;
    clg_test_case_create(&test, &problems, &random);
    clg_test_case_run_and_check(&test, handle);
    clg_test_case_destroy(&test);
    struct clg_known *last = clg_test_last_known(&handle->engine.plans);
    assert_non_null(last);
    const struct clg_plan plan = ((struct clg_known_plan *)last)->prepared.plan;
    clg_known_release(last);
    assert_true(plan.problem.k == SIDE && plan.problem.matrix[CLG_A].transposed &&
                plan.problem.batch == batch);
    return plan;
}

static struct clg_plan plan_used(clgemm_handle *handle) {
    return plan_used_of(handle, 1);
}

static void assert_tuned(clgemm_handle *handle, const struct clg_tuning_row *row) {
    const struct clg_plan plan = plan_used(handle);
    assert_string_equal(plan.why, "tuned");
    assert_ptr_equal(plan.family, row->family);
    assert_true(clg_params_equal(&plan.params, &row->params));
}

static void assert_model(clgemm_handle *handle) {
    assert_string_not_equal(plan_used(handle).why, "tuned");
}

static void import_is_used_and_forget_restores(void **state) {
    const struct fixture *f = *state;
    const struct clg_tuning_row row = row_for(f);
    const struct clg_plan before = plan_used(f->handle);
    clg_test_tuning_file(f->file, f->facts, &row, 1);
    clg_test_assert_success(clgemm_tuning_import(f->handle, f->file));
    assert_tuned(f->handle, &row);
    clg_test_assert_success(clgemm_tuning_forget(f->handle));
    const struct clg_plan after = plan_used(f->handle);
    assert_string_equal(after.why, before.why);
    assert_true(clg_params_equal(&after.params, &before.params));
    clg_test_assert_success(clgemm_tuning_export(f->handle, f->file)); /* adds nothing */
    clg_test_assert_success(clgemm_tuning_import(f->handle, NULL));    /* it is in a place, too */
    assert_tuned(f->handle, &row);
}

static void batches_take_their_own_rows(void **state) {
    const struct fixture *f = *state;
    struct clg_tuning_row row = row_for(f);
    row.shape.batch = 4;
    f->handle->host.access = CLG_HOST_BUFFER; /* a pipeline would compute a few at a time */
    clg_test_tuning_file(f->file, f->facts, &row, 1);
    clg_test_assert_success(clgemm_tuning_import(f->handle, f->file));
    assert_model(f->handle);
    const struct clg_plan plan = plan_used_of(f->handle, 5);
    assert_string_equal(plan.why, "tuned");
    assert_true(clg_params_equal(&plan.params, &row.params));
    assert_string_not_equal(plan_used_of(f->handle, 8).why, "tuned"); /* too far */
}

static void new_handles_read_the_places(void **state) {
    const struct fixture *f = *state;
    const struct clg_tuning_row row = row_for(f);
    clgemm_handle *fresh;
    clg_test_tuning_file(f->file, f->facts, &row, 1);
    assert_model(f->handle);
    clg_test_assert_success(clgemm_create(&fresh, NULL));
    assert_tuned(fresh, &row);
    clgemm_destroy(fresh);
    setenv("CLGEMM_TUNING", "0", 1);
    clg_test_assert_success(clgemm_create(&fresh, NULL));
    assert_model(fresh);
    clgemm_destroy(fresh);
}

static void export_is_what_import_takes(void **state) {
    const struct fixture *f = *state;
    const struct clg_tuning_row row = row_for(f);
    char other[CLG_TEST_PATH];
    clgemm_handle *fresh;
    clg_test_tuning_file(f->file, f->facts, &row, 1);
    clg_test_assert_success(clgemm_tuning_import(f->handle, f->file));
    clg_test_join(other, f->cache->scratch, "exported/file.json");
    clg_test_assert_success(clgemm_tuning_export(f->handle, other));
    clg_test_remove(f->file);
    clg_test_assert_success(clgemm_create(&fresh, NULL));
    assert_model(fresh);
    clg_test_assert_success(clgemm_tuning_import(fresh, other));
    assert_tuned(fresh, &row);
    clg_test_assert_success(clgemm_tuning_export(fresh, NULL)); /* where CLGEMM_TUNING says */
    clgemm_destroy(fresh);
    clg_test_assert_success(clgemm_create(&fresh, NULL));
    assert_tuned(fresh, &row);
    clgemm_destroy(fresh);
}

static void bad_imports_say_why_and_change_nothing(void **state) {
    const struct fixture *f = *state;
    const struct clg_tuning_row row = row_for(f);
    clg_test_tuning_file(f->file, f->facts, &row, 1);
    clg_test_assert_success(clgemm_tuning_import(f->handle, f->file));
    clg_test_assert_status(clgemm_tuning_import(f->handle, "/no/such/file"),
                           CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_error_says("/no/such/file does not exist");
    clg_test_file_write(f->file, "{\"m\"", 4);
    clg_test_assert_status(clgemm_tuning_import(f->handle, f->file), CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_error_says("one.json:1: ");
    assert_tuned(f->handle, &row);
    clg_test_assert_status(clgemm_tuning_export(f->handle, f->file), CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_error_says("it was not changed");
}

/* Handle NULL means calls without a handle, until the cache is cleared. */
static void without_a_handle(void **state) {
    const struct fixture *f = *state;
    const struct clg_tuning_row row = row_for(f);
    clgemm_handle *shared;
    clg_test_tuning_file(f->file, f->facts, &row, 1);
    setenv("CLGEMM_TUNING", "0", 1);
    clg_test_assert_success(clgemm_clear_cache());
    for (int round = 0; round < 2; round++) {
        clg_test_assert_success(clgemm_tuning_import(NULL, f->file));
        clg_test_assert_success(clg_shared_use(NULL, &shared));
        assert_tuned(shared, &row);
        clg_test_assert_success(round ? clgemm_clear_cache() : clgemm_tuning_forget(NULL));
        clg_shared_end(NULL, shared, CLGEMM_SUCCESS);
        clg_test_assert_success(clg_shared_use(NULL, &shared));
        assert_model(shared);
        clg_shared_end(NULL, shared, CLGEMM_SUCCESS);
    }
    clg_test_assert_status(clgemm_tuning_export(NULL, NULL), CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_success(clgemm_clear_cache());
}

/* ---- Threads ---- */

static atomic_int stop;

struct worker {
    pthread_t thread;
    clgemm_handle *handle;
    int index;
    atomic_int calls;
    char fault[512];
};

static void *multiply(void *arg) {
    struct worker *w = arg;
    struct clg_test_random random = clg_test_random_start((uint64_t)w->index);
    struct clg_test_problem mine = problem;
    mine.m += w->index;
    while (!atomic_load(&stop) && !*w->fault) {
        struct clg_test_case test;
        clg_test_case_create(&test, &mine, &random);
        const char *fault =
            clg_test_case_run(&test, w->handle) ? clgemm_last_error() : clg_test_case_fault(&test);
        snprintf(w->fault, sizeof w->fault, "%s", fault ? fault : "");
        clg_test_case_destroy(&test);
        atomic_fetch_add(&w->calls, 1);
    }
    return NULL;
}

static size_t rows_of_class(const struct clg_tuning *tuning, const struct clg_tuning_shape *shape) {
    size_t count = 0;
    for (size_t i = 0; i < clg_tuning_count(tuning); i++) {
        enum clg_tuning_origin origin;
        bool own_driver;
        const struct clg_tuning_row *row = clg_tuning_at(tuning, i, &origin, &own_driver);
        count += clg_tuning_same_class(&row->shape, shape);
    }
    return count;
}

static void import_while_threads_call(void **state) {
    const struct fixture *f = *state;
    const struct clg_tuning_row row = row_for(f);
    static struct worker workers[THREADS];
    clg_test_tuning_file(f->file, f->facts, &row, 1);
    atomic_store(&stop, 0);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.handle = f->handle, .index = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, multiply, &workers[i]), 0);
    }
    /* On a busy machine some may not have begun before the last import. */
    for (int i = 0; i < THREADS; i++)
        while (!atomic_load(&workers[i].calls))
            sched_yield();
    for (int i = 0; i < IMPORTS; i++) {
        clg_test_assert_success(clgemm_tuning_import(f->handle, i % 3 ? f->file : NULL));
        clg_test_assert_success(clgemm_tuning_export(f->handle, f->file));
        clg_test_assert_success(clgemm_tuning_forget(f->handle));
    }
    clg_test_assert_success(clgemm_tuning_import(f->handle, f->file));
    atomic_store(&stop, 1);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_string_equal(workers[i].fault, "");
        assert_true(atomic_load(&workers[i].calls) > 0);
    }
    assert_tuned(f->handle, &row);
    /* Rows that come with the library were exported and imported too, if they are for this
     * driver. */
    const struct clg_tuning *tuning = f->handle->engine.tuning;
    assert_int_equal(rows_of_class(tuning, &row.shape), 1);
    assert_in_range(clg_tuning_count(tuning), 1, 1 + f->shipped);
}

/* Imports at the same time lose none of each other's rows. */
static void *import_one(void *arg) {
    const struct worker *w = arg;
    return clgemm_tuning_import(w->handle, w->fault) ? arg : NULL;
}

static void imports_at_once(void **state) {
    const struct fixture *f = *state;
    static struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        struct clg_tuning_row row = row_for(f);
        char name[32];
        row.shape.m += i;
        snprintf(name, sizeof name, "%d.json", i);
        workers[i] = (struct worker){.handle = f->handle, .index = i};
        clg_test_join(workers[i].fault, f->cache->scratch, name);
        clg_test_tuning_file(workers[i].fault, f->facts, &row, 1);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, import_one, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(workers[i].thread, &failed);
        assert_null(failed);
    }
    assert_int_equal(clg_tuning_count(f->handle->engine.tuning), f->shipped + THREADS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(import_is_used_and_forget_restores),
        TEST(batches_take_their_own_rows),
        TEST(new_handles_read_the_places),
        TEST(export_is_what_import_takes),
        TEST(bad_imports_say_why_and_change_nothing),
        TEST(without_a_handle),
        TEST(import_while_threads_call),
        TEST(imports_at_once),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
