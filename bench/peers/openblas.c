/* SPDX-License-Identifier: Apache-2.0
 * OpenBLAS on the host's matrices. */
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

static enum outcome start(struct contender *c) {
    const struct shape *s = &c->problem->shape;
    if (s->m > INT_MAX || s->n > INT_MAX || s->k > INT_MAX)
        return contender_say(c, OUTCOME_SKIPPED, "a size is over OpenBLAS's 32 bits");
    return OUTCOME_OK;
}

static enum outcome run(struct contender *c, int calls) {
    const struct problem *p = c->problem;
    for (int i = 0; i < calls; i++)
        cblas_sgemm((enum CBLAS_ORDER)p->layout, (enum CBLAS_TRANSPOSE)p->ta,
                    (enum CBLAS_TRANSPOSE)p->tb, (blasint)p->shape.m, (blasint)p->shape.n,
                    (blasint)p->shape.k, p->alpha, p->a, (blasint)p->lda, p->b, (blasint)p->ldb,
                    p->beta, p->c, (blasint)p->ldc);
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
    .open = open_openblas,
    .start = start,
    .start_c = contender_start_host_c,
    .fetch_c = contender_fetch_host_c,
    .run = run,
    .finish = nothing_to_end,
    .close = nothing_to_end,
};
