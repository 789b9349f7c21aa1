/* SPDX-License-Identifier: Apache-2.0
 * A process (src/common/worker.h) that builds or runs candidates. */
#ifndef CLGEMM_TUNE_WORKER_H
#define CLGEMM_TUNE_WORKER_H

#include "src/common/worker.h"
#include "src/tuner/measure.h"

/* How the process is started: clgemm tune --worker P:D. */
#define TUNE_WORKER_OPTION "--worker"

struct tune_request {
    struct clg_tuning_shape shape;
    int family; /* index in clg_families */
    struct clg_params params;
    enum tune_task { TUNE_BUILD, TUNE_TRY, TUNE_CALLS } task; /* clg_measure_... */
    double best; /* seconds; a candidate that is slower by a margin is cut short */
};

struct tune_answer {
    bool unusable; /* the device cannot be used, or not for the problem; trial.why says why */
    struct clg_trial trial;
};

struct tune_worker {
    const char *device;            /* P:D */
    double limit;                  /* seconds for a candidate */
    double start_limit;            /* and for opening the device and loading the problem */
    struct worker base;            /* the process */
    const char *words[4];          /* its command line */
    struct clg_tuning_shape shape; /* the shape that it has loaded, if `loaded` */
    bool loaded;
    struct tune_answer answer;
};

/* Asks for a candidate to be built, tried or timed, in a new process if there is none. The worker
 * must not be busy. Any error is part of the trial's verdict. */
void tune_worker_ask(struct tune_worker *worker, const struct clg_tuning_shape *shape,
                     const struct clg_candidate *candidate, enum tune_task task, double best);

/* Waits until a busy worker that is not paused has its answer, puts it into worker->answer and
 * returns that worker. NULL: none is busy, `until` has passed, or worker_stop is set. A process
 * whose trial was suspect is ended. */
struct tune_worker *tune_worker_wait(struct tune_worker *const *workers, int count, double until);

/* Stops a busy process, or lets it continue. Its time limit stops too. */
void tune_worker_pause(struct tune_worker *worker, bool pause);

/* Ends the process, if there is one, and its request. */
void tune_worker_end(struct tune_worker *worker);

/* The process's side. The first reads a request, and returns false at the end; the second
 * answers. */
bool tune_worker_read(struct tune_request *request);
bool tune_worker_answer(const struct tune_answer *answer);

/* The whole of that process; returns its exit code. */
int tune_worker_main(const char *device);

#endif
