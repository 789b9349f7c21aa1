/* SPDX-License-Identifier: Apache-2.0
 * clgemm_sgemm() against the reference: shapes around every tile edge, layouts, transposes,
 * scalars and leading dimensions. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const clgemm_layout layouts[] = {CLGEMM_COL_MAJOR, CLGEMM_ROW_MAJOR};
static const clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
static const float scalars[] = {0.0f, 1.0f, -0.7f};

/* Around the edges of vectors, work-groups and tiles of any likely size. */
static const int64_t edges[] = {1,  2,  3,  4,  5,  7,  8,  9,   15,  16, 17,
                                31, 32, 33, 63, 64, 65, 96, 127, 128, 129};

/* Fields that a test leaves out: column-major, not transposed, C := A B. */
static struct clg_test_problem plain(int64_t m, int64_t n, int64_t k) {
    return (struct clg_test_problem){.layout = CLGEMM_COL_MAJOR,
                                     .ta = CLGEMM_NO_TRANS,
                                     .tb = CLGEMM_NO_TRANS,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .alpha = 1};
}

/* The problem in both layouts and all nine pairs of transposes. */
static void check_all_forms(struct clg_test_problem problem, struct clg_test_random *random) {
    for (size_t l = 0; l < COUNT(layouts); l++)
        for (size_t ta = 0; ta < COUNT(transposes); ta++)
            for (size_t tb = 0; tb < COUNT(transposes); tb++) {
                problem.layout = layouts[l];
                problem.ta = transposes[ta];
                problem.tb = transposes[tb];
                clg_test_problem_check(&problem, random);
            }
}

static void every_form_of_a_few_shapes(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {{1, 1, 1},    {3, 5, 7},    {17, 9, 33},
                                        {64, 64, 64}, {65, 31, 18}, {130, 67, 129}};
    struct clg_test_random random = clg_test_random_start(1);
    for (size_t s = 0; s < COUNT(shapes); s++) {
        struct clg_test_problem problem = plain(shapes[s][0], shapes[s][1], shapes[s][2]);
        problem.alpha = -0.7f;
        problem.beta = 1;
        problem.gap_a = 3;
        problem.gap_b = 1;
        problem.gap_c = 2;
        check_all_forms(problem, &random);
    }
}

/* Each edge as m, n and k, with other sizes for the rest; variants, scalars and gaps alternate. */
static void edges_in_each_dimension(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(2);
    int64_t turn = 0;
    for (size_t e = 0; e < COUNT(edges); e++)
        for (int dimension = 0; dimension < 4; dimension++, turn++) {
            struct clg_test_problem problem = plain(37, 37, 37);
            if (dimension == 0 || dimension == 3)
                problem.m = edges[e];
            if (dimension == 1 || dimension == 3)
                problem.n = edges[e];
            if (dimension == 2 || dimension == 3)
                problem.k = edges[e];
            problem.layout = layouts[turn % 2];
            problem.ta = transposes[turn / 2 % 2];
            problem.tb = transposes[turn / 4 % 2];
            problem.alpha = turn % 3 ? 1.0f : -0.7f;
            problem.beta = scalars[turn % 3];
            problem.gap_a = turn % 4;
            problem.gap_b = turn % 3;
            problem.gap_c = turn % 5;
            clg_test_problem_check(&problem, &random);
        }
}

static void random_pairs_of_edges(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(3);
    int rounds = clg_test_is_long() ? 3000 : 80;
    for (int i = 0; i < rounds; i++) {
        struct clg_test_problem problem =
            plain(edges[clg_test_range(&random, 0, COUNT(edges) - 1)],
                  edges[clg_test_range(&random, 0, COUNT(edges) - 1)],
                  edges[clg_test_range(&random, 0, COUNT(edges) - 1)]);
        problem.layout = layouts[clg_test_range(&random, 0, 1)];
        problem.ta = transposes[clg_test_range(&random, 0, 2)];
        problem.tb = transposes[clg_test_range(&random, 0, 2)];
        problem.beta = scalars[clg_test_range(&random, 0, 2)];
        clg_test_problem_check(&problem, &random);
    }
}

