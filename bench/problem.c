/* SPDX-License-Identifier: Apache-2.0
 * Describes a problem, and fills its matrices with reproducible random numbers. */
#include "bench/problem.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

const char *routine_name(clgemm_routine routine) {
    static const char *const names[] = {"gemm",  "symm",  "hemm", "syrk", "herk",
                                        "syr2k", "her2k", "trmm", "trsm"};
    return names[routine];
}

enum { STREAM_A, STREAM_B, STREAM_C };

enum { BUFFER_ALIGNMENT = 64 }; /* the least alignment of a buffer made by a runtime */

/* In [-0.5, 0.5), a function of the position only, so that the start values of C need no copy. */
static double value_at(clgemm_type type, uint64_t stream, int64_t index) {
    const int bits = element_of(type)->random_bits;
    const uint64_t z =
        clg_random_mix((UINT64_C(4) * PROBLEM_SEED + stream) * UINT64_C(0xd1342543de82ef95) +
                       (uint64_t)index * CLG_RANDOM_STEP);
    /* Integers first: a fraction of that many bits would be rounded when 0.5 is subtracted. */
    const int64_t number = (int64_t)(z >> (64 - bits)) - (INT64_C(1) << (bits - 1));
    return (double)number / (double)(UINT64_C(1) << bits);
}

static void fill(clgemm_type type, void *x, size_t count, uint64_t stream) {
    for (int64_t i = 0; i < (int64_t)count * clg_type_parts(type); i++)
        clg_element_set(type, x, i, value_at(type, stream, i));
}

/* The elements of a matrix, which are also the distance to the next product's, and of all products'
 * matrices, if their bytes can be counted. */
static bool count_elements(const struct problem *p, int64_t rows, int64_t columns, int64_t *stride,
                           size_t *count) {
    const int64_t most = PTRDIFF_MAX / (int64_t)clg_type_size(p->type);
    if (rows && columns > most / rows)
        return false;
    *stride = rows * columns;
    if (*stride && p->batch > most / *stride)
        return false;
    *count = (size_t)*stride * (size_t)p->batch;
    return true;
}

/* The strides of op(X)'s first and second index, and the leading dimension of X without gaps. */
static void set_strides(clgemm_layout layout, clgemm_transpose trans, int64_t rows, int64_t columns,
                        int64_t *first, int64_t *second, int64_t *ld) {
    bool second_is_dense = (layout == CLGEMM_ROW_MAJOR) == (trans == CLGEMM_NO_TRANS);
    *ld = second_is_dense ? columns : rows;
    if (*ld < 1)
        *ld = 1;
    *first = second_is_dense ? *ld : 1;
    *second = second_is_dense ? 1 : *ld;
}

struct extent {
    int64_t rows, columns;
};

/* Of op(A) and op(B). */
static struct extent extent_of_a(const struct problem *p) {
    return problem_has_side(p->routine) ? (struct extent){p->shape.k, p->shape.k}
                                        : (struct extent){p->shape.m, p->shape.k};
}

static struct extent extent_of_b(const struct problem *p) {
    const struct shape s = p->shape;
    return !p->routine                        ? (struct extent){s.k, s.n}
           : problem_is_symmetric(p->routine) ? (struct extent){s.m, s.n}
           : problem_has_b(p->routine)        ? (struct extent){s.n, s.k}
                                              : (struct extent){0, 0};
}

bool problem_describe(struct problem *p, const struct options *o, struct shape s,
                      struct transposes trans, char *why, size_t room) {
    *p = (struct problem){.routine = o->routine,
                          .side = o->side,
                          .uplo = o->uplo,
                          .shape = s,
                          .type = o->type,
                          .math = o->math,
                          .layout = o->layout,
                          .ta = trans.ta,
                          .tb = trans.tb,
                          .batch = o->batch,
                          .alpha = o->alpha,
                          .beta = o->beta,
                          .special = o->special};
    const struct extent a = extent_of_a(p), b = extent_of_b(p);
    if (!count_elements(p, a.rows, a.columns, &p->a_z, &p->a_count) ||
        !count_elements(p, b.rows, b.columns, &p->b_z, &p->b_count) ||
        !count_elements(p, s.m, s.n, &p->c_z, &p->c_count)) {
        snprintf(why, room, "a matrix has more bytes than this machine can address");
        return false;
    }
    set_strides(p->layout, p->ta, a.rows, a.columns, &p->a_i, &p->a_l, &p->lda);
    set_strides(p->layout, p->tb, b.rows, b.columns, &p->b_l, &p->b_j, &p->ldb);
    set_strides(p->layout, CLGEMM_NO_TRANS, s.m, s.n, &p->c_i, &p->c_j, &p->ldc);
    return true;
}

/* Bytes that are available without swapping; infinity if the system does not tell. */
static double free_memory(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file)
        return INFINITY;
    char line[128];
    double bytes = INFINITY;
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, "MemAvailable:", 13))
            bytes = strtod(line + 13, NULL) * 1024;
    fclose(file);
    return bytes;
}

double problem_bytes(const struct problem *p) {
    return (double)clg_type_size(p->type) *
           ((double)p->a_count + (double)p->b_count + (double)p->c_count);
}

size_t problem_c_bytes(const struct problem *p) {
    return p->c_count * clg_type_size(p->type);
}

