/* SPDX-License-Identifier: Apache-2.0
 * Tuning one shape: a strategy's candidates within a budget of time, and the best of them timed in
 * turn with the model's choice. */
#ifndef CLGEMM_TUNE_SHAPE_H
#define CLGEMM_TUNE_SHAPE_H

#include "src/tune/crew.h"

enum {
    TUNE_FINALISTS = 4,
    TUNE_ROUNDS = 5,
    TUNE_WATCHES = 32,
    TUNE_FAULTS = 16,
    TUNE_VERDICTS = 4
};

/* One of those that were timed at last. */
struct tune_finalist {
    struct clg_candidate candidate;
    struct clg_trial trial; /* of the search */
    double rounds[TUNE_ROUNDS];
    int num_rounds;
    double median; /* of the rounds; where there were none, of the trial */
};

/* One that gave no time. */
struct tune_fault {
    char candidate[CLG_CANDIDATE_TEXT];
    enum clg_verdict verdict;
    char why[256];
};

/* One candidate of the search, as it went. */
struct tune_record {
    struct clg_candidate candidate;
    double at; /* seconds since the search began, when it was done */
    enum clg_verdict verdict;
    double median; /* seconds; of a slow one roughly, of a wrong or failed one 0 */
};

struct tune_result {
    struct clg_tuning_shape shape;
    char why[256]; /* "" if it was tuned; else what was in the way */
    struct tune_finalist finalists[1 + TUNE_FINALISTS]; /* [0] is the model's choice */
    int num_finalists;
    int known; /* of the finalists; 0: nothing was, or the model's choice */
    int best;  /* of the finalists; the choice unless another is quicker by 1 % */
    size_t counts[TUNE_VERDICTS];          /* candidates, by verdict */
    struct tune_fault faults[TUNE_FAULTS]; /* the first that were wrong or failed */
    size_t num_faults;
    struct tune_record *history; /* all, in their order */
    size_t num_history, history_room;
    double watches[TUNE_WATCHES];   /* the choice's times while the search ran; the last ones */
    size_t num_watches;             /* ever taken */
    double drift_least, drift_most; /* of these over the first */
    double seconds;                 /* spent */
    unsigned processes;             /* that it took */
    bool whole;                     /* the strategy had no more candidates */
    bool stopped;                   /* by Ctrl-C */
};

struct tune_settings {
    const struct clg_strategy *strategy;
    uint64_t seed;
    double budget; /* seconds for a shape */
    /* After each candidate; may be NULL. */
    void (*progress)(const struct tune_result *so_far, double seconds_left, void *user);
    void *user;
};

/* Tunes `space`, that of result->shape. `known`, if not NULL, is tried right after the model's
 * choice, and is a finalist if it is good at all. The result holds what was found also after
 * worker_stop; release it in any case. */
void tune_shape(struct tune_result *result, const struct clg_space *space,
                const struct clg_candidate *known, const struct tune_settings *settings,
                struct tune_crew *crew);
void tune_result_release(struct tune_result *result);

/* Of the choice's time over the best's; 0 where one of them is missing. */
double tune_ratio(const struct tune_result *result);

/* Candidates that were tried. */
size_t tune_tried(const struct tune_result *result);

/* "1024x1024x1024 NT", "64x64x64 NT f64 batch 1000" into text, which it returns. */
enum { TUNE_SHAPE_TEXT = 112 };
const char *tune_shape_text(char text[TUNE_SHAPE_TEXT], const struct clg_tuning_shape *shape);

#endif
