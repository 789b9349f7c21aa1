/* SPDX-License-Identifier: Apache-2.0
 * The device's ceilings: its rate of multiply-adds, and of copied bytes, with nothing else to
 * do. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bench/ladder/ladder.h"
#include "device/buffer.h"

/* As in fma_peak.cl. */
enum { CHAINS = 12, UNROLL = 16, FLOPS = 2 * CHAINS * UNROLL };

/* Samples last at least this long, and the best one counts: a ceiling is what can be reached. */
#define SAMPLE_SECONDS 0.05
enum { SAMPLES = 5, FEWEST = 2, ROUNDS_MAX = 1 << 24 };

/* On a device that is this slow (a simulator), one sample is enough. */
#define SLOW_SECONDS 0.5

/* The size of a copy, memory permitting: more than any cache holds. */
#define COPY_BYTES ((size_t)256 << 20)
enum { COPY_VECTOR = 4, COPY_VECTOR_CPU = 16, PATTERN = 251 };

/* One of the kernels with its arguments. */
struct peak {
    struct device *device;
    struct ladder_kernel kernel;
    cl_mem in, out;
    size_t items, group;
    int vector;
    bool doubles;
};

/* Seconds of `rounds` launches, or a negative number. */
static double time_launches(struct peak *p, int rounds) {
    cl_command_queue queue = p->device->queue;
    cl_int code = clFinish(queue);
    const double start = clg_clock_seconds();
    for (int i = 0; i < rounds && !code; i++)
        code = clEnqueueNDRangeKernel(queue, p->kernel.kernel, 1, NULL, &p->items, &p->group, 0,
                                      NULL, NULL);
    return clFinish(queue) || code ? -1 : clg_clock_seconds() - start;
}

/* Seconds of one launch with that many rounds of multiply-adds. */
static double time_rounds(struct peak *p, int rounds) {
    const cl_int count = rounds;
    const cl_float half = 0.5f;
    const cl_double half_double = 0.5;
    const void *factor = p->doubles ? (const void *)&half_double : &half;
    const size_t size = p->doubles ? sizeof half_double : sizeof half;
    cl_kernel kernel = p->kernel.kernel;
    if (clSetKernelArg(kernel, 0, sizeof count, &count) ||
        clSetKernelArg(kernel, 1, size, factor) || clSetKernelArg(kernel, 2, size, factor) ||
        clSetKernelArg(kernel, 3, sizeof p->out, &p->out))
        return -1;
    return time_launches(p, 1);
}

/* The best rate, in rounds per second; 0 if they cannot be timed. */
static double best_rate(struct peak *p, double (*time)(struct peak *, int rounds)) {
    int rounds = FEWEST;
    double seconds = time(p, rounds); /* some runtimes compile at the first launch */
    quiet_wait(NULL, QUIET_MOST);
    if (seconds >= 0)
        seconds = time(p, rounds);
    while (seconds >= 0 && seconds < SAMPLE_SECONDS && rounds < ROUNDS_MAX)
        seconds = time(p, rounds *= 2);
    double best = seconds;
    for (int i = 0; i < SAMPLES && seconds >= 0 && seconds < SLOW_SECONDS; i++) {
        seconds = time(p, rounds);
        best = seconds < best ? seconds : best;
    }
    return best > 0 ? rounds / best : 0;
}

/* The contents of `out`, to be freed; NULL if it cannot be read. */
static void *fetch(const struct peak *p, size_t bytes) {
    void *host = malloc(bytes);
    if (host &&
        clEnqueueReadBuffer(p->device->queue, p->out, CL_TRUE, 0, bytes, host, 0, NULL, NULL)) {
        free(host);
        host = NULL;
    }
    return host;
}

/* ---- Multiply-adds ---- */

/* Every chain must have become 1. */
static bool chains_are_right(const struct peak *p, size_t size) {
    void *out = fetch(p, p->items * size);
    bool right = out;
    for (size_t i = 0; i < p->items && right; i++) {
        const double sum = p->doubles ? ((double *)out)[i] : ((float *)out)[i];
        right = fabs(sum - CHAINS) < 1e-3;
    }
    free(out);
    return right;
}

