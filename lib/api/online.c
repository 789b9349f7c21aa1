/* SPDX-License-Identifier: Apache-2.0
 * Trials after calls on host matrices. */
#include "api/online.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/trace.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/log.h"
#include "device/error.h"
#include "gemm/family.h"
#include "run/choose.h"
#include "run/host_access.h"
#include "tune/agree.h"

/* Limits of a second C: elements between its columns, and bytes. */
enum { MOST_GAP = 64, MOST_BYTES = 256 << 20 };

struct clg_online_tuner *clg_online_open(struct clg_engine *engine) {
    const char *wish = clg_env("CLGEMM_ONLINE");
    struct clg_online_tuner *tuner = wish && strcmp(wish, "0") ? calloc(1, sizeof *tuner) : NULL;
    if (!tuner)
        return NULL;
    tuner->engine = engine;
    clg_engine_borrow(&tuner->trial, engine);
    pthread_mutex_init(&tuner->lock, NULL);
    return tuner;
}

void clg_online_close(struct clg_online_tuner *tuner) {
    if (!tuner)
        return;
    clg_engine_close(&tuner->trial);
    pthread_mutex_destroy(&tuner->lock);
    free(tuner);
}

/* ---- One trial ---- */

/* A call, and what a trial after it needs. */
struct trial {
    struct clg_online_tuner *tuner;
    struct clg_online_class *class;
    const struct clg_problem *problem;
    const struct clg_scalars *scalars;
    const struct clg_host_matrices *host;
    const struct clg_plan *plan; /* executed by the call */
    const struct clg_facts *facts;
    struct clg_candidate candidate;
    struct clg_second second;
    struct clg_lengths lengths;
    char why[256];
};

enum verdict { RIGHT, FAILED, NO_VERDICT };

/* Makes the trial's engine plan with the candidate only. */
static bool offer(const struct trial *t) {
    const struct clg_tuning_row row = {.shape = t->class->shape,
                                       .family = t->candidate.family,
                                       .params = t->candidate.params,
                                       .ms = 1};
    struct clg_tuning *table = clg_tuning_with(NULL, &row, 1);
    struct clg_tuning *old = clg_engine_tuning(&t->tuner->trial);
    const bool good = table && clg_engine_retune(&t->tuner->trial, old, table);
    clg_tuning_release(old);
    return good;
}

/* Runs the problem into the second C. NO_VERDICT if the plan is not that of `wanted`. */
static enum verdict run(struct trial *t, struct clg_engine *engine,
                        const struct clg_candidate *wanted, double *seconds) {
    struct clg_host_matrices host = *t->host;
    struct clg_plan plan;
    host.at[CLG_C] = t->second.c;
    clg_second_clear(&t->second);
    const double start = clg_clock_seconds();
    const clgemm_status status = clg_host_gemm(engine, t->problem, t->scalars, &host, &plan);
    *seconds = clg_clock_seconds() - start;
    if (status) {
        clg_copy_last_error(t->why, sizeof t->why);
        t->tuner->off |= clg_cl_is_lost((cl_int)status);
        return FAILED;
    }
    const struct clg_candidate ran = clg_candidate_of(plan.family, &plan.params);
    return clg_candidate_equal(&ran, wanted) ? RIGHT : NO_VERDICT;
}

/* Runs the candidate, whose result must agree with the call's. After a wrong result, this device
 * gets no further trials. */
static enum verdict run_candidate(struct trial *t, double *seconds) {
    const enum verdict verdict = run(t, &t->tuner->trial, &t->candidate, seconds);
    if (verdict || clg_second_agrees(&t->second, t->problem, t->scalars->alpha, &t->lengths,
                                     t->host->at[CLG_C], t->why, sizeof t->why))
        return verdict;
    t->tuner->off = true;
    return FAILED;
}

/* Runs both, with the candidate first in every other pair, because the second run finds the
 * matrices in caches. */
static enum verdict run_pair(struct trial *t, double *candidate, double *centre) {
    const struct clg_candidate trusted = t->class->online.centre;
    const bool first = t->class->online.pairs % 2 == 0;
    enum verdict verdict = first ? run_candidate(t, candidate) : RIGHT;
    if (!verdict)
        verdict = run(t, t->tuner->engine, &trusted, centre);
    if (!verdict && !first)
        verdict = run_candidate(t, candidate);
    return verdict;
}

static bool prepare(struct trial *t) {
    t->tuner->trial.host_access = clg_host_access_of(t->tuner->engine);
    return clg_second_create(&t->second, t->problem, t->host->at[CLG_C]) &&
           clg_lengths_create(&t->lengths, t->problem, t->host) && t->lengths.finite && offer(t);
}

/* ---- Results ---- */

/* The candidate's time. If calls used a row of the class, that row's time is scaled, so that both
 * times are comparable; else it is that of a whole call. */
static double ms_of(const struct trial *t, const struct clg_tuning *tuning, double seconds,
                    double ratio) {
    const struct clg_tuning_row *row = clg_tuning_find(tuning, &t->plan->problem, t->facts);
    return row && clg_tuning_same_class(&row->shape, &t->class->shape) ? ratio * row->ms
                                                                       : 1e3 * seconds;
}

