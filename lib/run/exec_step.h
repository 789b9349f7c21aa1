/* SPDX-License-Identifier: Apache-2.0
 * Enqueues one step of a plan. */
#ifndef CLG_RUN_EXEC_STEP_H
#define CLG_RUN_EXEC_STEP_H

#include "gemm/plan.h"
#include "program/programs.h"

/* The place of a matrix: a buffer, or host memory that the device accesses in place. */
struct clg_memory {
    cl_mem buffer;
    const void *pointer; /* if not NULL, used instead of the buffer */
    int64_t offset;      /* of the first element there, elements */
};

/* The sources of a step's arguments. */
struct clg_step_arguments {
    const struct clg_memory *memory; /* by enum clg_matrix_index */
    const cl_mem *workspaces;        /* by number */
    struct clg_scalars scalars;
    struct clg_portion portion;
    clgemm_type type; /* determines whether the kernel's scalars are floats or doubles */
};

/* The queue and wait list for commands, as OpenCL functions take them. */
struct clg_enqueue {
    cl_command_queue queue;
    cl_uint num_wait;
    const cl_event *wait_list;
};

/* Sets the arguments that the kernel does not have yet, and enqueues it. `event` may be NULL. */
clgemm_status clg_step_enqueue(const struct clg_step *step, struct clg_kernel *kernel,
                               const struct clg_step_arguments *arguments,
                               const struct clg_enqueue *where, cl_event *event);

#endif
