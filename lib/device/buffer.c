/* SPDX-License-Identifier: Apache-2.0
 * Buffers. */
#include "device/buffer.h"

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
    const char *name = clg_cl_error_name(error);
    return clg_fail((clgemm_status)error, "clCreateBuffer of %zu bytes failed: %s (%d)", bytes,
                    name ? name : "unknown error", (int)error);
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

/* A copy in either direction. `host` is written only if `reading`. */
static cl_int copy(bool reading, cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes,
                   void *host) {
    return reading
               ? clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, bytes, host, 0, NULL, NULL)
               : clEnqueueWriteBuffer(queue, buffer, CL_TRUE, offset, bytes, host, 0, NULL, NULL);
}

static cl_int copy_rect(bool reading, cl_command_queue queue, cl_mem buffer, const size_t origin[3],
                        size_t pitch, const size_t region[3], void *host, size_t host_pitch) {
    static const size_t zero[3] = {0, 0, 0};
    return reading ? clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, zero, region, pitch, 0,
                                             host_pitch, 0, host, 0, NULL, NULL)
                   : clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, origin, zero, region, pitch,
                                              0, host_pitch, 0, host, 0, NULL, NULL);
}

static clgemm_status copy_matrix(bool reading, cl_command_queue queue, cl_mem buffer, void *host,
                                 const struct clg_rectangle *m) {
    const size_t column = (size_t)m->rows * m->size, cols = (size_t)m->cols;
    const size_t pitch = (size_t)m->buffer_ld * m->size, host_pitch = (size_t)m->host_ld * m->size;
    const size_t first = (size_t)m->first * pitch;
    cl_int error = CL_SUCCESS;
    if (cols == 1 || (m->buffer_ld == m->rows && m->host_ld == m->rows)) {
        error = copy(reading, queue, buffer, first, column * cols, host);
    } else if (host_pitch <= MOST_PITCH && pitch <= MOST_PITCH) {
        const size_t region[3] = {column, cols, 1}, origin[3] = {0, (size_t)m->first, 0};
        error = copy_rect(reading, queue, buffer, origin, pitch, region, host, host_pitch);
    } else {
        for (size_t j = 0; j < cols && !error; j++)
            error = copy(reading, queue, buffer, first + j * pitch, column,
                         (char *)host + j * host_pitch);
    }
    if (!error)
        return CLGEMM_SUCCESS;
    return clg_cl_fail(error, reading ? "reading a matrix back" : "sending a matrix to the device");
}

clgemm_status clg_upload(cl_command_queue queue, cl_mem buffer, const void *host,
                         const struct clg_rectangle *what) {
    return copy_matrix(false, queue, buffer, (void *)host, what);
}

clgemm_status clg_download(cl_command_queue queue, cl_mem buffer, void *host,
                           const struct clg_rectangle *what) {
    return copy_matrix(true, queue, buffer, host, what);
}