/* Large enough for every family that uses tiles, with edges in each dimension. */
static void larger_shapes(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {{256, 256, 256}, {257, 255, 253}, {511, 130, 300},
                                        {1, 700, 300},   {700, 1, 300},   {300, 300, 1},
                                        {16, 16, 2000},  {2, 3, 5001},    {384, 260, 65}};
    struct clg_test_random random = clg_test_random_start(4);
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (int form = 0; form < 4; form++) {
            struct clg_test_problem problem = plain(shapes[s][0], shapes[s][1], shapes[s][2]);
            problem.ta = transposes[form % 2];
            problem.tb = transposes[form / 2];
            problem.layout = layouts[(s + (size_t)form) % 2];
            problem.beta = scalars[(s + (size_t)form) % 3];
            clg_test_problem_check(&problem, &random);
        }
}

static void every_pair_of_scalars(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {{33, 20, 19}, {128, 128, 128}, {140, 190, 70}};
    struct clg_test_random random = clg_test_random_start(5);
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t i = 0; i < COUNT(scalars); i++)
            for (size_t j = 0; j < COUNT(scalars); j++) {
                struct clg_test_problem problem = plain(shapes[s][0], shapes[s][1], shapes[s][2]);
                problem.alpha = scalars[i];
                problem.beta = scalars[j];
                problem.gap_c = 1;
                clg_test_problem_check(&problem, &random);
            }
}

/* Leading dimensions that misalign columns for every vector load. */
static void leading_dimensions_off_any_alignment(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(6);
    for (int64_t gap = 0; gap < 9; gap++) {
        struct clg_test_problem problem = plain(128, 64, 64);
        problem.layout = layouts[gap % 2];
        problem.gap_a = gap;
        problem.gap_b = 8 - gap;
        problem.gap_c = gap * 3 % 7;
        problem.beta = -0.7f;
        /* The matrices are misaligned in host memory too. */
        problem.offset_a = (size_t)gap;
        problem.offset_b = 3;
        problem.offset_c = 5;
        clg_test_problem_check(&problem, &random);
    }
}

static void openblas_agrees(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(7);
    struct clg_test_problem problem = plain(150, 75, 90);
    struct clg_test_case test;
    problem.tb = CLGEMM_TRANS;
    problem.beta = -0.7f;
    clg_test_case_create(&test, &problem, &random);
    clg_test_case_run_and_check(&test, NULL);
    float *ours = clg_test_alloc(test.c.count * sizeof(float));
    memcpy(ours, test.c.memory, test.c.count * sizeof(float));
    memcpy(test.c.memory, test.c.before, test.c.count * sizeof(float));
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, 150, 75, 90, 1.0f,
                clg_test_matrix_data(&test.a), (blasint)test.a.ld, clg_test_matrix_data(&test.b),
                (blasint)test.b.ld, -0.7f, clg_test_matrix_data(&test.c), (blasint)test.c.ld);
    /* Both are within the bound, and the sum of |a||b| of every element is at most k. */
    double twice_the_bound = 2 * clg_test_error_bound(&problem, 90, 1);
    for (int64_t e = 0; e < 150 * 75; e++)
        assert_true(fabs((double)ours[e] - clg_element(CLGEMM_F32, test.c.memory, (int64_t)e)) <=
                    twice_the_bound);
    free(ours);
    clg_test_case_destroy(&test);
}

/* The judge itself: a result that is slightly wrong, or in the wrong place, must not pass. */
static void judge_sees_what_is_wrong(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(8);
    struct clg_test_problem problem = plain(20, 10, 15);
    struct clg_test_case test;
    problem.gap_c = 2;
    clg_test_case_create(&test, &problem, &random);
    clg_test_case_run_and_check(&test, NULL);
    float *c = clg_test_matrix_data(&test.c), right = c[7];
    c[7] += 1e-4f;
    assert_non_null(clg_test_case_fault(&test));
    c[7] = NAN;
    assert_non_null(clg_test_case_fault(&test));
    c[7] = right;
    assert_null(clg_test_case_fault(&test));
    c[20] = 0;
    assert_non_null(clg_test_case_fault(&test));
    memcpy(test.c.memory, test.c.before, test.c.count * sizeof(float));
    assert_non_null(clg_test_case_fault(&test));
    *(float *)test.a.memory += 1;
    assert_non_null(clg_test_case_fault(&test));
    clg_test_case_destroy(&test);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_a_few_shapes),
        cmocka_unit_test(edges_in_each_dimension),
        cmocka_unit_test(random_pairs_of_edges),
        cmocka_unit_test(larger_shapes),
        cmocka_unit_test(every_pair_of_scalars),
        cmocka_unit_test(leading_dimensions_off_any_alignment),
        cmocka_unit_test(openblas_agrees),
        cmocka_unit_test(judge_sees_what_is_wrong),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
