/* SPDX-License-Identifier: Apache-2.0
 * The search for one shape, and its final rounds. */
#include "src/tune/shape.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"

/* The share of the budget for the search; the rest is for the final rounds. The model's choice is
 * timed again after this many candidates, to see the machine's drift. */
static const double search_share = 0.8;
enum { WATCH_EVERY = 16 };

/* Another candidate must be faster than the model's choice by this factor. Less is noise. */
static const double tie = 0.99;

struct work {
    struct tune_result *result;
    const struct tune_settings *settings;
    struct tune_ahead *ahead;
    double start;
    bool unusable;
};

const char *tune_shape_text(char text[TUNE_SHAPE_TEXT], const struct clg_tuning_shape *shape) {
    char word[CLG_TYPE_WORD];
    const bool plain = shape->type == CLGEMM_F32;
    const int used =
        snprintf(text, TUNE_SHAPE_TEXT, "%" PRId64 "x%" PRId64 "x%" PRId64 " %c%c%s%s", shape->m,
                 shape->n, shape->k, shape->ta ? 'T' : 'N', shape->tb ? 'T' : 'N', plain ? "" : " ",
                 plain ? "" : clg_type_word(word, shape->type));
    if (shape->batch && used > 0 && used < TUNE_SHAPE_TEXT)
        snprintf(text + used, (size_t)(TUNE_SHAPE_TEXT - used), " batch %" PRId64, shape->batch);
    return text;
}

double tune_ratio(const struct tune_result *r) {
    const double choice = r->finalists[0].median, best = r->finalists[r->best].median;
    return r->num_finalists > 0 && isfinite(choice) && best > 0 ? choice / best : 0;
}

size_t tune_tried(const struct tune_result *r) {
    size_t all = 0;
    for (int v = 0; v < TUNE_VERDICTS; v++)
        all += r->counts[v];
    return all;
}

/* Runs it; false if the search must end. */
static bool try(struct work *w, const struct clg_candidate *candidate, double best,
                struct clg_trial *out) {
    struct tune_answer answer;
    if (!tune_ahead_try(w->ahead, candidate, best, &answer)) {
        w->result->stopped = true;
        return false;
    }
    *out = answer.trial;
    w->unusable = answer.unusable;
    if (answer.unusable)
        snprintf(w->result->why, sizeof w->result->why, "%s", answer.trial.why);
    return !answer.unusable;
}

/* Counts a candidate, and records what was wrong with it. */
static void note(struct tune_result *r, const struct clg_candidate *candidate,
                 const struct clg_trial *trial) {
    r->counts[trial->verdict]++;
    if (trial->verdict < CLG_TRIAL_WRONG || r->num_faults == TUNE_FAULTS)
        return;
    struct tune_fault *fault = &r->faults[r->num_faults++];
    clg_candidate_text(fault->candidate, candidate);
    fault->verdict = trial->verdict;
    snprintf(fault->why, sizeof fault->why, "%s", trial->why);
}

/* If memory is short, the history ends. */
static void record(struct work *w, const struct clg_candidate *candidate,
                   const struct clg_trial *trial) {
    struct tune_result *r = w->result;
    if (!clg_array_reserve(&r->history, &r->history_room, r->num_history + 1, sizeof *r->history))
        return;
    r->history[r->num_history++] =
        (struct tune_record){*candidate, clg_clock_seconds() - w->start, trial->verdict,
                             trial->verdict < CLG_TRIAL_WRONG ? trial->median : 0};
}

/* Inserts a good candidate among the finalists behind the choice, if it is fast enough. */
static void enter(struct tune_result *r, const struct clg_candidate *candidate,
                  const struct clg_trial *trial) {
    int at = r->num_finalists;
    while (at > 1 && r->finalists[at - 1].median > trial->median)
        at--;
    for (int i = 1; i < r->num_finalists; i++)
        if (clg_candidate_equal(&r->finalists[i].candidate, candidate))
            return;
    if (at > TUNE_FINALISTS)
        return;
    if (r->num_finalists <= TUNE_FINALISTS)
        r->num_finalists++;
    for (int i = r->num_finalists - 1; i > at; i--)
        r->finalists[i] = r->finalists[i - 1];
    r->finalists[at] =
        (struct tune_finalist){.candidate = *candidate, .trial = *trial, .median = trial->median};
}

