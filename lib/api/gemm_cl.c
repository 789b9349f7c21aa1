/* SPDX-License-Identifier: Apache-2.0
 * clgemm_gemm_cl, clgemm_sgemm_cl and its relatives, and clgemm_handle_sgemm_cl: the caller's
 * buffers and queue. */
#include "api/gemm_cl.h"

#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "base/caller.h"
#include "base/log.h"
#include "base/process.h"
#include "device/buffer.h"
#include "device/error.h"
#include "device/event.h"

enum { USUAL_ALIGNMENT = 64 }; /* of a buffer that a runtime allocated */

static clgemm_status query(struct clg_operand *operand, cl_mem buffer, bool needed,
                           cl_context context) {
    struct clg_buffer_info info;
    operand->unusable = buffer ? NULL : "is NULL";
    operand->bytes = UINT64_MAX;
    operand->alignment = 1;
    if (!needed || !buffer)
        return CLGEMM_SUCCESS;
    const clgemm_status status = clg_buffer_query(buffer, &info);
    if (status == (clgemm_status)CL_INVALID_MEM_OBJECT)
        operand->unusable = "is not an OpenCL buffer";
    if (status)
        return operand->unusable ? CLGEMM_SUCCESS : status;
    if (context && info.context != context) {
        operand->unusable = "is a buffer of another context than the queue";
    } else {
        operand->bytes = info.bytes;
        operand->alignment = info.alignment;
    }
    return CLGEMM_SUCCESS;
}

clgemm_status clg_operands_query(struct clg_call *call, const struct clg_objects *objects,
                                 const bool needed[CLG_MATRICES], cl_context context) {
    clgemm_status unknown = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES; i++) {
        call->operand[i].offset = objects->offset[i];
        const clgemm_status asked =
            query(&call->operand[i], objects->matrix[i], needed[i], context);
        unknown = unknown ? unknown : asked;
    }
    return unknown;
}

clgemm_status clg_queue_check(const struct clg_enqueue *where, clgemm_status unknown,
                              clgemm_status queue_status) {
    cl_context context;
    cl_device_id id;
    if (unknown)
        return clg_cl_fail((cl_int)unknown, "querying a buffer");
    if (queue_status && clg_queue_owner(where->queue, &context, &id))
        return queue_status; /* asked again for its error text */
    if (queue_status)
        return clg_fail(queue_status, "the queue could not be queried");
    if ((where->num_wait == 0) != (where->wait_list == NULL))
        return clg_fail((clgemm_status)CL_INVALID_EVENT_WAIT_LIST,
                        "num_wait = %u does not match wait_list = %s", where->num_wait,
                        where->wait_list ? "an array" : "NULL");
    return CLGEMM_SUCCESS;
}

clgemm_status clg_objects_check(struct clg_problem *out, struct clg_call *call,
                                const struct clg_objects *objects, cl_context *context,
                                cl_device_id *id) {
    const enum clg_work work = clg_call_work(call);
    const clgemm_status queue_status = clg_queue_owner(objects->where.queue, context, id);
    bool needed[CLG_MATRICES];
    for (int i = 0; i < CLG_MATRICES; i++)
        needed[i] = clg_work_needs(work, i);
    const clgemm_status unknown =
        clg_operands_query(call, objects, needed, queue_status ? NULL : *context);
    for (int i = 0; i < CLG_MATRICES; i++)
        if (objects->later[i]) {
            call->operand[i].unusable = NULL;
            call->operand[i].alignment = USUAL_ALIGNMENT;
        }
    clgemm_status status = clg_problem_init(out, call);
    if (status)
        return status;
    return clg_queue_check(&objects->where, unknown, queue_status);
}

/* What a verbose line needs when the commands have ended. */
struct line {
    struct clg_call call;
    struct clg_plan plan;
    struct clg_facts facts;
};

static void write_line(double ms, void *user) {
    struct line *line = user;
    clg_trace_call(&line->call, &line->plan, &line->facts, ms);
    free(line);
}

/* Logs the call when it has ended, if the queue can measure the time, else now. */
static void trace(const struct clg_call *call, const struct clg_plan *plan,
                  const struct clg_facts *facts, cl_event first, cl_event last) {
    struct line *line = last ? malloc(sizeof *line) : NULL;
    if (line) {
        *line = (struct line){*call, *plan, *facts};
        clg_when_done(first, last, write_line, line);
    } else {
        clg_trace_call(call, plan, facts, -1);
        clg_event_release(first);
    }
}

/* The caller's events and one more. NULL if memory is short. */
static cl_event *join_waits(const struct clg_enqueue *where, cl_event more) {
    cl_event *all = malloc((where->num_wait + (size_t)1) * sizeof *all);
    if (!all)
        return NULL;
    if (where->num_wait > 0)
        memcpy(all, where->wait_list, where->num_wait * sizeof *all);
    all[where->num_wait] = more;
    return all;
}

/* Executes a plan, after the packing of a packed operand. */
static clgemm_status carry_out(struct clg_engine *engine, const struct clg_prepared *prepared,
                               const struct clg_arguments *arguments,
                               const struct clg_objects *objects, cl_event *first, cl_event *last) {
    struct clg_enqueue where = objects->where;
    cl_event packing = NULL;
    clgemm_status status =
        objects->packed ? clg_packed_wait(objects->packed, &packing) : CLGEMM_SUCCESS;
    if (status)
        return status;
    cl_event *waits = packing ? join_waits(&where, packing) : NULL;
    if (waits) {
        where.wait_list = waits;
        where.num_wait++;
    }
    status = packing && !waits
                 ? clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a list of events")
                 : clg_exec(engine->device, prepared, arguments, &where, first, last);
    clg_event_release(packing);
    free(waits);
    return status;
}

