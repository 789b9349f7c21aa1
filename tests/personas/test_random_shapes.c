/* SPDX-License-Identifier: Apache-2.0
 * Random problems are right on whatever device this runs on: a persona, or a simulator. Shapes are
 * drawn as clgemm-bench draws them, half of them odd, with random transposes, gaps and offsets. As
 * many calls of level 3's other routines follow.
 * Usage: test_random_shapes [COUNT LARGEST] */
#include <limits.h>
#include <stdlib.h>

#include "src/common/shape.h"
#include "support/check.h"
#include "support/device.h"
#include "support/level3.h"

/* Few in a short run: each is compiled for its own kind of loads. */
enum { FEW = 2, MANY = 6, LARGEST = 160, LARGEST_LONG = 400 };

static struct random_shapes random_shapes;

static clgemm_transpose draw_transpose(struct clg_test_random *random) {
    return clg_test_range(random, 0, 1) ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
}

/* 0 half of the time. */
static int64_t draw_gap(struct clg_test_random *random) {
    return clg_test_range(random, 0, 1) ? 0 : clg_test_range(random, 1, 9);
}

/* F32, F64, F64, F32 ... for odd, even, odd, even ... sizes. */
static struct clg_test_problem draw_problem(struct clg_test_random *random, struct shape shape,
                                            size_t turn) {
    const bool wide = (turn + turn / 2) % 2 && clg_test_num_types() > 1;
    return (struct clg_test_problem){.type = wide ? CLGEMM_F64 : CLGEMM_F32,
                                     .layout = clg_test_range(random, 0, 1) ? CLGEMM_ROW_MAJOR
                                                                            : CLGEMM_COL_MAJOR,
                                     .ta = draw_transpose(random),
                                     .tb = draw_transpose(random),
                                     .m = shape.m,
                                     .n = shape.n,
                                     .k = shape.k,
                                     .alpha = -0.7f,
                                     .beta = clg_test_range(random, 0, 1) ? 0.0f : 1.5f,
                                     .gap_a = draw_gap(random),
                                     .gap_b = draw_gap(random),
                                     .gap_c = draw_gap(random),
                                     .offset_a = (size_t)draw_gap(random),
                                     .offset_b = (size_t)draw_gap(random),
                                     .offset_c = (size_t)draw_gap(random)};
}

static void drawn_problems_are_right(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(1);
    struct shape_list shapes = {0};
    struct clg_test_cl cl;
    char why[160] = "";
    if (!shapes_add_random(&shapes, &random_shapes, why, sizeof why))
        fail_msg("%s", why);
    clg_test_cl_open(&cl, 0);
    const size_t turn = clg_test_range(&random, 0, 1) ? 2 : 0;
    for (size_t i = 0; i < shapes.count; i++) {
        const struct clg_test_problem problem = draw_problem(&random, shapes.items[i], turn + i);
        struct clg_test_case test;
        clg_test_case_create(&test, &problem, &random);
        print_message("%s %lld x %lld x %lld\n", clg_types[problem.type].name, (long long)problem.m,
                      (long long)problem.n, (long long)problem.k);
        clg_test_case_run_and_check_cl(&cl, &test, NULL);
        clg_test_case_destroy(&test);
    }
    clg_test_cl_close(&cl);
    shapes_release(&shapes);
}

static void drawn_calls_of_level3_are_right(void **state) {
    enum { LARGEST_LEVEL3 = 150 }; /* whose reference takes long */
    static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_CF32, CLGEMM_F64, CLGEMM_CF64};
    const int num_types = clg_test_num_types() == CLG_TYPE_COUNT ? 4 : 2;
    const int64_t most =
        random_shapes.largest < LARGEST_LEVEL3 ? random_shapes.largest : LARGEST_LEVEL3;
    struct clg_test_random random = clg_test_random_start(2);
    struct clg_test_cl cl;
    (void)state;
    if (!clg_test_level3_is_possible())
        skip();
    clg_test_cl_open(&cl, 0);
    for (int i = 0; i < random_shapes.count; i++) {
        struct clg_test_level3 t =
            clg_test_level3_draw((clgemm_routine)clg_test_range(&random, CLGEMM_SYMM, CLGEMM_TRSM),
                                 types[clg_test_range(&random, 0, num_types - 1)],
                                 (int)clg_test_range(&random, 0, 15), most, &random);
        clg_test_level3_create(&t, &random);
        print_message("routine %d, %s, %lld, %lld, %lld\n", (int)t.desc.routine,
                      clg_types[t.desc.type].name, (long long)t.desc.m, (long long)t.desc.n,
                      (long long)t.desc.k);
        clg_test_level3_run_on_buffers(&t, &cl, NULL);
        const char *fault = clg_test_level3_fault(&t);
        if (fault)
            fail_msg("%s", fault);
        clg_test_level3_destroy(&t);
    }
    clg_test_cl_close(&cl);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_problems_are_right),
                                       cmocka_unit_test(drawn_calls_of_level3_are_right)};
    const bool is_long = clg_test_is_long();
    clg_test_require_device();
    random_shapes = (struct random_shapes){.count = argc > 2  ? atoi(argv[1])
                                                    : is_long ? MANY
                                                              : FEW,
                                           .seed = (int)(clg_test_seed() % INT_MAX),
                                           .largest = argc > 2  ? atoi(argv[2])
                                                      : is_long ? LARGEST_LONG
                                                                : LARGEST};
    print_message("CLGEMM_TEST_SEED=%llu\n", (unsigned long long)clg_test_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
