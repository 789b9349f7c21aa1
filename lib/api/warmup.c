/* SPDX-License-Identifier: Apache-2.0
 * clgemm_warmup and clgemm_warmup_gemm. */
#include "api/call.h"
#include "api/handle.h"
#include "base/caller.h"
#include "host/host.h"

/* Alignment of an operand's first element: from malloc(), and in a buffer that a runtime allocated.
 */
enum { MALLOC_ALIGNMENT = 16, BUFFER_ALIGNMENT = 64 };

/* The problem of a description, for operands with that alignment. `tail`: buffers extend to the end
 * of the last column's gap. */
static clgemm_status describe(struct clg_problem *out, const clgemm_desc *desc, clgemm_math math,
                              unsigned alignment, bool tail) {
    struct clg_call call;
    clgemm_status status = clg_call_init(&call, desc, math, clg_scalar_of(desc->type, true),
                                         clg_scalar_of(desc->type, false));
    for (int i = 0; i < CLG_MATRICES; i++) {
        call.operand[i].bytes = UINT64_MAX;
        call.operand[i].alignment = alignment;
    }
    if (status || (status = clg_problem_init(out, &call)))
        return status;
    for (int i = 0; i < CLG_MATRICES && !tail; i++)
        out->matrix[i].readable = out->matrix[i].rows;
    return CLGEMM_SUCCESS;
}

/* Plans and builds for calls on host matrices, then for calls on buffers with and without a tail.
 */
static clgemm_status warm(clgemm_handle *handle, const clgemm_desc *desc) {
    const clgemm_math math = clg_handle_math(handle);
    struct clg_problem problem;
    clgemm_status status = describe(&problem, desc, math, MALLOC_ALIGNMENT, false);
    if (status || problem.work == CLG_WORK_NOTHING)
        return status;
    status = handle->team ? clg_team_warm(handle->team, &problem)
                          : clg_host_warm(&handle->host, &problem, 1);
    for (int tail = 0; tail < 2 && !status; tail++)
        if (!(status = describe(&problem, desc, math, BUFFER_ALIGNMENT, tail)))
            status = clg_engine_warm(&handle->engine, &problem);
    return status;
}

static clgemm_status warm_descs(clgemm_handle *handle, const clgemm_desc *desc, size_t count) {
    clgemm_handle *used;
    clgemm_desc ours;
    if (count > 0 && !desc)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "desc is NULL, count is %zu", count);
    const size_t size = count > 0 ? desc->size : 0; /* of each element */
    clgemm_status status = clg_shared_use(handle, &used);
    if (status)
        return status;
    for (size_t i = 0; i < count && !status; i++) {
        const void *at = (const char *)desc + i * size;
        if (!(status = clg_desc_read(&ours, at)))
            status = warm(used, &ours);
    }
    clg_shared_end(handle, used, status);
    return status;
}

static clgemm_status warm_shapes(clgemm_handle *handle, const clgemm_shape *shapes, size_t count) {
    clgemm_handle *used;
    if (count > 0 && !shapes)
        return clg_fail((clgemm_status)CL_INVALID_VALUE, "shapes is NULL, count is %zu", count);
    clgemm_status status = clg_shared_use(handle, &used);
    if (status)
        return status;
    for (size_t i = 0; i < count && !status; i++) {
        const clgemm_shape *s = &shapes[i];
        const int64_t rows_a = s->ta == CLGEMM_NO_TRANS ? s->m : s->k;
        const int64_t rows_b = s->tb == CLGEMM_NO_TRANS ? s->k : s->n;
        const clgemm_desc desc =
            clg_gemm_desc(CLGEMM_F32, CLGEMM_COL_MAJOR, s->ta, s->tb, s->m, s->n, s->k,
                          rows_a > 1 ? rows_a : 1, rows_b > 1 ? rows_b : 1, s->m > 1 ? s->m : 1);
        status = warm(used, &desc);
    }
    clg_shared_end(handle, used, status);
    return status;
}

clgemm_status clgemm_warmup_gemm(clgemm_handle *handle, const clgemm_desc *desc, size_t count) {
    const struct clg_caller caller = clg_caller_hold();
    return clg_caller_release(&caller, warm_descs(handle, desc, count));
}

clgemm_status clgemm_warmup(clgemm_handle *handle, const clgemm_shape *shapes, size_t count) {
    const struct clg_caller caller = clg_caller_hold();
    return clg_caller_release(&caller, warm_shapes(handle, shapes, count));
}
