/* SPDX-License-Identifier: Apache-2.0
 * How matrices in host memory reach a device. */
#ifndef CLG_RUN_HOST_ACCESS_H
#define CLG_RUN_HOST_ACCESS_H

#include "run/engine.h"

/* The device's access: no copies where it shares the host's memory. The first call for a device may
 * run a small kernel to find it out. */
enum clg_host_access clg_host_access_of(struct clg_engine *engine);

#endif
