/* SPDX-License-Identifier: Apache-2.0
 * Runs the candidates of each problem on matrices resident on the device, in rounds: a glimpse of
 * each, longer samples of the fastest, and the full method for the last few, which are checked. */
#include "bench/regret.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "base/clock.h"
#include "bench/regret_build.h"
#include "bench/verify.h"
#include "gemm/family.h"
#include "run/exec.h"

/* Each round after the glimpse: how many candidates it has besides the chosen one, and the duration
 * of its samples. A GPU has some thousand candidates for a problem, and their glimpses take most of
 * the time. */
static const struct round {
    size_t most;
    double sample_seconds;
    int samples;
} rounds[] = {{48, 0.001, 1}, {12, 0.002, 3}, {REGRET_FINALISTS, 0.004, 7}};
enum { ROUNDS = sizeof rounds / sizeof *rounds, CALLS_MAX = 4096 };
static const double glimpse_seconds = 0.0001;

/* Before a candidate runs, a trial at small depth predicts its time. It is left out if that is this
 * multiple of the best time so far, and longer than a moment. */
enum { HOPELESS = 8, SLOW = 3 };
static const double moment = 0.2;

/* A single run that is shorter than this may be slow by chance. */
static const double jitter = 0.001;

/* A first run that takes this multiple of the best time is not repeated. Loading its program may
 * have taken part of that time. */
enum { FAR_TOO_SLOW = SLOW + 1 };
static const double loading = 0.005;

/* One candidate in the rounds. */
struct entry {
    struct regret_work *work;
    struct clg_prepared prepared;
    double glimpse; /* seconds of a call */
    struct timing timing;
};

/* Everything that lives as long as one problem. */
struct regret_work {
    const struct options *options;
    struct device *device;
    struct clg_engine *engine;
    struct problem problem;
    struct judge judge;
    struct clg_problem shallow; /* for the trials */
    struct candidates candidates;
    struct entry *entries;
    size_t count; /* of the remaining candidates */
    double best;  /* of their glimpses */
    struct regret_result *result;
};

static bool fail(struct regret_work *w, enum outcome outcome, const char *why) {
    return mode_fail(&w->result->head, outcome, why);
}

/* Makes `calls` calls with the plan and waits for the last. */
static bool run_plan(const struct regret_work *w, const struct clg_prepared *prepared, int calls) {
    const struct device *d = w->device;
    const cl_mem given[] = {[CLG_A] = d->a, [CLG_B] = d->b, [CLG_C] = d->c};
    const struct clg_enqueue where = {.queue = d->queue};
    struct clg_arguments arguments = {.scalars = {w->problem.alpha.re, w->problem.beta.re,
                                                  w->problem.alpha.im, w->problem.beta.im}};
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES; i++)
        arguments.memory[i] =
            (struct clg_memory){.buffer = given[clg_problem_source(&prepared->plan.problem, i)],
                                .offset = prepared->plan.problem.matrix[i].offset};
    for (int i = 0; i < calls && !status; i++)
        status = clg_exec(w->engine->device, prepared, &arguments, &where, NULL, NULL);
    return clFinish(d->queue) == CL_SUCCESS && !status;
}

static bool run_entry(void *arg, int calls) {
    const struct entry *e = arg;
    return run_plan(e->work, &e->prepared, calls);
}

/* Whether a plan's programs are available. Programs that were to be built in advance and are
 * missing may take their compiler minutes, or crash it. So only what calls would use is compiled
 * now. */
static bool prepare(const struct regret_work *w, struct clg_prepared *prepared, bool chosen) {
    struct clg_programs *programs = w->engine->programs;
    return w->result->built_ahead && !chosen
               ? clg_exec_find(programs, prepared)
               : !clg_exec_prepare(w->engine->device, programs, prepared);
}

/* Seconds of a call, from that many calls. Negative: it cannot be run. */
static double time_calls(const struct regret_work *w, const struct clg_prepared *prepared,
                         int calls) {
    const double start = clg_clock_seconds();
    return run_plan(w, prepared, calls) ? (clg_clock_seconds() - start) / calls : -1;
}

/* Seconds of the second run, unless the first shows that it is far too slow compared to `best`. */
static double time_second(const struct regret_work *w, const struct clg_prepared *prepared,
                          double best) {
    const double first = time_calls(w, prepared, 1);
    return first < 0 || first > FAR_TOO_SLOW * best + loading ? first : time_calls(w, prepared, 1);
}

