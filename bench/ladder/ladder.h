/* SPDX-License-Identifier: Apache-2.0
 * `clgemm-bench --ladder`: the tutorial's kernels beside the usual contenders (docs/ladder.md). */
#ifndef BENCH_LADDER_LADDER_H
#define BENCH_LADDER_LADDER_H

#include "bench/measure.h"
#include "bench/report/report.h"
#include "src/common/ladder_steps.h"

enum { LADDER_ROWS_MAX = 16, LADDER_SERIES_MAX = CONTENDERS + LADDER_ROWS_MAX };

/* A built kernel of the ladder. */
struct ladder_kernel {
    cl_program program;
    cl_kernel kernel;
};

/* What the steps share: helper kernels, and matrices that live as long as one problem. */
struct ladder_space {
    struct ladder_kernel transpose, pad, unpad;
    cl_mem transposed, padded_a, padded_b, padded_c;
};

/* A step as a contender: its `state`. */
struct ladder_run {
    struct ladder_step step;
    struct ladder_launch launch;
    struct ladder_space *space;
    struct ladder_kernel main;
};

extern const struct contender_ops ladder_ops;

/* Builds a kernel of the ladder; false with a reason. Release in any case. */
bool ladder_build(struct ladder_kernel *out, struct clg_device *device, const char *source,
                  const char *options, char *why, size_t room);
void ladder_kernel_release(struct ladder_kernel *kernel);

/* The device's rate of multiply-adds in GFLOP/s, by fma_peak.cl: of doubles for that type, else of
 * floats. 0 with a reason. */
double ladder_ceiling(struct device *device, clgemm_type type, char *why, size_t room);

/* The device's rate of bytes read and written in GB/s, by copy_peak.cl; 0 with a reason. */
double ladder_copy_ceiling(struct device *device, char *why, size_t room);

/* The results. Contenders [0, CONTENDERS) are the usual ones, the others are the ladder's. */
struct ladder_report {
    const struct options *options;
    struct context context;
    const struct contender *contenders;
    int count;                   /* number of contenders */
    const struct series *series; /* `count` for each shape of the options */
    double ceiling;              /* GFLOP/s; 0: not measured */
    char no_ceiling[256];        /* why it was not measured */
};

/* The series of a contender at a shape. */
const struct series *ladder_series(const struct ladder_report *report, size_t shape, int contender);

/* The step of a contender, or NULL for one of the usual contenders. */
const struct ladder_step *ladder_step_of(const struct ladder_report *report, int contender);

/* The step's technique, else the contender's title. */
const char *ladder_title(const struct ladder_report *report, int contender);

/* The share of the ceiling; 0 if there is no ceiling, or the contender does not run on the
 * device. */
double ladder_share(const struct ladder_report *report, const struct series *series, int contender);

#define LADDER_SCHEMA "clgemm-bench-ladder/1"

/* The first writes a struct ladder_report. Both leave write errors to the caller's ferror(). */
report_writer ladder_report_write;
void ladder_report_svg(FILE *out, const struct ladder_report *report);

/* Measures, writes and judges; returns the exit code. */
int ladder(const struct options *options);

#endif
