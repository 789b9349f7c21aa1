/* SPDX-License-Identifier: Apache-2.0
 * Buffers. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "device/buffer.h"

#include <dlfcn.h>
#include <stdio.h>

#include "device/error.h"

enum { MOST_ALIGNMENT = 64 };

/* The copy engines of some devices accept row pitches only up to 2^31 - 1 bytes. */
static const uint64_t MOST_PITCH = INT32_MAX;

clgemm_status clg_buffer_create(struct clg_device *device, size_t bytes, cl_mem *out) {
    cl_int error = CL_SUCCESS;
    *out = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (!error)
        return CLGEMM_SUCCESS;
    *out = NULL;
    char call[64];
    snprintf(call, sizeof call, "clCreateBuffer of %zu bytes", bytes);
    return clg_cl_fail(error, call);
}

void clg_buffer_release(cl_mem buffer) {
    if (buffer)
        clReleaseMemObject(buffer);
}

clgemm_status clg_buffer_retain(cl_mem buffer) {
    const cl_int error = clRetainMemObject(buffer);
    return error ? clg_cl_fail(error, "clRetainMemObject") : CLGEMM_SUCCESS;
}

clgemm_status clg_buffer_query(cl_mem buffer, struct clg_buffer_info *out) {
    cl_mem_object_type type = 0;
    size_t bytes = 0;
    void *host = NULL;
    cl_int error;
    if ((error = clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof type, &type, NULL)) ||
        (error = clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof out->context, &out->context,
                                    NULL)) ||
        (error = clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL)) ||
        (error = clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, sizeof host, &host, NULL)))
        return clg_cl_fail(error, "clGetMemObjectInfo");
    if (type != CL_MEM_OBJECT_BUFFER)
        return clg_fail((clgemm_status)CL_INVALID_MEM_OBJECT, "the memory object is not a buffer");
    out->bytes = bytes;
    /* Only a buffer over the caller's own memory (host is set) can start at an address that the
     * caller chose. */
    uintptr_t address = (uintptr_t)host;
    out->alignment = MOST_ALIGNMENT;
    while (address % out->alignment)
        out->alignment /= 2;
    return CLGEMM_SUCCESS;
}

/* ---- Transfers ---- */

static bool is_whole(const struct clg_strided *m) {
    return m->columns == 1 || (m->column == m->pitch && m->column == m->host_pitch);
}

static cl_int enqueue(cl_command_queue queue, enum clg_direction direction,
                      const struct clg_strided *m, void *memory, cl_event after, cl_event *done) {
    static const size_t begin[3] = {0, 0, 0};
    const cl_bool blocking = done ? CL_FALSE : CL_TRUE;
    const cl_uint count = after ? 1 : 0;
    const cl_event *waits = after ? &after : NULL;
    const size_t bytes = m->column * m->columns;
    if (is_whole(m))
        return direction == CLG_TO_HOST ? clEnqueueReadBuffer(queue, m->buffer, blocking, m->at,
                                                              bytes, memory, count, waits, done)
                                        : clEnqueueWriteBuffer(queue, m->buffer, blocking, m->at,
                                                               bytes, memory, count, waits, done);
    const size_t origin[3] = {m->at % m->pitch, m->at / m->pitch, 0};
    const size_t region[3] = {m->column, m->columns, 1};
    return direction == CLG_TO_HOST
               ? clEnqueueReadBufferRect(queue, m->buffer, blocking, origin, begin, region,
                                         m->pitch, 0, m->host_pitch, 0, memory, count, waits, done)
               : clEnqueueWriteBufferRect(queue, m->buffer, blocking, origin, begin, region,
                                          m->pitch, 0, m->host_pitch, 0, memory, count, waits,
                                          done);
}

clgemm_status clg_transfer(cl_command_queue queue, enum clg_direction direction,
                           const struct clg_strided *matrix, void *memory, cl_event after,
                           cl_event *done) {
    struct clg_strided part = *matrix;
    cl_int error = CL_SUCCESS;
    if (!is_whole(matrix) && (matrix->pitch > MOST_PITCH || matrix->host_pitch > MOST_PITCH))
        part.columns = 1;
    for (size_t j = 0; j < matrix->columns && !error; j += part.columns) {
        const bool last = j + part.columns == matrix->columns;
        part.at = matrix->at + j * matrix->pitch;
        error = enqueue(queue, direction, &part, (char *)memory + j * matrix->host_pitch, after,
                        last ? done : NULL);
    }
    return !error ? CLGEMM_SUCCESS
                  : clg_cl_fail(error, direction == CLG_TO_HOST ? "reading a matrix back"
                                                                : "sending a matrix to the device");
}

/* ---- Host memory ---- */

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
