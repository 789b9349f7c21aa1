/* SPDX-License-Identifier: Apache-2.0
 * Peaks of the library's workspace, and of the process as Linux counts them. */
#include "bench/memory.h"

#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "api/handle.h"
#include "device/workspace.h"

/* Gives back memory that was freed. */
static void trim(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* Makes the present size of the process its peak. */
static bool reset_resident_peak(void) {
    trim();
    FILE *file = fopen("/proc/self/clear_refs", "w");
    bool wrote = file && fputs("5", file) >= 0;
    if (file && fclose(file))
        wrote = false;
    return wrote;
}

/* Bytes of one of the sizes that Linux has counted, or -1. */
static double process_bytes(const char *name) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[128];
    double bytes = -1;
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)))
            bytes = strtod(line + strlen(name), NULL) * 1024;
    if (file)
        fclose(file);
    return bytes;
}

static double resident_peak(void) {
    return process_bytes("VmHWM:");
}

double memory_resident(void) {
    trim();
    return process_bytes("VmRSS:");
}

static struct clg_device *library_device(const struct device *device) {
    return device->handle->engine.device;
}

struct memory memory_start(struct device *device) {
    struct clg_device *library = library_device(device);
    struct memory start = {.resident = -1};
    clg_workspace_clear(library);
    clg_workspace_start_peak(library);
    if (library->facts.kind == CLG_DEVICE_CPU && reset_resident_peak())
        start.resident = resident_peak();
    return start;
}

struct memory memory_peak(struct device *device, const struct memory *start) {
    struct memory peak = {.workspace = (double)clg_workspace_peak(library_device(device)),
                          .resident = -1};
    const double now = start->resident < 0 ? -1 : resident_peak();
    if (now >= 0)
        peak.resident = now > start->resident ? now - start->resident : 0;
    return peak;
}
