/* SPDX-License-Identifier: Apache-2.0
 * Transfers that a call does not wait for, between staging memory and parts of buffers. */
#ifndef CLG_DEVICE_STREAM_H
#define CLG_DEVICE_STREAM_H

#include "device/device.h"

/* A contiguous range of a buffer. */
struct clg_range {
    cl_mem buffer;
    size_t at, bytes;
};

/* Enqueues a transfer from `memory` to the range, or back; behind `after`, unless NULL. *done is
 * its event, owned by the caller. `done` may be NULL: then nobody asks for a transfer up, and that
 * down has ended when the call returns. */
clgemm_status clg_stream_up(cl_command_queue queue, const struct clg_range *to, const void *memory,
                            cl_event after, cl_event *done);
clgemm_status clg_stream_down(cl_command_queue queue, const struct clg_range *from, void *memory,
                              cl_event after, cl_event *done);

/* Hands to the device what was enqueued. */
clgemm_status clg_stream_flush(cl_command_queue queue);

/* Whether the command is through; fails with its code if it ended badly. Does not wait. */
clgemm_status clg_stream_poll(cl_event event, bool *done);

#endif
