/* SPDX-License-Identifier: Apache-2.0
 * Runs the candidates of each problem on matrices resident on the device, and halves them: one
 * short sample for all, longer ones for the quickest, and the whole method for the last few, which
 * are checked. */
#include "bench/regret.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "base/clock.h"
#include "bench/verify.h"
#include "gemm/family.h"
#include "run/exec.h"

/* Rounds before the last: how many stay after each, and how long its samples are. */
enum { SHORT_LIST = 16, SHORT_SAMPLES = 3, LAST_SAMPLES = 7, CALLS_MAX = 4096 };
static const double first_seconds = 0.001, short_seconds = 0.004, last_seconds = 0.02;

/* A candidate is tried at this depth first, and left out where that says that it would take so many
 * times the best time so far, and longer than a moment. */
enum { TRIAL_DEPTH = 64, HOPELESS = 8, SLOW = 3 };
static const double moment = 0.2;

/* Shorter than this, a single run may be slow by chance. */
static const double jitter = 0.001;

/* One candidate on its way through the rounds. */
struct entry {
    struct regret_work *work;
    struct clg_prepared prepared;
    double once; /* seconds of a single run */
    struct timing timing;
};

/* Everything that lives as long as one problem. */
struct regret_work {
    const struct options *options;
    struct device *device;
    struct clg_engine *engine;
    struct problem problem;
    struct judge judge;
    struct clg_problem shallow; /* the trial's */
    struct candidates candidates;
    struct entry *entries;
    size_t count; /* of those still in the running */
    struct regret_result *result;
};

double regret_of(const struct regret_result *r) {
    return r->head.outcome == OUTCOME_OK
               ? r->finalists[0].timing.median / r->finalists[r->best].timing.median
               : 0;
}

static bool fail(struct regret_work *w, enum outcome outcome, const char *why) {
    return mode_fail(&w->result->head, outcome, why);
}

/* The problem as the library sees it, at this depth. */
static clgemm_status describe(const struct regret_work *w, int64_t depth, struct clg_problem *out) {
    const struct clg_call call = problem_call(&w->problem, depth);
    return clg_problem_init(out, &call);
}

/* Makes `calls` calls with the plan and waits for the last. */
static bool run_plan(const struct regret_work *w, const struct clg_prepared *prepared, int calls) {
    const struct device *d = w->device;
    const cl_mem given[] = {[CLG_A] = d->a, [CLG_B] = d->b, [CLG_C] = d->c};
    const struct clg_enqueue where = {.queue = d->queue};
    struct clg_arguments arguments = {.scalars = {w->problem.alpha, w->problem.beta}};
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES; i++)
        arguments.memory[i].buffer = given[clg_problem_source(&prepared->plan.problem, i)];
    for (int i = 0; i < calls && !status; i++)
        status = clg_exec(w->engine->device, prepared, &arguments, &where, NULL, NULL);
    return clFinish(d->queue) == CL_SUCCESS && !status;
}

static bool run_entry(void *arg, int calls) {
    const struct entry *e = arg;
    return run_plan(e->work, &e->prepared, calls);
}

static clgemm_status prepare(const struct regret_work *w, struct clg_prepared *prepared) {
    return clg_exec_prepare(w->engine->device, w->engine->programs, prepared);
}

/* Seconds that the problem would take by a trial of little depth; 0 if it needs none. Negative: the
 * candidate cannot be run. */
static double foretell(const struct regret_work *w, const struct clg_plan *plan) {
    const struct clg_facts *facts = &w->engine->device->facts;
    struct clg_params params = plan->params;
    params.split_k = params.split_tail = 0;
    if (w->problem.shape.k / 4 < TRIAL_DEPTH ||
        clg_family_unsupported_reason(plan->family, &w->shallow, facts, &params))
        return 0;
    struct clg_prepared trial;
    clg_plan_with(&trial.plan, plan->family, &params, &w->shallow, facts);
    if (prepare(w, &trial) || !run_plan(w, &trial, 1))
        return -1;
    const double start = clg_clock_seconds();
    if (!run_plan(w, &trial, 1))
        return -1;
    return (clg_clock_seconds() - start) * (double)w->problem.shape.k / TRIAL_DEPTH;
}

/* Builds a candidate and times one run of it. Negative: it is left out. */
static double try_once(const struct regret_work *w, const struct clg_plan *plan, double best,
                       struct clg_prepared *prepared) {
    const double foretold = plan == w->candidates.plans ? 0 : foretell(w, plan);
    prepared->plan = *plan;
    if (foretold < 0 || (foretold > moment && foretold > HOPELESS * best) || prepare(w, prepared) ||
        !run_plan(w, prepared, 1))
        return -1;
    const double start = clg_clock_seconds();
    return run_plan(w, prepared, 1) ? clg_clock_seconds() - start : -1;
}

/* Releases those that a single run shows to be slow, but for the chosen one, which is the first.
 */
