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
/* cblas_cgemm or cblas_zgemm, which take alpha and beta by address. */
typedef void cpu_blas_complex(int layout, int ta, int tb, int m, int n, int k, const void *alpha,
                              const void *a, int lda, const void *b, int ldb, const void *beta,
                              void *c, int ldc);

struct cpu_blas {
    void *library;
    clgemm_type type;
    cpu_blas_sgemm *sgemm; /* only one is set, according to the type */
    cpu_blas_dgemm *dgemm;
    cpu_blas_complex *complex;
    char about[128]; /* "libopenblas.so.0, core SkylakeX, 2 threads" */
};

/* Opens the library that CLGEMM_CPU_BLAS names; if that is unset, libopenblas.so.0, else
 * libblas.so.3. Returns false with a reason, also for types of 16 bits. */
bool cpu_blas_open(struct cpu_blas *out, clgemm_type type, char *why, size_t room);
/* C = A B, column-major, without gaps between columns. */
void cpu_blas_multiply(const struct cpu_blas *blas, int m, int n, int k, const void *a,
                       const void *b, void *c);
void cpu_blas_close(struct cpu_blas *blas);

#endif
