/* SPDX-License-Identifier: Apache-2.0
 * Asynchronous transfers between pinned host memory and parts of buffers. */
#ifndef CLG_DEVICE_STREAM_H
#define CLG_DEVICE_STREAM_H

#include "device/device.h"

/* A contiguous range of a buffer. */
struct clg_range {
    cl_mem buffer;
    size_t at, bytes;
};

/* Enqueues a transfer from `memory` to the range, or back, after the event `after` (NULL: none).
 * *done is the event of the transfer, owned by the caller. With `done` NULL, a transfer up has no
 * event, and a transfer down has ended when the call returns. */
clgemm_status clg_stream_up(cl_command_queue queue, const struct clg_range *to, const void *memory,
                            cl_event after, cl_event *done);
clgemm_status clg_stream_down(cl_command_queue queue, const struct clg_range *from, void *memory,
                              cl_event after, cl_event *done);

/* A column-major matrix that begins at byte `at` of a buffer, and its copy on the host. All sizes
 * are in bytes. Without gaps on either side it is transferred as one range. */
struct clg_strided {
    cl_mem buffer;
    size_t at, pitch, host_pitch, column, columns;
};

/* The same for any host memory, which the caller does not touch until the event has completed. It
 * is asynchronous only if the driver knows the memory to be pinned. */
clgemm_status clg_stream_matrix_up(cl_command_queue queue, const struct clg_strided *to,
                                   const void *memory, cl_event after, cl_event *done);
clgemm_status clg_stream_matrix_down(cl_command_queue queue, const struct clg_strided *from,
                                     void *memory, cl_event after, cl_event *done);

#endif
