/* SPDX-License-Identifier: Apache-2.0
 * When a second result of a product agrees with a first, without a device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gemm/element.h"
#include "support/check.h"
#include "support/random.h"
#include "tune/agree.h"
#include "tuning/table.h"

struct fixture {
    struct clg_problem problem;
    struct clg_host_matrices host;
    void *a, *b, *memory, *first; /* C is the last; it is given as it was before */
    struct clg_second second;
    struct clg_lengths lengths;
    double alpha;
};

static void *filled(clgemm_type type, const struct clg_matrix *matrix, uint64_t stream) {
    struct clg_test_random random = clg_test_random_start(stream);
    const int64_t count = matrix->ld * matrix->cols;
    void *x = malloc((size_t)count * clg_type_size(type));
    assert_non_null(x);
    for (int64_t i = 0; i < count; i++)
        clg_element_set(type, x, i, clg_test_value(&random) / 3.0);
    return x;
}

/* An element of C in the type's own precision, summed forward or backward along k. */
static double sum_of(const struct fixture *f, int64_t i, int64_t j, bool forward) {
    const clgemm_type type = f->problem.type;
    const struct clg_matrix *a = &f->problem.matrix[CLG_A], *b = &f->problem.matrix[CLG_B];
    double sum = 0;
    for (int64_t l = 0; l < f->problem.k; l++) {
        const int64_t at = forward ? l : f->problem.k - 1 - l;
        const double x = clg_element(type, f->a, a->transposed ? at + i * a->ld : i + at * a->ld);
        const double y = clg_element(type, f->b, b->transposed ? j + at * b->ld : at + j * b->ld);
        sum += x * y;
        sum = type == CLGEMM_F64 ? sum : (double)(float)sum;
    }
    return sum;
}

/* C is summed forward, the second C backward. */
static void create(struct fixture *f, clgemm_type type, int form, double alpha) {
    const struct clg_tuning_shape shape = {33, 21, 170, form & 1, form & 2, form & 4, type, 0, 0};
    clg_test_assert_success(clg_tuning_problem(&f->problem, &shape));
    f->alpha = alpha;
    const struct clg_matrix *c = &f->problem.matrix[CLG_C];
    f->a = filled(type, &f->problem.matrix[CLG_A], 1);
    f->b = filled(type, &f->problem.matrix[CLG_B], 2);
    f->memory = malloc((size_t)(c->ld * c->cols + 3) * clg_type_size(type));
    assert_non_null(f->memory);
    f->first = clg_element_at(type, f->memory, 3);
    f->host = (struct clg_host_matrices){{f->a, f->b, f->first}};
    assert_true(clg_second_create(&f->second, &f->problem, f->first));
    assert_int_equal((uintptr_t)f->second.c % 64, (uintptr_t)f->first % 64);
    for (int64_t j = 0; j < c->cols; j++)
        for (int64_t i = 0; i < c->rows; i++) {
            const int64_t at = i + j * c->ld;
            clg_element_set(type, f->first, at, alpha * sum_of(f, i, j, true));
            clg_element_set(type, f->second.c, at, alpha * sum_of(f, i, j, false));
        }
    assert_true(clg_lengths_create(&f->lengths, &f->problem, &f->host));
}

static void destroy(struct fixture *f) {
    clg_second_release(&f->second);
    clg_lengths_release(&f->lengths);
    free(f->a);
    free(f->b);
    free(f->memory);
}

static bool agrees(const struct fixture *f, char why[128]) {
    why[0] = '\0';
    return clg_second_agrees(&f->second, &f->problem, f->alpha, &f->lengths, f->first, why, 128);
}

static void another_order_of_the_sum_agrees(void **state) {
    char why[128];
    (void)state;
    for (int form = 0; form < 32; form++) {
        struct fixture f;
        create(&f, form & 16 ? CLGEMM_F64 : CLGEMM_F32, form, form & 8 ? -3.5 : 1);
        assert_true(f.lengths.finite);
        assert_true(agrees(&f, why));
        assert_string_equal(why, "");
        destroy(&f);
    }
}

