/* SPDX-License-Identifier: Apache-2.0
 * Candidates on a device: built, checked, timed. A device may be lost in a candidate, or hang: who
 * cannot afford that calls from a process of its own. */
#ifndef CLG_TUNE_MEASURE_H
#define CLG_TUNE_MEASURE_H

#include "tune/candidate.h"
#include "tuning/table.h"

enum clg_verdict {
    CLG_TRIAL_GOOD,
    CLG_TRIAL_SLOW,  /* cut short; its median tells how slow, roughly */
    CLG_TRIAL_WRONG, /* no time counts */
    CLG_TRIAL_FAILED /* could not be built or run */
};

/* "good", "slow", "wrong", "failed" */
const char *clg_verdict_name(enum clg_verdict verdict);

enum { CLG_TRIAL_RUNS = 15 };

/* What became of a candidate; plain data. Seconds are the device's, from the start of the first
 * command to the end of the last. */
struct clg_trial {
    enum clg_verdict verdict;
    int runs;
    double seconds[CLG_TRIAL_RUNS]; /* in the order measured */
    double median, spread;          /* spread: (largest - smallest) / median */
    char why[256];                  /* "" if good */
    bool suspect; /* a command failed, or something was written wrongly: the device may be lost to
                     this process, or what is on it spoilt */
};

struct clg_measure;

/* Opens the device that `request` names (see clg_device_choose). */
clgemm_status clg_measure_open(struct clg_measure **out, const char *request);
void clg_measure_close(struct clg_measure *measure); /* NULL is fine */
const struct clg_facts *clg_measure_facts(const struct clg_measure *measure);

/* Makes the problem of that shape (alpha = 1, beta = 0) on the device, with several copies of A
 * and B that runs take in turn, in place of the problem before. */
clgemm_status clg_measure_load(struct clg_measure *measure, const struct clg_tuning_shape *shape);

/* The problem that a shape is tuned with; C lies behind its guard. */
clgemm_status clg_measure_problem(struct clg_problem *out, const struct clg_tuning_shape *shape);

/* Builds the candidate's programs for a problem of that shape, of which nothing is loaded, so that
 * the program cache has them for another process. A failure is the trial's verdict. */
void clg_measure_build(struct clg_measure *measure, const struct clg_tuning_shape *shape,
                       const struct clg_candidate *candidate, struct clg_trial *out);

/* What names these programs, each a hash; returns how many, 0 for a candidate that the family
 * refuses. Candidates often share programs, and what is built once need not be built again. */
enum { CLG_MEASURE_PROGRAMS = 2 * CLG_MAX_STEPS };
int clg_measure_programs(const struct clg_problem *problem, const struct clg_facts *facts,
                         const struct clg_candidate *candidate, uint64_t out[CLG_MEASURE_PROGRAMS]);

/* Builds and runs the candidate, checks what it makes of C, and then times it: five runs at least,
 * unless it is slower than `best` seconds by a margin. A failure is the trial's verdict. */
void clg_measure_try(struct clg_measure *measure, const struct clg_candidate *candidate,
                     double best, struct clg_trial *out);

#endif
