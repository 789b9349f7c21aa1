/* SPDX-License-Identifier: Apache-2.0
 * libclgemm, loaded when it is first needed: a program that never multiplies large matrices has
 * neither it nor an OpenCL loader in its process. */
#ifndef CLG_BLAS_LIBRARY_H
#define CLG_BLAS_LIBRARY_H

#include <stdbool.h>

#include "clgemm.h"

/* What we call of it: X(function). */
#define CLG_BLAS_LIBRARY(X) \
    X(clgemm_create)        \
    X(clgemm_set_option)    \
    X(clgemm_gemm)          \
    X(clgemm_gemm_batch)    \
    X(clgemm_min_flops_of)  \
    X(clgemm_status_name)   \
    X(clgemm_last_error)

struct clg_library {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */
#define CLG_LIBRARY_MEMBER(function) __typeof__(&(function)) function;
    CLG_BLAS_LIBRARY(CLG_LIBRARY_MEMBER)
#undef CLG_LIBRARY_MEMBER
};

/* Fills `out`; else writes why it could not into `why`. */
bool clg_library_load(struct clg_library *out, char *why, size_t size);

#endif
