/* SPDX-License-Identifier: Apache-2.0
 * A call of a BLAS routine inside the drop-in, independent of its name and width of integers. */
#ifndef CLG_BLAS_CALL_H
#define CLG_BLAS_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "clgemm.h"

/* The types that the drop-in supports: X(type, element in C, alpha and beta in CBLAS, integer of
 * the size of a part). All code that depends on the type is based on this list. A new type also
 * needs lines in CLG_BLAS_ROUTINES and CLG_BLAS_NAMES, and its real type here. */
#define CLG_BLAS_TYPES(X)                           \
    X(F32, float, float, uint32_t)                  \
    X(F64, double, double, uint64_t)                \
    X(CF32, float _Complex, const void *, uint32_t) \
    X(CF64, double _Complex, const void *, uint64_t)
typedef float clg_real_F32, clg_real_CF32;
typedef double clg_real_F64, clg_real_CF64;

/* A number in its own type, for functions that take its address. */
union clg_element {
#define CLG_BLAS_TYPE_MEMBER(type, element, scalar, bits) element of_##type;
    CLG_BLAS_TYPES(CLG_BLAS_TYPE_MEMBER)
#undef CLG_BLAS_TYPE_MEMBER
};

/* CBLAS takes real alpha and beta by value, in registers that depend on their type, but the address
 * of complex ones. */
#define CLG_BLAS_SCALAR(type, element, scalar, bits) typedef scalar clg_scalar_##type;
CLG_BLAS_TYPES(CLG_BLAS_SCALAR)
#undef CLG_BLAS_SCALAR

/* The address of such an argument, and the argument for an element. */
#define CLG_SCALAR_AT(scalar) _Generic((scalar), const void * : (scalar), default : &(scalar))
#define CLG_SCALAR(type, element) \
    _Generic((clg_scalar_##type){0}, const void * : &(element), default : (element).of_##type)

/* Numbers in an element, and operations on numbers in a multiply-add of elements. */
static inline int clg_parts(clgemm_type type) {
    return type == CLGEMM_CF32 || type == CLGEMM_CF64 ? 2 : 1;
}
static inline clgemm_type clg_real_type(clgemm_type type) {
    return type == CLGEMM_CF32 ? CLGEMM_F32 : type == CLGEMM_CF64 ? CLGEMM_F64 : type;
}
static inline double clg_operations(clgemm_type type) {
    return clg_parts(type) > 1 ? 8 : 2;
}

/* An integer argument of 32 or 64 bits, passed by value. Either occupies a register or a word of
 * the stack, so both are declared as this type. The upper half of a 32-bit one is undefined. */
typedef intptr_t clg_word;

/* OpenBLAS accepts this value too, as no transpose; the reference BLAS refuses it. */
enum { CLG_CONJ_NO_TRANS = 114 };

/* Matrices have elements of `type`; alpha and beta are numbers of that type, and the caller's to
 * the last bit: even a conversion loses denormals in threads that flush them. */
struct clg_gemm {
    clgemm_type type;
    int layout, ta, tb;
    int64_t m, n, k;
    union clg_element alpha;
    const void *a;
    int64_t lda;
    const void *b;
    int64_t ldb;
    union clg_element beta;
    void *c;
    int64_t ldc;
};

/* Products that differ only in their matrices. */
struct clg_batch {
    struct clg_gemm gemm; /* the first product; without products, their common arguments */
    int64_t count;
    int64_t stride_a, stride_b, stride_c; /* elements from one matrix to the next */
    const void *const *a, *const *b;      /* addresses of the matrices; NULL: strides hold */
    void *const *c;
};

/* Batches, as the caller's arrays. Those of integers have the width of its BLAS and an entry for
 * each batch ("group"); those of pointers have an entry for each product. */
struct clg_groups {
    clgemm_type type;
    int layout;
    const void *ta, *tb; /* as in cblas.h, or letters */
    const void *m, *n, *k, *alpha;
    const void *const *a;
    const void *lda;
    const void *const *b;
    const void *ldb, *beta;
    void *const *c;
    const void *ldc;
    int64_t count; /* of groups */
    const void *sizes;
};

static inline double clg_gemm_flops(const struct clg_gemm *call) {
    return clg_operations(call->type) * (double)call->m * (double)call->n * (double)call->k;
}

/* A call of another routine of level 3, as libclgemm takes it: C is what the routine writes. Its
 * enumerators may have any value. */
struct clg_level3 {
    clgemm_level3_desc desc;
    union clg_element alpha, beta; /* real numbers where the BLAS has it so */
    const void *a, *b;
    void *c;
};

/* symm and hemm; syrk, herk, syr2k and her2k; trmm and trsm. */
static inline bool clg_is_symmetric(clgemm_routine routine) {
    return routine == CLGEMM_SYMM || routine == CLGEMM_HEMM;
}
static inline bool clg_is_triangular(clgemm_routine routine) {
    return routine == CLGEMM_TRMM || routine == CLGEMM_TRSM;
}
static inline bool clg_is_rank(clgemm_routine routine) {
    return !clg_is_symmetric(routine) && !clg_is_triangular(routine);
}
static inline bool clg_is_rank_2k(clgemm_routine routine) {
    return routine == CLGEMM_SYR2K || routine == CLGEMM_HER2K;
}
static inline bool clg_is_hermitian(clgemm_routine routine) {
    return routine == CLGEMM_HEMM || routine == CLGEMM_HERK || routine == CLGEMM_HER2K;
}

/* The types of alpha and beta. */
static inline clgemm_type clg_alpha_type(const struct clg_level3 *call) {
    return call->desc.routine == CLGEMM_HERK ? clg_real_type(call->desc.type) : call->desc.type;
}
static inline clgemm_type clg_beta_type(const struct clg_level3 *call) {
    return call->desc.routine == CLGEMM_HER2K ? clg_real_type(call->desc.type)
                                              : clg_alpha_type(call);
}

/* Rows of a symmetric or triangular A. */
static inline int64_t clg_side(const clgemm_level3_desc *desc) {
    return desc->side == CLGEMM_LEFT ? desc->m : desc->n;
}

static inline double clg_level3_flops(const struct clg_level3 *call) {
    const clgemm_level3_desc *desc = &call->desc;
    const double n = (double)desc->n, one = clg_operations(desc->type);
    if (clg_is_rank(desc->routine))
        return one * n * (n + 1) * (double)desc->k / (clg_is_rank_2k(desc->routine) ? 1 : 2);
    return one * (double)desc->m * n * (double)clg_side(desc) /
           (clg_is_triangular(desc->routine) ? 2 : 1);
}

#endif
