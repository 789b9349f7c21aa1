/* SPDX-License-Identifier: Apache-2.0
 * Properties that OpenCL does not report, and that only `clgemm info` shows. */
#ifndef CLGEMM_INFO_PROBE_H
#define CLGEMM_INFO_PROBE_H

#include "device/probe.h"

/* All zero means that nothing was shown to work. */
struct clg_probes {
    uint64_t local_static;  /* bytes of the largest __local array that works; GPU drivers may
                               support more in a kernel than they report */
    uint32_t subgroup;      /* work-items in lockstep (SIMD width); 0 if unknown */
    bool fast_fma;          /* the compiler defines FP_FAST_FMAF, and fma() rounds once; false says
                               little, as NVIDIA and PoCL do not define it though their fma() is
                               fast */
    bool inline_ptx;        /* NVIDIA's inline assembly works */
    struct clg_rates rates; /* zeros: not measured */
};

/* Runs all probes, which takes up to a few seconds. A probe that fails counts as "no", never as an
 * error. The process's signal handlers are preserved, and nothing is left behind. */
void clg_probes_run(cl_device_id id, const struct clg_facts *facts, struct clg_probes *out);

#endif
