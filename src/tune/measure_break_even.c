/* SPDX-License-Identifier: Apache-2.0
 * `clgemm tune --break-even`: times clgemm_gemm against the CPU's BLAS, on the same host matrices,
 * in turn. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "clgemm.h"
#include "src/common/heaps.h"
#include "src/common/rounding.h"
#include "src/common/timing.h"
#include "src/tool.h"
#include "src/tune/break_even.h"
#include "src/tune/cpu_blas.h"
#include "src/tune/tune.h"

enum { SAMPLES = 5, CALLS_MAX = 1000, FIRST_SIZE = 512 };

/* Seconds of a sample, and the most that the CPU may take for a call of the largest size. */
static const double sample_seconds = 0.02, longest_call = 0.25;

/* The device must be faster by this factor. Less is noise, and no reason to use the device. */
static const double margin = 1.05;

/* If a long call of the CPU takes this multiple of the device's time, one look is enough. */
static const double clear_margin = 3;

struct contest {
    const char *command;
    clgemm_type type;
    bool on_cores;   /* the device is the host's CPU */
    double restless; /* cores that the process still used after calls of either */
    clgemm_handle *handle;
    struct cpu_blas blas;
    struct shape shape;
    void *a, *b, *c, *cpu_c;
    clgemm_status status;
    const char *why; /* why it ended early; "" after Ctrl-C */
};

/* alpha and beta in the call's type; their imaginary parts are 0. */
union scalar {
    float single[2];
    double twice[2];
};

static union scalar scalar_of(clgemm_type type, double value) {
    return clg_type_real(type) == CLGEMM_F64 ? (union scalar){.twice = {value, 0}}
                                             : (union scalar){.single = {(float)value, 0}};
}

/* The numbers in so many elements. */
static int64_t numbers_of(clgemm_type type, int64_t elements) {
    return elements * clg_type_parts(type);
}

static bool run_device(void *arg, int calls) {
    struct contest *t = arg;
    const struct shape *s = &t->shape;
    const union scalar alpha = scalar_of(t->type, 1), beta = scalar_of(t->type, 0);
    const clgemm_desc desc = {.size = sizeof desc,
                              .type = t->type,
                              .layout = CLGEMM_COL_MAJOR,
                              .ta = CLGEMM_NO_TRANS,
                              .tb = CLGEMM_NO_TRANS,
                              .m = s->m,
                              .n = s->n,
                              .k = s->k,
                              .lda = s->m,
                              .ldb = s->k,
                              .ldc = s->m};
    for (int i = 0; i < calls && !t->status; i++)
        t->status = clgemm_gemm(t->handle, &desc, &alpha, t->a, t->b, &beta, t->c);
    return !t->status;
}

static bool run_cpu(void *arg, int calls) {
    struct contest *t = arg;
    const int m = (int)t->shape.m, n = (int)t->shape.n, k = (int)t->shape.k;
    for (int i = 0; i < calls; i++)
        cpu_blas_multiply(&t->blas, m, n, k, t->a, t->b, t->cpu_c);
    return true;
}

/* Random numbers that repeat every PERIOD numbers, which divides no size. */
static void *new_matrix(clgemm_type type, int64_t rows, int64_t cols) {
    enum { PERIOD = 65521 };
    const size_t size = clg_type_real_size(type),
                 bytes = (size_t)(rows * cols) * clg_type_size(type);
    char *matrix = malloc(bytes);
    uint32_t state = 1;
    for (int64_t i = 0; i < PERIOD && i < numbers_of(type, rows * cols) && matrix; i++) {
        state = state * 1664525 + 1013904223;
        clg_element_set(clg_type_real(type), matrix, i, (state >> 8) / 0x1p23 - 1);
    }
    for (size_t done = PERIOD * size; matrix && done < bytes; done *= 2)
        memcpy(matrix + done, matrix, done < bytes - done ? done : bytes - done);
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
    t->a = new_matrix(t->type, shape.m, shape.k);
    t->b = new_matrix(t->type, shape.k, shape.n);
    t->c = new_matrix(t->type, shape.m, shape.n);
    t->cpu_c = new_matrix(t->type, shape.m, shape.n);
    return t->a && t->b && t->c && t->cpu_c;
}

/* Whether both computed the same up to rounding: |A| |B| is at most k if no element exceeds 1, and
 * twice that for a part of complex numbers. A device that computes nonsense wins nothing. Checks
 * some numbers of each column. */
