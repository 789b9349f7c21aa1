/* SPDX-License-Identifier: Apache-2.0
 * symm, hemm, syrk, herk, syr2k, her2k, trmm and trsm, against their definitions in wider
 * arithmetic. Everything outside the triangles and matrices that a routine has is NaN and must stay
 * as it is. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/device.h"

typedef long double _Complex wide;

enum { A, B, C, MATRICES };

struct test_call {
    clgemm_level3_desc desc;
    double alpha[2], beta[2];
    struct clg_test_matrix matrix[MATRICES];
    int64_t rows[MATRICES], cols[MATRICES];
};

static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_CF32, CLGEMM_F64, CLGEMM_CF64};
static const clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};

static int num_types(void) {
    return clg_test_num_types() == CLG_TYPE_COUNT ? 4 : 2;
}

/* The present call, for messages. */
static char described[256];

/* ---- The call's properties ---- */

static bool is_complex(const struct test_call *t) {
    return clg_type_is_complex(t->desc.type);
}

static bool is_triangular(const struct test_call *t) {
    return t->desc.routine == CLGEMM_TRMM || t->desc.routine == CLGEMM_TRSM;
}

static bool is_symmetric(const struct test_call *t) {
    return t->desc.routine == CLGEMM_SYMM || t->desc.routine == CLGEMM_HEMM;
}

static bool is_rank(const struct test_call *t) {
    return !is_triangular(t) && !is_symmetric(t);
}

static bool has_two(const struct test_call *t) {
    return t->desc.routine == CLGEMM_SYR2K || t->desc.routine == CLGEMM_HER2K;
}

static bool is_hermitian(const struct test_call *t) {
    return is_complex(t) && (t->desc.routine == CLGEMM_HEMM || t->desc.routine == CLGEMM_HERK ||
                             t->desc.routine == CLGEMM_HER2K);
}

/* Whether element (i, j) of matrix `which` is read or written. */
static bool is_used(const struct test_call *t, int which, int64_t i, int64_t j) {
    const bool triangle = is_rank(t) ? which == C : which == A;
    if (!triangle)
        return true;
    if (i == j)
        return !(is_triangular(t) && t->desc.diag == CLGEMM_UNIT);
    return (t->desc.uplo == CLGEMM_UPPER) == (i < j);
}

/* ---- Elements ---- */

static int64_t place(const struct test_call *t, int which, int64_t z, int64_t i, int64_t j) {
    const struct clg_test_matrix *m = &t->matrix[which];
    const int64_t run = t->desc.layout == CLGEMM_ROW_MAJOR ? i * m->ld + j : i + j * m->ld;
    return (int64_t)m->offset + z * m->stride + run;
}

static wide get_from(const struct test_call *t, const void *memory, int64_t at) {
    const clgemm_type real = clg_type_real(t->desc.type);
    if (!is_complex(t))
        return (long double)clg_element(real, memory, at);
    return (long double)clg_element(real, memory, 2 * at) +
           (wide)_Complex_I * (long double)clg_element(real, memory, 2 * at + 1);
}

static wide stored(const struct test_call *t, int which, int64_t z, int64_t i, int64_t j) {
    return get_from(t, t->matrix[which].before, place(t, which, z, i, j));
}

static void set(struct test_call *t, int which, int64_t z, int64_t i, int64_t j, double re,
                double im) {
    const clgemm_type real = clg_type_real(t->desc.type);
    const int64_t at = place(t, which, z, i, j);
    void *memory = t->matrix[which].memory;
    if (is_complex(t)) {
        clg_element_set(real, memory, 2 * at, re);
        clg_element_set(real, memory, 2 * at + 1, im);
    } else {
        clg_element_set(real, memory, at, re);
    }
}

