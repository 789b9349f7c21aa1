/* SPDX-License-Identifier: Apache-2.0
 * Workspace: buffers that are kept between calls, because a new one can cost more time than a small
 * call (tens of microseconds at its first use with NVIDIA's driver).
 *
 * A device keeps a few idle buffers until it is closed. Idle and lent ones together take no more
 * than facts.workspace_max ($CLGEMM_WORKSPACE_MAX, else a quarter of its memory), and no call takes
 * more. Only concurrent calls together may exceed it. A device also keeps a few sets of counters.
 */
#ifndef CLG_DEVICE_WORKSPACE_H
#define CLG_DEVICE_WORKSPACE_H

#include "device/device.h"

/* Lends a buffer of at least `bytes`, with undefined contents, for commands in `queue`. It is an
 * idle one that no other command uses, or a new one. */
clgemm_status clg_workspace_take(struct clg_device *device, cl_command_queue queue, uint64_t bytes,
                                 struct clg_workspace *out);

/* Takes a buffer back. If commands in an in-order queue may still use it, `queue` is that queue,
 * and only later commands in the same queue may get it. NULL means that no command uses it any
 * more. The queue is compared but not retained, because its handle is not reused while it has
 * commands. If not `healthy`, the buffer is released instead, as soon as no command uses it. Empty
 * ones are fine. */
void clg_workspace_give(struct clg_device *device, struct clg_workspace *workspace,
                        cl_command_queue queue, bool healthy);

/* Says that the queue is empty, so that buffers given back for it may be used in any queue. */
void clg_workspace_settle(struct clg_device *device, cl_command_queue queue);

/* The largest number of bytes that the device held at a time, lent and idle, since it was opened or
 * clg_workspace_start_peak was called. */
uint64_t clg_workspace_peak(struct clg_device *device);
void clg_workspace_start_peak(struct clg_device *device);

/* Counters: a small buffer of zeros, which the commands that use it leave zero.
 *
 * Counters are lent only if their last command has ended successfully, or is in the same in-order
 * queue as the next ones (`queue`; NULL: the queue is not in-order). `last` is that command's
 * event. In an in-order queue it may be NULL, because events cost microseconds per kernel on some
 * devices; then only that queue can use the counters until it is settled. A kernel that never ran
 * leaves zeros, and one that the device aborted invalidates the context. */
enum { CLG_COUNTERS_BYTES = 4096 };
clgemm_status clg_counters_create(struct clg_device *device, cl_mem *out);
clgemm_status clg_counters_take(struct clg_device *device, cl_command_queue queue, cl_mem *out);
void clg_counters_give(struct clg_device *device, cl_mem counters, cl_command_queue queue,
                       cl_event last);

/* Releases everything that is idle. */
void clg_workspace_clear(struct clg_device *device);

#endif
