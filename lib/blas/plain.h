/* SPDX-License-Identifier: Apache-2.0
 * The routines as the loops that define them, for processes with neither a device nor a BLAS. */
#ifndef CLG_BLAS_PLAIN_H
#define CLG_BLAS_PLAIN_H

#include "blas/call.h"

void clg_plain_gemm(const struct clg_gemm *call);
void clg_plain_syrk(const struct clg_syrk *call);

#endif