/* The matrix that A's or B's stored elements stand for. */
static wide whole(const struct test_call *t, int which, int64_t z, int64_t i, int64_t j) {
    if (which == A && is_triangular(t) && i == j && t->desc.diag == CLGEMM_UNIT)
        return 1;
    if (is_used(t, which, i, j)) {
        const wide value = stored(t, which, z, i, j);
        return which == A && is_symmetric(t) && is_hermitian(t) && i == j ? creall(value) : value;
    }
    if (is_triangular(t))
        return 0;
    const wide value = stored(t, which, z, j, i);
    return is_hermitian(t) ? conjl(value) : value;
}

static wide op(const struct test_call *t, int which, int64_t z, int64_t i, int64_t j) {
    if (is_symmetric(t) || t->desc.trans == CLGEMM_NO_TRANS)
        return whole(t, which, z, i, j);
    const wide value = whole(t, which, z, j, i);
    return t->desc.trans == CLGEMM_CONJ_TRANS ? conjl(value) : value;
}

/* ---- The definitions ---- */

struct sum {
    wide value;
    long double size; /* of the terms */
};

static void add(struct sum *sum, wide factor, wide x, wide y) {
    sum->value += factor * x * y;
    sum->size += cabsl(factor) * (fabsl(creall(x)) + fabsl(cimagl(x))) *
                 (fabsl(creall(y)) + fabsl(cimagl(y)));
}

static wide factor(const struct test_call *t, const double pair[2]) {
    return is_complex(t) ? (long double)pair[0] + (wide)_Complex_I * (long double)pair[1]
                         : (long double)pair[0];
}

static wide alpha_of(const struct test_call *t) {
    return t->desc.routine == CLGEMM_HERK ? (long double)t->alpha[0] : factor(t, t->alpha);
}

static wide beta_of(const struct test_call *t) {
    return t->desc.routine == CLGEMM_HERK || t->desc.routine == CLGEMM_HER2K
               ? (long double)t->beta[0]
               : factor(t, t->beta);
}

static wide mirrored(const struct test_call *t, wide x) {
    return is_hermitian(t) ? conjl(x) : x;
}

/* Element (i, j) of op(A) X or X op(A), for X = B, or what is in C's memory before or after. */
static struct sum times(const struct test_call *t, wide alpha, int which, const void *memory,
                        int64_t z, int64_t i, int64_t j) {
    const bool left = t->desc.side == CLGEMM_LEFT;
    struct sum sum = {0, 0};
    for (int64_t l = 0; l < (left ? t->desc.m : t->desc.n); l++) {
        const wide x = get_from(t, memory, place(t, which, z, left ? l : i, left ? j : l));
        const wide a = left ? op(t, A, z, i, l) : op(t, A, z, l, j);
        if (a != 0)
            add(&sum, alpha, a, x);
    }
    return sum;
}

/* What element (i, j) of C should be; for trsm, what op(A) times it should be. */
static struct sum expected(const struct test_call *t, int64_t z, int64_t i, int64_t j) {
    const wide alpha = alpha_of(t), beta = beta_of(t);
    struct sum sum = {0, 0};
    if (t->desc.routine == CLGEMM_TRSM ||
        (is_rank(t) && (alpha == 0 || t->desc.k == 0) && beta == 1)) { /* C stays, or alpha C */
        add(&sum, is_rank(t) ? beta : alpha, stored(t, C, z, i, j), 1);
        return sum;
    }
    if (t->desc.routine == CLGEMM_TRMM)
        return times(t, alpha, C, t->matrix[C].before, z, i, j);
    if (is_symmetric(t) && alpha != 0)
        sum = times(t, alpha, B, t->matrix[B].before, z, i, j);
    for (int64_t l = 0; is_rank(t) && alpha != 0 && l < t->desc.k; l++) {
        const int other = has_two(t) ? B : A;
        add(&sum, alpha, op(t, A, z, i, l), mirrored(t, op(t, other, z, j, l)));
        if (has_two(t))
            add(&sum, mirrored(t, alpha), op(t, B, z, i, l), mirrored(t, op(t, A, z, j, l)));
    }
    if (beta != 0) {
        wide c = stored(t, C, z, i, j);
        if (is_rank(t) && is_hermitian(t) && i == j)
            c = creall(c);
        add(&sum, beta, c, 1);
    }
    if (is_rank(t) && is_hermitian(t) && i == j)
        sum.value = creall(sum.value);
    return sum;
}

