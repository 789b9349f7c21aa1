/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA: machine code in place of the PTX that the OpenCL driver returns as a program's binary.
 *
 * The driver compiles PTX at every load, which takes a hundred times as long as loading a cubin.
 * The linker in libcuda.so.1, which is part of every NVIDIA driver, makes a cubin from PTX. See
 * "cuLinkCreate" in the reference of the CUDA driver API.
 *
 * The linker compiles for later linking, as "ptxas -c" does. Some kernels are then scheduled worse
 * (docs/log/2026-11-26-kernels.md). It also ignores setmaxnreg, without which the accumulators of
 * large tiles do not fit in the registers. So programs with setmaxnreg stay PTX. Others stay PTX if
 * the driver's own cache is on, which returns the machine code just as fast. */
#ifndef CLG_PROGRAM_CUBIN_H
#define CLG_PROGRAM_CUBIN_H

#include <stdbool.h>

#include "device/device.h"
#include "program/source.h"

/* Whether the driver caches the machine code that it makes from PTX, as it does by default. It does
 * if CUDA_CACHE_DISABLE and CUDA_CACHE_MAXSIZE permit it, and if its folder, CUDA_CACHE_PATH or
 * ~/.nv/ComputeCache, is writable or can be created. See "CUDA Environment Variables" in the CUDA
 * programming guide. */
bool clg_cubin_driver_keeps(void);

/* If *binary (from malloc()) is PTX from which machine code can be made that the device's driver
 * accepts, replaces it by that code. Otherwise leaves it unchanged. */
void clg_cubin_replace(struct clg_device *device, const struct clg_source *source,
                       const char *options, unsigned char **binary, size_t *size);

/* Keeps CUDA's context on the device, which the linker needs, for a process that builds many
 * programs. A context takes some hundred MB of the device's memory. Creating and releasing it takes
 * a tenth of a second or more, and processes wait for each other meanwhile. NULL if there is none.
 */
struct clg_cubin_context;
struct clg_cubin_context *clg_cubin_context_keep(struct clg_device *device);
void clg_cubin_context_release(struct clg_cubin_context *context); /* NULL is fine */

#endif