/* The least median. Candidates that are hardly faster than the choice lose to it. */
static void find_best(struct tune_result *r) {
    int best = 0;
    for (int i = 1; i < r->num_finalists; i++)
        if (r->finalists[i].median < r->finalists[best].median)
            best = i;
    r->best = r->finalists[best].median < tie * r->finalists[0].median ? best : 0;
}

/* What the search is told; for a candidate that was cut short, roughly how slow it was. */
static double cost_of(const struct clg_trial *trial) {
    return trial->verdict <= CLG_TRIAL_SLOW && trial->median > 0 ? trial->median : INFINITY;
}

/* What a candidate must keep up with: the best so far, or the best of the scheme if only one is
 * searched. */
static double bar(const struct work *w) {
    const struct tune_result *r = w->result;
    const int scheme = w->ahead->space->scheme;
    double least = INFINITY;
    for (int i = 0; i < r->num_finalists; i++)
        if (scheme < 0 || (int)clg_candidate_scheme(&r->finalists[i].candidate) == scheme)
            least = fmin(least, r->finalists[i].median);
    return least;
}

/* Tries one more candidate, if it could be built, and records it. The first is the model's
 * choice. */
static bool take(struct work *w, const struct clg_candidate *candidate, struct clg_trial *trial) {
    struct tune_result *r = w->result;
    const bool first = r->num_finalists == 0;
    if (trial->verdict == CLG_TRIAL_GOOD && !try(w, candidate, bar(w), trial))
        return false;
    note(r, candidate, trial);
    record(w, candidate, trial);
    if (first) {
        r->finalists[r->num_finalists++] =
            (struct tune_finalist){.candidate = *candidate,
                                   .trial = *trial,
                                   .median = trial->verdict ? INFINITY : trial->median};
    } else if (trial->verdict == CLG_TRIAL_GOOD &&
               !clg_candidate_equal(&r->finalists[0].candidate, candidate)) {
        enter(r, candidate, trial);
    }
    find_best(r);
    if (w->settings->progress)
        w->settings->progress(r, w->settings->budget - (clg_clock_seconds() - w->start),
                              w->settings->user);
    return true;
}

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_of(const double *values, int count) {
    double sorted[TUNE_WATCHES];
    for (int i = 0; i < count; i++)
        sorted[i] = values[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* Times the choice again: right after its first time, which may be that of a cold machine, and
 * after a number of candidates. The median of these times is what others must beat. */
static bool watch(struct work *w) {
    struct tune_result *r = w->result;
    struct tune_finalist *choice = &r->finalists[0];
    struct clg_trial trial;
    if (tune_tried(r) % WATCH_EVERY != 1 || choice->trial.verdict)
        return true;
    if (!try(w, &choice->candidate, INFINITY, &trial))
        return false;
    if (trial.verdict)
        return true;
    r->watches[r->num_watches++ % TUNE_WATCHES] = trial.median;
    choice->median =
        median_of(r->watches, (int)(r->num_watches < TUNE_WATCHES ? r->num_watches : TUNE_WATCHES));
    r->drift_least = fmin(r->drift_least, trial.median / r->watches[0]);
    r->drift_most = fmax(r->drift_most, trial.median / r->watches[0]);
    find_best(r);
    return true;
}

/* Finds the known candidate among the finalists, or puts it in the last one's place, so that new
 * candidates are timed in turn with it. */
static void keep_known(struct tune_result *r, const struct clg_candidate *known,
                       const struct clg_trial *trial) {
    for (int i = 0; i < r->num_finalists; i++)
        if (clg_candidate_equal(&r->finalists[i].candidate, known))
            r->known = i;
    if (r->known > 0 || trial->runs == 0 || trial->verdict > CLG_TRIAL_SLOW ||
        clg_candidate_equal(&r->finalists[0].candidate, known))
        return;
    r->known = r->num_finalists <= TUNE_FINALISTS ? r->num_finalists++ : TUNE_FINALISTS;
    r->finalists[r->known] =
        (struct tune_finalist){.candidate = *known, .trial = *trial, .median = trial->median};
}

static void search(struct work *w, struct clg_search *search, const struct clg_candidate *known) {
    struct tune_result *r = w->result;
    const double until = w->start + search_share * w->settings->budget;
    struct clg_trial trial = {.verdict = CLG_TRIAL_GOOD};
    struct tune_named next;
    bool goes_on = true;
    while (goes_on && (r->num_finalists == 0 || clg_clock_seconds() < until) &&
           tune_ahead_next(w->ahead, r->num_finalists == 0 ? INFINITY : until, &next)) {
        const bool first = r->num_finalists == 0;
        goes_on = take(w, &next.candidate, &next.trial);
        if (goes_on)
            clg_search_report(search, &next.candidate, cost_of(&next.trial));
        if (goes_on && first && known && !clg_candidate_equal(known, &next.candidate)) {
            if ((goes_on = take(w, known, &trial)))
                clg_search_report(search, known, cost_of(&trial));
        }
        goes_on = goes_on && watch(w);
    }
    if (known)
        keep_known(r, known, &trial);
    r->whole = w->ahead->ended && w->ahead->count == 0;
    r->stopped = r->stopped || worker_stop;
}

/* Times the finalists in turn. A finalist that fails now has no time any more. */
static void time_finalists(struct work *w) {
    struct tune_result *r = w->result;
    for (int round = 0; round < TUNE_ROUNDS; round++) {
        if (round > 0 && clg_clock_seconds() > w->start + w->settings->budget)
            break;
        for (int i = 0; i < r->num_finalists; i++) {
            struct tune_finalist *f = &r->finalists[i];
            struct clg_trial trial;
            if (!isfinite(f->median))
                continue;
            if (!try(w, &f->candidate, INFINITY, &trial))
                return;
            if (trial.verdict == CLG_TRIAL_GOOD) {
                f->rounds[f->num_rounds++] = trial.median;
            } else {
                note(r, &f->candidate, &trial);
                f->median = INFINITY;
            }
        }
    }
    for (int i = 0; i < r->num_finalists; i++)
        if (isfinite(r->finalists[i].median) && r->finalists[i].num_rounds > 0)
            r->finalists[i].median = median_of(r->finalists[i].rounds, r->finalists[i].num_rounds);
}

void tune_shape(struct tune_result *result, const struct clg_space *space,
                const struct clg_candidate *known, const struct tune_settings *settings,
                struct tune_crew *crew) {
    static struct tune_ahead ahead; /* large */
    struct work w = {result, settings, &ahead, clg_clock_seconds(), false};
    const unsigned started = tune_crew_started(crew) - tune_crew_running(crew);
    const struct clg_tuning_shape shape = result->shape;
    *result = (struct tune_result){.shape = shape, .drift_least = 1, .drift_most = 1};
    struct clg_search *s = clg_search_create(space, settings->seed);
    tune_ahead_begin(&ahead, crew, s, space, &shape);
    if (s)
        search(&w, s, known);
    else
        snprintf(result->why, sizeof result->why, "out of memory for the search");
    tune_ahead_end(&ahead); /* so that nothing is built in the final rounds */
    clg_search_destroy(s);
    if (!w.unusable && !result->stopped && result->num_finalists > 0)
        time_finalists(&w);
    find_best(result);
    if (!*result->why &&
        (result->num_finalists == 0 || !isfinite(result->finalists[result->best].median)))
        snprintf(result->why, sizeof result->why, "%s",
                 result->stopped ? "stopped before anything was measured"
                                 : "no candidate could be run");
    result->seconds = clg_clock_seconds() - w.start;
    result->processes = tune_crew_started(crew) - started;
}

void tune_result_release(struct tune_result *result) {
    free(result->history);
    *result = (struct tune_result){.num_history = 0};
}
