/* SPDX-License-Identifier: Apache-2.0
 * Finds properties that OpenCL does not report. Each probe is a small kernel that checks its own
 * result. */
#ifndef CLG_DEVICE_PROBE_H
#define CLG_DEVICE_PROBE_H

#include "device/facts.h"

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

/* Runs all probes of struct clg_probes, which takes up to a few seconds. A probe that fails counts
 * as "no", never as an error. The process's signal handlers are preserved (see device/signals.h),
 * and nothing is left behind. CLGEMM_VERBOSE=3 logs each try. */
void clg_probes_run(cl_device_id id, const struct clg_facts *facts, struct clg_probes *out);

/* Measures both rates, with the same care, in tens of milliseconds plus the compilation. If the
 * device is busy, both are lower. False, and zeros, if the device has no such tensor cores or they
 * do not work. */
bool clg_probe_rates(cl_device_id id, const struct clg_facts *facts, struct clg_rates *out);

#endif
