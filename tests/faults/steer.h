/* SPDX-License-Identifier: Apache-2.0
 * Access to the fault layer from a test: its path, its functions, its counts. */
#ifndef CLG_TESTS_FAULTS_STEER_H
#define CLG_TESTS_FAULTS_STEER_H

#include "layer.h"

/* The layer's functions. */
struct steering {
    fault_arm_fn *arm, *arm_late;
    fault_code_fn *report;
    fault_odd_fn *be_odd;
    fault_disarm_fn *disarm;
    fault_count_fn *calls, *injected, *commands, *launches;
    fault_where_fn *where;
    fault_live_fn *live;
    fault_replace_fn *replace;
    fault_hold_fn *hold;
    fault_spill_fn *spill;
};
extern struct steering steer;

/* Starts the program again with OPENCL_LAYERS set if it was not, so that the loader finds the layer
 * at its start; then fills `steer`. Call it first in main(). Exits on failure, and with 77
 * (skipped) if the loader loads no layers, as CUDA's own does not. */
void steer_setup(char **argv);

/* Waits up to two seconds for all counts to be as in `want`, because commands end and callbacks
 * release objects on the runtime's threads. Returns the first kind that differs, or -1. */
int steer_settle(const long want[FAULT_KINDS]);

/* All current counts. */
void steer_counts(long counts[FAULT_KINDS]);

extern const char *const steer_kind_name[FAULT_KINDS];

#endif
