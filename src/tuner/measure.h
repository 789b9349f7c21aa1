/* SPDX-License-Identifier: Apache-2.0
 * Builds, checks and times candidates on a device. A candidate may hang the device or make it lost.
 * A caller that must survive this uses a process of its own. */
#ifndef CLG_TUNE_MEASURE_H
#define CLG_TUNE_MEASURE_H

#include "gemm/family.h"
#include "tuning/table.h"

enum clg_verdict {
    CLG_TRIAL_GOOD,
    CLG_TRIAL_SLOW,  /* stopped early; the median is approximate */
    CLG_TRIAL_WRONG, /* wrong result; its time is not valid */
    CLG_TRIAL_FAILED /* could not be built or run */
};

/* "good", "slow", "wrong", "failed" */
const char *clg_verdict_name(enum clg_verdict verdict);

enum { CLG_TRIAL_RUNS = 15 };

/* The result of trying a candidate; plain data. Seconds are measured by the device, from the start
 * of the first command to the end of the last. */
struct clg_trial {
    enum clg_verdict verdict;
    int runs;
    double seconds[CLG_TRIAL_RUNS]; /* in the order of measurement */
    double median, spread;          /* spread: (largest - smallest) / median */
    char why[256];                  /* "" if good */
    bool suspect; /* a command failed or wrote something wrong: the device may be lost to this
                     process, or its memory corrupted */
};

struct clg_measure;

/* Opens the device that `request` names (see clg_device_choose). */
clgemm_status clg_measure_open(struct clg_measure **out, const char *request);
void clg_measure_close(struct clg_measure *measure); /* accepts NULL */
const struct clg_facts *clg_measure_facts(const struct clg_measure *measure);

/* Replaces the loaded problem by one of that shape (alpha = 1, beta = 0). Runs take several copies
 * of A and B in turn, so that caches do not hold them. */
clgemm_status clg_measure_load(struct clg_measure *measure, const struct clg_tuning_shape *shape);

/* The problem for which a shape is tuned; C's offset leaves room for the guard. */
clgemm_status clg_measure_problem(struct clg_problem *out, const struct clg_tuning_shape *shape);

/* Builds the candidate's programs for a problem of that shape, without loading the problem, so that
 * another process finds them in the program cache. A failure is the trial's verdict. */
void clg_measure_build(struct clg_measure *measure, const struct clg_tuning_shape *shape,
                       const struct clg_candidate *candidate, struct clg_trial *out);

/* Writes a hash of each of these programs and returns how many there are; 0 if the family refuses
 * the candidate. Candidates often share programs, which need to be built only once. */
enum { CLG_MEASURE_PROGRAMS = 2 * CLG_MAX_STEPS };
int clg_measure_programs(const struct clg_problem *problem, const struct clg_facts *facts,
                         const struct clg_candidate *candidate, uint64_t out[CLG_MEASURE_PROGRAMS]);

/* Builds and runs the candidate, checks its C, and then times it: at least five runs, unless it is
 * slower than `best` seconds by a margin. A failure is the trial's verdict. */
void clg_measure_try(struct clg_measure *measure, const struct clg_candidate *candidate,
                     double best, struct clg_trial *out);

/* Times calls of the candidate back to back on the host's clock, as programs make them, for a
 * problem of that shape, which need not be loaded. Does not check its result. */
void clg_measure_calls(struct clg_measure *measure, const struct clg_tuning_shape *shape,
                       const struct clg_candidate *candidate, struct clg_trial *out);

#endif
