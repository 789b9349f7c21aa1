/* SPDX-License-Identifier: Apache-2.0
 * Buffers: creating them, querying a caller's, and transferring matrices between host and device.
 */
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

/* ---- Transfers ---- */

/* A column-major matrix that begins at byte `at` of a buffer, and its copy on the host. All sizes
 * are in bytes. One column needs no pitch. */
struct clg_strided {
    cl_mem buffer;
    size_t at, column, columns, pitch, host_pitch;
};

/* Transfers the matrix from `memory` to the device, or back, after the event `after` (NULL: none),
 * in an in-order queue. Does not touch the gaps between columns on either side. *done is the event
 * of the transfer, owned by the caller, who does not touch `memory` until it has completed. With
 * `done` NULL, the transfer has ended when the call returns. It is asynchronous only if the driver
 * knows the memory to be pinned. */
enum clg_direction { CLG_TO_DEVICE, CLG_TO_HOST };
clgemm_status clg_transfer(cl_command_queue queue, enum clg_direction direction,
                           const struct clg_strided *matrix, void *memory, cl_event after,
                           cl_event *done);

/* ---- Host memory that a device accesses in place ---- */

/* Whether the OpenCL loader of this process has clSetKernelArgSVMPointer (OpenCL 2.0). */
bool clg_can_set_pointer_args(void);

/* Sets a kernel's argument to a pointer, which is passed unchanged. Never use it on a device
 * without facts.takes_pointers: its driver's table of functions may end before this one. */
cl_int clg_set_pointer_arg(cl_kernel kernel, cl_uint index, const void *pointer);

/* Creates a buffer over host memory, which kernels only read unless `writable`. Release it with
 * clg_buffer_release. The runtime may copy the contents. */
clgemm_status clg_buffer_over(struct clg_device *device, const void *host, size_t bytes,
                              bool writable, cl_mem *out);

/* Blocks until the host sees what earlier commands wrote to that part of such a buffer. Does not
 * touch host memory outside it. */
clgemm_status clg_buffer_show(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes);

#endif
