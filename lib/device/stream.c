/* SPDX-License-Identifier: Apache-2.0
 * Asynchronous transfers. */
#include "device/stream.h"

#include "device/error.h"

clgemm_status clg_stream_up(cl_command_queue queue, const struct clg_range *to, const void *memory,
                            cl_event after, cl_event *done) {
    const cl_int error = clEnqueueWriteBuffer(queue, to->buffer, CL_FALSE, to->at, to->bytes,
                                              memory, after ? 1 : 0, after ? &after : NULL, done);
    return error ? clg_cl_fail(error, "sending a matrix to the device") : CLGEMM_SUCCESS;
}

clgemm_status clg_stream_down(cl_command_queue queue, const struct clg_range *from, void *memory,
                              cl_event after, cl_event *done) {
    const cl_int error =
        clEnqueueReadBuffer(queue, from->buffer, done ? CL_FALSE : CL_TRUE, from->at, from->bytes,
                            memory, after ? 1 : 0, after ? &after : NULL, done);
    return error ? clg_cl_fail(error, "reading a matrix back") : CLGEMM_SUCCESS;
}

static bool is_whole(const struct clg_strided *m) {
    return m->columns == 1 || (m->column == m->pitch && m->column == m->host_pitch);
}

clgemm_status clg_stream_matrix_up(cl_command_queue queue, const struct clg_strided *to,
                                   const void *memory, cl_event after, cl_event *done) {
    static const size_t begin[3] = {0, 0, 0};
    const size_t origin[3] = {to->at % to->pitch, to->at / to->pitch, 0};
    const size_t region[3] = {to->column, to->columns, 1};
    const struct clg_range range = {to->buffer, to->at, to->column * to->columns};
    if (is_whole(to))
        return clg_stream_up(queue, &range, memory, after, done);
    const cl_int error = clEnqueueWriteBufferRect(queue, to->buffer, CL_FALSE, origin, begin,
                                                  region, to->pitch, 0, to->host_pitch, 0, memory,
                                                  after ? 1 : 0, after ? &after : NULL, done);
    return error ? clg_cl_fail(error, "sending a matrix to the device") : CLGEMM_SUCCESS;
}

clgemm_status clg_stream_matrix_down(cl_command_queue queue, const struct clg_strided *from,
                                     void *memory, cl_event after, cl_event *done) {
    static const size_t begin[3] = {0, 0, 0};
    const size_t origin[3] = {from->at % from->pitch, from->at / from->pitch, 0};
    const size_t region[3] = {from->column, from->columns, 1};
    const struct clg_range range = {from->buffer, from->at, from->column * from->columns};
    if (is_whole(from))
        return clg_stream_down(queue, &range, memory, after, done);
    const cl_int error = clEnqueueReadBufferRect(
        queue, from->buffer, CL_FALSE, origin, begin, region, from->pitch, 0, from->host_pitch, 0,
        memory, after ? 1 : 0, after ? &after : NULL, done);
    return error ? clg_cl_fail(error, "reading a matrix back") : CLGEMM_SUCCESS;
}
