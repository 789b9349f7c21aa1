/* SPDX-License-Identifier: Apache-2.0
 * Staging memory: host memory that the driver has pinned, through which matrices go to a device of
 * its own memory and come back. From there a bus takes them at its full speed, beside whatever else
 * goes on; from memory of the caller's a driver copies them itself first, in one thread.
 *
 * It comes in chunks, each a CL_MEM_ALLOC_HOST_PTR buffer that is mapped once and stays mapped: to
 * map it again would move its contents. Making one costs time (an H200's driver: 0.4 to 0.55 s a
 * GB), so chunks are few and are kept for later calls until the device is closed: all together at
 * most a quarter of facts.workspace_max, and CLG_STAGING_MOST of them. */
#ifndef CLG_DEVICE_STAGING_H
#define CLG_DEVICE_STAGING_H

#include "device/device.h"

enum { CLG_STAGING_CHUNK = 4 << 20 }; /* bytes of a chunk */

/* Lends up to `wanted` chunks for a call on that queue, but leaves some for calls at the same time:
 * at most three quarters of what there may be. Returns how many there are, which may be none: that
 * is no failure. `out` has room for CLG_STAGING_MOST. */
int clg_staging_take(struct clg_device *device, cl_command_queue queue, int wanted,
                     struct clg_staging_chunk *out);

/* Takes them back; where not `healthy`, commands may still use them, and they are released, which
 * the runtime does when no command does any more. */
void clg_staging_give(struct clg_device *device, cl_command_queue queue,
                      struct clg_staging_chunk *chunks, int count, bool healthy);

/* The most chunks that the device may have. */
int clg_staging_room(const struct clg_facts *facts);

/* Releases all that is idle, of a device that no call uses any more. */
void clg_staging_clear(struct clg_device *device);

#endif
