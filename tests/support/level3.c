/* SPDX-License-Identifier: Apache-2.0
 * Calls of level 3's other routines and their definitions. */
#include "support/level3.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/random.h"

typedef long double _Complex wide;

enum { A = CLG_TEST_A, B = CLG_TEST_B, C = CLG_TEST_C };

/* ---- The call's properties ---- */

static bool is_complex(const struct clg_test_level3 *t) {
    return clg_type_is_complex(t->desc.type);
}

static bool is_triangular(const struct clg_test_level3 *t) {
    return t->desc.routine == CLGEMM_TRMM || t->desc.routine == CLGEMM_TRSM;
}

static bool is_symmetric(const struct clg_test_level3 *t) {
    return t->desc.routine == CLGEMM_SYMM || t->desc.routine == CLGEMM_HEMM;
}

static bool is_rank(const struct clg_test_level3 *t) {
    return !is_triangular(t) && !is_symmetric(t);
}

static bool has_two(const struct clg_test_level3 *t) {
    return t->desc.routine == CLGEMM_SYR2K || t->desc.routine == CLGEMM_HER2K;
}

static bool is_hermitian(const struct clg_test_level3 *t) {
    return is_complex(t) && (t->desc.routine == CLGEMM_HEMM || t->desc.routine == CLGEMM_HERK ||
                             t->desc.routine == CLGEMM_HER2K);
}

/* Whether element (i, j) of matrix `which` is read or written. */
static bool is_used(const struct clg_test_level3 *t, int which, int64_t i, int64_t j) {
    const bool triangle = is_rank(t) ? which == C : which == A;
    if (!triangle)
        return true;
    if (i == j)
        return !(is_triangular(t) && t->desc.diag == CLGEMM_UNIT);
    return (t->desc.uplo == CLGEMM_UPPER) == (i < j);
}

/* ---- Elements ---- */

static int64_t place(const struct clg_test_level3 *t, int which, int64_t z, int64_t i, int64_t j) {
    const struct clg_test_matrix *m = &t->matrix[which];
    const int64_t run = t->desc.layout == CLGEMM_ROW_MAJOR ? i * m->ld + j : i + j * m->ld;
    return (int64_t)m->offset + z * m->stride + run;
}

static wide get_from(const struct clg_test_level3 *t, const void *memory, int64_t at) {
    const clgemm_type real = clg_type_real(t->desc.type);
    if (!is_complex(t))
        return (long double)clg_element(real, memory, at);
    return (long double)clg_element(real, memory, 2 * at) +
           (wide)_Complex_I * (long double)clg_element(real, memory, 2 * at + 1);
}

static wide stored(const struct clg_test_level3 *t, int which, int64_t z, int64_t i, int64_t j) {
    return get_from(t, t->matrix[which].before, place(t, which, z, i, j));
}

