/* SPDX-License-Identifier: Apache-2.0
 * Tuning while a program works: when a candidate may be tried beside a call, which one, and whether
 * it won. It is told how long things took, and knows neither clock nor device.
 *
 * Of the time that calls of one class took, CLG_ONLINE_SHARE may go into trials, and nothing begins
 * that is expected to pass that. So a build waits until calls took 1 / share of its time, and a
 * program that ends before never pays.
 *
 * Candidates are neighbours of what calls run: one tunable moved to its next valid value. One is
 * first built, run and verified, which gives no time. Then it is compared with what calls run, in
 * pairs, one of each. It wins by nearly all pairs and by a margin, and becomes the centre; else the
 * next neighbour has its turn. */
#ifndef CLG_TUNE_ONLINE_H
#define CLG_TUNE_ONLINE_H

#include "tune/space.h"

#define CLG_ONLINE_SHARE 0.01

enum {
    CLG_ONLINE_PAIRS = 9, /* of which a winner must be quicker in all but one, */
    CLG_ONLINE_TRIED = 64 /* candidates of a class, at most */
};

/* and by this in the median of the ratios. */
#define CLG_ONLINE_MARGIN 0.97

enum clg_online_step {
    CLG_ONLINE_REST,   /* nothing now */
    CLG_ONLINE_BUILD,  /* build the candidate, run it and verify what it makes of C */
    CLG_ONLINE_COMPARE /* run and verify it, and run the centre, both timed */
};

/* One class of problems. All fields are the functions' below; plain data. */
struct clg_online {
    struct clg_space space;
    struct clg_candidate centre, candidate;
    struct clg_point point; /* of the centre */
    int neighbour;          /* the next: twice its axis, and 1 for downward */
    bool under_way, built, done;
    struct clg_candidate tried[CLG_ONLINE_TRIED];
    int num_tried;
    double ratios[CLG_ONLINE_PAIRS]; /* the candidate's time over the centre's */
    int pairs;
    double in_calls, in_trials;           /* seconds */
    double build_expected, pair_expected; /* the longest yet; 0: none yet */
};

/* A class whose calls run `centre` for this problem. */
void clg_online_start(struct clg_online *out, const struct clg_problem *problem,
                      const struct clg_facts *facts, const struct clg_candidate *centre);

/* Calls run something else now, imported say: goes on from there. */
void clg_online_move(struct clg_online *online, const struct clg_candidate *centre);

/* After each call of the class, which took so long: what to do beside it. For BUILD and COMPARE,
 * *candidate is whom, and one of the four below says what became of it. */
enum clg_online_step clg_online_next(struct clg_online *online, double call_seconds,
                                     struct clg_candidate *candidate);

/* The build took so long, runs and all, and the result was right. */
void clg_online_built(struct clg_online *online, double seconds);

/* The pair took `seconds` in all. True: the candidate has won, and is the centre; *ratio is its
 * time over the old one's. */
bool clg_online_compared(struct clg_online *online, double seconds, double candidate_seconds,
                         double centre_seconds, double *ratio);

/* So much was spent, and nothing came of it. */
void clg_online_spent(struct clg_online *online, double seconds);

/* It failed, or was wrong, after so long: it is not tried again. */
void clg_online_failed(struct clg_online *online, double seconds);

#endif
