/* SPDX-License-Identifier: Apache-2.0
 * MPI: the processes of one node share its devices. */
#ifndef CLG_BLAS_RANKS_H
#define CLG_BLAS_RANKS_H

#include <stddef.h>

/* Writes the device to pass to clgemm_create(): `wanted` ("": the best). If a launcher has set the
 * local rank, appends this process's share of the devices, as in "gpu%1/4", and logs it. */
void clg_rank_device(const char *wanted, char *out, size_t size);

#endif
