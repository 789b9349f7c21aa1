/* SPDX-License-Identifier: Apache-2.0
 * libclgemm as two contenders: from host to host, and on matrices resident on the device. */
#include <stdio.h>

#include "bench/peers/contender.h"

static enum outcome nothing(struct contender *c) {
    (void)c;
    return OUTCOME_OK;
}

static void nothing_to_end(struct contender *c) {
    (void)c;
}

static enum outcome open_ours(struct contender *c) {
    snprintf(c->about, sizeof c->about, "%s", clgemm_version());
    return OUTCOME_OK;
}

static enum outcome run_host(struct contender *c, int calls) {
    const struct problem *p = c->problem;
    for (int i = 0; i < calls; i++) {
        clgemm_status status = clgemm_handle_sgemm(
            c->device->handle, p->layout, p->ta, p->tb, p->shape.m, p->shape.n, p->shape.k,
            p->alpha, p->a, p->lda, p->b, p->ldb, p->beta, p->c, p->ldc);
        if (status)
            return contender_status(c, status);
    }
    return OUTCOME_OK;
}

/* Calls are enqueued back to back and timed by the wall clock up to clFinish: one call may be
 * several commands, whose last event alone would not tell the whole. */
static enum outcome run_device(struct contender *c, int calls) {
    const struct problem *p = c->problem;
    struct device *d = c->device;
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < calls && !status; i++)
        status = clgemm_handle_sgemm_cl(d->handle, p->layout, p->ta, p->tb, p->shape.m, p->shape.n,
                                        p->shape.k, p->alpha, d->a, 0, p->lda, d->b, 0, p->ldb,
                                        p->beta, d->c, 0, p->ldc, d->queue, 0, NULL, NULL);
    enum outcome outcome = contender_status(c, status);
    cl_int code = clFinish(d->queue);
    if (outcome == OUTCOME_OK && code)
        return contender_say(c, OUTCOME_FAILED, "clFinish: %s",
                             clgemm_status_name((clgemm_status)code));
    return outcome;
}

const struct contender_ops ours_host_ops = {
    .key = "clgemm_host",
    .title = "clgemm, host to host",
    .host_matrices = true,
    .open = open_ours,
    .start = nothing,
    .start_c = contender_start_host_c,
    .fetch_c = contender_fetch_host_c,
    .run = run_host,
    .finish = nothing_to_end,
    .close = nothing_to_end,
};

const struct contender_ops ours_device_ops = {
    .key = "clgemm_device",
    .title = "clgemm, device",
    .shares_device = true,
    .open = open_ours,
    .start = nothing,
    .start_c = contender_start_device_c,
    .fetch_c = contender_fetch_device_c,
    .run = run_device,
    .finish = nothing_to_end,
    .close = nothing_to_end,
};
