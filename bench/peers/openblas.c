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

void openblas_multiply(const struct problem *p, void *c) {
    for (int64_t z = 0; z < p->batch; z++)
        multiply_one(p, clg_element_at(p->type, p->a, z * p->a_z),
                     clg_element_at(p->type, p->b, z * p->b_z),
                     clg_element_at(p->type, c, z * p->c_z));
}

static enum outcome start(struct contender *c) {
    const bool narrow = clg_type_is_narrow(c->problem->type);
    return openblas_takes(c->problem) ? OUTCOME_OK
           : narrow                   ? contender_no_routine(c)
                    : contender_say(c, OUTCOME_SKIPPED, "a size exceeds OpenBLAS's 32 bits");
}

static enum outcome run(struct contender *c, int calls) {
    for (int i = 0; i < calls; i++)
        openblas_multiply(c->problem, c->problem->c);
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
