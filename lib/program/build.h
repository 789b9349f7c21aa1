/* SPDX-License-Identifier: Apache-2.0
 * One program from source or from a binary. */
#ifndef CLG_PROGRAM_BUILD_H
#define CLG_PROGRAM_BUILD_H

#include "device/device.h"
#include "program/source.h"

/* Compiles for the device. Fails with the OpenCL code and a text that holds the build log. */
clgemm_status clg_build_source(struct clg_device *device, const struct clg_source *source,
                               const char *options, cl_program *out);

/* Loads what clg_program_binary gave. Any failure is only that: the caller compiles instead. */
clgemm_status clg_build_binary(struct clg_device *device, const unsigned char *bytes, size_t size,
                               const char *options, cl_program *out);

/* Creates the program's one kernel. */
clgemm_status clg_kernel_create(const struct clg_source *source, cl_program built, cl_kernel *out);

/* The program's binary, owned by the caller (free), or NULL where the runtime gives none. */
unsigned char *clg_program_binary(cl_program program, size_t *size);

#endif
