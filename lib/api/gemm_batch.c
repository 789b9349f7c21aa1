/* SPDX-License-Identifier: Apache-2.0
 * clgemm_gemm_batch and clgemm_gemm_batch_cl: batches of matrices at arbitrary places. At equal
 * distances they are a strided batch; otherwise each product is a call of its own. */
#include <inttypes.h>
#include <stdlib.h>

#include "api/call.h"
#include "api/gemm_cl.h"
#include "base/caller.h"
#include "base/checked.h"
#include "clgemm_cl.h"
#include "device/event.h"

static const clgemm_status invalid[] = {
    [CLG_A] = CLGEMM_STATUS_INVALID_A,
    [CLG_B] = CLGEMM_STATUS_INVALID_B,
    [CLG_C] = CLGEMM_STATUS_INVALID_C,
};

/* Whether each C begins after the end of the one before. */
static bool are_apart(const clgemm_desc *desc) {
    const bool by_rows = desc->layout == CLGEMM_ROW_MAJOR;
    int64_t span;
    return clg_span(by_rows ? desc->n : desc->m, by_rows ? desc->m : desc->n, desc->ldc, 0, 1,
                    &span) &&
           desc->stride_c >= span;
}

/* Describes all products as one strided batch. False if that is not possible. `places` of matrices
 * that the work does not need may be NULL. */
static bool make_strided(clgemm_desc *desc, enum clg_work work, size_t count,
                         const void *const places[CLG_MATRICES], size_t unit) {
    int64_t *const strides[] = {&desc->stride_a, &desc->stride_b, &desc->stride_c};
    desc->batch = (int64_t)count; /* negative if there are too many */
    bool even = desc->batch >= 0;
    for (int i = 0; i < CLG_MATRICES && even; i++)
        even = !clg_work_needs(work, i) || clg_are_even(places[i], count, unit, strides[i]);
    return even && (count < 2 || are_apart(desc));
}

/* The checks that both functions begin with, and the work to do. */
static clgemm_status begin(clgemm_desc *ours, const clgemm_desc *desc, const void *alpha,
                           const void *beta, size_t count, const void *const places[CLG_MATRICES],
                           enum clg_work *work) {
    struct clg_call call;
    clgemm_status status = clg_desc_read(ours, desc);
    if (!status && ours->batch > 1)
        status =
            clg_fail(CLGEMM_STATUS_INVALID_DESC,
                     "desc->batch = %" PRId64 " is not 0 or 1: `count` is the number of products",
                     ours->batch);
    ours->batch = 0;
    if (status || (status = clg_call_init(&call, ours, CLGEMM_MATH_STRICT, alpha, beta)))
        return status;
    *work = clg_call_work(&call);
    for (int i = 0; i < CLG_MATRICES && !status; i++)
        if (count > 0 && clg_work_needs(*work, i) && !places[i])
            status = clg_fail(invalid[i], "the array of %c is NULL", "ABC"[i]);
    return status;
}

/* ---- Host matrices ---- */

static clgemm_status check_pointers(enum clg_work work, size_t count,
                                    const void *const places[CLG_MATRICES]) {
    for (int i = 0; i < CLG_MATRICES; i++)
        for (size_t z = 0; clg_work_needs(work, i) && z < count; z++)
            if (!clg_place(places[i], z))
                return clg_fail(invalid[i], "%c of product %zu is NULL", "ABC"[i], z);
    return CLGEMM_SUCCESS;
}

static clgemm_status gemm_batch(clgemm_handle *handle, const clgemm_desc *desc, size_t count,
                                const void *alpha, const void *const *a, const void *const *b,
                                const void *beta, void *const *c) {
    const void *const places[] = {(const void *)a, (const void *)b, (const void *)c};
    clgemm_desc ours;
    enum clg_work work;
    clgemm_status status = begin(&ours, desc, alpha, beta, count, places, &work);
    if (status || (status = check_pointers(work, count, places)))
        return status;
    if (count == 0) /* nothing to do, but all is checked */
        return clgemm_gemm(handle, &ours, clg_scalar_of(ours.type, false), NULL, NULL,
                           clg_scalar_of(ours.type, true), NULL);
    const clgemm_desc each = ours;
    const bool reads = work == CLG_WORK_MULTIPLY, writes = work != CLG_WORK_NOTHING;
    if (make_strided(&ours, work, count, places, clg_type_size(ours.type)))
        return clgemm_gemm(handle, &ours, alpha, reads ? a[0] : NULL, reads ? b[0] : NULL, beta,
                           writes ? c[0] : NULL);
    for (size_t z = 0; z < count && !status; z++)
        status = clgemm_gemm(handle, &each, alpha, reads ? a[z] : NULL, reads ? b[z] : NULL, beta,
                             writes ? c[z] : NULL);
    return status;
}

