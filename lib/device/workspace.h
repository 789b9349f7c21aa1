/* SPDX-License-Identifier: Apache-2.0
 * Workspace: buffers that outlive the call that made them, since a new one can cost a device more
 * than the work that a call does in it (NVIDIA's driver: 70 microseconds at the first use).
 *
 * A device keeps a few idle ones until it is closed: together, and with those that are lent, no
 * more than facts.workspace_max ($CLGEMM_WORKSPACE_MAX, else a quarter of its memory), of which no
 * call takes more; only calls at the same time may pass it. And beside them a few sets of counters.
 */
#ifndef CLG_DEVICE_WORKSPACE_H
#define CLG_DEVICE_WORKSPACE_H

#include "device/device.h"

/* Lends a buffer of at least `bytes`, contents undefined, for commands in `queue`: an idle one that
 * no other command still uses, or a new one. */
clgemm_status clg_workspace_take(struct clg_device *device, cl_command_queue queue, uint64_t bytes,
                                 struct clg_workspace *out);

/* Takes it back. `queue`: commands in that in-order queue may still use it, so that only later ones
 * in the same queue may have it next; NULL: no command uses it any more. The queue is only
 * compared, not retained: a handle is not given to another queue while commands are in it. Empty
 * ones are fine. */
void clg_workspace_give(struct clg_device *device, struct clg_workspace *workspace,
                        cl_command_queue queue);

/* Says that the queue is empty, so that what was given back for it may go to any. */
void clg_workspace_settle(struct clg_device *device, cl_command_queue queue);

/* Releases it instead, at once or as soon as no command uses it. Empty ones are fine. */
void clg_workspace_drop(struct clg_device *device, struct clg_workspace *workspace);

/* The most bytes of workspace that the device held at a time, lent and idle together, since it was
 * opened or clg_workspace_start_peak was called. */
uint64_t clg_workspace_peak(struct clg_device *device);
void clg_workspace_start_peak(struct clg_device *device);

/* Counters: a small buffer of zeros, which the commands that use it leave zero. Lent are only such
 * whose last command has ended well, or is in the same in-order queue (NULL: it is none) as those
 * to come. `last` is that command's event; it may be NULL where it is in an in-order queue, as
 * events are dear on some devices (5 us a kernel on NVIDIA's): then only that queue's commands have
 * them, until it is settled. What never ran leaves zeros, and what a device breaks off takes the
 * context with it. */
enum { CLG_COUNTERS_BYTES = 4096 };
clgemm_status clg_counters_create(struct clg_device *device, cl_mem *out);
clgemm_status clg_counters_take(struct clg_device *device, cl_command_queue queue, cl_mem *out);
void clg_counters_give(struct clg_device *device, cl_mem counters, cl_command_queue queue,
                       cl_event last);

/* Releases all that is idle. */
void clg_workspace_clear(struct clg_device *device);

#endif
