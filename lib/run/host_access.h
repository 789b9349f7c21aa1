/* SPDX-License-Identifier: Apache-2.0
 * Determines how matrices in host memory reach a device. */
#ifndef CLG_RUN_HOST_ACCESS_H
#define CLG_RUN_HOST_ACCESS_H

#include "run/engine.h"

/* The device's access. Without copies if it shares the host's memory. The first call for a device
 * may run a small kernel to determine it. */
enum clg_host_access clg_host_access_of(struct clg_engine *engine);

#endif
