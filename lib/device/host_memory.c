/* SPDX-License-Identifier: Apache-2.0
 * Host memory that a device accesses in place. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "device/host_memory.h"

#include <dlfcn.h>

#include "device/error.h"

typedef cl_int CL_API_CALL set_pointer_fn(cl_kernel, cl_uint, const void *);

/* Looked up at run time in the loaded OpenCL loader. With a link-time reference, the library could
 * not be loaded beside a loader of OpenCL 1.2. */
static set_pointer_fn *set_pointer;

static void find_set_pointer(void) {
    void *found = dlsym(RTLD_DEFAULT, "clSetKernelArgSVMPointer");
    set_pointer = (set_pointer_fn *)(uintptr_t)found;
}

bool clg_can_set_pointer_args(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_set_pointer);
    return set_pointer != NULL;
}

cl_int clg_set_pointer_arg(cl_kernel kernel, cl_uint index, const void *pointer) {
    return clg_can_set_pointer_args() ? set_pointer(kernel, index, pointer) : CL_INVALID_OPERATION;
}

clgemm_status clg_buffer_over(struct clg_device *device, const void *host, size_t bytes,
                              bool writable, cl_mem *out) {
    const cl_mem_flags access = writable ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
    cl_int error = CL_SUCCESS;
    *out = clCreateBuffer(device->context, access | CL_MEM_USE_HOST_PTR, bytes,
                          (void *)(uintptr_t)host, &error);
    if (!error)
        return CLGEMM_SUCCESS;
    *out = NULL;
    return clg_cl_fail(error, "clCreateBuffer over host memory");
}

clgemm_status clg_buffer_show(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes) {
    cl_int error = CL_SUCCESS;
    void *seen = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, offset, bytes, 0, NULL,
                                    NULL, &error);
    if (error || !seen) /* a driver may return neither an address nor an error */
        return clg_cl_fail(error ? error : CL_MAP_FAILURE, "clEnqueueMapBuffer");
    if ((error = clEnqueueUnmapMemObject(queue, buffer, seen, 0, NULL, NULL)))
        return clg_cl_fail(error, "clEnqueueUnmapMemObject");
    error = clFinish(queue);
    return error ? clg_cl_fail(error, "clFinish") : CLGEMM_SUCCESS;
}
