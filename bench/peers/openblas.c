/* SPDX-License-Identifier: Apache-2.0
 * OpenBLAS on the host's matrices. */
#include "bench/peers/openblas.h"

#include <cblas.h>
#include <limits.h>
#include <stdio.h>

#include "bench/options.h"
#include "bench/peers/contender.h"

static enum outcome open_openblas(struct contender *c) {
    snprintf(c->about, sizeof c->about, "core %s, %d threads, %s", openblas_get_corename(),
             openblas_get_num_threads(), openblas_get_config());
    return OUTCOME_OK;
}

bool openblas_takes(const struct problem *p) {
    return !clg_type_is_narrow(p->type) && p->shape.m <= INT_MAX && p->shape.n <= INT_MAX &&
           p->shape.k <= INT_MAX;
}

/* The routines differ only in their types. */
#define MULTIPLY(gemm, alpha, beta)                                                                \
    gemm((enum CBLAS_ORDER)p->layout, (enum CBLAS_TRANSPOSE)p->ta, (enum CBLAS_TRANSPOSE)p->tb,    \
         (blasint)p->shape.m, (blasint)p->shape.n, (blasint)p->shape.k, alpha, a, (blasint)p->lda, \
         b, (blasint)p->ldb, beta, c, (blasint)p->ldc)

static void multiply_one(const struct problem *p, const void *a, const void *b, void *c) {
    const union scalar alpha = element_scalar(p->type, p->alpha),
                       beta = element_scalar(p->type, p->beta);
    if (p->type == CLGEMM_CF64)
        MULTIPLY(cblas_zgemm, &alpha, &beta);
    else if (p->type == CLGEMM_CF32)
        MULTIPLY(cblas_cgemm, &alpha, &beta);
    else if (p->type == CLGEMM_F64)
        MULTIPLY(cblas_dgemm, p->alpha.re, p->beta.re);
    else
        MULTIPLY(cblas_sgemm, (float)p->alpha.re, (float)p->beta.re);
}

/* Calls of the shapes that other routines have. */
#define SIDED(name, alpha, beta)                                                          \
    name(order, side, uplo, m, n, alpha, a, (blasint)p->lda, b, (blasint)p->ldb, beta, c, \
         (blasint)p->ldc)
#define RANK(name, alpha, beta) \
    name(order, uplo, trans, n, k, alpha, a, (blasint)p->lda, beta, c, (blasint)p->ldc)
#define RANK_2(name, alpha, beta)                                                          \
    name(order, uplo, trans, n, k, alpha, a, (blasint)p->lda, b, (blasint)p->ldb, beta, c, \
         (blasint)p->ldc)
#define TRIANGLE(name, alpha, beta)                                                  \
    name(order, side, uplo, trans, CblasNonUnit, m, n, alpha, a, (blasint)p->lda, c, \
         (blasint)p->ldc)

#define ROUTINE(SHAPE, routine)                                             \
    do {                                                                    \
        if (p->type == CLGEMM_F32)                                          \
            SHAPE(cblas_s##routine, (float)p->alpha.re, (float)p->beta.re); \
        else if (p->type == CLGEMM_F64)                                     \
            SHAPE(cblas_d##routine, p->alpha.re, p->beta.re);               \
        else if (p->type == CLGEMM_CF32)                                    \
            SHAPE(cblas_c##routine, &alpha, &beta);                         \
        else                                                                \
            SHAPE(cblas_z##routine, &alpha, &beta);                         \
    } while (0)

/* Only of complex numbers; the factors that are real are given by value. */
#define HERMITIAN(SHAPE, routine, alpha_c, alpha_z, beta_c, beta_z) \
    do {                                                            \
        if (p->type == CLGEMM_CF32)                                 \
            SHAPE(cblas_c##routine, alpha_c, beta_c);               \
        else                                                        \
            SHAPE(cblas_z##routine, alpha_z, beta_z);               \
    } while (0)

static void run_one(const struct problem *p, const void *a, const void *b, void *c) {
    const union scalar alpha = element_scalar(p->type, p->alpha),
                       beta = element_scalar(p->type, p->beta);
    const enum CBLAS_ORDER order = (enum CBLAS_ORDER)p->layout;
    const enum CBLAS_SIDE side = (enum CBLAS_SIDE)p->side;
    const enum CBLAS_UPLO uplo = (enum CBLAS_UPLO)p->uplo;
    const enum CBLAS_TRANSPOSE trans = (enum CBLAS_TRANSPOSE)p->ta;
    const blasint m = (blasint)p->shape.m, n = (blasint)p->shape.n, k = (blasint)p->shape.k;
    switch (p->routine) {
    case CLGEMM_SYMM:
        ROUTINE(SIDED, symm);
        break;
    case CLGEMM_HEMM:
        HERMITIAN(SIDED, hemm, &alpha, &alpha, &beta, &beta);
        break;
    case CLGEMM_SYRK:
        ROUTINE(RANK, syrk);
        break;
    case CLGEMM_HERK:
        HERMITIAN(RANK, herk, (float)p->alpha.re, p->alpha.re, (float)p->beta.re, p->beta.re);
        break;
    case CLGEMM_SYR2K:
        ROUTINE(RANK_2, syr2k);
        break;
    case CLGEMM_HER2K:
        HERMITIAN(RANK_2, her2k, &alpha, &alpha, (float)p->beta.re, p->beta.re);
        break;
    case CLGEMM_TRMM:
        ROUTINE(TRIANGLE, trmm);
        break;
    case CLGEMM_TRSM:
        ROUTINE(TRIANGLE, trsm);
        break;
    default:
        multiply_one(p, a, b, c);
    }
}

void openblas_run(const struct problem *p, void *c) {
    for (int64_t z = 0; z < p->batch; z++)
        run_one(p, clg_element_at(p->type, p->a, z * p->a_z),
                clg_element_at(p->type, p->b, z * p->b_z), clg_element_at(p->type, c, z * p->c_z));
}

static enum outcome start(struct contender *c) {
    const bool narrow = clg_type_is_narrow(c->problem->type);
    return openblas_takes(c->problem) ? OUTCOME_OK
           : narrow                   ? contender_no_routine(c)
                    : contender_say(c, OUTCOME_SKIPPED, "a size exceeds OpenBLAS's 32 bits");
}

static enum outcome run(struct contender *c, int calls) {
    for (int i = 0; i < calls; i++)
        openblas_run(c->problem, c->problem->c);
    return OUTCOME_OK;
}

static void nothing_to_end(struct contender *c) {
    (void)c;
}

const struct contender_ops openblas_ops = {
    .key = "openblas",
    .title = "OpenBLAS",
    .peer = PEER_OPENBLAS,
    .host_matrices = true,
    .host_cores = true,
    .loops = true,
    .open = open_openblas,
    .start = start,
    .start_c = contender_start_host_c,
    .fetch_c = contender_fetch_host_c,
    .run = run,
    .finish = nothing_to_end,
    .close = nothing_to_end,
};
