/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA: machine code in place of the PTX text that the OpenCL driver gives as a program's binary.
 *
 * The driver compiles PTX anew at every load (200 ms for one GEMM kernel on an H200), but takes a
 * cubin as it is (2 ms). The linker in libcuda.so.1, which is part of every NVIDIA driver, makes
 * one from the other. See "cuLinkCreate" in the CUDA driver API's reference. It compiles for later
 * linking ("ptxas -c" gives the same code), which schedules some kernels worse by up to a third
 * (docs/kernels.md), and ignores setmaxnreg, without which sums of large tiles do not fit the
 * registers: programs with that stay PTX, and others where the driver's own cache is on, which
 * gives PTX's machine code as quickly. */
#ifndef CLG_PROGRAM_CUBIN_H
#define CLG_PROGRAM_CUBIN_H

#include <stdbool.h>

#include "device/device.h"
#include "program/source.h"

/* Whether the driver keeps what it makes of PTX, as it does by default: CUDA_CACHE_DISABLE and
 * CUDA_CACHE_MAXSIZE leave it a cache, and its folder, CUDA_CACHE_PATH or ~/.nv/ComputeCache, can
 * be written or made. See "CUDA Environment Variables" in the CUDA programming guide. */
bool clg_cubin_driver_keeps(void);

/* Where *binary (malloc'd) is PTX that can be made machine code which the device's driver takes,
 * replaces it by that; else leaves it. */
void clg_cubin_replace(struct clg_device *device, const struct clg_source *source,
                       const char *options, unsigned char **binary, size_t *size);

/* For a process that builds many programs: CUDA's context on the device, which the linker wants,
 * stays from one to the next. It takes some hundred MB of the device's memory; to make and release
 * it takes 160 ms on an H200, and processes wait for each other meanwhile: 1 to 1.7 s with eight.
 * NULL where there is none. */
struct clg_cubin_context;
struct clg_cubin_context *clg_cubin_context_keep(struct clg_device *device);
void clg_cubin_context_release(struct clg_cubin_context *context); /* NULL is fine */

#endif
