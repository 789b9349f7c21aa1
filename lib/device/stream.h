/* SPDX-License-Identifier: Apache-2.0
 * Transfers that a call does not wait for, between host memory that is pinned and parts of buffers.
 */
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

/* A column-major matrix in a buffer, `at` bytes from its beginning, and on the host; in bytes.
 * Where it has no gaps on either side it is one range. */
struct clg_strided {
    cl_mem buffer;
    size_t at, pitch, host_pitch, column, columns;
};

/* The same between the buffer and any memory of the host's, which the caller leaves alone until the
 * event is through: without waiting only where the driver knows that memory as pinned. */
clgemm_status clg_stream_matrix_up(cl_command_queue queue, const struct clg_strided *to,
                                   const void *memory, cl_event after, cl_event *done);
clgemm_status clg_stream_matrix_down(cl_command_queue queue, const struct clg_strided *from,
                                     void *memory, cl_event after, cl_event *done);

#endif
