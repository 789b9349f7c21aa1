/* SPDX-License-Identifier: Apache-2.0
 * Host memory that a device accesses in place, through pointers or through buffers over it. */
#ifndef CLG_DEVICE_HOST_MEMORY_H
#define CLG_DEVICE_HOST_MEMORY_H

#include "device/device.h"

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
