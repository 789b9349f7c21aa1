/* SPDX-License-Identifier: Apache-2.0
 * What docs/reproducibility.md promises to be the same bit for bit. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/host_access.h"

static const int64_t shapes[][3] = {{5, 7, 3},     {64, 64, 300},  {133, 91, 257},
                                    {1, 50, 1100}, {300, 200, 65}, {48, 40, 5000}};
enum { SHAPES = sizeof shapes / sizeof *shapes, FORMS = 4 };

static struct clg_test_problem problem_of(size_t shape, int form, clgemm_type type) {
    return (struct clg_test_problem){.type = type,
                                     .layout = form & 1 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
                                     .ta = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                     .tb = form & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                     .m = shapes[shape][0],
                                     .n = shapes[shape][1],
                                     .k = shapes[shape][2],
                                     .alpha = -1.7F,
                                     .beta = form & 2 ? 0.3F : 0.0F,
                                     .gap_a = form == 3 ? 4 : 0};
}

typedef void use(struct clg_test_case *test);

/* Every shape in two variants, and every type. */
static void each_case(use *check) {
    struct clg_test_random random = clg_test_random_start(1);
    for (size_t s = 0; s < SHAPES; s++)
        for (int form = (int)s % 2; form < FORMS; form += 2) {
            const struct clg_test_problem p = problem_of(s, form, clg_test_type((int)s + form / 2));
            struct clg_test_case test;
            clg_test_case_create(&test, &p, &random);
            check(&test);
            clg_test_case_destroy(&test);
        }
}

/* C as it was before the case's call, in other memory with the same alignment. */
static void *c_before(const struct clg_test_case *test) {
    void *c = clg_test_alloc(clg_test_matrix_bytes(&test->c));
    memcpy(c, test->c.before, clg_test_matrix_bytes(&test->c));
    return c;
}

/* Computes the case's product again from these matrices. It must be the same as the case's C. */
static void assert_same(const struct clg_test_case *test, const struct clg_test_problem *problem,
                        clgemm_handle *handle, const struct clg_test_matrix *a,
                        const struct clg_test_matrix *b) {
    void *c = c_before(test);
    clg_test_assert_success(
        clg_test_run(problem, handle, a->memory, a->ld, b->memory, b->ld, c, test->c.ld));
    assert_memory_equal(c, test->c.memory, clg_test_matrix_bytes(&test->c));
    free(c);
}

/* ---- The same call ---- */

static void again_elsewhere_and_on_a_handle(struct clg_test_case *test) {
    struct clg_test_matrix a = test->a, b = test->b;
    clgemm_handle *handle;
    clg_test_case_run_and_check(test, NULL);
    a.memory = a.before; /* equal matrices at other addresses */
    b.memory = b.before;
    assert_same(test, &test->problem, NULL, &test->a, &test->b);
    assert_same(test, &test->problem, NULL, &a, &b);
    clg_test_assert_success(clgemm_create(&handle, NULL));
    assert_same(test, &test->problem, handle, &a, &b);
    clgemm_destroy(handle);
}

static void the_same_call_again(void **state) {
    (void)state;
    each_case(again_elsewhere_and_on_a_handle);
}

static void again_on_buffers(struct clg_test_case *test) {
    struct clg_test_cl *cl = &clg_test_host.cl;
    const size_t size = clg_test_matrix_bytes(&test->c);
    void *first = clg_test_alloc(size);
    for (int time = 0; time < 2; time++) {
        struct clg_test_buffers buffers;
        cl_event done;
        memcpy(test->c.memory, test->c.before, size);
        clg_test_buffers_create(cl, test, &buffers);
        clg_test_assert_success(clg_test_enqueue(cl, test, &buffers, NULL, 0, NULL, &done));
        clg_test_read_back(cl, buffers.c, &test->c, done);
        clReleaseEvent(done);
        clg_test_buffers_release(&buffers);
        if (time == 0)
            memcpy(first, test->c.memory, size);
    }
    assert_memory_equal(first, test->c.memory, size);
    free(first);
}

