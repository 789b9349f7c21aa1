/* SPDX-License-Identifier: Apache-2.0
 * A stand-in for cuBLAS and cuBLASXt: it computes products by loops on the host. The device of
 * libcudart.c has the same memory. It refuses what cuBLAS refuses, and what would be less exact
 * than clgemm-bench requires. A routine says on stderr that it was called, once in a process. Calls
 * return a cublasStatus_t, of which 0 is success. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "src/common/rounding.h"

enum { NOT_SUPPORTED = 15 };
enum { OP_N = 0 };                                        /* cublasOperation_t */
enum { SUMS_IN_COMPUTE_TYPE = 16 };                       /* cublasMath_t */
enum { R_32F = 0, R_16F = 2, R_16BF = 14 };               /* cudaDataType_t */
enum { COMPUTE_32F = 68, FAST_16F = 74, FAST_TF32 = 77 }; /* cublasComputeType_t */

struct handle {
    int math;
};

/* Parameters, as cuBLAS declares them except for the elements' types. `integer` is an int, or a
 * size_t for cuBLASXt. */
#define ONE(integer)                                                                       \
    struct handle *h, int ta, int tb, integer m, integer n, integer k, const void *alpha,  \
        const void *a, integer lda, const void *b, integer ldb, const void *beta, void *c, \
        integer ldc
#define BATCH                                                                                      \
    struct handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,       \
        int lda, long long stride_a, const void *b, int ldb, long long stride_b, const void *beta, \
        void *c, int ldc, long long stride_c, int batch
#define EX                                                                                   \
    struct handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, \
        int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c,  \
        int type_c, int ldc, int compute, int algorithm
#define BATCH_EX                                                                                \
    struct handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,    \
        int type_a, int lda, long long stride_a, const void *b, int type_b, int ldb,            \
        long long stride_b, const void *beta, void *c, int type_c, int ldc, long long stride_c, \
        int batch, int compute, int algorithm

int cublasCreate_v2(struct handle **out);
int cublasDestroy_v2(struct handle *h);
int cublasSetMathMode(struct handle *h, int mode);
int cublasGetVersion_v2(struct handle *h, int *out);
int cublasSgemm_v2(ONE(int));
int cublasDgemm_v2(ONE(int));
int cublasCgemm_v2(ONE(int));
int cublasZgemm_v2(ONE(int));
int cublasSgemmStridedBatched(BATCH);
int cublasDgemmStridedBatched(BATCH);
int cublasCgemmStridedBatched(BATCH);
int cublasZgemmStridedBatched(BATCH);
int cublasGemmEx(EX);
int cublasGemmStridedBatchedEx(BATCH_EX);
int cublasXtCreate(struct handle **out);
int cublasXtDestroy(struct handle *h);
int cublasXtDeviceSelect(struct handle *h, int count, int *devices);
int cublasXtSgemm(ONE(size_t));
int cublasXtDgemm(ONE(size_t));
int cublasXtCgemm(ONE(size_t));
int cublasXtZgemm(ONE(size_t));

/* ---- Handles ---- */

static struct handle only;

int cublasCreate_v2(struct handle **out) {
    only.math = 0;
    *out = &only;
    return 0;
}

int cublasDestroy_v2(struct handle *h) {
    (void)h;
    return 0;
}

int cublasSetMathMode(struct handle *h, int mode) {
    h->math = mode;
    return 0;
}

int cublasGetVersion_v2(struct handle *h, int *out) {
    (void)h;
    *out = 130000;
    return 0;
}

int cublasXtCreate(struct handle **out) {
    return cublasCreate_v2(out);
}

int cublasXtDestroy(struct handle *h) {
    return cublasDestroy_v2(h);
}

int cublasXtDeviceSelect(struct handle *h, int count, int *devices) {
    (void)h;
    return count == 1 && devices[0] == 0 ? 0 : NOT_SUPPORTED;
}

/* ---- Products ---- */

struct operand {
    const void *data;
    int operation;
    int64_t ld, stride;
};

struct product {
    clgemm_type type;
    int64_t m, n, k, batch;
    const void *alpha, *beta; /* doubles for doubles, else floats */
    struct operand a, b;
    void *c;
    int64_t ldc, stride_c;
};

/* A part of an element of op(X) of product z. */
static double number(clgemm_type type, const struct operand *x, int64_t row, int64_t column,
                     int64_t z, int part) {
    const int64_t at = x->operation == OP_N ? column * x->ld + row : row * x->ld + column;
    return clg_element(type, x->data, (z * x->stride + at) * clg_type_parts(type) + part);
}

/* A part of an element of A B. */
static double sum_of(const struct product *p, int64_t i, int64_t j, int64_t z, int part) {
    struct clg_wide sum = {0};
    for (int64_t l = 0; l < p->k; l++)
        for (int of_a = 0; of_a < clg_type_parts(p->type); of_a++) {
            const double a = number(p->type, &p->a, i, l, z, of_a);
            clg_wide_add_product(&sum, of_a && !part ? -a : a,
                                 number(p->type, &p->b, l, j, z, part ^ of_a));
        }
    return sum.high + sum.low;
}

/* Factors have no imaginary part. */
static int multiply(const struct product *p) {
    const int parts = clg_type_parts(p->type);
    const clgemm_type scalar = clg_type_real(p->type) == CLGEMM_F64 ? CLGEMM_F64 : CLGEMM_F32;
    const double alpha = clg_element(scalar, p->alpha, 0), beta = clg_element(scalar, p->beta, 0);
    for (int64_t z = 0; z < p->batch; z++)
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = 0; i < p->m * parts; i++) {
                const int part = (int)(i % parts);
                const int64_t at = (z * p->stride_c + j * p->ldc) * parts + i;
                const double start = beta == 0 ? 0 : beta * clg_element(p->type, p->c, at);
                clg_element_set(p->type, p->c, at,
                                alpha * sum_of(p, i / parts, j, z, part) + start);
            }
    return 0;
}

