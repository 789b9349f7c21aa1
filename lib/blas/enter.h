/* SPDX-License-Identifier: Apache-2.0
 * What the exported names do: each checks the call, computes it and counts it. */
#ifndef CLG_BLAS_ENTER_H
#define CLG_BLAS_ENTER_H

#include "blas/find.h"

/* ?gemm, which is a batch of one product, and ?gemm_batch_strided. */
void clg_batch_enter(const struct clg_route *route, const struct clg_batch *call);

/* ?gemm_batch. Each group is decided by itself (blas/batch.h). Consecutive groups for the CPU are
 * one call of the BLAS's own routine. A BLAS without one gets them product by product. */
void clg_groups_enter(const struct clg_route *route, const struct clg_groups *call);

/* ?syrk: C := alpha * A * A' + beta * C, or with A' * A, in a triangle of C. If the device pays,
 * the triangle is split:
 *
 *     [ C11      ]    C11 and C22 are triangles, computed in the same way;
 *     [ C21  C22 ]    C21 is a rectangle, computed by gemm on the device.
 *
 * Triangles that are too small to pay go to the program's own syrk. */
void clg_syrk_enter(const struct clg_route *route, const struct clg_syrk *call);

#endif
