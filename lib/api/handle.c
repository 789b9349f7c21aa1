/* SPDX-License-Identifier: Apache-2.0
 * Handles: clgemm_create, clgemm_create_cl, clgemm_destroy. */
#include "api/handle.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/env.h"
#include "base/log.h"
#include "base/process.h"
#include "base/thread.h"
#include "run/helper.h"

/* ---- Options with a set of values ---- */

enum { WORDS = 3 };
static const struct choice {
    const char *type, *variable; /* environment variable */
    const char *words[WORDS];    /* by value, the default first */
} choices[CLG_CHOICES] = {
    {"clgemm_build", "CLGEMM_BUILD", {"wait", "background", "helper"}},
    {"clgemm_verify", "CLGEMM_VERIFY", {"first", "off", "always"}},
};

clgemm_status clg_handle_check_choice(clgemm_option option, int64_t value) {
    const int64_t at = (int64_t)option - CLG_FIRST_CHOICE;
    if (at < 0 || at >= CLG_CHOICES)
        return clg_fail(CLGEMM_STATUS_INVALID_OPTION, "there is no option %d", (int)option);
    if (value < 0 || value >= WORDS || !choices[at].words[value])
        return clg_fail(CLGEMM_STATUS_INVALID_OPTION, "%lld is not a %s", (long long)value,
                        choices[at].type);
    return CLGEMM_SUCCESS;
}

clgemm_status clg_handle_choose(clgemm_handle *handle, clgemm_option option, int value) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (; handle && !status; handle = handle->next)
        if (option == CLGEMM_OPTION_BUILD)
            status = clg_engine_set_mode(&handle->engine, (clgemm_build)value);
        else
            __atomic_store_n(&handle->engine.trust.verify, value, __ATOMIC_RELAXED);
    return status;
}

/* The environment's choice. An unknown word is reported once, and means the default. */
static int wanted(const struct choice *choice) {
    static int said[CLG_CHOICES]; /* atomic */
    const char *word = clg_env(choice->variable);
    for (int value = 0; value < WORDS && choice->words[value] && word; value++)
        if (strcmp(word, choice->words[value]) == 0)
            return value;
    if (word && !__atomic_exchange_n(&said[choice - choices], 1, __ATOMIC_RELAXED))
        clg_log(CLG_LOG_CALLS, "%s is \"%s\", none of %s, %s%s%s; using %s", choice->variable, word,
                choice->words[0], choice->words[1], choice->words[2] ? ", " : "",
                choice->words[2] ? choice->words[2] : "", choice->words[0]);
    return 0;
}

/* Names a variable of earlier versions, once. */
static void name_gone_variable(void) {
    static int said; /* atomic */
    if (clg_env("CLGEMM_ONLINE") && !__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        clg_log(CLG_LOG_CALLS, "CLGEMM_ONLINE is gone and has no effect");
}

/* Applies the environment's choices. What the device cannot do keeps its default. */
static void apply_environment(clgemm_handle *handle) {
    name_gone_variable();
    for (int i = 0; i < CLG_CHOICES; i++) {
        const int value = wanted(&choices[i]);
        if (value && clg_handle_choose(handle, (clgemm_option)(CLG_FIRST_CHOICE + i), value))
            clg_log(CLG_LOG_CALLS, "%s is %s, but %s is used: %s", choices[i].variable,
                    choices[i].words[value], choices[i].words[0], clg_last_error());
    }
}

/* ---- What opening a device takes: PoCL ends a process that may not take it ---- */

/* PoCL starts one for each processor; the library's own builder and copying threads are few. */
static clgemm_status check_threads(void) {
    const long needed = sysconf(_SC_NPROCESSORS_ONLN) + 2;
    return clg_thread_may_start((int)needed)
               ? CLGEMM_SUCCESS
               : clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY,
                          "%ld more threads, which a runtime needs, may not be started (ulimit -u)",
                          needed);
}

static clgemm_status try_in(const char *device, uint64_t room) {
    struct clg_helper *helper = clg_helper_new();
    const clgemm_status status = helper ? clg_helper_open(helper, device, room) : CLGEMM_SUCCESS;
    clg_helper_free(helper);
    return status;
}

/* If address space is limited, a helper tries to open the device, with the general programs, in
 * half of what is left: the rest is the program's. Without a helper it is not known. */
static clgemm_status check_room(const char *device) {
    char why[CLG_LAST_ERROR_SIZE];
    struct rlimit limit;
    const uint64_t used = clg_process_address_space();
    clgemm_status status = check_threads();
    if (status || getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY || used == 0)
        return status;
    const uint64_t room = limit.rlim_cur > used ? (limit.rlim_cur - used) / 2 : 1;
    status = try_in(device, 0); /* what must be compiled, is */
    if (!status)
        status = try_in(device, room);
    clg_copy_last_error(why, sizeof why);
    return status ? clg_fail(status, "in %llu MB of address space (ulimit -v): %s",
                             (unsigned long long)(room >> 20), why)
                  : CLGEMM_SUCCESS;
}

