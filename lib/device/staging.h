/* SPDX-License-Identifier: Apache-2.0
 * Staging memory: pinned host memory through which matrices are transferred to and from a device
 * with its own memory. A bus transfers pinned memory at full speed and in parallel with other work.
 * From other memory, the driver first makes a copy in a single thread.
 *
 * It is divided into chunks. Each is a CL_MEM_ALLOC_HOST_PTR buffer that is mapped once and stays
 * mapped, because mapping again would copy its contents. Creating chunks is slow (tenths of a
 * second per GB), so they are few, and are kept for later calls until the device is closed.
 * Together they take at most a quarter of facts.workspace_max, and there are at most
 * CLG_STAGING_MOST. */
#ifndef CLG_DEVICE_STAGING_H
#define CLG_DEVICE_STAGING_H

#include "device/device.h"

enum { CLG_STAGING_CHUNK = 4 << 20 }; /* bytes of a chunk */

/* Lends up to `wanted` chunks for a call on that queue, but at most three quarters of all chunks,
 * so that concurrent calls find some. Returns their number. None is not a failure. `out` has room
 * for CLG_STAGING_MOST. */
int clg_staging_take(struct clg_device *device, cl_command_queue queue, int wanted,
                     struct clg_staging_chunk *out);

/* Takes chunks back. If not `healthy`, commands may still use them. They are then released, which
 * takes effect when no command uses them any more. */
void clg_staging_give(struct clg_device *device, cl_command_queue queue,
                      struct clg_staging_chunk *chunks, int count, bool healthy);

/* The largest number of chunks that the device may have. */
int clg_staging_room(const struct clg_facts *facts);

/* Releases all idle chunks of a device that no call uses any more. */
void clg_staging_clear(struct clg_device *device);

#endif
