/* SPDX-License-Identifier: Apache-2.0
 * The method of measuring: warm up, find how many calls fill a sample, then take turns. */
#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Calls shorter than this are made once more, untimed, ahead of each sample: the contender before
 * has emptied the caches and let the clocks of the device fall. */
#define REWARM_BELOW 0.1

#define VERY_SLOW 20.0

double timing_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(double seconds) {
    if (seconds > 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)(seconds * 1e9)}, NULL);
}

/* Seconds that `calls` calls take, or -1. */
static double time_calls(const struct timing_entry *entry, int calls) {
    double start = timing_now();
    return entry->run(entry->arg, calls) ? timing_now() - start : -1;
}

/* Grows the number of calls until a sample is long enough; returns the seconds of one call. */
static double calibrate(const struct timing_entry *entry, const struct timing_params *params) {
    int calls = 1;
    double seconds;
    if (!params->warm && !entry->run(entry->arg, 1))
        return -1;
    while ((seconds = time_calls(entry, calls)) >= 0) {
        if (seconds >= params->sample_seconds || calls >= params->calls_max)
            break;
        /* At most tenfold: the first, short measures are the least certain. */
        double grow = fmin(10, 1.2 * params->sample_seconds / fmax(seconds, 1e-9));
        double next = ceil(calls * fmax(grow, 1.1));
        calls = next < params->calls_max ? (int)next : params->calls_max;
    }
    entry->out->calls = calls;
    return seconds < 0 ? -1 : seconds / calls;
}

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void timing_summarize(struct timing *t) {
    double sorted[TIMING_SAMPLES_MAX];
    int n = t->samples;
    memcpy(sorted, t->seconds, sizeof sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    t->min = sorted[0];
    t->median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    t->p95 = sorted[(int)ceil(0.95 * n) - 1];
    t->spread = t->median > 0 ? (t->p95 - t->min) / t->median : 0;
}

/* One sample of one entry. */
static void sample(const struct timing_entry *entry, double call_seconds) {
    struct timing *out = entry->out;
    if (out->failed)
        return;
    double seconds = -1;
    if (call_seconds >= REWARM_BELOW || entry->run(entry->arg, 1))
        seconds = time_calls(entry, out->calls);
    if (seconds < 0)
        out->failed = true;
    else
        out->seconds[out->samples++] = seconds / out->calls;
    rest(entry->rest);
}

void timing_run(const struct timing_params *params) {
    double slowest = 0;
    double *call_seconds = calloc((size_t)params->count + 1, sizeof *call_seconds);
    for (int i = 0; i < params->count; i++) {
        const struct timing_entry *entry = &params->entries[i];
        *entry->out = (struct timing){.failed = !call_seconds};
        if (!call_seconds)
            continue;
        call_seconds[i] = calibrate(entry, params);
        entry->out->failed = call_seconds[i] < 0;
        slowest = fmax(slowest, call_seconds[i]);
        rest(entry->rest);
    }

    const int most = slowest > VERY_SLOW ? 1 : slowest > TIMING_SLOW ? 3 : params->samples;
    const int samples = most < params->samples ? most : params->samples;
    for (int s = 0; s < samples && call_seconds; s++)
        for (int i = 0; i < params->count; i++)
            sample(&params->entries[i], call_seconds[i]);

    for (int i = 0; i < params->count; i++)
        if (!params->entries[i].out->failed)
            timing_summarize(params->entries[i].out);
    free(call_seconds);
}
