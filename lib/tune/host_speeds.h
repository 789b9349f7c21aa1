/* SPDX-License-Identifier: Apache-2.0
 * How fast the host copies, and the bus to a device takes what has been copied. */
#ifndef CLG_TUNE_HOST_SPEEDS_H
#define CLG_TUNE_HOST_SPEEDS_H

#include "device/device.h"
#include "tuning/table.h"

/* Measures it, in about a tenth of a second, with 64 MiB of plain memory and 16 of pinned. *out is
 * without date and version. Means nothing to a device that shares the host's memory. Fails where
 * memory is short, or a transfer fails. */
clgemm_status clg_host_speeds_measure(struct clg_device *device, struct clg_host_speeds *out);

#endif