/* Seconds for the problem as predicted by a trial at small depth; 0 if it needs no trial. Negative:
 * the candidate cannot be run. */
static double foretell(const struct regret_work *w, const struct clg_plan *plan, double best) {
    struct clg_prepared trial;
    if (best < jitter || w->problem.shape.k < TRIAL_WORTHWHILE ||
        !candidates_trial(&trial.plan, plan, &w->shallow, &w->engine->device->facts))
        return 0;
    if (!prepare(w, &trial, false))
        return -1;
    return time_second(w, &trial, INFINITY) * (double)w->problem.shape.k / TRIAL_DEPTH;
}

/* Seconds of a call: of a single one if that is enough, else from a short sample. Negative: the
 * candidate is left out. */
static double look_at(const struct regret_work *w, const struct clg_plan *plan, double best,
                      struct clg_prepared *prepared) {
    const bool chosen = plan == w->candidates.plans;
    const double foretold = chosen ? 0 : foretell(w, plan, best);
    prepared->plan = *plan;
    if (foretold < 0 || (foretold > moment && foretold > HOPELESS * best) ||
        !prepare(w, prepared, chosen))
        return -1;
    const double once = time_second(w, prepared, best);
    if (once < 0 || once > glimpse_seconds)
        return once;
    return time_calls(w, prepared, (int)ceil(glimpse_seconds / fmax(once, 1e-6)));
}

/* Tries all candidates, and makes entries of those that can be run. False if the chosen one
 * cannot. */
static bool enter_all(struct regret_work *w) {
    double best = INFINITY;
    quiet_wait(NULL, QUIET_MOST); /* the judge has multiplied */
    w->entries = calloc(w->candidates.count, sizeof *w->entries);
    if (!w->entries)
        return fail(w, OUTCOME_SKIPPED, "out of memory");
    for (size_t i = 0; i < w->candidates.count; i++) {
        struct entry *entry = &w->entries[w->count];
        const double seconds = look_at(w, &w->candidates.plans[i], best, &entry->prepared);
        if (seconds < 0 && i == 0)
            return fail(w, OUTCOME_FAILED, clgemm_last_error());
        if (seconds < 0) {
            w->result->left_out++;
            continue;
        }
        best = fmin(best, seconds);
        entry->work = w;
        entry->glimpse = seconds;
        w->count++;
    }
    w->result->tried = w->count;
    w->best = best;
    return true;
}

/* Times the first `w->count` entries in turn. False: out of memory. */
static bool time_round(struct regret_work *w, const struct round *round) {
    struct timing_entry *turns = calloc(w->count, sizeof *turns);
    if (!turns)
        return fail(w, OUTCOME_SKIPPED, "out of memory");
    for (size_t i = 0; i < w->count; i++)
        turns[i] = (struct timing_entry){.run = run_entry,
                                         .arg = &w->entries[i],
                                         .out = &w->entries[i].timing,
                                         .expected = w->entries[i].glimpse};
    timing_run(&(struct timing_params){.entries = turns,
                                       .count = (int)w->count,
                                       .warm = true,
                                       .alike = true,
                                       .sample_seconds = round->sample_seconds,
                                       .calls_max = CALLS_MAX,
                                       .samples = round->samples});
    for (size_t i = 0; i < w->count; i++)
        w->result->head.restless = fmax(w->result->head.restless, w->entries[i].timing.restless);
    free(turns);
    return true;
}

static int by_least(const void *left, const void *right) {
    const struct timing *a = &((const struct entry *)left)->timing;
    const struct timing *b = &((const struct entry *)right)->timing;
    if (a->failed != b->failed)
        return a->failed ? 1 : -1;
    return (a->min > b->min) - (a->min < b->min);
}

static int by_glimpse(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    return (a->glimpse > b->glimpse) - (a->glimpse < b->glimpse);
}

static bool is_slow(const struct regret_work *w, const struct entry *e) {
    return e->timing.failed || (e->glimpse > jitter && e->glimpse > SLOW * w->best);
}

/* Keeps the chosen one, which is the first, and the fastest `most` others that are not slow. */
static void keep(struct regret_work *w, size_t most, int (*order)(const void *, const void *)) {
    qsort(w->entries + 1, w->count - 1, sizeof *w->entries, order);
    while (w->count > 1 && (w->count - 1 > most || is_slow(w, &w->entries[w->count - 1])))
        w->count--;
}