static clgemm_status enqueue(clgemm_handle *handle, const struct clg_call *call,
                             struct clg_problem *problem, const struct clg_objects *objects) {
    struct clg_engine *engine = &handle->engine;
    const bool timed = clg_log_on(CLG_LOG_CALLS) && clg_queue_profiles(objects->where.queue);
    struct clg_arguments arguments = {.scalars = call->scalars};
    const struct clg_prepared *prepared;
    cl_event first = NULL, last = NULL;
    for (int i = 0; i < CLG_MATRICES; i++)
        arguments.memory[i] =
            (struct clg_memory){.buffer = objects->matrix[clg_problem_source(problem, i)],
                                .offset = problem->matrix[i].offset};
    if (objects->packed)
        clg_packed_use(objects->packed, problem, &arguments);
    clgemm_status status = clg_engine_plan(engine, problem, &prepared);
    if (!status)
        status = carry_out(engine, prepared, &arguments, objects, timed ? &first : NULL,
                           timed || objects->event ? &last : NULL);
    if (!status && clg_log_on(CLG_LOG_CALLS))
        trace(call, &prepared->plan, &engine->device->facts, first, timed ? last : NULL);
    if (!status && objects->event)
        *objects->event = last;
    else
        clg_event_release(last);
    clg_engine_release(prepared);
    return status;
}

clgemm_status clg_gemm_cl(clgemm_handle *handle, const clgemm_desc *desc, const void *alpha,
                          const void *beta, const struct clg_objects *objects) {
    struct clg_call call;
    struct clg_problem problem;
    cl_context context = NULL;
    cl_device_id id = NULL;
    clgemm_handle *used = NULL;
    const struct clg_caller caller = clg_caller_hold();
    clgemm_status status = handle ? clg_handle_check(handle) : clg_process_check_fork();
    if (status || (status = clg_call_init(&call, desc, clg_handle_math(handle), alpha, beta)))
        return clg_caller_release(&caller, status);
    status = clg_objects_check(&problem, &call, objects, &context, &id);
    if (!status && !(status = clg_shared_use_for(handle, context, id, &used))) {
        status = enqueue(used, &call, &problem, objects);
        clg_shared_end(handle, used, status);
    }
    if (status)
        clg_trace_failure(&call, status);
    return clg_caller_release(&caller, status);
}

clgemm_status clgemm_gemm_cl(clgemm_handle *handle, const clgemm_desc *desc, const void *alpha,
                             cl_mem a, size_t a_offset, cl_mem b, size_t b_offset, const void *beta,
                             cl_mem c, size_t c_offset, cl_command_queue queue, cl_uint num_wait,
                             const cl_event *wait_list, cl_event *event) {
    const struct clg_objects objects = {.matrix = {a, b, c},
                                        .offset = {a_offset, b_offset, c_offset},
                                        .where = {queue, num_wait, wait_list},
                                        .event = event};
    clgemm_desc ours;
    clgemm_status status = clg_desc_read(&ours, desc);
    return status ? status : clg_gemm_cl(handle, &ours, alpha, beta, &objects);
}

#define BY_NAME(name, type, input, output, factor, address)                                     \
    clgemm_status clgemm_##name##_cl(                                                           \
        clgemm_layout layout, clgemm_transpose ta, clgemm_transpose tb, int64_t m, int64_t n,   \
        int64_t k, factor alpha, cl_mem a, size_t a_offset, int64_t lda, cl_mem b,              \
        size_t b_offset, int64_t ldb, factor beta, cl_mem c, size_t c_offset, int64_t ldc,      \
        cl_command_queue queue, cl_uint num_wait, const cl_event *wait_list, cl_event *event) { \
        const clgemm_desc desc =                                                                \
            clg_gemm_desc(CLGEMM_##type, layout, ta, tb, m, n, k, lda, ldb, ldc);               \
        return clgemm_gemm_cl(NULL, &desc, address(alpha), a, a_offset, b, b_offset,            \
                              address(beta), c, c_offset, queue, num_wait, wait_list, event);   \
    }
CLG_GEMM_NAMES(BY_NAME)

clgemm_status clgemm_handle_sgemm_cl(clgemm_handle *handle, clgemm_layout layout,
                                     clgemm_transpose ta, clgemm_transpose tb, int64_t m, int64_t n,
                                     int64_t k, float alpha, cl_mem a, size_t a_offset, int64_t lda,
                                     cl_mem b, size_t b_offset, int64_t ldb, float beta, cl_mem c,
                                     size_t c_offset, int64_t ldc, cl_command_queue queue,
                                     cl_uint num_wait, const cl_event *wait_list, cl_event *event) {
    const clgemm_desc desc = clg_gemm_desc(CLGEMM_F32, layout, ta, tb, m, n, k, lda, ldb, ldc);
    return handle ? clgemm_gemm_cl(handle, &desc, &alpha, a, a_offset, b, b_offset, &beta, c,
                                   c_offset, queue, num_wait, wait_list, event)
                  : clg_handle_check(handle);
}
