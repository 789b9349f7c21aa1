/* SPDX-License-Identifier: Apache-2.0
 * The fault layer: counting, and what a fault does in each sort of call (see layer.h). */
#define CL_TARGET_OPENCL_VERSION 300
#include "layer.h"

#include <CL/cl_layer.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static cl_icd_dispatch next; /* the loader, or the layer below */
static cl_icd_dispatch ours;

static atomic_long seen, injected, launches, commands, fault_at;
static atomic_bool sticky;
static _Atomic(const char *) where = "";
static atomic_long live[FAULT_KINDS];

/* ---- Steering ----------------------------------------------------------------------------- */

void clg_fault_arm(long n, int stick) {
    fault_at = 0;
    seen = 0;
    injected = 0;
    launches = commands = 0;
    where = "";
    sticky = stick != 0;
    fault_at = n;
}

void clg_fault_disarm(void) {
    fault_at = 0;
}

long clg_fault_calls(void) {
    return seen;
}

long clg_fault_injected(void) {
    return injected;
}

long clg_fault_launches(void) {
    return launches;
}

long clg_fault_commands(void) {
    return commands;
}

const char *clg_fault_where(void) {
    return where;
}

static _Atomic(const char *) needle, replacement;
static atomic_long replaced;

long clg_fault_replace(const char *what, const char *with) {
    needle = NULL;
    replacement = with;
    needle = what;
    return atomic_exchange(&replaced, 0);
}

long clg_fault_live(enum fault_kind kind) {
    return live[kind];
}

/* ---- The calls ---------------------------------------------------------------------------- */

/* Counts one call of `name`; true if it is to fail. */
static bool fails(const char *name) {
    long number = atomic_fetch_add(&seen, 1) + 1;
    launches += strcmp(name, "clEnqueueNDRangeKernel") == 0;
    commands += strncmp(name, "clEnqueue", 9) == 0;
    long at = fault_at;
    if (at == 0 || (sticky ? number < at : number != at))
        return false;
    if (atomic_fetch_add(&injected, 1) == 0)
        where = name;
    return true;
}

static void *no_object(cl_int *err) {
    if (err)
        *err = FAULT_CODE;
    return NULL;
}

#define STATUS(name, params, args)                         \
    static cl_int CL_API_CALL layer_##name params {        \
        return fails(#name) ? FAULT_CODE : next.name args; \
    }
#define WAIT(name, params, args)                                        \
    static cl_int CL_API_CALL layer_##name params {                     \
        bool failing = fails(#name);                                    \
        cl_int code = failing && !sticky ? FAULT_CODE : next.name args; \
        return failing ? FAULT_CODE : code;                             \
    }
