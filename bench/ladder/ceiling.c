/* SPDX-License-Identifier: Apache-2.0
 * The device's ceiling: how many multiply-adds it makes in a second where there is nothing else to
 * do. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bench/ladder/ladder.h"
#include "device/buffer.h"

/* As in fma_peak.cl. */
enum { CHAINS = 12, UNROLL = 16, FLOPS = 2 * CHAINS * UNROLL };

/* Samples of at least this long, of which the best counts: a ceiling is what can be reached. */
#define SAMPLE_SECONDS 0.05
enum { SAMPLES = 5, FEWEST = 2, ROUNDS_MAX = 1 << 24 };

/* Of a device that is this slow, a simulator, one sample is enough. */
#define SLOW_SECONDS 0.5

struct peak {
    struct device *device;
    struct ladder_kernel kernel;
    cl_mem out;
    size_t items, group;
    int vector;
};

/* Seconds of one launch, or a negative number. */
static double time_rounds(struct peak *p, cl_int rounds) {
    cl_command_queue queue = p->device->queue;
    const cl_float half = 0.5f;
    cl_kernel kernel = p->kernel.kernel;
    if (clSetKernelArg(kernel, 0, sizeof rounds, &rounds) ||
        clSetKernelArg(kernel, 1, sizeof half, &half) ||
        clSetKernelArg(kernel, 2, sizeof half, &half) ||
        clSetKernelArg(kernel, 3, sizeof p->out, &p->out) || clFinish(queue))
        return -1;
    const double start = clg_clock_seconds();
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &p->items, &p->group, 0, NULL, NULL) ||
        clFinish(queue))
        return -1;
    return clg_clock_seconds() - start;
}

/* Every chain has come to 1. */
static bool is_right(const struct peak *p) {
    float *out = malloc(p->items * sizeof *out);
    bool right = out && !clEnqueueReadBuffer(p->device->queue, p->out, CL_TRUE, 0,
                                             p->items * sizeof *out, out, 0, NULL, NULL);
    for (size_t i = 0; i < p->items && right; i++)
        right = fabsf(out[i] - CHAINS) < 1e-3f;
    free(out);
    return right;
}

static double best_rate(struct peak *p) {
    cl_int rounds = FEWEST;
    quiet_wait(NULL, QUIET_MOST);
    double seconds = time_rounds(p, rounds);
    while (seconds >= 0 && seconds < SAMPLE_SECONDS && rounds < ROUNDS_MAX)
        seconds = time_rounds(p, rounds *= 2);
    double best = seconds;
    for (int i = 0; i < SAMPLES && seconds >= 0 && seconds < SLOW_SECONDS; i++) {
        seconds = time_rounds(p, rounds);
        best = seconds < best ? seconds : best;
    }
    if (best <= 0 || !is_right(p))
        return 0;
    return (double)FLOPS * rounds * p->vector * (double)p->items / best * 1e-9;
}

double ladder_ceiling(struct device *device, char *why, size_t room) {
    const struct clg_facts *facts = &device->open->facts;
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    char options[32];
    struct peak p = {.device = device, .vector = 1, .group = cpu ? 1 : 256};
    if (cpu)
        p.vector = facts->float_vector >= 16  ? 16
                   : facts->float_vector >= 8 ? 8
                   : facts->float_vector >= 4 ? 4
                                              : 1;
    if (p.group > facts->max_work_group)
        p.group = facts->max_work_group;
    p.items = (size_t)facts->compute_units * (cpu ? 8 : 16 * p.group);
    snprintf(options, sizeof options, "-DVECTOR=%d", p.vector);
    double rate = 0;
    if (ladder_build(&p.kernel, device->open, "fma_peak", options, why, room)) {
        snprintf(why, room, "the multiply-adds could not be timed");
        if (!clg_buffer_create(device->open, p.items * sizeof(float), &p.out))
            rate = best_rate(&p);
    }
    clg_buffer_release(p.out);
    ladder_kernel_release(&p.kernel);
    return rate;
}
