/* SPDX-License-Identifier: Apache-2.0
 * One step of a plan as a command. */
#ifndef CLG_RUN_EXEC_STEP_H
#define CLG_RUN_EXEC_STEP_H

#include "gemm/plan.h"
#include "program/programs.h"

/* Where a matrix lies: in a buffer, or in host memory that the device reads and writes in place. */
struct clg_memory {
    cl_mem buffer;
    const void *pointer; /* not NULL: used in the buffer's stead */
};

/* What a step's arguments are taken from. */
struct clg_step_arguments {
    const struct clg_memory *memory; /* by enum clg_matrix_index */
    const cl_mem *workspaces;        /* by their numbers */
    struct clg_scalars scalars;
    clgemm_type type; /* says whether scalars are floats or doubles to the kernel */
};

/* Where the commands go, as an OpenCL enqueue takes it. */
struct clg_enqueue {
    cl_command_queue queue;
    cl_uint num_wait;
    const cl_event *wait_list;
};

/* Sets the arguments that the kernel has not got yet, and enqueues. `event` may be NULL. */
clgemm_status clg_step_enqueue(const struct clg_step *step, struct clg_kernel *kernel,
                               const struct clg_step_arguments *arguments,
                               const struct clg_enqueue *where, cl_event *event);

#endif