clgemm_status clgemm_gemm_batch(clgemm_handle *handle, const clgemm_desc *desc, size_t count,
                                const void *alpha, const void *const *a, const void *const *b,
                                const void *beta, void *const *c) {
    const struct clg_caller caller = clg_caller_hold();
    return clg_caller_release(&caller, gemm_batch(handle, desc, count, alpha, a, b, beta, c));
}

/* ---- Buffers ---- */

/* The matrices of product z, or of all from there on, are at these offsets. */
static clgemm_status enqueue(clgemm_handle *handle, const clgemm_desc *desc, const void *alpha,
                             const void *beta, const struct clg_objects *objects,
                             const void *const offsets[CLG_MATRICES], size_t z, cl_event *event) {
    struct clg_objects one = *objects;
    one.event = event;
    for (int i = 0; i < CLG_MATRICES; i++)
        one.offset[i] = offsets[i] ? clg_place(offsets[i], z) : 0;
    return clg_gemm_cl(handle, desc, alpha, beta, &one);
}

/* Makes one call per product. The event covers all of them. */
static clgemm_status enqueue_each(clgemm_handle *handle, const clgemm_desc *desc, size_t count,
                                  const void *alpha, const void *beta,
                                  const struct clg_objects *objects,
                                  const void *const offsets[CLG_MATRICES]) {
    cl_event *done = objects->event ? calloc(count, sizeof *done) : NULL;
    clgemm_status status = objects->event && !done
                               ? clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for events")
                               : CLGEMM_SUCCESS;
    for (size_t z = 0; z < count && !status; z++)
        status = enqueue(handle, desc, alpha, beta, objects, offsets, z, done ? &done[z] : NULL);
    if (!status && done)
        status = clg_event_join(objects->where.queue, count, done, objects->event);
    for (size_t z = 0; done && z < count; z++)
        clg_event_release(done[z]);
    free(done);
    return status;
}

static clgemm_status gemm_batch_cl(clgemm_handle *handle, const clgemm_desc *desc, size_t count,
                                   const void *alpha, const void *beta,
                                   const struct clg_objects *objects,
                                   const void *const offsets[CLG_MATRICES]) {
    const struct clg_objects none = {.where = objects->where, .event = objects->event};
    clgemm_desc ours;
    enum clg_work work;
    clgemm_status status = begin(&ours, desc, alpha, beta, count, offsets, &work);
    if (status)
        return status;
    if (count == 0)
        return clg_gemm_cl(handle, &ours, clg_scalar_of(ours.type, false),
                           clg_scalar_of(ours.type, true), &none);
    const clgemm_desc each = ours;
    return make_strided(&ours, work, count, offsets, 1)
               ? enqueue(handle, &ours, alpha, beta, objects, offsets, 0, objects->event)
               : enqueue_each(handle, &each, count, alpha, beta, objects, offsets);
}

clgemm_status clgemm_gemm_batch_cl(clgemm_handle *handle, const clgemm_desc *desc, size_t count,
                                   const void *alpha, cl_mem a, const size_t *a_offsets, cl_mem b,
                                   const size_t *b_offsets, const void *beta, cl_mem c,
                                   const size_t *c_offsets, cl_command_queue queue,
                                   cl_uint num_wait, const cl_event *wait_list, cl_event *event) {
    const struct clg_objects objects = {
        .matrix = {a, b, c}, .where = {queue, num_wait, wait_list}, .event = event};
    const void *const offsets[] = {a_offsets, b_offsets, c_offsets};
    const struct clg_caller caller = clg_caller_hold();
    return clg_caller_release(&caller,
                              gemm_batch_cl(handle, desc, count, alpha, beta, &objects, offsets));
}
