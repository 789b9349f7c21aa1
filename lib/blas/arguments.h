/* SPDX-License-Identifier: Apache-2.0
 * The first wrong argument of a call, by the number that its error handler expects. */
#ifndef CLG_BLAS_ARGUMENTS_H
#define CLG_BLAS_ARGUMENTS_H

#include "blas/names.h"

/* 0: all are right. Else the number, in the order in which the reference BLAS checks:
 *
 * CLG_FORTRAN   the argument's position in sgemm_ or ssyrk_, from 1
 * CLG_CBLAS     its position in cblas_sgemm or cblas_ssyrk, from 1. For a row-major cblas_sgemm, M
 *               and N, and lda and ldb, change places (M 5, N 4, lda 11, ldb 9): such a call is the
 *               column-major one of the transposed product, and the reference's handler changes
 *               them back. */
int clg_gemm_check(const struct clg_gemm *call, enum clg_convention convention);

/* Of ?gemm_batch_strided: an argument that ?gemm has has its number there, as OpenBLAS reports it;
 * the number of products has its own position. */
int clg_batch_check(const struct clg_batch *call, enum clg_convention convention);

/* Of ?gemm_batch: whether there can be so many groups, one of so many products. The groups' other
 * arguments are checked as ?gemm's. */
int clg_groups_check(int64_t count, int64_t size, enum clg_convention convention);

int clg_syrk_check(const struct clg_syrk *call, enum clg_convention convention);

#endif
