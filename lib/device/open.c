/* SPDX-License-Identifier: Apache-2.0
 * Opens and closes devices and their queues. */
#include "device/device.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/env.h"
#include "base/log.h"
#include "device/error.h"
#include "device/select.h"
#include "device/signals.h"
#include "device/staging.h"
#include "device/workspace.h"

/* Takes over the caller's reference to `context`, also on failure. Retaining a device matters only
 * for sub-devices; for others the calls do nothing. */
static clgemm_status wrap(struct clg_device **out, cl_context context, cl_device_id id,
                          const struct clg_facts *facts) {
    struct clg_device *device = calloc(1, sizeof *device);
    if (!device) {
        clReleaseContext(context);
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a device");
    }
    cl_int error = clRetainDevice(id);
    if (error) {
        clReleaseContext(context);
        free(device);
        return clg_cl_fail(error, "clRetainDevice");
    }
    device->context = context;
    device->id = id;
    device->facts = *facts;
    device->facts.workspace_max = clg_env_size("CLGEMM_WORKSPACE_MAX", facts->workspace_max);
    if (device->facts.workspace_max > facts->global_memory)
        device->facts.workspace_max = facts->global_memory;
    pthread_mutex_init(&device->lock, NULL);
    *out = device;
    return CLGEMM_SUCCESS;
}

/* Opens the i-th device of a choice. */
static clgemm_status open_chosen(struct clg_device **out, const struct clg_device_choice *choice,
                                 int i) {
    const struct clg_device_entry *entry = choice->devices[i];
    struct clg_facts facts = entry->facts;
    cl_int error = CL_SUCCESS;
    clg_log(CLG_LOG_PLANS, "opening device %u:%u \"%s\": %s", entry->platform, entry->device,
            facts.name, choice->why);
    clg_signals_save();
    cl_context context = clCreateContext(NULL, 1, &entry->id, NULL, NULL, &error);
    clg_signals_restore();
    facts.workspace_max /= choice->sharers;
    const clgemm_status status =
        error ? clg_cl_fail(error, "clCreateContext") : wrap(out, context, entry->id, &facts);
    if (!status)
        snprintf((*out)->place, sizeof(*out)->place, "%u:%u", entry->platform, entry->device);
    return status;
}

/* Opens the first `most` devices of the request that can be opened. */
static clgemm_status open_some(struct clg_device *out[], int most, int *count,
                               const char *request) {
    struct clg_device_list list;
    struct clg_device_choice choice = {.count = 0};
    *count = 0;
    if (clg_env_is_foreign())
        return clg_fail(CLGEMM_STATUS_NO_DEVICE,
                        "the process is set-uid, and OpenCL's loader would load libraries that its "
                        "environment names");
    clgemm_status status = clg_device_list_query(&list);
    if (!status)
        status = clg_device_choose_all(&list, request, &choice);
    for (int i = 0; i < choice.count && *count < most; i++) {
        status = open_chosen(&out[*count], &choice, i);
        if (!status)
            ++*count;
        else if (choice.count > 1)
            clg_log(CLG_LOG_CALLS, "device %u:%u \"%s\" is left out: %s",
                    choice.devices[i]->platform, choice.devices[i]->device,
                    choice.devices[i]->facts.name, clg_last_error());
    }
    clg_device_list_free(&list);
    return *count > 0 ? CLGEMM_SUCCESS : status;
}

clgemm_status clg_device_open_all(struct clg_device *out[], int *count, const char *request) {
    return open_some(out, CLG_DEVICES_MOST, count, request);
}

clgemm_status clg_device_open(struct clg_device **out, const char *request) {
    int count;
    *out = NULL;
    return open_some(out, 1, &count, request);
}