/* ---- Opening and closing ---- */

/* Takes over `device`, even on failure: NULL with *status. */
static clgemm_handle *wrap(struct clg_device *device, clgemm_status *status) {
    clgemm_handle *handle = calloc(1, sizeof *handle);
    struct clg_binaries *store = clg_store();
    if (!handle || !store) {
        free(handle);
        clg_device_close(device);
        *status = clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a handle");
        return NULL;
    }
    *status = clg_engine_open(&handle->engine, device, store);
    if (*status) {
        clg_engine_close(&handle->engine);
        free(handle);
        return NULL;
    }
    clg_engine_retune(&handle->engine, NULL, clg_tuning_load(&device->facts));
    clg_host_open(&handle->host, &handle->engine);
    apply_environment(handle);
    return handle;
}

static void close_handles(clgemm_handle *handle) {
    while (handle) {
        clgemm_handle *next = handle->next;
        clg_team_close(handle->team);
        clg_host_close(&handle->host);
        clg_engine_close(&handle->engine);
        free(handle);
        handle = next;
    }
}

static clgemm_status join(clgemm_handle *handle, int count) {
    struct clg_host *hosts[CLG_DEVICES_MOST];
    int i = 0;
    if (count == 1)
        return CLGEMM_SUCCESS;
    for (clgemm_handle *each = handle; each; each = each->next)
        hosts[i++] = &each->host;
    handle->team = clg_team_open(hosts, count);
    return handle->team ? CLGEMM_SUCCESS
                        : clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a handle");
}

/* A handle of all these devices, which it takes over, even on failure. */
static clgemm_status wrap_all(clgemm_handle **out, struct clg_device *const devices[], int count) {
    clgemm_handle *first = NULL, **next = &first;
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < count; i++) {
        clgemm_handle *handle = NULL;
        if (status)
            clg_device_close(devices[i]);
        else
            handle = wrap(devices[i], &status);
        if (handle) {
            *next = handle;
            next = &handle->next;
        }
    }
    if (first && !status)
        status = join(first, count);
    if (status)
        close_handles(first);
    else
        *out = first;
    return status;
}

clgemm_status clg_handle_open(clgemm_handle **out, const char *device) {
    struct clg_device *opened[CLG_DEVICES_MOST];
    int count;
    clgemm_status status = clg_process_check_fork();
    if (status)
        return status;
    clg_process_note();
    if (clg_is_exiting())
        return clg_fail(CLGEMM_STATUS_EXITING, "exit() has begun");
    device = device ? device : clg_env("CLGEMM_DEVICE");
    if ((status = check_room(device)))
        return status;
    status = clg_device_open_all(opened, &count, device);
    clg_exiting_watch();
    return status ? status : wrap_all(out, opened, count);
}

clgemm_status clg_handle_adopt(clgemm_handle **out, cl_context context, cl_device_id device) {
    struct clg_device *adopted = NULL;
    clgemm_status status = clg_process_check_fork();
    if (status)
        return status;
    clg_process_note();
    status = clg_device_adopt(&adopted, context, device);
    clg_exiting_watch();
    return status ? status : wrap_all(out, &adopted, 1);
}

void clg_handle_close(clgemm_handle *handle) {
    /* In a forked child the runtime's threads are gone, and its locks may be held for ever. So
     * OpenCL's objects are left to the end of the process. */
    if (!clg_process_is_child())
        close_handles(handle);
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

clgemm_status clg_handle_check_exit(const clgemm_handle *handle) {
    if (clg_is_exiting() && !clg_facts_works_at_exit(handle->engine.device->facts.platform))
        return clg_fail(CLGEMM_STATUS_EXITING,
                        "exit() has begun, after which the runtime may not be used");
    return CLGEMM_SUCCESS;
}

clgemm_status clgemm_create(clgemm_handle **out, const char *device) {
    if (!out)
        return clg_fail(CLGEMM_STATUS_INVALID_HANDLE, "the place to store the handle is NULL");
    *out = NULL;
    const struct clg_caller caller = clg_caller_hold();
    return clg_caller_release(&caller, clg_handle_open(out, device));
}

clgemm_status clgemm_create_cl(clgemm_handle **out, cl_context context, cl_device_id device) {
    if (!out)
        return clg_fail(CLGEMM_STATUS_INVALID_HANDLE, "the place to store the handle is NULL");
    *out = NULL;
    if (!context || !device)
        return clg_fail((clgemm_status)(context ? CL_INVALID_DEVICE : CL_INVALID_CONTEXT),
                        "%s is NULL", context ? "device" : "context");
    const struct clg_caller caller = clg_caller_hold();
    return clg_caller_release(&caller, clg_handle_adopt(out, context, device));
}

void clgemm_destroy(clgemm_handle *handle) {
    const struct clg_caller caller = clg_caller_hold();
    clg_handle_close(handle);
    clg_caller_release(&caller, CLGEMM_SUCCESS);
}