static const char *text_of(char text[CLG_DESCRIPTION], const struct clg_plan *plan) {
    const struct clg_candidate candidate = clg_candidate_of(plan->family, &plan->params);
    return clg_candidate_text(text, &candidate);
}

/* Checks the C of one entry. */
static bool is_right(struct regret_work *w, const struct entry *entry) {
    struct regret_result *r = w->result;
    struct problem *p = &w->problem;
    char why[192], text[CLG_DESCRIPTION], both[sizeof r->head.why];
    if (device_start_c(w->device, p, p->c) || !run_plan(w, &entry->prepared, 1) ||
        device_fetch_c(w->device, p, p->c))
        return fail(w, OUTCOME_FAILED, clgemm_last_error());
    if (judge_accepts(&w->judge, p, p->c, NULL, why, sizeof why))
        return true;
    r->checked = CHECK_WRONG;
    snprintf(both, sizeof both, "%.110s: %.130s", text_of(text, &entry->prepared.plan), why);
    return fail(w, OUTCOME_FAILED, both);
}

static bool check(struct regret_work *w) {
    if (!w->options->verify)
        return true;
    for (size_t i = 0; i < w->count; i++)
        if (!is_right(w, &w->entries[i]))
            return false;
    w->result->checked = CHECK_OK;
    return true;
}

static void conclude(struct regret_work *w) {
    struct regret_result *r = w->result;
    for (size_t i = 0; i < w->count; i++) {
        const struct entry *e = &w->entries[i];
        struct finalist *f = &r->finalists[r->num_finalists++];
        text_of(f->text, &e->prepared.plan);
        clg_params_options(&e->prepared.plan.params, f->options, sizeof f->options);
        f->timing = e->timing;
        if (w->device->open->facts.kind == CLG_DEVICE_CPU)
            heaps_find(&f->heaps, e->timing.seconds, e->timing.samples, heaps_cores());
        if (e->timing.failed)
            fail(w, OUTCOME_FAILED, clgemm_last_error());
        else if (f->timing.min < r->finalists[r->best].timing.min)
            r->best = r->num_finalists - 1;
    }
}

/* The last entries are checked before their round. */
static void run_rounds(struct regret_work *w) {
    for (int i = 0; i < ROUNDS; i++) {
        keep(w, rounds[i].most, i ? by_least : by_glimpse);
        if ((i == ROUNDS - 1 && !check(w)) || !time_round(w, &rounds[i]))
            return;
    }
    conclude(w);
}

/* Everything on a loaded device. */
static void search(struct regret_work *w) {
    char why[256];
    struct clg_problem whole;
    const struct clg_facts *facts = &w->engine->device->facts;
    if (regret_describe(&w->problem, &whole, &w->shallow))
        fail(w, OUTCOME_FAILED, clgemm_last_error());
    else if (whole.work != CLG_WORK_MULTIPLY)
        fail(w, OUTCOME_SKIPPED, "there is nothing to multiply");
    else if (!candidates_make(&w->candidates, &whole, facts, w->engine->tuning,
                              w->options->families, why, sizeof why))
        fail(w, OUTCOME_FAILED, why);
    else if (enter_all(w))
        run_rounds(w);
}

static void measure_regret(void *result, struct device *device, const struct options *o) {
    struct regret_result *r = result;
    char why[256] = "";
    struct regret_work w = {
        .options = o, .device = device, .engine = &device->handle->engine, .result = r};
    if (mode_load(&r->head, &w.problem, device, o, o->verify)) {
        if (!o->verify || judge_create(&w.judge, &w.problem, why, sizeof why))
            search(&w);
        else
            fail(&w, OUTCOME_SKIPPED, why);
    }
    free(w.entries);
    candidates_release(&w.candidates);
    device_unload(device);
    judge_release(&w.judge);
    problem_release(&w.problem);
}

static void begin(void *results, size_t count, struct device *device, const struct options *o,
                  struct context *context) {
    struct regret_result *all = results;
    const bool ahead = regret_build(device, o, context);
    for (size_t i = 0; i < count; i++)
        all[i].built_ahead = ahead;
}

const struct mode regret_mode = {.result_size = sizeof(struct regret_result),
                                 .begin = begin,
                                 .measure = measure_regret,
                                 .write = regret_report_write};