static void the_same_call_on_buffers_again(void **state) {
    (void)state;
    each_case(again_on_buffers);
}

/* ---- Row-major and column-major ---- */

static void in_the_other_layout(struct clg_test_case *test) {
    struct clg_test_problem other = test->problem;
    other.layout = test->problem.layout == CLGEMM_ROW_MAJOR ? CLGEMM_COL_MAJOR : CLGEMM_ROW_MAJOR;
    other.ta = test->problem.tb;
    other.tb = test->problem.ta;
    other.m = test->problem.n;
    other.n = test->problem.m;
    clg_test_case_run_and_check(test, NULL);
    assert_same(test, &other, NULL, &test->b, &test->a);
}

static void the_transposed_product_in_the_other_layout(void **state) {
    (void)state;
    each_case(in_the_other_layout);
}

/* ---- An element depends on its row of A and its column of B ---- */

static void *element(clgemm_type type, void *matrix, bool by_rows, int64_t i, int64_t j,
                     int64_t ld) {
    return clg_element_at(type, matrix, by_rows ? i * ld + j : i + j * ld);
}

static void with_another_row(struct clg_test_case *test) {
    const struct clg_test_problem *p = &test->problem;
    const bool c_by_rows = p->layout == CLGEMM_ROW_MAJOR;
    const bool a_by_rows = c_by_rows == (p->ta == CLGEMM_NO_TRANS);
    const size_t size = clg_type_size(p->type);
    const int64_t row = p->m / 2;
    clg_test_case_run_and_check(test, NULL);
    void *c = c_before(test);
    for (int64_t q = 0; q < p->k; q++) /* all bits set: NaN in every type */
        memset(element(p->type, test->a.memory, a_by_rows, row, q, test->a.ld), 0xff, size);
    clg_test_assert_success(clg_test_run(p, NULL, test->a.memory, test->a.ld, test->b.memory,
                                         test->b.ld, c, test->c.ld));
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n && i != row; j++)
            assert_memory_equal(element(p->type, c, c_by_rows, i, j, test->c.ld),
                                element(p->type, test->c.memory, c_by_rows, i, j, test->c.ld),
                                size);
    free(c);
}

static void other_rows_do_not_matter(void **state) {
    (void)state;
    each_case(with_another_row);
}

/* ---- Threads ---- */

enum { THREADS = 4, ROUNDS = 8 };

struct calls {
    struct clg_test_case *test;
    pthread_t thread;
    int differing;
};

static void *multiply(void *argument) {
    struct calls *calls = argument;
    const struct clg_test_case *test = calls->test;
    for (int i = 0; i < ROUNDS; i++) {
        void *c = c_before(test);
        calls->differing +=
            clg_test_run(&test->problem, NULL, test->a.memory, test->a.ld, test->b.memory,
                         test->b.ld, c, test->c.ld) != CLGEMM_SUCCESS ||
            memcmp(c, test->c.memory, clg_test_matrix_bytes(&test->c)) != 0;
        free(c);
    }
    return NULL;
}

