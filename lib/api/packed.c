/* SPDX-License-Identifier: Apache-2.0
 * clgemm_pack_cl, clgemm_gemm_packed_cl and clgemm_packed_release: operands packed once.
 *
 * The memory of a released object is kept for the next one, so that a call with a released object
 * is detected and fails. The memory kept is that of the largest number of objects at a time. */
#include <inttypes.h>
#include <stdlib.h>

#include "api/call.h"
#include "api/gemm_cl.h"
#include "base/caller.h"
#include "base/process.h"

struct clgemm_packed {
    struct clg_packed packed;
    clgemm_which which;
    size_t offset;    /* of the matrix in its buffer */
    clgemm_desc desc; /* of which only the operand's fields matter */
    cl_context context;
    cl_device_id device;
    bool live;                  /* guarded by the lock, like the next two */
    int users;                  /* calls in progress, plus one while it is live */
    struct clgemm_packed *next; /* in the list of released ones */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct clgemm_packed *released;

/* ---- Owners ---- */

static struct clgemm_packed *new_object(void) {
    pthread_mutex_lock(&lock);
    struct clgemm_packed *object = released;
    if (object)
        released = object->next;
    pthread_mutex_unlock(&lock);
    return object ? object : malloc(sizeof *object);
}

static void keep(struct clgemm_packed *object) {
    pthread_mutex_lock(&lock);
    object->live = false;
    object->next = released;
    released = object;
    pthread_mutex_unlock(&lock);
}

static clgemm_status begin_use(struct clgemm_packed *object) {
    clgemm_status status = clg_process_check_fork();
    if (status)
        return status;
    if (!object)
        return clg_fail(CLGEMM_STATUS_INVALID_PACKED, "packed is NULL");
    pthread_mutex_lock(&lock);
    const bool live = object->live;
    object->users += live;
    pthread_mutex_unlock(&lock);
    return live ? CLGEMM_SUCCESS
                : clg_fail(CLGEMM_STATUS_INVALID_PACKED, "the packed operand was released");
}

/* The last user ends it. `releases`: the user is the one that counts while it is live. */
static void end_use(struct clgemm_packed *object, bool releases) {
    pthread_mutex_lock(&lock);
    const bool counts = !releases || object->live;
    object->live = object->live && !releases;
    object->users -= counts;
    const bool last = counts && object->users == 0;
    pthread_mutex_unlock(&lock);
    if (last) {
        clg_packed_end(&object->packed);
        keep(object);
    }
}

void clgemm_packed_release(clgemm_packed *packed) {
    if (!packed || clg_process_is_child()) /* a child cannot use OpenCL */
        return;
    const struct clg_caller caller = clg_caller_hold();
    end_use(packed, true);
    clg_caller_release(&caller, CLGEMM_SUCCESS);
}

/* ---- The operand of a description ---- */

/* The part of a description that belongs to the operand. */
struct operand {
    int64_t rows, cols, ld, stride; /* of op() */
    clgemm_transpose t;
};

static struct operand operand_of(const clgemm_desc *desc, clgemm_which which) {
    return which == CLGEMM_PACK_A
               ? (struct operand){desc->m, desc->k, desc->lda, desc->stride_a, desc->ta}
               : (struct operand){desc->k, desc->n, desc->ldb, desc->stride_b, desc->tb};
}

static int index_of(clgemm_which which) {
    return which == CLGEMM_PACK_A ? CLG_A : CLG_B;
}

static clgemm_status check_batch(const clgemm_desc *desc, clgemm_which which) {
    const struct operand operand = operand_of(desc, which);
    if (desc->batch > 1 && operand.stride != 0)
        return clg_fail(CLGEMM_STATUS_UNSUPPORTED,
                        "stride_%c = %" PRId64 ": the products of a batch share a packed operand",
                        "ab"[index_of(which)], operand.stride);
    return CLGEMM_SUCCESS;
}

static clgemm_status check_same(const struct clgemm_packed *object, const clgemm_desc *desc) {
    const char name = "AB"[index_of(object->which)], lower = "ab"[index_of(object->which)];
    const struct operand was = operand_of(&object->desc, object->which);
    const struct operand is = operand_of(desc, object->which);
    if (desc->type != object->desc.type)
        return clg_fail(CLGEMM_STATUS_INVALID_PACKED, "%c was packed as type %s, desc has %s", name,
                        clg_types[object->desc.type].name, clg_types[desc->type].name);
    if (desc->layout != object->desc.layout)
        return clg_fail(CLGEMM_STATUS_INVALID_PACKED, "%c was packed for layout = %d, desc has %d",
                        name, (int)object->desc.layout, (int)desc->layout);
    if ((is.t == CLGEMM_NO_TRANS) != (was.t == CLGEMM_NO_TRANS))
        return clg_fail(CLGEMM_STATUS_INVALID_PACKED, "%c was packed for t%c = %d, desc has %d",
                        name, lower, (int)was.t, (int)is.t);
    if (is.rows != was.rows || is.cols != was.cols)
        return clg_fail(CLGEMM_STATUS_INVALID_PACKED,
                        "op(%c) was packed as %" PRId64 " x %" PRId64 ", desc has %" PRId64
                        " x %" PRId64,
                        name, was.rows, was.cols, is.rows, is.cols);
    if (is.ld != was.ld)
        return clg_fail(CLGEMM_STATUS_INVALID_PACKED,
                        "%c was packed with ld%c = %" PRId64 ", desc has %" PRId64, name, lower,
                        was.ld, is.ld);
    return check_batch(desc, object->which);
}

/* An invalid queue is reported with the other arguments. */
static clgemm_status check_place(const struct clgemm_packed *object, cl_command_queue queue) {
    cl_context context = NULL;
    cl_device_id device = NULL;
    if (!clg_queue_owner(queue, &context, &device) &&
        (context != object->context || device != object->device))
        return clg_fail(CLGEMM_STATUS_INVALID_PACKED,
                        "the operand was packed for another context or device than the queue's");
    return CLGEMM_SUCCESS;
}

/* ---- Packing ---- */

/* The problem of the description, with at least one row and column, so that there is something to
 * pack. */
static clgemm_status check_packing(struct clg_problem *out, struct clg_call *call,
                                   clgemm_handle *handle, const clgemm_desc *desc,
                                   clgemm_which which, const struct clg_objects *objects,
                                   cl_context *context, cl_device_id *device) {
    const void *alpha = clg_scalar_of(desc->type, true);
    clgemm_desc ours = *desc;
    int64_t *free_size = which == CLGEMM_PACK_A ? &ours.n : &ours.m;
    if (*free_size == 0)
        *free_size = 1;
    clgemm_status status = clg_call_init(call, &ours, clg_handle_math(handle), alpha, alpha);
    if (status || (status = clg_objects_check(out, call, objects, context, device)))
        return status;
    out->ahead = (struct clg_ahead){.wanted = out->work == CLG_WORK_MULTIPLY,
                                    .which = clg_problem_source(out, index_of(which)),
                                    .math = out->math};
    return CLGEMM_SUCCESS;
}

static clgemm_status pack(struct clgemm_packed *object, clgemm_handle *handle,
                          const clgemm_desc *desc, const struct clg_objects *objects) {
    const int index = index_of(object->which);
    struct clg_call call;
    struct clg_problem problem;
    clgemm_handle *used = NULL;
    clgemm_status status = check_batch(desc, object->which);
    if (status || (status = check_packing(&problem, &call, handle, desc, object->which, objects,
                                          &object->context, &object->device)))
        return status;
    if ((status = clg_shared_use_for(handle, object->context, object->device, &used)))
        return status;
    status = clg_packed_make(&object->packed, &used->engine, &problem, objects->matrix[index],
                             &objects->where, objects->event);
    if (status) {
        clg_packed_end(&object->packed);
        clg_trace_failure(&call, status);
    }
    clg_shared_end(handle, used, status);
    return status;
}

static clgemm_status pack_cl(clgemm_handle *handle, const clgemm_desc *desc, clgemm_which which,
                             const struct clg_objects *objects, clgemm_packed **out) {
    clgemm_status status = handle ? clg_handle_check(handle) : clg_process_check_fork();
    if (status)
        return status;
    if (which != CLGEMM_PACK_A && which != CLGEMM_PACK_B)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC,
                        "which = %d is neither CLGEMM_PACK_A nor CLGEMM_PACK_B", (int)which);
    struct clgemm_packed *object = new_object();
    if (!object)
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a packed operand");
    *object = (struct clgemm_packed){.which = which,
                                     .offset = objects->offset[index_of(which)],
                                     .desc = *desc,
                                     .live = true,
                                     .users = 1};
    if ((status = pack(object, handle, desc, objects))) {
        keep(object);
        return status;
    }
    *out = object;
    return CLGEMM_SUCCESS;
}

