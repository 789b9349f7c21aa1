/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA: machine code in place of the PTX text that the OpenCL driver gives as a program's binary.
 *
 * The driver compiles PTX anew at every load (200 ms for one GEMM kernel on an H200), but takes a
 * cubin as it is (2 ms). The linker in libcuda.so.1, which is part of every NVIDIA driver, makes
 * one from the other. See "cuLinkCreate" in the CUDA driver API's reference. */
#ifndef CLG_PROGRAM_CUBIN_H
#define CLG_PROGRAM_CUBIN_H

#include "device/device.h"
#include "program/source.h"

/* Where *binary (malloc'd) is PTX that can be made machine code which the device's driver takes,
 * replaces it by that; else leaves it. */
void clg_cubin_replace(struct clg_device *device, const struct clg_source *source,
                       const char *options, unsigned char **binary, size_t *size);

#endif