static void assert_right(const struct test_call *t) {
    const int64_t inner = is_rank(t)                    ? 2 * t->desc.k
                          : t->desc.side == CLGEMM_LEFT ? t->desc.m
                                                        : t->desc.n;
    const long double unit = (long double)clg_roundoff(t->desc.type);
    const long double bound = unit * (long double)(4 * inner + 24);
    const int64_t batch = t->desc.batch > 1 ? t->desc.batch : 1;
    for (int64_t z = 0; z < batch; z++)
        for (int64_t i = 0; i < t->rows[C]; i++)
            for (int64_t j = 0; j < t->cols[C]; j++) {
                if (!is_used(t, C, i, j))
                    continue;
                const void *after = t->matrix[C].memory;
                const struct sum want = expected(t, z, i, j);
                struct sum got = {get_from(t, after, place(t, C, z, i, j)), want.size};
                if (t->desc.routine == CLGEMM_TRSM && alpha_of(t) != 0) {
                    got = times(t, 1, C, after, z, i, j);
                    got.size += want.size;
                }
                const long double error = cabsl(got.value - want.value);
                if (error <= bound * got.size)
                    continue;
                fail_msg("%s: C(%lld, %lld) of product %lld is wrong by %Lg, permitted %Lg (seed "
                         "%llu)",
                         described, (long long)i, (long long)j, (long long)z, error,
                         bound * got.size, (unsigned long long)clg_test_seed());
            }
}

/* Nothing but the elements of C that the routine has may have changed. */
static void assert_rest_unchanged(struct test_call *t) {
    const int64_t batch = t->desc.batch > 1 ? t->desc.batch : 1;
    const size_t size = clg_type_size(t->desc.type);
    for (int64_t z = 0; z < batch; z++)
        for (int64_t i = 0; i < t->rows[C]; i++)
            for (int64_t j = 0; j < t->cols[C]; j++)
                if (is_used(t, C, i, j)) {
                    const size_t at = (size_t)place(t, C, z, i, j) * size;
                    memcpy((char *)t->matrix[C].memory + at, (char *)t->matrix[C].before + at,
                           size);
                }
    for (int which = A; which < MATRICES; which++)
        assert_true(clg_test_matrix_unchanged(&t->matrix[which]));
}

/* ---- Calls ---- */

static void describe(const struct test_call *t) {
    const clgemm_level3_desc *d = &t->desc;
    snprintf(described, sizeof described,
             "routine %d type %d layout %d side %d uplo %d trans %d diag %d m %lld n %lld k %lld "
             "alpha %g,%g beta %g,%g batch %lld",
             (int)d->routine, (int)d->type, (int)d->layout, (int)d->side, (int)d->uplo,
             (int)d->trans, (int)d->diag, (long long)d->m, (long long)d->n, (long long)d->k,
             t->alpha[0], t->alpha[1], t->beta[0], t->beta[1], (long long)d->batch);
}

/* Fills what is used, and nothing else. A triangular matrix is well conditioned. */
static void fill(struct test_call *t, int which, struct clg_test_random *random) {
    const int64_t batch = t->desc.batch > 1 ? t->desc.batch : 1;
    const double scale = which == A && is_triangular(t) ? 2.0 / (double)(t->rows[A] + 1) : 1;
    const size_t size = clg_type_size(t->desc.type);
    struct clg_test_matrix *m = &t->matrix[which];
    memset(m->memory, 0xff, clg_test_matrix_bytes(m)); /* NaNs */
    for (int64_t z = 0; z < batch; z++)
        for (int64_t i = 0; i < t->rows[which]; i++)
            for (int64_t j = 0; j < t->cols[which]; j++) {
                const double lift = which == A && is_triangular(t) && i == j ? 1.5 : 0;
                if (is_used(t, which, i, j))
                    set(t, which, z, i, j, scale * clg_test_element(t->desc.type, random) + lift,
                        scale * clg_test_element(t->desc.type, random));
            }
    memcpy(m->before, m->memory, m->count * size);
}

