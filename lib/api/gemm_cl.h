/* SPDX-License-Identifier: Apache-2.0
 * Shared code of calls on the caller's OpenCL objects. */
#ifndef CLG_API_GEMM_CL_H
#define CLG_API_GEMM_CL_H

#include "api/handle.h"
#include "run/packed.h"

struct clg_objects {
    cl_mem matrix[CLG_MATRICES];
    size_t offset[CLG_MATRICES];
    struct clg_enqueue where;
    cl_event *event;
    struct clg_packed *packed; /* one of the matrices, packed; NULL: none is */
    bool later[CLG_MATRICES];  /* this matrix is passed by a later call; a usual one is assumed */
};

/* Queries the call's buffers, those that it reads or writes if `needed`. A buffer of another
 * context than `context` (NULL: unknown) cannot be used. Fails if the driver cannot tell of one
 * whether it is a buffer, for example if the device is lost; what is known of the others is set all
 * the same. */
clgemm_status clg_operands_query(struct clg_call *call, const struct clg_objects *objects,
                                 const bool needed[CLG_MATRICES], cl_context context);

/* What remains to check when the arguments before the queue are right: `unknown`, the status of a
 * query of a buffer, `queue_status`, that of clg_queue_owner, and that both or none of the list of
 * events and its length are set. */
clgemm_status clg_queue_check(const struct clg_enqueue *where, clgemm_status unknown,
                              clgemm_status queue_status);

/* Checks the arguments in their order. Buffers are compared with the queue's context, but a wrong
 * queue is reported only if everything before it is right. *context and *id are the queue's. */
clgemm_status clg_objects_check(struct clg_problem *out, struct clg_call *call,
                                const struct clg_objects *objects, cl_context *context,
                                cl_device_id *id);

/* clgemm_gemm_cl() with a description that has been read. */
clgemm_status clg_gemm_cl(clgemm_handle *handle, const clgemm_desc *desc, const void *alpha,
                          const void *beta, const struct clg_objects *objects);

#endif
