/* SPDX-License-Identifier: Apache-2.0
 * `clgemm tune --model`: measures the device's costs, from which the library chooses. */
#include "src/tuner/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "clgemm.h"
#include "src/tool.h"
#include "src/tune/crew.h"
#include "src/tune/tune.h"
#include "tuning/costs.h"

enum { PROBES = 6 * CLG_COST_ROWS };

/* Of the time, this share is for building. */
static const double build_share = 0.75;

struct work {
    struct tune_job *job;
    struct tune_crew *crew;
    struct clg_probe *probes;
    bool *built;
    int count, failed;
    double start;
};

static double end_of(const struct work *w, double share) {
    return w->start + share * 60 * w->job->minutes;
}

static double left(const struct work *w, double share) {
    return end_of(w, share) - clg_clock_seconds();
}

static void show(const struct work *w, const char *what, int done) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s %d of %d, %.0f s left", what, done, w->count,
                fmax(0, left(w, 1)));
}

/* Builds the probes' programs in order, as many at a time as there are builders. */
static void build(struct work *w) {
    struct tune_worker *workers[WORKERS_MAX];
    int of[WORKERS_MAX] = {0}, next = 0, busy = 0;
    const int builders = w->crew->num_builders;
    for (int b = 0; b < builders; b++)
        workers[b] = &w->crew->builders[b];
    while (builders > 0 && !worker_stop) {
        for (int b = 0; b < builders && next < w->count && left(w, build_share) > 0; b++)
            if (!workers[b]->base.busy) {
                of[b] = next;
                tune_worker_ask(workers[b], &w->probes[next].shape, &w->probes[next].candidate,
                                TUNE_BUILD, 0);
                next++;
                busy++;
            }
        struct tune_worker *done = tune_worker_wait(workers, builders, end_of(w, build_share));
        if (!done)
            break;
        for (int b = 0; b < builders; b++)
            if (workers[b] == done)
                w->built[of[b]] = done->answer.trial.verdict == CLG_TRIAL_GOOD;
        show(w, "built", next - --busy);
    }
    for (int b = 0; b < builders; b++)
        tune_worker_end(workers[b]);
}

static void run(struct work *w) {
    struct tune_worker *runner = &w->crew->runner;
    for (int i = 0; i < w->count && !worker_stop && left(w, 1) > 0; i++) {
        struct clg_probe *probe = &w->probes[i];
        if (w->crew->num_builders > 0 && !w->built[i])
            continue;
        tune_worker_ask(runner, &probe->shape, &probe->candidate, TUNE_CALLS, INFINITY);
        if (!tune_worker_wait(&runner, 1, end_of(w, 1)))
            break;
        if (runner->answer.trial.verdict == CLG_TRIAL_GOOD)
            probe->us = 1e6 * runner->answer.trial.median;
        else
            w->failed++;
        show(w, "measured", i + 1);
    }
    tune_worker_end(runner);
}

static void report(FILE *out, const struct work *w, const struct clg_costs *before,
                   const struct clg_costs *after) {
    const struct clg_model_change change = clg_model_compare(before, after, &w->job->facts);
    const double seconds = clg_clock_seconds() - w->start;
    struct clg_json json = {.out = out};
    int measured = 0;
    for (int i = 0; i < w->count; i++)
        measured += w->probes[i].us > 0;
    if (w->job->output.format != FORMAT_JSON) {
        fprintf(out,
                "%d of %d numbers measured in %.0f s, %d could not be run  \n"
                "of %d drawn products %d get another kernel, %.3g times as fast there by these "
                "costs  \n"
                "written to %s\n",
                measured, w->count, seconds, w->failed, change.problems, change.chosen,
                change.faster, w->job->written);
        return;
    }
    clg_json_open(&json, NULL, '{');
    clg_json_text(&json, "schema", TUNE_MODEL_SCHEMA);
    clg_json_count(&json, "numbers", (uint64_t)w->count);
    clg_json_count(&json, "measured", (uint64_t)measured);
    clg_json_count(&json, "failed", (uint64_t)w->failed);
    clg_json_number(&json, "seconds", seconds);
    clg_json_count(&json, "products", (uint64_t)change.problems);
    clg_json_count(&json, "changed", (uint64_t)change.chosen);
    clg_json_number(&json, "faster", change.faster);
    clg_json_text(&json, "file", w->job->written);
    clg_json_close(&json, '}');
}

/* Measures what `costs` hold, with the crew. Returns an exit code. */
static int measure(FILE *out, struct work *w, struct clg_costs *costs) {
    struct tune_job *job = w->job;
    struct clg_costs *before = malloc(sizeof *before);
    char date[CLG_TUNING_DATE], version[CLG_TUNING_VERSION];
    if (!before)
        return EXIT_FAILED;
    *before = *costs;
    w->count = clg_model_probes(costs, &job->facts, w->probes, PROBES);
    build(w);
    run(w);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    clg_model_fit(costs, &job->facts, w->probes, w->count);
    clg_tuning_stamp(date, version);
    snprintf(costs->source, sizeof costs->source, "measured on %s", date);
    costs->computed = false;
    const bool written =
        !clg_tuning_write_costs(NULL, &job->facts, costs, job->written, sizeof job->written);
    if (written)
        report(out, w, before, costs);
    else
        fprintf(stderr, "%s: %s\n", job->command, clgemm_last_error());
    free(before);
    return written ? EXIT_FINE : EXIT_USAGE;
}

int tune_model(FILE *out, struct tune_job *job) {
    const struct tune_worker like = {
        .device = job->device_name, .limit = job->limit, .start_limit = TUNE_START_LIMIT};
    static struct tune_crew crew; /* large */
    struct work w = {.job = job, .crew = &crew, .start = clg_clock_seconds()};
    struct clg_costs *costs = malloc(sizeof *costs);
    int code = EXIT_FAILED;
    w.probes = calloc(PROBES, sizeof *w.probes);
    w.built = calloc(PROBES, sizeof *w.built);
    if (costs && w.probes && w.built) {
        struct clg_tuning *tuning = clg_tuning_load(&job->facts);
        const struct clg_costs *known =
            clg_costs_in_force(job->resume ? tuning : NULL, &job->facts, costs);
        if (known != costs)
            *costs = *known;
        clg_tuning_release(tuning);
        tune_crew_open(&crew, &like, job->builders, false);
        code = measure(out, &w, costs);
        tune_crew_end(&crew);
    } else {
        fprintf(stderr, "%s: out of memory\n", job->command);
    }
    free(w.built);
    free(w.probes);
    free(costs);
    return code;
}
