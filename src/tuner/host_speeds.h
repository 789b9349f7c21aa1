/* SPDX-License-Identifier: Apache-2.0
 * How fast the host copies, and how fast the bus transfers to and from a device. */
#ifndef CLG_TUNE_HOST_SPEEDS_H
#define CLG_TUNE_HOST_SPEEDS_H

#include "device/device.h"
#include "tuning/table.h"

/* Measures this in about a tenth of a second, with 64 MiB of plain memory and 16 MiB of pinned
 * memory. Leaves date and version of *out empty. Has no meaning for a device that shares the host's
 * memory. Fails if memory is short or a transfer fails. */
clgemm_status clg_host_speeds_measure(struct clg_device *device, struct clg_host_speeds *out);

#endif
