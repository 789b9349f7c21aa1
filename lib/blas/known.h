/* SPDX-License-Identifier: Apache-2.0
 * The break-evens that an earlier process found. They are read without opening a device, so that a
 * process for which nothing pays opens none.
 *
 * They are in a file "break-even-..." in the program cache's folder, one for each text by which a
 * device is requested. The file is valid until the next boot, or until anything changes that the
 * break-evens may depend on and that is visible without OpenCL: this library, the variables that
 * choose drivers and devices, the folders of drivers and of tuning files with their contents, the
 * number of processors. The device's own tuning file cannot hold them, because its name is not
 * known without a device. CLGEMM_CACHE=0 turns this off. After any error, nothing is known. */
#ifndef CLG_BLAS_KNOWN_H
#define CLG_BLAS_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "blas/element.h"

/* `device` is as for clgemm_create(), or "". `min_flops` has, for each type, the operations from
 * which calls pay; INT64_MAX if none does. */
bool clg_known_read(const char *device, int64_t min_flops[CLG_BLAS_TYPE_COUNT]);
void clg_known_write(const char *device, const int64_t min_flops[CLG_BLAS_TYPE_COUNT]);

#endif
