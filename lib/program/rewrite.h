/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA: programs with instructions that the OpenCL compiler refuses.
 *
 * The compiler targets a compute capability, sm_90. Hopper's tensor cores need the code of that
 * architecture alone, sm_90a. So kernels contain such instructions as comments of the inline
 * assembler, "//@ ...". The PTX that the driver returns for the built program still contains them.
 * The marks are removed there and the target is changed, and the result is the program. */
#ifndef CLG_PROGRAM_REWRITE_H
#define CLG_PROGRAM_REWRITE_H

#include <stdbool.h>

#include "program/source.h"

/* If the program of that source must be rewritten, a word on how, for its key; else NULL. */
const char *clg_rewrite_of(const struct clg_source *source);

/* Rewrites *binary (from malloc()). False, with *binary unchanged, if it is not such PTX. */
bool clg_rewrite_ptx(unsigned char **binary, size_t *size);

#endif
