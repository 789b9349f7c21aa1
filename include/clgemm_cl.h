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

/* ---- Operands packed once ----------------------------------------------------------------- */

/* An operand that many products have in common, such as a layer's weights, in the form in which the
 * device multiplies it quickest: packing is then no part of these products. */
typedef struct clgemm_packed clgemm_packed;

typedef enum { CLGEMM_PACK_A = 1, CLGEMM_PACK_B = 2 } clgemm_which;

/* Packs A, or B, of the products that `desc` describes: the matrix that begins at `offset` in the
 * buffer `matrix`. The other dimension of C, `m` where B is packed, is what later calls have about;
 * they may have any. Leading dimensions are those of a later call. In a batch all products use the
 * one matrix (its stride is 0), else CLGEMM_STATUS_UNSUPPORTED. handle NULL: as clgemm_sgemm_cl().
 *
 * Enqueued on `queue`, with num_wait, wait_list and event as clgemm_sgemm_cl() has them; the call
 * waits for compilers, as a warm-up does. Later calls, in whatever queue, wait for the packing by
 * themselves.
 *
 * The caller owns *out and ends it with clgemm_packed_release(); on failure it is NULL. The object
 * has device memory of its own beside what CLGEMM_WORKSPACE_MAX bounds: about as much as the
 * matrix, half as much again in mode ACCURATE, twice as much for 16 bits on a CPU; none where the
 * device multiplies the matrix as it lies. It retains the buffer in any case: some products read
 * the matrix itself, so its elements must stay as they are until the object is released and the
 * calls that use it are through. */
CLGEMM_API clgemm_status clgemm_pack_cl(clgemm_handle *handle, const clgemm_desc *desc,
                                        clgemm_which which, cl_mem matrix, size_t offset,
                                        cl_command_queue queue, cl_uint num_wait,
                                        const cl_event *wait_list, cl_event *event,
                                        clgemm_packed **out);

/* clgemm_gemm_cl() with the packed operand in the place of A, or of B; `other` is the other one.
 * `desc` is clgemm_pack_cl()'s but for C's other dimension, the other operand's fields, ldc, batch
 * and mode: a call in another mode than the packing's is right, but may have to read the matrix
 * itself. Results are as clgemm_gemm_cl()'s but for rounding. Any number of calls may use an object
 * at once.
 *
 * Fails with CLGEMM_STATUS_INVALID_PACKED where `packed` is NULL, was released, belongs to another
 * context or device than `queue`, or was packed for another type, layout, transpose, size or
 * leading dimension than desc has; and with the packing's status where that failed on the device.
 */
CLGEMM_API clgemm_status clgemm_gemm_packed_cl(clgemm_handle *handle, const clgemm_desc *desc,
                                               const void *alpha, clgemm_packed *packed,
                                               cl_mem other, size_t other_offset, const void *beta,
                                               cl_mem c, size_t c_offset, cl_command_queue queue,
                                               cl_uint num_wait, const cl_event *wait_list,
                                               cl_event *event);

/* Releases the object; NULL is fine. Calls under way and commands that they enqueued keep what they
 * need. It does not depend on the handle, which may be gone. */
CLGEMM_API void clgemm_packed_release(clgemm_packed *packed);

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
