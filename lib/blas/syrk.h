/* SPDX-License-Identifier: Apache-2.0
 * A call of ssyrk or dsyrk: C := alpha * A * A' + beta * C, or with A' * A, in a triangle of C. */
#ifndef CLG_BLAS_SYRK_H
#define CLG_BLAS_SYRK_H

#include "blas/find.h"

/* What an exported name does. If the device pays, the triangle is split:
 *
 *     [ C11      ]    C11 and C22 are triangles, computed in the same way;
 *     [ C21  C22 ]    C21 is a rectangle, computed by gemm on the device.
 *
 * Triangles that are too small to pay go to the program's own syrk. */
void clg_syrk_enter(const struct clg_route *route, const struct clg_syrk *call);

#endif
