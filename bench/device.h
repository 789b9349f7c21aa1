/* SPDX-License-Identifier: Apache-2.0
 * The measured device, and the matrices resident on it that contenders share. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include <clgemm_cl.h>
#include <stdio.h>

#include "bench/problem.h"
#include "device/device.h"

struct device {
    struct clg_device *open; /* context, id, facts: the handle's first, or one without a handle */
    clgemm_handle *handle;   /* of all devices of the request */
    cl_command_queue queue;  /* in-order */
    cl_mem a, b, c;
};

/* Opens what -d names (NULL: the library's choice). Close in any case. */
clgemm_status device_open(struct device *device, const char *request);

/* The same for the whole program: returns EXIT_FINE, or prints a message and returns the exit
 * code. */
int device_require(struct device *device, const char *request);
void device_close(struct device *device);

/* The i-th device of the handle; NULL if it has fewer. */
cl_device_id device_id(const struct device *device, int i);

/* Lists every device on `out`, one per line; returns their number, or -1. */
int device_list(FILE *out);

/* Makes the three matrices of the problem on the device and uploads A and B. Returns false with a
 * reason, for example that they are too large. Call device_unload() in any case. */
bool device_load(struct device *device, const struct problem *problem, char *why, size_t room);
void device_unload(struct device *device);

/* Uploads C's start values; copies C to the host. Both block. `scratch` holds c_count elements. */
cl_int device_start_c(struct device *device, const struct problem *problem, void *scratch);
cl_int device_fetch_c(struct device *device, const struct problem *problem, void *c);

#endif