/* Changes a value in the second C's buffer; the check must report it. */
static void expect_fault(struct fixture *f, int64_t at, double value, const char *says) {
    const clgemm_type type = f->problem.type;
    char kept[sizeof(double)], *place = clg_element_at(type, f->second.c, at);
    char why[128];
    memcpy(kept, place, clg_type_size(type));
    clg_element_set(type, f->second.c, at, value);
    assert_false(agrees(f, why));
    if (!strstr(why, says))
        fail_msg("\"%s\" does not say \"%s\"", why, says);
    memcpy(place, kept, clg_type_size(type));
    assert_true(agrees(f, why));
}

static void every_fault_is_told(void **state) {
    enum { NOT_ALIGNED_B_TRANSPOSED = 2 };
    (void)state;
    for (int t = 0; t < 2; t++) {
        const clgemm_type type = t ? CLGEMM_F64 : CLGEMM_F32;
        struct fixture f;
        create(&f, type, NOT_ALIGNED_B_TRANSPOSED, 1);
        const int64_t m = f.problem.m, n = f.problem.n, ld = f.problem.matrix[CLG_C].ld;
        const double off = 1e5 * clg_roundoff(type);
        for (int64_t j = 0; j < n; j += 5)
            for (int64_t i = 0; i < m; i += 4) {
                const int64_t at = i + j * ld;
                expect_fault(&f, at, clg_element(type, f.first, at) + off, "the trusted result is");
                expect_fault(&f, at, NAN, "is NaN, or was not written");
                expect_fault(&f, at, INFINITY, "the trusted result is");
            }
        if (ld > m)
            expect_fault(&f, m, 0, "memory outside C was written");
        expect_fault(&f, -1, 0, "memory outside C was written");
        expect_fault(&f, ld * n, 0, "memory outside C was written");
        clg_second_clear(&f.second);
        char why[128];
        assert_false(agrees(&f, why));
        destroy(&f);
    }
}

static bool is_finite_with(struct fixture *f, double value) {
    clg_element_set(f->problem.type, f->a, 5, value);
    clg_lengths_release(&f->lengths);
    assert_true(clg_lengths_create(&f->lengths, &f->problem, &f->host));
    return f->lengths.finite;
}

/* One row of A is twice as long as its products need: the bound depends on lengths, so they must be
 * those of op(A)'s rows and op(B)'s columns. */
static void lengths_are_those_of_rows_and_columns(void **state) {
    (void)state;
    for (int form = 0; form < 4; form++) {
        const clgemm_type type = form & 1 ? CLGEMM_F32 : CLGEMM_F64; /* A is transposed in one */
        struct fixture f;
        create(&f, type, form, 1);
        const struct clg_matrix *a = &f.problem.matrix[CLG_A], *b = &f.problem.matrix[CLG_B];
        for (int64_t i = 0; i < f.problem.m; i++) {
            double sum = 0;
            for (int64_t l = 0; l < f.problem.k; l++)
                sum += pow(clg_element(type, f.a, form & 1 ? l + i * a->ld : i + l * a->ld), 2);
            assert_true(fabs(f.lengths.rows[i] - sqrt(sum)) < 1e-9);
        }
        for (int64_t j = 0; j < f.problem.n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < f.problem.k; l++)
                sum += pow(clg_element(type, f.b, form & 2 ? j + l * b->ld : l + j * b->ld), 2);
            assert_true(fabs(f.lengths.columns[j] - sqrt(sum)) < 1e-9);
        }
        assert_false(is_finite_with(&f, NAN));
        assert_true(is_finite_with(&f, 0));
        /* A double holds the square of every float, but not of every double. */
        assert_int_equal(is_finite_with(&f, 1e-30), true);
        assert_int_equal(is_finite_with(&f, 1e-170), type == CLGEMM_F32); /* to which it is 0 */
        assert_int_equal(is_finite_with(&f, type == CLGEMM_F32 ? 1e38 : 1e170), type == CLGEMM_F32);
        destroy(&f);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_order_of_the_sum_agrees),
        cmocka_unit_test(every_fault_is_told),
        cmocka_unit_test(lengths_are_those_of_rows_and_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
