/* SPDX-License-Identifier: Apache-2.0
 * A call of ssyrk or dsyrk: C := alpha * A * A' + beta * C, or with A' * A, in one triangle of C
 * alone. */
#ifndef CLG_BLAS_SYRK_H
#define CLG_BLAS_SYRK_H

#include "blas/find.h"

/* What an exported name does. Where it pays, the triangle is computed as
 *
 *     [ C11      ]    C11 and C22, triangles, in the same way;
 *     [ C21  C22 ]    C21, a rectangle, by gemm, on the device
 *
 * until what is left of triangles does not pay and goes to the program's own syrk. */
void clg_syrk_enter(const struct clg_route *route, const struct clg_syrk *call);

#endif
