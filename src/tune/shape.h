/* SPDX-License-Identifier: Apache-2.0
 * Tunes one shape: tries a search's candidates within a time budget, then times the best in turn
 * with the model's choice. */
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

/* A finalist: timed in the final rounds. */
struct tune_finalist {
    struct clg_candidate candidate;
    struct clg_trial trial; /* in the search */
    double rounds[TUNE_ROUNDS];
    int num_rounds;
    double median; /* median of the rounds; without rounds, of the trial */
};

/* A candidate without a time. */
struct tune_fault {
    char candidate[CLG_DESCRIPTION];
    enum clg_verdict verdict;
    char why[256];
};

/* One candidate of the search. */
struct tune_record {
    struct clg_candidate candidate;
    double at; /* seconds from the beginning of the search to its end */
    enum clg_verdict verdict;
    double median; /* seconds; rough for a slow one, 0 for a wrong or failed one */
};

struct tune_result {
    struct clg_tuning_shape shape;
    char why[256];                                      /* "" if it was tuned; else why not */
    struct tune_finalist finalists[1 + TUNE_FINALISTS]; /* [0] is the model's choice */
    int num_finalists;
    int known; /* index of the known candidate among the finalists; 0: none, or the model's choice
                */
    int best;  /* index of the best finalist; the choice, unless another is faster by 1 % */
    size_t counts[TUNE_VERDICTS];          /* number of candidates, by verdict */
    struct tune_fault faults[TUNE_FAULTS]; /* the first that were wrong or failed */
    size_t num_faults;
    struct tune_record *history; /* all, in their order */
    size_t num_history, history_room;
    double watches[TUNE_WATCHES]; /* times of the choice during the search; the last ones */
    size_t num_watches;           /* total number of these times */
    double drift_least,
        drift_most;     /* the smallest and the largest of them, relative to the first */
    double seconds;     /* spent */
    unsigned processes; /* that it took */
    bool whole;         /* the search had no more candidates */
    bool stopped;       /* by Ctrl-C */
};

struct tune_settings {
    uint64_t seed;
    double budget; /* seconds for a shape */
    /* Called after each candidate; may be NULL. */
    void (*progress)(const struct tune_result *so_far, double seconds_left, void *user);
    void *user;
};

/* Tunes `space`, which is that of result->shape. `known`, if not NULL, is tried right after the
 * model's choice, and is a finalist if it is good. The result is valid after worker_stop too.
 * Release it in any case. */
void tune_shape(struct tune_result *result, const struct clg_space *space,
                const struct clg_candidate *known, const struct tune_settings *settings,
                struct tune_crew *crew);
void tune_result_release(struct tune_result *result);

/* The choice's time over the best's; 0 if one is missing. */
double tune_ratio(const struct tune_result *result);

/* The number of candidates tried. */
size_t tune_tried(const struct tune_result *result);

/* Writes "1024x1024x1024 NT" or "64x64x64 NT f64 batch 1000" into text, which it returns. */
enum { TUNE_SHAPE_TEXT = 112 };
const char *tune_shape_text(char text[TUNE_SHAPE_TEXT], const struct clg_tuning_shape *shape);

#endif
