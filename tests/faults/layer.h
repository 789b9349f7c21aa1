/* SPDX-License-Identifier: Apache-2.0
 * The fault layer: an OpenCL layer that counts the calls it sees and makes a chosen one fail.
 *
 * Load it with OPENCL_LAYERS=path/to/libclg_fault_layer.so. It starts disarmed, or as
 * CLG_FAULT_AT=N (0: none) and CLG_FAULT_STICKY=1 say. A process may also steer it while running,
 * through the functions below, which it finds with dlopen(path, RTLD_NOLOAD) and dlsym.
 *
 * What a fault does depends on the call:
 *   create    makes nothing: NULL, and the code in errcode_ret
 *   release   does its work, then reports the code, so that the fault itself leaks nothing
 *   wait, set user event status
 *             once: does nothing, so the library must finish by other means;
 *             sticky: waits, or sets the event to the code, then reports it, because no library
 *             can end what it is never allowed to wait for
 *   the rest  do nothing and return the code
 *
 * Commands may also fail late: they are accepted, and their event's status turns negative a moment
 * after (clg_fault_arm_late). And some calls may be answered oddly (clg_fault_be_odd). */
#ifndef CLG_TESTS_FAULTS_LAYER_H
#define CLG_TESTS_FAULTS_LAYER_H

/* What an injected fault reports, unless told otherwise: a code that any call may return. */
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

/* Counts calls from 1 anew and makes the n-th fail; sticky: the n-th and all after it. 0: none. */
typedef void fault_arm_fn(long n, int sticky);
void clg_fault_arm(long n, int sticky);

/* Counts commands from 1 anew and makes the n-th fail late; sticky: from that failure on all calls
 * fail, as where a device is lost. A blocking command, of which nothing can be told later, does
 * nothing and returns the code. */
void clg_fault_arm_late(long n, int sticky);

/* The code that faults report from here on. */
typedef void fault_code_fn(int code);
void clg_fault_report(int code);

/* Answers of drivers that no code of theirs prepares for. */
enum fault_oddity {
    FAULT_NOT_ODD,
    FAULT_MAP_OF_NULL,    /* clEnqueueMapBuffer: NULL, with CL_SUCCESS */
    FAULT_BINARY_STATUS,  /* clCreateProgramWithBinary: a program, CL_SUCCESS, and in binary_status
                             CL_INVALID_BINARY */
    FAULT_BINARY_IS_NULL, /* ... NULL, with CL_SUCCESS */
    /* clBuildProgram fails with CL_BUILD_PROGRAM_FAILURE, and clGetProgramBuildInfo has: */
    FAULT_LOG_IS_EMPTY,  /* a log of 0 bytes */
    FAULT_LOG_IS_CUT,    /* one that ends in a word, without the end of a string */
    FAULT_LOG_IS_HUGE,   /* one of SIZE_MAX bytes */
    FAULT_LOG_IS_REFUSED /* one whose size alone can be asked for */
};

/* Calls are answered so from here on. Returns how many have been since it was last called. */
typedef long fault_odd_fn(enum fault_oddity wanted);
long clg_fault_be_odd(enum fault_oddity wanted);

/* No fault from here on; waits for failures under way. Counting goes on. */
typedef void fault_disarm_fn(void);
void clg_fault_disarm(void);

/* Calls seen, and faults injected, since the layer was last armed (or loaded). */
typedef long fault_count_fn(void);
long clg_fault_calls(void);
long clg_fault_injected(void);

/* Commands enqueued among the calls seen, and kernel launches among these. */
long clg_fault_commands(void);
long clg_fault_launches(void);

/* The function that the first fault since arming hit; "" if none. */
typedef const char *fault_where_fn(void);
const char *clg_fault_where(void);

/* From here on a source that holds `needle` reaches the compiler with `with` in its first place: a
 * compiler that gets it wrong. Both are kept; NULL: sources as they are. Returns how many sources
 * have been changed since it was last called. */
typedef long fault_replace_fn(const char *needle, const char *with);
long clg_fault_replace(const char *needle, const char *with);

/* References alive now. */
typedef long fault_live_fn(enum fault_kind kind);
long clg_fault_live(enum fault_kind kind);

#endif