/* Otherwise its programs would fail to build, later and without a reason. */
static clgemm_status check_context_has(cl_context context, cl_device_id id) {
    size_t bytes = 0;
    cl_int error = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes);
    cl_device_id *devices = error || bytes == 0 ? NULL : malloc(bytes);
    if (!error && !devices)
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a list of devices");
    if (!error)
        error = clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices, NULL);
    bool has = false;
    for (size_t i = 0; i < bytes / sizeof *devices && !error; i++)
        has |= devices[i] == id;
    free(devices);
    if (error)
        return clg_cl_fail(error, "clGetContextInfo");
    return has ? CLGEMM_SUCCESS
               : clg_fail((clgemm_status)CL_INVALID_DEVICE, "the device is not of the context");
}

clgemm_status clg_device_adopt(struct clg_device **out, cl_context context, cl_device_id id) {
    *out = NULL;
    struct clg_facts facts;
    clgemm_status status = clg_facts_query(id, &facts);
    if (status)
        return status;
    const char *reason = clg_device_unusable(&facts);
    if (reason)
        return clg_fail(CLGEMM_STATUS_NO_DEVICE, "device \"%s\" %s", facts.name, reason);
    if ((status = check_context_has(context, id)))
        return status;
    cl_int error = clRetainContext(context);
    if (error)
        return clg_cl_fail(error, "clRetainContext");
    return wrap(out, context, id, &facts);
}

void clg_device_close(struct clg_device *device) {
    if (!device)
        return;
    clg_workers_free(device->workers);
    clg_workspace_clear(device);
    clg_staging_clear(device);
    for (int i = 0; i < device->num_queues; i++)
        clReleaseCommandQueue(device->queues[i]);
    clReleaseContext(device->context);
    clReleaseDevice(device->id);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

struct clg_workers *clg_device_workers(struct clg_device *device) {
    pthread_mutex_lock(&device->lock);
    if (!device->workers)
        device->workers = clg_workers_new();
    struct clg_workers *workers = device->workers;
    pthread_mutex_unlock(&device->lock);
    return workers;
}

static clgemm_status create_queue(struct clg_device *device, cl_command_queue_properties properties,
                                  cl_command_queue *out) {
    cl_int error = CL_SUCCESS;
    *out = clCreateCommandQueue(device->context, device->id, properties, &error);
    return error ? clg_cl_fail(error, "clCreateCommandQueue") : CLGEMM_SUCCESS;
}

clgemm_status clg_queue_take(struct clg_device *device, cl_command_queue *out) {
    *out = NULL;
    pthread_mutex_lock(&device->lock);
    if (device->num_queues > 0)
        *out = device->queues[--device->num_queues];
    pthread_mutex_unlock(&device->lock);
    return *out ? CLGEMM_SUCCESS : create_queue(device, 0, out);
}

clgemm_status clg_queue_create_profiling(struct clg_device *device, cl_command_queue *out) {
    return create_queue(device, CL_QUEUE_PROFILING_ENABLE, out);
}

void clg_queue_give(struct clg_device *device, cl_command_queue queue, bool healthy) {
    if (!queue)
        return;
    pthread_mutex_lock(&device->lock);
    bool keep = healthy && device->num_queues < CLG_POOLED_QUEUES;
    if (keep)
        device->queues[device->num_queues++] = queue;
    pthread_mutex_unlock(&device->lock);
    if (!keep)
        clReleaseCommandQueue(queue);
}

void clg_queue_drain(cl_command_queue queue) {
    if (queue)
        clFinish(queue);
}

bool clg_queue_is_in_order(cl_command_queue queue) {
    cl_command_queue_properties properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    return !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

clgemm_status clg_queue_owner(cl_command_queue queue, cl_context *context, cl_device_id *id) {
    if (!queue)
        return clg_fail(CLGEMM_STATUS_INVALID_QUEUE, "queue is NULL");
    cl_int error;
    if ((error = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof *context, context, NULL)) ||
        (error = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof *id, id, NULL)))
        return error == CL_INVALID_COMMAND_QUEUE
                   ? clg_fail(CLGEMM_STATUS_INVALID_QUEUE, "queue is not a command queue")
                   : clg_cl_fail(error, "clGetCommandQueueInfo");
    return CLGEMM_SUCCESS;
}
