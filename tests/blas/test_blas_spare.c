/* SPDX-License-Identifier: Apache-2.0
 * The thread that OpenBLAS lacks while a device is prepared. The program's own functions stand for
 * OpenBLAS's. */
#include "base/thread.h"
#include "blas/spare.h"
#include "support/check.h"

static int threads, parallel;

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int openblas_get_parallel(void);
EXPORTED int openblas_get_num_threads(void);
EXPORTED void openblas_set_num_threads(int count);

int openblas_get_parallel(void) {
    return parallel;
}

int openblas_get_num_threads(void) {
    return threads;
}

void openblas_set_num_threads(int count) {
    threads = count;
}

/* What is left of so many threads meanwhile, and afterwards. */
static void check(int kind, int before, int meanwhile) {
    parallel = kind;
    threads = before;
    clg_spare_begin();
    clg_spare_begin();
    assert_int_equal(threads, meanwhile);
    assert_int_equal(clg_spare_is_on(), meanwhile != before);
    clg_spare_end();
    clg_spare_end();
    assert_int_equal(threads, before);
    assert_false(clg_spare_is_on());
}

enum { SEQUENTIAL, POSIX_THREADS, OPENMP };

static void one_of_many_is_spared(void **state) {
    const int processors = clg_thread_processors(), many = processors > 8 ? processors : 8;
    (void)state;
    check(POSIX_THREADS, many, many - 1);
    check(POSIX_THREADS, 7, 7);
    check(POSIX_THREADS, 1, 1);
    check(SEQUENTIAL, many, many);
    check(OPENMP, many, many);
    if (processors > 8) /* one is idle as it is */
        check(POSIX_THREADS, processors - 1, processors - 1);
}

static void what_the_program_sets_stays(void **state) {
    (void)state;
    parallel = POSIX_THREADS;
    threads = 1000;
    clg_spare_begin();
    assert_int_equal(threads, 999);
    threads = 5;
    clg_spare_end();
    assert_int_equal(threads, 5);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(one_of_many_is_spared),
                                              cmocka_unit_test(what_the_program_sets_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
