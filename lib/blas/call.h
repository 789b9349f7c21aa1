/* SPDX-License-Identifier: Apache-2.0
 * A call of a BLAS routine as all of the drop-in sees it, whatever names and integers it came by.
 */
#ifndef CLG_BLAS_CALL_H
#define CLG_BLAS_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "clgemm.h"

/* An argument that is an integer of 32 or of 64 bits, passed by value: it takes a register or a
 * word of the stack either way, so both are declared so, and the upper half of a narrow one says
 * nothing. */
typedef intptr_t clg_word;

/* Values as in cblas.h; any other value is an argument to be refused. */
enum { CLG_UPPER = 121, CLG_LOWER = 122 };
/* OpenBLAS takes this one too, as no transpose; the reference BLAS refuses it. */
enum { CLG_CONJ_NO_TRANS = 114 };

/* Matrices have the elements that `type` says; alpha and beta are numbers of that type. */
struct clg_gemm {
    clgemm_type type;
    int layout, ta, tb;
    int64_t m, n, k;
    double alpha;
    const void *a;
    int64_t lda;
    const void *b;
    int64_t ldb;
    double beta;
    void *c;
    int64_t ldc;
};

/* Products that differ in their matrices alone. */
struct clg_batch {
    struct clg_gemm gemm; /* the first; of none, what they would have in common */
    int64_t count;
    int64_t stride_a, stride_b, stride_c; /* elements from one's matrix to the next one's */
    const void *const *a, *const *b;      /* where each one's lie; NULL: by the strides */
    void *const *c;
};

/* Batches, by arrays as the caller has them: of integers in the width of its BLAS, an entry for
 * each batch ("group"), and of pointers, an entry for each product. */
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
    return 2.0 * (double)call->m * (double)call->n * (double)call->k;
}

struct clg_syrk {
    clgemm_type type;
    int layout, uplo, trans;
    int64_t n, k;
    double alpha;
    const void *a;
    int64_t lda;
    double beta;
    void *c;
    int64_t ldc;
};

#endif
