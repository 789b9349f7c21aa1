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

/* From how much work calls pay. */
struct clg_break_evens {
    int64_t min_flops[CLG_BLAS_TYPE_COUNT]; /* operations; INT64_MAX if no call pays */
    bool transfers;                         /* matrices cross a bus */
};

/* `device` is as for clgemm_create(), or "". */
bool clg_break_evens_read(const char *device, struct clg_break_evens *out);
void clg_break_evens_write(const char *device, const struct clg_break_evens *known);

#endif
