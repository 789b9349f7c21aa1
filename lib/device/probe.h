/* SPDX-License-Identifier: Apache-2.0
 * Tries small kernels that check their own results, to find what OpenCL does not report. A kernel
 * that fails is a "no", never an error. CLGEMM_VERBOSE=3 logs each try. */
#ifndef CLG_DEVICE_PROBE_H
#define CLG_DEVICE_PROBE_H

#include "device/facts.h"

/* The context and queue for the kernels. A kernel that fails may damage its context, so that is
 * then closed, and the next kernel opens a new one. Begins with the first two members. */
struct clg_lab {
    cl_device_id id;
    const struct clg_facts *facts;
    cl_context context;
    cl_command_queue queue;
};

void clg_lab_close(struct clg_lab *lab);

/* A kernel to try, named "probe". Its two arguments are a buffer, in which each work-item writes
 * SALT + its id + the expected result, and SALT, a number that no compiler can know. */
struct clg_trial {
    const char *name, *text, *options;
    cl_uint expected;
    size_t groups;
    int times; /* number of launches */
    /* Results. */
    size_t multiple; /* preferred multiple of work-items; 0 if unknown */
    double seconds;  /* of the fastest launch */
};

/* Whether the kernel builds and runs, and each work-item has the expected result. */
bool clg_trial_works(struct clg_lab *lab, struct clg_trial *trial);

/* Measures both rates in tens of milliseconds plus the compilation. If the device is busy, both are
 * lower. False, and *out unset, if the device has no such tensor cores or they do not work. */
bool clg_lab_rates(struct clg_lab *lab, struct clg_rates *out);

/* The same in a laboratory of its own. The process's signal handlers are preserved (see
 * device/signals.h), and nothing is left behind. Zeros if it is false. */
bool clg_probe_rates(cl_device_id id, const struct clg_facts *facts, struct clg_rates *out);

#endif
