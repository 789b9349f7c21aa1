/* SPDX-License-Identifier: Apache-2.0
 * Loads libclgemm when it is first needed. A process that never multiplies large matrices loads
 * neither it nor an OpenCL loader. */
#ifndef CLG_BLAS_LIBRARY_H
#define CLG_BLAS_LIBRARY_H

#include <stdbool.h>

#include "clgemm.h"

/* The functions that the drop-in calls: X(function). */
#define CLG_BLAS_LIBRARY(X) \
    X(clgemm_create)        \
    X(clgemm_set_option)    \
    X(clgemm_gemm)          \
    X(clgemm_gemm_batch)    \
    X(clgemm_level3)        \
    X(clgemm_min_flops_of)  \
    X(clgemm_shares_memory) \
    X(clgemm_is_building)   \
    X(clgemm_warmup_gemm)   \
    X(clgemm_status_name)   \
    X(clgemm_last_error)

struct clg_library {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */
#define CLG_LIBRARY_MEMBER(function) __typeof__(&(function)) function;
    CLG_BLAS_LIBRARY(CLG_LIBRARY_MEMBER)
#undef CLG_LIBRARY_MEMBER
};

/* Fills `out` and returns true; on failure writes the reason into `why`. */
bool clg_library_load(struct clg_library *out, char *why, size_t size);

#endif
