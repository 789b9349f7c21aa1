/* SPDX-License-Identifier: Apache-2.0
 * Matrices in host memory that overlap or are shared: A with B, C in gaps, kernel objects used for
 * pointers and buffers, threads that write one C. */
#include <pthread.h>
#include <string.h>

#include "support/check.h"
#include "support/host_access.h"

/* ---- Arrays that overlap ---- */

enum { SIDE = 70 };

static const struct clg_test_problem square = {.layout = CLGEMM_COL_MAJOR,
                                               .ta = CLGEMM_NO_TRANS,
                                               .tb = CLGEMM_TRANS,
                                               .m = SIDE,
                                               .n = SIDE,
                                               .k = SIDE,
                                               .alpha = 1,
                                               .beta = -0.7f};

static void a_and_b_may_overlap(void **state) {
    struct clg_test_random random = clg_test_random_start(3);
    static const int64_t shifts[] = {0, 1, 4, 350}; /* of B, from A */
    (void)state;
    for (int w = 0; w < clg_test_host.count; w++)
        for (int s = 0; s < 4; s++) {
            struct clg_test_problem p = square;
            struct clg_test_matrix both, c;
            p.type = clg_test_type(w + s);
            clg_test_matrix_create(&both, p.type, SIDE, SIDE + 6, 0, 1, &random);
            clg_test_matrix_create(&c, p.type, SIDE, SIDE, 0, 2, &random);
            const void *a = clg_test_matrix_data(&both), *b = clg_element_at(p.type, a, shifts[s]);
            clg_test_assert_success(clg_test_run_by(clg_test_host.access[w], &p, a, SIDE, b, SIDE,
                                                    clg_test_matrix_data(&c), SIDE));
            clg_test_assert_no_fault(clg_test_result_fault(
                &p, a, SIDE, b, SIDE, clg_test_matrix_before(&c), clg_test_matrix_data(&c), SIDE));
            assert_true(clg_test_matrix_unchanged(&both) && clg_test_matrix_guarded(&c));
            clg_test_matrix_destroy(&both);
            clg_test_matrix_destroy(&c);
        }
}

/* C's columns are between A's, in an array that B shares: C with its own gaps, or one column. */
static void c_may_lie_in_gaps(void **state) {
    struct clg_test_random random = clg_test_random_start(4);
    (void)state;
    for (int w = 0; w < clg_test_host.count; w++)
        for (int columns = 1; columns <= SIDE; columns += SIDE - 1) {
            struct clg_test_problem p = square;
            struct clg_test_matrix all;
            enum { LD = 2 * SIDE + 3 };
            p.n = columns;
            p.type = clg_test_type(w + columns / 2);
            clg_test_matrix_create(&all, p.type, LD, SIDE, 0, 3, &random);
            const void *a = clg_test_matrix_data(&all), *old = clg_test_matrix_before(&all);
            void *c = clg_element_at(p.type, a, SIDE + 1);
            const void *old_c = clg_element_at(p.type, old, SIDE + 1);
            clg_test_assert_success(
                clg_test_run_by(clg_test_host.access[w], &p, a, LD, a, LD, c, LD));
            clg_test_assert_no_fault(clg_test_result_fault(&p, old, LD, old, LD, old_c, c, LD));
            for (int64_t j = 0; j < columns; j++)
                memcpy(clg_element_at(p.type, c, j * LD), clg_element_at(p.type, old_c, j * LD),
                       SIDE * clg_type_size(p.type));
            assert_true(clg_test_matrix_unchanged(&all));
            clg_test_matrix_destroy(&all);
        }
}

