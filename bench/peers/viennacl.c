/* SPDX-License-Identifier: Apache-2.0
 * ViennaCL, if its headers were found when this program was built, on the same queue and buffers as
 * our device path. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/options.h"
#include "bench/peers/contender.h"
#include "bench/peers/viennacl_gemm.h"

static enum outcome open_viennacl(struct contender *c) {
    const struct device *d = c->device;
    if (!viennacl_use(d->open->context, d->open->id, d->queue, c->why, sizeof c->why))
        return OUTCOME_SKIPPED;
    snprintf(c->about, sizeof c->about, "%s", viennacl_version());
    return OUTCOME_OK;
}

static enum outcome start(struct contender *c) {
    const struct shape *s = &c->problem->shape;
    if (!s->m || !s->n || !s->k)
        return contender_say(c, OUTCOME_SKIPPED, "ViennaCL has no empty matrices");
    if (s->m > INT32_MAX || s->n > INT32_MAX || s->k > INT32_MAX)
        return contender_say(c, OUTCOME_SKIPPED, "a size exceeds ViennaCL's 32 bits");
    if (c->problem->batch > 1)
        return contender_say(c, OUTCOME_SKIPPED, "ViennaCL has no batches");
    return c->problem->routine || clg_type_is_narrow(c->problem->type) ||
                   clg_type_is_complex(c->problem->type)
               ? contender_no_routine(c)
               : contender_type(c);
}

/* ViennaCL multiplies C by beta even if that is 0, and would keep the NaN that other contenders' C
 * holds. So its C starts as 0. */
static enum outcome start_c(struct contender *c, void *scratch) {
    const struct problem *p = c->problem;
    if (p->beta.re != 0)
        return contender_start_device_c(c, scratch);
    memset(scratch, 0, problem_c_bytes(p));
    const cl_int code = clEnqueueWriteBuffer(c->device->queue, c->device->c, CL_TRUE, 0,
                                             problem_c_bytes(p), scratch, 0, NULL, NULL);
    return contender_status(c, (clgemm_status)code);
}

static enum outcome run(struct contender *c, int calls) {
    const struct problem *p = c->problem;
    const struct viennacl_call call = {.type = p->type,
                                       .m = p->shape.m,
                                       .n = p->shape.n,
                                       .k = p->shape.k,
                                       .row_major = p->layout == CLGEMM_ROW_MAJOR,
                                       .ta = p->ta != CLGEMM_NO_TRANS,
                                       .tb = p->tb != CLGEMM_NO_TRANS,
                                       .alpha = p->alpha.re,
                                       .beta = p->beta.re,
                                       .a = c->device->a,
                                       .b = c->device->b,
                                       .c = c->device->c};
    return viennacl_multiply(&call, calls, c->why, sizeof c->why) ? OUTCOME_OK : OUTCOME_FAILED;
}

static void nothing_to_end(struct contender *c) {
    (void)c;
}

const struct contender_ops viennacl_ops = {
    .key = "viennacl",
    .title = "ViennaCL",
    .peer = PEER_VIENNACL,
    .shares_device = true,
    .open = open_viennacl,
    .start = start,
    .start_c = start_c,
    .fetch_c = contender_fetch_device_c,
    .run = run,
    .finish = nothing_to_end,
    .close = nothing_to_end,
};
