/* SPDX-License-Identifier: Apache-2.0
 * What the calls on the caller's OpenCL objects share. */
#ifndef CLG_API_GEMM_CL_H
#define CLG_API_GEMM_CL_H

#include "api/handle.h"
#include "run/packed.h"

/* What of a call is the caller's OpenCL objects. */
struct clg_objects {
    cl_mem matrix[CLG_MATRICES];
    size_t offset[CLG_MATRICES];
    struct clg_enqueue where;
    cl_event *event;
    struct clg_packed *packed; /* one of the matrices, which is packed; NULL: none is */
    bool later[CLG_MATRICES];  /* this matrix comes with a later call: it is taken to be a usual one
                                */
};

/* Checks in the order of the arguments: a queue that is wrong is reported only if all before it is
 * right, though buffers are compared with its context. *context and *id are the queue's. */
clgemm_status clg_objects_check(struct clg_problem *out, struct clg_call *call,
                                const struct clg_objects *objects, cl_context *context,
                                cl_device_id *id);

/* clgemm_gemm_cl() of a description that was read. */
clgemm_status clg_gemm_cl(clgemm_handle *handle, const clgemm_desc *desc, const void *alpha,
                          const void *beta, const struct clg_objects *objects);

#endif
