/* SPDX-License-Identifier: Apache-2.0
 * Staging memory. */
#include "device/staging.h"

#include "device/error.h"

static void release(cl_command_queue queue, struct clg_staging_chunk *chunk) {
    if (queue && chunk->memory)
        clEnqueueUnmapMemObject(queue, chunk->buffer, chunk->memory, 0, NULL, NULL);
    clReleaseMemObject(chunk->buffer);
    *chunk = (struct clg_staging_chunk){NULL, NULL};
}

static bool create(struct clg_device *device, cl_command_queue queue,
                   struct clg_staging_chunk *out) {
    cl_int error = CL_SUCCESS;
    out->buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                 CLG_STAGING_CHUNK, NULL, &error);
    if (error)
        return false;
    out->memory = clEnqueueMapBuffer(queue, out->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                     CLG_STAGING_CHUNK, 0, NULL, NULL, &error);
    const bool mapped = !error && out->memory;
    if (!mapped)
        clReleaseMemObject(out->buffer);
    return mapped;
}

int clg_staging_room(const struct clg_facts *facts) {
    const uint64_t chunks = facts->workspace_max / 4 / CLG_STAGING_CHUNK;
    return chunks < CLG_STAGING_MOST ? (int)chunks : CLG_STAGING_MOST;
}

/* Retains the first queue for unmapping at the end, because a lost device creates no further ones.
 * The caller holds the lock. */
static bool holds_queue(struct clg_device *device, cl_command_queue queue) {
    if (!device->staging_queue && clRetainCommandQueue(queue) == CL_SUCCESS)
        device->staging_queue = queue;
    return device->staging_queue;
}

int clg_staging_take(struct clg_device *device, cl_command_queue queue, int wanted,
                     struct clg_staging_chunk *out) {
    const int room = clg_staging_room(&device->facts);
    const int most = room - room / 4;
    int count = 0, made = 0;
    wanted = wanted < most ? wanted : most;
    pthread_mutex_lock(&device->lock);
    while (count < wanted && device->num_staging > 0)
        out[count++] = device->staging[--device->num_staging];
    while (count + made < wanted && device->staging_held < room && holds_queue(device, queue)) {
        device->staging_held++;
        made++;
    }
    pthread_mutex_unlock(&device->lock);
    const int end = count + made;
    while (count < end && create(device, queue, &out[count]))
        count++;
    if (count < end) {
        pthread_mutex_lock(&device->lock);
        device->staging_held -= end - count;
        pthread_mutex_unlock(&device->lock);
    }
    return count;
}

void clg_staging_give(struct clg_device *device, cl_command_queue queue,
                      struct clg_staging_chunk *chunks, int count, bool healthy) {
    if (!healthy)
        for (int i = 0; i < count; i++)
            release(queue, &chunks[i]);
    pthread_mutex_lock(&device->lock);
    if (healthy)
        for (int i = 0; i < count; i++)
            device->staging[device->num_staging++] = chunks[i];
    else
        device->staging_held -= count;
    pthread_mutex_unlock(&device->lock);
}

void clg_staging_clear(struct clg_device *device) {
    for (; device->num_staging > 0; device->staging_held--)
        release(device->staging_queue, &device->staging[--device->num_staging]);
    clg_queue_drain(device->staging_queue);
    if (device->staging_queue)
        clReleaseCommandQueue(device->staging_queue);
    device->staging_queue = NULL;
}