clgemm_desc problem_desc(const struct problem *p) {
    return (clgemm_desc){.size = sizeof(clgemm_desc),
                         .type = p->type,
                         .math = p->math,
                         .layout = p->layout,
                         .ta = p->ta,
                         .tb = p->tb,
                         .m = p->shape.m,
                         .n = p->shape.n,
                         .k = p->shape.k,
                         .lda = p->lda,
                         .ldb = p->ldb,
                         .ldc = p->ldc,
                         .batch = p->batch,
                         .stride_a = p->a_z,
                         .stride_b = p->b_z,
                         .stride_c = p->c_z};
}

clgemm_level3_desc problem_level3_desc(const struct problem *p) {
    return (clgemm_level3_desc){.size = sizeof(clgemm_level3_desc),
                                .routine = p->routine,
                                .type = p->type,
                                .math = p->math,
                                .layout = p->layout,
                                .side = p->side,
                                .uplo = p->uplo,
                                .trans = p->ta,
                                .diag = CLGEMM_NON_UNIT,
                                .m = p->shape.m,
                                .n = p->shape.n,
                                .k = p->shape.k,
                                .lda = p->lda,
                                .ldb = p->ldb,
                                .ldc = p->ldc,
                                .batch = p->batch,
                                .stride_a = p->a_z,
                                .stride_b = p->b_z,
                                .stride_c = p->c_z};
}

static struct clg_operand operand(const struct problem *p, int64_t ld, int64_t stride,
                                  size_t count) {
    return (struct clg_operand){.ld = ld,
                                .stride = p->batch > 1 ? stride : 0,
                                .bytes = count * clg_type_size(p->type),
                                .alignment = BUFFER_ALIGNMENT};
}

struct clg_call problem_call(const struct problem *p, int64_t depth) {
    return (struct clg_call){.type = p->type,
                             .math = p->math,
                             .layout = p->layout,
                             .ta = p->ta,
                             .tb = p->tb,
                             .m = p->shape.m,
                             .n = p->shape.n,
                             .k = depth,
                             .batch = p->batch,
                             .scalars = {p->alpha.re, p->beta.re, p->alpha.im, p->beta.im},
                             .operand = {operand(p, p->lda, p->a_z, p->a_count),
                                         operand(p, p->ldb, p->b_z, p->b_count),
                                         operand(p, p->ldc, p->c_z, p->c_count)}};
}

double problem_flops(const struct problem *p) {
    const bool half = problem_is_triangular(p->routine) || p->routine == CLGEMM_SYRK ||
                      p->routine == CLGEMM_HERK; /* the other half is 0, or not computed */
    return clg_type_operations(p->type) * (double)p->batch * (double)p->shape.m *
           (double)p->shape.n * (double)p->shape.k / (half ? 2 : 1);
}

/* Triangular matrices are near the identity. The rest is so small that thousands of calls in
 * place neither overflow nor vanish, and large enough that a block which is left out is noticed. */
static void fill_triangular(struct problem *p) {
    const int parts = clg_type_parts(p->type);
    const double scale = pow((double)p->shape.k, -0.75);
    for (int64_t at = 0; at < (int64_t)p->a_count * parts; at++) {
        const bool diagonal = at / parts % p->a_z % (p->shape.k + 1) == 0;
        const double value = diagonal ? at % parts == 0 : scale * value_at(p->type, STREAM_A, at);
        clg_element_set(p->type, p->a, at, value);
    }
}

/* An empty matrix gets memory too: NULL means failure. */
static void *new_matrix(clgemm_type type, size_t count) {
    return malloc((count ? count : 1) * clg_type_size(type));
}

bool problem_create(struct problem *p, double extra, char *why, size_t room) {
    double wanted = problem_bytes(p) + extra, available = free_memory();
    if (wanted > available) {
        snprintf(why, room, "needs %.1f GiB of host memory, %.1f GiB are free", wanted / 0x1p30,
                 available / 0x1p30);
        return false;
    }
    p->a = new_matrix(p->type, p->a_count);
    p->b = new_matrix(p->type, p->b_count);
    p->c = new_matrix(p->type, p->c_count);
    if (!p->a || !p->b || !p->c) {
        snprintf(why, room, "out of host memory");
        return false;
    }
    if (problem_is_triangular(p->routine))
        fill_triangular(p);
    else
        fill(p->type, p->a, p->a_count, STREAM_A);
    fill(p->type, p->b, p->b_count, STREAM_B);
    if (p->special && p->a_count && p->b_count) {
        clg_element_set(p->type, p->a, (int64_t)p->a_count / 2, HUGE_VAL);
        clg_element_set(p->type, p->b, (int64_t)p->b_count / 2, NAN);
    }
    return true;
}

void problem_release(struct problem *p) {
    free(p->a);
    free(p->b);
    free(p->c);
    p->a = p->b = p->c = NULL;
}

double problem_c_start(const struct problem *p, int64_t index) {
    return !problem_reads_c(p) ? NAN : value_at(p->type, STREAM_C, index);
}

void problem_start_c(const struct problem *p, void *c) {
    for (int64_t i = 0; i < (int64_t)p->c_count * clg_type_parts(p->type); i++)
        clg_element_set(p->type, c, i, problem_c_start(p, i));
}
