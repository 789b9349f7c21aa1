/* SPDX-License-Identifier: Apache-2.0
 * clgemm_sgemm_cl and clgemm_handle_sgemm_cl: the caller's buffers and queue. */
#include <stdlib.h>

#include "api/handle.h"
#include "api/trace.h"
#include "base/log.h"
#include "device/buffer.h"
#include "device/event.h"
#include "gemm/exec.h"

/* Asks about a buffer that the call reads or writes. A buffer of another context counts as one
 * that is not there. */
static clgemm_status look_at(struct clg_operand *operand, cl_mem buffer, bool needed,
                             cl_context context, clgemm_status invalid, char name) {
    operand->present = buffer != NULL;
    operand->bytes = UINT64_MAX;
    operand->alignment = sizeof(float);
    if (!needed || !buffer)
        return CLGEMM_SUCCESS;
    struct clg_buffer_info info;
    if (clg_buffer_query(buffer, &info))
        return clg_fail(invalid, "%c is no OpenCL buffer", name);
    if (context && info.context != context)
        return clg_fail(invalid, "%c is a buffer of another context than the queue", name);
    operand->bytes = info.bytes;
    operand->alignment = info.alignment;
    return CLGEMM_SUCCESS;
}

/* What of a call is the caller's OpenCL objects. */
struct objects {
    cl_mem a, b, c;
    struct clg_enqueue where;
    cl_event *event;
};

/* Checks in the order of the arguments: a queue that is wrong is reported only if all before it is
 * right, though buffers are compared with its context. */
static clgemm_status check(struct clg_problem *out, struct clg_call *call,
                           const struct objects *objects, cl_context *context, cl_device_id *id) {
    const enum clg_work work = clg_call_work(call);
    const clgemm_status queue_status = clg_queue_owner(objects->where.queue, context, id);
    const cl_context known = queue_status ? NULL : *context;
    clgemm_status found[3];
    found[0] = look_at(&call->a, objects->a, work == CLG_WORK_MULTIPLY, known,
                       CLGEMM_STATUS_INVALID_A, 'A');
    found[1] = look_at(&call->b, objects->b, work == CLG_WORK_MULTIPLY, known,
                       CLGEMM_STATUS_INVALID_B, 'B');
    found[2] = look_at(&call->c, objects->c, work != CLG_WORK_NOTHING, known,
                       CLGEMM_STATUS_INVALID_C, 'C');
    /* A buffer of no use is as good as none, and clg_problem_init knows its turn in the order. */
    call->a.present &= !found[0];
    call->b.present &= !found[1];
    call->c.present &= !found[2];
    clgemm_status status = clg_problem_init(out, call);
    if (status)
        return status;
    if (queue_status)
        return clg_queue_owner(objects->where.queue, context, id); /* again, for its text */
    if ((objects->where.num_wait == 0) != (objects->where.wait_list == NULL))
        return clg_fail((clgemm_status)CL_INVALID_EVENT_WAIT_LIST,
                        "num_wait = %u does not go with wait_list = %s", objects->where.num_wait,
                        objects->where.wait_list ? "an array" : "NULL");
    return CLGEMM_SUCCESS;
}

/* What a verbose line needs when the commands are through. */
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

/* Logs the call when it is done, where the queue can tell the time, else now. */
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

static clgemm_status enqueue(clgemm_handle *handle, const struct clg_call *call,
                             const struct clg_problem *problem, const struct objects *objects) {
    const struct clg_facts *facts = &clg_programs_device(handle->programs)->facts;
    const bool swapped = call->layout == CLGEMM_ROW_MAJOR;
    const struct clg_places places = {.a.buffer = swapped ? objects->b : objects->a,
                                      .b.buffer = swapped ? objects->a : objects->b,
                                      .c.buffer = objects->c};
    const bool timed = clg_log_on(CLG_LOG_CALLS) && clg_queue_profiles(objects->where.queue);
    cl_event first = NULL, last = NULL;
    struct clg_plan plan;
    clgemm_status status = clg_memo_plan(&handle->memo, problem, &plan);
    if (!status)
        status = clg_exec(handle->programs, &plan, &places, &objects->where, timed ? &first : NULL,
                          timed || objects->event ? &last : NULL);
    if (status)
        return status;
    if (clg_log_on(CLG_LOG_CALLS))
        trace(call, &plan, facts, first, timed ? last : NULL);
    if (objects->event)
        *objects->event = last;
    else
        clg_event_release(last);
    return CLGEMM_SUCCESS;
}

static clgemm_status sgemm_cl(clgemm_handle *handle, struct clg_call *call,
                              const struct objects *objects) {
    struct clg_problem problem;
    cl_context context = NULL;
    cl_device_id id = NULL;
    clgemm_handle *used = handle;
    clgemm_status status = check(&problem, call, objects, &context, &id);
    if (!status && handle) {
        const struct clg_device *device = clg_programs_device(handle->programs);
        if (device->context != context || device->id != id)
            status = clg_fail(CLGEMM_STATUS_INVALID_QUEUE,
                              "queue is of another context or device than the handle");
    } else if (!status) {
        status = clg_shared_for(&used, context, id);
    }
    if (!status) {
        status = enqueue(used, call, &problem, objects);
        if (!handle)
            clg_shared_release(used, status);
    }
    if (status)
        clg_trace_failure(call, status);
    return status;
}

#define CL_CALL                                                                                   \
    {                                                                                             \
        .layout = layout, .ta = ta, .tb = tb, .m = m, .n = n, .k = k, .alpha = alpha,             \
        .beta = beta, .a = {.ld = lda, .offset = a_offset}, .b = {.ld = ldb, .offset = b_offset}, \
        .c = {                                                                                    \
            .ld = ldc,                                                                            \
            .offset = c_offset                                                                    \
        }                                                                                         \
    }

clgemm_status clgemm_sgemm_cl(clgemm_layout layout, clgemm_transpose ta, clgemm_transpose tb,
                              int64_t m, int64_t n, int64_t k, float alpha, cl_mem a,
                              size_t a_offset, int64_t lda, cl_mem b, size_t b_offset, int64_t ldb,
                              float beta, cl_mem c, size_t c_offset, int64_t ldc,
                              cl_command_queue queue, cl_uint num_wait, const cl_event *wait_list,
                              cl_event *event) {
    struct clg_call call = CL_CALL;
    const struct objects objects = {a, b, c, {queue, num_wait, wait_list}, event};
    clgemm_status status = clg_shared_check_fork();
    return status ? status : sgemm_cl(NULL, &call, &objects);
}

clgemm_status clgemm_handle_sgemm_cl(clgemm_handle *handle, clgemm_layout layout,
                                     clgemm_transpose ta, clgemm_transpose tb, int64_t m, int64_t n,
                                     int64_t k, float alpha, cl_mem a, size_t a_offset, int64_t lda,
                                     cl_mem b, size_t b_offset, int64_t ldb, float beta, cl_mem c,
                                     size_t c_offset, int64_t ldc, cl_command_queue queue,
                                     cl_uint num_wait, const cl_event *wait_list, cl_event *event) {
    struct clg_call call = CL_CALL;
    const struct objects objects = {a, b, c, {queue, num_wait, wait_list}, event};
    clgemm_status status = clg_handle_check(handle);
    return status ? status : sgemm_cl(handle, &call, &objects);
}
