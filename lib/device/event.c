/* SPDX-License-Identifier: Apache-2.0
 * Events. */
#include "device/event.h"

#include <stdlib.h>

#include "device/error.h"

clgemm_status clg_wait(cl_event event) {
    const cl_int error = clWaitForEvents(1, &event);
    bool done;
    if (error && error != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        return clg_cl_fail(error, "clWaitForEvents");
    return clg_event_is_done(event, &done);
}

clgemm_status clg_event_is_done(cl_event event, bool *done) {
    cl_int state = CL_COMPLETE;
    const cl_int error =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    *done = !error && state == CL_COMPLETE;
    if (error)
        return clg_cl_fail(error, "clGetEventInfo");
    return state < 0 ? clg_cl_fail(state, "running a command") : CLGEMM_SUCCESS;
}

clgemm_status clg_queue_flush(cl_command_queue queue) {
    const cl_int error = clFlush(queue);
    return error ? clg_cl_fail(error, "clFlush") : CLGEMM_SUCCESS;
}

clgemm_status clg_gate_create(cl_command_queue queue, cl_event *out) {
    cl_context context;
    cl_int error =
        clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, NULL);
    if (error)
        return clg_cl_fail(error, "clGetCommandQueueInfo");
    *out = clCreateUserEvent(context, &error);
    return error ? clg_cl_fail(error, "clCreateUserEvent") : CLGEMM_SUCCESS;
}

clgemm_status clg_gate_open(cl_event gate, clgemm_status status) {
    if (!gate)
        return CLGEMM_SUCCESS;
    const cl_int state = status ? CL_OUT_OF_RESOURCES : CL_COMPLETE;
    cl_int error = clSetUserEventStatus(gate, state);
    if (error) /* a closed gate would block the queue for good */
        error = clSetUserEventStatus(gate, state);
    clReleaseEvent(gate);
    return error ? clg_cl_fail(error, "clSetUserEventStatus") : CLGEMM_SUCCESS;
}

void clg_event_release(cl_event event) {
    if (event)
        clReleaseEvent(event);
}

void clg_event_retain(cl_event event) {
    clRetainEvent(event);
}

clgemm_status clg_event_join(cl_command_queue queue, size_t count, const cl_event *events,
                             cl_event *out) {
    const cl_int error =
        clEnqueueMarkerWithWaitList(queue, (cl_uint)count, count > 0 ? events : NULL, out);
    return error ? clg_cl_fail(error, "clEnqueueMarkerWithWaitList") : CLGEMM_SUCCESS;
}

bool clg_queue_profiles(cl_command_queue queue) {
    cl_command_queue_properties properties = 0;
    return !clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties,
                                  NULL) &&
           (properties & CL_QUEUE_PROFILING_ENABLE);
}

bool clg_event_times(cl_event event, struct clg_event_times *out) {
    static const cl_profiling_info which[] = {CL_PROFILING_COMMAND_QUEUED,
                                              CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_ulong at[3] = {0};
    for (int i = 0; i < 3; i++)
        if (!event || clGetEventProfilingInfo(event, which[i], sizeof at[i], &at[i], NULL))
            return false;
    *out =
        (struct clg_event_times){1e-9 * (double)at[0], 1e-9 * (double)at[1], 1e-9 * (double)at[2]};
    return true;
}

struct watch {
    cl_event first; /* NULL: one command only */
    void (*report)(double ms, void *user);
    void *user;
};

static void CL_CALLBACK on_done(cl_event last, cl_int state, void *data) {
    struct watch *watch = data;
    cl_ulong start = 0, end = 0;
    double ms = -1;
    if (state == CL_COMPLETE &&
        !clGetEventProfilingInfo(watch->first ? watch->first : last, CL_PROFILING_COMMAND_START,
                                 sizeof start, &start, NULL) &&
        !clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL))
        ms = (double)(end - start) * 1e-6;
    watch->report(ms, watch->user);
    clg_event_release(watch->first);
    free(watch);
}

void clg_when_done(cl_event first, cl_event last, void (*report)(double ms, void *user),
                   void *user) {
    struct watch *watch = malloc(sizeof *watch);
    if (watch)
        *watch = (struct watch){.first = first, .report = report, .user = user};
    if (watch && !clSetEventCallback(last, CL_COMPLETE, on_done, watch))
        return;
    report(-1, user);
    clg_event_release(first);
    free(watch);
}
