/* SPDX-License-Identifier: Apache-2.0
 * Buffers: making them, asking about a caller's, moving matrices between host and device. */
#ifndef CLG_DEVICE_BUFFER_H
#define CLG_DEVICE_BUFFER_H

#include "device/device.h"

/* A buffer of `bytes` in the device's context; release with clg_buffer_release (NULL is fine). */
clgemm_status clg_buffer_create(struct clg_device *device, size_t bytes, cl_mem *out);
void clg_buffer_release(cl_mem buffer);

struct clg_buffer_info {
    cl_context context;
    uint64_t bytes;
    unsigned alignment; /* of its first element, in bytes: a power of two, at most 64 */
};

/* Asks about a caller's buffer. Fails with CL_INVALID_MEM_OBJECT for what is no buffer. */
clgemm_status clg_buffer_query(cl_mem buffer, struct clg_buffer_info *out);

/* Copies a column-major matrix of rows x cols elements of `size` bytes from the host (columns
 * `host_ld` elements apart) to the start of `buffer` (columns `ld` apart), or back. Touches no
 * element between a column's end and the next one's start on either side. Blocks until the copy is
 * done; the queue must be in-order. */
clgemm_status clg_upload(cl_command_queue queue, cl_mem buffer, int64_t ld, const void *host,
                         int64_t host_ld, int64_t rows, int64_t cols, size_t size);
clgemm_status clg_download(cl_command_queue queue, cl_mem buffer, int64_t ld, void *host,
                           int64_t host_ld, int64_t rows, int64_t cols, size_t size);

#endif
