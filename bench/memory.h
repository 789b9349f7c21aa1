/* SPDX-License-Identifier: Apache-2.0
 * What one call takes in memory beside its matrices. */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include "bench/device.h"

/* Bytes; -1: not known. */
struct memory {
    double workspace; /* the most that the library held of the device's memory */
    double resident;  /* by how much the process grew at most; on CPU devices only */
};

/* Lets go of what the library keeps between calls, so that the next one takes all that it needs,
 * and begins to watch. */
struct memory memory_start(struct device *device);

/* What was taken at most since then. */
struct memory memory_peak(struct device *device, const struct memory *start);

#endif
