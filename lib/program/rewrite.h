/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA: programs with instructions that the OpenCL compiler refuses.
 *
 * It compiles for a compute capability, sm_90, and the tensor cores of Hopper need that device's
 * own code, sm_90a. So kernels have such instructions as comments of the inline assembler, "//@
 * ...". The PTX that the driver gives for the built program still has them; there the marks are
 * taken out and the target is changed, and what comes of it is the program. */
#ifndef CLG_PROGRAM_REWRITE_H
#define CLG_PROGRAM_REWRITE_H

#include <stdbool.h>

#include "program/source.h"

/* Whether the program of that source is one to rewrite; a word on how it is done, for keys, NULL if
 * it is not. */
const char *clg_rewrite_of(const struct clg_source *source);

/* Rewrites *binary (malloc'd), which stays as it is where it is no such PTX: then false. */
bool clg_rewrite_ptx(unsigned char **binary, size_t *size);

#endif
