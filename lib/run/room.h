/* SPDX-License-Identifier: Apache-2.0
 * Whether the process may take what opening a device takes. PoCL ends a process that may not. */
#ifndef CLG_RUN_ROOM_H
#define CLG_RUN_ROOM_H

#include "base/status.h"

/* Fails if too few threads or too little address space are left. If the latter is limited, a helper
 * tries to open the device, with the general programs, in half of what is left: the rest is the
 * program's. Without a helper it is not known. `device` as in clgemm_create; may be NULL. */
clgemm_status clg_room_check(const char *device);

#endif
