/* SPDX-License-Identifier: Apache-2.0
 * A multiplication of matrices in host memory: the choice of the way, and the way by pointers. */
#include "gemm/host.h"

#include "device/event.h"
#include "gemm/exec.h"
#include "gemm/host_buffers.h"

struct clg_operand clg_host_operand(const float *matrix, int64_t ld) {
    unsigned alignment = 64;
    while ((uintptr_t)matrix % alignment)
        alignment /= 2;
    return (struct clg_operand){
        .present = matrix != NULL, .ld = ld, .bytes = UINT64_MAX, .alignment = alignment};
}

static clgemm_status by_pointer(struct clg_memo *memo, const struct clg_problem *problem,
                                const struct clg_host_matrices *host, struct clg_plan *plan) {
    struct clg_device *device = clg_programs_device(memo->programs);
    const struct clg_places places = {
        .a.pointer = host->a, .b.pointer = host->b, .c.pointer = host->c};
    struct clg_problem here = *problem;
    struct clg_enqueue where = {0};
    cl_event done = NULL;

    /* Nobody knows what lies behind a column. */
    here.a.readable = here.a.rows;
    here.b.readable = here.b.rows;
    here.c.readable = here.c.rows;
    clgemm_status status = clg_memo_plan(memo, &here, plan);
    if (status || plan->num_steps == 0 || (status = clg_queue_take(device, &where.queue)))
        return status;
    if (!(status = clg_exec(memo->programs, plan, &places, &where, NULL, &done)))
        status = clg_wait(done);
    if (status)
        clg_queue_drain(where.queue);
    clg_event_release(done);
    clg_queue_give(device, where.queue, status == CLGEMM_SUCCESS);
    return status;
}

clgemm_status clg_host_gemm_by(enum clg_way way, struct clg_memo *memo,
                               const struct clg_problem *problem,
                               const struct clg_host_matrices *host, struct clg_plan *plan) {
    return way == CLG_WAY_POINTER
               ? by_pointer(memo, problem, host, plan)
               : clg_host_by_buffers(way == CLG_WAY_BUFFER, memo, problem, host, plan);
}

/* Whether each address is a float's. C's rules ask for that; a copy does not. */
static bool are_aligned(const struct clg_host_matrices *host) {
    return (((uintptr_t)host->a | (uintptr_t)host->b | (uintptr_t)host->c) % sizeof(float)) == 0;
}

clgemm_status clg_host_gemm(struct clg_memo *memo, const struct clg_problem *problem,
                            const struct clg_host_matrices *host, struct clg_plan *plan) {
    const enum clg_way way = are_aligned(host) ? clg_host_way(memo) : CLG_WAY_COPY;
    return clg_host_gemm_by(way, memo, problem, host, plan);
}
