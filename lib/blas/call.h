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