static void create(struct test_call *t, struct clg_test_random *random) {
    clgemm_level3_desc *d = &t->desc;
    const bool by_rows = d->layout == CLGEMM_ROW_MAJOR;
    const int64_t side = d->side == CLGEMM_LEFT ? d->m : d->n;
    const bool turned = d->trans != CLGEMM_NO_TRANS;
    for (int which = A; which < MATRICES; which++) {
        t->rows[which] =
            is_rank(t) ? (which == C || !turned ? d->n : d->k) : (which == A ? side : d->m);
        t->cols[which] =
            is_rank(t) ? (which == C || turned ? d->n : d->k) : (which == A ? side : d->n);
        clg_test_matrices_create(
            &t->matrix[which], d->type, by_rows ? t->cols[which] : t->rows[which],
            by_rows ? t->rows[which] : t->cols[which], clg_test_range(random, 0, 5),
            d->batch > 1 ? d->batch : 1, clg_test_range(random, 0, 3),
            (size_t)clg_test_range(random, 0, 3), random);
        fill(t, which, random);
    }
    d->size = sizeof *d;
    d->lda = t->matrix[A].ld, d->ldb = t->matrix[B].ld, d->ldc = t->matrix[C].ld;
    d->stride_a = t->matrix[A].stride, d->stride_b = t->matrix[B].stride;
    d->stride_c = t->matrix[C].stride;
    describe(t);
}

static void destroy(struct test_call *t) {
    for (int which = A; which < MATRICES; which++)
        clg_test_matrix_destroy(&t->matrix[which]);
}

/* A factor in the type that the call requires. */
static const void *scalar(const struct test_call *t, const double pair[2], float out[2]) {
    out[0] = (float)pair[0];
    out[1] = (float)pair[1];
    return clg_type_real(t->desc.type) == CLGEMM_F64 ? (const void *)pair : out;
}

static void run_on_host(struct test_call *t) {
    float alpha[2], beta[2];
    clg_test_assert_success(
        clgemm_level3(NULL, &t->desc, scalar(t, t->alpha, alpha),
                      clg_test_matrix_data(&t->matrix[A]), clg_test_matrix_data(&t->matrix[B]),
                      scalar(t, t->beta, beta), clg_test_matrix_data(&t->matrix[C])));
}

static void run_on_buffers(struct test_call *t, struct clg_test_cl *cl) {
    float alpha[2], beta[2];
    cl_mem buffer[MATRICES];
    cl_event done = NULL;
    for (int which = A; which < MATRICES; which++)
        buffer[which] = clg_test_buffer(cl, &t->matrix[which]);
    clg_test_assert_success(clgemm_level3_cl(NULL, &t->desc, scalar(t, t->alpha, alpha), buffer[A],
                                             t->matrix[A].offset, buffer[B], t->matrix[B].offset,
                                             scalar(t, t->beta, beta), buffer[C],
                                             t->matrix[C].offset, cl->queue, 0, NULL, &done));
    clg_test_read_back(cl, buffer[C], &t->matrix[C], done);
    clReleaseEvent(done);
    for (int which = A; which < MATRICES; which++)
        clReleaseMemObject(buffer[which]);
}

