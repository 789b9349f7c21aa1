/* SPDX-License-Identifier: Apache-2.0
 * The measuring method: warm up, find how many calls fill a sample, then take turns. */
#include "src/common/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "src/common/median.h"

/* Shorter calls are warmed up before each block. */
#define REWARM_BELOW 0.1

#define VERY_SLOW 20.0

/* Every entry has this many turns, or fewer if it has fewer samples. */
enum { TURNS = 3 };

/* After a contender that once did not let the process become quiet, later waits are short. */
#define HURRY 0.05

/* Waits for the process to be quiet. If it does not become quiet, that is charged to the contender
 * that ran before, if any. */
static void become_quiet(const struct timing_params *params, struct timing *before) {
    const bool hopeless = before && before->restless > 0;
    const double busy = quiet_wait(params->clocks, hopeless ? HURRY : QUIET_MOST);
    if (before && busy > 0)
        before->restless = busy;
}

static double now(const struct timing_params *params) {
    const struct quiet_source *clocks = params->clocks;
    return clocks ? clocks->now(clocks->user) : clg_clock_seconds();
}

/* Seconds that `calls` calls take, or -1. */
static double time_calls(const struct timing_params *params, const struct timing_entry *entry,
                         int calls) {
    const double start = now(params);
    return entry->run(entry->arg, calls) ? now(params) - start : -1;
}

/* Finds how many calls fill a sample, by growing numbers of calls if the duration is not known.
 * Returns the seconds of one call. */
static double calibrate(const struct timing_params *params, const struct timing_entry *entry) {
    int calls = 1;
    double seconds;
    if (entry->expected > 0) {
        const double fill = ceil(params->sample_seconds / entry->expected);
        entry->out->calls = fill < params->calls_max ? (int)fmax(fill, 1) : params->calls_max;
        return entry->expected;
    }
    if (!params->warm && !entry->run(entry->arg, 1))
        return -1;
    while ((seconds = time_calls(params, entry, calls)) >= 0) {
        if (seconds >= params->sample_seconds || calls >= params->calls_max)
            break;
        /* At most tenfold: the first, short measurements are the least certain. */
        double grow = fmin(10, 1.2 * params->sample_seconds / fmax(seconds, 1e-9));
        double next = ceil(calls * fmax(grow, 1.1));
        calls = next < params->calls_max ? (int)next : params->calls_max;
    }
    entry->out->calls = calls;
    return seconds < 0 ? -1 : seconds / calls;
}

void timing_summarize(struct timing *t) {
    double sorted[TIMING_SAMPLES_MAX];
    int n = t->samples;
    memcpy(sorted, t->seconds, sizeof sorted);
    t->median = median_sort(sorted, n);
    t->min = sorted[0];
    t->p95 = sorted[(int)ceil(0.95 * n) - 1];
    t->spread = t->median > 0 ? (t->p95 - t->min) / t->median : 0;
}

/* The samples of one turn. */
static void take_block(const struct timing_params *params, const struct timing_entry *entry,
                       int samples, double call_seconds) {
    struct timing *out = entry->out;
    out->failed = call_seconds < REWARM_BELOW && !entry->run(entry->arg, out->calls);
    for (int s = 0; s < samples && !out->failed; s++) {
        const double seconds = time_calls(params, entry, out->calls);
        if (seconds < 0)
            out->failed = true;
        else
            out->seconds[out->samples++] = seconds / out->calls;
    }
}

/* Prepares every entry, with the seconds of one of its calls; returns those of the slowest. */
static double calibrate_all(const struct timing_params *params, double *call_seconds,
                            struct timing **before) {
    double slowest = 0;
    for (int i = 0; i < params->count; i++) {
        const struct timing_entry *entry = &params->entries[i];
        *entry->out = (struct timing){0};
        if (!params->alike || i == 0)
            become_quiet(params, *before);
        call_seconds[i] = calibrate(params, entry);
        entry->out->failed = call_seconds[i] < 0;
        slowest = fmax(slowest, call_seconds[i]);
        *before = entry->out;
    }
    return slowest;
}

void timing_run(const struct timing_params *params) {
    struct timing *before = NULL;
    double *call_seconds = calloc((size_t)params->count + 1, sizeof *call_seconds);
    for (int i = 0; i < params->count && !call_seconds; i++)
        *params->entries[i].out = (struct timing){.failed = true};
    if (!call_seconds)
        return;
    const double slowest = calibrate_all(params, call_seconds, &before);
    const int most = slowest > VERY_SLOW ? 1 : slowest > TIMING_SLOW ? TURNS : params->samples;
    const int samples = most < params->samples ? most : params->samples;
    const int block = (samples + TURNS - 1) / TURNS;
    for (int taken = 0; taken < samples; taken += block)
        for (int i = 0; i < params->count; i++) {
            const struct timing_entry *entry = &params->entries[i];
            if (entry->out->failed)
                continue;
            if (!params->alike)
                become_quiet(params, before);
            take_block(params, entry, samples - taken < block ? samples - taken : block,
                       call_seconds[i]);
            before = entry->out;
        }
    become_quiet(params, before);

    for (int i = 0; i < params->count; i++)
        if (!params->entries[i].out->failed)
            timing_summarize(params->entries[i].out);
    free(call_seconds);
}