static void drop_slow(struct regret_work *w, double best) {
    size_t kept = 1;
    for (size_t i = 1; i < w->count; i++)
        if (w->entries[i].once < jitter || w->entries[i].once <= SLOW * best)
            w->entries[kept++] = w->entries[i];
    w->count = kept;
}

/* Tries all, and makes entries of those that can be run. False if the chosen one cannot. */
static bool enter_all(struct regret_work *w) {
    double best = INFINITY;
    quiet_wait(NULL, QUIET_MOST); /* the judge has multiplied */
    w->entries = calloc(w->candidates.count, sizeof *w->entries);
    if (!w->entries)
        return fail(w, OUTCOME_SKIPPED, "out of memory");
    for (size_t i = 0; i < w->candidates.count; i++) {
        struct entry *entry = &w->entries[w->count];
        const double seconds = try_once(w, &w->candidates.plans[i], best, &entry->prepared);
        if (seconds < 0 && i == 0)
            return fail(w, OUTCOME_FAILED, clgemm_last_error());
        if (seconds < 0) {
            w->result->left_out++;
            continue;
        }
        best = fmin(best, seconds);
        entry->work = w;
        entry->once = seconds;
        w->count++;
    }
    w->result->tried = w->count;
    drop_slow(w, best);
    return true;
}

/* Times the first `w->count` entries in turn. False: out of memory. */
static bool time_round(struct regret_work *w, double sample_seconds, int samples) {
    struct timing_entry *turns = calloc(w->count, sizeof *turns);
    if (!turns)
        return fail(w, OUTCOME_SKIPPED, "out of memory");
    for (size_t i = 0; i < w->count; i++)
        turns[i] = (struct timing_entry){run_entry, &w->entries[i], &w->entries[i].timing};
    timing_run(&(struct timing_params){.entries = turns,
                                       .count = (int)w->count,
                                       .warm = true,
                                       .sample_seconds = sample_seconds,
                                       .calls_max = CALLS_MAX,
                                       .samples = samples});
    for (size_t i = 0; i < w->count; i++)
        w->result->head.restless = fmax(w->result->head.restless, w->entries[i].timing.restless);
    free(turns);
    return true;
}

static int by_median(const void *left, const void *right) {
    const struct timing *a = &((const struct entry *)left)->timing;
    const struct timing *b = &((const struct entry *)right)->timing;
    if (a->failed != b->failed)
        return a->failed ? 1 : -1;
    return (a->median > b->median) - (a->median < b->median);
}

/* Keeps the chosen one, which is the first, and the quickest `most` others. */
static void keep(struct regret_work *w, size_t most) {
    qsort(w->entries + 1, w->count - 1, sizeof *w->entries, by_median);
    while (w->count > 1 && (w->count - 1 > most || w->entries[w->count - 1].timing.failed))
        w->count--;
}

static const char *text_of(char text[CLG_CANDIDATE_TEXT], const struct clg_plan *plan) {
    const struct clg_candidate candidate = {plan->family, plan->params};
    return clg_candidate_text(text, &candidate);
}

/* Checks what one entry makes of C. */
static bool is_right(struct regret_work *w, const struct entry *entry) {
    struct regret_result *r = w->result;
    struct problem *p = &w->problem;
    char why[192], text[CLG_CANDIDATE_TEXT], both[sizeof r->head.why];
    if (device_start_c(w->device, p, p->c) || !run_plan(w, &entry->prepared, 1) ||
        device_fetch_c(w->device, p, p->c))
        return fail(w, OUTCOME_FAILED, clgemm_last_error());
    if (judge_accepts(&w->judge, p, p->c, why, sizeof why))
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
        else if (f->timing.median < r->finalists[r->best].timing.median)
            r->best = r->num_finalists - 1;
    }
}

/* The rounds, on a loaded device. */
static void search(struct regret_work *w) {
    char why[256];
    struct clg_problem whole;
    const struct clg_facts *facts = &w->engine->device->facts;
    const int64_t depth = w->problem.shape.k;
    if (describe(w, depth, &whole) ||
        describe(w, depth < TRIAL_DEPTH ? depth : TRIAL_DEPTH, &w->shallow)) {
        fail(w, OUTCOME_FAILED, clgemm_last_error());
    } else if (whole.work != CLG_WORK_MULTIPLY) {
        fail(w, OUTCOME_SKIPPED, "nothing is multiplied");
    } else if (!candidates_make(&w->candidates, &whole, facts, w->engine->tuning, why,
                                sizeof why)) {
        fail(w, OUTCOME_FAILED, why);
    } else if (enter_all(w) && time_round(w, first_seconds, 1)) {
        keep(w, SHORT_LIST);
        if (!time_round(w, short_seconds, SHORT_SAMPLES))
            return;
        keep(w, REGRET_FINALISTS);
        if (check(w) && time_round(w, last_seconds, LAST_SAMPLES))
            conclude(w);
    }
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

const struct mode regret_mode = {sizeof(struct regret_result), measure_regret, regret_report_write,
                                 NULL};
