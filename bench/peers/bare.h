/* SPDX-License-Identifier: Apache-2.0
 * A kernel that does nothing, with the arguments of one that works. */
#ifndef BENCH_PEERS_BARE_H
#define BENCH_PEERS_BARE_H

#include "bench/device.h"
#include "gemm/plan.h"

struct bare {
    cl_program program;
    cl_kernel kernel; /* one work-item */
};

/* Makes it with the number and kinds of arguments of the step's kernel, which has that type. All
 * arguments are set; buffers are the device's A. Returns an OpenCL code. Release in any case. */
cl_int bare_create(struct bare *bare, const struct device *device, clgemm_type type,
                   const struct clg_step *step);
void bare_release(struct bare *bare);

cl_int bare_enqueue(const struct bare *bare, cl_command_queue queue);

#endif
