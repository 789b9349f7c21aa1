/* SPDX-License-Identifier: Apache-2.0
 * Checks the programs of a plan: whether a small product is right on the device, before any result
 * is trusted. Drivers miscompile, and kernels use some behaviour that no specification guarantees.
 */
#ifndef CLG_RUN_CHECK_H
#define CLG_RUN_CHECK_H

#include "gemm/small.h"
#include "program/finding.h"
#include "run/exec.h"

/* Multiplies a few tiles with the plan's programs (gemm/small.h), first into a C of NaN, then with
 * alpha and beta 0.5. The numbers are integers, so that C has one right value, and one infinity.
 *
 * The row of C with the infinity is compared element by element. The others are compared by C x = A
 * (B x), exactly, for a random integer vector x (Freivalds, Probabilistic machines can use less
 * running time, 1977). One wrong element in a row is always found. Several are missed once in
 * thousands of cases.
 *
 * Programs whose work-groups the device refuses are also wrong. CLG_FINDING_NONE if the check could
 * not be carried out. clgemm_last_error() says why, or what is wrong.
 *
 * The product is the smallest one of a kind that the plan is. Matrices that span much have gaps
 * between columns, which are allocated, but not touched. `patient`: it may take seconds. */
enum clg_finding clg_check(struct clg_device *device, const struct clg_prepared *prepared,
                           enum clg_kind kind, bool patient);

#endif
