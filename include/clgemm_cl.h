/* SPDX-License-Identifier: Apache-2.0
 * libclgemm on the caller's own OpenCL objects: buffers, queues, events, contexts.
 *
 * The library releases what it created and nothing else; it retains the caller's objects for as
 * long as it needs them. */
#ifndef CLGEMM_CL_H
#define CLGEMM_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include "clgemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clgemm_sgemm() on buffers, enqueued on `queue` (in-order or out-of-order); does not block on the
 * device, though the first call of a kind builds its program.
 *
 * Offsets and leading dimensions count elements. The commands wait for the `num_wait` events of
 * `wait_list`; `event`, if not NULL, receives an event that completes with C, owned by the caller,
 * also where there is nothing to do. Semantics as clgemm_sgemm(): a buffer that would not be read
 * may be NULL. A call that fails enqueues nothing that writes C, and leaves *event as it was.
 *
 * What goes wrong later, on the device, shows in `event`, whose status is then negative: a kernel
 * that failed leaves C unspecified; where an event of `wait_list` ends with an error, no kernel
 * runs and C stays as it was. `num_wait` without a `wait_list`, or the reverse, is
 * CL_INVALID_EVENT_WAIT_LIST; an event of another context is what the driver says of it.
 *
 * Programs are kept for the last 8 pairs of context and device that were used this way; these
 * contexts stay retained until others take their place or clgemm_clear_cache() is called. Use a
 * handle to decide that yourself. */
CLGEMM_API clgemm_status clgemm_sgemm_cl(clgemm_layout layout, clgemm_transpose ta,
                                         clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                         float alpha, cl_mem a, size_t a_offset, int64_t lda,
                                         cl_mem b, size_t b_offset, int64_t ldb, float beta,
                                         cl_mem c, size_t c_offset, int64_t ldc,
                                         cl_command_queue queue, cl_uint num_wait,
                                         const cl_event *wait_list, cl_event *event);

/* The same in double precision. */
CLGEMM_API clgemm_status clgemm_dgemm_cl(clgemm_layout layout, clgemm_transpose ta,
                                         clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                         double alpha, cl_mem a, size_t a_offset, int64_t lda,
                                         cl_mem b, size_t b_offset, int64_t ldb, double beta,
                                         cl_mem c, size_t c_offset, int64_t ldc,
                                         cl_command_queue queue, cl_uint num_wait,
                                         const cl_event *wait_list, cl_event *event);

/* clgemm_hgemm() on buffers of uint16_t. */
CLGEMM_API clgemm_status clgemm_hgemm_cl(clgemm_layout layout, clgemm_transpose ta,
                                         clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                         float alpha, cl_mem a, size_t a_offset, int64_t lda,
                                         cl_mem b, size_t b_offset, int64_t ldb, float beta,
                                         cl_mem c, size_t c_offset, int64_t ldc,
                                         cl_command_queue queue, cl_uint num_wait,
                                         const cl_event *wait_list, cl_event *event);

/* clgemm_gemm() on buffers, with all else as clgemm_sgemm_cl(). handle NULL: programs are kept as
 * clgemm_sgemm_cl() keeps them. */
CLGEMM_API clgemm_status clgemm_gemm_cl(clgemm_handle *handle, const clgemm_desc *desc,
                                        const void *alpha, cl_mem a, size_t a_offset, cl_mem b,
                                        size_t b_offset, const void *beta, cl_mem c,
                                        size_t c_offset, cl_command_queue queue, cl_uint num_wait,
                                        const cl_event *wait_list, cl_event *event);

/* clgemm_gemm_batch() on buffers: product z's matrices begin at the offsets a_offsets[z],
 * b_offsets[z] and c_offsets[z]. `event` completes with all of them. A failure may leave products
 * before it enqueued where the offsets do not lie evenly. */
CLGEMM_API clgemm_status clgemm_gemm_batch_cl(clgemm_handle *handle, const clgemm_desc *desc,
                                              size_t count, const void *alpha, cl_mem a,
                                              const size_t *a_offsets, cl_mem b,
                                              const size_t *b_offsets, const void *beta, cl_mem c,
                                              const size_t *c_offsets, cl_command_queue queue,
                                              cl_uint num_wait, const cl_event *wait_list,
                                              cl_event *event);

/* A handle for one device of the caller's context. Retains both until it is destroyed. */
CLGEMM_API clgemm_status clgemm_create_cl(clgemm_handle **out, cl_context context,
                                          cl_device_id device);

/* clgemm_sgemm_cl() with the handle's programs; `queue` must be of its context and device. */
CLGEMM_API clgemm_status clgemm_handle_sgemm_cl(
    clgemm_handle *handle, clgemm_layout layout, clgemm_transpose ta, clgemm_transpose tb,
    int64_t m, int64_t n, int64_t k, float alpha, cl_mem a, size_t a_offset, int64_t lda, cl_mem b,
    size_t b_offset, int64_t ldb, float beta, cl_mem c, size_t c_offset, int64_t ldc,
    cl_command_queue queue, cl_uint num_wait, const cl_event *wait_list, cl_event *event);

#ifdef __cplusplus
}
#endif
#endif
