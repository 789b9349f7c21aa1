/* SPDX-License-Identifier: Apache-2.0
 * One step of a plan as a command. */
#ifndef CLG_GEMM_EXEC_STEP_H
#define CLG_GEMM_EXEC_STEP_H

#include "gemm/plan.h"
#include "program/programs.h"

/* Where a matrix lies: in a buffer, or in host memory that the device reads and writes in place. */
struct clg_place {
    cl_mem buffer;
    const void *pointer; /* not NULL: used in the buffer's stead */
};

/* The matrices of a plan's problem (after the swap of row-major calls); unread ones may be NULL. */
struct clg_places {
    struct clg_place a, b, c;
};

/* Where the commands go, as an OpenCL enqueue takes it. */
struct clg_enqueue {
    cl_command_queue queue;
    cl_uint num_wait;
    const cl_event *wait_list;
};

/* Sets the arguments that the kernel has not got yet, and enqueues. `event` may be NULL. */
clgemm_status clg_step_enqueue(const struct clg_step *step, struct clg_kernel *kernel,
                               const struct clg_places *places, const cl_mem *workspaces,
                               const struct clg_enqueue *where, cl_event *event);

#endif
