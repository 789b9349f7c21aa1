/* SPDX-License-Identifier: Apache-2.0
 * Workspace: buffers that are kept between calls. */
#include "device/workspace.h"

#include "device/buffer.h"
#include "device/error.h"

/* Removes an idle one; the others stay in order, oldest first. The caller holds the lock. */
static struct clg_workspace remove_idle(struct clg_device *device, int index) {
    const struct clg_workspace removed = device->idle[index];
    device->num_idle--;
    for (int i = index; i < device->num_idle; i++)
        device->idle[i] = device->idle[i + 1];
    return removed;
}

/* The caller holds the lock. */
static uint64_t idle_bytes(const struct clg_device *device) {
    uint64_t bytes = 0;
    for (int i = 0; i < device->num_idle; i++)
        bytes += device->idle[i].bytes;
    return bytes;
}

/* Bytes of all, lent and idle. The caller holds the lock. */
static uint64_t held_bytes(const struct clg_device *device) {
    return device->lent + idle_bytes(device);
}

uint64_t clg_workspace_peak(struct clg_device *device) {
    pthread_mutex_lock(&device->lock);
    const uint64_t peak = device->workspace_peak;
    pthread_mutex_unlock(&device->lock);
    return peak;
}

void clg_workspace_start_peak(struct clg_device *device) {
    pthread_mutex_lock(&device->lock);
    device->workspace_peak = held_bytes(device);
    pthread_mutex_unlock(&device->lock);
}

/* Creates a buffer that is already counted as lent. */
static clgemm_status create(struct clg_device *device, struct clg_workspace *out) {
    clgemm_status status = clg_buffer_create(device, out->bytes, &out->buffer);
    if (status)
        return status;
    pthread_mutex_lock(&device->lock);
    if (device->workspace_peak < held_bytes(device))
        device->workspace_peak = held_bytes(device);
    pthread_mutex_unlock(&device->lock);
    return CLGEMM_SUCCESS;
}

/* Buffers removed from the pool, to be released without the lock. */
struct dropped {
    struct clg_workspace workspaces[CLG_IDLE_WORKSPACES];
    int count;
};

static void release_dropped(const struct dropped *dropped) {
    for (int i = 0; i < dropped->count; i++)
        clg_buffer_release(dropped->workspaces[i].buffer);
}

/* Removes the oldest until there is room for `bytes` more beside `lent` bytes. The caller holds the
 * lock. */
static void make_room(struct clg_device *device, uint64_t bytes, uint64_t lent,
                      struct dropped *dropped) {
    const uint64_t most = device->facts.workspace_max;
    while (device->num_idle > 0 && idle_bytes(device) + lent + bytes > most)
        dropped->workspaces[dropped->count++] = remove_idle(device, 0);
}

/* Takes the smallest that is large enough and free. The caller holds the lock. */
static bool find_idle(struct clg_device *device, cl_command_queue queue, uint64_t bytes,
                      struct clg_workspace *out) {
    int best = -1;
    for (int i = 0; i < device->num_idle; i++) {
        const struct clg_workspace *idle = &device->idle[i];
        if (idle->bytes >= bytes && (!idle->queue || idle->queue == queue) &&
            (best < 0 || idle->bytes < device->idle[best].bytes))
            best = i;
    }
    if (best >= 0)
        *out = remove_idle(device, best);
    return best >= 0;
}

void clg_workspace_give(struct clg_device *device, struct clg_workspace *workspace,
                        cl_command_queue queue, bool healthy) {
    struct dropped dropped = {.count = 0};
    workspace->queue = queue;
    pthread_mutex_lock(&device->lock);
    device->lent -= workspace->bytes;
    const bool keep =
        healthy && workspace->buffer && workspace->bytes <= device->facts.workspace_max;
    if (keep) {
        make_room(device, workspace->bytes, 0, &dropped);
        if (device->num_idle == CLG_IDLE_WORKSPACES)
            dropped.workspaces[dropped.count++] = remove_idle(device, 0);
        device->idle[device->num_idle++] = *workspace;
    }
    pthread_mutex_unlock(&device->lock);
    release_dropped(&dropped);
    if (!keep)
        clg_buffer_release(workspace->buffer);
    *workspace = (struct clg_workspace){0};
}

