/* SPDX-License-Identifier: Apache-2.0
 * The CPU's BLAS, opened at run time: the device is compared with it for host matrices. */
#ifndef CLGEMM_TUNE_CPU_BLAS_H
#define CLGEMM_TUNE_CPU_BLAS_H

#include <stdbool.h>
#include <stddef.h>

#include "clgemm.h"

/* With 32-bit integers. */
typedef void cpu_blas_sgemm(int layout, int ta, int tb, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c,
                            int ldc);
typedef void cpu_blas_dgemm(int layout, int ta, int tb, int m, int n, int k, double alpha,
                            const double *a, int lda, const double *b, int ldb, double beta,
                            double *c, int ldc);

struct cpu_blas {
    void *library;
    cpu_blas_sgemm *sgemm; /* only one is set, according to the type */
    cpu_blas_dgemm *dgemm;
    char about[128]; /* "libopenblas.so.0, core SkylakeX, 2 threads" */
};

/* Opens the library that CLGEMM_CPU_BLAS names; if that is unset, libopenblas.so.0, else
 * libblas.so.3. Returns false with a reason, also for types other than F32 and F64. */
bool cpu_blas_open(struct cpu_blas *out, clgemm_type type, char *why, size_t room);
/* C = A B, column-major, without gaps between columns. */
void cpu_blas_multiply(const struct cpu_blas *blas, int m, int n, int k, const void *a,
                       const void *b, void *c);
void cpu_blas_close(struct cpu_blas *blas);

#endif
