/* SPDX-License-Identifier: Apache-2.0
 * The CPU's BLAS, opened at run time: what calls on host matrices are compared with. */
#ifndef CLGEMM_TUNE_CPU_BLAS_H
#define CLGEMM_TUNE_CPU_BLAS_H

#include <stdbool.h>
#include <stddef.h>

#include "clgemm.h"

/* Of 32-bit integers. */
typedef void cpu_blas_sgemm(int layout, int ta, int tb, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c,
                            int ldc);
typedef void cpu_blas_dgemm(int layout, int ta, int tb, int m, int n, int k, double alpha,
                            const double *a, int lda, const double *b, int ldb, double beta,
                            double *c, int ldc);

struct cpu_blas {
    void *library;
    cpu_blas_sgemm *sgemm; /* one of the two, by the type that it was opened for */
    cpu_blas_dgemm *dgemm;
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