clgemm_status clgemm_pack_cl(clgemm_handle *handle, const clgemm_desc *desc, clgemm_which which,
                             cl_mem matrix, size_t offset, cl_command_queue queue, cl_uint num_wait,
                             const cl_event *wait_list, cl_event *event, clgemm_packed **out) {
    const int index = index_of(which);
    struct clg_objects objects = {
        .where = {queue, num_wait, wait_list}, .event = event, .later = {true, true, true}};
    clgemm_desc ours;
    if (!out)
        return clg_fail(CLGEMM_STATUS_INVALID_PACKED,
                        "the place to store the packed operand is NULL");
    *out = NULL;
    objects.matrix[index] = matrix;
    objects.offset[index] = offset;
    objects.later[index] = false;
    clgemm_status status = clg_desc_read(&ours, desc);
    if (status)
        return status;
    const struct clg_caller caller = clg_caller_hold();
    return clg_caller_release(&caller, pack_cl(handle, &ours, which, &objects, out));
}

/* ---- Products ---- */

static clgemm_status multiply(clgemm_handle *handle, const clgemm_desc *desc, const void *alpha,
                              const void *beta, struct clgemm_packed *object,
                              struct clg_objects *objects) {
    const int index = index_of(object->which);
    clgemm_status status = check_same(object, desc);
    if (status || (status = check_place(object, objects->where.queue)))
        return status;
    objects->matrix[index] = object->packed.source;
    objects->offset[index] = object->offset;
    objects->packed = &object->packed;
    return clg_gemm_cl(handle, desc, alpha, beta, objects);
}

clgemm_status clgemm_gemm_packed_cl(clgemm_handle *handle, const clgemm_desc *desc,
                                    const void *alpha, clgemm_packed *packed, cl_mem other,
                                    size_t other_offset, const void *beta, cl_mem c,
                                    size_t c_offset, cl_command_queue queue, cl_uint num_wait,
                                    const cl_event *wait_list, cl_event *event) {
    struct clg_objects objects = {.where = {queue, num_wait, wait_list}, .event = event};
    clgemm_desc ours;
    clgemm_status status = clg_desc_read(&ours, desc);
    if (status)
        return status;
    const struct clg_caller caller = clg_caller_hold();
    if (!(status = begin_use(packed))) {
        const int index = CLG_A + CLG_B - index_of(packed->which);
        objects.matrix[index] = other;
        objects.offset[index] = other_offset;
        objects.matrix[CLG_C] = c;
        objects.offset[CLG_C] = c_offset;
        status = multiply(handle, &ours, alpha, beta, packed, &objects);
        end_use(packed, false);
    }
    return clg_caller_release(&caller, status);
}
