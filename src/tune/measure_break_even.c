/* SPDX-License-Identifier: Apache-2.0
 * `clgemm tune --break-even`: clgemm_sgemm against the CPU's BLAS, on the same host matrices in
 * turn. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clgemm.h"
#include "src/common/heaps.h"
#include "src/common/timing.h"
#include "src/tool.h"
#include "src/tune/break_even.h"
#include "src/tune/cpu_blas.h"
#include "src/tune/tune.h"

enum { SAMPLES = 5, CALLS_MAX = 1000, FIRST_SIZE = 512 };

/* Seconds of a sample, and that the CPU may take for a call of the largest size. */
static const double sample_seconds = 0.02, longest_call = 0.25;

/* The device must be so much quicker: less is noise, and no reason to go there. */
static const double margin = 1.05;

struct contest {
    const char *command;
    bool on_cores;   /* of the host: the device is a CPU */
    double restless; /* cores that the process kept busy after calls of either */
    clgemm_handle *handle;
    struct cpu_blas blas;
    struct shape shape;
    float *a, *b, *c, *cpu_c;
    clgemm_status status;
    const char *why; /* it ended before its time; "" by Ctrl-C */
};

static bool run_device(void *arg, int calls) {
    struct contest *t = arg;
    const struct shape *s = &t->shape;
    for (int i = 0; i < calls && !t->status; i++)
        t->status =
            clgemm_handle_sgemm(t->handle, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, s->m,
                                s->n, s->k, 1, t->a, s->m, t->b, s->k, 0, t->c, s->m);
    return !t->status;
}

static bool run_cpu(void *arg, int calls) {
    struct contest *t = arg;
    const int m = (int)t->shape.m, n = (int)t->shape.n, k = (int)t->shape.k;
    for (int i = 0; i < calls; i++)
        t->blas.sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, t->a, m, t->b,
                      k, 0, t->cpu_c, m);
    return true;
}

static float *new_matrix(int64_t rows, int64_t cols) {
    float *matrix = malloc((size_t)(rows * cols) * sizeof *matrix);
    uint32_t state = 1;
    for (int64_t i = 0; i < rows * cols && matrix; i++) {
        state = state * 1664525 + 1013904223;
        matrix[i] = (float)(state >> 8) / 0x1p23F - 1;
    }
    return matrix;
}

static void release(struct contest *t) {
    free(t->a);
    free(t->b);
    free(t->c);
    free(t->cpu_c);
    t->a = t->b = t->c = t->cpu_c = NULL;
}

static bool load(struct contest *t, struct shape shape) {
    release(t);
    t->shape = shape;
    t->a = new_matrix(shape.m, shape.k);
    t->b = new_matrix(shape.k, shape.n);
    t->c = new_matrix(shape.m, shape.n);
    t->cpu_c = new_matrix(shape.m, shape.n);
    return t->a && t->b && t->c && t->cpu_c;
}

/* Whether both computed the same, but for rounding: |A| |B| is at most k where no element is over
 * 1. A device that computes nonsense wins nothing. */
static bool agree(const struct contest *t) {
    const double k = (double)t->shape.k, bound = 2 * (k + 2) * k * 0x1p-24;
    for (int64_t i = 0; i < t->shape.m * t->shape.n; i++)
        if (!(fabs((double)t->c[i] - (double)t->cpu_c[i]) <= bound))
            return false;
    return true;
}

/* Notes what made a contest less certain than it looks. */
static void note(struct contest *t, const char *who, const struct timing *timing) {
    struct heaps heaps;
    t->restless = fmax(t->restless, timing->restless);
    if (t->on_cores && heaps_find(&heaps, timing->seconds, timing->samples, heaps_cores()))
        fprintf(stderr,
                "%s: note: %" PRId64 "x%" PRId64 "x%" PRId64 ": samples of %s lie in two heaps, "
                "%.3f and %.3f ms: at times the scheduler let threads share a core\n",
                t->command, t->shape.m, t->shape.n, t->shape.k, who, 1e3 * heaps.quick,
                1e3 * heaps.slow);
}