static void beside_others(struct clg_test_case *test) {
    struct calls calls[THREADS];
    clg_test_case_run_and_check(test, NULL);
    for (int i = 0; i < THREADS; i++) {
        calls[i] = (struct calls){.test = test};
        assert_int_equal(pthread_create(&calls[i].thread, NULL, multiply, &calls[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(calls[i].thread, NULL);
        assert_int_equal(calls[i].differing, 0);
    }
}

/* If matrices are not copied: else calls at the same time may split k differently. */
static void threads_at_the_same_time(void **state) {
    (void)state;
    if (clg_host_access_of(&clg_test_host.host) == CLG_HOST_COPY)
        skip();
    each_case(beside_others);
}

/* ---- Processes ---- */

static struct clg_hash all;

static void add_to_hash(struct clg_test_case *test) {
    clg_test_case_run_and_check(test, NULL);
    all = clg_hash_of(&all, sizeof all, test->c.memory, clg_test_matrix_bytes(&test->c));
}

static void hash_of_all(char out[CLG_HASH_TEXT]) {
    all = (struct clg_hash){{0}};
    each_case(add_to_hash);
    clg_hash_text(&all, out);
}

static int print_hash(void) {
    char text[CLG_HASH_TEXT];
    hash_of_all(text);
    printf("hash %s\n", text);
    return 0;
}

/* With programs that are compiled, kept on disk, and loaded from there. */
static void other_processes(void **state) {
    char here[CLG_HASH_TEXT], output[4096];
    (void)state;
    hash_of_all(here);
    for (int time = 0; time < 2; time++) {
        const int status = clg_test_run_self("hash", NULL, output, sizeof output);
        if (status)
            print_error("%s\n", output);
        assert_int_equal(status, 0);
        const char *there = strstr(output, "hash ");
        assert_non_null(there);
        assert_memory_equal(there + strlen("hash "), here, sizeof here - 1);
    }
}

/* ---- Exact sums ---- */

static void fill_with_small_integers(struct clg_test_matrix *matrix) {
    for (int64_t at = 0; at < (int64_t)matrix->count; at++)
        clg_element_set(matrix->type, matrix->memory, at, (double)(at * 7 % 5 - 2));
}

/* If no sum is rounded, the order of additions has no effect: a batch and its single products, in
 * host memory and in buffers. */
static void sums_that_are_exact(void **state) {
    struct clg_test_random random = clg_test_random_start(2);
    struct clg_test_cl *cl = &clg_test_host.cl;
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        struct clg_test_problem p = problem_of(s, (int)s % FORMS, CLGEMM_F32);
        struct clg_test_buffers buffers;
        struct clg_test_case test;
        cl_event done;
        p.alpha = 2, p.beta = 0, p.batch = 3;
        clg_test_case_create(&test, &p, &random);
        fill_with_small_integers(&test.a);
        fill_with_small_integers(&test.b);
        const size_t size = clg_test_matrix_bytes(&test.c);
        void *alone = c_before(&test), *batch = clg_test_alloc(size);
        clg_test_assert_success(clg_test_case_run(&test, NULL));
        memcpy(batch, test.c.memory, size);
        for (int64_t z = 0; z < p.batch; z++)
            clg_test_assert_success(clg_test_run(
                &p, NULL, clg_element_at(p.type, test.a.memory, z * test.a.stride), test.a.ld,
                clg_element_at(p.type, test.b.memory, z * test.b.stride), test.b.ld,
                clg_element_at(p.type, alone, z * test.c.stride), test.c.ld));
        assert_memory_equal(alone, batch, size);
        clg_test_buffers_create(cl, &test, &buffers);
        clg_test_assert_success(clg_test_enqueue(cl, &test, &buffers, NULL, 0, NULL, &done));
        clg_test_read_back(cl, buffers.c, &test.c, done);
        assert_memory_equal(test.c.memory, batch, size);
        clReleaseEvent(done);
        clg_test_buffers_release(&buffers);
        clg_test_case_destroy(&test);
        free(batch);
        free(alone);
    }
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_call_again),
        cmocka_unit_test(the_same_call_on_buffers_again),
        cmocka_unit_test(the_transposed_product_in_the_other_layout),
        cmocka_unit_test(other_rows_do_not_matter),
        cmocka_unit_test(threads_at_the_same_time),
        cmocka_unit_test(sums_that_are_exact),
        cmocka_unit_test_setup_teardown(other_processes, clg_test_cache_setup,
                                        clg_test_cache_teardown),
    };
    clg_test_require_device();
    if (argc == 2 && strcmp(argv[1], "hash") == 0)
        clg_test_end_child(print_hash());
    return cmocka_run_group_tests(tests, clg_test_host_setup, clg_test_host_teardown);
}
