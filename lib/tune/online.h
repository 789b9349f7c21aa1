/* SPDX-License-Identifier: Apache-2.0
 * Tuning while a program works. Decides when a candidate may be tried after a call, which one, and
 * whether it won. The caller reports all times; this code uses neither clock nor device.
 *
 * Trials may take CLG_ONLINE_SHARE of the time of the calls of one class. Nothing begins that is
 * expected to exceed that. So a build waits until calls took 1 / share of its time, and a program
 * that ends earlier has no cost.
 *
 * Candidates are neighbours of the centre, which calls run: one tunable has its next valid value. A
 * candidate is first built, run and verified, without timing. Then it is compared with the centre
 * in pairs, one run of each. If it wins nearly all pairs, and by a margin, it becomes the centre;
 * otherwise the next neighbour is tried. */
#ifndef CLG_TUNE_ONLINE_H
#define CLG_TUNE_ONLINE_H

#include "tune/space.h"

#define CLG_ONLINE_SHARE 0.01

enum {
    CLG_ONLINE_PAIRS = 9, /* a winner must be faster in all but one, */
    CLG_ONLINE_TRIED = 64 /* the most candidates of a class */
};

/* and its median ratio must be at most this. */
#define CLG_ONLINE_MARGIN 0.97

enum clg_online_step {
    CLG_ONLINE_REST,   /* nothing now */
    CLG_ONLINE_BUILD,  /* build the candidate, run it and verify C */
    CLG_ONLINE_COMPARE /* run and verify it, and run the centre, both timed */
};

/* One class of problems; plain data. Only the functions below use the fields. */
struct clg_online {
    struct clg_space space;
    struct clg_candidate centre, candidate;
    struct clg_point point; /* of the centre */
    int neighbour;          /* the next one: twice its axis, plus 1 for downward */
    bool under_way, built, done;
    struct clg_candidate tried[CLG_ONLINE_TRIED];
    int num_tried;
    double ratios[CLG_ONLINE_PAIRS]; /* the candidate's time over the centre's */
    int pairs;
    double in_calls, in_trials;           /* seconds */
    double build_expected, pair_expected; /* the longest so far; 0: none yet */
};

/* Starts with a class whose calls run `centre` for this problem. */
void clg_online_start(struct clg_online *out, const struct clg_problem *problem,
                      const struct clg_facts *facts, const struct clg_candidate *centre);

/* Continues from a new centre, for example after an import. */
void clg_online_move(struct clg_online *online, const struct clg_candidate *centre);

/* Called after each call of the class; returns what to do now. For BUILD and COMPARE, *candidate is
 * set, and one of the four functions below reports the result. */
enum clg_online_step clg_online_next(struct clg_online *online, double call_seconds,
                                     struct clg_candidate *candidate);

/* The build and its run took `seconds`, and the result was right. */
void clg_online_built(struct clg_online *online, double seconds);

/* The pair took `seconds` in all. True: the candidate has won and is now the centre; *ratio is its
 * time divided by the old centre's. */
bool clg_online_compared(struct clg_online *online, double seconds, double candidate_seconds,
                         double centre_seconds, double *ratio);

/* `seconds` were spent without a result. */
void clg_online_spent(struct clg_online *online, double seconds);

/* The candidate failed, or was wrong, after `seconds`: it is not tried again. */
void clg_online_failed(struct clg_online *online, double seconds);

#endif
