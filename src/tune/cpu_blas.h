/* SPDX-License-Identifier: Apache-2.0
 * The CPU's BLAS, opened at run time: what calls on host matrices are compared with. */
#ifndef CLGEMM_TUNE_CPU_BLAS_H
#define CLGEMM_TUNE_CPU_BLAS_H

#include <stdbool.h>
#include <stddef.h>

struct cpu_blas {
    void *library;
    /* cblas_sgemm, of 32-bit integers */
    void (*sgemm)(int layout, int ta, int tb, int m, int n, int k, float alpha, const float *a,
                  int lda, const float *b, int ldb, float beta, float *c, int ldc);
    char about[128]; /* "libopenblas.so.0, core SkylakeX, 2 threads" */
};

/* Opens what CLGEMM_CPU_BLAS names; where that is unset, libopenblas.so.0, else libblas.so.3. False
 * with a reason. */
bool cpu_blas_open(struct cpu_blas *out, char *why, size_t room);
void cpu_blas_close(struct cpu_blas *blas);

#endif
