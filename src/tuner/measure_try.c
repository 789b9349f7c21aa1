/* SPDX-License-Identifier: Apache-2.0
 * Builds, checks and times one candidate; stops early if it is slow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "device/error.h"
#include "run/exec.h"
#include "src/tuner/measure_device.h"

enum { LEAST_RUNS = 5, RUNS_TO_JUDGE = 3 };

/* After LEAST_RUNS, runs go on until they have taken this long. */
static const double enough_seconds = 0.03;

/* A candidate is stopped after RUNS_TO_JUDGE runs if its fastest run takes `margin` times the best.
 * A single run decides at `far_behind` times, or `cold_far_behind` for the first, cold run; it must
 * be longer than `jitter` seconds, because short runs vary by chance. */
static const double margin = 1.25, far_behind = 2.5, cold_far_behind = 4, jitter = 0.0005;

/* A candidate is first run with only TRIAL_DEPTH of k in each slice. If this run is not too short,
 * and predicts HOPELESS times the best, the candidate is skipped. A small k may need programs of
 * its own, so this is done only from deep_flops on: there, one run of a kernel without blocking (10
 * GFLOP/s on two cores) takes longer than compiling another program. */
enum { TRIAL_DEPTH = 64, TRIAL_RUNS = 2, HOPELESS = 4 };
static const double deep_flops = 2e10;

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

/* Plans the problem with a small k; false if it is hardly shorter, or if the family refuses it. */
static bool plan_shallow(struct clg_plan *out, const struct clg_problem *problem,
                         const struct clg_facts *facts, const struct clg_candidate *candidate) {
    struct clg_problem shallow = *problem;
    const struct clg_params *params = &candidate->params;
    const int parts = params->split_tail > params->sharers ? params->split_tail : params->sharers;
    const int slices = params->split_k > parts ? params->split_k : parts;
    const double flops = clg_problem_flops(problem);
    shallow.k = (int64_t)TRIAL_DEPTH * (slices > 1 ? slices : 1);
    if (flops < deep_flops || problem->k / 4 < shallow.k ||
        clg_family_unsupported_reason(candidate->family, &shallow, facts, params))
        return false;
    clg_plan_with(out, candidate->family, params, &shallow, facts);
    return true;
}

/* Returns false, and sets the verdict, if a run with a small k predicts a hopeless time. */
static bool is_hopeful(struct clg_measure *m, const struct clg_candidate *candidate, double best,
                       struct clg_trial *out) {
    struct clg_prepared prepared;
    double seconds = 0;
    if (!isfinite(best) ||
        !plan_shallow(&prepared.plan, &m->problem, clg_measure_facts(m), candidate))
        return true;
    if (clg_exec_prepare(m->device, m->programs, &prepared)) {
        fail(out, CLG_TRIAL_FAILED, clg_last_error());
        return false;
    }
    for (int i = 0; i < TRIAL_RUNS; i++)
        if (clg_measure_run(m, &prepared, &seconds)) {
            suspect(out, CLG_TRIAL_FAILED, clg_last_error());
            return false;
        }
    const double whole = seconds * (double)m->problem.k / (double)prepared.plan.problem.k;
    if (seconds <= jitter || whole <= HOPELESS * best)
        return true;
    out->median = whole;
    fail(out, CLG_TRIAL_SLOW, "a run with a small k was many times slower than the best");
    return false;
}

/* Makes the run that is checked; it is also the warm-up. Returns false, and sets the verdict, if
 * the result is wrong, or if the run is so slow that the result does not matter. */
