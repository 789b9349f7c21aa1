/* SPDX-License-Identifier: Apache-2.0
 * When a second result of a product agrees with a first, without a device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/random.h"
#include "tune/agree.h"
#include "tuning/table.h"

struct fixture {
    struct clg_problem problem;
    struct clg_host_matrices host;
    float *a, *b, *memory; /* C lies in the last */
    struct clg_second second;
    struct clg_lengths lengths;
    float alpha;
};

static float *filled(const struct clg_matrix *matrix, uint64_t stream) {
    struct clg_test_random random = clg_test_random_start(stream);
    const size_t count = (size_t)(matrix->ld * matrix->cols);
    float *x = malloc(count * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++)
        x[i] = clg_test_value(&random);
    return x;
}

/* C is summed forward, the second C backward. */
static void create(struct fixture *f, bool ta, bool tb, bool aligned, float alpha) {
    const struct clg_tuning_shape shape = {33, 21, 170, ta, tb, aligned, CLGEMM_F32};
    clg_test_assert_success(clg_tuning_problem(&f->problem, &shape));
    f->alpha = alpha;
    const struct clg_matrix *a = &f->problem.matrix[CLG_A], *b = &f->problem.matrix[CLG_B],
                            *c = &f->problem.matrix[CLG_C];
    f->a = filled(a, 1);
    f->b = filled(b, 2);
    f->memory = malloc(((size_t)(c->ld * c->cols) + 3) * sizeof *f->memory);
    assert_non_null(f->memory);
    f->host = (struct clg_host_matrices){{f->a, f->b, f->memory + 3}};
    float *first = f->memory + 3;
    assert_true(clg_second_create(&f->second, &f->problem, first));
    assert_int_equal((uintptr_t)f->second.c % 64, (uintptr_t)first % 64);
    for (int64_t j = 0; j < c->cols; j++)
        for (int64_t i = 0; i < c->rows; i++) {
            float forward = 0, backward = 0;
            for (int64_t l = 0; l < f->problem.k; l++) {
                const int64_t r = f->problem.k - 1 - l;
                forward += f->a[ta ? l + i * a->ld : i + l * a->ld] *
                           f->b[tb ? j + l * b->ld : l + j * b->ld];
                backward += f->a[ta ? r + i * a->ld : i + r * a->ld] *
                            f->b[tb ? j + r * b->ld : r + j * b->ld];
            }
            first[i + j * c->ld] = alpha * forward;
            f->second.c[i + j * c->ld] = alpha * backward;
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
    return clg_second_agrees(&f->second, &f->problem, (double)f->alpha, &f->lengths, f->memory + 3,
                             why, 128);
}

static void another_order_of_the_sum_agrees(void **state) {
    char why[128];
    (void)state;
    for (int form = 0; form < 16; form++) {
        struct fixture f;
        create(&f, form & 1, form & 2, form & 4, form & 8 ? -3.5F : 1);
        assert_true(f.lengths.finite);
        assert_true(agrees(&f, why));
        assert_string_equal(why, "");
        destroy(&f);
    }
}

/* Puts a value somewhere in the second C's buffer, and expects that to be told. */
static void expect_fault(struct fixture *f, int64_t at, float value, const char *says) {
    const float kept = f->second.c[at];
    char why[128];
    f->second.c[at] = value;
    assert_false(agrees(f, why));
    if (!strstr(why, says))
        fail_msg("\"%s\" does not say \"%s\"", why, says);
    f->second.c[at] = kept;
    assert_true(agrees(f, why));
}

static void every_fault_is_told(void **state) {
    struct fixture f;
    (void)state;
    create(&f, false, true, false, 1);
    const int64_t m = f.problem.m, n = f.problem.n, ld = f.problem.matrix[CLG_C].ld;
    for (int64_t j = 0; j < n; j += 5)
        for (int64_t i = 0; i < m; i += 4) {
            const int64_t at = i + j * ld;
            expect_fault(&f, at, f.memory[3 + at] + 0.01F, "by the trusted way");
            expect_fault(&f, at, NAN, "is NaN, or was not written");
            expect_fault(&f, at, INFINITY, "by the trusted way");
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

/* One row of A is twice as long as what its products would be: the lengths say how far off a
 * result may be, so they must be those of op(A)'s rows and op(B)'s columns. */
static void lengths_are_those_of_rows_and_columns(void **state) {
    (void)state;
    for (int form = 0; form < 4; form++) {
        struct fixture f;
        create(&f, form & 1, form & 2, false, 1);
        const struct clg_matrix *a = &f.problem.matrix[CLG_A], *b = &f.problem.matrix[CLG_B];
        for (int64_t i = 0; i < f.problem.m; i++) {
            double sum = 0;
            for (int64_t l = 0; l < f.problem.k; l++)
                sum += pow(f.a[form & 1 ? l + i * a->ld : i + l * a->ld], 2);
            assert_true(fabs(f.lengths.rows[i] - sqrt(sum)) < 1e-9);
        }
        for (int64_t j = 0; j < f.problem.n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < f.problem.k; l++)
                sum += pow(f.b[form & 2 ? j + l * b->ld : l + j * b->ld], 2);
            assert_true(fabs(f.lengths.columns[j] - sqrt(sum)) < 1e-9);
        }
        f.a[5] = NAN;
        clg_lengths_release(&f.lengths);
        assert_true(clg_lengths_create(&f.lengths, &f.problem, &f.host));
        assert_false(f.lengths.finite);
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
