/* SPDX-License-Identifier: Apache-2.0
 * Random calls on host matrices and on buffers. CLGEMM_TEST_SEED chooses the sequence,
 * CLGEMM_TEST_FUZZ the number of calls of each kind. */
#include <inttypes.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/device.h"
#include "support/level3.h"

static int rounds(void) {
    const char *text = getenv("CLGEMM_TEST_FUZZ");
    if (text && *text)
        return atoi(text);
    return clg_test_is_long() ? 10000 : 100;
}

/* Mostly small, sometimes larger, now and then 0. */
static int64_t random_size(struct clg_test_random *random) {
    switch (clg_test_range(random, 0, 9)) {
    case 0:
        return clg_test_range(random, 0, 1);
    case 1:
    case 2:
        return clg_test_range(random, 100, 300);
    case 3:
        return 32 * clg_test_range(random, 1, 6);
    default:
        return clg_test_range(random, 1, 80);
    }
}

static float random_scalar(struct clg_test_random *random) {
    static const float common[] = {0.0f, 1.0f, -1.0f, -0.7f};
    int64_t which = clg_test_range(random, 0, 5);
    return which < 4 ? common[which] : 3 * clg_test_value(random);
}

static int64_t random_gap(struct clg_test_random *random) {
    return clg_test_range(random, 0, 2) ? clg_test_range(random, 0, 9) : 0;
}

static struct clg_test_problem random_problem(struct clg_test_random *random) {
    struct clg_test_problem p = {.triangle = CLG_ALL};
    p.type = clg_test_type((int)clg_test_range(random, 0, 1));
    p.batch = clg_test_range(random, 0, 3) ? 1 : clg_test_range(random, 2, 6);
    p.between = random_gap(random);
    p.shares_a = clg_test_range(random, 0, 3) == 0;
    p.shares_b = clg_test_range(random, 0, 3) == 0;
    p.layout = clg_test_range(random, 0, 1) ? CLGEMM_COL_MAJOR : CLGEMM_ROW_MAJOR;
    p.ta = (clgemm_transpose)clg_test_range(random, CLGEMM_NO_TRANS, CLGEMM_CONJ_TRANS);
    p.tb = (clgemm_transpose)clg_test_range(random, CLGEMM_NO_TRANS, CLGEMM_CONJ_TRANS);
    p.m = random_size(random);
    p.n = random_size(random);
    p.k = random_size(random);
    p.alpha = random_scalar(random);
    p.beta = random_scalar(random);
    p.gap_a = random_gap(random);
    p.gap_b = random_gap(random);
    p.gap_c = random_gap(random);
    p.offset_a = (size_t)random_gap(random);
    p.offset_b = (size_t)random_gap(random);
    p.offset_c = (size_t)random_gap(random);
    return p;
}

static void random_host_calls(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(1);
    clgemm_handle *handle;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    for (int i = 0; i < rounds(); i++) {
        struct clg_test_problem problem = random_problem(&random);
        struct clg_test_case test;
        clg_test_case_create(&test, &problem, &random);
        clg_test_case_run_and_check(&test, i % 2 ? handle : NULL);
        clg_test_case_destroy(&test);
    }
    clgemm_destroy(handle);
}

static void random_buffer_calls(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(2);
    struct clg_test_cl cl[2];
    clgemm_handle *handle;
    clg_test_cl_open(&cl[0], 0);
    clg_test_cl_open(&cl[1], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    clg_test_assert_success(clgemm_create_cl(&handle, cl[0].context, cl[0].device));
    for (int i = 0; i < rounds(); i++) {
        struct clg_test_problem problem = random_problem(&random);
        struct clg_test_case test;
        clg_test_case_create(&test, &problem, &random);
        clg_test_case_run_and_check_cl(&cl[i % 2], &test, i % 4 == 0 ? handle : NULL);
        clg_test_case_destroy(&test);
    }
    clgemm_destroy(handle);
    clg_test_cl_close(&cl[0]);
    clg_test_cl_close(&cl[1]);
}

/* Calls of level 3 need more programs than products do. */
enum { LEVEL3_PART = 4 };

static struct clg_test_level3 random_level3(struct clg_test_random *random) {
    static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_CF32, CLGEMM_F64, CLGEMM_CF64};
    const int last = clg_test_num_types() == CLG_TYPE_COUNT ? 3 : 1;
    const int64_t most = random_size(random);
    return clg_test_level3_draw((clgemm_routine)clg_test_range(random, CLGEMM_SYMM, CLGEMM_TRSM),
                                types[clg_test_range(random, 0, last)],
                                (int)clg_test_range(random, 0, 15), most > 0 ? most : 1, random);
}

static void assert_right(struct clg_test_level3 *t) {
    const char *fault = clg_test_level3_fault(t);
    if (fault)
        fail_msg("%s", fault);
}

static void random_host_calls_of_level3(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(3);
    clgemm_handle *handle;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    for (int i = 0; i < rounds() / LEVEL3_PART; i++) {
        struct clg_test_level3 t = random_level3(&random);
        clg_test_level3_create(&t, &random);
        clg_test_assert_success(clg_test_level3_run(&t, i % 2 ? handle : NULL));
        assert_right(&t);
        clg_test_level3_destroy(&t);
    }
    clgemm_destroy(handle);
}

static void random_buffer_calls_of_level3(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(4);
    struct clg_test_cl cl[2];
    clgemm_handle *handle;
    clg_test_cl_open(&cl[0], 0);
    clg_test_cl_open(&cl[1], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    clg_test_assert_success(clgemm_create_cl(&handle, cl[0].context, cl[0].device));
    for (int i = 0; i < rounds() / LEVEL3_PART; i++) {
        struct clg_test_level3 t = random_level3(&random);
        clg_test_level3_create(&t, &random);
        clg_test_level3_run_on_buffers(&t, &cl[i % 2], i % 4 == 0 ? handle : NULL);
        assert_right(&t);
        clg_test_level3_destroy(&t);
    }
    clgemm_destroy(handle);
    clg_test_cl_close(&cl[0]);
    clg_test_cl_close(&cl[1]);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_host_calls),
        cmocka_unit_test(random_buffer_calls),
        cmocka_unit_test(random_host_calls_of_level3),
        cmocka_unit_test(random_buffer_calls_of_level3),
    };
    clg_test_require_device();
    print_message("CLGEMM_TEST_SEED=%" PRIu64 "\n", clg_test_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
