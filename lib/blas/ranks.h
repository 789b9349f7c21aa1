/* SPDX-License-Identifier: Apache-2.0
 * MPI: the processes of one node share its devices. */
#ifndef CLG_BLAS_RANKS_H
#define CLG_BLAS_RANKS_H

#include <stddef.h>

/* The device to ask clgemm_create() for: `wanted` ("": the best), and where a launcher has said
 * which of this node's processes this is, its share of those devices, as "gpu%1/4". Says so with
 * CLGEMM_VERBOSE. */
void clg_rank_device(const char *wanted, char *out, size_t size);

#endif
