/* SPDX-License-Identifier: Apache-2.0
 * What OpenCL does not report of a device, found out by trying: each probe is a small throw-away
 * kernel that checks its own result. */
#ifndef CLG_DEVICE_PROBE_H
#define CLG_DEVICE_PROBE_H

#include "device/facts.h"

/* All zero means that nothing could be shown to work. */
struct clg_probes {
    uint64_t local_static;  /* bytes of the largest __local array seen to work; drivers of GPUs may
                               take more in a kernel than the local memory that they report */
    uint32_t subgroup;      /* work-items that run in step (SIMD width); 0 if unknown */
    bool fast_fma;          /* the compiler defines FP_FAST_FMAF, and fma() rounds once; a "no" says
                               little: NVIDIA's and PoCL's do not define it, fast as their fma() is */
    bool inline_ptx;        /* NVIDIA's inline assembly compiles and works */
    struct clg_rates rates; /* zeros: not measured */
};

/* Tries all that struct clg_probes has; takes up to a few seconds. A probe that fails, for whatever
 * reason, is a "no", never an error. The process's signal handlers are guarded meanwhile (see
 * device/signals.h), and nothing is left behind. CLGEMM_VERBOSE=3 logs each try. */
void clg_probes_run(cl_device_id id, const struct clg_facts *facts, struct clg_probes *out);

/* Measures both rates, in some 20 ms beside the builds, with the same care; a busy device is slower
 * at both. False, and zeros, where the device has no such tensor cores or they do not work. */
bool clg_probe_rates(cl_device_id id, const struct clg_facts *facts, struct clg_rates *out);

#endif
