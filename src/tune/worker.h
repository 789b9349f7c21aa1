/* SPDX-License-Identifier: Apache-2.0
 * A process (src/common/worker.h) in which candidates are built, or run. */
#ifndef CLGEMM_TUNE_WORKER_H
#define CLGEMM_TUNE_WORKER_H

#include "src/common/worker.h"
#include "tune/measure.h"

/* What the process is started as: clgemm tune --worker P:D. */
#define TUNE_WORKER_OPTION "--worker"

struct tune_request {
    struct clg_tuning_shape shape;
    int family; /* index in clg_families */
    struct clg_params params;
    bool build_only; /* clg_measure_build, else clg_measure_try */
    double best;     /* seconds; a candidate that is slower by a margin is cut short */
};

struct tune_answer {
    bool unusable; /* the device, or the problem on it: trial.why says why */
    struct clg_trial trial;
};

struct tune_worker {
    const char *device;            /* P:D */
    double limit;                  /* seconds for a candidate */
    double start_limit;            /* and for opening the device and loading the problem */
    struct worker base;            /* the process */
    const char *words[4];          /* its command line */
    struct clg_tuning_shape shape; /* that it has loaded, if `loaded` */
    bool loaded;
    struct tune_answer answer;
};

/* Asks for a candidate to be built, or tried, in a new process where there is none; the worker must
 * not be busy. Anything that goes wrong is the trial's verdict. */
void tune_worker_ask(struct tune_worker *worker, const struct clg_tuning_shape *shape,
                     const struct clg_candidate *candidate, bool build_only, double best);

/* Waits until one of the busy ones that are not paused has its answer, which is then in
 * worker->answer, and returns that one. NULL: none is busy, it is past `until`, or worker_stop. A
 * process whose trial was suspect is ended. */
struct tune_worker *tune_worker_wait(struct tune_worker *const *workers, int count, double until);

/* Stops a busy process in its tracks, or lets it go on; its limit waits too. */
void tune_worker_pause(struct tune_worker *worker, bool pause);

/* Ends the process, if there is one, and what it was asked for. */
void tune_worker_end(struct tune_worker *worker);

/* The process's side: reads a request; false at the end. Answers. */
bool tune_worker_read(struct tune_request *request);
bool tune_worker_answer(const struct tune_answer *answer);

/* The whole of that process; returns its exit code. */
int tune_worker_main(const char *device);

#endif