static bool agree(const struct contest *t) {
    enum { STRIDE = 61 };
    const clgemm_type real = clg_type_real(t->type);
    const double k = (double)numbers_of(t->type, t->shape.k),
                 bound = 2 * (k + 2) * k * clg_roundoff(t->type);
    for (int64_t i = 0; i < numbers_of(t->type, t->shape.m * t->shape.n); i += STRIDE)
        if (!(fabs(clg_element(real, t->c, i) - clg_element(real, t->cpu_c, i)) <= bound))
            return false;
    return true;
}

/* Prints what made a contest uncertain. */
static void note(struct contest *t, const char *who, const struct timing *timing) {
    struct heaps heaps;
    char word[CLG_TYPE_WORD];
    t->restless = fmax(t->restless, timing->restless);
    if (t->on_cores && heaps_find(&heaps, timing->seconds, timing->samples, heaps_cores()))
        fprintf(stderr,
                "%s: note: %" PRId64 "x%" PRId64 "x%" PRId64 " %s: samples of %s fall into two "
                "clusters, %.3f and %.3f ms: sometimes the scheduler let threads share a core\n",
                t->command, t->shape.m, t->shape.n, t->shape.k, clg_type_word(word, t->type), who,
                1e3 * heaps.quick, 1e3 * heaps.slow);
}

static enum break_even_winner end(struct contest *t, const char *why) {
    t->why = why;
    return WINS_NOBODY;
}

/* Whether one warm call of each is enough to show that the device is faster. */
static bool is_clear(struct contest *t) {
    const double start = clg_clock_seconds();
    run_device(t, 1);
    const double between = clg_clock_seconds();
    run_cpu(t, 1);
    const double cpu = clg_clock_seconds() - between;
    return !t->status && cpu >= sample_seconds && cpu >= clear_margin * (between - start);
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
    char word[CLG_TYPE_WORD];
    if (worker_stop)
        return end(t, "stopped");
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kbreak-even: %" PRId64 "x%" PRId64 "x%" PRId64 " %s", shape.m,
                shape.n, shape.k, clg_type_word(word, t->type));
    if (!load(t, shape))
        return end(t, "out of memory for the matrices");
    if (!run_device(t, 1))
        return end(t, clgemm_last_error());
    run_cpu(t, 1);
    if (!agree(t))
        return end(t, "the results of the device and the CPU's BLAS differ");
    if (is_clear(t))
        return WINS_DEVICE;
    timing_run(&params);
    if (device.failed)
        return end(t, clgemm_last_error());
    note(t, "the device", &device);
    note(t, "the CPU's BLAS", &cpu);
    return device.median * margin <= cpu.median ? WINS_DEVICE : WINS_CPU;
}

/* The largest size for which the CPU takes at most longest_call for a call, by its rate at a small
 * size. */
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
    int64_t flops;
    if (!break_even_find(largest, contest, t, &flops))
        return false;
    /* The search counts those of real numbers. */
    out->flops = flops == INT64_MAX ? flops : flops / 2 * clg_type_operations(t->type);
    out->type = t->type;
    snprintf(out->against, sizeof out->against, "%s", t->blas.about);
    clg_tuning_stamp(out->date, out->version);
    return true;
}

int tune_break_even(struct tune_job *job, clgemm_type type) {
    struct contest t = {
        .command = job->command, .type = type, .on_cores = job->facts.kind == CLG_DEVICE_CPU};
    struct clg_break_even *out = &job->break_evens[type];
    char word[CLG_TYPE_WORD];
    int code = EXIT_FAILED;
    if (cpu_blas_open(&t.blas, type, job->break_even_why, sizeof job->break_even_why)) {
        if (clgemm_create(&t.handle, job->device_name))
            t.why = clgemm_last_error();
        else if (measure(&t, out))
            code = EXIT_FINE;
        if (code)
            snprintf(job->break_even_why, sizeof job->break_even_why, "%s", t.why);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    struct clg_tuning_once once = {.speeds = {0}};
    once.break_evens[type] = *out;
    if (!code &&
        clg_tuning_write(NULL, &job->facts, NULL, 0, &once, job->written, sizeof job->written)) {
        snprintf(job->break_even_why, sizeof job->break_even_why, "%s", clgemm_last_error());
        code = EXIT_USAGE;
    }
    if (t.restless > 0)
        fprintf(stderr, "%s: note: after calls the process kept %.1f cores busy\n", job->command,
                t.restless);
    if (code)
        fprintf(stderr, "%s: no break-even of %s: %s\n", job->command, clg_type_word(word, type),
                job->break_even_why);
    clgemm_destroy(t.handle);
    cpu_blas_close(&t.blas);
    release(&t);
    return code;
}
