/* SPDX-License-Identifier: Apache-2.0
 * clgemm_gemm, clgemm_sgemm and its relatives, and clgemm_handle_sgemm: matrices in host memory. */
#include "api/call.h"
#include "api/handle.h"
#include "base/caller.h"
#include "base/clock.h"
#include "base/log.h"
#include "device/error.h"
#include "host/host.h"

/* Runs a checked call. With `handle` NULL, uses the default device. */
static clgemm_status run(clgemm_handle *handle, const struct clg_call *call,
                         const struct clg_problem *problem, const struct clg_host_matrices *host) {
    clgemm_handle *used;
    clgemm_status status = clg_shared_use(handle, &used);
    if (status)
        return status;

    struct clg_plan plan;
    const bool logged = clg_log_on(CLG_LOG_CALLS);
    const double start = logged ? clg_clock_seconds() : 0;
    const struct clg_host_call ours = {problem, &call->scalars, host, logged ? &plan : NULL, 1};
    const struct clg_device *device = used->engine.device;
    status = clg_handle_check_exit(used);
    if (!status)
        status = clg_cl_name_lost(used->team ? clg_team_gemm(used->team, &ours, &device)
                                             : clg_host_gemm(&used->host, &ours));
    if (!status && logged)
        clg_trace_call(call, &plan, &device->facts, 1e3 * (clg_clock_seconds() - start));
    clg_shared_end(handle, used, status);
    return status;
}

/* Checks the call and runs it. If there is nothing to do, returns early and needs no device. */
static clgemm_status gemm(clgemm_handle *handle, const clgemm_desc *desc, const void *alpha,
                          const void *a, const void *b, const void *beta, void *c) {
    const void *const matrices[] = {a, b, c};
    struct clg_call call;
    struct clg_problem problem;
    const struct clg_caller caller = clg_caller_hold();
    clgemm_status status = clg_call_init(&call, desc, clg_handle_math(handle), alpha, beta);
    if (status)
        return clg_caller_release(&caller, status);
    for (int i = 0; i < CLG_MATRICES; i++)
        call.operand[i] = clg_host_operand(matrices[i], call.operand[i].ld, call.operand[i].stride);
    status = clg_problem_init(&problem, &call);
    if (!status && problem.work != CLG_WORK_NOTHING) {
        const struct clg_host_matrices host = clg_host_matrices_of(&problem, a, b, c);
        status = run(handle, &call, &problem, &host);
    }
    if (status)
        clg_trace_failure(&call, status);
    return clg_caller_release(&caller, status);
}

clgemm_status clgemm_gemm(clgemm_handle *handle, const clgemm_desc *desc, const void *alpha,
                          const void *a, const void *b, const void *beta, void *c) {
    clgemm_desc ours;
    clgemm_status status = clg_desc_read(&ours, desc);
    return status ? status : gemm(handle, &ours, alpha, a, b, beta, c);
}

#define BY_NAME(name, type, input, output, factor, address)                                     \
    clgemm_status clgemm_##name(clgemm_layout layout, clgemm_transpose ta, clgemm_transpose tb, \
                                int64_t m, int64_t n, int64_t k, factor alpha, input a,         \
                                int64_t lda, input b, int64_t ldb, factor beta, output c,       \
                                int64_t ldc) {                                                  \
        const clgemm_desc desc =                                                                \
            clg_gemm_desc(CLGEMM_##type, layout, ta, tb, m, n, k, lda, ldb, ldc);               \
        return gemm(NULL, &desc, address(alpha), a, b, address(beta), c);                       \
    }
CLG_GEMM_NAMES(BY_NAME)
BY_NAME(cgemm3m, CF32, const void *, void *, const void *, CLG_ADDRESS)
BY_NAME(zgemm3m, CF64, const void *, void *, const void *, CLG_ADDRESS)

clgemm_status clgemm_handle_sgemm(clgemm_handle *handle, clgemm_layout layout, clgemm_transpose ta,
                                  clgemm_transpose tb, int64_t m, int64_t n, int64_t k, float alpha,
                                  const float *a, int64_t lda, const float *b, int64_t ldb,
                                  float beta, float *c, int64_t ldc) {
    const clgemm_desc desc = clg_gemm_desc(CLGEMM_F32, layout, ta, tb, m, n, k, lda, ldb, ldc);
    return handle ? gemm(handle, &desc, &alpha, a, b, &beta, c) : clg_handle_check(handle);
}
