/* SPDX-License-Identifier: Apache-2.0
 * The fault layer: calls that drivers answer unusually (enum fault_oddity), and mappings. */
#define CL_TARGET_OPENCL_VERSION 300
#include "layer_parts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(enum fault_oddity) oddity;
static atomic_long odd_answers;

long clg_fault_be_odd(enum fault_oddity wanted) {
    oddity = wanted;
    return atomic_exchange(&odd_answers, 0);
}

static bool is_odd(enum fault_oddity wanted) {
    const bool odd = oddity == wanted;
    odd_answers += odd;
    return odd;
}

void *CL_API_CALL layer_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                                           cl_map_flags f, size_t at, size_t n, cl_uint num_wait,
                                           const cl_event *wait, cl_event *event, cl_int *err) {
    if (clg_fault_fails("clEnqueueMapBuffer") || clg_late_hits_blocking("clEnqueueMapBuffer"))
        return clg_fault_nothing(err);
    if (is_odd(FAULT_MAP_OF_NULL)) {
        if (err)
            *err = CL_SUCCESS;
        return NULL;
    }
    struct late late = clg_late_begin("clEnqueueMapBuffer", q, blocking, event, &num_wait, &wait);
    void *p = clg_fault_next.clEnqueueMapBuffer(q, m, blocking, f, at, n, num_wait, wait,
                                                clg_late_event(&late), err);
    clg_late_end(&late, CL_SUCCESS);
    clg_fault_held[FAULT_MAP] += p != NULL;
    clg_fault_held[FAULT_EVENT] += p && event;
    return p;
}

/* Releases a mapping. It does its work even if it fails; the caller then gets no event. */
cl_int CL_API_CALL layer_clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *p,
                                                 cl_uint num_wait, const cl_event *wait,
                                                 cl_event *event) {
    const bool failing = clg_fault_fails("clEnqueueUnmapMemObject");
    struct late late = clg_late_begin("clEnqueueUnmapMemObject", q, true, failing ? NULL : event,
                                      &num_wait, &wait);
    const cl_int code = clg_late_end(&late, clg_fault_next.clEnqueueUnmapMemObject(
                                                q, m, p, num_wait, wait, clg_late_event(&late)));
    clg_fault_held[FAULT_MAP] -= code == CL_SUCCESS;
    clg_fault_held[FAULT_EVENT] += code == CL_SUCCESS && !failing && event;
    return failing ? clg_fault_now() : code;
}

cl_program CL_API_CALL layer_clCreateProgramWithBinary(cl_context c, cl_uint n,
                                                       const cl_device_id *d, const size_t *sizes,
                                                       const unsigned char **data, cl_int *status,
                                                       cl_int *err) {
    if (clg_fault_fails("clCreateProgramWithBinary"))
        return clg_fault_nothing(err);
    if (is_odd(FAULT_BINARY_IS_NULL)) {
        if (err)
            *err = CL_SUCCESS;
        return NULL;
    }
    cl_program made = clg_fault_next.clCreateProgramWithBinary(c, n, d, sizes, data, status, err);
    clg_fault_held[FAULT_PROGRAM] += made != NULL;
    if (made && status && is_odd(FAULT_BINARY_STATUS))
        *status = CL_INVALID_BINARY;
    return made;
}

cl_int CL_API_CALL layer_clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t n, void *p,
                                         size_t *r) {
    if (clg_fault_fails("clGetDeviceInfo"))
        return clg_fault_now();
    const cl_int code = clg_fault_next.clGetDeviceInfo(d, what, n, p, r);
    if (what == CL_DEVICE_HOST_UNIFIED_MEMORY && !code && p && is_odd(FAULT_OWN_MEMORY))
        memset(p, CL_FALSE, sizeof(cl_bool));
    return code;
}

static bool is_about_logs(enum fault_oddity wanted) {
    return wanted >= FAULT_LOG_IS_EMPTY;
}

