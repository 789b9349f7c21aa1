/* SPDX-License-Identifier: Apache-2.0
 * What the files of the fault layer share (see layer.h). */
#ifndef CLG_TESTS_FAULTS_LAYER_PARTS_H
#define CLG_TESTS_FAULTS_LAYER_PARTS_H

#include "layer.h"

#include <CL/cl_layer.h>
#include <stdatomic.h>
#include <stdbool.h>

extern cl_icd_dispatch clg_fault_next; /* the loader, or the next layer */
extern atomic_long clg_fault_held[FAULT_KINDS];

/* Counts one call of `name`; true if it is to fail. */
bool clg_fault_fails(const char *name);

/* Records a fault that hit `name`. */
void clg_fault_note(const char *name);

/* The code of injected faults. */
cl_int clg_fault_now(void);

/* NULL, with that code in *err. */
void *clg_fault_nothing(cl_int *err);

/* From here on all calls fail, as on a lost device; until disarmed. */
void clg_fault_lose_device(void);

/* ---- Commands that fail late (layer_late.c) ---- */

enum late_kind {
    LATE_NOT,    /* the command is enqueued unchanged */
    LATE_BEHIND, /* ... behind an event that fails */
    LATE_ALONE,  /* an event that fails replaces it; other commands of its queue run */
    LATE_ENDED   /* it waits for one that has failed: it fails as well */
};

/* A command being enqueued. */
struct late {
    enum late_kind kind;
    bool armed, locks;
    cl_event *to;    /* where the caller wants the event, or NULL */
    cl_event own;    /* the command's, while commands may fail */
    cl_event other;  /* the layer's, which fails */
    cl_event *waits; /* what the command waits for instead */
};

/* This blocking command is to fail: it does nothing and reports that. */
bool clg_late_hits_blocking(const char *name);

/* `event`, `*num_wait` and `*wait` are the command's; the last two may change. */
struct late clg_late_begin(const char *name, cl_command_queue q, bool blocking, cl_event *event,
                           cl_uint *num_wait, const cl_event **wait);
/* Where the command is to store its event. */
cl_event *clg_late_event(struct late *late);
/* `code` is what enqueueing the command returned, or CL_SUCCESS if none was enqueued. */
cl_int clg_late_end(struct late *late, cl_int code);

/* Encloses the enqueueing of a command by `call`, whose parameters have these names, and whose
 * event is stored in `event`. */
#define CLG_LATE(name, blocking, call)                                              \
    struct late late = clg_late_begin(#name, q, blocking, event, &num_wait, &wait); \
    cl_event *const given = event;                                                  \
    event = clg_late_event(&late);                                                  \
    const bool enqueues = late.kind == LATE_NOT || late.kind == LATE_BEHIND;        \
    const cl_int code = clg_late_end(&late, enqueues ? (call) : CL_SUCCESS);        \
    clg_fault_held[FAULT_EVENT] += code == CL_SUCCESS && given;                     \
    return code

/* The n-th command from here on fails late; sticky: all calls after its failure fail too. 0: none.
 * The second function waits for failures under way. */
void clg_late_arm(long n, bool sticky);
void clg_late_disarm(void);

/* ---- Calls implemented in their own files ---- */

cl_int CL_API_CALL layer_clGetEventInfo(cl_event o, cl_event_info what, size_t n, void *p,
                                        size_t *r);
cl_int CL_API_CALL layer_clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t n, void *p,
                                         size_t *r);
cl_int CL_API_CALL layer_clBuildProgram(cl_program o, cl_uint n, const cl_device_id *d,
                                        const char *options,
                                        void(CL_CALLBACK *fn)(cl_program, void *), void *user);
cl_int CL_API_CALL layer_clGetProgramBuildInfo(cl_program o, cl_device_id d,
                                               cl_program_build_info what, size_t n, void *p,
                                               size_t *r);
cl_int CL_API_CALL layer_clGetKernelWorkGroupInfo(cl_kernel o, cl_device_id d,
                                                  cl_kernel_work_group_info what, size_t n, void *p,
                                                  size_t *r);
cl_program CL_API_CALL layer_clCreateProgramWithBinary(cl_context c, cl_uint n,
                                                       const cl_device_id *d, const size_t *sizes,
                                                       const unsigned char **data, cl_int *status,
                                                       cl_int *err);
void *CL_API_CALL layer_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                                           cl_map_flags f, size_t at, size_t n, cl_uint num_wait,
                                           const cl_event *wait, cl_event *event, cl_int *err);
cl_int CL_API_CALL layer_clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *p,
                                                 cl_uint num_wait, const cl_event *wait,
                                                 cl_event *event);

#endif
