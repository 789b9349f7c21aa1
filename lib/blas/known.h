/* SPDX-License-Identifier: Apache-2.0
 * What an earlier process found to pay here: asked without a device, so that a process for which
 * nothing does opens none.
 *
 * A file "break-even-..." of the program cache's folder, one for each device that is asked for in
 * other words. It holds until the machine is booted anew, or anything changes that the answer may
 * depend on, as far as that is seen without asking OpenCL: this library, the variables that choose
 * drivers and devices, the folders of drivers and of tuning files and all in them, the processors.
 * A device's own tuning file cannot have it: without a device nobody knows which is its. Off with
 * CLGEMM_CACHE=0. Whatever goes wrong means that nothing is known. */
#ifndef CLG_BLAS_KNOWN_H
#define CLG_BLAS_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "blas/element.h"

/* `device`: as clgemm_create() takes it, or "". From how many operations on calls pay, by type;
 * INT64_MAX: none does. */
bool clg_known_read(const char *device, int64_t min_flops[CLG_BLAS_TYPE_COUNT]);
void clg_known_write(const char *device, const int64_t min_flops[CLG_BLAS_TYPE_COUNT]);

#endif
