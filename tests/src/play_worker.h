/* SPDX-License-Identifier: Apache-2.0
 * The tuner's worker process, which builds and runs candidates, simulated without a device: made-up
 * times and faults. For programs that include src/tune/worker.c. */
#ifndef CLG_TEST_PLAY_WORKER_H
#define CLG_TEST_PLAY_WORKER_H

#include "gemm/family.h"
#include "src/tune/worker.h"

/* How a candidate behaves. It follows from its parameters, so that both processes know. */
enum play_conduct { PLAY_WORKS, PLAY_CRASHES, PLAY_HANGS, PLAY_IS_WRONG, PLAY_LEAVES };

/* For presets of direct with one column and one work-item when they run, for those with two when
 * they are built; PLAY_WORKS for all others. */
enum play_conduct play_conduct_of(const struct clg_candidate *candidate, enum tune_task task);

/* Problems with this m are not for the device, or not for builders. */
enum { PLAY_LOST_M = 77, PLAY_NO_BUILDERS_M = 78 };

/* Seconds; the best is direct's 4 x 4. */
double play_time_of(const struct clg_params *params);

/* A candidate of direct, with one work-item. */
struct clg_candidate play_direct(int tile_m, int tile_n);

/* The whole process; returns its exit code. */
int play_worker(void);

#endif
