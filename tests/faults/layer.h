/* SPDX-License-Identifier: Apache-2.0
 * The fault layer: an OpenCL layer that counts the calls it sees and makes a chosen one fail.
 *
 * Load it with OPENCL_LAYERS=path/to/libclg_fault_layer.so. At the start it is disarmed, unless
 * CLG_FAULT_AT=N (and CLG_FAULT_STICKY=1) arms it. With CLG_FAULT_EXCLUSIVE=FILE devices are in
 * exclusive mode: a process that has a context has that file locked, and others cannot make any. A
 * process can also control the layer at run time through the functions below, which it finds with
 * dlopen(path, RTLD_NOLOAD) and dlsym.
 *
 * What a fault does depends on the call:
 *   create    makes nothing: NULL, and the code in errcode_ret
 *   release   does its work, then reports the code, so that the fault itself leaks nothing
 *   wait, set user event status
 *             once: does nothing, so the library must finish by other means;
 *             sticky: waits, or sets the event to the code, then reports it, because no
 *             library can finish what it is never allowed to wait for
 *   the rest  do nothing and return the code
 *
 * Commands may also fail late: they are accepted, and a moment later their event's status turns
 * negative (clg_fault_arm_late). And calls may get unusual answers (clg_fault_be_odd). */
#ifndef CLG_TESTS_FAULTS_LAYER_H
#define CLG_TESTS_FAULTS_LAYER_H

/* The code of an injected fault, unless set otherwise: any call may return it. */
#define FAULT_CODE CL_OUT_OF_RESOURCES

/* Kinds of objects whose references are counted: a create or retain adds, a release subtracts. */
enum fault_kind {
    FAULT_CONTEXT,
    FAULT_QUEUE,
    FAULT_MEMORY,
    FAULT_MAP, /* mapped regions */
    FAULT_PROGRAM,
    FAULT_KERNEL,
    FAULT_EVENT,
    FAULT_SAMPLER,
    FAULT_DEVICE, /* retains of devices */
    FAULT_KINDS
};

/* Counts calls from 1 again and makes the n-th fail; sticky: the n-th and all after it. 0: none. */
typedef void fault_arm_fn(long n, int sticky);
void clg_fault_arm(long n, int sticky);

/* Counts commands from 1 again and makes the n-th fail late; sticky: all calls after that failure
 * fail, as on a lost device. A blocking command cannot fail later, so it does nothing and returns
 * the code. */
void clg_fault_arm_late(long n, int sticky);

/* The code of all faults from here on. */
typedef void fault_code_fn(int code);
void clg_fault_report(int code);

/* Unusual answers of drivers, which no status announces. */
enum fault_oddity {
    FAULT_NOT_ODD,
    FAULT_MAP_OF_NULL,    /* clEnqueueMapBuffer: NULL, with CL_SUCCESS */
    FAULT_BINARY_STATUS,  /* clCreateProgramWithBinary: a program, CL_SUCCESS, and in binary_status
                             CL_INVALID_BINARY */
    FAULT_BINARY_IS_NULL, /* ... NULL, with CL_SUCCESS */
    FAULT_OWN_MEMORY,     /* clGetDeviceInfo: the device does not share the host's memory */
    /* clBuildProgram fails with CL_BUILD_PROGRAM_FAILURE, and clGetProgramBuildInfo returns: */
    FAULT_LOG_IS_EMPTY,  /* a log of 0 bytes */
    FAULT_LOG_IS_CUT,    /* one that ends within a word, without a terminator */
    FAULT_LOG_IS_HUGE,   /* one of SIZE_MAX bytes */
    FAULT_LOG_IS_REFUSED /* one that returns its size but not its text */
};

/* Calls get this answer from here on. Returns the number of such answers since the last call. */
typedef long fault_odd_fn(enum fault_oddity wanted);
long clg_fault_be_odd(enum fault_oddity wanted);

/* No fault from here on. Waits for failures under way. Counting continues. */
typedef void fault_disarm_fn(void);
void clg_fault_disarm(void);

/* Calls seen, and faults injected, since the layer was last armed (or loaded). */
typedef long fault_count_fn(void);
long clg_fault_calls(void);
long clg_fault_injected(void);

/* Commands enqueued among the calls seen, and kernel launches among the commands. */
long clg_fault_commands(void);
long clg_fault_launches(void);

/* The function that the first fault since arming hit; "" if none. */
typedef const char *fault_where_fn(void);
const char *clg_fault_where(void);

/* From here on the first occurrence of `needle` in a source is replaced by `with` before the source
 * reaches the compiler, as if that miscompiled it. Both pointers are kept; NULL: no change. Returns
 * how many sources have been changed since the last call. */
typedef long fault_replace_fn(const char *needle, const char *with);
long clg_fault_replace(const char *needle, const char *with);

/* What clGetKernelWorkGroupInfo tells of kernels that were built with these options, from here on:
 * bytes of private memory; if negative, of Intel's spill memory. NULL: the driver tells. Returns
 * how many kernels' private memory has been asked for since the last call. */
typedef long fault_spills_fn(const char *options);
typedef long fault_spill_fn(fault_spills_fn *spills);
long clg_fault_spill(fault_spills_fn *spills);

/* Calls of this function wait from here on; NULL: of none, and those that wait go on. The pointer
 * is kept. Returns how many have waited since the last call. */
typedef long fault_hold_fn(const char *name);
long clg_fault_hold(const char *name);

/* The number of references now. */
typedef long fault_live_fn(enum fault_kind kind);
long clg_fault_live(enum fault_kind kind);

#endif
