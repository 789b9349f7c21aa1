/* SPDX-License-Identifier: Apache-2.0
 * One candidate: built, checked, timed, and cut short where it is slow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/error.h"
#include "gemm/exec.h"
#include "tune/measure_device.h"

enum { LEAST_RUNS = 5, RUNS_TO_JUDGE = 3 };

/* Runs go on until these seconds are spent. */
static const double enough_seconds = 0.03;

/* A candidate whose quickest run takes this many times the best is cut short; one that a single run
 * shows to be so slow, at once, unless runs are so short that chance may have done it. */
static const double margin = 1.25, far_behind = 2.5, jitter = 0.0005;

/* Tried at this depth first, and left out where that says that it would take so many times the
 * best, and longer than a moment. */
enum { TRIAL_DEPTH = 64, TRIAL_RUNS = 2, HOPELESS = 8 };
static const double moment = 0.2;

const char *clg_verdict_name(enum clg_verdict verdict) {
    static const char *const names[] = {"good", "slow", "wrong", "failed"};
    return names[verdict];
}

static void fail(struct clg_trial *trial, enum clg_verdict verdict, const char *why) {
    trial->verdict = verdict;
    snprintf(trial->why, sizeof trial->why, "%s", why);
}

/* A failed command, or a wrong result. */
static void suspect(struct clg_trial *trial, enum clg_verdict verdict, const char *why) {
    fail(trial, verdict, why);
    trial->suspect = true;
}

/* False, with the verdict, where a run of little depth foretells a hopeless time. */
static bool is_hopeful(struct clg_measure *m, const struct clg_candidate *candidate, double best,
                       struct clg_trial *out) {
    struct clg_problem shallow = m->problem;
    struct clg_params params = candidate->params;
    struct clg_plan plan = {0};
    double seconds = 0;
    shallow.k = TRIAL_DEPTH;
    params.split_k = params.split_tail = 0;
    if (m->problem.k / 4 < TRIAL_DEPTH || !isfinite(best) ||
        candidate->family->why_not(&shallow, clg_measure_facts(m), &params))
        return true;
    clg_plan_with(&plan, candidate->family, &params, &shallow, clg_measure_facts(m));
    if (clg_exec_prepare(m->programs, &plan)) {
        fail(out, CLG_TRIAL_FAILED, clg_last_error());
        return false;
    }
    for (int i = 0; i < TRIAL_RUNS; i++)
        if (clg_measure_run(m, &plan, &seconds)) {
            suspect(out, CLG_TRIAL_FAILED, clg_last_error());
            return false;
        }
    out->median = seconds * (double)m->problem.k / TRIAL_DEPTH;
    if (out->median <= moment || out->median <= HOPELESS * best)
        return true;
    fail(out, CLG_TRIAL_SLOW, "a run of little depth was many times too slow");
    return false;
}

/* The run that is checked; it also warms up. */
static bool is_right(struct clg_measure *m, const struct clg_plan *plan, struct clg_trial *out) {
    const cl_uint canary = CLG_VERIFY_CANARY;
    const size_t bytes = m->reference.length * sizeof(float);
    char why[sizeof out->why];
    double seconds;
    cl_int code =
        clEnqueueFillBuffer(m->queue, m->c, &canary, sizeof canary, 0, bytes, 0, NULL, NULL);
    if (!code && clg_measure_run(m, plan, &seconds)) {
        suspect(out, CLG_TRIAL_FAILED, clg_last_error());
        return false;
    }
    if (!code)
        code = clEnqueueReadBuffer(m->queue, m->c, CL_TRUE, 0, bytes, m->host_c, 0, NULL, NULL);
    if (code) {
        clg_cl_fail(code, "reading C back");
        suspect(out, CLG_TRIAL_FAILED, clg_last_error());
        return false;
    }
    if (clg_reference_accepts(&m->reference, m->host_c, why, sizeof why))
        return true;
    suspect(out, CLG_TRIAL_WRONG, why);
    return false;
}

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void summarize(struct clg_trial *t) {
    double sorted[CLG_TRIAL_RUNS];
    const int n = t->runs;
    for (int i = 0; i < n; i++)
        sorted[i] = t->seconds[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    t->median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    t->spread = t->median > 0 ? (sorted[n - 1] - sorted[0]) / t->median : 0;
}

/* Whether the runs so far say that the candidate is behind. */
static bool is_behind(const struct clg_trial *t, double best) {
    double least = INFINITY;
    for (int i = 0; i < t->runs; i++)
        least = fmin(least, t->seconds[i]);
    return t->runs >= RUNS_TO_JUDGE ? least > margin * best
                                    : least > jitter && least > far_behind * best;
}

static void time_it(struct clg_measure *m, const struct clg_plan *plan, double best,
                    struct clg_trial *out) {
    double spent = 0;
    while (out->runs < CLG_TRIAL_RUNS && (out->runs < LEAST_RUNS || spent < enough_seconds)) {
        double seconds;
        if (clg_measure_run(m, plan, &seconds)) {
            suspect(out, CLG_TRIAL_FAILED, clg_last_error());
            return;
        }
        out->seconds[out->runs++] = seconds;
        spent += seconds;
        if (is_behind(out, best)) {
            fail(out, CLG_TRIAL_SLOW, "slower than the best by a margin");
            break;
        }
    }
    summarize(out);
}

void clg_measure_try(struct clg_measure *m, const struct clg_candidate *candidate, double best,
                     struct clg_trial *out) {
    const struct clg_facts *facts = clg_measure_facts(m);
    *out = (struct clg_trial){.verdict = CLG_TRIAL_GOOD};
    const char *why_not =
        clg_family_why_not(candidate->family, &m->problem, facts, &candidate->params);
    if (why_not) {
        fail(out, CLG_TRIAL_FAILED, why_not);
        return;
    }
    struct clg_plan *plan = calloc(1, sizeof *plan); /* large */
    if (!plan) {
        fail(out, CLG_TRIAL_FAILED, "out of memory");
        return;
    }
    if (is_hopeful(m, candidate, best, out)) {
        clg_plan_with(plan, candidate->family, &candidate->params, &m->problem, facts);
        if (clg_exec_prepare(m->programs, plan))
            fail(out, CLG_TRIAL_FAILED, clg_last_error());
        else if (is_right(m, plan, out))
            time_it(m, plan, best, out);
    }
    free(plan);
}
