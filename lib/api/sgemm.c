/* SPDX-License-Identifier: Apache-2.0
 * clgemm_sgemm and clgemm_handle_sgemm: matrices in host memory. */
#include "api/handle.h"
#include "api/trace.h"
#include "base/log.h"
#include "device/error.h"
#include "gemm/host.h"

/* The queue is our own, so a code that calls it or its context invalid says that they broke. */
static clgemm_status name_lost_device(clgemm_status status) {
    if (!clg_cl_is_lost((cl_int)status))
        return status;
    char said[256];
    clg_copy_last_error(said, sizeof said);
    return clg_fail(CLGEMM_STATUS_DEVICE_LOST, "the device stopped working: %s", said);
}

/* Runs a checked call. `handle` NULL: on the default device. */
static clgemm_status run(clgemm_handle *handle, const struct clg_call *call,
                         const struct clg_problem *problem, const float *a, const float *b,
                         float *c) {
    const bool swapped = call->layout == CLGEMM_ROW_MAJOR;
    const struct clg_host_matrices host = {swapped ? b : a, swapped ? a : b, c};
    clgemm_handle *used = handle;
    clgemm_status status = handle ? clg_handle_check(handle) : clg_shared_default(&used);
    if (status)
        return status;

    struct clg_plan plan;
    const bool timed = used->online || clg_log_on(CLG_LOG_CALLS);
    const double start = timed ? clg_now_ms() : 0;
    status = name_lost_device(clg_host_gemm(&used->memo, problem, &host, &plan));
    const double ms = timed ? clg_now_ms() - start : 0;
    if (!status && clg_log_on(CLG_LOG_CALLS))
        clg_trace_call(call, &plan, &clg_programs_device(used->programs)->facts, ms);
    if (!status && used->online)
        clg_online_after(used->online, problem, &host, &plan, ms / 1e3);
    if (!handle)
        clg_shared_release(used, status);
    return status;
}

/* Checks, leaves early where there is nothing to do (no device is needed for that), runs. */
static clgemm_status sgemm(clgemm_handle *handle, const struct clg_call *call, const float *a,
                           const float *b, float *c) {
    struct clg_problem problem;
    clgemm_status status = clg_problem_init(&problem, call);
    if (!status && problem.work != CLG_WORK_NOTHING)
        status = run(handle, call, &problem, a, b, c);
    if (status)
        clg_trace_failure(call, status);
    return status;
}

#define HOST_CALL                                                                     \
    {                                                                                 \
        .layout = layout, .ta = ta, .tb = tb, .m = m, .n = n, .k = k, .alpha = alpha, \
        .beta = beta, .a = clg_host_operand(a, lda), .b = clg_host_operand(b, ldb),   \
        .c = clg_host_operand(c, ldc)                                                 \
    }

clgemm_status clgemm_sgemm(clgemm_layout layout, clgemm_transpose ta, clgemm_transpose tb,
                           int64_t m, int64_t n, int64_t k, float alpha, const float *a,
                           int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                           int64_t ldc) {
    const struct clg_call call = HOST_CALL;
    return sgemm(NULL, &call, a, b, c);
}

clgemm_status clgemm_handle_sgemm(clgemm_handle *handle, clgemm_layout layout, clgemm_transpose ta,
                                  clgemm_transpose tb, int64_t m, int64_t n, int64_t k, float alpha,
                                  const float *a, int64_t lda, const float *b, int64_t ldb,
                                  float beta, float *c, int64_t ldc) {
    if (!handle)
        return clg_handle_check(handle);
    const struct clg_call call = HOST_CALL;
    return sgemm(handle, &call, a, b, c);
}