static void set(struct clg_test_level3 *t, int which, int64_t z, int64_t i, int64_t j, double re,
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
static wide whole(const struct clg_test_level3 *t, int which, int64_t z, int64_t i, int64_t j) {
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

static wide op(const struct clg_test_level3 *t, int which, int64_t z, int64_t i, int64_t j) {
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

static wide factor(const struct clg_test_level3 *t, const double pair[2]) {
    return is_complex(t) ? (long double)pair[0] + (wide)_Complex_I * (long double)pair[1]
                         : (long double)pair[0];
}

static wide alpha_of(const struct clg_test_level3 *t) {
    return t->desc.routine == CLGEMM_HERK ? (long double)t->alpha[0] : factor(t, t->alpha);
}

static wide beta_of(const struct clg_test_level3 *t) {
    return t->desc.routine == CLGEMM_HERK || t->desc.routine == CLGEMM_HER2K
               ? (long double)t->beta[0]
               : factor(t, t->beta);
}

static wide mirrored(const struct clg_test_level3 *t, wide x) {
    return is_hermitian(t) ? conjl(x) : x;
}

/* Element (i, j) of op(A) X or X op(A), for X = B, or what is in C's memory before or after. */
static struct sum times(const struct clg_test_level3 *t, wide alpha, int which, const void *memory,
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
static struct sum expected(const struct clg_test_level3 *t, int64_t z, int64_t i, int64_t j) {
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

static const char *wrong_element(const struct clg_test_level3 *t) {
    static char fault[512];
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
                snprintf(fault, sizeof fault,
                         "C(%lld, %lld) of product %lld is wrong by %Lg, permitted %Lg (seed %llu)",
                         (long long)i, (long long)j, (long long)z, error, bound * got.size,
                         (unsigned long long)clg_test_seed());
                return fault;
            }
    return NULL;
}

/* Nothing but the elements of C that the routine has may have changed. */
static bool is_rest_unchanged(struct clg_test_level3 *t) {
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
    bool unchanged = true;
    for (int which = A; which < CLG_TEST_MATRICES; which++)
        unchanged = unchanged && clg_test_matrix_unchanged(&t->matrix[which]);
    return unchanged;
}

const char *clg_test_level3_fault(struct clg_test_level3 *t) {
    static char text[1024];
    const clgemm_level3_desc *d = &t->desc;
    const char *fault = wrong_element(t);
    if (!fault && !is_rest_unchanged(t))
        fault = "memory was written that the routine does not have";
    if (!fault)
        return NULL;
    snprintf(text, sizeof text,
             "routine %d type %d layout %d side %d uplo %d trans %d diag %d m %lld n %lld k %lld "
             "alpha %g,%g beta %g,%g batch %lld: %s",
             (int)d->routine, (int)d->type, (int)d->layout, (int)d->side, (int)d->uplo,
             (int)d->trans, (int)d->diag, (long long)d->m, (long long)d->n, (long long)d->k,
             t->alpha[0], t->alpha[1], t->beta[0], t->beta[1], (long long)d->batch, fault);
    return text;
}

/* ---- Calls ---- */

/* Fills what is used, and nothing else. A triangular matrix is well conditioned. */
static void fill(struct clg_test_level3 *t, int which, struct clg_test_random *random) {
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

void clg_test_level3_create(struct clg_test_level3 *t, struct clg_test_random *random) {
    clgemm_level3_desc *d = &t->desc;
    const bool by_rows = d->layout == CLGEMM_ROW_MAJOR;
    const int64_t side = d->side == CLGEMM_LEFT ? d->m : d->n;
    const bool turned = d->trans != CLGEMM_NO_TRANS;
    for (int which = A; which < CLG_TEST_MATRICES; which++) {
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
}

void clg_test_level3_destroy(struct clg_test_level3 *t) {
    for (int which = A; which < CLG_TEST_MATRICES; which++)
        clg_test_matrix_destroy(&t->matrix[which]);
}

const void *clg_test_level3_factor(const struct clg_test_level3 *t, const double pair[2],
                                   float out[2]) {
    out[0] = (float)pair[0];
    out[1] = (float)pair[1];
    return clg_type_real(t->desc.type) == CLGEMM_F64 ? (const void *)pair : out;
}

clgemm_status clg_test_level3_run(struct clg_test_level3 *t, clgemm_handle *handle) {
    float alpha[2], beta[2];
    return clgemm_level3(handle, &t->desc, clg_test_level3_factor(t, t->alpha, alpha),
                         clg_test_matrix_data(&t->matrix[A]), clg_test_matrix_data(&t->matrix[B]),
                         clg_test_level3_factor(t, t->beta, beta),
                         clg_test_matrix_data(&t->matrix[C]));
}

clgemm_status clg_test_level3_enqueue(const struct clg_test_level3 *t, clgemm_handle *handle,
                                      const cl_mem buffer[CLG_TEST_MATRICES],
                                      cl_command_queue queue, cl_event *event) {
    float alpha[2], beta[2];
    return clgemm_level3_cl(handle, &t->desc, clg_test_level3_factor(t, t->alpha, alpha), buffer[A],
                            t->matrix[A].offset, buffer[B], t->matrix[B].offset,
                            clg_test_level3_factor(t, t->beta, beta), buffer[C],
                            t->matrix[C].offset, queue, 0, NULL, event);
}

/* The largest group of a kernel with local memory, which can be less than the device's; 0 if it
 * cannot be built. */
static size_t largest_group(const struct clg_test_cl *cl) {
    const char *source =
        "__kernel void f(__global int *x) { __local int y[64]; int i = get_local_id(0) % 64;"
        "y[i] = x[i]; barrier(CLK_LOCAL_MEM_FENCE); x[i] = y[63 - i]; }";
    size_t most = 0;
    cl_program program = clCreateProgramWithSource(cl->context, 1, &source, NULL, NULL);
    cl_int error = clBuildProgram(program, 1, &cl->device, "", NULL, NULL);
    cl_kernel kernel = error ? NULL : clCreateKernel(program, "f", &error);
    if (!error) {
        clGetKernelWorkGroupInfo(kernel, cl->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                                 NULL);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
    return most;
}

bool clg_test_level3_is_possible(void) {
    enum { STEP_GROUP = 256, DIMENSIONS = 16 };
    struct clg_test_cl cl;
    size_t items[DIMENSIONS] = {0};
    clg_test_cl_open(&cl, 0);
    const size_t most = largest_group(&cl);
    clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL);
    clg_test_cl_close(&cl);
    return most >= STEP_GROUP && items[0] >= STEP_GROUP;
}

void clg_test_level3_run_on_buffers(struct clg_test_level3 *t, struct clg_test_cl *cl,
                                    clgemm_handle *handle) {
    cl_mem buffer[CLG_TEST_MATRICES];
    cl_event done = NULL;
    for (int which = A; which < CLG_TEST_MATRICES; which++)
        buffer[which] = clg_test_buffer(cl, &t->matrix[which]);
    clg_test_assert_success(clg_test_level3_enqueue(t, handle, buffer, cl->queue, &done));
    clg_test_read_back(cl, buffer[C], &t->matrix[C], done);
    clReleaseEvent(done);
    for (int which = A; which < CLG_TEST_MATRICES; which++)
        clReleaseMemObject(buffer[which]);
}

static const clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
static const double factors[][2] = {{1, 0}, {-0.75, 0.5}, {0, 1}, {2, 0}, {0, 0}};

bool clg_test_level3_has(clgemm_routine routine, clgemm_type type) {
    return clg_type_is_complex(type) ||
           (routine != CLGEMM_HEMM && routine != CLGEMM_HERK && routine != CLGEMM_HER2K);
}

struct clg_test_level3 clg_test_level3_draw(clgemm_routine routine, clgemm_type type, int form,
                                            int64_t most, struct clg_test_random *random) {
    const int num_factors = (int)(sizeof factors / sizeof *factors);
    struct clg_test_level3 t = {.desc = {.routine = routine,
                                         .type = type,
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