/* For odd logs every build fails. */
cl_int CL_API_CALL layer_clBuildProgram(cl_program o, cl_uint n, const cl_device_id *d,
                                        const char *options,
                                        void(CL_CALLBACK *fn)(cl_program, void *), void *user) {
    if (clg_fault_fails("clBuildProgram"))
        return clg_fault_now();
    return is_about_logs(oddity) ? CL_BUILD_PROGRAM_FAILURE
                                 : clg_fault_next.clBuildProgram(o, n, d, options, fn, user);
}

/* What a driver returns for a failed build: `size` is the reported size, `text` what it writes. */
static cl_int tell_log(size_t size, const char *text, size_t n, void *p, size_t *r) {
    if (p && n < size)
        return CL_INVALID_VALUE;
    if (p)
        memcpy(p, text, strlen(text)); /* no terminator: the caller must add it */
    if (r)
        *r = size;
    return CL_SUCCESS;
}

cl_int CL_API_CALL layer_clGetProgramBuildInfo(cl_program o, cl_device_id d,
                                               cl_program_build_info what, size_t n, void *p,
                                               size_t *r) {
    static const char text[] = "line 7: cut off in the midd";
    if (clg_fault_fails("clGetProgramBuildInfo"))
        return clg_fault_now();
    if (what == CL_PROGRAM_BUILD_LOG && is_odd(FAULT_LOG_IS_EMPTY))
        return tell_log(0, "", n, p, r);
    if (what == CL_PROGRAM_BUILD_LOG && is_odd(FAULT_LOG_IS_CUT))
        return tell_log(sizeof text - 1, text, n, p, r);
    if (what == CL_PROGRAM_BUILD_LOG && is_odd(FAULT_LOG_IS_HUGE))
        return tell_log(SIZE_MAX, "", n, p, r);
    if (what == CL_PROGRAM_BUILD_LOG && is_odd(FAULT_LOG_IS_REFUSED))
        return p ? CL_OUT_OF_HOST_MEMORY : tell_log(sizeof text, "", n, p, r);
    return clg_fault_next.clGetProgramBuildInfo(o, d, what, n, p, r);
}

/* ---- Spills ---- */

static _Atomic(fault_spills_fn *) kernel_spills;
static atomic_long asked;

long clg_fault_spill(fault_spills_fn *spills) {
    kernel_spills = spills;
    return atomic_exchange(&asked, 0);
}

/* The kernel's answer, or 0 if its options cannot be found out. */
static long spills_of(cl_kernel kernel, cl_device_id device) {
    fault_spills_fn *const spills = kernel_spills;
    cl_program program = NULL;
    char options[1024] = "";
    if (clg_fault_next.clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, (void *)&program,
                                       NULL) ||
        clg_fault_next.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS,
                                             sizeof options, options, NULL))
        return 0;
    return spills(options);
}

cl_int CL_API_CALL layer_clGetKernelWorkGroupInfo(cl_kernel o, cl_device_id d,
                                                  cl_kernel_work_group_info what, size_t n, void *p,
                                                  size_t *r) {
    enum { SPILL_MEM_SIZE_INTEL = 0x4109 };
    if (clg_fault_fails("clGetKernelWorkGroupInfo"))
        return clg_fault_now();
    asked += what == CL_KERNEL_PRIVATE_MEM_SIZE;
    const bool is_private = what == CL_KERNEL_PRIVATE_MEM_SIZE,
               is_spill = what == SPILL_MEM_SIZE_INTEL;
    if (!kernel_spills || !(is_private || is_spill) || n < sizeof(cl_ulong))
        return clg_fault_next.clGetKernelWorkGroupInfo(o, d, what, n, p, r);
    const long spills = spills_of(o, d);
    *(cl_ulong *)p = (cl_ulong)(is_private == (spills > 0) ? labs(spills) : 0);
    if (r)
        *r = sizeof(cl_ulong);
    return CL_SUCCESS;
}