/* By the BLAS's names. `v` and `w` are alpha and beta as the function takes them. */
#define ARGUMENTS_A a, d->lda
#define ARGUMENTS_B b, d->ldb
#define ARGUMENTS_C c, d->ldc
#define CALL_TYPE(l, v, w)                                                                     \
    switch (d->routine) {                                                                      \
    case CLGEMM_SYMM:                                                                          \
        return clgemm_##l##symm(d->layout, d->side, d->uplo, d->m, d->n, v, ARGUMENTS_A,       \
                                ARGUMENTS_B, w, ARGUMENTS_C);                                  \
    case CLGEMM_SYRK:                                                                          \
        return clgemm_##l##syrk(d->layout, d->uplo, d->trans, d->n, d->k, v, ARGUMENTS_A, w,   \
                                ARGUMENTS_C);                                                  \
    case CLGEMM_SYR2K:                                                                         \
        return clgemm_##l##syr2k(d->layout, d->uplo, d->trans, d->n, d->k, v, ARGUMENTS_A,     \
                                 ARGUMENTS_B, w, ARGUMENTS_C);                                 \
    case CLGEMM_TRMM:                                                                          \
        return clgemm_##l##trmm(d->layout, d->side, d->uplo, d->trans, d->diag, d->m, d->n, v, \
                                ARGUMENTS_A, ARGUMENTS_C);                                     \
    case CLGEMM_TRSM:                                                                          \
        return clgemm_##l##trsm(d->layout, d->side, d->uplo, d->trans, d->diag, d->m, d->n, v, \
                                ARGUMENTS_A, ARGUMENTS_C);                                     \
    default:                                                                                   \
        break;                                                                                 \
    }
#define CALL_HERMITIAN(l, v, w, real_v, real_w)                                                \
    switch (d->routine) {                                                                      \
    case CLGEMM_HEMM:                                                                          \
        return clgemm_##l##hemm(d->layout, d->side, d->uplo, d->m, d->n, v, ARGUMENTS_A,       \
                                ARGUMENTS_B, w, ARGUMENTS_C);                                  \
    case CLGEMM_HERK:                                                                          \
        return clgemm_##l##herk(d->layout, d->uplo, d->trans, d->n, d->k, real_v, ARGUMENTS_A, \
                                real_w, ARGUMENTS_C);                                          \
    default:                                                                                   \
        return clgemm_##l##her2k(d->layout, d->uplo, d->trans, d->n, d->k, v, ARGUMENTS_A,     \
                                 ARGUMENTS_B, real_w, ARGUMENTS_C);                            \
    }

static clgemm_status call_by_name(struct test_call *t) {
    const clgemm_level3_desc *d = &t->desc;
    const void *a = clg_test_matrix_data(&t->matrix[A]), *b = clg_test_matrix_data(&t->matrix[B]);
    void *c = clg_test_matrix_data(&t->matrix[C]);
    const float v[] = {(float)t->alpha[0], (float)t->alpha[1]},
                w[] = {(float)t->beta[0], (float)t->beta[1]};
    if (d->type == CLGEMM_F32) {
        CALL_TYPE(s, v[0], w[0])
    } else if (d->type == CLGEMM_F64) {
        CALL_TYPE(d, t->alpha[0], t->beta[0])
    } else if (d->type == CLGEMM_CF32) {
        CALL_TYPE(c, v, w)
        CALL_HERMITIAN(c, v, w, v[0], w[0])
    } else {
        CALL_TYPE(z, t->alpha, t->beta)
        CALL_HERMITIAN(z, t->alpha, t->beta, t->alpha[0], t->beta[0])
    }
    return CLGEMM_STATUS_UNSUPPORTED;
}

/* ---- Drawn calls ---- */

static const double factors[][2] = {{1, 0}, {-0.75, 0.5}, {0, 1}, {2, 0}, {0, 0}};

static struct test_call draw(clgemm_routine routine, int form, int64_t most,
                             struct clg_test_random *random) {
    const int num_factors = (int)(sizeof factors / sizeof *factors);
    struct test_call t = {.desc = {.routine = routine,
                                   .type = types[clg_test_range(random, 0, num_types() - 1)],
                                   .layout = form & 1 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
                                   .side = form & 2 ? CLGEMM_RIGHT : CLGEMM_LEFT,
                                   .uplo = form & 4 ? CLGEMM_UPPER : CLGEMM_LOWER,
                                   .diag = form & 8 ? CLGEMM_UNIT : CLGEMM_NON_UNIT,
                                   .trans = transposes[clg_test_range(random, 0, 2)],
                                   .m = clg_test_range(random, 1, most),
                                   .n = clg_test_range(random, 1, most),
                                   .k = clg_test_range(random, 0, most),
                                   .batch = clg_test_range(random, 0, 4) ? 0 : 3}};
    if (is_rank(&t) && is_complex(&t) && t.desc.trans != CLGEMM_NO_TRANS)
        t.desc.trans = is_hermitian(&t) ? CLGEMM_CONJ_TRANS : CLGEMM_TRANS;
    const double *alpha = factors[clg_test_range(random, 0, num_factors - 1)];
    const double *beta = factors[clg_test_range(random, 0, num_factors - 1)];
    memcpy(t.alpha, alpha, sizeof t.alpha);
    memcpy(t.beta, beta, sizeof t.beta);
    return t;
}

