/* SPDX-License-Identifier: Apache-2.0
 * Tells the program's own error handler of a wrong argument. */
#ifndef CLG_BLAS_REPORT_H
#define CLG_BLAS_REPORT_H

#include "blas/find.h"

/* Calls cblas_xerbla() for a name of the CBLAS, else xerbla_(), as the program has them; where
 * there is neither, writes a line. `number` is as blas/arguments.h has it, `value` the argument's
 * where it is an enumerator. The handler may end the process or jump elsewhere: nothing is held
 * meanwhile. */
void clg_report(const struct clg_route *route, int number, bool row_major, int value);

/* The same of a product's argument, which knows the rest. */
void clg_report_gemm(const struct clg_route *route, int number, const struct clg_gemm *call);

#endif
