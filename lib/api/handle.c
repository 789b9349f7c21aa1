/* SPDX-License-Identifier: Apache-2.0
 * Handles: clgemm_create, clgemm_create_cl, clgemm_destroy. */
#include "api/handle.h"

#include <stdlib.h>
#include <string.h>

#include "api/store.h"
#include "base/cancel.h"
#include "base/env.h"
#include "base/log.h"
#include "base/process.h"

/* CLGEMM_BUILD; a word that is neither is said once, and means to wait. */
static clgemm_build wanted_build(void) {
    static int said; /* atomic */
    const char *word = clg_env("CLGEMM_BUILD");
    if (!word || strcmp(word, "wait") == 0)
        return CLGEMM_BUILD_WAIT;
    if (strcmp(word, "background") == 0)
        return CLGEMM_BUILD_BACKGROUND;
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        clg_log(CLG_LOG_CALLS, "CLGEMM_BUILD is \"%s\", neither wait nor background: calls wait",
                word);
    return CLGEMM_BUILD_WAIT;
}

clgemm_status clg_handle_set_build(clgemm_handle *handle, clgemm_build build) {
    return clg_engine_build_in_background(&handle->engine, build == CLGEMM_BUILD_BACKGROUND);
}

/* Takes over `device`, also on failure. */
static clgemm_status wrap(clgemm_handle **out, struct clg_device *device) {
    clgemm_handle *handle = calloc(1, sizeof *handle);
    struct clg_binaries *store = clg_store();
    if (!handle || !store) {
        free(handle);
        clg_device_close(device);
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a handle");
    }
    clgemm_status status = clg_engine_open(&handle->engine, device, store);
    if (status) {
        clg_engine_close(&handle->engine);
        free(handle);
        return status;
    }
    clg_engine_retune(&handle->engine, NULL, clg_tuning_load(&device->facts));
    handle->online = clg_online_open(&handle->engine);
    if (wanted_build() == CLGEMM_BUILD_BACKGROUND &&
        clg_handle_set_build(handle, CLGEMM_BUILD_BACKGROUND))
        clg_log(CLG_LOG_CALLS, "calls wait for compilers: %s", clg_last_error());
    *out = handle;
    return CLGEMM_SUCCESS;
}

clgemm_status clg_handle_open(clgemm_handle **out, const char *device) {
    struct clg_device *opened = NULL;
    clgemm_status status = clg_process_check_fork();
    if (status)
        return status;
    clg_process_note();
    status = clg_device_open(&opened, device ? device : clg_env("CLGEMM_DEVICE"));
    return status ? status : wrap(out, opened);
}

clgemm_status clg_handle_adopt(clgemm_handle **out, cl_context context, cl_device_id device) {
    struct clg_device *adopted = NULL;
    clgemm_status status = clg_process_check_fork();
    if (status)
        return status;
    clg_process_note();
    status = clg_device_adopt(&adopted, context, device);
    return status ? status : wrap(out, adopted);
}

void clg_handle_close(clgemm_handle *handle) {
    /* In a forked child the runtime's threads are gone and its locks may be held for ever, so
     * there what OpenCL holds is left to the end of the process. */
    if (handle && !clg_process_is_child()) {
        clg_online_close(handle->online);
        clg_engine_close(&handle->engine);
    }
    free(handle);
}

clgemm_status clg_handle_check(const clgemm_handle *handle) {
    if (!handle)
        return clg_fail(CLGEMM_STATUS_INVALID_HANDLE, "handle is NULL");
    if (clg_process_is_child())
        return clg_fail(CLGEMM_STATUS_FORKED,
                        "the handle was opened in process %ld, before fork(); OpenCL cannot be "
                        "used in its child",
                        clg_process_noted());
    return CLGEMM_SUCCESS;
}

clgemm_status clgemm_create(clgemm_handle **out, const char *device) {
    if (!out)
        return clg_fail(CLGEMM_STATUS_INVALID_HANDLE, "the place to store the handle is NULL");
    *out = NULL;
    const int cancel = clg_cancel_hold();
    return clg_cancel_release(cancel, clg_handle_open(out, device));
}

clgemm_status clgemm_create_cl(clgemm_handle **out, cl_context context, cl_device_id device) {
    if (!out)
        return clg_fail(CLGEMM_STATUS_INVALID_HANDLE, "the place to store the handle is NULL");
    *out = NULL;
    if (!context || !device)
        return clg_fail((clgemm_status)(context ? CL_INVALID_DEVICE : CL_INVALID_CONTEXT),
                        "%s is NULL", context ? "device" : "context");
    const int cancel = clg_cancel_hold();
    return clg_cancel_release(cancel, clg_handle_adopt(out, context, device));
}

void clgemm_destroy(clgemm_handle *handle) {
    const int cancel = clg_cancel_hold();
    clg_handle_close(handle);
    clg_cancel_release(cancel, CLGEMM_SUCCESS);
}