#define CREATE(kind, type, name, params, args)    \
    static type CL_API_CALL layer_##name params { \
        if (fails(#name))                         \
            return no_object(err);                \
        type made = next.name args;               \
        live[kind] += made != NULL;               \
        return made;                              \
    }
#define RETAIN(kind, name, params, args)            \
    static cl_int CL_API_CALL layer_##name params { \
        if (fails(#name))                           \
            return FAULT_CODE;                      \
        cl_int code = next.name args;               \
        live[kind] += code == CL_SUCCESS;           \
        return code;                                \
    }
#define RELEASE(kind, name, params, args)           \
    static cl_int CL_API_CALL layer_##name params { \
        bool failing = fails(#name);                \
        cl_int code = next.name args;               \
        live[kind] -= code == CL_SUCCESS;           \
        return failing ? FAULT_CODE : code;         \
    }
#define ENQUEUE(name, params, args)                       \
    static cl_int CL_API_CALL layer_##name params {       \
        if (fails(#name))                                 \
            return FAULT_CODE;                            \
        cl_int code = next.name args;                     \
        live[FAULT_EVENT] += code == CL_SUCCESS && event; \
        return code;                                      \
    }
#define OTHER(name)
#include "layer_calls.h"

static void *CL_API_CALL layer_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                  cl_map_flags f, size_t at, size_t n,
                                                  cl_uint num_wait, const cl_event *wait,
                                                  cl_event *event, cl_int *err) {
    if (fails("clEnqueueMapBuffer"))
        return no_object(err);
    void *p = next.clEnqueueMapBuffer(q, m, blocking, f, at, n, num_wait, wait, event, err);
    live[FAULT_MAP] += p != NULL;
    live[FAULT_EVENT] += p && event;
    return p;
}

/* Releases a mapping, so it does its work even when it fails; the caller then gets no event. */
static cl_int CL_API_CALL layer_clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *p,
                                                        cl_uint num_wait, const cl_event *wait,
                                                        cl_event *event) {
    bool failing = fails("clEnqueueUnmapMemObject");
    cl_int code = next.clEnqueueUnmapMemObject(q, m, p, num_wait, wait, failing ? NULL : event);
    live[FAULT_MAP] -= code == CL_SUCCESS;
    live[FAULT_EVENT] += code == CL_SUCCESS && !failing && event;
    return failing ? FAULT_CODE : code;
}

static cl_int CL_API_CALL layer_clCreateKernelsInProgram(cl_program p, cl_uint n,
                                                         cl_kernel *kernels, cl_uint *num) {
    if (fails("clCreateKernelsInProgram"))
        return FAULT_CODE;
    cl_uint made = 0;
    cl_int code = next.clCreateKernelsInProgram(p, n, kernels, &made);
    if (code == CL_SUCCESS && kernels)
        live[FAULT_KERNEL] += made;
    if (num)
        *num = made;
    return code;
}

static cl_int CL_API_CALL layer_clSetUserEventStatus(cl_event event, cl_int status) {
    bool failing = fails("clSetUserEventStatus");
    if (failing && !sticky)
        return FAULT_CODE;
    cl_int code = next.clSetUserEventStatus(event, failing ? FAULT_CODE : status);
    return failing ? FAULT_CODE : code;
}

static void *CL_API_CALL layer_clGetExtensionFunctionAddressForPlatform(cl_platform_id o,
                                                                        const char *name) {
    if (fails("clGetExtensionFunctionAddressForPlatform"))
        return NULL;
    return next.clGetExtensionFunctionAddressForPlatform(o, name);
}

/* The library hands over one text a program. */
static cl_program create_program(cl_context c, const char *text, size_t size, cl_int *err) {
    const char *what = needle, *with = replacement, *place = what ? strstr(text, what) : NULL;
    if (!place)
        return next.clCreateProgramWithSource(c, 1, &text, &size, err);
    const size_t before = (size_t)(place - text), rest = size - before - strlen(what);
    char *changed = malloc(size + strlen(with));
    if (!changed)
        return no_object(err);
    memcpy(changed, text, before);
    memcpy(changed + before, with, strlen(with));
    memcpy(changed + before + strlen(with), place + strlen(what), rest);
    const size_t length = before + strlen(with) + rest;
    cl_program made = next.clCreateProgramWithSource(c, 1, (const char **)&changed, &length, err);
    replaced += made != NULL;
    free(changed);
    return made;
}

static cl_program CL_API_CALL layer_clCreateProgramWithSource(cl_context c, cl_uint n,
                                                              const char **text,
                                                              const size_t *sizes, cl_int *err) {
    if (fails("clCreateProgramWithSource"))
        return no_object(err);
    cl_program made = n == 1 && sizes ? create_program(c, text[0], sizes[0], err)
                                      : next.clCreateProgramWithSource(c, n, text, sizes, err);
    live[FAULT_PROGRAM] += made != NULL;
    return made;
}

/* ---- The layer's own interface (cl_layer.h) ----------------------------------------------- */

static const char layer_name[] = "libclgemm fault layer";

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value,
                                               size_t *size_ret) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *from = what == CL_LAYER_API_VERSION ? (const void *)&version : layer_name;
    size_t n = what == CL_LAYER_API_VERSION ? sizeof version : sizeof layer_name;
    if (what != CL_LAYER_API_VERSION && what != CL_LAYER_NAME)
        return CL_INVALID_VALUE;
    if (value && size < n)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, n);
    if (size_ret)
        *size_ret = n;
    return CL_SUCCESS;
}

static void arm_from_environment(void) {
    const char *at = getenv("CLG_FAULT_AT");
    const char *stick = getenv("CLG_FAULT_STICKY");
    if (at)
        clg_fault_arm(strtol(at, NULL, 10), stick && strcmp(stick, "1") == 0);
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target,
                                            cl_uint *num_entries_ret,
                                            const cl_icd_dispatch **dispatch_ret) {
    if (!target || !num_entries_ret || !dispatch_ret)
        return CL_INVALID_VALUE;
    /* An older loader knows fewer functions than our header: its table ends earlier. */
    size_t size = num_entries * sizeof(void *);
    memcpy(&next, target, size < sizeof next ? size : sizeof next);
    ours = next;
#define STATUS(name, params, args) OTHER(name)
#define WAIT(name, params, args) OTHER(name)
#define CREATE(kind, type, name, params, args) OTHER(name)
#define RETAIN(kind, name, params, args) OTHER(name)
#define RELEASE(kind, name, params, args) OTHER(name)
#define ENQUEUE(name, params, args) OTHER(name)
#define OTHER(name) \
    if (next.name)  \
        ours.name = layer_##name;
#include "layer_calls.h"
    arm_from_environment();
    *num_entries_ret = sizeof ours / sizeof(void *);
    *dispatch_ret = &ours;
    return CL_SUCCESS;
}