static void unread_matrices_may_be_null(void **state) {
    struct clg_test_random random = clg_test_random_start(5);
    struct clg_test_problem p = square;
    (void)state;
    p.alpha = 0;
    for (int w = 0; w < clg_test_host.count; w++) {
        struct clg_test_case test;
        p.gap_c = w;
        p.type = clg_test_type(w);
        clg_test_case_create(&test, &p, &random);
        clg_test_assert_success(clg_test_run_by(clg_test_host.access[w], &p, NULL, SIDE, NULL, SIDE,
                                                clg_test_matrix_data(&test.c), test.c.ld));
        clg_test_assert_no_fault(clg_test_case_fault(&test));
        clg_test_case_destroy(&test);
    }
}

/* ---- Kernel objects serve pointers and buffers in turn ---- */

static void pointers_and_buffers_by_turns(void **state) {
    struct clg_test_random random = clg_test_random_start(6);
    clgemm_handle *handle = NULL;
    (void)state;
    clg_test_assert_success(
        clgemm_create_cl(&handle, clg_test_host.cl.context, clg_test_host.cl.device));
    for (int turn = 0; turn < 6; turn++) {
        struct clg_test_case test;
        struct clg_test_problem p = square;
        p.offset_a = (size_t)(turn % 2);
        p.type = clg_test_type(turn / 2);
        clg_test_case_create(&test, &p, &random);
        if (turn % 3 == 1)
            clg_test_case_run_and_check_cl(&clg_test_host.cl, &test, handle);
        else
            clg_test_case_run_and_check(&test, handle);
        clg_test_case_destroy(&test);
    }
    clgemm_destroy(handle);
}

/* ---- Threads ---- */

enum { THREADS = 4, CALLS = 12, WIDTH = 33, ALL = THREADS * WIDTH, DEPTH = 40 };

/* Threads write blocks of rows of one C, each in the gaps of the others, from one A and B. */
struct job {
    const void *a, *b;
    void *c;
    struct clg_test_problem problem;
    enum clg_host_access way;
    clgemm_status status;
};

static void *work(void *user) {
    struct job *job = user;
    for (int i = 0; i < CALLS && !job->status; i++)
        job->status =
            clg_test_run_by(job->way, &job->problem, job->a, ALL, job->b, DEPTH, job->c, ALL);
    return NULL;
}

static void threads_share_arrays(void **state) {
    struct clg_test_random random = clg_test_random_start(7);
    struct clg_test_problem whole = {.layout = CLGEMM_COL_MAJOR,
                                     .ta = CLGEMM_NO_TRANS,
                                     .tb = CLGEMM_NO_TRANS,
                                     .m = ALL,
                                     .n = WIDTH,
                                     .k = DEPTH,
                                     .alpha = 1};
    (void)state;
    for (int w = 0; w < clg_test_host.count; w++) {
        struct clg_test_case test;
        struct job jobs[THREADS];
        pthread_t threads[THREADS];
        whole.type = clg_test_type(w);
        clg_test_case_create(&test, &whole, &random);
        for (int t = 0; t < THREADS; t++) {
            const int64_t first = (int64_t)t * WIDTH;
            jobs[t] =
                (struct job){.way = clg_test_host.access[w],
                             .a = clg_element_at(whole.type, clg_test_matrix_data(&test.a), first),
                             .b = clg_test_matrix_data(&test.b),
                             .c = clg_element_at(whole.type, clg_test_matrix_data(&test.c), first),
                             .problem = whole};
            jobs[t].problem.m = WIDTH;
            assert_int_equal(pthread_create(&threads[t], NULL, work, &jobs[t]), 0);
        }
        for (int t = 0; t < THREADS; t++)
            pthread_join(threads[t], NULL);
        for (int t = 0; t < THREADS; t++)
            assert_int_equal(jobs[t].status, CLGEMM_SUCCESS);
        clg_test_assert_no_fault(clg_test_case_fault(&test));
        clg_test_case_destroy(&test);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_and_b_may_overlap),
        cmocka_unit_test(c_may_lie_in_gaps),
        cmocka_unit_test(unread_matrices_may_be_null),
        cmocka_unit_test(pointers_and_buffers_by_turns),
        cmocka_unit_test(threads_share_arrays),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_host_setup, clg_test_host_teardown);
}