static void check(clgemm_routine routine, int64_t most, struct clg_test_random *random,
                  struct clg_test_cl *cl) {
    for (int form = 0; form < 16; form++) {
        struct test_call t = draw(routine, form, most, random);
        create(&t, random);
        if (clg_test_range(random, 0, 1))
            run_on_buffers(&t, cl);
        else
            run_on_host(&t);
        assert_right(&t);
        assert_rest_unchanged(&t);
        destroy(&t);
    }
}

static void every_form_is_right(void **state) {
    struct clg_test_random random = clg_test_random_start(540);
    struct clg_test_cl cl;
    (void)state;
    clg_test_cl_open(&cl, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++) {
        check((clgemm_routine)routine, 40, &random, &cl);
        check((clgemm_routine)routine, 150, &random, &cl);
    }
    clg_test_cl_close(&cl);
}

static void names_are_the_routines(void **state) {
    struct clg_test_random random = clg_test_random_start(541);
    (void)state;
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++)
        for (int turn = 0; turn < num_types(); turn++) {
            struct test_call t = draw((clgemm_routine)routine, turn * 5, 20, &random);
            t.desc.type = types[turn];
            t.desc.trans = CLGEMM_NO_TRANS;
            t.desc.batch = 0;
            if (!is_complex(&t) &&
                (routine == CLGEMM_HEMM || routine == CLGEMM_HERK || routine == CLGEMM_HER2K))
                continue;
            create(&t, &random);
            clg_test_assert_success(call_by_name(&t));
            assert_right(&t);
            assert_rest_unchanged(&t);
            destroy(&t);
        }
}

static clgemm_level3_desc square(clgemm_routine routine) {
    return (clgemm_level3_desc){.size = sizeof(clgemm_level3_desc),
                                .routine = routine,
                                .layout = CLGEMM_COL_MAJOR,
                                .side = CLGEMM_LEFT,
                                .uplo = CLGEMM_LOWER,
                                .trans = CLGEMM_NO_TRANS,
                                .diag = CLGEMM_NON_UNIT,
                                .m = 2,
                                .n = 2,
                                .k = 2,
                                .lda = 2,
                                .ldb = 2,
                                .ldc = 2};
}

/* With alpha 0, A and B are not read, and need not be there; with beta 0, C is not. */
static void zeros_read_nothing(void **state) {
    static const float zero = 0, one = 1, two = 2;
    (void)state;
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++) {
        const clgemm_level3_desc desc = square((clgemm_routine)routine);
        const bool triangular = routine >= CLGEMM_TRMM;
        const float upper = routine >= CLGEMM_SYRK && !triangular ? 5.0F : 0;
        float c[] = {NAN, NAN, 5, NAN};
        clg_test_assert_success(clgemm_level3(NULL, &desc, &zero, NULL, NULL, &zero, c));
        assert_true(c[0] == 0 && c[1] == 0 && c[2] == upper && c[3] == 0);
        if (triangular)
            continue;
        float scaled[] = {1, 2, 3, 4};
        clg_test_assert_success(clgemm_level3(NULL, &desc, &zero, NULL, NULL, &two, scaled));
        assert_true(scaled[0] == 2 && scaled[1] == 4 && scaled[3] == 8);
        assert_true(scaled[2] == (upper != 0 ? 3 : 6));
        clg_test_assert_success(clgemm_level3(NULL, &desc, &zero, NULL, NULL, &one, NULL));
    }
}

