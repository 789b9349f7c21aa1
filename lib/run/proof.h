/* SPDX-License-Identifier: Apache-2.0
 * A family's proof: whether a small product by it is right on the device, before it is used there.
 * For what drivers do not promise (gemm/tensor). */
#ifndef CLG_RUN_PROOF_H
#define CLG_RUN_PROOF_H

#include "run/exec.h"

/* Multiplies a few tiles as `plan` does, of whole numbers, so that C has one right value, and with
 * an infinity, from which some is NaN. Fails where the driver refuses something, or with
 * CLGEMM_STATUS_UNSUPPORTED where an element is wrong. */
clgemm_status clg_proof(struct clg_device *device, struct clg_programs *programs,
                        const struct clg_plan *plan);

#endif