/* Makes the handle plan with the winner, and writes it to the tuning file. */
static void keep(const struct trial *t, double seconds, double ratio) {
    struct clg_tuning_row row = {
        .shape = t->class->shape, .family = t->candidate.family, .params = t->candidate.params};
    char text[CLG_CANDIDATE_TEXT];
    clg_tuning_stamp(&row);
    for (bool done = false; !done;) { /* again if another thread changed the table */
        struct clg_tuning *base = clg_engine_tuning(t->tuner->engine);
        row.ms = ms_of(t, base, seconds, ratio);
        struct clg_tuning *table = clg_tuning_with(base, &row, 1);
        done = !table || clg_engine_retune(t->tuner->engine, base, table);
        if (!done)
            clg_tuning_release(table);
        clg_tuning_release(base);
    }
    clg_log(CLG_LOG_CALLS,
            "online: %" PRId64 "x%" PRId64 "x%" PRId64 " takes %.3f of its time with %s",
            row.shape.m, row.shape.n, row.shape.k, ratio, clg_candidate_text(text, &t->candidate));
    if (clg_tuning_write(NULL, t->facts, &row, 1, NULL, 0))
        clg_log(CLG_LOG_CALLS, "online: not written: %s", clg_last_error());
}

static void log_failure(const struct trial *t) {
    char text[CLG_CANDIDATE_TEXT];
    clg_log(CLG_LOG_PLANS, "online: %s: %s%s", clg_candidate_text(text, &t->candidate), t->why,
            t->tuner->off ? "; no more trials" : "");
}

static void try(struct trial *t, enum clg_online_step step) {
    struct clg_online *online = &t->class->online;
    const double start = clg_clock_seconds();
    double candidate = 0, centre = 0, ratio = 0;
    enum verdict verdict = NO_VERDICT;
    if (prepare(t))
        verdict = step == CLG_ONLINE_BUILD ? run_candidate(t, &candidate)
                                           : run_pair(t, &candidate, &centre);
    clg_second_release(&t->second);
    clg_lengths_release(&t->lengths);
    const double spent = clg_clock_seconds() - start;
    if (verdict == FAILED) {
        clg_online_failed(online, spent);
        log_failure(t);
    } else if (verdict == NO_VERDICT) {
        clg_online_spent(online, spent);
    } else if (step == CLG_ONLINE_BUILD) {
        clg_online_built(online, spent);
    } else if (clg_online_compared(online, spent, candidate, centre, &ratio)) {
        keep(t, candidate, ratio);
    }
}

/* ---- Calls ---- */

/* Whether a second C can be allocated and compared. Its initial values are lost, so beta must be 0.
 */
static bool is_fit(const struct clg_problem *problem, const struct clg_scalars *scalars,
                   const struct clg_host_matrices *host, const struct clg_plan *plan) {
    const struct clg_matrix *c = &problem->matrix[CLG_C];
    const struct clg_problem *planned = &plan->problem;
    const double size = (double)clg_type_size(problem->type);
    return problem->work == CLG_WORK_MULTIPLY && problem->batch == 1 && scalars->beta == 0 &&
           plan->family && plan->why != clg_why_interim && planned->m == problem->m &&
           planned->n == problem->n && planned->k == problem->k && c->ld - problem->m <= MOST_GAP &&
           (double)c->ld * (double)problem->n * size <= MOST_BYTES &&
           (uintptr_t)host->at[CLG_C] % clg_type_size(problem->type) == 0;
}

/* The class of the shape, which is added if it is new. If all are used, it replaces the one with
 * the least time. */
static struct clg_online_class *class_of(struct clg_online_tuner *tuner,
                                         const struct clg_problem *problem,
                                         const struct clg_facts *facts,
                                         const struct clg_candidate *centre) {
    const struct clg_tuning_shape shape = clg_tuning_shape_of(problem);
    struct clg_online_class *least = &tuner->classes[0];
    for (int i = 0; i < tuner->count; i++) {
        struct clg_online_class *class = &tuner->classes[i];
        if (clg_tuning_same_class(&class->shape, &shape))
            return class;
        if (class->online.in_calls < least->online.in_calls)
            least = class;
    }
    if (tuner->count < CLG_ONLINE_CLASSES)
        least = &tuner->classes[tuner->count++];
    least->shape = shape;
    clg_online_start(&least->online, problem, facts, centre);
    return least;
}

static void after(struct clg_online_tuner *tuner, const struct clg_problem *problem,
                  const struct clg_scalars *scalars, const struct clg_host_matrices *host,
                  const struct clg_plan *plan, double seconds) {
    struct trial t = {.tuner = tuner,
                      .problem = problem,
                      .scalars = scalars,
                      .host = host,
                      .plan = plan,
                      .facts = &tuner->engine->device->facts};
    const struct clg_candidate centre = clg_candidate_of(plan->family, &plan->params);
    t.class = class_of(tuner, &plan->problem, t.facts, &centre);
    if (!clg_candidate_equal(&t.class->online.centre, &centre))
        clg_online_move(&t.class->online, &centre);
    const enum clg_online_step step = clg_online_next(&t.class->online, seconds, &t.candidate);
    /* The candidate may be possible only for the leading dimensions of other calls of the class. */
    if (step == CLG_ONLINE_REST || clg_family_unsupported_reason(t.candidate.family, &plan->problem,
                                                                 t.facts, &t.candidate.params))
        return;
    clg_copy_last_error(tuner->last_error, sizeof tuner->last_error);
    try(&t, step);
    clg_fail(CLGEMM_SUCCESS, "%s", tuner->last_error);
}

void clg_online_after(struct clg_online_tuner *tuner, const struct clg_problem *problem,
                      const struct clg_scalars *scalars, const struct clg_host_matrices *host,
                      const struct clg_plan *plan, double seconds) {
    if (!is_fit(problem, scalars, host, plan) || pthread_mutex_trylock(&tuner->lock))
        return;
    if (!tuner->off)
        after(tuner, problem, scalars, host, plan, seconds);
    pthread_mutex_unlock(&tuner->lock);
}
