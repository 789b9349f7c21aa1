/* SPDX-License-Identifier: Apache-2.0
 * Measures what a call costs the host, beside the OpenCL runtime's cost for a bare kernel. */
#ifndef BENCH_OVERHEAD_H
#define BENCH_OVERHEAD_H

#include "bench/mode.h"

enum overhead_figure {
    OVERHEAD_ENQUEUE,      /* clgemm_gemm_cl alone, back to back */
    OVERHEAD_FACTORS,      /* the same with another alpha in each call */
    OVERHEAD_COLD,         /* the same with no plan remembered, but its programs */
    OVERHEAD_BARE_ENQUEUE, /* clEnqueueNDRangeKernel of a kernel that does nothing */
    OVERHEAD_FINISH,       /* clgemm_gemm_cl and clFinish */
    OVERHEAD_BARE_FINISH,  /* the bare kernel and clFinish */
    OVERHEAD_HOST,         /* clgemm_gemm, host to host */
    OVERHEAD_FIGURES
};

struct overhead_result {
    struct mode_result head;
    int kernels;   /* that the call enqueues */
    int arguments; /* of the last kernel, and of the bare kernel */
    struct timing figures[OVERHEAD_FIGURES];
};

extern const struct mode overhead_mode;

/* One of its parts: writes a struct mode_report. */
report_writer overhead_report_write;

/* The "schema" member of its JSON. */
#define OVERHEAD_SCHEMA "clgemm-bench-overhead/1"

#endif
