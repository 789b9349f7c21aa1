/* SPDX-License-Identifier: Apache-2.0
 * Buffers: making them, asking about a caller's, moving matrices between host and device. */
#ifndef CLG_DEVICE_BUFFER_H
#define CLG_DEVICE_BUFFER_H

#include "device/device.h"

/* A buffer of `bytes` in the device's context; release with clg_buffer_release (NULL is fine). */
clgemm_status clg_buffer_create(struct clg_device *device, size_t bytes, cl_mem *out);
void clg_buffer_release(cl_mem buffer);

/* One owner more, also of a caller's buffer. */
clgemm_status clg_buffer_retain(cl_mem buffer);

struct clg_buffer_info {
    cl_context context;
    uint64_t bytes;
    unsigned alignment; /* of its first element, in bytes: a power of two, at most 64 */
};

/* Asks about a caller's buffer. Fails with CL_INVALID_MEM_OBJECT for what is no buffer. */
clgemm_status clg_buffer_query(cl_mem buffer, struct clg_buffer_info *out);

/* A column-major matrix of rows x cols elements of `size` bytes: on the host its columns are
 * host_ld elements apart, in a buffer buffer_ld, and `first` columns of that lie before it. */
struct clg_rectangle {
    int64_t host_ld, buffer_ld, first, rows, cols;
    size_t size;
};

/* Copies it from the host to the buffer, or back. Touches no element between a column's end and the
 * next one's start on either side. Blocks until the copy is done; the queue must be in-order. */
clgemm_status clg_upload(cl_command_queue queue, cl_mem buffer, const void *host,
                         const struct clg_rectangle *what);
clgemm_status clg_download(cl_command_queue queue, cl_mem buffer, void *host,
                           const struct clg_rectangle *what);

#endif
