/* SPDX-License-Identifier: Apache-2.0
 * The tuner's judge, without a device: right results pass, and each kind of wrong result is
 * reported. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/rounding.h"
#include "src/tuner/measure.h"
#include "src/tuner/verify.h"
#include "support/check.h"

static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_F64};
enum { TYPES = sizeof types / sizeof *types };

/* Some of each type. */
union elements {
    float singles[4];
    double doubles[4];
};

struct fixture {
    struct clg_problem problem;
    struct clg_reference reference;
    void *a, *b, *c;
};

static void *filled(const struct clg_problem *problem, enum clg_matrix_index which, unsigned seed) {
    const clgemm_type type = problem->type;
    const int64_t count = clg_problem_elements(problem, which);
    void *x = malloc((size_t)count * clg_type_size(type));
    assert_non_null(x);
    for (int64_t i = 0; i < count; i++)
        clg_element_set(type, x, i, (double)((i * 37 + seed) % 101) / 101 - 0.5);
    return x;
}

/* Rounded to the type. */
static double rounded(clgemm_type type, double value) {
    return type == CLGEMM_F64 ? value : (double)(float)value;
}

/* Product z, by a plain loop in the type's own precision. */
static void multiply(const struct fixture *f, int64_t z) {
    const struct clg_problem *p = &f->problem;
    const clgemm_type type = p->type;
    const struct clg_matrix *a = &p->matrix[CLG_A], *b = &p->matrix[CLG_B], *c = &p->matrix[CLG_C];
    const void *from_a = clg_element_at(type, f->a, z * a->stride),
               *from_b = clg_element_at(type, f->b, z * b->stride);
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) {
            double sum = 0;
            for (int64_t l = 0; l < p->k; l++) {
                const double x =
                    clg_element(type, from_a, a->transposed ? l + i * a->ld : i + l * a->ld);
                const double y =
                    clg_element(type, from_b, b->transposed ? j + l * b->ld : l + j * b->ld);
                sum = rounded(type, sum + rounded(type, x * y));
            }
            clg_element_set(type, f->c, CLG_VERIFY_GUARD + z * c->stride + i + j * c->ld, sum);
        }
}

static void fill_canaries(clgemm_type type, void *elements, size_t count) {
    const uint32_t canary = CLG_VERIFY_CANARY;
    const size_t bytes = count * clg_type_size(type);
    for (size_t i = 0; i < bytes; i += sizeof(uint16_t)) /* elements may be halves of one */
        memcpy((char *)elements + i, (const char *)&canary + i % sizeof canary, sizeof(uint16_t));
}

/* C as a plain loop computes it in the type's own precision. */
static void create(struct fixture *f, const struct clg_tuning_shape *shape) {
    const clgemm_type type = shape->type;
    clg_test_assert_success(clg_measure_problem(&f->problem, shape));
    f->a = filled(&f->problem, CLG_A, 1);
    f->b = filled(&f->problem, CLG_B, 2);
    assert_true(clg_reference_create(&f->reference, &f->problem, f->a, f->b));
    f->c = malloc(f->reference.length * clg_type_size(type));
    assert_non_null(f->c);
    fill_canaries(type, f->c, f->reference.length);
    for (int64_t z = 0; z < f->problem.batch; z++)
        multiply(f, z);
}

static void destroy(struct fixture *f) {
    clg_reference_release(&f->reference);
    free(f->a);
    free(f->b);
    free(f->c);
}

static void right_results_pass(void **state) {
    (void)state;
    for (int form = 0; form < 16; form++) {
        const struct clg_tuning_shape shape = {
            33, 21, 17, form & 1, form & 2, form & 4, types[form / 8], 0, 0};
        struct fixture f;
        char why[128] = "";
        create(&f, &shape);
        assert_true(clg_reference_accepts(&f.reference, f.c, why, sizeof why));
        assert_string_equal(why, "");
        destroy(&f);
    }
}

/* Stores `value` somewhere, expects the judge to report it, and restores what was there. */
static void expect_fault(struct fixture *f, int64_t at, double value, const char *says) {
    const clgemm_type type = f->problem.type;
    char kept[sizeof(double)], *place = clg_element_at(type, f->c, at);
    char why[128];
    memcpy(kept, place, clg_type_size(type));
    clg_element_set(type, f->c, at, value);
    assert_false(clg_reference_accepts(&f->reference, f->c, why, sizeof why));
    if (!strstr(why, says))
        fail_msg("\"%s\" does not say \"%s\"", why, says);
    memcpy(place, kept, clg_type_size(type));
    assert_true(clg_reference_accepts(&f->reference, f->c, why, sizeof why));
}

