/* SPDX-License-Identifier: Apache-2.0
 * Finds the first wrong argument of a call, and reports it to the program's own error handler. */
#ifndef CLG_BLAS_ARGUMENTS_H
#define CLG_BLAS_ARGUMENTS_H

#include "blas/find.h"

/* Returns 0 if all arguments are right. Else returns the number of the first wrong one, in the
 * order in which the reference BLAS checks:
 *
 * CLG_FORTRAN   the argument's position in sgemm_, from 1
 * CLG_CBLAS     its position in cblas_sgemm, from 1. For a row-major call, M and N are swapped, and
 *               so are lda and ldb (M 5, N 4, lda 11, ldb 9): such a call is the column-major one
 *               of the transposed product. The reference's handler swaps them back. */
int clg_gemm_check(const struct clg_gemm *call, enum clg_convention convention);

/* Checks ?gemm_batch_strided. An argument that ?gemm also has keeps its number of ?gemm, as in
 * OpenBLAS; the number of products has its own position. */
int clg_batch_check(const struct clg_batch *call, enum clg_convention convention);

/* Checks the number of groups of ?gemm_batch, and the number of products of one of them. The
 * groups' other arguments are checked as those of ?gemm. */
int clg_groups_check(int64_t count, int64_t size, enum clg_convention convention);

/* Checks another routine of level 3. For a row-major call, M and N are swapped there, too. */
int clg_level3_check(const struct clg_level3 *call, enum clg_convention convention);

/* Call the program's cblas_xerbla() for a name of the CBLAS, else its xerbla_(). If it has neither,
 * write a line. `number` is that of the checks. The handler may end the process or jump elsewhere,
 * so no lock is held. */
void clg_report_level3(const struct clg_route *route, int number, const struct clg_level3 *call);
void clg_report_gemm(const struct clg_route *route, int number, const struct clg_gemm *call);

#endif
