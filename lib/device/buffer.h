/* SPDX-License-Identifier: Apache-2.0
 * Buffers: creating them, querying a caller's, and copying matrices between host and device. */
#ifndef CLG_DEVICE_BUFFER_H
#define CLG_DEVICE_BUFFER_H

#include "device/device.h"

/* Creates a buffer of `bytes` in the device's context. Release it with clg_buffer_release (NULL is
 * fine). */
clgemm_status clg_buffer_create(struct clg_device *device, size_t bytes, cl_mem *out);
void clg_buffer_release(cl_mem buffer);

/* Adds a reference, also to a caller's buffer. */
clgemm_status clg_buffer_retain(cl_mem buffer);

struct clg_buffer_info {
    cl_context context;
    uint64_t bytes;
    unsigned alignment; /* of its first element, in bytes: a power of two up to 64 */
};

/* Queries a caller's buffer. Fails with CL_INVALID_MEM_OBJECT if it is not a buffer. */
clgemm_status clg_buffer_query(cl_mem buffer, struct clg_buffer_info *out);

/* A column-major matrix of rows x cols elements of `size` bytes. Its columns are host_ld elements
 * apart on the host and buffer_ld in the buffer, where it begins at column `first`. */
struct clg_rectangle {
    int64_t host_ld, buffer_ld, first, rows, cols;
    size_t size;
};

/* Copies the matrix from the host to the buffer, or back. Does not touch the gaps between columns
 * on either side. Blocks until the copy is done. The queue must be in-order. */
clgemm_status clg_upload(cl_command_queue queue, cl_mem buffer, const void *host,
                         const struct clg_rectangle *what);
clgemm_status clg_download(cl_command_queue queue, cl_mem buffer, void *host,
                           const struct clg_rectangle *what);

#endif
