/* SPDX-License-Identifier: Apache-2.0
 * Events: waiting, gates, and times. */
#ifndef CLG_DEVICE_EVENT_H
#define CLG_DEVICE_EVENT_H

#include <stdbool.h>

#include "base/status.h"
#include "device/opencl.h"

/* Blocks until the command has ended. If it failed, fails with its code. */
clgemm_status clg_wait(cl_event event);

/* A gate is a user event that commands of the queue's context can wait for. Opened with success, it
 * lets them run. Opened with a failure, it ends them with an error before they do anything. Opening
 * releases it; NULL is fine. */
clgemm_status clg_gate_create(cl_command_queue queue, cl_event *out);
clgemm_status clg_gate_open(cl_event gate, clgemm_status status);

/* NULL is fine. */
void clg_event_release(cl_event event);

/* Adds a reference. */
void clg_event_retain(cl_event event);

/* Whether the command has ended successfully. Does not wait. If it failed, fails with its code. */
clgemm_status clg_event_is_done(cl_event event, bool *done);

/* Submits the commands of the queue to the device, so that other queues may wait for them. */
clgemm_status clg_queue_flush(cl_command_queue queue);

/* *out: the event of a command on the queue that ends when all these events have. */
clgemm_status clg_event_join(cl_command_queue queue, size_t count, const cl_event *events,
                             cl_event *out);

bool clg_queue_profiles(cl_command_queue queue);

/* When a command was queued, started and ended on the device's clock, in seconds. False if its
 * queue does not profile or the command has not ended. */
struct clg_event_times {
    double queued, start, end;
};
bool clg_event_times(cl_event event, struct clg_event_times *out);

/* Calls `report` once, from a thread of the runtime, when `last` has ended. The argument is the
 * device's time from the start of `first` (NULL: of `last`) in milliseconds, or negative if
 * unknown. If the callback cannot be set, it is called at once with -1. Takes over `first`, but not
 * `last`. */
void clg_when_done(cl_event first, cl_event last, void (*report)(double ms, void *user),
                   void *user);

#endif