clgemm_status clg_workspace_take(struct clg_device *device, cl_command_queue queue, uint64_t bytes,
                                 struct clg_workspace *out) {
    struct dropped dropped = {.count = 0};
    *out = (struct clg_workspace){.bytes = bytes};
    pthread_mutex_lock(&device->lock);
    const bool found = find_idle(device, queue, bytes, out);
    if (!found)
        make_room(device, bytes, device->lent, &dropped);
    device->lent += out->bytes;
    pthread_mutex_unlock(&device->lock);
    release_dropped(&dropped);
    if (found)
        return CLGEMM_SUCCESS;
    clgemm_status status = create(device, out);
    if (status) { /* idle buffers may occupy the memory */
        clg_workspace_clear(device);
        status = create(device, out);
    }
    if (status)
        clg_workspace_give(device, out, NULL, false);
    return status;
}

void clg_workspace_settle(struct clg_device *device, cl_command_queue queue) {
    pthread_mutex_lock(&device->lock);
    for (int i = 0; i < device->num_idle; i++)
        if (device->idle[i].queue == queue)
            device->idle[i].queue = NULL;
    for (int i = 0; i < device->num_counters; i++)
        if (device->counters[i].queue == queue)
            device->counters[i].queue = NULL;
    pthread_mutex_unlock(&device->lock);
}

clgemm_status clg_counters_create(struct clg_device *device, cl_mem *out) {
    int zeros[CLG_COUNTERS_BYTES / sizeof(int)] = {0};
    cl_int error = CL_SUCCESS;
    *out = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros,
                          zeros, &error);
    if (!error)
        return CLGEMM_SUCCESS;
    *out = NULL;
    return clg_cl_fail(error, "clCreateBuffer");
}

/* Whether commands in that queue are certain to find zeros. */
static bool is_free(const struct clg_counters *counters, cl_command_queue queue) {
    cl_int progress = CL_QUEUED;
    if (!counters->last)
        return !counters->queue || counters->queue == queue;
    if (clGetEventInfo(counters->last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof progress,
                       &progress, NULL))
        return false;
    return progress == CL_COMPLETE || (progress >= 0 && queue && counters->queue == queue);
}

clgemm_status clg_counters_take(struct clg_device *device, cl_command_queue queue, cl_mem *out) {
    struct clg_counters found = {NULL, NULL, NULL};
    pthread_mutex_lock(&device->lock);
    for (int i = 0; i < device->num_counters && !found.buffer; i++)
        if (is_free(&device->counters[i], queue)) {
            found = device->counters[i];
            device->counters[i] = device->counters[--device->num_counters];
        }
    pthread_mutex_unlock(&device->lock);
    if (!found.buffer)
        return clg_counters_create(device, out);
    if (found.last)
        clReleaseEvent(found.last);
    *out = found.buffer;
    return CLGEMM_SUCCESS;
}

static void release_counters(const struct clg_counters *counters) {
    if (counters->last)
        clReleaseEvent(counters->last);
    clReleaseMemObject(counters->buffer);
}

void clg_counters_give(struct clg_device *device, cl_mem buffer, cl_command_queue queue,
                       cl_event last) {
    struct clg_counters dropped = {buffer, last, queue};
    if (!last || clRetainEvent(last) == CL_SUCCESS) {
        pthread_mutex_lock(&device->lock);
        if (device->num_counters < CLG_IDLE_COUNTERS) {
            device->counters[device->num_counters++] = dropped;
        } else { /* a set whose last command never succeeds must not stay */
            const struct clg_counters oldest = device->counters[0];
            device->counters[0] = dropped;
            dropped = oldest;
        }
        pthread_mutex_unlock(&device->lock);
        if (dropped.buffer == buffer)
            return;
    } else {
        dropped.last = NULL; /* the event was not retained */
    }
    release_counters(&dropped);
}

static void clear_counters(struct clg_device *device) {
    struct clg_counters dropped[CLG_IDLE_COUNTERS];
    int num_dropped = 0;
    pthread_mutex_lock(&device->lock);
    while (device->num_counters > 0)
        dropped[num_dropped++] = device->counters[--device->num_counters];
    pthread_mutex_unlock(&device->lock);
    for (int i = 0; i < num_dropped; i++)
        release_counters(&dropped[i]);
}

void clg_workspace_clear(struct clg_device *device) {
    struct dropped dropped = {.count = 0};
    pthread_mutex_lock(&device->lock);
    while (device->num_idle > 0)
        dropped.workspaces[dropped.count++] = device->idle[--device->num_idle];
    pthread_mutex_unlock(&device->lock);
    release_dropped(&dropped);
    clear_counters(device);
}
