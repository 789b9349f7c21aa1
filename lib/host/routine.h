/* SPDX-License-Identifier: Apache-2.0
 * The rest of level 3 on matrices in host memory. */
#ifndef CLG_HOST_ROUTINE_H
#define CLG_HOST_ROUTINE_H

#include "host/host.h"
#include "routine/routine.h"

/* Runs a checked call that has work to do, on the caller's matrices, and blocks until C is written:
 * by host pointers if the device takes them, else by copies. Fails with CLGEMM_STATUS_UNSUPPORTED
 * if these do not fit. */
clgemm_status clg_host_routine(struct clg_host *host, const struct clg_routine *routine,
                               void *const matrices[CLG_MATRICES]);

#endif
