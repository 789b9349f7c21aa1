/* SPDX-License-Identifier: Apache-2.0
 * Reports a wrong argument to the program's own error handler. */
#ifndef CLG_BLAS_REPORT_H
#define CLG_BLAS_REPORT_H

#include "blas/find.h"

/* Calls the program's cblas_xerbla() for a name of the CBLAS, else its xerbla_(). If it has
 * neither, writes a line. `number` is defined in blas/arguments.h; `value` is the argument's value
 * if it is an enumerator. The handler may end the process or jump elsewhere, so no lock is held. */
void clg_report(const struct clg_route *route, int number, bool row_major, int value);

/* The same for a product; finds `row_major` and `value` in the call. */
void clg_report_gemm(const struct clg_route *route, int number, const struct clg_gemm *call);

#endif
