/* SPDX-License-Identifier: Apache-2.0
 * A problem's buffers on a device, and its runs; internal to tune/measure. */
#ifndef CLG_TUNE_MEASURE_DEVICE_H
#define CLG_TUNE_MEASURE_DEVICE_H

#include "program/cubin.h"
#include "run/exec.h"
#include "src/tuner/measure.h"
#include "src/tuner/verify.h"

enum { CLG_MEASURE_COPIES = 4 };

struct clg_measure {
    struct clg_binaries *store;
    struct clg_device *device;
    struct clg_programs *programs;
    struct clg_cubin_context *linking; /* NULL until something is built, or if not available */
    cl_command_queue queue;
    struct clg_problem problem;
    struct clg_reference reference;
    cl_mem a[CLG_MEASURE_COPIES], b[CLG_MEASURE_COPIES], c;
    int copies, turn; /* number of copies of A and B, and the one that the next run takes */
    void *host_c;
    /* For calls back to back: */
    cl_command_queue calls; /* without profiling; NULL: not yet */
    cl_mem pool[CLG_MATRICES];
    size_t pool_size[CLG_MATRICES];
    clgemm_type pool_type;
};

/* That many numbers in [-0.5, 0.5], which the caller frees; NULL if memory is short. */
void *clg_measure_numbers(clgemm_type type, int64_t count, uint64_t seed);

/* Sets median and spread. */
void clg_trial_summarize(struct clg_trial *trial);

/* Runs the plan with the next copies of A and B, and waits. */
clgemm_status clg_measure_run(struct clg_measure *measure, const struct clg_prepared *prepared,
                              double *seconds);

#endif
