/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory: chooses the access. */
#include "run/host.h"

#include "run/host_access.h"
#include "run/host_buffers.h"
#include "run/host_pointer.h"
#include "run/pipe.h"

clgemm_status clg_host_gemm_by(enum clg_host_access access, struct clg_engine *engine,
                               const struct clg_problem *problem, const struct clg_scalars *scalars,
                               const struct clg_host_matrices *host, struct clg_plan *plan) {
    bool done = false;
    if (access == CLG_HOST_POINTER)
        return clg_host_by_pointer(engine, problem, scalars, host, plan);
    const clgemm_status status = access == CLG_HOST_COPY
                                     ? clg_host_by_pipe(engine, problem, scalars, host, plan, &done)
                                     : CLGEMM_SUCCESS;
    return status || done ? status
                          : clg_host_by_buffers(access == CLG_HOST_BUFFER, engine, problem, scalars,
                                                host, plan);
}

/* Whether each address is aligned for its elements. C requires that, but a copy does not. */
static bool are_aligned(const struct clg_problem *problem, const struct clg_host_matrices *host) {
    uintptr_t bits = 0;
    for (int i = 0; i < CLG_MATRICES; i++)
        bits |= (uintptr_t)host->at[i];
    return bits % clg_type_size(problem->type) == 0;
}

clgemm_status clg_host_gemm(struct clg_engine *engine, const struct clg_problem *problem,
                            const struct clg_scalars *scalars, const struct clg_host_matrices *host,
                            struct clg_plan *plan) {
    const enum clg_host_access access =
        are_aligned(problem, host) ? clg_host_access_of(engine) : CLG_HOST_COPY;
    return clg_host_gemm_by(access, engine, problem, scalars, host, plan);
}

clgemm_status clg_host_warm(struct clg_engine *engine, const struct clg_problem *problem) {
    const enum clg_host_access access = clg_host_access_of(engine);
    bool done = false;
    if (access == CLG_HOST_POINTER)
        return clg_host_warm_pointer(engine, problem);
    const clgemm_status status =
        access == CLG_HOST_COPY ? clg_host_warm_pipe(engine, problem, &done) : CLGEMM_SUCCESS;
    return status || done ? status
                          : clg_host_warm_buffers(access == CLG_HOST_BUFFER, engine, problem);
}
