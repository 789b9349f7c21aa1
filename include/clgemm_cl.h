/* SPDX-License-Identifier: Apache-2.0
 * libclgemm on the caller's own OpenCL objects: buffers, queues, events, contexts.
 *
 * The library releases what it created and nothing else. It retains the caller's objects for as
 * long as it needs them, so the caller may release them when a call has returned.
 *
 * Buffers. A and B need CL_MEM_READ_ONLY or CL_MEM_READ_WRITE, C needs CL_MEM_READ_WRITE. Flags on
 * host access and host pointers do not matter. A, B and C may be one buffer, with different
 * offsets. Sub-buffers are allowed: offsets count from the sub-buffer's start, and the matrix must
 * fit into it. A sub-buffer's origin must be aligned for the queue's device, else the call fails
 * with CL_MISALIGNED_SUB_BUFFER_OFFSET. OpenCL leaves undefined what happens if C is written
 * through one buffer object while A or B is read through another that shares its memory.
 *
 * Handles. clgemm_create_cl() makes a handle for the caller's context, which the functions of
 * <clgemm.h> take as well. A handle of clgemm_create() has a context of its own, so no queue of the
 * caller fits it. clgemm_gemm_cl(handle, &desc, ...) is how to multiply doubles, FP16 or bfloat16
 * with a handle. */
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

/* Enqueues clgemm_sgemm() on buffers to `queue`, which may be in-order or out-of-order. Does not
 * wait for the device, but the first call of a kind compiles its program.
 *
 * Offsets and leading dimensions count elements. The commands wait for the `num_wait` events of
 * `wait_list`. If `event` is not NULL, it receives an event that completes when C is written, also
 * if there is nothing to do; the caller releases it. Semantics are those of clgemm_sgemm(): a
 * buffer that would not be read or written may be NULL.
 *
 * A call that fails enqueues nothing that writes C, and does not set *event. Errors that happen
 * later, on the device, give `event` a negative status. If a kernel failed, C is unspecified. If an
 * event of `wait_list` ended with an error, no kernel runs and C is unchanged.
 *
 * Fails with CLGEMM_STATUS_INVALID_QUEUE if the queue is NULL or not a queue, and with
 * CL_INVALID_EVENT_WAIT_LIST if only one of `num_wait` and `wait_list` is set. If an event belongs
 * to another context, the status is the driver's.
 *
 * The library keeps programs for the last 8 pairs of context and device that were used without a
 * handle. It retains these contexts until others replace them or clgemm_clear_cache() is called. To
 * decide that yourself, use a handle. */
CLGEMM_API clgemm_status clgemm_sgemm_cl(clgemm_layout layout, clgemm_transpose ta,
                                         clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                         float alpha, cl_mem a, size_t a_offset, int64_t lda,
                                         cl_mem b, size_t b_offset, int64_t ldb, float beta,
                                         cl_mem c, size_t c_offset, int64_t ldc,
                                         cl_command_queue queue, cl_uint num_wait,
                                         const cl_event *wait_list, cl_event *event);

/* The same in double precision. Fails with CLGEMM_STATUS_UNSUPPORTED if the device has no doubles.
 */
CLGEMM_API clgemm_status clgemm_dgemm_cl(clgemm_layout layout, clgemm_transpose ta,
                                         clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                         double alpha, cl_mem a, size_t a_offset, int64_t lda,
                                         cl_mem b, size_t b_offset, int64_t ldb, double beta,
                                         cl_mem c, size_t c_offset, int64_t ldc,
                                         cl_command_queue queue, cl_uint num_wait,
                                         const cl_event *wait_list, cl_event *event);

/* The same in FP16, on buffers of uint16_t, as clgemm_hgemm() computes. */
CLGEMM_API clgemm_status clgemm_hgemm_cl(clgemm_layout layout, clgemm_transpose ta,
                                         clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                         float alpha, cl_mem a, size_t a_offset, int64_t lda,
                                         cl_mem b, size_t b_offset, int64_t ldb, float beta,
                                         cl_mem c, size_t c_offset, int64_t ldc,
                                         cl_command_queue queue, cl_uint num_wait,
                                         const cl_event *wait_list, cl_event *event);

