/* SPDX-License-Identifier: Apache-2.0
 * Builds a program from source or from a binary. */
#ifndef CLG_PROGRAM_BUILD_H
#define CLG_PROGRAM_BUILD_H

#include "device/device.h"
#include "program/source.h"

/* Compiles for the device. Fails with the OpenCL code and a text that contains the build log. */
clgemm_status clg_build_source(struct clg_device *device, const struct clg_source *source,
                               const char *options, cl_program *out);

/* Loads a binary from clg_program_binary. A failure is no more than that: the caller compiles
 * instead. */
clgemm_status clg_build_binary(struct clg_device *device, const unsigned char *bytes, size_t size,
                               const char *options, cl_program *out);

/* Whether the driver accepts a binary (NULL: none) of that source. Creates a kernel too, because
 * some drivers check the binary only then. */
bool clg_build_accepts(struct clg_device *device, const struct clg_source *source,
                       const unsigned char *bytes, size_t size, const char *options,
                       cl_program *out);

/* Creates the program's one kernel. */
clgemm_status clg_kernel_create(const struct clg_source *source, cl_program built, cl_kernel *out);

/* Bytes of memory that take what the compiler found no registers for, as the driver tells; 0 if it
 * tells of none. Nothing else in the library's kernels is private memory. Only a GPU's answer means
 * that: a CPU has the kernel's stack there. */
uint64_t clg_kernel_spills(const struct clg_device *device, cl_kernel kernel);

/* The program's binary, which the caller frees, or NULL if the runtime returns none. */
unsigned char *clg_program_binary(cl_program program, size_t *size);

#endif
