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
 *   the rest  do nothing and return the code */
#ifndef CLG_TESTS_FAULTS_LAYER_H
#define CLG_TESTS_FAULTS_LAYER_H

/* What an injected fault reports: a code that any call may return. */
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

/* No fault from here on. Counting goes on. */
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