/* The same for complex numbers, as clgemm_cgemm() and clgemm_zgemm() compute. Offsets and leading
 * dimensions count pairs. */
CLGEMM_API clgemm_status clgemm_cgemm_cl(clgemm_layout layout, clgemm_transpose ta,
                                         clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                         const void *alpha, cl_mem a, size_t a_offset, int64_t lda,
                                         cl_mem b, size_t b_offset, int64_t ldb, const void *beta,
                                         cl_mem c, size_t c_offset, int64_t ldc,
                                         cl_command_queue queue, cl_uint num_wait,
                                         const cl_event *wait_list, cl_event *event);
CLGEMM_API clgemm_status clgemm_zgemm_cl(clgemm_layout layout, clgemm_transpose ta,
                                         clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                         const void *alpha, cl_mem a, size_t a_offset, int64_t lda,
                                         cl_mem b, size_t b_offset, int64_t ldb, const void *beta,
                                         cl_mem c, size_t c_offset, int64_t ldc,
                                         cl_command_queue queue, cl_uint num_wait,
                                         const cl_event *wait_list, cl_event *event);

/* The general form of clgemm_sgemm_cl(), for the type, mode and batch that `desc` describes, as in
 * clgemm_gemm(). A handle must be of the queue's context and device, else the call fails with
 * CLGEMM_STATUS_INVALID_QUEUE. With a NULL handle, programs are kept as clgemm_sgemm_cl() says. */
CLGEMM_API clgemm_status clgemm_gemm_cl(clgemm_handle *handle, const clgemm_desc *desc,
                                        const void *alpha, cl_mem a, size_t a_offset, cl_mem b,
                                        size_t b_offset, const void *beta, cl_mem c,
                                        size_t c_offset, cl_command_queue queue, cl_uint num_wait,
                                        const cl_event *wait_list, cl_event *event);

/* Enqueues `count` products of one description on buffers, as clgemm_gemm_batch() does in host
 * memory: the matrices of product z begin at a_offsets[z], b_offsets[z] and c_offsets[z]. `event`
 * completes when all products have. If the offsets are not at equal, ascending distances, a call
 * that fails may leave earlier products enqueued. */
CLGEMM_API clgemm_status clgemm_gemm_batch_cl(clgemm_handle *handle, const clgemm_desc *desc,
                                              size_t count, const void *alpha, cl_mem a,
                                              const size_t *a_offsets, cl_mem b,
                                              const size_t *b_offsets, const void *beta, cl_mem c,
                                              const size_t *c_offsets, cl_command_queue queue,
                                              cl_uint num_wait, const cl_event *wait_list,
                                              cl_event *event);

/* Enqueues clgemm_level3() on buffers, as clgemm_gemm_cl() enqueues a product. Where the routine
 * has no B, `b` is not used. */
CLGEMM_API clgemm_status clgemm_level3_cl(clgemm_handle *handle, const clgemm_level3_desc *desc,
                                          const void *alpha, cl_mem a, size_t a_offset, cl_mem b,
                                          size_t b_offset, const void *beta, cl_mem c,
                                          size_t c_offset, cl_command_queue queue, cl_uint num_wait,
                                          const cl_event *wait_list, cl_event *event);

/* ---- Operands packed once ----------------------------------------------------------------- */

/* An operand that many products share, such as a layer's weights, packed for the device. Those
 * products then need no packing of their own. */
typedef struct clgemm_packed clgemm_packed;

/* The operand to pack. */
typedef enum { CLGEMM_PACK_A = 1, CLGEMM_PACK_B = 2 } clgemm_which;

