/* SPDX-License-Identifier: Apache-2.0
 * Host memory that a device uses in place: behind pointers, or as buffers over it. */
#ifndef CLG_DEVICE_HOST_MEMORY_H
#define CLG_DEVICE_HOST_MEMORY_H

#include "device/device.h"

/* Whether the OpenCL loader of this process has clSetKernelArgSVMPointer (OpenCL 2.0). */
bool clg_can_set_pointer_args(void);

/* Sets a kernel's argument to a pointer, which stays as it is: never to be used on a device without
 * facts.takes_pointers, whose driver's table of functions may end before this one. */
cl_int clg_set_pointer_arg(cl_kernel kernel, cl_uint index, const void *pointer);

/* A buffer over the host's own memory, which kernels only read unless `writable`; release it with
 * clg_buffer_release. The runtime may copy what is in it. */
clgemm_status clg_buffer_over(struct clg_device *device, const void *host, size_t bytes,
                              bool writable, cl_mem *out);

/* Blocks until the host sees what commands before wrote to that part of such a buffer. Touches no
 * host memory outside it. */
clgemm_status clg_buffer_show(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes);

#endif
