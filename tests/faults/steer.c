/* SPDX-License-Identifier: Apache-2.0
 * Finds the fault layer and waits for its counts. The build defines LAYER_PATH. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include "steer.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SKIP = 77 };

typedef cl_int CL_API_CALL get_platforms_fn(cl_uint, cl_platform_id *, cl_uint *);

struct steering steer;

const char *const steer_kind_name[FAULT_KINDS] = {
    "contexts", "queues", "buffers",  "mapped regions",    "programs",
    "kernels",  "events", "samplers", "device references",
};

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found;
}

/* Whether the layer sees a call. Asked in a child, because a process that has used OpenCL cannot
 * fork children that use it. */
static bool layer_is_loaded(void) {
    const pid_t child = fork();
    if (child == 0) {
        void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
        get_platforms_fn *get_platforms =
            loader ? (get_platforms_fn *)dlsym(loader, "clGetPlatformIDs") : NULL;
        cl_uint count;
        steer.arm(0, 0);
        if (get_platforms)
            get_platforms(0, NULL, &count);
        _exit(steer.calls() > 0 ? 0 : 1);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

void steer_setup(char **argv) {
    const char *layers = getenv("OPENCL_LAYERS"); /* others may follow */
    if (!layers || strncmp(layers, LAYER_PATH, strlen(LAYER_PATH)) != 0) {
        char all[4096];
        snprintf(all, sizeof all, "%s%s%s", LAYER_PATH, layers ? ":" : "", layers ? layers : "");
        setenv("OPENCL_LAYERS", all, 1);
        execv("/proc/self/exe", argv);
        perror("execv");
        exit(1);
    }
    void *layer = dlopen(LAYER_PATH, RTLD_NOW | RTLD_LOCAL);
    if (!layer) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    steer.arm = (fault_arm_fn *)symbol(layer, "clg_fault_arm");
    steer.arm_late = (fault_arm_fn *)symbol(layer, "clg_fault_arm_late");
    steer.report = (fault_code_fn *)symbol(layer, "clg_fault_report");
    steer.be_odd = (fault_odd_fn *)symbol(layer, "clg_fault_be_odd");
    steer.disarm = (fault_disarm_fn *)symbol(layer, "clg_fault_disarm");
    steer.calls = (fault_count_fn *)symbol(layer, "clg_fault_calls");
    steer.injected = (fault_count_fn *)symbol(layer, "clg_fault_injected");
    steer.launches = (fault_count_fn *)symbol(layer, "clg_fault_launches");
    steer.commands = (fault_count_fn *)symbol(layer, "clg_fault_commands");
    steer.where = (fault_where_fn *)symbol(layer, "clg_fault_where");
    steer.replace = (fault_replace_fn *)symbol(layer, "clg_fault_replace");
    steer.live = (fault_live_fn *)symbol(layer, "clg_fault_live");
    steer.hold = (fault_hold_fn *)symbol(layer, "clg_fault_hold");
    steer.spill = (fault_spill_fn *)symbol(layer, "clg_fault_spill");
    if (!layer_is_loaded()) {
        printf("skipped: the OpenCL loader, libOpenCL.so.1, does not load OPENCL_LAYERS\n");
        exit(SKIP);
    }
}

void steer_counts(long counts[FAULT_KINDS]) {
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        counts[kind] = steer.live((enum fault_kind)kind);
}

int steer_settle(const long want[FAULT_KINDS]) {
    long counts[FAULT_KINDS];
    int apart = -1;
    for (int tries = 0; tries < 2000; tries++) {
        steer_counts(counts);
        apart = -1;
        for (int kind = FAULT_KINDS - 1; kind >= 0; kind--)
            if (counts[kind] != want[kind])
                apart = kind;
        if (apart < 0)
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return apart;
}
