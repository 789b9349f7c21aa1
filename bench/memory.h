/* SPDX-License-Identifier: Apache-2.0
 * The memory of one call besides its matrices. */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include "bench/device.h"

/* Bytes; -1: not known. */
struct memory {
    double workspace; /* the most device memory that the library held */
    double resident;  /* the most by which the process grew; on CPU devices only */
};

/* Releases what the library keeps between calls, so that the next one allocates all that it needs,
 * and starts to measure. */
struct memory memory_start(struct device *device);

/* The peaks since then. */
struct memory memory_peak(struct device *device, const struct memory *start);

/* Bytes of memory that the process has now, without what was freed; negative: not known. */
double memory_resident(void);

#endif
