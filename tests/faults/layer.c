/* SPDX-License-Identifier: Apache-2.0
 * The fault layer: counting, and what a fault does in each kind of call (see layer.h). */
#define CL_TARGET_OPENCL_VERSION 300
#include "layer_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

cl_icd_dispatch clg_fault_next;
static cl_icd_dispatch ours;
#define next clg_fault_next

static atomic_long seen, injected, launches, commands, fault_at;
static atomic_bool sticky;
static atomic_int fault_code = FAULT_CODE;
static _Atomic(const char *) where = "";
atomic_long clg_fault_held[FAULT_KINDS];
#define live clg_fault_held

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

void clg_fault_arm_late(long n, int stick) {
    clg_fault_arm(0, stick);
    clg_late_arm(n, stick != 0);
}

void clg_fault_disarm(void) {
    clg_late_disarm();
    fault_at = 0;
}

void clg_fault_report(int code) {
    fault_code = code;
}

cl_int clg_fault_now(void) {
    return fault_code;
}

void clg_fault_lose_device(void) {
    fault_at = 1;
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

static _Atomic(const char *) held;
static atomic_long waited;

long clg_fault_hold(const char *name) {
    held = name;
    return atomic_exchange(&waited, 0);
}

static bool is_held(const char *name) {
    const char *const now = held;
    return now && strcmp(now, name) == 0;
}

static void wait_while_held(const char *name) {
    waited += is_held(name);
    while (is_held(name))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

long clg_fault_live(enum fault_kind kind) {
    return live[kind];
}

/* ---- The calls ---------------------------------------------------------------------------- */

void clg_fault_note(const char *name) {
    if (atomic_fetch_add(&injected, 1) == 0)
        where = name;
}

static atomic_int exclusive = -1; /* the file that CLG_FAULT_EXCLUSIVE names */

/* Whether another process has it; else this one has, from here on. */
static bool is_taken(void) {
    const char *path = getenv("CLG_FAULT_EXCLUSIVE");
    if (path && exclusive < 0)
        exclusive = open(path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    return path && flock(exclusive, LOCK_EX | LOCK_NB);
}

/* Drivers take their time. */
__attribute__((destructor)) static void end_slowly(void) {
    const struct timespec moment = {.tv_nsec = 500000000};
    if (exclusive >= 0)
        nanosleep(&moment, NULL);
}

bool clg_fault_fails(const char *name) {
    wait_while_held(name);
    long number = atomic_fetch_add(&seen, 1) + 1;
    if (strcmp(name, "clCreateContext") == 0 && is_taken()) {
        clg_fault_note(name);
        return true;
    }
    if (strcmp(name, "clReleaseContext") == 0 && live[FAULT_CONTEXT] == 1 && exclusive >= 0)
        flock(exclusive, LOCK_UN);
    launches += strcmp(name, "clEnqueueNDRangeKernel") == 0;
    commands += strncmp(name, "clEnqueue", 9) == 0;
    long at = fault_at;
    if (at == 0 || (sticky ? number < at : number != at))
        return false;
    clg_fault_note(name);
    return true;
}
#define fails clg_fault_fails

void *clg_fault_nothing(cl_int *err) {
    if (err)
        *err = fault_code;
    return NULL;
}

#define STATUS(name, params, args)                         \
    static cl_int CL_API_CALL layer_##name params {        \
        return fails(#name) ? fault_code : next.name args; \
    }
#define WAIT(name, params, args)                                        \
    static cl_int CL_API_CALL layer_##name params {                     \
        bool failing = fails(#name);                                    \
        cl_int code = failing && !sticky ? fault_code : next.name args; \
        return failing ? fault_code : code;                             \
    }
#define CREATE(kind, type, name, params, args)    \
    static type CL_API_CALL layer_##name params { \
        if (fails(#name))                         \
            return clg_fault_nothing(err);        \
        type made = next.name args;               \
        live[kind] += made != NULL;               \
        return made;                              \
    }
#define RETAIN(kind, name, params, args)            \
    static cl_int CL_API_CALL layer_##name params { \
        if (fails(#name))                           \
            return fault_code;                      \
        cl_int code = next.name args;               \
        live[kind] += code == CL_SUCCESS;           \
        return code;                                \
    }
#define RELEASE(kind, name, params, args)           \
    static cl_int CL_API_CALL layer_##name params { \
        bool failing = fails(#name);                \
        cl_int code = next.name args;               \
        live[kind] -= code == CL_SUCCESS;           \
        return failing ? fault_code : code;         \
    }
#define ENQUEUE(name, params, args)                 \
    static cl_int CL_API_CALL layer_##name params { \
        if (fails(#name))                           \
            return fault_code;                      \
        CLG_LATE(name, false, next.name args);      \
    }
#define TRANSFER(name, params, args)                                     \
    static cl_int CL_API_CALL layer_##name params {                      \
        if (fails(#name) || (blocking && clg_late_hits_blocking(#name))) \
            return fault_code;                                           \
        CLG_LATE(name, blocking, next.name args);                        \
    }
#define OTHER(name)
#include "layer_calls.h"

static cl_int CL_API_CALL layer_clCreateKernelsInProgram(cl_program p, cl_uint n,
                                                         cl_kernel *kernels, cl_uint *num) {
    if (fails("clCreateKernelsInProgram"))
        return fault_code;
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
        return fault_code;
    cl_int code = next.clSetUserEventStatus(event, failing ? fault_code : status);
    return failing ? fault_code : code;
}

static void *CL_API_CALL layer_clGetExtensionFunctionAddressForPlatform(cl_platform_id o,
                                                                        const char *name) {
    if (fails("clGetExtensionFunctionAddressForPlatform"))
        return NULL;
    return next.clGetExtensionFunctionAddressForPlatform(o, name);
}

/* The library passes one string for a program. */
static cl_program create_program(cl_context c, const char *text, size_t size, cl_int *err) {
    const char *what = needle, *with = replacement, *place = what ? strstr(text, what) : NULL;
    if (!place)
        return next.clCreateProgramWithSource(c, 1, &text, &size, err);
    const size_t before = (size_t)(place - text), rest = size - before - strlen(what);
    char *changed = malloc(size + strlen(with));
    if (!changed)
        return clg_fault_nothing(err);
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
        return clg_fault_nothing(err);
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
    /* An older loader knows fewer functions than our header: its table is shorter. */
    size_t size = num_entries * sizeof(void *);
    memcpy(&next, target, size < sizeof next ? size : sizeof next);
    ours = next;
#define STATUS(name, params, args) OTHER(name)
#define WAIT(name, params, args) OTHER(name)
#define CREATE(kind, type, name, params, args) OTHER(name)
#define RETAIN(kind, name, params, args) OTHER(name)
#define RELEASE(kind, name, params, args) OTHER(name)
#define ENQUEUE(name, params, args) OTHER(name)
#define TRANSFER(name, params, args) OTHER(name)
#define OTHER(name) \
    if (next.name)  \
        ours.name = layer_##name;
#include "layer_calls.h"
    arm_from_environment();
    *num_entries_ret = sizeof ours / sizeof(void *);
    *dispatch_ret = &ours;
    return CL_SUCCESS;
}
