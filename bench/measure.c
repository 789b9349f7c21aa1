/* SPDX-License-Identifier: Apache-2.0
 * Measures one problem: makes the matrices, checks each contender once, then times them in turn. */
#include "bench/measure.h"

#include <string.h>

#include "bench/verify.h"

/* Long enough for the clock and the scheduler, short enough for a table with dozens of rows. */
#define SAMPLE_SECONDS 0.02
#define CALLS_MAX 4096

const char *checked_name(enum checked checked) {
    static const char *const checks[] = {"none", "ok", "wrong"};
    return checks[checked];
}

bool is_ours(int contender) {
    return contender <= OURS_DEVICE || contender == OURS_PACKED;
}

bool result_failed(const struct result *r) {
    bool failed = false;
    for (int i = 0; i < CONTENDERS; i++)
        failed |= is_ours(i) &&
                  (r->series[i].outcome == OUTCOME_FAILED || r->series[i].checked == CHECK_WRONG);
    return failed;
}

double result_ratio(const struct result *r, int one, int other) {
    const struct series *a = &r->series[one], *b = &r->series[other];
    bool both = a->outcome == OUTCOME_OK && b->outcome == OUTCOME_OK && b->gflops > 0;
    return both ? a->gflops / b->gflops : 0;
}

const char *result_coretype(const struct result *r) {
    return r->is_best ? "best" : r->coretype;
}

/* Everything that lives as long as one problem. */
struct work {
    struct problem problem;
    struct judge judge;
    struct contender *contenders;
    struct series *series; /* one for each contender */
    int count, samples;
    bool verify, watch; /* whether memory is measured */
};

static void note(struct series *s, enum outcome outcome, const char *why) {
    s->outcome = outcome;
    snprintf(s->why, sizeof s->why, "%s", why);
}

static void skip_all(struct work *w, const char *why) {
    for (int i = 0; i < w->count; i++)
        note(&w->series[i], OUTCOME_SKIPPED, why);
}

static enum outcome check(struct work *w, struct contender *c, struct series *s) {
    void *out = w->problem.c;
    enum outcome outcome = c->ops->start_c(c, out);
    if (!outcome)
        outcome = c->ops->run(c, 1);
    if (!outcome)
        outcome = c->ops->fetch_c(c, out);
    if (!outcome && w->verify) {
        s->checked = judge_accepts(&w->judge, &w->problem, out, &s->error, s->why, sizeof s->why)
                         ? CHECK_OK
                         : CHECK_WRONG;
    }
    return outcome;
}

/* Makes one more call of ours with all cached memory released. Programs are built by now. */
static enum outcome watch_memory(struct work *w, int index) {
    struct contender *c = &w->contenders[index];
    struct memory *memory = &w->series[index].memory;
    *memory = (struct memory){-1, -1};
    if (!w->watch || c->ops->peer)
        return OUTCOME_OK;
    const struct memory start = memory_start(c->device);
    enum outcome outcome = c->ops->run(c, 1);
    *memory = memory_peak(c->device, &start);
    return outcome;
}

/* Prepares one contender and makes its first call, which also warms it up. */
static void start(struct work *w, int index, const char *no_device) {
    struct contender *c = &w->contenders[index];
    struct series *s = &w->series[index];
    c->problem = &w->problem;
    c->why[0] = s->why[0] = '\0';
    if (c->ops->shares_device && *no_device) {
        note(s, OUTCOME_SKIPPED, no_device);
        return;
    }
    enum outcome outcome = c->ops->start(c);
    if (!outcome)
        outcome = check(w, c, s);
    if (!outcome)
        outcome = watch_memory(w, index);
    if (outcome)
        note(s, outcome, c->why);
}

static bool run_contender(void *arg, int calls) {
    struct contender *c = arg;
    return c->ops->run(c, calls) == OUTCOME_OK;
}

/* Whether threads on the host's cores do the contender's work. */
static bool works_on_cores(const struct contender *c) {
    return c->ops->host_cores || c->device->open->facts.kind == CLG_DEVICE_CPU;
}

/* Summarises the samples of one contender. */
static void conclude(const struct work *w, struct series *s, const struct contender *c) {
    const struct timing *t = &s->timing;
    if (t->failed) {
        note(s, OUTCOME_FAILED, c->why);
        return;
    }
    if (t->median > 0)
        s->gflops = problem_flops(&w->problem) / t->median * 1e-9;
    if (works_on_cores(c))
        heaps_find(&s->heaps, t->seconds, t->samples, heaps_cores());
}

static void time_them(struct work *w) {
    struct timing_entry entries[MEASURE_MAX];
    int who[MEASURE_MAX], count = 0;
    for (int i = 0; i < w->count; i++) {
        struct contender *c = &w->contenders[i];
        struct series *s = &w->series[i];
        if (!c->open || s->outcome)
            continue;
        who[count] = i;
        entries[count++] = (struct timing_entry){.run = run_contender, .arg = c, .out = &s->timing};
    }
    timing_run(&(struct timing_params){.entries = entries,
                                       .count = count,
                                       .warm = true,
                                       .sample_seconds = SAMPLE_SECONDS,
                                       .calls_max = CALLS_MAX,
                                       .samples = w->samples});
    for (int e = 0; e < count; e++)
        conclude(w, &w->series[who[e]], &w->contenders[who[e]]);
}

/* What the problem needs besides its own matrices: the judge's memory and, on a device in host
 * memory, the resident matrices and the library's copies for a host call. */
static double extra_bytes(const struct work *w, const struct device *device) {
    double bytes = w->verify ? judge_bytes(&w->problem) : 0;
    if (device->open->facts.shares_host_memory)
        bytes += 3 * problem_bytes(&w->problem);
    return bytes;
}

void measure_with(struct series *series, struct contender *contenders, int count,
                  struct device *device, const struct options *o, struct shape shape,
                  struct transposes trans) {
    char why[256] = "";
    struct work w = {.contenders = contenders,
                     .series = series,
                     .count = count,
                     .samples = o->samples,
                     .verify = o->verify,
                     .watch = !o->ladder.wanted}; /* which does not report it */
    for (int i = 0; i < count; i++)
        series[i] = (struct series){0};
    if (!problem_describe(&w.problem, o, shape, trans, why, sizeof why) ||
        !problem_create(&w.problem, extra_bytes(&w, device), why, sizeof why) ||
        (w.verify && !judge_create(&w.judge, &w.problem, why, sizeof why))) {
        skip_all(&w, why);
    } else {
        device_load(device, &w.problem, why, sizeof why);
        for (int i = 0; i < count; i++) {
            if (contenders[i].open)
                start(&w, i, why);
            else
                note(&series[i], OUTCOME_SKIPPED, contenders[i].why);
        }
        time_them(&w);
    }
    for (int i = 0; i < count; i++)
        if (contenders[i].open)
            contenders[i].ops->finish(&contenders[i]);
    device_unload(device);
    judge_release(&w.judge);
    problem_release(&w.problem);
}

void measure(struct result *r, struct contender contenders[CONTENDERS], struct device *device,
             const struct options *o, struct shape shape, struct transposes trans) {
    *r = (struct result){.shape = shape, .trans = trans};
    measure_with(r->series, contenders, CONTENDERS, device, o, shape, trans);
}
