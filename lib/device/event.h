/* SPDX-License-Identifier: Apache-2.0
 * Events: waiting for one, and the time between two. */
#ifndef CLG_DEVICE_EVENT_H
#define CLG_DEVICE_EVENT_H

#include <stdbool.h>

#include "base/status.h"
#include "device/opencl.h"

/* Blocks until the command is through; fails with its code if it ended badly. */
clgemm_status clg_wait(cl_event event);

/* A gate is an event that commands of the queue's context can wait for. Opened with success it lets
 * them run, with a failure they end with an error and do nothing; either way it is gone then, and
 * NULL is fine. */
clgemm_status clg_gate_create(cl_command_queue queue, cl_event *out);
clgemm_status clg_gate_open(cl_event gate, clgemm_status status);

/* NULL is fine. */
void clg_event_release(cl_event event);

/* One owner more. */
void clg_event_retain(cl_event event);

/* Whether the command is through, and well; does not wait. Fails with its code if it ended badly.
 */
clgemm_status clg_event_is_done(cl_event event, bool *done);

/* Sends what the queue holds on its way, so that other queues may wait for it. */
clgemm_status clg_queue_flush(cl_command_queue queue);

/* *out: an event of a command on the queue that is through when all these are. */
clgemm_status clg_event_join(cl_command_queue queue, size_t count, const cl_event *events,
                             cl_event *out);

bool clg_queue_profiles(cl_command_queue queue);

/* When a command was queued, started and ended, by the device's clock, in seconds; false where its
 * queue does not profile or it has not ended. */
struct clg_event_times {
    double queued, start, end;
};
bool clg_event_times(cl_event event, struct clg_event_times *out);

/* Calls `report` once, from a thread of the runtime, when `last` is through, with the device's time
 * from the start of `first` (NULL: of `last`) in milliseconds, or a negative number if it has none;
 * at once, with -1, where the callback cannot be set. Takes over `first`, not `last`. */
void clg_when_done(cl_event first, cl_event last, void (*report)(double ms, void *user),
                   void *user);

#endif