/* Packs operand A or B of the products that `desc` describes: the matrix at `offset` in the buffer
 * `matrix`. If B is packed, later products may have any m, and desc->m is a typical one; if A is
 * packed, the same holds for n. Leading dimensions are those of later calls. In a batch all
 * products share the operand: its stride is 0, else the call fails with CLGEMM_STATUS_UNSUPPORTED.
 * A NULL handle is as in clgemm_gemm_cl().
 *
 * The packing is enqueued to `queue`; num_wait, wait_list and event are as in clgemm_sgemm_cl().
 * The call waits for the compiler even if CLGEMM_BUILD_BACKGROUND is set. Later products wait for
 * the packing by themselves, in any queue.
 *
 * The caller owns *out and ends it with clgemm_packed_release(). On failure *out is NULL. The
 * object owns device memory, which CLGEMM_WORKSPACE_MAX does not limit: about the size of the
 * matrix, 1.5 times that in mode ACCURATE, twice that for 16-bit types on a CPU, and none if the
 * device multiplies the matrix in place.
 *
 * The object always retains the buffer, because some products read the matrix itself. The elements
 * must not change until the object is released and the products that use it are complete.
 *
 * Statuses are those of clgemm_gemm_cl(). If `which` is neither A nor B, the status is
 * CLGEMM_STATUS_INVALID_DESC, and if `out` is NULL, CLGEMM_STATUS_INVALID_PACKED. */
CLGEMM_API clgemm_status clgemm_pack_cl(clgemm_handle *handle, const clgemm_desc *desc,
                                        clgemm_which which, cl_mem matrix, size_t offset,
                                        cl_command_queue queue, cl_uint num_wait,
                                        const cl_event *wait_list, cl_event *event,
                                        clgemm_packed **out);

/* Enqueues clgemm_gemm_cl() with a packed operand in place of A or B; `other` is the other operand.
 * `desc` must agree with that of clgemm_pack_cl() in type, layout, and the packed operand's size,
 * transpose and leading dimension. Everything else may differ, including the mode: a product in
 * another mode is right, but may have to read the matrix itself. Results may differ from those of
 * clgemm_gemm_cl() by rounding. Any number of calls may use the object at once.
 *
 * Fails with CLGEMM_STATUS_INVALID_PACKED if `packed` is NULL, was released, disagrees with desc,
 * or belongs to another context or device than `queue`. If the packing itself failed on the device,
 * the call has that status. */
CLGEMM_API clgemm_status clgemm_gemm_packed_cl(clgemm_handle *handle, const clgemm_desc *desc,
                                               const void *alpha, clgemm_packed *packed,
                                               cl_mem other, size_t other_offset, const void *beta,
                                               cl_mem c, size_t c_offset, cl_command_queue queue,
                                               cl_uint num_wait, const cl_event *wait_list,
                                               cl_event *event);

/* Releases a packed operand; NULL is fine. Calls under way and the commands that they enqueued keep
 * what they need. The handle that packed it may be destroyed before or after. */
CLGEMM_API void clgemm_packed_release(clgemm_packed *packed);

/* ---- Handles on the caller's context ------------------------------------------------------ */

/* Makes a handle for one device of the caller's context, and retains both until it is destroyed.
 * The caller owns *out and ends it with clgemm_destroy().
 *
 * On failure *out is NULL, and the status is CL_INVALID_CONTEXT or CL_INVALID_DEVICE (NULL, not of
 * the context, or what the driver says of it), CLGEMM_STATUS_NO_DEVICE (the device has no compiler
 * or is older than OpenCL 1.2), CLGEMM_STATUS_FORKED, CLGEMM_STATUS_OUT_OF_MEMORY,
 * CLGEMM_STATUS_INVALID_HANDLE (out is NULL), or the code of the OpenCL call that failed. */
CLGEMM_API clgemm_status clgemm_create_cl(clgemm_handle **out, cl_context context,
                                          cl_device_id device);

/* Enqueues clgemm_sgemm_cl() with the handle's programs. Fails with CLGEMM_STATUS_INVALID_HANDLE if
 * the handle is NULL, and with CLGEMM_STATUS_INVALID_QUEUE if `queue` is not of the handle's
 * context and device. For other types call clgemm_gemm_cl() with the handle. */
CLGEMM_API clgemm_status clgemm_handle_sgemm_cl(
    clgemm_handle *handle, clgemm_layout layout, clgemm_transpose ta, clgemm_transpose tb,
    int64_t m, int64_t n, int64_t k, float alpha, cl_mem a, size_t a_offset, int64_t lda, cl_mem b,
    size_t b_offset, int64_t ldb, float beta, cl_mem c, size_t c_offset, int64_t ldc,
    cl_command_queue queue, cl_uint num_wait, const cl_event *wait_list, cl_event *event);

#ifdef __cplusplus
}
#endif
#endif
