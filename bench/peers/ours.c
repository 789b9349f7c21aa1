/* SPDX-License-Identifier: Apache-2.0
 * libclgemm as three contenders: host to host, on matrices resident on the device, and on these
 * with B packed in advance. */
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
    const clgemm_desc desc = problem_desc(p);
    const union scalar alpha = element_scalar(p->type, p->alpha),
                       beta = element_scalar(p->type, p->beta);
    clgemm_status status = CLGEMM_SUCCESS;
    const clgemm_level3_desc level3 = problem_level3_desc(p);
    for (int i = 0; i < calls && !status; i++)
        status = p->routine
                     ? clgemm_level3(c->device->handle, &level3, &alpha, p->a, p->b, &beta, p->c)
                     : clgemm_gemm(c->device->handle, &desc, &alpha, p->a, p->b, &beta, p->c);
    return contender_status(c, status);
}

/* Calls are enqueued back to back and timed by the wall clock up to clFinish. A call may be several
 * commands, so the event of the last is not enough. */
static enum outcome enqueue_calls(struct contender *c, int calls, clgemm_packed *packed_b) {
    const struct problem *p = c->problem;
    struct device *d = c->device;
    const clgemm_desc desc = problem_desc(p);
    const union scalar alpha = element_scalar(p->type, p->alpha),
                       beta = element_scalar(p->type, p->beta);
    clgemm_status status = CLGEMM_SUCCESS;
    const clgemm_level3_desc level3 = problem_level3_desc(p);
    for (int i = 0; i < calls && !status; i++)
        status = p->routine ? clgemm_level3_cl(d->handle, &level3, &alpha, d->a, 0, d->b, 0, &beta,
                                               d->c, 0, d->queue, 0, NULL, NULL)
                 : packed_b ? clgemm_gemm_packed_cl(d->handle, &desc, &alpha, packed_b, d->a, 0,
                                                    &beta, d->c, 0, d->queue, 0, NULL, NULL)
                            : clgemm_gemm_cl(d->handle, &desc, &alpha, d->a, 0, d->b, 0, &beta,
                                             d->c, 0, d->queue, 0, NULL, NULL);
    enum outcome outcome = contender_status(c, status);
    cl_int code = clFinish(d->queue);
    if (outcome == OUTCOME_OK && code)
        return contender_say(c, OUTCOME_FAILED, "clFinish: %s",
                             clgemm_status_name((clgemm_status)code));
    return outcome;
}

static enum outcome run_device(struct contender *c, int calls) {
    return enqueue_calls(c, calls, NULL);
}

static enum outcome open_packed(struct contender *c) {
    snprintf(c->about, sizeof c->about, "clgemm_device with B packed once, before the timed calls");
    return OUTCOME_OK;
}

static enum outcome pack_b(struct contender *c) {
    struct device *d = c->device;
    const clgemm_desc desc = problem_desc(c->problem);
    clgemm_packed *packed = NULL;
    const clgemm_status status =
        clgemm_pack_cl(d->handle, &desc, CLGEMM_PACK_B, d->b, 0, d->queue, 0, NULL, NULL, &packed);
    c->state = packed;
    return contender_status(c, status);
}

static enum outcome run_packed(struct contender *c, int calls) {
    return enqueue_calls(c, calls, c->state);
}

static void release_packed(struct contender *c) {
    clgemm_packed_release(c->state);
    c->state = NULL;
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

const struct contender_ops ours_packed_ops = {
    .key = "clgemm_packed",
    .title = "packed B",
    .peer = PEER_PACKED,
    .shares_device = true,
    .open = open_packed,
    .start = pack_b,
    .start_c = contender_start_device_c,
    .fetch_c = contender_fetch_device_c,
    .run = run_packed,
    .finish = release_packed,
    .close = nothing_to_end,
};
