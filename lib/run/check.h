/* SPDX-License-Identifier: Apache-2.0
 * A plan's check: whether a small product by its programs is right on the device, before a result
 * of theirs is trusted. Drivers miscompile, and some of what kernels use is promised by nobody. */
#ifndef CLG_RUN_CHECK_H
#define CLG_RUN_CHECK_H

#include "program/finding.h"
#include "run/exec.h"

/* Multiplies a few tiles with the plan's programs (gemm/small.h): of whole numbers, so that C has
 * one right value, and one infinity; into a C of NaN, and once more with alpha and beta one half.
 * C's row of the infinity is compared element for element, the rest by C x = A (B x), exactly, for
 * a vector of random whole numbers (Freivalds, Probabilistic machines can use less running time,
 * 1977): one wrong element of a row shows for certain, several but for one chance in thousands.
 * Wrong are also programs whose groups the device refuses. CLG_FINDING_NONE where it could not be
 * carried out; clgemm_last_error() says why, or what is wrong. */
enum clg_finding clg_check(struct clg_device *device, const struct clg_prepared *prepared);

#endif
