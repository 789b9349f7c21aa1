/* SPDX-License-Identifier: Apache-2.0
 * The CPU's BLAS, opened at run time: what calls on host matrices are compared with. */
#ifndef CLGEMM_TUNE_CPU_BLAS_H
#define CLGEMM_TUNE_CPU_BLAS_H

#include <stdbool.h>
#include <stddef.h>

#include "clgemm.h"

/* cblas_sgemm or cblas_dgemm, of 32-bit integers. */
#define CPU_BLAS_GEMM(name, T)                                                                  \
    void (*name)(int layout, int ta, int tb, int m, int n, int k, T alpha, const T *a, int lda, \
                 const T *b, int ldb, T beta, T *c, int ldc)

struct cpu_blas {
    void *library;
    CPU_BLAS_GEMM(sgemm, float); /* one of the two, by the type that it was opened for */
    CPU_BLAS_GEMM(dgemm, double);
    char about[128]; /* "libopenblas.so.0, core SkylakeX, 2 threads" */
};

/* Opens what CLGEMM_CPU_BLAS names; where that is unset, libopenblas.so.0, else libblas.so.3. False
 * with a reason, as where it does not multiply F32 or F64, whichever `type` is. */
bool cpu_blas_open(struct cpu_blas *out, clgemm_type type, char *why, size_t room);
/* C = A B, column-major, tightly stored. */
void cpu_blas_multiply(const struct cpu_blas *blas, int m, int n, int k, const void *a,
                       const void *b, void *c);
void cpu_blas_close(struct cpu_blas *blas);

#endif