#define SAY(...)                                        \
    do {                                                \
        static bool said;                               \
        if (!said)                                      \
            fprintf(stderr, "libcublas: " __VA_ARGS__); \
        said = true;                                    \
    } while (0)

#define PRODUCT(of, count, to_a, to_b, to_c)               \
    (&(struct product){.type = (of),                       \
                       .m = (int64_t)m,                    \
                       .n = (int64_t)n,                    \
                       .k = (int64_t)k,                    \
                       .batch = (count),                   \
                       .alpha = alpha,                     \
                       .beta = beta,                       \
                       .a = {a, ta, (int64_t)lda, (to_a)}, \
                       .b = {b, tb, (int64_t)ldb, (to_b)}, \
                       .c = c,                             \
                       .ldc = (int64_t)ldc,                \
                       .stride_c = (to_c)})

int cublasSgemm_v2(ONE(int)) {
    SAY("cublasSgemm, mode %d\n", h->math);
    return multiply(PRODUCT(CLGEMM_F32, 1, 0, 0, 0));
}

int cublasDgemm_v2(ONE(int)) {
    SAY("cublasDgemm, mode %d\n", h->math);
    return multiply(PRODUCT(CLGEMM_F64, 1, 0, 0, 0));
}

int cublasSgemmStridedBatched(BATCH) {
    SAY("cublasSgemmStridedBatched, mode %d\n", h->math);
    return multiply(PRODUCT(CLGEMM_F32, batch, stride_a, stride_b, stride_c));
}

int cublasDgemmStridedBatched(BATCH) {
    SAY("cublasDgemmStridedBatched, mode %d\n", h->math);
    return multiply(PRODUCT(CLGEMM_F64, batch, stride_a, stride_b, stride_c));
}

int cublasCgemm_v2(ONE(int)) {
    SAY("cublasCgemm, mode %d\n", h->math);
    return multiply(PRODUCT(CLGEMM_CF32, 1, 0, 0, 0));
}

int cublasZgemm_v2(ONE(int)) {
    SAY("cublasZgemm, mode %d\n", h->math);
    return multiply(PRODUCT(CLGEMM_CF64, 1, 0, 0, 0));
}

int cublasCgemmStridedBatched(BATCH) {
    SAY("cublasCgemmStridedBatched, mode %d\n", h->math);
    return multiply(PRODUCT(CLGEMM_CF32, batch, stride_a, stride_b, stride_c));
}

int cublasZgemmStridedBatched(BATCH) {
    SAY("cublasZgemmStridedBatched, mode %d\n", h->math);
    return multiply(PRODUCT(CLGEMM_CF64, batch, stride_a, stride_b, stride_c));
}

int cublasXtSgemm(ONE(size_t)) {
    SAY("cublasXtSgemm, mode %d\n", h->math);
    return multiply(PRODUCT(CLGEMM_F32, 1, 0, 0, 0));
}

int cublasXtDgemm(ONE(size_t)) {
    SAY("cublasXtDgemm, mode %d\n", h->math);
    return multiply(PRODUCT(CLGEMM_F64, 1, 0, 0, 0));
}

int cublasXtCgemm(ONE(size_t)) {
    SAY("cublasXtCgemm, mode %d\n", h->math);
    return multiply(PRODUCT(CLGEMM_CF32, 1, 0, 0, 0));
}

int cublasXtZgemm(ONE(size_t)) {
    SAY("cublasXtZgemm, mode %d\n", h->math);
    return multiply(PRODUCT(CLGEMM_CF64, 1, 0, 0, 0));
}

/* ---- Products with explicit types ---- */

/* The elements' type if all three are the same and sums are at least floats: floats in the modes
 * that round them first, which no other routine has, and 16-bit types without rounded partial sums.
 * Else CLG_TYPE_COUNT. */
static int type_of(const struct handle *h, int a, int b, int c, int compute, int algorithm) {
    if (a != b || a != c || algorithm != -1)
        return CLG_TYPE_COUNT;
    if (a == R_32F && compute >= FAST_16F && compute <= FAST_TF32)
        return CLGEMM_F32;
    if (compute != COMPUTE_32F || !(h->math & SUMS_IN_COMPUTE_TYPE))
        return CLG_TYPE_COUNT;
    return a == R_16F ? CLGEMM_F16 : a == R_16BF ? CLGEMM_BF16 : CLG_TYPE_COUNT;
}

int cublasGemmEx(EX) {
    const int type = type_of(h, type_a, type_b, type_c, compute, algorithm);
    SAY("cublasGemmEx, type %d, compute type %d\n", type_a, compute);
    return type == CLG_TYPE_COUNT ? NOT_SUPPORTED
                                  : multiply(PRODUCT((clgemm_type)type, 1, 0, 0, 0));
}

int cublasGemmStridedBatchedEx(BATCH_EX) {
    const int type = type_of(h, type_a, type_b, type_c, compute, algorithm);
    SAY("cublasGemmStridedBatchedEx, type %d, compute type %d\n", type_a, compute);
    return type == CLG_TYPE_COUNT
               ? NOT_SUPPORTED
               : multiply(PRODUCT((clgemm_type)type, batch, stride_a, stride_b, stride_c));
}