/* Elements per register of a CPU. */
static int width(const struct clg_facts *facts, size_t size) {
    const size_t numbers = facts->float_vector * sizeof(float) / size;
    return numbers >= 16 ? 16 : numbers >= 8 ? 8 : numbers >= 4 ? 4 : 1;
}

double ladder_ceiling(struct device *device, clgemm_type type, char *why, size_t room) {
    const struct clg_facts *facts = &device->open->facts;
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    const size_t size = type == CLGEMM_F64 ? sizeof(double) : sizeof(float);
    char options[48];
    struct peak p = {.device = device,
                     .doubles = type == CLGEMM_F64,
                     .vector = cpu ? width(facts, size) : 1,
                     .group = cpu ? 1 : 256};
    if (p.group > facts->max_work_group)
        p.group = facts->max_work_group;
    p.items = (size_t)facts->compute_units * (cpu ? 8 : 16 * p.group);
    snprintf(options, sizeof options, "-DVECTOR=%d%s", p.vector, p.doubles ? " -DDOUBLES" : "");
    double rate = 0;
    if (ladder_build(&p.kernel, device->open, "fma_peak", options, why, room)) {
        snprintf(why, room, "the multiply-adds cannot be timed");
        if (!clg_buffer_create(device->open, p.items * size, &p.out))
            rate = best_rate(&p, time_rounds);
        if (rate > 0 && !chains_are_right(&p, size))
            rate = 0;
    }
    clg_buffer_release(p.out);
    ladder_kernel_release(&p.kernel);
    return rate * FLOPS * p.vector * (double)p.items * 1e-9;
}

/* ---- Copies ---- */

static bool copy_is_right(const struct peak *p, size_t bytes) {
    unsigned char *out = fetch(p, bytes);
    bool right = out;
    for (size_t i = 0; i < bytes && right; i++)
        right = out[i] == i % PATTERN;
    free(out);
    return right;
}

/* Makes both buffers, with data in `in`. */
static bool make_buffers(struct peak *p, size_t bytes) {
    unsigned char *text = malloc(bytes);
    bool made = text && !clg_buffer_create(p->device->open, bytes, &p->in) &&
                !clg_buffer_create(p->device->open, bytes, &p->out);
    for (size_t i = 0; i < bytes && made; i++)
        text[i] = (unsigned char)(i % PATTERN);
    made = made &&
           !clEnqueueWriteBuffer(p->device->queue, p->in, CL_TRUE, 0, bytes, text, 0, NULL, NULL);
    free(text);
    return made && !clSetKernelArg(p->kernel.kernel, 0, sizeof p->in, &p->in) &&
           !clSetKernelArg(p->kernel.kernel, 1, sizeof p->out, &p->out);
}

double ladder_copy_ceiling(struct device *device, char *why, size_t room) {
    const struct clg_facts *facts = &device->open->facts;
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    size_t bytes = COPY_BYTES;
    while (bytes > facts->max_allocation || bytes > facts->global_memory / 8)
        bytes /= 2;
    struct peak p = {.device = device, .vector = cpu ? COPY_VECTOR_CPU : COPY_VECTOR};
    p.group = facts->max_work_group < 256 ? facts->max_work_group : 256;
    p.items = bytes / (sizeof(float) * (size_t)p.vector) / p.group * p.group;
    bytes = p.items * sizeof(float) * (size_t)p.vector;
    char options[32];
    snprintf(options, sizeof options, "-DVECTOR=%d", p.vector);
    double rate = 0;
    if (ladder_build(&p.kernel, device->open, "copy_peak", options, why, room)) {
        snprintf(why, room, "copies cannot be timed");
        if (make_buffers(&p, bytes))
            rate = best_rate(&p, time_launches);
        if (rate > 0 && !copy_is_right(&p, bytes))
            rate = 0;
    }
    clg_buffer_release(p.in);
    clg_buffer_release(p.out);
    ladder_kernel_release(&p.kernel);
    return rate * 2 * (double)bytes * 1e-9;
}
