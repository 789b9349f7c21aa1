/* SPDX-License-Identifier: Apache-2.0
 * A multiplication of matrices in host memory through buffers: over that memory, or copies. */
#ifndef CLG_GEMM_HOST_BUFFERS_H
#define CLG_GEMM_HOST_BUFFERS_H

#include "gemm/host.h"

/* As clg_host_gemm; where `share`, what can be is used in place (see gemm/host_layout.h). */
clgemm_status clg_host_by_buffers(bool share, struct clg_memo *memo,
                                  const struct clg_problem *problem,
                                  const struct clg_host_matrices *host, struct clg_plan *plan);

#endif
