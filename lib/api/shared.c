/* SPDX-License-Identifier: Apache-2.0
 * The handle-less path's state, the only global state of the library: the default device's handle,
 * the handles of the last SHARED_CONTEXTS pairs of context and device that callers' queues had, and
 * the store of built programs. clgemm_clear_cache lives here. */
#include <pthread.h>
#include <string.h>

#include "api/handle.h"
#include "base/process.h"

enum { SHARED_CONTEXTS = 8 }; /* as clgemm_cl.h promises */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static clgemm_handle *default_handle;
static clgemm_handle *recent[SHARED_CONTEXTS]; /* most recent first; NULL: free */
static struct clg_binaries *binaries;

/* A handle that leaves the tables while calls use it is closed by the last of them: it counts as
 * one user while it is in a table. The caller holds the lock; returns the handle if the caller is
 * to close it, after unlocking. */
static clgemm_handle *drop_user(clgemm_handle *handle) {
    return handle && --handle->users == 0 ? handle : NULL;
}

/* Checked before taking the lock, which another thread may have held when the process forked. */
clgemm_status clg_shared_check_fork(void) {
    if (clg_process_is_child())
        return clg_fail(CLGEMM_STATUS_FORKED, "process %ld used OpenCL before it forked this one",
                        clg_process_noted());
    return CLGEMM_SUCCESS;
}

struct clg_binaries *clg_shared_binaries(void) {
    /* A lock of its own: handles are opened with the other one held. */
    static pthread_mutex_t binaries_lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&binaries_lock);
    if (!binaries)
        binaries = clg_binaries_new();
    struct clg_binaries *store = binaries;
    pthread_mutex_unlock(&binaries_lock);
    return store;
}

clgemm_status clg_shared_default(clgemm_handle **out) {
    *out = NULL;
    clgemm_status status = clg_shared_check_fork();
    if (status)
        return status;
    pthread_mutex_lock(&lock);
    if (!default_handle && !(status = clg_handle_open(&default_handle, NULL)))
        default_handle->users = 1;
    if (default_handle) {
        default_handle->users++;
        *out = default_handle;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static bool is_for(const clgemm_handle *handle, cl_context context, cl_device_id id) {
    const struct clg_device *device = handle ? clg_programs_device(handle->programs) : NULL;
    return device && device->context == context && device->id == id;
}

clgemm_status clg_shared_for(clgemm_handle **out, cl_context context, cl_device_id device) {
    *out = NULL;
    clgemm_handle *evicted = NULL;
    clgemm_status status = clg_shared_check_fork();
    if (status)
        return status;
    pthread_mutex_lock(&lock);
    int place = 0;
    while (place < SHARED_CONTEXTS - 1 && recent[place] && !is_for(recent[place], context, device))
        place++;
    clgemm_handle *handle = recent[place];
    if (!is_for(handle, context, device)) {
        handle = NULL;
        if (!(status = clg_handle_adopt(&handle, context, device))) {
            handle->users = 1;
            evicted = drop_user(recent[place]);
        }
    }
    if (handle) {
        memmove(&recent[1], &recent[0], (size_t)place * sizeof recent[0]);
        recent[0] = handle;
        handle->users++;
        *out = handle;
    }
    pthread_mutex_unlock(&lock);
    clg_handle_close(evicted);
    return status;
}

void clg_shared_release(clgemm_handle *handle, clgemm_status status) {
    pthread_mutex_lock(&lock);
    clgemm_handle *last = drop_user(handle);
    if (handle == default_handle && status == CLGEMM_STATUS_DEVICE_LOST) {
        default_handle = NULL;
        last = drop_user(handle);
    }
    pthread_mutex_unlock(&lock);
    clg_handle_close(last);
}

clgemm_status clgemm_clear_cache(void) {
    clgemm_status status = clg_shared_check_fork();
    if (status)
        return status;
    clgemm_handle *closing[SHARED_CONTEXTS + 1];
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SHARED_CONTEXTS; i++) {
        closing[i] = drop_user(recent[i]);
        recent[i] = NULL;
    }
    closing[SHARED_CONTEXTS] = drop_user(default_handle);
    default_handle = NULL;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i <= SHARED_CONTEXTS; i++)
        clg_handle_close(closing[i]);
    return CLGEMM_SUCCESS;
}
