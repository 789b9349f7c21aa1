/* SPDX-License-Identifier: Apache-2.0
 * The device: libclgemm, which is loaded and opens it at the first call that could pay, and
 * whether it is still to be trusted. */
#ifndef CLG_BLAS_ENGINE_H
#define CLG_BLAS_ENGINE_H

#include "blas/call.h"
#include "blas/summary.h"

/* What a call has for the device. */
struct clg_work {
    double flops, each; /* 2 m n k, of all its products and of one */
    double per_element; /* where the device does them at once: operations to each element that goes
                         * there or comes from it; else 0 */
};

/* Where a call in that type is to run: CLG_ON_DEVICE, or why on the CPU.
 * Begins to open the device when none is open; whoever would have to wait for that is told
 * CLG_ON_OPENING. In a child of a process that has begun to open a device it is always
 * CLG_ON_FORKED. */
enum clg_where clg_engine_choose(clgemm_type type, const struct clg_work *work);

/* Runs products that clg_engine_choose() sent to the device. On anything but CLG_ON_DEVICE the
 * caller must compute C anew, whatever is in it now. A failure is said once; after a few in a row,
 * or when the device is lost, it is not asked again. That a device lacks a type is no failure: it
 * is said once, and calls of that type do not come to it any more. */
enum clg_where clg_engine_gemm(const struct clg_batch *batch);

#endif