static bool is_right(struct clg_measure *m, const struct clg_prepared *prepared, double best,
                     struct clg_trial *out) {
    const cl_uint canary = CLG_VERIFY_CANARY;
    const size_t bytes = m->reference.length * clg_type_size(m->problem.type);
    char why[sizeof out->why];
    double seconds = 0;
    cl_int code =
        clEnqueueFillBuffer(m->queue, m->c, &canary, sizeof canary, 0, bytes, 0, NULL, NULL);
    if (!code && clg_measure_run(m, prepared, &seconds)) {
        suspect(out, CLG_TRIAL_FAILED, clg_last_error());
        return false;
    }
    /* Between steps, a runtime may still be preparing programs. */
    if (!code && prepared->plan.num_steps == 1 && seconds > jitter &&
        seconds > cold_far_behind * best) {
        out->median = seconds;
        fail(out, CLG_TRIAL_SLOW, "its first run was many times slower than the best");
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

void clg_trial_summarize(struct clg_trial *t) {
    double sorted[CLG_TRIAL_RUNS];
    const int n = t->runs;
    for (int i = 0; i < n; i++)
        sorted[i] = t->seconds[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    t->median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    t->spread = t->median > 0 ? (sorted[n - 1] - sorted[0]) / t->median : 0;
}

/* Whether the runs so far show that the candidate is slower. */
static bool is_behind(const struct clg_trial *t, double best) {
    double least = INFINITY;
    for (int i = 0; i < t->runs; i++)
        least = fmin(least, t->seconds[i]);
    return t->runs >= RUNS_TO_JUDGE ? least > margin * best
                                    : least > jitter && least > far_behind * best;
}

static void time_it(struct clg_measure *m, const struct clg_prepared *prepared, double best,
                    struct clg_trial *out) {
    double spent = 0;
    while (out->runs < CLG_TRIAL_RUNS && (out->runs < LEAST_RUNS || spent < enough_seconds)) {
        double seconds;
        if (clg_measure_run(m, prepared, &seconds)) {
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
    clg_trial_summarize(out);
}

/* Whether the family supports the candidate; if not, sets the verdict. */
static bool is_taken(const struct clg_problem *problem, const struct clg_facts *facts,
                     const struct clg_candidate *candidate, struct clg_trial *out) {
    const char *unsupported_reason =
        clg_family_unsupported_reason(candidate->family, problem, facts, &candidate->params);
    *out = (struct clg_trial){.verdict = CLG_TRIAL_GOOD};
    if (unsupported_reason)
        fail(out, CLG_TRIAL_FAILED, unsupported_reason);
    return !unsupported_reason;
}

static int add_programs(const struct clg_plan *plan, int count, uint64_t *out) {
    for (int s = 0; s < plan->num_steps; s++) {
        const struct clg_step *step = &plan->steps[s];
        const struct clg_hash hash = clg_hash_of(step->source, strlen(step->source) + 1,
                                                 step->options, strlen(step->options));
        memcpy(&out[count++], hash.bytes, sizeof *out);
    }
    return count;
}

int clg_measure_programs(const struct clg_problem *problem, const struct clg_facts *facts,
                         const struct clg_candidate *candidate,
                         uint64_t out[CLG_MEASURE_PROGRAMS]) {
    struct clg_trial trial;
    struct clg_plan plan;
    int count = 0;
    if (!is_taken(problem, facts, candidate, &trial))
        return 0;
    if (plan_shallow(&plan, problem, facts, candidate))
        count = add_programs(&plan, count, out);
    clg_plan_with(&plan, candidate->family, &candidate->params, problem, facts);
    return add_programs(&plan, count, out);
}

void clg_measure_build(struct clg_measure *m, const struct clg_tuning_shape *shape,
                       const struct clg_candidate *candidate, struct clg_trial *out) {
    const struct clg_facts *facts = clg_measure_facts(m);
    struct clg_problem problem;
    struct clg_prepared prepared;
    *out = (struct clg_trial){.verdict = CLG_TRIAL_GOOD};
    if (clg_measure_problem(&problem, shape)) {
        fail(out, CLG_TRIAL_FAILED, clg_last_error());
        return;
    }
    if (!is_taken(&problem, facts, candidate, out))
        return;
    if (!m->linking)
        m->linking = clg_cubin_context_keep(m->device);
    clgemm_status status = CLGEMM_SUCCESS;
    if (plan_shallow(&prepared.plan, &problem, facts, candidate))
        status = clg_exec_prepare(m->device, m->programs, &prepared);
    clg_plan_with(&prepared.plan, candidate->family, &candidate->params, &problem, facts);
    if (status || clg_exec_prepare(m->device, m->programs, &prepared))
        fail(out, CLG_TRIAL_FAILED, clg_last_error());
}

void clg_measure_try(struct clg_measure *m, const struct clg_candidate *candidate, double best,
                     struct clg_trial *out) {
    const struct clg_facts *facts = clg_measure_facts(m);
    struct clg_prepared prepared;
    if (!is_taken(&m->problem, facts, candidate, out) || !is_hopeful(m, candidate, best, out))
        return;
    clg_plan_with(&prepared.plan, candidate->family, &candidate->params, &m->problem, facts);
    if (clg_exec_prepare(m->device, m->programs, &prepared))
        fail(out, CLG_TRIAL_FAILED, clg_last_error());
    else if (is_right(m, &prepared, best, out))
        time_it(m, &prepared, best, out);
}