static void wrong_results_are_told(void **state) {
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        const clgemm_type type = types[t];
        /* Leading dimensions are odd: there are gaps. */
        const struct clg_tuning_shape shape = {30, 20, 10, false, false, false, type, 0, 0};
        struct fixture f;
        create(&f, &shape);
        const int64_t ld = f.problem.matrix[CLG_C].ld, last = CLG_VERIFY_GUARD + 29 + 19 * ld;
        const int64_t inner = CLG_VERIFY_GUARD + 7 + 5 * ld;
        const double off = 2048 * clg_roundoff(type); /* a sum of ten products of a quarter */
        union elements canary = {{0}};
        fill_canaries(type, &canary, 1);
        assert_true(ld > 30);
        expect_fault(&f, inner, clg_element(type, f.c, inner) + off, "C(7, 5) = ");
        expect_fault(&f, inner, NAN, "C(7, 5) is NaN");
        expect_fault(&f, inner, clg_element(type, &canary, 0),
                     "C(7, 5) is NaN, or was not written");
        expect_fault(&f, last, INFINITY, "C(29, 19) = inf");
        expect_fault(&f, CLG_VERIFY_GUARD - 1, 0, "memory outside C was written, -1 elements");
        expect_fault(&f, 0, NAN, "memory outside C was written, -1024 elements");
        expect_fault(&f, CLG_VERIFY_GUARD + 30 + 5 * ld, 0, "memory outside C");
        expect_fault(&f, (int64_t)f.reference.length - 1, 0, "memory outside C");
        destroy(&f);
    }
}

/* Of large results samples are checked: always the corners, and no element may be left
 * unwritten. */
static void large_results_are_sampled(void **state) {
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        const struct clg_tuning_shape shape = {301, 203, 3, false, true, true, types[t], 0, 0};
        struct fixture f;
        create(&f, &shape);
        const int64_t ld = f.problem.matrix[CLG_C].ld;
        assert_true(f.reference.count < (size_t)301 * 203);
        for (int corner = 0; corner < 4; corner++)
            expect_fault(&f,
                         CLG_VERIFY_GUARD + (corner & 1 ? 300 : 0) + (corner & 2 ? 202 * ld : 0), 9,
                         " = 9, not ");
        for (int64_t i = 0; i < 301; i += 50)
            expect_fault(&f, CLG_VERIFY_GUARD + i + 100 * ld, NAN, "is NaN");
        /* One wrong column holds a sample, because each has ten on average. */
        for (int64_t i = CLG_VERIFY_GUARD + 77 * ld; i < CLG_VERIFY_GUARD + 77 * ld + 301; i++)
            clg_element_set(types[t], f.c, i, clg_element(types[t], f.c, i) + 1);
        char why[128];
        assert_false(clg_reference_accepts(&f.reference, f.c, why, sizeof why));
        destroy(&f);
    }
}

/* Sums and products that a double cannot hold lose no digit. All values are of either type, except
 * the second, whose square is. */
static void the_judge_is_exacter_than_what_it_judges(void **state) {
    static const struct {
        clgemm_type type;
        double a[3], b[3], sum;
    } cases[] = {{CLGEMM_F32, {0x1p53, 1, -0x1p53}, {1, 1, 1}, 1},
                 {CLGEMM_F64, {0x1p53, 1, -0x1p53}, {1, 1, 1}, 1},
                 {CLGEMM_F64, {1 + 0x1p-30, 1, 0}, {1 + 0x1p-30, -1 - 0x1p-29, 0}, 0x1p-60}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const clgemm_type type = cases[c].type;
        const struct clg_tuning_shape shape = {1, 1, 3, true, false, true, type, 0, 0};
        struct clg_problem problem;
        struct clg_reference reference;
        union elements a = {{0}}, b = {{0}};
        clg_test_assert_success(clg_measure_problem(&problem, &shape));
        for (int l = 0; l < 3; l++) {
            clg_element_set(type, &a, l, cases[c].a[l]);
            clg_element_set(type, &b, l, cases[c].b[l]);
        }
        assert_true(clg_reference_create(&reference, &problem, &a, &b));
        assert_true(reference.expected[0] + reference.rest[0] == cases[c].sum);
        clg_reference_release(&reference);
    }
}

/* In a batch every C is judged with its own A and B: all elements of a small one, samples of
 * others. */
static void every_product_of_a_batch_is_judged(void **state) {
    (void)state;
    for (int form = 0; form < 8; form++) {
        const int64_t batch = form & 4 ? 3 : 40;
        const struct clg_tuning_shape shape = {
            13, 11, 7, form & 1, form & 2, form & 4, types[form & 1], 0, batch};
        struct fixture f;
        char why[128] = "";
        create(&f, &shape);
        assert_true(clg_reference_accepts(&f.reference, f.c, why, sizeof why));
        const struct clg_matrix *c = &f.problem.matrix[CLG_C];
        for (int64_t z = 0; z < batch; z++)
            expect_fault(&f, CLG_VERIFY_GUARD + z * c->stride + 5 + 3 * c->ld, NAN, "is NaN");
        expect_fault(&f, CLG_VERIFY_GUARD + batch * c->stride, 1, "outside C");
        /* The first product in place of the last one; right in itself. */
        memcpy(clg_element_at(f.problem.type, f.c, CLG_VERIFY_GUARD + (batch - 1) * c->stride),
               clg_element_at(f.problem.type, f.c, CLG_VERIFY_GUARD),
               (size_t)c->stride * clg_type_size(f.problem.type));
        assert_false(clg_reference_accepts(&f.reference, f.c, why, sizeof why));
        destroy(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_results_pass),
        cmocka_unit_test(wrong_results_are_told),
        cmocka_unit_test(large_results_are_sampled),
        cmocka_unit_test(every_product_of_a_batch_is_judged),
        cmocka_unit_test(the_judge_is_exacter_than_what_it_judges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
