/* SPDX-License-Identifier: Apache-2.0
 * The speeds of a pipeline's parts. */
#include "run/pipe_speeds.h"

#include <string.h>

/* More threads do not help: these saturate memory and bus. */
enum { MOST_THREADS = 8 };

/* Elements of C that keep a compute unit busy, if k is split when it is long. */
enum { UNIT_ELEMENTS = 64 * 64 };

/* Operations per cycle of a compute unit. NVIDIA's have 128 FP32 lanes since compute capability 8.6
 * and 9.0, others 64 or more. */
static double unit_operations(const struct clg_facts *facts) {
    if (facts->kind != CLG_DEVICE_GPU)
        return 2.0 * facts->float_vector;
    return strstr(facts->vendor, "NVIDIA") ? 256 : 128;
}

struct clg_pipe_speeds clg_pipe_speeds_guess(const struct clg_facts *facts, clgemm_type type,
                                             int processors) {
    const double share_of_peak = 0.75;
    const double of_type = clg_type_size(type) > clg_type_size(CLGEMM_F32) ? 0.5 : 1;
    return (struct clg_pipe_speeds){
        .up = 55e9,
        .down = 55e9,
        .transfer = 2.5e-6,
        .copy = 10e9,
        .copy_all = 45e9,
        .threads = processors < MOST_THREADS ? processors : MOST_THREADS,
        .wake = 8e-6, /* two system calls of the caller, and waking up */
        .operations = share_of_peak * of_type * 1e6 * facts->clock_mhz * facts->compute_units *
                      unit_operations(facts),
        .memory = facts->kind == CLG_DEVICE_GPU ? 2.5e12 : 50e9,
        .launch = 16e-6, /* mostly a thread that enqueues instead of copying */
        .elements_to_fill = (int64_t)facts->compute_units * UNIT_ELEMENTS};
}

struct clg_pipe_speeds clg_pipe_speeds_of(const struct clg_tuning *measured,
                                          const struct clg_facts *facts, clgemm_type type,
                                          clgemm_math math, int processors) {
    struct clg_pipe_speeds speeds = clg_pipe_speeds_guess(facts, type, processors);
    const struct clg_host_speeds *host = clg_tuning_host_speeds(measured, NULL);
    const double rate = clg_tuning_rate(measured, type, math);
    if (host) {
        speeds.up = 1e6 * (double)host->up_mb_s;
        speeds.down = 1e6 * (double)host->down_mb_s;
        speeds.transfer = 1e-9 * (double)host->transfer_ns;
        speeds.copy = 1e6 * (double)host->copy_mb_s;
        speeds.copy_all = 1e6 * (double)host->copy_all_mb_s;
    }
    if (rate > 0)
        speeds.operations = rate;
    return speeds;
}
