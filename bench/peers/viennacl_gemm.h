/* SPDX-License-Identifier: Apache-2.0
 * ViennaCL's product behind a C interface: its headers are C++. */
#ifndef BENCH_PEERS_VIENNACL_GEMM_H
#define BENCH_PEERS_VIENNACL_GEMM_H

#include <stdbool.h>
#include <stdint.h>

#include "clgemm.h"
#include "device/opencl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C := alpha * op(A) * op(B) + beta * C, all row-major or all column-major, without gaps. */
struct viennacl_call {
    clgemm_type type; /* F32 or F64 */
    int64_t m, n, k;
    bool row_major, ta, tb;
    double alpha, beta;
    cl_mem a, b, c;
};

/* Makes ViennaCL use this context, device and queue instead of the previous ones. False: `why`. */
bool viennacl_use(cl_context context, cl_device_id device, cl_command_queue queue, char *why,
                  size_t room);

/* Makes the calls and waits for the last. False: `why`. */
bool viennacl_multiply(const struct viennacl_call *call, int calls, char *why, size_t room);

/* "1.7.1", or NULL if the program was built without ViennaCL. */
const char *viennacl_version(void);

#ifdef __cplusplus
}
#endif
#endif