static enum break_even_winner end(struct contest *t, const char *why) {
    t->why = why;
    return WINS_NOBODY;
}

static enum break_even_winner contest(struct shape shape, void *user) {
    struct contest *t = user;
    struct timing device, cpu;
    struct timing_entry entries[] = {{.run = run_device, .arg = t, .out = &device},
                                     {.run = run_cpu, .arg = t, .out = &cpu}};
    const struct timing_params params = {.entries = entries,
                                         .count = 2,
                                         .warm = true,
                                         .sample_seconds = sample_seconds,
                                         .calls_max = CALLS_MAX,
                                         .samples = SAMPLES};
    if (worker_stop)
        return end(t, "stopped");
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kbreak-even: %" PRId64 "x%" PRId64 "x%" PRId64, shape.m, shape.n,
                shape.k);
    if (!load(t, shape))
        return end(t, "out of memory for the matrices");
    if (!run_device(t, 1))
        return end(t, clgemm_last_error());
    run_cpu(t, 1);
    if (!agree(t))
        return end(t, "the device and the CPU's BLAS do not agree");
    timing_run(&params);
    if (device.failed)
        return end(t, clgemm_last_error());
    note(t, "the device", &device);
    note(t, "the CPU's BLAS", &cpu);
    return device.median * margin <= cpu.median ? WINS_DEVICE : WINS_CPU;
}

/* The largest size of which a call takes the CPU no longer than longest_call, by its rate at a
 * small one. */
static int64_t largest_size(struct contest *t) {
    struct timing cpu;
    struct timing_entry entry = {.run = run_cpu, .arg = t, .out = &cpu};
    const struct timing_params params = {.entries = &entry,
                                         .count = 1,
                                         .sample_seconds = sample_seconds,
                                         .calls_max = 1,
                                         .samples = 3};
    if (!load(t, break_even_shape(FIRST_SIZE, 0)))
        return 0;
    timing_run(&params);
    return (int64_t)(FIRST_SIZE * cbrt(longest_call / cpu.min));
}

static bool measure(struct contest *t, struct clg_break_even *out) {
    const int64_t largest = largest_size(t);
    if (largest < break_even_sizes[BREAK_EVEN_SIZES - 1]) {
        t->why = t->a ? "the CPU's BLAS is too slow to be measured" : "out of memory";
        return false;
    }
    if (!break_even_find(largest, contest, t, &out->flops))
        return false;
    snprintf(out->against, sizeof out->against, "%s", t->blas.about);
    clg_break_even_stamp(out);
    return true;
}

int tune_break_even(struct tune_job *job) {
    struct contest t = {.command = job->command, .on_cores = job->facts.kind == CLG_DEVICE_CPU};
    int code = EXIT_FAILED;
    if (cpu_blas_open(&t.blas, job->break_even_why, sizeof job->break_even_why)) {
        if (clgemm_create(&t.handle, job->device_name))
            t.why = clgemm_last_error();
        else if (measure(&t, &job->break_even))
            code = EXIT_FINE;
        if (code)
            snprintf(job->break_even_why, sizeof job->break_even_why, "%s", t.why);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (!code && clg_tuning_write_break_even(NULL, &job->facts, &job->break_even, job->written,
                                             sizeof job->written)) {
        snprintf(job->break_even_why, sizeof job->break_even_why, "%s", clgemm_last_error());
        code = EXIT_USAGE;
    }
    if (t.restless > 0)
        fprintf(stderr, "%s: note: after calls the process kept %.1f cores busy\n", job->command,
                t.restless);
    if (code)
        fprintf(stderr, "%s: no break-even: %s\n", job->command, job->break_even_why);
    clgemm_destroy(t.handle);
    cpu_blas_close(&t.blas);
    release(&t);
    return code;
}
