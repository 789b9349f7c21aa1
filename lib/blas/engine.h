/* SPDX-License-Identifier: Apache-2.0
 * The device. libclgemm is loaded, and opens it, when the first calls could pay. A device that
 * keeps failing is no longer used. */
#ifndef CLG_BLAS_ENGINE_H
#define CLG_BLAS_ENGINE_H

#include "blas/call.h"
#include "blas/summary.h"

struct clg_work {
    double flops, each; /* operations of all its products, and of one */
    bool at_once;       /* all products are one call on the device */
    double per_element; /* operations of such a call for each element that is transferred */
};

/* Returns where a call of that type is to run: CLG_ON_DEVICE, or why on the CPU.
 * Begins to open the device if none is open. Until it is open, calls that would have to wait get
 * CLG_ON_OPENING. In a child of a process that has begun to open a device, all get
 * CLG_ON_FORKED. */
enum clg_where clg_engine_choose(clgemm_type type, const struct clg_work *work);

/* Whether such a call pays, by the user's break-even, the device's, or what an earlier process has
 * found of it. Opens nothing. */
bool clg_engine_is_known_to_pay(clgemm_type type, const struct clg_work *work);

/* Runs products for which clg_engine_choose() returned CLG_ON_DEVICE. On any other result C is
 * undefined, and the caller must compute it anew. The first failure is logged. After a few in a
 * row, or when the device is lost, the device is not used again. A device without the type is not a
 * failure: that is logged once, and calls of that type no longer reach it. */
enum clg_where clg_engine_gemm(const struct clg_batch *batch);

/* The same for another routine of level 3, which may also not fit in the device's memory:
 * CLG_ON_UNSUPPORTED. */
enum clg_where clg_engine_level3(const struct clg_level3 *call);

#endif