static void empty_calls_do_nothing(void **state) {
    static const float one = 1, zero = 0;
    (void)state;
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++) {
        clgemm_level3_desc desc = square((clgemm_routine)routine);
        desc.m = desc.n = 0;
        clg_test_assert_success(clgemm_level3(NULL, &desc, &one, NULL, NULL, &zero, NULL));
    }
}

static void wrong_arguments_are_named(void **state) {
    static const float one = 1;
    float a[4] = {1, 1, 1, 1}, b[4] = {1, 1, 1, 1}, c[4] = {1, 2, 3, 4};
    const clgemm_level3_desc good = square(CLGEMM_SYMM);
    clgemm_level3_desc bad[16];
    const int expected_status[] = {
        CLGEMM_STATUS_INVALID_DESC,   CLGEMM_STATUS_INVALID_DESC,    CLGEMM_STATUS_UNSUPPORTED,
        CLGEMM_STATUS_INVALID_DESC,   CLGEMM_STATUS_INVALID_DESC,    CLGEMM_STATUS_INVALID_DESC,
        CLGEMM_STATUS_INVALID_LAYOUT, CLGEMM_STATUS_INVALID_M,       CLGEMM_STATUS_INVALID_N,
        CLGEMM_STATUS_INVALID_K,      CLGEMM_STATUS_INVALID_LDA,     CLGEMM_STATUS_INVALID_LDB,
        CLGEMM_STATUS_INVALID_LDC,    CLGEMM_STATUS_INVALID_TRANS_A, CLGEMM_STATUS_INVALID_DESC,
        CLGEMM_STATUS_INVALID_TRANS_A};
    (void)state;
    for (int i = 0; i < 16; i++)
        bad[i] = good;
    bad[0].size = 8;
    bad[1].routine = (clgemm_routine)9;
    bad[2].type = CLGEMM_F16;
    bad[3].type = (clgemm_type)17;
    bad[4].side = (clgemm_side)140;
    bad[5].uplo = (clgemm_uplo)0;
    bad[6].layout = (clgemm_layout)0;
    bad[7].m = -1;
    bad[8].n = -1;
    bad[9].routine = CLGEMM_SYRK, bad[9].k = -1;
    bad[10].lda = 1;
    bad[11].ldb = 1;
    bad[12].ldc = 1;
    bad[13].routine = CLGEMM_TRSM, bad[13].trans = (clgemm_transpose)114;
    bad[14].routine = CLGEMM_TRMM, bad[14].diag = (clgemm_diag)0;
    bad[15].routine = CLGEMM_HERK, bad[15].type = CLGEMM_CF32, bad[15].trans = CLGEMM_TRANS;
    for (int i = 0; i < 16; i++)
        clg_test_assert_status(clgemm_level3(NULL, &bad[i], &one, a, b, &one, c),
                               expected_status[i]);
    clg_test_assert_status(clgemm_level3(NULL, &good, NULL, a, b, &one, c),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_status(clgemm_level3(NULL, &good, &one, a, b, NULL, c),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_status(clgemm_level3(NULL, &good, &one, NULL, b, &one, c),
                           CLGEMM_STATUS_INVALID_A);
    clg_test_assert_status(clgemm_level3(NULL, &good, &one, a, NULL, &one, c),
                           CLGEMM_STATUS_INVALID_B);
    clg_test_assert_status(clgemm_level3(NULL, &good, &one, a, b, &one, NULL),
                           CLGEMM_STATUS_INVALID_C);
    assert_true(c[0] == 1 && c[1] == 2 && c[2] == 3 && c[3] == 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_read_nothing), cmocka_unit_test(empty_calls_do_nothing),
        cmocka_unit_test(wrong_arguments_are_named), cmocka_unit_test(names_are_the_routines),
        cmocka_unit_test(every_form_is_right)};
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
